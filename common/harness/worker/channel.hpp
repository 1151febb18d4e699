// Lines of JSON over a socket, between the program and its worker process.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>

namespace sortlab {

enum class Received { something, nothing, end_of_stream };

/// Thrown when received data is not from this program.
struct ForeignMessage : std::runtime_error {
  ForeignMessage() : std::runtime_error("wrote into what is not its own") {}
};

/// One end of a socket, which it owns.
class Channel {
 public:
  explicit Channel(int socket) : socket_(socket) {}
  ~Channel();
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&&) = delete;

  /// Sends a message; false when the other end is closed.
  bool send(const nlohmann::json& message);
  /// Takes the next complete message from the received bytes; empty when there is none yet. Throws
  /// nlohmann::json::exception for invalid JSON, ForeignMessage for a line without an end.
  std::optional<nlohmann::json> take();
  /// Waits for more to read for at most `timeout_ms`, or without limit when that is below 0.
  Received receive(int timeout_ms);

 private:
  int socket_;
  std::string received_;  // the bytes after the last message taken
};

}  // namespace sortlab
