#include "io/reactor.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/sockets.h"

namespace moon::io {
namespace {

// What a stream saw, and what it does about it.
class TestStream : public Stream {
 public:
  TestStream(Reactor& reactor, int fd) : Stream(fd), reactor_(reactor) { reactor.attach(*this); }
  ~TestStream() { EXPECT_TRUE(detached); }

  void on_receive(std::span<char> bytes) override {
    EXPECT_FALSE(is_paused());
    EXPECT_FALSE(ended);
    EXPECT_FALSE(close_called);
    received.append(bytes.data(), bytes.size());
    if (receive_hook) receive_hook(*this);
    if (echo) flush();
  }
  void on_end(int error) override {
    EXPECT_FALSE(ended);
    EXPECT_FALSE(is_paused());
    ended = true;
    end_error = error;
    if (close_at_end) close();
  }
  void on_sent(ssize_t result) override {
    EXPECT_FALSE(close_called);
    sent.push_back(result);
    in_flight.clear();
    if (echo) flush();
  }
  void on_detached() override {
    EXPECT_FALSE(detached);
    detached = true;
  }

  void flush() {
    if (is_sending() || is_closing() || received.empty()) return;
    in_flight = std::exchange(received, "");
    reactor_.send(*this, in_flight.data(), in_flight.size());
  }
  void close() {
    close_called = true;
    reactor_.close(*this);
  }

  std::string received, in_flight;
  std::vector<ssize_t> sent;
  std::function<void(TestStream&)> receive_hook;
  bool echo = false;
  bool close_at_end = false;
  bool close_called = false;
  bool ended = false;
  bool detached = false;
  int end_error = -1;

 private:
  Reactor& reactor_;
};

class TestAcceptor : public Acceptor {
 public:
  explicit TestAcceptor(Reactor& reactor) : reactor_(reactor) {}
  void on_accept(int fd) override {
    streams.push_back(std::make_unique<TestStream>(reactor_, fd));
    streams.back()->echo = true;
    streams.back()->close_at_end = true;
  }
  void on_accept_error(int error) override { errors.push_back(error); }
  void on_unlistened() override { unlistened = true; }

  std::vector<std::unique_ptr<TestStream>> streams;
  std::vector<int> errors;
  bool unlistened = false;

 private:
  Reactor& reactor_;
};

struct DriverCase {
  const char* name;
  Driver driver;
  bool defer_task_work;
  uint32_t busy_poll_us;
};

class ReactorTest : public testing::TestWithParam<DriverCase> {
 protected:
  void SetUp() override {
    ReactorOptions options;
    make(options);
  }

  void make(ReactorOptions options) {
    options.defer_task_work = GetParam().defer_task_work;
    options.busy_poll_us = GetParam().busy_poll_us;
    std::string why;
    reactor = Reactor::create(GetParam().driver, options, &why);
    ASSERT_NE(reactor, nullptr) << why;
    EXPECT_EQ(why, "");
    EXPECT_EQ(reactor->driver(), GetParam().driver);
  }

  // Turns until the condition holds. Waits are short: the peer is played by the same thread.
  bool until(const std::function<bool()>& done, int64_t limit_us = 5'000'000) {
    const int64_t stop_us = Reactor::clock_us() + limit_us;
    while (!done()) {
      if (Reactor::clock_us() > stop_us) return false;
      reactor->turn(2000);
    }
    return true;
  }

  void close(TestStream& stream) {
    if (!stream.close_called) stream.close();
    EXPECT_TRUE(until([&] { return stream.detached; }));
  }

