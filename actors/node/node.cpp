#include "actors/node/node.hpp"

#include "actors/raft/raft_actor.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <charconv>

namespace queen::actors {

namespace {

struct watch {
  caf::strong_actor_ptr who;
};

} // namespace

} // namespace queen::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(queen::actors::watch)

namespace queen::actors {

namespace {

constexpr const char* format_file = "FORMAT";
constexpr uint64_t directory_version = 1;

// Supervises what nothing can replace: when one of these ends on its own, the
// process must, too.
using supervisor_actor = caf::typed_actor<caf::reacts_to<watch>>;

supervisor_actor::behavior_type
supervise(supervisor_actor::pointer self,
          std::function<void(const error&)> fatal) {
  self->set_down_handler([fatal = std::move(fatal)](const caf::down_msg& m) {
    if (m.reason != caf::exit_reason::normal &&
        m.reason != caf::exit_reason::user_shutdown)
      fatal({errc::internal, "an actor that holds the node up has failed: " +
                               caf::to_string(m.reason)});
  });
  return {[self](const watch& w) {
    self->monitor(caf::actor_cast<caf::actor_addr>(w.who));
  }};
}

std::string format_text(uint32_t groups) {
  return "queen " + std::to_string(directory_version) + "\ngroups " +
         std::to_string(groups) + "\n";
}

} // namespace

/// What the log has of a group.
struct node::recovered {
  raft::restored core;
  uint64_t last_index = 0;
};

node::node(caf::actor_system& system, node_settings settings, node_parts parts)
  : system_(system), settings_(std::move(settings)), parts_(std::move(parts)) {}

node::~node() {
  stop();
}

result<std::unique_ptr<node>> node::boot(caf::actor_system& system,
                                         node_settings settings,
                                         node_parts parts) {
  std::unique_ptr<node> made{
    new node(system, std::move(settings), std::move(parts))};
  auto& directory = made->settings_.directory;
  auto& disk = *made->parts_.disk;
  if (auto done = disk.make_directory(directory); !done)
    return done.reason();
  auto lock = disk.lock(directory);
  if (!lock)
    return lock.reason();
  made->lock_ = std::move(*lock);
  if (auto done = made->check_format(); !done)
    return done.reason();
  if (auto done = made->open_stores(); !done)
    return done.reason();
  auto recovered = made->recover_log();
  if (!recovered)
    return recovered.reason();
  if (auto done = made->spawn(std::move(*recovered)); !done)
    return done.reason();
  return made;
}

result<void> node::check_format() {
  auto text =
    persistence::read_whole(*parts_.disk, settings_.directory, format_file);
  if (!text)
    return text.reason();
  auto path = settings_.directory + "/" + format_file;
  if (!*text)
    return {}; // a fresh directory: written when there is a log
  settings_.log.must_exist = true;
  uint64_t version = 0;
  uint32_t groups = 0;
  std::string_view rest{**text};
  auto number = [&](std::string_view word, auto& into) {
    if (rest.substr(0, word.size()) != word)
      return false;
    rest.remove_prefix(word.size());
    auto [end, why] =
      std::from_chars(rest.data(), rest.data() + rest.size(), into);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    return why == std::errc{};
  };
  if (!number("queen ", version))
    return error{errc::damaged, path + " at byte 0: this is no FORMAT file"};
  if (version > directory_version)
    return error{errc::format_newer,
                 path + ": the directory was written by a newer version"};
  if (!number("\ngroups ", groups))
    return error{errc::damaged, path + ": the number of groups is missing"};
  if (groups != settings_.groups)
    return error{errc::bad_setting,
                 "QUEEN_RAFT_GROUPS is " + std::to_string(settings_.groups) +
                   ", but the data directory " + settings_.directory +
                   " was created with " + std::to_string(groups) +
                   "; the number is fixed when a directory is created"};
  return {};
}

result<void> node::open_stores() {
  for (uint32_t g = 0; g < settings_.groups; ++g) {
    auto made = std::make_unique<group>();
    auto opened =
      parts_.open_store(settings_.directory + "/group-" + std::to_string(g));
    if (!opened)
      return opened.reason();
    made->store = std::move(*opened);
    if (settings_.verify_stores)
      if (auto good = made->store->verify(); !good)
        return good;
    made->state = std::make_unique<applier_state>(*made->store);
    if (auto loaded = made->state->load(); !loaded)
      return loaded;
    groups_.push_back(std::move(made));
  }
  return {};
}

// Entries that a store has already are not kept: what is loaded is the log
// since the last checkpoint, whatever the node holds.
result<std::vector<node::recovered>> node::recover_log() {
  std::vector<recovered> out(groups_.size());
  for (size_t g = 0; g < groups_.size(); ++g) {
    out[g].core.snapshot_index = groups_[g]->state->applied_index();
    out[g].core.snapshot_term = groups_[g]->state->applied_term();
    out[g].last_index = out[g].core.snapshot_index;
  }
  auto replay = [&](persistence::log_append record) -> result<void> {
    if (record.group >= out.size())
      return error{errc::damaged, "the log has a record of group " +
                                    std::to_string(record.group) +
                                    ", which this node does not have"};
    auto& into = out[record.group];
    if (record.kind == persistence::record_kind::hard_state) {
      auto state = raft::decode_hard_state(*record.payload);
      if (!state)
        return state.reason();
      into.core.state = *state;
      return {};
    }
    if (record.index <= into.core.snapshot_index)
      return {};
    // A leader of a later term replaced what came after.
    while (!into.core.entries.empty() &&
           into.core.entries.back().index >= record.index)
      into.core.entries.pop_back();
    auto wanted = into.core.snapshot_index + into.core.entries.size() + 1;
    if (record.index != wanted)
      return error{errc::damaged,
                   "the log of group " + std::to_string(record.group) +
                     " goes on at index " + std::to_string(record.index) +
                     " where " + std::to_string(wanted) +
                     " is needed: log and store do not belong together"};
    into.core.entries.push_back({record.term, record.index,
                                 static_cast<raft::entry_kind>(record.tag),
                                 std::move(record.payload)});
    return {};
  };
  auto opened = persistence::log::open(
    *parts_.disk, settings_.directory + "/log", settings_.log, replay);
  if (!opened)
    return opened.reason();
  log_ = std::move(*opened);
  if (!settings_.log.must_exist)
    if (auto done = persistence::replace_whole(*parts_.disk,
                                               settings_.directory, format_file,
                                               format_text(settings_.groups));
        !done)
      return done.reason();
  for (uint32_t g = 0; g < groups_.size(); ++g)
    if (auto done = log_->release(g, out[g].core.snapshot_index); !done)
      return done.reason();
  return out;
}

result<void> node::spawn(std::vector<recovered> recovered) {
  auto supervisor = system_.spawn(supervise, parts_.fatal);
  auto keep = [&](const auto& who) {
    auto ref = caf::actor_cast<caf::strong_actor_ptr>(who);
    caf::anon_send(supervisor, watch{ref});
    core_actors_.push_back(caf::actor_cast<caf::actor>(who));
  };
  // Actors that block on the disk get a thread; in the simulator nothing does.
  auto blocking = [&](auto behavior, auto... given) {
    return parts_.env->threads()
             ? system_.spawn<caf::detached>(behavior, std::move(given)...)
             : system_.spawn(behavior, std::move(given)...);
  };
  auto writer = blocking(log_writer, log_.get(), log_stats_, parts_.fatal);
  auto checkpoints = blocking(checkpointer, parts_.fatal);
  for (uint32_t g = 0; g < groups_.size(); ++g) {
    auto& group = *groups_[g];
    raft::options options;
    options.seed = parts_.env->random();
    auto raft = system_.spawn(
      raft_group,
      raft_wiring{
        g, std::make_shared<raft::core>(options, std::move(recovered[g].core)),
        writer, group.status});
    auto context = std::make_shared<group_context>();
    context->group = g;
    context->env = parts_.env;
    context->store = group.store.get();
    context->consumers = &group.consumers;
    context->limits = settings_.limits;
    context->raft = raft;
    context->status = group.status;
    group.tenants = system_.spawn(tenant_group, context);
    applier_wiring wiring;
    wiring.state = group.state.get();
    wiring.store = group.store.get();
    wiring.consumers = &group.consumers;
    wiring.tenants = group.tenants;
    wiring.raft = raft;
    wiring.checkpointer = checkpoints;
    wiring.checkpoint_bytes = settings_.checkpoint_bytes;
    wiring.fatal = parts_.fatal;
    auto apply = blocking(applier, std::move(wiring));
    caf::anon_send(raft, start_raft{apply, group.tenants});
    keep(group.tenants);
    keep(raft);
    keep(apply);
  }
  keep(checkpoints);
  keep(writer);
  core_actors_.push_back(caf::actor_cast<caf::actor>(supervisor));
  return {};
}

void node::abandon() {
  if (std::exchange(stopped_, true))
    return;
  for (auto& g : groups_)
    caf::anon_send(g->tenants, stop_group{});
  for (auto& who : core_actors_)
    caf::anon_send_exit(who, caf::exit_reason::kill);
  core_actors_.clear();
}

void node::stop() {
  if (std::exchange(stopped_, true))
    return;
  for (auto& g : groups_)
    if (g->tenants)
      caf::anon_send(g->tenants, stop_group{});
  if (!core_actors_.empty()) {
    // In their order, so that whoever is still told something exists.
    caf::scoped_actor self{system_};
    for (auto& who : core_actors_) {
      self->send_exit(who, caf::exit_reason::user_shutdown);
      self->wait_for(who);
    }
    core_actors_.clear();
  }
  for (auto& g : groups_) {
    g->tenants = tenant_group_actor{};
    if (g->store)
      if (auto flushed = g->store->flush(); !flushed)
        parts_.fatal(flushed.reason());
  }
}

} // namespace queen::actors
