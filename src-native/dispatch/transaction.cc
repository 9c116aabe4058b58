#include "dispatch/transaction.h"

#include "dispatch/context.h"

namespace moon::dispatch {

void Transaction::queue(const CommandRow& row, std::span<const std::string_view> args,
                        std::span<const store::KeyRef> keys, uint32_t slice_count) {
  QueuedCommand& command = commands.emplace_back();
  command.row = &row;
  size_t size = 0;
  for (std::string_view arg : args) size += arg.size();
  command.bytes.reserve(size);
  command.args.reserve(args.size());
  for (std::string_view arg : args) {
    const char* start = command.bytes.data() + command.bytes.size();
    command.bytes.insert(command.bytes.end(), arg.begin(), arg.end());
    command.args.emplace_back(start, arg.size());
  }
  command.keys.assign(keys.begin(), keys.end());
  for (store::KeyRef& key : command.keys) {
    key.bytes = command.args[key.arg];
    slices.add(key.slice);
  }
  if (row.route == Route::kAllShards) slices.add_all(slice_count);
  flags |= row.flags;
}

void begin_transaction(Client& client) {
  client.transaction = std::make_unique<Transaction>();
  client.set_gate(kGateMulti);
}

void discard_transaction(Client& client) {
  client.transaction.reset();
  client.clear_gate(kGateMulti);
  client.clear_flag(kClientTransactionFailed);
  client.queued_commands = 0;
  client.queued_memory = 0;
}

void watch_keys(Context& ctx) {
  Client& client = ctx.client;
  if (client.watch_dirty.load(std::memory_order_relaxed)) return;  // EXEC will fail anyway
  if (client.watches == nullptr) client.watches = std::make_unique<WatchList>();
  WatchList& list = *client.watches;
  for (const store::KeyRef& key : ctx.keys) {
    bool known = false;
    for (const WatchedKey& watched : list.keys) {
      known = known || (watched.db == ctx.db() && watched.key == key.bytes);
    }
    if (known) continue;
    store::Slice& slice = ctx.keyspace().slice(key.slice);
    const bool expired = slice.key_expired(ctx.db(), key, ctx.now_ms());
    slice.watch(ctx.db(), key, &client.watch_dirty, expired);
    list.keys.push_back({key.slice, ctx.db(), std::string(key.bytes), key.hash, expired});
    list.slices.add(key.slice);
  }
  client.watched_keys = static_cast<uint32_t>(list.keys.size());
}

void unwatch_all(Client& client, store::Keyspace& keyspace) {
  if (client.watches != nullptr) {
    for (const WatchedKey& watched : client.watches->keys) {
      keyspace.slice(watched.slice).unwatch(
          watched.db, {watched.key, watched.hash, watched.slice, 0}, &client.watch_dirty);
    }
    client.watches.reset();
    client.watched_keys = 0;
  }
  client.watch_dirty.store(false, std::memory_order_relaxed);
}

shard::SliceSet transaction_slices(const Client& client) {
  shard::SliceSet slices;
  if (client.transaction == nullptr || client.has_flag(kClientTransactionFailed)) return slices;
  slices = client.transaction->slices;
  if (client.watches != nullptr) slices.merge(client.watches->slices);
  return slices;
}

bool watched_keys_changed(Client& client, store::Keyspace& keyspace, int64_t now_ms) {
  if (client.watch_dirty.load(std::memory_order_acquire)) return true;
  if (client.watches == nullptr) return false;
  for (const WatchedKey& watched : client.watches->keys) {
    if (watched.expired_at_watch) continue;
    if (keyspace.slice(watched.slice)
            .key_expired(watched.db, {watched.key, watched.hash, watched.slice, 0}, now_ms)) {
      return true;
    }
  }
  return false;
}

}  // namespace moon::dispatch
