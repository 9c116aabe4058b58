// A value that one thread writes and any thread may read: a relaxed atomic that reads and
// assigns like a plain variable. Increments are a load and a store, not a locked instruction, so
// exactly one thread at a time may write.
#pragma once

#include <atomic>

namespace moon {

template <typename T>
class Relaxed {
 public:
  Relaxed() : value_{} {}
  Relaxed(T value) : value_(value) {}  // NOLINT: implicit, to read like a plain variable
  Relaxed(const Relaxed&) = delete;
  Relaxed& operator=(const Relaxed&) = delete;

  operator T() const { return value_.load(std::memory_order_relaxed); }  // NOLINT
  T get() const { return value_.load(std::memory_order_relaxed); }
  Relaxed& operator=(T value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }
  Relaxed& operator+=(T delta) { return *this = static_cast<T>(get() + delta); }
  Relaxed& operator-=(T delta) { return *this = static_cast<T>(get() - delta); }
  Relaxed& operator++() { return *this += T{1}; }
  Relaxed& operator--() { return *this -= T{1}; }

 private:
  std::atomic<T> value_;
};

}  // namespace moon
