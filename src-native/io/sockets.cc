#include "io/sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

namespace moon::io {

namespace {

struct Address {
  sockaddr_storage bytes = {};
  socklen_t length = sizeof(sockaddr_storage);

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
  const sockaddr_in& v4() const { return *reinterpret_cast<const sockaddr_in*>(&bytes); }
  const sockaddr_in6& v6() const { return *reinterpret_cast<const sockaddr_in6*>(&bytes); }

  void set_port(uint16_t port) {
    if (bytes.ss_family == AF_INET6) {
      reinterpret_cast<sockaddr_in6*>(&bytes)->sin6_port = htons(port);
    } else {
      reinterpret_cast<sockaddr_in*>(&bytes)->sin_port = htons(port);
    }
  }
  uint16_t port() const {
    if (bytes.ss_family == AF_INET6) return ntohs(v6().sin6_port);
    return bytes.ss_family == AF_INET ? ntohs(v4().sin_port) : 0;
  }
  std::string text() const {
    char ip[INET6_ADDRSTRLEN];
    if (bytes.ss_family == AF_INET && inet_ntop(AF_INET, &v4().sin_addr, ip, sizeof ip)) {
      return std::string(ip) + ":" + std::to_string(port());
    }
    if (bytes.ss_family == AF_INET6 && inet_ntop(AF_INET6, &v6().sin6_addr, ip, sizeof ip)) {
      return "[" + std::string(ip) + "]:" + std::to_string(port());
    }
    return "";
  }
};

bool set_option(int fd, int level, int name, int value) {
  return setsockopt(fd, level, name, &value, sizeof value) == 0;
}

// Names that resolve to several addresses give the first, as Redis's bind does.
bool resolve(const TcpListenOptions& options, Address* address) {
  std::string host = options.host;
  if (host == "*") host = "0.0.0.0";
  if (host == "::*") host = "::";
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0 || found == nullptr) return false;
  memcpy(&address->bytes, found->ai_addr, found->ai_addrlen);
  address->length = found->ai_addrlen;
  freeaddrinfo(found);
  address->set_port(options.port);
  return true;
}

// The first of several binds without SO_REUSEPORT, so that another server's socket on this port is
// a conflict although it shares the port among its own; the option is set afterwards to let ours
// join.
// -1 with errno.
int bind_tcp(const Address& address, bool first, bool shared) {
  const int family = address.get()->sa_family;
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  bool fine = set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  if (family == AF_INET6) fine = fine && set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
  if (!first) fine = fine && set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1);
  fine = fine && bind(fd, address.get(), address.length) == 0;
  if (first && shared) fine = fine && set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1);
  if (fine) return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

void fail(const TcpListenOptions& options, const char* what, int error, TcpListeners* result) {
  for (int fd : result->fds) close(fd);
  result->fds.clear();
  result->error = error;
  result->message = std::string(what) + " " + options.host + ":" + std::to_string(options.port) +
                    ": " + strerror(error);
}

Address address_of(int fd, int (*get)(int, sockaddr*, socklen_t*)) {
  Address address;
  if (get(fd, address.get(), &address.length) != 0) address.bytes.ss_family = AF_UNSPEC;
  return address;
}

bool unix_address(const std::string& path, sockaddr_un* address) {
  *address = {};
  address->sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address->sun_path) return false;
  memcpy(address->sun_path, path.data(), path.size());
  return true;
}

int connect_unix_with(const std::string& path, int type_flags) {
  sockaddr_un address;
  if (!unix_address(path, &address)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | type_flags, 0);
  if (fd < 0) return -1;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

// 0, or why the path cannot be taken.
int remove_stale_socket(const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return errno == ENOENT ? 0 : errno;
  if (!S_ISSOCK(info.st_mode)) return EEXIST;
  const int fd = connect_unix_with(path, SOCK_NONBLOCK);
  if (fd >= 0) {
    close(fd);
    return EADDRINUSE;
  }
  if (errno == EAGAIN) return EADDRINUSE;  // somebody listens and is busy
  if (errno != ECONNREFUSED && errno != ENOENT) return errno;
  return unlink(path.c_str()) == 0 || errno == ENOENT ? 0 : errno;
}

}  // namespace

