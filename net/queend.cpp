// The broker's process: settings, the node, the HTTP edge, and an orderly end.

#include "actors/node/node.hpp"
#include "config/options.hpp"
#include "net/http/gateway.hpp"
#include "net/http/router.hpp"
#include "net/http/server.hpp"
#include "net/http/url.hpp"
#include "net/system_environment.hpp"
#include "persistence/posix_disk.hpp"
#include "persistence/rocks_store.hpp"
#include "persistence/shared_resources.hpp"

#include <boost/asio/signal_set.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace {

using namespace queen;

constexpr auto tick_every = std::chrono::milliseconds(100);
constexpr int ticks_between_disk_looks = 10;

actors::node_settings node_settings_of(const config::options& from,
                                       actors::environment& env) {
  actors::node_settings out;
  out.directory = from.directory;
  out.groups = static_cast<uint32_t>(from.raft_groups);
  out.log.incarnation_seed = env.random() | 1;
  out.limits.max_entry_bytes = from.entry_max_bytes;
  out.limits.kv_max_value_bytes =
    static_cast<uint32_t>(from.kv_max_value_bytes);
  out.limits.timers_max_horizon_us =
    static_cast<int64_t>(from.timers_max_horizon_s) * 1000000;
  out.limits.timers_max_payload_bytes =
    static_cast<uint32_t>(from.timers_max_payload_bytes);
  out.limits.idle_unload_us =
    static_cast<int64_t>(from.idle_unload_s) * 1000000;
  return out;
}

net::gateway_settings gateway_settings_of(const config::options& from) {
  net::gateway_settings out;
  out.bounds.kv_value_bytes_max = from.kv_max_value_bytes;
  out.bounds.timer_horizon_s =
    static_cast<uint32_t>(from.timers_max_horizon_s);
  out.bounds.timer_payload_bytes_max = from.timers_max_payload_bytes;
  out.bounds.tenancy_header = from.tenancy_header;
  out.disk_high_percent = static_cast<uint32_t>(from.disk_high_percent);
  return out;
}

/// Routes requests, keeps the gateway's clock, ends on SIGTERM.
class edge {
public:
  edge(net::asio::io_context& io, actors::node& node,
       actors::environment& env, persistence::disk& disk,
       const config::options& settings)
    : io_(io), disk_(disk), directory_(settings.directory),
      gateway_(std::make_shared<net::gateway>(io, node, env,
                                              gateway_settings_of(settings))),
      timer_(io), signals_(io, SIGTERM, SIGINT) {
    for (size_t i = 0; i < net::routes().size(); ++i)
      router_.add(net::routes()[i].method, net::routes()[i].pattern, i);
    net::server_options options;
    options.address = settings.bind_address;
    options.port = static_cast<uint16_t>(settings.port);
    options.body_bytes_max = settings.max_body_bytes;
    server_ = std::make_unique<net::http_server>(
      io, options, [this](net::http_request&& request, net::responder client) {
        handle(std::move(request), std::move(client));
      });
    server_->set_refusal([this](const error& why, auto method, auto path) {
      auto found = router_.match(method, path);
      return found.index ? net::routes()[*found.index].refuse(why)
                         : net::render_error(why);
    });
    server_->set_turn_hook([this] { gateway_->flush(); });
  }

  result<uint16_t> start() {
    auto port = server_->listen();
    if (!port)
      return port;
    tick();
    signals_.async_wait([this](auto failed, int) {
      if (failed)
        return;
      spdlog::info("stopping: no new requests, those in flight are answered");
      gateway_->drain();
      server_->drain([this] { io_.stop(); });
    });
    return port;
  }

private:
  void handle(net::http_request&& request, net::responder client) {
    if (request.path() == "/health") {
      if (request.method == "GET" || request.method == "HEAD")
        return client.send(gateway_->health());
      auto answer =
        net::plain_error(errc::method_not_allowed, "only GET is understood");
      answer.headers.emplace_back("Allow", "GET, HEAD");
      return client.send(std::move(answer));
    }
    auto found = router_.match(request.method, request.path());
    if (!found.index) {
      if (found.allow.empty())
        return client.send(net::plain_error(errc::no_such_route,
                                            "no route has this path"));
      auto answer = net::plain_error(errc::method_not_allowed,
                                     "this path has other methods");
      answer.headers.emplace_back("Allow", found.allow);
      return client.send(std::move(answer));
    }
    auto kept = std::make_shared<net::http_request>(std::move(request));
    net::http_call call;
    call.body = kept->body;
    call.path = std::move(found.parameters);
    call.query = [kept](std::string_view name) {
      return net::query_value(kept->query(), name);
    };
    call.header =
      [kept](std::string_view name) -> std::optional<std::string> {
      if (auto value = kept->header(name))
        return std::string{*value};
      return std::nullopt;
    };
    gateway_->handle(net::routes()[*found.index], std::move(call),
                     std::move(client));
  }

  void tick() {
    if (ticks_++ % ticks_between_disk_looks == 0)
      if (auto used = disk_.used_percent(directory_))
        disk_used_ = *used;
    gateway_->tick(std::chrono::steady_clock::now(), disk_used_);
    timer_.expires_after(tick_every);
    timer_.async_wait([this](auto failed) {
      if (!failed)
        tick();
    });
  }

  net::asio::io_context& io_;
  persistence::disk& disk_;
  std::string directory_;
  net::router router_;
  std::shared_ptr<net::gateway> gateway_;
  net::asio::steady_timer timer_;
  net::asio::signal_set signals_;
  std::unique_ptr<net::http_server> server_;
  unsigned disk_used_ = 0;
  int ticks_ = 0;
};

int refuse(const error& why) {
  spdlog::error("{}: {}", to_string(why.code), why.detail);
  return 1;
}

int run(const config::options& settings) {
  net::system_environment env;
  persistence::posix_disk disk;
  auto shared = persistence::make_shared_resources(
    settings.memory_mb << 19, settings.memory_mb << 19);
  caf::actor_system_config config;
  config.set("scheduler.policy", caf::atom("sharing"));
  config.set("scheduler.max-threads",
             size_t{std::max(1u, std::thread::hardware_concurrency() / 2)});
  caf::actor_system system{config};
  actors::node_parts parts;
  parts.env = &env;
  parts.disk = &disk;
  parts.open_store = [&shared](const std::string& directory) {
    return persistence::open_rocks_store(directory, shared);
  };
  parts.fatal = [](const error& why) {
    refuse(why);
    // Nothing in memory may be trusted now; the log has what was answered.
    std::_Exit(1);
  };
  auto node = actors::node::boot(system, node_settings_of(settings, env), parts);
  if (!node)
    return refuse(node.reason());
  net::asio::io_context io{1};
  {
    edge http{io, **node, env, disk, settings};
    auto port = http.start();
    if (!port) {
      (*node)->stop();
      return refuse(port.reason());
    }
    spdlog::info("queend {} listens on {}:{}, data in {}", QUEEN_VERSION,
                 settings.bind_address, *port, settings.directory);
    io.run();
  }
  (*node)->stop();
  spdlog::info("stopped");
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("queend"));
  if (argc > 1) {
    std::string_view argument = argv[1];
    bool help = argument == "--help" || argument == "-h";
    std::fputs(queen::config::options_help().c_str(), help ? stdout : stderr);
    return help ? 0 : 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  auto settings = queen::config::read_options(
    [](const std::string& name) -> std::optional<std::string> {
      auto value = std::getenv(name.c_str());
      return value ? std::optional<std::string>{value} : std::nullopt;
    });
  return settings ? run(*settings) : refuse(settings.reason());
}
