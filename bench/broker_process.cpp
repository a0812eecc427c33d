#include "bench/broker_process.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace queen::bench {

namespace {

namespace fs = std::filesystem;

uint16_t free_port() {
  asio::io_context io;
  asio::ip::tcp::acceptor probe{io, {asio::ip::make_address("127.0.0.1"), 0}};
  return probe.local_endpoint().port();
}

bool answers(const target& where) {
  asio::io_context io;
  asio::ip::tcp::socket socket{io};
  boost::system::error_code failed;
  socket.connect({asio::ip::make_address(where.host), where.port}, failed);
  return !failed;
}

} // namespace

broker_process::broker_process(const std::string& binary,
                               const std::string& directory)
  : ours_(true) {
  where_.port = free_port();
  data_ = directory + "/queen-bench-" + std::to_string(::getpid());
  fs::remove_all(data_);
  fs::create_directories(data_);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::setenv("PORT", std::to_string(where_.port).c_str(), 1);
    ::setenv("QUEEN_BIND_ADDR", "127.0.0.1", 1);
    ::setenv("QUEEN_RAFT_DIR", data_.c_str(), 1);
    ::setenv("LOG_LEVEL", "warn", 0);
    ::execl(binary.c_str(), binary.c_str(), nullptr);
    std::perror(binary.c_str());
    ::_exit(127);
  }
  for (int i = 0; i < 1000; ++i) {
    if (answers(where_))
      return;
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_)
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::fprintf(stderr, "%s did not come up\n", binary.c_str());
  std::exit(1);
}

broker_process::broker_process(target where, pid_t pid)
  : where_(std::move(where)), pid_(pid) {}

broker_process::~broker_process() {
  if (!ours_)
    return;
  ::kill(pid_, SIGTERM);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  std::error_code ignored;
  fs::remove_all(data_, ignored);
}

broker_process::figures broker_process::read() const {
  figures out;
  if (pid_ == 0)
    return out;
  auto base = "/proc/" + std::to_string(pid_);
  std::ifstream stat{base + "/stat"};
  std::string text{std::istreambuf_iterator<char>{stat}, {}};
  std::istringstream fields{text.substr(text.rfind(')') + 2)};
  std::string word;
  uint64_t user = 0, system = 0;
  for (int i = 0; i < 11; ++i)
    fields >> word;
  fields >> user >> system;
  out.cpu_seconds = static_cast<double>(user + system) /
                    static_cast<double>(::sysconf(_SC_CLK_TCK));
  std::ifstream statm{base + "/statm"};
  uint64_t pages = 0, resident = 0;
  statm >> pages >> resident;
  out.resident_bytes =
    resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  std::ifstream io{base + "/io"};
  uint64_t value = 0;
  while (io >> word >> value)
    if (word == "write_bytes:")
      out.written_bytes = value;
  return out;
}

} // namespace queen::bench
