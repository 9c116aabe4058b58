// Sockets: listeners, options and addresses. Any thread; no state.
//
// Accepted sockets inherit TCP_NODELAY and keep-alive from their listener, so the accept path makes
// no system call for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace moon::io {

struct TcpListenOptions {
  std::string host = "127.0.0.1";  // address or name; "*" and "::*" are all of IPv4, of IPv6
  uint16_t port = 0;               // 0: the system chooses
  int listeners = 1;               // so many sockets share the port (SO_REUSEPORT), one per shard
  int backlog = 511;
  int keepalive_seconds = 300;     // 0: none
};

struct TcpListeners {
  std::vector<int> fds;   // empty on failure
  uint16_t port = 0;      // the one that was bound
  int error = 0;          // errno; EADDRNOTAVAIL also for a name that is not known
  std::string message;    // for the log: what failed, for which address
};

// Fails with EADDRINUSE if anybody else listens there, even with SO_REUSEPORT.
TcpListeners listen_tcp(const TcpListenOptions& options);

struct UnixListener {
  int fd = -1;
  int error = 0;
  std::string message;
};

// Replaces a socket file that nobody listens on any more; refuses one that is in use, and a file
// that is no socket. mode 0 leaves the permissions to the umask.
UnixListener listen_unix(const std::string& path, unsigned mode, int backlog);

// Another descriptor of a listening socket, so that several reactors can accept from it (unix
// sockets know no SO_REUSEPORT). -1 on failure.
int duplicate_listener(int fd);

// Connected or listening TCP socket: no delay, and probes after so many idle seconds (0: off), as
// Redis's tcp-keepalive. False if the socket refuses.
bool configure_tcp(int fd, int keepalive_seconds);

// "ip:port", IPv6 as "[ip]:port"; "" for a socket that has no such address.
std::string peer_address(int fd);
std::string local_address(int fd);
// True for loopback addresses and for unix sockets.
bool peer_is_loopback(int fd);
uint16_t local_port(int fd);

// Blocking connect, for tools and tests. -1 with errno.
int connect_tcp(const std::string& ip, uint16_t port);
int connect_unix(const std::string& path);

}  // namespace moon::io
