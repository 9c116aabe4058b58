// An in-process client: one server.call() or server.pipeline() of the Node API. Its commands come
// as RESP bytes from another thread, the replies go back the same way; in between it is a client
// like any other, which lives as long as the call: SELECT, MULTI and WATCH end with it.
// Home thread only, but for the making of the LocalCall.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/command_stream.h"

namespace moon::net {

// Some commands, encoded, and what to do with their replies.
struct LocalCall {
  std::vector<char> request;
  // Called once, on the home thread, with all replies (RESP3 bytes, in order), or with an error
  // when the session ended before they were complete.
  std::function<void(const char* error, std::string replies)> done;
};

class LocalSession final : public CommandStream {
 public:
  LocalSession(uint64_t client_id, Network& network, std::unique_ptr<LocalCall> call);

  void start();
  void close_now() override;

 private:
  void on_output() override {}
  void on_unparked_while_closing() override;
  void on_resumed() override;
  void settle();
  void finish(const char* error);

  std::unique_ptr<LocalCall> call_;
};

}  // namespace moon::net
