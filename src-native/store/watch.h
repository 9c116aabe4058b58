// Watched keys of one slice (WATCH): which flags to set when a key changes.
//
// Called under the slice's token, but remove(): any thread may forget its watches at any time, so
// a mutex guards the lists. A slice without watched keys pays one test of a counter per write.
//
// As Redis: a key that was expired already when it was watched has not changed when it is deleted
// at last; a key that expires while it is watched has changed (Slice::key_expired() at EXEC).
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace moon::store {

class WatchRegistry {
 public:
  using Flag = std::atomic<bool>;

  bool any() const { return count_.load(std::memory_order_relaxed) != 0; }
  uint32_t count() const { return count_.load(std::memory_order_relaxed); }

  void add(uint32_t db, std::string_view key, Flag* dirty, bool was_expired);
  void remove(uint32_t db, std::string_view key, Flag* dirty);
  // The key was written; `exists` is whether it is there now.
  void touch(uint32_t db, std::string_view key, bool exists);

  enum class KeyState : uint8_t { kAbsent, kExpired, kLive };
  // The whole database is replaced (by another, or by nothing): before(key) and after(key) tell
  // what becomes of each watched key.
  template <typename Before, typename After>
  void touch_database(uint32_t db, Before&& before, After&& after);

 private:
  struct Watcher {
    Flag* dirty;
    bool was_expired;
  };
  using Watchers = std::vector<Watcher>;

  static std::string name_of(uint32_t db, std::string_view key);

  std::mutex mutex_;  // guards keys_
  std::unordered_map<std::string, Watchers> keys_;  // 4 bytes of database, then the key
  std::atomic<uint32_t> count_{0};
};

template <typename Before, typename After>
void WatchRegistry::touch_database(uint32_t db, Before&& before, After&& after) {
  std::lock_guard guard(mutex_);
  std::string prefix = name_of(db, {});
  for (auto& [name, watchers] : keys_) {
    if (name.compare(0, prefix.size(), prefix) != 0) continue;
    std::string_view key = std::string_view(name).substr(prefix.size());
    KeyState was = before(key);
    KeyState now = after(key);
    if (was == KeyState::kAbsent && now == KeyState::kAbsent) continue;
    for (Watcher& watcher : watchers) {
      if (watcher.was_expired) {
        if (now == KeyState::kAbsent) watcher.was_expired = false;
        if (now != KeyState::kLive) continue;
      } else if (was == KeyState::kAbsent && now == KeyState::kExpired) {
        watcher.was_expired = true;
        continue;
      }
      watcher.dirty->store(true, std::memory_order_release);
    }
  }
}

}  // namespace moon::store
