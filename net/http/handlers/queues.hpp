// /api/v1/resources/queues: list, describe, delete.

#pragma once

#include "actors/domain/replies.hpp"
#include "net/http/handlers/call.hpp"

namespace queen::net {

domain::list_queues parse_list_queues(const http_call& call);
rendered render_list_queues(const domain::list_queues_reply& reply);

// The path has the queue.
parsed<domain::describe_queue> parse_describe_queue(const http_call& call,
                                                    const limits& bounds);
/// 404 when there is none.
rendered render_describe_queue(const domain::describe_queue& asked,
                               const domain::describe_queue_reply& reply);

parsed<domain::delete_queue> parse_delete_queue(const http_call& call,
                                                const limits& bounds);
rendered render_delete_queue(const domain::delete_queue& asked,
                             const domain::delete_queue_reply& reply);

} // namespace queen::net
