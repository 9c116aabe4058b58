#include "store/watch.h"

#include <algorithm>
#include <cstring>

namespace moon::store {

std::string WatchRegistry::name_of(uint32_t db, std::string_view key) {
  std::string name(sizeof db + key.size(), '\0');
  std::memcpy(name.data(), &db, sizeof db);
  std::copy(key.begin(), key.end(), name.begin() + sizeof db);
  return name;
}

void WatchRegistry::add(uint32_t db, std::string_view key, Flag* dirty, bool was_expired) {
  std::lock_guard guard(mutex_);
  keys_[name_of(db, key)].push_back({dirty, was_expired});
  count_.fetch_add(1, std::memory_order_relaxed);
}

void WatchRegistry::remove(uint32_t db, std::string_view key, Flag* dirty) {
  std::lock_guard guard(mutex_);
  auto found = keys_.find(name_of(db, key));
  if (found == keys_.end()) return;
  Watchers& watchers = found->second;
  size_t removed =
      std::erase_if(watchers, [&](const Watcher& watcher) { return watcher.dirty == dirty; });
  count_.fetch_sub(static_cast<uint32_t>(removed), std::memory_order_relaxed);
  if (watchers.empty()) keys_.erase(found);
}

void WatchRegistry::touch(uint32_t db, std::string_view key, bool exists) {
  std::lock_guard guard(mutex_);
  auto found = keys_.find(name_of(db, key));
  if (found == keys_.end()) return;
  for (Watcher& watcher : found->second) {
    if (watcher.was_expired && !exists) {
      watcher.was_expired = false;  // what was no key any more is gone: nothing has changed
      continue;
    }
    watcher.dirty->store(true, std::memory_order_release);
  }
}

}  // namespace moon::store
