#include "net/logging.hpp"

#include "net/http/handlers/json_writer.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/spdlog.h>

namespace queen::net {

namespace {

// The message as a JSON string: what it quotes may hold anything.
class json_message : public spdlog::custom_flag_formatter {
public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& into) override {
    json_writer out{message.payload.size() + 16};
    out.begin_array()
      .text({message.payload.data(), message.payload.size()})
      .end_array();
    auto text = out.take();
    into.append(text.data() + 1, text.data() + text.size() - 1);
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<json_message>();
  }
};

} // namespace

void set_up_logging(const config::settings& from) {
  spdlog::set_level(spdlog::level::from_str(from.log_level));
  if (!from.log_json)
    return;
  auto formatter =
    std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  formatter->add_flag<json_message>('*').set_pattern(
    R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%*})");
  spdlog::set_formatter(std::move(formatter));
}

} // namespace queen::net
