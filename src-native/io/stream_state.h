// Private to the two drivers: what hangs off a Stream while it is being paused or sent to.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <vector>

namespace moon::io {

inline constexpr size_t kSendRangesMax = IOV_MAX;  // per system call; longer lists go in pieces
inline constexpr size_t kSendBytesMax = size_t{1} << 30;    // per system call, likewise
inline constexpr size_t kBatchPoolMax = 64;
inline constexpr size_t kBatchRangesKept = 256;  // a longer list returns its memory

// A gathered send in flight. The ranges before `first` are sent, the one at `first` is trimmed to
// what is left of it.
struct SendBatch {
  std::vector<iovec> ranges;
  size_t first = 0;
  msghdr header = {};

  // The header of the next system call.
  msghdr* next_message() {
    header = {};
    header.msg_iov = ranges.data() + first;
    header.msg_iovlen = std::min(ranges.size() - first, kSendRangesMax);
    return &header;
  }

  void advance(size_t count) {
    while (first < ranges.size() && count >= ranges[first].iov_len) {
      count -= ranges[first].iov_len;
      ++first;
    }
    if (count == 0) return;
    ranges[first].iov_base = static_cast<char*>(ranges[first].iov_base) + count;
    ranges[first].iov_len -= count;
  }
};

// Bytes that arrived for a paused stream.
struct HeldInput {
  std::vector<char> bytes;
};

}  // namespace moon::io