TcpListeners listen_tcp(const TcpListenOptions& options) {
  TcpListeners result;
  Address address;
  if (!resolve(options, &address)) {
    fail(options, "cannot resolve", EADDRNOTAVAIL, &result);
    return result;
  }
  const int count = std::max(1, options.listeners);
  for (int i = 0; i < count; ++i) {
    const int fd = bind_tcp(address, i == 0, count > 1);
    if (fd < 0) {
      fail(options, "cannot bind", errno, &result);
      return result;
    }
    result.fds.push_back(fd);
    if (i == 0) {
      result.port = local_port(fd);
      address.set_port(result.port);
    }
  }
  // All are bound before any listens: connections spread over the whole group from the first on.
  for (int fd : result.fds) {
    configure_tcp(fd, options.keepalive_seconds);
    if (listen(fd, options.backlog) == 0) continue;
    fail(options, "cannot listen on", errno, &result);
    return result;
  }
  return result;
}

UnixListener listen_unix(const std::string& path, unsigned mode, int backlog) {
  UnixListener result;
  auto failed = [&](const char* what, int error) {
    if (result.fd >= 0) close(result.fd);
    result.fd = -1;
    result.error = error;
    result.message = std::string(what) + " " + path + ": " + strerror(error);
    return result;
  };
  sockaddr_un address;
  if (!unix_address(path, &address)) return failed("cannot use the path", ENAMETOOLONG);
  const int stale = remove_stale_socket(path);
  if (stale != 0) return failed("cannot replace", stale);
  result.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (result.fd < 0) return failed("cannot create a socket for", errno);
  if (bind(result.fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return failed("cannot bind", errno);
  }
  // Before listen(): nobody can connect until the permissions are right.
  if (mode != 0 && chmod(path.c_str(), mode) != 0) return failed("cannot chmod", errno);
  if (listen(result.fd, backlog) != 0) return failed("cannot listen on", errno);
  return result;
}

int duplicate_listener(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 0); }

bool configure_tcp(int fd, int keepalive_seconds) {
  bool fine = set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  fine &= set_option(fd, SOL_SOCKET, SO_KEEPALIVE, keepalive_seconds > 0 ? 1 : 0);
  if (keepalive_seconds <= 0) return fine;
  // Three probes in the time of one interval, so a dead peer is found after twice that time.
  constexpr int kProbes = 3;
  fine &= set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, keepalive_seconds);
  fine &= set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, std::max(1, keepalive_seconds / kProbes));
  fine &= set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  return fine;
}

std::string peer_address(int fd) { return address_of(fd, getpeername).text(); }

std::string local_address(int fd) { return address_of(fd, getsockname).text(); }

uint16_t local_port(int fd) { return address_of(fd, getsockname).port(); }

bool peer_is_loopback(int fd) {
  const Address address = address_of(fd, getpeername);
  constexpr uint32_t kLoopbackNet = 127;
  switch (address.bytes.ss_family) {
    case AF_UNIX:
      return true;
    case AF_INET:
      return ntohl(address.v4().sin_addr.s_addr) >> 24 == kLoopbackNet;
    case AF_INET6: {
      const in6_addr& ip = address.v6().sin6_addr;
      if (IN6_IS_ADDR_LOOPBACK(&ip)) return true;
      return IN6_IS_ADDR_V4MAPPED(&ip) && ip.s6_addr[12] == kLoopbackNet;
    }
    default:
      return false;
  }
}

int connect_tcp(const std::string& ip, uint16_t port) {
  TcpListenOptions target;
  target.host = ip;
  target.port = port;
  Address address;
  if (!resolve(target, &address)) {
    errno = EADDRNOTAVAIL;
    return -1;
  }
  const int fd = socket(address.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  if (connect(fd, address.get(), address.length) == 0) return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

int connect_unix(const std::string& path) { return connect_unix_with(path, 0); }

}  // namespace moon::io
