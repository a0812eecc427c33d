// The key/value rows of one tenant: judges operations on planned state, which
// is the committed rows with the writes over them that are decided and on
// their way through the log (spec/kv-timers-locks.md).

#pragma once

#include "actors/applier/applied_entry.hpp"
#include "actors/domain/effects.hpp"
#include "actors/domain/replies.hpp"
#include "persistence/store.hpp"

#include <map>
#include <set>

namespace queen::actors {

/// What a call will read and write, so that nobody else does meanwhile.
struct kv_footprint {
  std::vector<std::string> keys;        // opaque, namespace first
  std::set<std::string> written_spaces; // namespaces with a write
  std::set<std::string> read_spaces;    // namespaces read by prefix
};
kv_footprint footprint_of(const domain::transaction& call,
                          const std::vector<uint32_t>& items);

class kv_state {
public:
  kv_state(const domain::uuid& tenant, const persistence::store& store);

  using place = std::pair<std::string, std::string>; // namespace, key
  struct planned_row {
    std::optional<domain::kv_row> row; // none: erased
    domain::version_t version = 0;
  };
  using overlay = std::map<place, planned_row>;

  struct verdict {
    domain::refusal reason = domain::refusal::none;
    std::string error;
    uint32_t failed = 0; // index into the call's kv: a required loser
    domain::kv_result lost;
    std::vector<domain::kv_result> results; // parallel to `items`
    std::vector<domain::effect> effects;
    overlay writes; // what `effects` do, for `fold`
    bool on_planned = false;
  };
  /// Its versions are used up, whether the call commits or not.
  verdict judge(const domain::transaction& call,
                const std::vector<uint32_t>& items, domain::time_us now);

  /// The call that planned these writes will be logged.
  void fold(overlay writes);
  void applied(const applied_entry& entry);

  bool settled() const { return planned_.empty(); }

private:
  struct reading; // one call's view while it is judged
  std::optional<domain::kv_row> find(reading& at, const std::string& ns,
                                     const std::string& key) const;
  domain::kv_result read(reading& at, const domain::kv_op& op) const;
  void read_prefix(reading& at, const domain::kv_op& op,
                   domain::kv_result& out) const;
  domain::kv_result write(reading& at, const domain::kv_op& op);
  domain::kv_result put(reading& at, const domain::kv_op& op);
  domain::kv_result erase(reading& at, const domain::kv_op& op);
  domain::kv_result increment(reading& at, const domain::kv_op& op);
  void plan_put(reading& at, const domain::kv_op& op,
                const std::optional<domain::kv_row>& before,
                domain::slice value, domain::time_us expires_at,
                domain::kv_result& out);

  domain::uuid tenant_;
  const persistence::store& store_;
  domain::version_t last_version_ = 0; // handed out
  overlay planned_;
};

} // namespace queen::actors
