// Reads of committed state that concern no actor: listings, counts, dead
// letters, timers, reads by offset. Functions of the store alone.

#pragma once

#include "actors/domain/commands.hpp"
#include "actors/domain/replies.hpp"
#include "persistence/store.hpp"

namespace queen::actors::queries {

domain::list_queues_reply run(const persistence::store&, domain::time_us now,
                              const domain::list_queues&);
domain::describe_queue_reply run(const persistence::store&, domain::time_us now,
                                 const domain::describe_queue&);
domain::dead_letters_reply run(const persistence::store&,
                               const domain::list_dead_letters&);
domain::peek_timer_reply run(const persistence::store&,
                             const domain::peek_timer&);
domain::list_timers_reply run(const persistence::store&,
                              const domain::list_timers&);
domain::fetch_offsets_reply run(const persistence::store&,
                                const domain::fetch_offsets&);
/// `bytes` is what the records weigh: a fetch may wait until it is enough.
domain::fetch_reply run(const persistence::store&, const domain::fetch&,
                        uint64_t& bytes);

/// 0: no such queue.
domain::queue_id queue_named(const persistence::store&,
                             const domain::uuid& tenant,
                             const std::string& name);

} // namespace queen::actors::queries
