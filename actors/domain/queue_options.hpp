// The options of a queue (spec/messages.md, Queues), with their defaults.

#pragma once

#include "actors/domain/ids.hpp"

#include <string>

namespace queen::domain {

/// Seconds unless the name says otherwise. All are echoed by configure; the
/// ones the spec calls stored-only have no other use.
struct queue_options {
  uint32_t lease_time = 60; // 300 when configure creates the queue
  uint32_t retry_limit = 3;
  bool dead_letter_queue = true;
  bool dlq_after_max_retries = true;
  uint32_t dedup_window_seconds = 3600;
  uint32_t delayed_processing = 0;
  uint32_t window_buffer = 0;
  bool retention_enabled = false;
  uint32_t retention_seconds = 0;
  uint32_t completed_retention_seconds = 0;
  uint32_t max_wait_time_seconds = 0;
  bool encryption_enabled = false;
  uint32_t priority = 0;
  uint32_t retry_delay = 0;
  uint32_t ttl = 0;
  uint32_t max_size = 0;
  uint32_t min_pop_wait_time = 0;

  bool operator==(const queue_options&) const = default;
};

struct queue_record {
  queue_id id = 0;
  uuid tenant;
  std::string name;
  std::string name_space; // label `namespace`
  std::string task;
  queue_options options;
  time_us created_at = 0;

  bool operator==(const queue_record&) const = default;
};

/// `a.b.c` is labelled namespace `a`, task `b` (spec: first two dotted parts
/// of a pushed queue's name).
void label_from_name(queue_record& queue);

} // namespace queen::domain
