// One (partition, group): its cursor and the batch that is out. Judges acks,
// claims and extensions on committed state: values in, verdict and effects out
// (spec/messages.md, Pop and Ack; spec/transaction.md, How an ack finds its
// lease). Changes only when an entry has applied.

#pragma once

#include "actors/domain/effects.hpp"
#include "actors/domain/replies.hpp"

namespace queen::actors {

/// Where the messages of the partition are, by transaction id.
class message_lookup {
public:
  virtual ~message_lookup() = default;
  /// The offset of the message with this id in [from, to); the newest of
  /// several.
  virtual std::optional<domain::offset_t> find(std::string_view transaction_id,
                                               domain::offset_t from,
                                               domain::offset_t to) = 0;
  /// The first offset that is young enough to be recognised when it is done:
  /// within the dedup window, at least 900 s.
  virtual domain::offset_t recognised_from() = 0;
  virtual domain::offset_t next() = 0; // one past the newest
};

struct lease_subject {
  domain::queue_id queue = 0;
  domain::partition_id partition = 0;
  std::string group;
};

class lease_state {
public:
  lease_state(lease_subject subject, std::optional<domain::cursor_record> row)
    : me_(std::move(subject)), row_(std::move(row)) {}

  struct acks_verdict {
    domain::refusal reason = domain::refusal::none;
    std::string error;
    std::vector<domain::ack_result> acks; // parallel to `items`
    std::vector<domain::effect> effects;
  };
  acks_verdict judge_acks(const domain::transaction& call,
                          const std::vector<uint32_t>& items,
                          const domain::queue_options& options,
                          domain::time_us now, message_lookup& messages) const;

  struct extend_verdict {
    domain::extend_reply reply;
    std::vector<domain::effect> effects;
  };
  extend_verdict judge_extend(const domain::extend_lease& call,
                              const domain::queue_options& options,
                              domain::time_us now) const;

  /// Until when the batch is out; 0: it is not, a claim may be made.
  domain::time_us busy_until(domain::time_us now) const;

  struct claim_request {
    domain::offset_t start = 0; // for a group that has no cursor here yet
    domain::offset_t log_start = 0;
    uint32_t batch = 1;
  };
  struct claim_range {
    domain::offset_t from = 0;
    uint32_t messages = 0; // at most
  };
  /// What a claim should read. Ask `busy_until` first.
  claim_range plan_claim(const claim_request& what) const;

  struct claim_grant {
    domain::uuid lease_id; // nil: autoAck
    domain::offset_t from = 0, end = 0;
    domain::time_us expires_at = 0;
    bool auto_ack = false;
  };
  struct granted {
    std::vector<domain::effect> effects;
    domain::offset_t seen_below = 0; // before this delivery
    uint32_t attempt = 1;            // of messages below it
  };
  granted grant(const claim_grant& what) const;

  void applied(const domain::cursor_record& row) { row_ = row; }
  const std::optional<domain::cursor_record>& row() const { return row_; }

private:
  struct found;
  bool live(domain::time_us now) const;
  bool is_live_lease(std::string_view text, domain::time_us now) const;
  bool fenced(const domain::transaction& call, const domain::ack_item& ack,
              domain::time_us now, domain::ack_result& out) const;
  std::optional<domain::offset_t> locate(const domain::ack_item& ack,
                                         domain::time_us now,
                                         message_lookup& messages) const;
  domain::ack_result judge(const domain::transaction& call,
                           const domain::ack_item& ack, domain::time_us now,
                           message_lookup& messages,
                           std::optional<domain::offset_t>& at) const;
  void settle(const domain::transaction& call,
              const std::vector<found>& effective,
              const domain::queue_options& options, domain::time_us now,
              acks_verdict& out) const;

  lease_subject me_;
  std::optional<domain::cursor_record> row_; // none: the group has no cursor
};

} // namespace queen::actors
