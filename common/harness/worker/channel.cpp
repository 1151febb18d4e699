#include "common/harness/worker/channel.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

namespace sortlab {

using nlohmann::json;

Channel::~Channel() {
  if (socket_ >= 0) close(socket_);
}

Channel::Channel(Channel&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), received_(std::move(other.received_)) {}

bool Channel::send(const json& message) {
  // A sort's own words, in a reason, may be no UTF-8.
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
  if (end == std::string::npos) return std::nullopt;
  json message = json::parse(received_.substr(0, end));
  received_.erase(0, end + 1);
  return message;
}

bool Channel::receive(int timeout_ms) {
  pollfd readable{socket_, POLLIN, 0};
  if (poll(&readable, 1, timeout_ms) <= 0) return true;
  char block[65536];
  const auto count = read(socket_, block, sizeof block);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  received_.append(block, static_cast<std::size_t>(count));
  return count > 0;
}

}  // namespace sortlab
