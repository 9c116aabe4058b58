#include "io/sockets.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <set>

namespace moon::io {
namespace {

int option(int fd, int level, int name) {
  int value = -1;
  socklen_t bytes = sizeof value;
  getsockopt(fd, level, name, &value, &bytes);
  return value;
}

std::string temporary_path(const char* name) {
  return testing::TempDir() + "/moon-" + std::to_string(getpid()) + "-" + name;
}

void close_all(const TcpListeners& listeners) {
  for (int fd : listeners.fds) close(fd);
}

TEST(ListenTcp, PortZeroReportsThePort) {
  const TcpListeners listeners = listen_tcp({});
  ASSERT_EQ(listeners.fds.size(), 1u) << listeners.message;
  EXPECT_GT(listeners.port, 0);
  EXPECT_EQ(local_address(listeners.fds[0]), "127.0.0.1:" + std::to_string(listeners.port));
  EXPECT_EQ(local_port(listeners.fds[0]), listeners.port);
  close_all(listeners);
}

TEST(ListenTcp, GroupSharesThePortAndAllReceive) {
  TcpListenOptions options;
  options.listeners = 4;
  const TcpListeners group = listen_tcp(options);
  ASSERT_EQ(group.fds.size(), 4u) << group.message;
  std::vector<int> clients;
  for (int i = 0; i < 64; ++i) clients.push_back(connect_tcp("127.0.0.1", group.port));
  size_t accepted = 0;
  size_t used = 0;
  for (int fd : group.fds) {
    size_t here = 0;
    for (int got; (got = accept4(fd, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; ++here) {
      close(got);
      timeval soon = {0, 1000};
      setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
      if (here == 63) break;
    }
    accepted += here;
    used += here > 0 ? 1 : 0;
  }
  EXPECT_EQ(accepted, clients.size());
  EXPECT_GT(used, 1u);
  for (int fd : clients) close(fd);
  close_all(group);
}

TEST(ListenTcp, PortInUseIsRefusedEvenIfShared) {
  TcpListenOptions options;
  options.listeners = 2;
  const TcpListeners first = listen_tcp(options);
  ASSERT_EQ(first.fds.size(), 2u) << first.message;
  options.port = first.port;
  const TcpListeners second = listen_tcp(options);
  EXPECT_TRUE(second.fds.empty());
  EXPECT_EQ(second.error, EADDRINUSE);
  EXPECT_NE(second.message.find("127.0.0.1:" + std::to_string(first.port)), std::string::npos);
  options.listeners = 1;
  EXPECT_EQ(listen_tcp(options).error, EADDRINUSE);
  close_all(first);
  const TcpListeners third = listen_tcp(options);
  EXPECT_EQ(third.fds.size(), 1u) << "free again: " << third.message;
  close_all(third);
}

TEST(ListenTcp, AcceptedSocketsInheritOptions) {
  TcpListenOptions options;
  options.keepalive_seconds = 60;
  const TcpListeners listeners = listen_tcp(options);
  const int client = connect_tcp("127.0.0.1", listeners.port);
  const int fd = accept4(listeners.fds[0], nullptr, nullptr, SOCK_CLOEXEC);
  EXPECT_EQ(option(fd, IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(option(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(fd, IPPROTO_TCP, TCP_KEEPIDLE), 60);
  EXPECT_EQ(option(fd, IPPROTO_TCP, TCP_KEEPINTVL), 20);
  EXPECT_TRUE(configure_tcp(fd, 0));
  EXPECT_EQ(option(fd, SOL_SOCKET, SO_KEEPALIVE), 0);
  EXPECT_EQ(peer_address(fd), local_address(client));
  EXPECT_TRUE(peer_is_loopback(fd));
  close(fd);
  close(client);
  close_all(listeners);
}

TEST(ListenTcp, Ipv6) {
  TcpListenOptions options;
  options.host = "::1";
  const TcpListeners listeners = listen_tcp(options);
  if (listeners.error == EADDRNOTAVAIL || listeners.error == EAFNOSUPPORT) {
    GTEST_SKIP() << "no IPv6 here";
  }
  ASSERT_EQ(listeners.fds.size(), 1u) << listeners.message;
  EXPECT_EQ(local_address(listeners.fds[0]), "[::1]:" + std::to_string(listeners.port));
  const int client = connect_tcp("::1", listeners.port);
  EXPECT_TRUE(peer_is_loopback(client));
  close(client);
  close_all(listeners);
}

TEST(ListenTcp, BadHostSaysSo) {
  TcpListenOptions options;
  options.host = "no.such.host.invalid";
  const TcpListeners unknown = listen_tcp(options);
  EXPECT_EQ(unknown.error, EADDRNOTAVAIL);
  EXPECT_NE(unknown.message.find(options.host), std::string::npos);
  options.host = "192.0.2.1";  // reserved for documentation: not ours
  EXPECT_EQ(listen_tcp(options).error, EADDRNOTAVAIL);
}

TEST(ListenUnix, PermissionsAndAddresses) {
  const std::string path = temporary_path("perm");
  const UnixListener listener = listen_unix(path, 0700, 5);
  ASSERT_GE(listener.fd, 0) << listener.message;
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  const int client = connect_unix(path);
  const int second = duplicate_listener(listener.fd);
  close(listener.fd);
  const int fd = accept4(second, nullptr, nullptr, SOCK_CLOEXEC);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(peer_address(fd), "");
  EXPECT_TRUE(peer_is_loopback(fd));
  close(fd);
  close(client);
  close(second);
  unlink(path.c_str());
}

TEST(ListenUnix, StaleSocketIsReplacedLiveOneAndFileAreNot) {
  const std::string path = temporary_path("stale");
  UnixListener first = listen_unix(path, 0, 5);
  ASSERT_GE(first.fd, 0) << first.message;
  EXPECT_EQ(listen_unix(path, 0, 5).error, EADDRINUSE);
  close(first.fd);
  const UnixListener second = listen_unix(path, 0, 5);
  EXPECT_GE(second.fd, 0) << second.message;
  close(second.fd);
  unlink(path.c_str());

  std::ofstream(path) << "data";
  EXPECT_EQ(listen_unix(path, 0, 5).error, EEXIST);
  struct stat info;
  EXPECT_EQ(stat(path.c_str(), &info), 0) << "the file must survive";
  unlink(path.c_str());
  EXPECT_EQ(listen_unix(std::string(200, 'x'), 0, 5).error, ENAMETOOLONG);
}

}  // namespace
}  // namespace moon::io
