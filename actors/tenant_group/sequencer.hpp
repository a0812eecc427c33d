// The tenant group's work while its node leads: turns each command into
// ballots to the actors that it concerns, in the order in which commands come.

#pragma once

#include "actors/tenant_group/directory.hpp"
#include "actors/tenant_group/queue_table.hpp"
#include "actors/tenant_group/tenant_group_actor.hpp"
#include "actors/transaction/transaction_actor.hpp"

namespace queen::actors {

class sequencer {
public:
  sequencer(tenant_group_actor::pointer self, context_ptr context,
            const leading& start);

  void run(request r);
  void route(route_claim claim);
  void offered(const offer_rest& offer);
  void on_applied(const applied& a);
  void forget(const domain::pop& pop);
  void tick();
  /// Wakes what is idle, and arms the next sweep.
  void sweep();
  /// Everything that was loaded for this term ends.
  void stop();

private:
  struct discovery {
    std::shared_ptr<const domain::pop> what;
    domain::reply_to client;
    domain::time_us deadline;
    std::shared_ptr<shared_pop> shared;
  };
  struct own_entry {
    domain::reply_to client;
    domain::reply answer;
  };

  void load_queues();
  void on(std::shared_ptr<const domain::transaction> call, domain::reply_to);
  void on(std::shared_ptr<const domain::pop> pop, domain::reply_to);
  void on(std::shared_ptr<const domain::extend_lease> call, domain::reply_to);
  void on(const domain::configure_queue&, domain::reply_to);
  void on(const domain::delete_queue&, domain::reply_to);
  void query(std::shared_ptr<const domain::command> what, domain::reply_to);

  void seat_acks(open_call& call, std::vector<ballot>& ballots,
                 std::vector<vote>& settled);
  void seat_pushes(open_call& call, std::vector<ballot>& ballots,
                   std::vector<vote>& settled);
  void open(std::shared_ptr<open_call> call, std::vector<ballot> ballots,
            std::vector<vote> settled);
  void log(domain::effect what, domain::reply_to client, domain::reply answer);

  loaded_partition& partition(const queue_table::entry& queue,
                              const std::string& name);
  loaded_partition* partition(domain::queue_id queue, domain::partition_id id);
  loaded<lease_actor>& lease(const queue_table::entry& queue,
                             domain::partition_id id, const std::string& group);
  loaded<consumer_group_actor>& group(const domain::uuid& tenant,
                                      const std::string& queue,
                                      const std::string& name);
  loaded<kv_actor>& kv(const domain::uuid& tenant);
  queue_table::entry& ensure_queue(const domain::uuid& tenant,
                                   const std::string& name);
  void announce(const queue_table::entry& queue);
  queue_table::entry* owner(const domain::uuid& tenant,
                            domain::partition_id id);
  void serve(const std::string& queue, std::shared_ptr<const domain::pop> pop,
             const domain::reply_to& client, domain::time_us deadline,
             std::shared_ptr<shared_pop> shared);

  tenant_group_actor::pointer self_;
  context_ptr context_;
  queue_table queues_;
  directory directory_;
  std::unordered_map<domain::partition_id, domain::queue_id> owners_;
  std::vector<discovery> discoveries_;
  std::map<call_id, own_entry> own_;
  call_id last_call_ = 0;
};

} // namespace queen::actors
