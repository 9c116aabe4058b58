// Binding what clients connect to: TCP addresses of `bind`, one socket for each shard, and the
// unix socket.
#include <unistd.h>

#include <cstring>

#include "io/sockets.h"
#include "server/server.h"

namespace moon::server {

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  size_t start = 0;
  while ((start = text.find_first_not_of(' ', start)) != std::string::npos) {
    const size_t end = std::min(text.find(' ', start), text.size());
    words.push_back(text.substr(start, end - start));
    start = end;
  }
  return words;
}

// An address that may be missing on this machine: `bind ... -::1`.
bool is_optional_failure(int error) {
  return error == EADDRNOTAVAIL || error == EAFNOSUPPORT || error == EPROTONOSUPPORT ||
         error == ENOPROTOOPT;
}

std::string errno_name(int error) {
  const char* name = strerrorname_np(error);
  return name == nullptr ? "EUNKNOWN" : name;
}

}  // namespace

bool Server::bind_listeners(StartError* error) {
  sockets_.resize(shard_count_);
  const auto port = static_cast<uint16_t>(engine_.settings.get(Setting::kPort));
  if ((port != 0 || options_.any_port) && !bind_tcp(port, error)) return false;
  return bind_unix(error);
}

bool Server::bind_tcp(uint16_t port, StartError* error) {
  const Settings& settings = engine_.settings;
  for (std::string host : words_of(settings.text(Setting::kBind))) {
    const bool optional = host[0] == '-';
    if (optional) host.erase(0, 1);
    io::TcpListenOptions options;
    options.host = host;
    options.port = port;
    options.listeners = static_cast<int>(shard_count_);
    options.backlog = static_cast<int>(settings.get(Setting::kTcpBacklog));
    options.keepalive_seconds = static_cast<int>(settings.get(Setting::kTcpKeepalive));
    io::TcpListeners bound = io::listen_tcp(options);
    if (bound.fds.empty()) {
      if (optional && is_optional_failure(bound.error)) continue;
      // Redis's sentence: tools look for it.
      *error = {errno_name(bound.error),
                "Could not create server TCP listening socket " + host + ":" +
                    std::to_string(port) + ": bind: " + strerror(bound.error),
                ""};
      return false;
    }
    port = bound.port;  // with port 0 the first address chooses for the others
    for (uint32_t i = 0; i < shard_count_; ++i) sockets_[i].push_back({bound.fds[i], false});
    addresses_.push_back(host);
  }
  engine_.facts.tcp_port = addresses_.empty() ? 0 : port;
  if (!addresses_.empty()) {
    std::string line = "name=tcp";
    for (const std::string& address : addresses_) line += ",bind=" + address;
    engine_.facts.listeners.push_back(line + ",port=" + std::to_string(port));
  }
  return true;
}

bool Server::bind_unix(StartError* error) {
  const Settings& settings = engine_.settings;
  std::string path = settings.text(Setting::kUnixsocket);
  if (path.empty()) return true;
  if (path[0] != '/') path = options_.working_directory + "/" + path;
  io::UnixListener bound =
      io::listen_unix(path, static_cast<unsigned>(settings.get(Setting::kUnixsocketperm)),
                      static_cast<int>(settings.get(Setting::kTcpBacklog)));
  if (bound.fd < 0) {
    *error = {errno_name(bound.error), "Failed opening Unix socket: " + bound.message, ""};
    return false;
  }
  unix_socket_ = path;
  sockets_[0].push_back({bound.fd, true});
  // Unix sockets know no SO_REUSEPORT: the other shards accept from the same queue.
  for (uint32_t i = 1; i < shard_count_; ++i) {
    const int copy = io::duplicate_listener(bound.fd);
    if (copy >= 0) sockets_[i].push_back({copy, true});
  }
  engine_.facts.listeners.push_back("name=unix,bind=" + path);
  return true;
}

}  // namespace moon::server
