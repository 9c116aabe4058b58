// The receive buffers of one io_uring reactor: a provided buffer ring. The reactor's thread.
//
// The address space of all buffers is reserved at once, memory comes with the first use. Only as
// many buffers are in circulation as one turn has needed so far: the kernel takes them in the order
// in which they came back, so every circulating buffer is touched, and few stay in the cache.
//
//   circulating_: in the ring or holding bytes that are being read;  target_: how many shall be;
//   fresh_ .. max_: never used;  idle_: used before, not needed now
#pragma once

#include <liburing.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace moon::io {

class UringBuffers {
 public:
  static constexpr int kGroup = 1;

  UringBuffers() = default;
  UringBuffers(const UringBuffers&) = delete;
  UringBuffers& operator=(const UringBuffers&) = delete;
  ~UringBuffers();

  // 0 or a negative errno. Sizes as in ReactorOptions.
  int set_up(io_uring* ring, uint32_t buffer_bytes, uint32_t initial, uint32_t max);

  char* at(uint32_t id) const { return memory_ + static_cast<size_t>(id) * buffer_bytes_; }
  void recycle(uint32_t id);
  // `count` receives of this turn found no buffer. No effect at the maximum.
  void grow(uint32_t count);
  // `needed` buffers would have served this turn.
  void note_use(uint32_t needed) {
    if (needed > peak_) peak_ = needed;
  }
  // REQUIRES: no buffer holds bytes that are still to be read. Shrinks the circulation to what was
  // needed since the last call; after an interval without use all memory goes back.
  void trim();

  uint32_t circulating() const { return circulating_; }

 private:
  void provide(uint32_t id);

  io_uring_buf_ring* entries_ = nullptr;
  size_t entries_bytes_ = 0;
  char* memory_ = nullptr;
  uint32_t buffer_bytes_ = 0;
  uint32_t initial_ = 0;
  uint32_t max_ = 0;
  uint32_t fresh_ = 0;
  uint32_t circulating_ = 0;
  uint32_t target_ = 0;
  uint32_t peak_ = 0;
  bool touched_ = false;
  std::vector<uint16_t> idle_;
};

}  // namespace moon::io