  struct Pair {
    std::unique_ptr<TestStream> stream;
    int peer;
  };
  Pair make_pair() {
    int fds[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    return {std::make_unique<TestStream>(*reactor, fds[0]), fds[1]};
  }

  static void write_all(int fd, const std::string& text) {
    for (size_t done = 0; done < text.size();) {
      const ssize_t count = write(fd, text.data() + done, text.size() - done);
      ASSERT_GT(count, 0) << strerror(errno);
      done += static_cast<size_t>(count);
    }
  }
  // What the peer can read now.
  static std::string read_some(int fd) {
    static char buffer[1 << 18];
    const ssize_t count = recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
    return std::string(buffer, count > 0 ? static_cast<size_t>(count) : 0);
  }
  static std::string pattern(size_t bytes) {
    std::string text(bytes, '\0');
    uint32_t state = 1;
    for (char& byte : text) {
      state = state * 1664525 + 1013904223;
      byte = static_cast<char>(state >> 24);
    }
    return text;
  }

  std::unique_ptr<Reactor> reactor;
};

TEST_P(ReactorTest, EchoesOverTcp) {
  TestAcceptor acceptor(*reactor);
  TcpListenOptions options;
  const TcpListeners listeners = listen_tcp(options);
  ASSERT_EQ(listeners.fds.size(), 1u) << listeners.message;
  reactor->listen(listeners.fds[0], acceptor);
  const int client = connect_tcp("127.0.0.1", listeners.port);
  ASSERT_GE(client, 0);
  write_all(client, "hello");
  std::string answer;
  EXPECT_TRUE(until([&] { return (answer += read_some(client)).size() >= 5; }));
  EXPECT_EQ(answer, "hello");
  EXPECT_EQ(peer_address(acceptor.streams[0]->fd()), local_address(client));
  ::close(client);
  EXPECT_TRUE(until([&] { return acceptor.streams[0]->detached; }));
  EXPECT_EQ(acceptor.streams[0]->end_error, 0);
  reactor->unlisten(acceptor);
  EXPECT_TRUE(until([&] { return acceptor.unlistened; }));
  EXPECT_EQ(connect_tcp("127.0.0.1", listeners.port), -1);
}

TEST_P(ReactorTest, EchoesOverUnixSocket) {
  const std::string path = testing::TempDir() + "/moon-reactor-" + std::to_string(getpid());
  const UnixListener listener = listen_unix(path, 0600, 16);
  ASSERT_GE(listener.fd, 0) << listener.message;
  TestAcceptor acceptor(*reactor);
  reactor->listen(listener.fd, acceptor);
  const int client = connect_unix(path);
  ASSERT_GE(client, 0);
  write_all(client, "hello");
  std::string answer;
  EXPECT_TRUE(until([&] { return (answer += read_some(client)).size() >= 5; }));
  ::close(client);
  EXPECT_TRUE(until([&] { return acceptor.streams[0]->detached; }));
  reactor->unlisten(acceptor);
  EXPECT_TRUE(until([&] { return acceptor.unlistened; }));
  unlink(path.c_str());
}

TEST_P(ReactorTest, OneTurnServesOneRequest) {
  Pair pair = make_pair();
  pair.stream->echo = true;
  reactor->turn(0);
  const uint64_t before = reactor->stats().system_calls;
  constexpr int kRequests = 100;
  for (int i = 0; i < kRequests; ++i) {
    write_all(pair.peer, "ping");
    std::string answer;
    ASSERT_TRUE(until([&] {
      // The echo is queued in the turn that received; io_uring hands it over in the next.
      if (pair.stream->is_sending()) reactor->turn(0);
      return (answer += read_some(pair.peer)).size() == 4;
    }));
  }
  const uint64_t calls = reactor->stats().system_calls - before;
  EXPECT_LE(calls, GetParam().driver == Driver::kUring ? 2u * kRequests + 5 : 5u * kRequests);
  EXPECT_EQ(pair.stream->sent.size() + (pair.stream->is_sending() ? 1 : 0), size_t{kRequests});
  close(*pair.stream);
  ::close(pair.peer);
}

TEST_P(ReactorTest, BigTransferBothWays) {
  Pair pair = make_pair();
  const std::string data = pattern(8 << 20);
  reactor->send(*pair.stream, data.data(), data.size());
  EXPECT_TRUE(pair.stream->is_sending());
  std::string there;
  size_t written = 0;
  EXPECT_TRUE(until([&] {
    if (written < data.size()) {
      const ssize_t count = ::send(pair.peer, data.data() + written,
                                   std::min<size_t>(100'000, data.size() - written), MSG_DONTWAIT);
      if (count > 0) written += static_cast<size_t>(count);
    }
    there += read_some(pair.peer);
    return there.size() == data.size() && pair.stream->received.size() == data.size();
  }, 20'000'000));
  EXPECT_TRUE(until([&] { return !pair.stream->sent.empty(); }));
  EXPECT_EQ(pair.stream->sent, std::vector<ssize_t>{static_cast<ssize_t>(data.size())});
  EXPECT_TRUE(there == data);
  EXPECT_TRUE(pair.stream->received == data);
  close(*pair.stream);
  ::close(pair.peer);
}

TEST_P(ReactorTest, GatheredSendOfManyRanges) {
  Pair pair = make_pair();
  const std::string data = pattern(600'000);
  std::vector<iovec> ranges;  // more than one system call takes
  for (size_t at = 0; at < data.size(); at += 200) {
    const size_t bytes = std::min<size_t>(200, data.size() - at);
    ranges.push_back({const_cast<char*>(data.data()) + at, bytes});
  }
  ranges.insert(ranges.begin() + 7, iovec{nullptr, 0});
  reactor->send(*pair.stream, ranges);
  ranges.assign(ranges.size(), iovec{nullptr, 77});  // the array is the caller's again
  std::string there;
  EXPECT_TRUE(until([&] { return (there += read_some(pair.peer)).size() == data.size(); }));
  EXPECT_TRUE(there == data);
  EXPECT_TRUE(until([&] { return pair.stream->sent.size() == 1; }));
  EXPECT_EQ(pair.stream->sent[0], static_cast<ssize_t>(data.size()));
  close(*pair.stream);
  ::close(pair.peer);
}

TEST_P(ReactorTest, PauseHoldsBytesAndEndInOrder) {
  Pair pair = make_pair();
  TestStream& stream = *pair.stream;
  stream.receive_hook = [&](TestStream& self) { reactor->pause_receive(self); };
  write_all(pair.peer, "one");
  EXPECT_TRUE(until([&] { return stream.received == "one"; }));
  write_all(pair.peer, "two");
  for (int i = 0; i < 5; ++i) reactor->turn(1000);
  write_all(pair.peer, "three");
  ::close(pair.peer);
  for (int i = 0; i < 5; ++i) reactor->turn(1000);
  EXPECT_EQ(stream.received, "one");
  EXPECT_FALSE(stream.ended);
  EXPECT_TRUE(until([&] {
    if (stream.is_paused()) reactor->resume_receive(stream);
    return stream.ended;
  }));
  EXPECT_EQ(stream.received, "onetwothree");
  close(stream);
}

TEST_P(ReactorTest, PauseResumeUnderLoadKeepsOrder) {
  Pair pair = make_pair();
  const std::string data = pattern(4 << 20);
  size_t written = 0;
  uint32_t dice = 7;
  TestStream& stream = *pair.stream;
  stream.receive_hook = [&](TestStream& self) {
    dice = dice * 1664525 + 1013904223;
    if ((dice >> 28) < 6) reactor->pause_receive(self);
    if ((dice >> 28) == 3) reactor->resume_receive(self);
  };
  EXPECT_TRUE(until([&] {
    if (written < data.size()) {
      const ssize_t count = ::send(pair.peer, data.data() + written,
                                   std::min<size_t>(50'000, data.size() - written), MSG_DONTWAIT);
      if (count > 0) written += static_cast<size_t>(count);
    }
    dice = dice * 1664525 + 1013904223;
    if ((dice >> 30) == 1) reactor->pause_receive(stream);
    if ((dice >> 30) >= 2) reactor->resume_receive(stream);
    reactor->turn(0);
    return stream.received.size() == data.size();
  }, 20'000'000));
  EXPECT_TRUE(stream.received == data);
  close(stream);
  ::close(pair.peer);
}

TEST_P(ReactorTest, CloseWhileSendWaitsForPeer) {
  Pair pair = make_pair();
  const std::string data = pattern(4 << 20);
  reactor->send(*pair.stream, data.data(), data.size());
  for (int i = 0; i < 5; ++i) reactor->turn(1000);
  EXPECT_TRUE(pair.stream->sent.empty());
  close(*pair.stream);
  EXPECT_TRUE(pair.stream->sent.empty());
  size_t there = 0;
  for (std::string text; !(text = read_some(pair.peer)).empty();) there += text.size();
  EXPECT_LT(there, data.size());
  char byte;
  EXPECT_EQ(recv(pair.peer, &byte, 1, MSG_DONTWAIT), 0) << "the descriptor must be closed";
  ::close(pair.peer);
}

TEST_P(ReactorTest, CloseRightAfterSendDeliversIt) {
  Pair pair = make_pair();
  reactor->send(*pair.stream, "bye", 3);
  close(*pair.stream);
  EXPECT_EQ(read_some(pair.peer), "bye");
  EXPECT_TRUE(pair.stream->sent.empty());
  ::close(pair.peer);
}

TEST_P(ReactorTest, CloseFromInsideReceive) {
  Pair pair = make_pair();
  pair.stream->receive_hook = [](TestStream& self) { self.close(); };
  write_all(pair.peer, "x");
  EXPECT_TRUE(until([&] { return pair.stream->detached; }));
  ::close(pair.peer);
}

TEST_P(ReactorTest, CallbackMayCloseAnotherStreamWithEventsPending) {
  std::vector<Pair> pairs;
  for (int i = 0; i < 8; ++i) pairs.push_back(make_pair());
  reactor->turn(0);
  for (Pair& pair : pairs) {
    pair.stream->receive_hook = [&](TestStream& self) {
      for (Pair& other : pairs) {
        if (other.stream.get() != &self && !other.stream->close_called) other.stream->close();
      }
    };
  }
  for (Pair& pair : pairs) write_all(pair.peer, "x");
  size_t alive = 0;
  EXPECT_TRUE(until([&] {
    alive = 0;
    for (Pair& pair : pairs) alive += pair.stream->detached ? 0 : 1;
    return alive == 1;
  }));
  for (Pair& pair : pairs) {
    close(*pair.stream);
    ::close(pair.peer);
  }
}

TEST_P(ReactorTest, SendToGonePeerFails) {
  Pair pair = make_pair();
  ::close(pair.peer);
  reactor->send(*pair.stream, "x", 1);
  EXPECT_TRUE(until([&] { return !pair.stream->sent.empty() && pair.stream->ended; }));
  EXPECT_EQ(pair.stream->sent, std::vector<ssize_t>{-EPIPE});
  close(*pair.stream);
}

TEST_P(ReactorTest, HalfClosedPeerStillGetsItsAnswer) {
  Pair pair = make_pair();
  pair.stream->echo = true;
  write_all(pair.peer, "question");
  shutdown(pair.peer, SHUT_WR);
  std::string answer;
  EXPECT_TRUE(until([&] {
    answer += read_some(pair.peer);
    return answer == "question" && pair.stream->ended;
  }));
  close(*pair.stream);
  ::close(pair.peer);
}

TEST_P(ReactorTest, ResetByPeerIsReported) {
  TestAcceptor acceptor(*reactor);
  const TcpListeners listeners = listen_tcp({});
  reactor->listen(listeners.fds[0], acceptor);
  const int client = connect_tcp("127.0.0.1", listeners.port);
  EXPECT_TRUE(until([&] { return acceptor.streams.size() == 1; }));
  const linger hard = {1, 0};
  setsockopt(client, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  ::close(client);
  EXPECT_TRUE(until([&] { return acceptor.streams[0]->detached; }));
  EXPECT_EQ(acceptor.streams[0]->end_error, ECONNRESET);
  reactor->unlisten(acceptor);
  EXPECT_TRUE(until([&] { return acceptor.unlistened; }));
}

TEST_P(ReactorTest, ThousandConnections) {
  constexpr size_t kConnections = 1000;
  rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < 2 * kConnections + 100) {
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 2 * kConnections + 100);
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur < 2 * kConnections + 100) GTEST_SKIP() << "too few descriptors";
  ReactorOptions options;
  options.completion_entries = 256;  // overflows
  options.submission_entries = 64;   // fills up in every turn
  make(options);
  TestAcceptor acceptor(*reactor);
  const TcpListeners listeners = listen_tcp({});
  reactor->listen(listeners.fds[0], acceptor);
  std::vector<int> clients;
  while (clients.size() < kConnections) {
    clients.push_back(connect_tcp("127.0.0.1", listeners.port));
    ASSERT_GE(clients.back(), 0) << strerror(errno);
    if (clients.size() % 100 == 0) {
      EXPECT_TRUE(until([&] { return acceptor.streams.size() == clients.size(); }));
    }
  }
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < clients.size(); ++i) write_all(clients[i], std::to_string(i) + ";");
    std::vector<std::string> answers(clients.size());
    EXPECT_TRUE(until([&] {
      reactor->turn(0);
      size_t done = 0;
      for (size_t i = 0; i < clients.size(); ++i) {
        if (answers[i].empty() || answers[i].back() != ';') answers[i] += read_some(clients[i]);
        done += answers[i] == std::to_string(i) + ";" ? 1 : 0;
      }
      return done == clients.size();
    }, 20'000'000));
    reactor->trim();
  }
  for (int fd : clients) ::close(fd);
  EXPECT_TRUE(until([&] {
    for (auto& stream : acceptor.streams) {
      if (!stream->detached) return false;
    }
    return true;
  }));
  reactor->unlisten(acceptor);
  EXPECT_TRUE(until([&] { return acceptor.unlistened; }));
}

TEST_P(ReactorTest, StarvedReceiveBuffersLoseNothing) {
  ReactorOptions options;
  options.buffers_initial = 1;
  options.buffers_max = 2;
  options.buffer_bytes = 64;
  options.epoll_receive_bytes = 4096;
  make(options);
  std::vector<Pair> pairs;
  for (int i = 0; i < 40; ++i) pairs.push_back(make_pair());
  const std::string data = pattern(5000);
  for (Pair& pair : pairs) write_all(pair.peer, data);
  EXPECT_TRUE(until([&] {
    for (Pair& pair : pairs) {
      if (pair.stream->received.size() < data.size()) return false;
    }
    return true;
  }, 20'000'000));
  for (Pair& pair : pairs) {
    EXPECT_TRUE(pair.stream->received == data);
    close(*pair.stream);
    ::close(pair.peer);
  }
  EXPECT_EQ(reactor->stats().buffers_exhausted > 0, GetParam().driver == Driver::kUring);
}

// Requests of many clients come in pieces; none may wait for a crowd that does not come.
TEST_P(ReactorTest, GatheringDelaysNobodyForLong) {
  std::vector<Pair> pairs;
  for (int i = 0; i < 64; ++i) pairs.push_back(make_pair());
  for (int round = 0; round < 20; ++round) {
    const size_t talking = round % 2 == 0 ? pairs.size() : 1;
    for (size_t i = 0; i < talking; ++i) write_all(pairs[i].peer, "x");
    size_t seen = 0;
    const int64_t start_us = Reactor::clock_us();
    while (seen < talking) {
      reactor->turn(3'000'000);
      seen = 0;
      for (Pair& pair : pairs) seen += pair.stream->received.size();
    }
    EXPECT_LT(Reactor::clock_us() - start_us, 1'000'000);
    for (Pair& pair : pairs) pair.stream->received.clear();
  }
  for (Pair& pair : pairs) {
    close(*pair.stream);
    ::close(pair.peer);
  }
}

TEST_P(ReactorTest, TrimKeepsServing) {
  Pair pair = make_pair();
  for (int round = 0; round < 3; ++round) {
    const std::string data = pattern(200'000 + static_cast<size_t>(round));
    pair.stream->received.clear();
    size_t written = 0;
    EXPECT_TRUE(until([&] {
      const ssize_t count = ::send(pair.peer, data.data() + written, data.size() - written,
                                   MSG_DONTWAIT);
      if (count > 0) written += static_cast<size_t>(count);
      return pair.stream->received.size() == data.size();
    }));
    EXPECT_TRUE(pair.stream->received == data);
    reactor->trim();
    reactor->trim();
  }
  close(*pair.stream);
  ::close(pair.peer);
}

TEST_P(ReactorTest, AcceptRecoversFromDescriptorLimit) {
  TestAcceptor acceptor(*reactor);
  const TcpListeners listeners = listen_tcp({});
  reactor->listen(listeners.fds[0], acceptor);
  const int client = connect_tcp("127.0.0.1", listeners.port);
  // Before the first turn: io_uring takes the limit when the accept is submitted.
  rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  const int next = dup(client);
  ::close(next);
  const rlimit tight = {static_cast<rlim_t>(next), before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &tight);
  EXPECT_TRUE(until([&] { return acceptor.errors.size() == 2; }));
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(acceptor.errors, (std::vector<int>{EMFILE, EMFILE}));
  EXPECT_TRUE(until([&] { return !acceptor.streams.empty(); }));
  ::close(client);
  EXPECT_TRUE(until([&] {
    for (auto& stream : acceptor.streams) {
      if (!stream->detached) return false;
    }
    return true;
  }));
  reactor->unlisten(acceptor);
  EXPECT_TRUE(until([&] { return acceptor.unlistened; }));
}

TEST_P(ReactorTest, UnlistenInsideAccept) {
  class Once : public Acceptor {
   public:
    explicit Once(Reactor& reactor) : reactor_(reactor) {}
    void on_accept(int fd) override {
      ++accepted;
      ::close(fd);
      reactor_.unlisten(*this);
    }
    void on_accept_error(int) override {}
    void on_unlistened() override { unlistened = true; }
    int accepted = 0;
    bool unlistened = false;

   private:
    Reactor& reactor_;
  };
  Once once(*reactor);
  const TcpListeners listeners = listen_tcp({});
  reactor->listen(listeners.fds[0], once);
  const int first = connect_tcp("127.0.0.1", listeners.port);
  const int second = connect_tcp("127.0.0.1", listeners.port);
  EXPECT_TRUE(until([&] { return once.unlistened; }));
  EXPECT_EQ(once.accepted, 1);
  ::close(first);
  ::close(second);
}

struct TestTimer : Timer {
  void on_timer(int64_t now_us) override {
    fired_at.push_back(now_us);
    if (hook) hook();
  }
  std::vector<int64_t> fired_at;
  std::function<void()> hook;
};

TEST_P(ReactorTest, TimersBoundTheSleep) {
  TestTimer timer, later;
  const int64_t start_us = Reactor::clock_us();
  reactor->arm_timer_after(later, 60'000'000);
  reactor->arm_timer_after(timer, 20'000);
  while (timer.fired_at.empty()) reactor->turn(-1);
  const int64_t took_us = Reactor::clock_us() - start_us;
  EXPECT_GE(took_us, 20'000);
  EXPECT_LT(took_us, 2'000'000);
  reactor->cancel_timer(later);
  EXPECT_LE(reactor->stats().turns, 3u);
}

TEST_P(ReactorTest, IdleReactorSleeps) {
  const uint64_t before = reactor->stats().turns;
  TestTimer timer;
  reactor->arm_timer_after(timer, 300'000);
  while (timer.fired_at.empty()) reactor->turn(-1);
  EXPECT_LE(reactor->stats().turns - before, 3u);
}

TEST_P(ReactorTest, TurnWithoutWaitReturnsAtOnce) {
  const int64_t start_us = Reactor::clock_us();
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(reactor->turn(0));
  EXPECT_LT(Reactor::clock_us() - start_us, 1'000'000);
}

INSTANTIATE_TEST_SUITE_P(
    Drivers, ReactorTest,
    testing::Values(DriverCase{"io_uring", Driver::kUring, true, 0},
                    DriverCase{"io_uring_without_defer", Driver::kUring, false, 0},
                    DriverCase{"io_uring_busy_poll", Driver::kUring, true, 50},
                    DriverCase{"epoll", Driver::kEpoll, true, 0},
                    DriverCase{"epoll_busy_poll", Driver::kEpoll, true, 50}),
    [](const testing::TestParamInfo<DriverCase>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace moon::io
