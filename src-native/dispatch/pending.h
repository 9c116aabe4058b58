// A command that waits for tokens: what execute() had in hand, kept until another thread (or this
// one, later) has run it. Made on the client's home thread, run on the executor, finished at home.
#pragma once

#include <string_view>
#include <vector>

#include "dispatch/dispatcher.h"
#include "resp/out_buffer.h"
#include "shard/task.h"
#include "store/key.h"

namespace moon::dispatch {

struct PendingCommand : shard::Task {
  Session* session = nullptr;
  Engine* engine = nullptr;
  const CommandRow* row = nullptr;
  std::vector<std::string_view> args;
  std::vector<store::KeyRef> keys;
  std::unique_ptr<resp::OutBuffer> output;  // filled by the executor, from its chunk pool

  static void run_on_executor(shard::Task& task, shard::Shard& executor);
  static void finish_at_home(shard::Task& task, shard::Shard& home);
};

}  // namespace moon::dispatch
