// An operation that could not have all its tokens at once, on its way through them. It belongs to
// a client that is parked meanwhile.
//
// Life: submit() on the home thread -> posted through the mesh to the executor (the owner of the
// busy slice) -> the executor takes the tokens in ascending slice order, waiting in the queue of
// each busy one without blocking its thread -> run() with all tokens held -> tokens released ->
// back through the mesh -> finish() on the home thread.
//
// Invariants:
// (1) a task waits in at most one token queue at a time, and holds only lower slices then: a
//     cycle of waiting tasks is impossible;
// (2) between submit() and finish() only the executor touches the task.
#pragma once

#include "shard/slice_set.h"
#include "store/token.h"

namespace moon::shard {

class Shard;

struct Task : store::TokenWaiter {
  SliceSet slices;
  uint32_t next_slice = 0;  // tokens of members below this are held
  Shard* home = nullptr;
  Shard* executor = nullptr;
  void (*run)(Task& task, Shard& executor) = nullptr;
  void (*finish)(Task& task, Shard& home) = nullptr;
};

}  // namespace moon::shard
