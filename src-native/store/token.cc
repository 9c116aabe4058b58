#include "store/token.h"

namespace moon::store {

bool Token::acquire_or_enqueue(TokenWaiter* waiter) {
  std::lock_guard guard(queue_mutex_);
  // From here on a release comes to release_wanted() and waits for the mutex.
  uint32_t before = word_.fetch_or(kWanted, std::memory_order_acquire);
  if ((before & kHeld) == 0) {
    MOON_DASSERT(first_ == nullptr);
    word_.store(kHeld, std::memory_order_relaxed);
    return true;
  }
  waiter->next_waiter = nullptr;
  if (first_ == nullptr) {
    first_ = waiter;
  } else {
    last_->next_waiter = waiter;
  }
  last_ = waiter;
  return false;
}

TokenWaiter* Token::release_wanted() {
  std::lock_guard guard(queue_mutex_);
  TokenWaiter* waiter = first_;
  if (waiter == nullptr) {
    word_.store(0, std::memory_order_release);
    return nullptr;
  }
  first_ = waiter->next_waiter;
  waiter->next_waiter = nullptr;
  if (first_ == nullptr) {
    last_ = nullptr;
    word_.store(kHeld, std::memory_order_relaxed);
  }
  return waiter;
}

}  // namespace moon::store
