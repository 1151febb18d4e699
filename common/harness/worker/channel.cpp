#include "common/harness/worker/channel.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

namespace sortlab {

using nlohmann::json;

namespace {
constexpr std::size_t kBlock = 65536;
constexpr std::size_t kLongestLine = std::size_t{16} << 20;  // the longest description is shorter
}  // namespace

Channel::~Channel() {
  if (socket_ >= 0) close(socket_);
}

Channel::Channel(Channel&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), received_(std::move(other.received_)) {}

bool Channel::send(const json& message) {
  // A reason may quote a sort's message, which may be invalid UTF-8.
  const std::string line = message.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
  for (std::size_t sent = 0; sent < line.size();) {
    const auto count = ::send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<json> Channel::take() {
  const auto end = received_.find('\n');
  if (end == std::string::npos) {
    if (received_.size() > kLongestLine) throw ForeignMessage();
    return std::nullopt;
  }
  json message = json::parse(received_.substr(0, end));
  received_.erase(0, end + 1);
  return message;
}

Received Channel::receive(int timeout_ms) {
  pollfd readable{socket_, POLLIN, 0};
  if (poll(&readable, 1, timeout_ms) <= 0) return Received::nothing;
  const std::size_t before = received_.size();
  received_.resize(before + kBlock);
  const auto count = read(socket_, received_.data() + before, kBlock);
  const bool again = count < 0 && (errno == EINTR || errno == EAGAIN);
  received_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (again) return Received::nothing;
  return count > 0 ? Received::something : Received::end_of_stream;
}

}  // namespace sortlab
