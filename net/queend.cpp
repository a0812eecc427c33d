// The broker's process: settings, the node, the HTTP edge, and an orderly end.

#include "actors/node/node.hpp"
#include "config/settings.hpp"
#include "net/http/gateway.hpp"
#include "net/http/router.hpp"
#include "net/http/server.hpp"
#include "net/http/url.hpp"
#include "net/logging.hpp"
#include "net/system_environment.hpp"
#include "net/wiring.hpp"
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

#include <unistd.h>

namespace {

using namespace queen;

constexpr auto tick_every = std::chrono::milliseconds(100);
constexpr int ticks_between_disk_looks = 10;

/// Routes requests, keeps the gateway's clock, ends on SIGTERM.
class edge {
public:
  edge(net::asio::io_context& io, actors::node& node, actors::environment& env,
       persistence::disk& disk, const config::settings& settings,
       net::gateway_settings bounds)
    : io_(io), disk_(disk), directory_(settings.directory),
      gateway_(
        std::make_shared<net::gateway>(io, node, env, std::move(bounds))),
      timer_(io), signals_(io, SIGTERM, SIGINT) {
    for (size_t i = 0; i < net::routes().size(); ++i)
      router_.add(net::routes()[i].method, net::routes()[i].pattern, i);
    server_ = std::make_unique<net::http_server>(
      io, net::server_options_of(settings),
      [this](net::http_request&& request, net::responder client) {
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
        return client.send(
          net::plain_error(errc::no_such_route, "no route has this path"));
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
    call.header = [kept](std::string_view name) -> std::optional<std::string> {
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

int run(const config::settings& settings) {
  net::set_up_logging(settings);
  for (auto& warning : settings.warnings)
    spdlog::warn("{}", warning);
  for (auto& line : config::effective(settings))
    spdlog::info("setting {}", line);
  auto bounds = net::gateway_settings_of(settings);
  if (!bounds)
    return refuse(bounds.reason());
  net::system_environment env;
  persistence::posix_disk disk;
  auto shared = persistence::make_shared_resources(settings.memory_mb << 19,
                                                   settings.memory_mb << 19);
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
  auto node =
    actors::node::boot(system, net::node_settings_of(settings, env), parts);
  if (!node)
    return refuse(node.reason());
  net::asio::io_context io{1};
  {
    edge http{io, **node, env, disk, settings, std::move(*bounds)};
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
    std::fputs(queen::config::settings_help().c_str(), help ? stdout : stderr);
    return help ? 0 : 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  queen::config::environment given;
  for (char** variable = environ; *variable; ++variable) {
    std::string_view text{*variable};
    auto equals = text.find('=');
    if (equals != std::string_view::npos)
      given.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  auto settings = queen::config::read_settings(given);
  return settings ? run(*settings) : refuse(settings.reason());
}
