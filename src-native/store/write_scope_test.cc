// Values, encodings, deadlines, events and memory as WriteScope settles them.
#include "store/write_scope.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <random>
#include <unordered_map>

#include "store/test_world.h"

namespace moon::store {
namespace {

std::string_view encoding_of(World& world, std::string_view key) {
  return encoding_name(world.peek(key)->encoding());
}

TEST(WriteScope, EncodingsAsRedis) {
  World world;
  world.set("k", "12345");
  EXPECT_EQ(encoding_of(world, "k"), "int");
  world.set("k", "9223372036854775807");
  EXPECT_EQ(encoding_of(world, "k"), "int");
  EXPECT_EQ(world.get("k"), "9223372036854775807");
  world.set("k", "-9223372036854775808");
  EXPECT_EQ(world.get("k"), "-9223372036854775808");
  EXPECT_EQ(world.peek("k")->text_size(), 20u);
  world.set("k", "9223372036854775808");
  EXPECT_EQ(encoding_of(world, "k"), "embstr");
  for (const char* text : {"012", "1 ", " 1", "+1", "1e3", "-0", "", "12345678901234567890123"}) {
    world.set("k", text);
    EXPECT_EQ(encoding_of(world, "k"), "embstr") << text;
    EXPECT_EQ(world.get("k"), text);
  }
  world.set("k", std::string(44, 'x'));
  EXPECT_EQ(encoding_of(world, "k"), "embstr");
  world.set("k", std::string(45, 'x'));
  EXPECT_EQ(encoding_of(world, "k"), "raw");
  world.check_ledger();
}

TEST(WriteScope, ValuesOfAllSizes) {
  World world;
  for (size_t size : {0, 1, 3, 21, 44, 45, 253, 254, 255, 256, 300, 999, 1999, 2000, 2001, 2048,
                      4096, 70000}) {
    std::string value(size, 'v');
    std::string key = "key" + std::to_string(size);
    world.set(key, value);
    EXPECT_EQ(world.get(key), value);
    EXPECT_EQ(world.peek(key)->text_size(), size);
    EXPECT_EQ(world.peek(key)->shared() != nullptr, size > WriteScope::kInlineTextMax);
    std::string long_key(size, 'k');
    world.set(long_key, "x" + value);
    EXPECT_EQ(world.get(long_key), "x" + value);
  }
  world.check_ledger();
}

TEST(WriteScope, OverwriteOfTheSameSizeStaysInPlace) {
  World world;
  world.set("k", "aaaaaaaa");
  const Entry* before = world.peek("k");
  world.set("k", "bbbbbbbb");
  EXPECT_EQ(world.peek("k"), before);
  EXPECT_EQ(world.get("k"), "bbbbbbbb");
  world.set("k", "123456");
  world.set("k", "123457");
  EXPECT_EQ(world.peek("k")->integer(), 123457);
  {
    WriteScope scope(world.access, 0, world.key("k"));
    scope.set_integer(int64_t{1} << 40);
    scope.event(EventClass::kString, "incrby");
  }
  EXPECT_EQ(world.peek("k")->integer(), int64_t{1} << 40);
  world.check_ledger();
}

TEST(WriteScope, LongTextKeepsItsBlock) {
  World world;
  world.set("k", std::string(5000, 'a'));
  SharedBytes* before = world.peek("k")->shared();
  world.set("k", std::string(4000, 'b'));
  EXPECT_EQ(world.peek("k")->shared(), before);
  EXPECT_EQ(world.get("k"), std::string(4000, 'b'));
  world.set("k", std::string(2500, 'c'));
  EXPECT_EQ(world.peek("k")->shared(), before);
  world.set("k", "short");
  EXPECT_EQ(world.get("k"), "short");
  world.check_ledger();
}

// ---- deadlines ---------------------------------------------------------------------------------

TEST(WriteScope, DeadlinesArePartOfTheEntry) {
  World world;
  int64_t now = world.access.now_ms;
  world.set("k", "value", now + 1000);
  size_t with = world.peek("k")->memory();
  EXPECT_EQ(world.peek("k")->deadline_ms(), now + 1000);
  EXPECT_EQ(world.keyspace.deadline_count(0), 1u);
  EXPECT_EQ(world.keyspace.next_deadline_ms(), now + 1000);
  {
    WriteScope scope(world.access, 0, world.key("k"));
    scope.set_text("other");
    EXPECT_EQ(scope.entry()->deadline_ms(), now + 1000) << "a new value keeps the deadline";
    scope.clear_deadline();
    EXPECT_FALSE(scope.entry()->has_deadline());
    scope.event(EventClass::kString, "set");
  }
  EXPECT_EQ(world.peek("k")->memory(), with);
  EXPECT_EQ(world.keyspace.deadline_count(0), 0u);
}

TEST(WriteScope, DeadlinesOfAllSizes) {
  World world;
  for (int64_t deadline : {(int64_t{1} << 48) - 2, (int64_t{1} << 48) - 1, int64_t{1} << 48,
                           int64_t{1} << 60, INT64_MAX, int64_t{1700000001000}, INT64_MAX - 1}) {
    for (const char* value : {"x", "12", "1234567890123", "a longer text than the others"}) {
      world.set("k", value, deadline);
      EXPECT_EQ(world.peek("k")->deadline_ms(), deadline);
      EXPECT_EQ(world.get("k"), value);
      world.set("k", "another", deadline);
      EXPECT_EQ(world.peek("k")->deadline_ms(), deadline);
      EXPECT_EQ(world.get("k"), "another");
      world.check_ledger();
    }
  }
  world.set("k", "plain");
  EXPECT_FALSE(world.peek("k")->has_deadline());
  world.check_ledger();
}

TEST(WriteScope, ExpiredKeyIsAbsentAndItsDeletionAWrite) {
  World world;
  RecordingPort port;
  world.keyspace.ports().notifications = &port;
  int client = 0;
  world.access.origin = &client;
  world.set("k", "v", world.access.now_ms + 10);
  world.access.now_ms += 10;
  EXPECT_EQ(world.get("k"), "v") << "the millisecond of the deadline still belongs to the key";
  world.access.now_ms += 1;
  port.heard.clear();
  port.origins.clear();
  world.access.dirty = false;
  {
    WriteScope scope(world.access, 0, world.key("k"));
    EXPECT_FALSE(scope.exists());
  }
  EXPECT_EQ(port.heard, std::vector<std::string>{"expired k -"});
  EXPECT_EQ(port.origins, std::vector<const void*>{nullptr});
  EXPECT_TRUE(world.access.dirty);
  EXPECT_EQ(world.counters.get(Counter::kExpiredKeys), 1u);
  EXPECT_EQ(world.keyspace.key_count(0), 0u);
  EXPECT_EQ(world.keyspace.used_memory(), 0u);
}

// ---- bytes for writing -------------------------------------------------------------------------

void append(World& world, std::string_view key, std::string_view bytes) {
  WriteScope scope(world.access, 0, world.key(key));
  size_t old = scope.exists() ? scope.entry()->text_size() : 0;
  char* text = scope.mutable_text(old + bytes.size());
  ASSERT_NE(text, nullptr);
  std::memcpy(text + old, bytes.data(), bytes.size());
  scope.event(EventClass::kString, "append");
}

TEST(WriteScope, AppendedTextGrowsThroughAllLayouts) {
  World world;
  std::string model;
  for (int i = 0; i < 1500; ++i) {
    std::string piece(static_cast<size_t>(i % 7), static_cast<char>('a' + i % 26));
    append(world, "k", piece);
    model += piece;
    ASSERT_EQ(world.get("k"), model);
    ASSERT_EQ(encoding_of(world, "k"), "raw");
  }
  world.check_ledger();
}

TEST(WriteScope, AppendToAnInteger) {
  World world;
  world.set("k", "12");
  append(world, "k", "3");
  EXPECT_EQ(world.get("k"), "123");
  EXPECT_EQ(encoding_of(world, "k"), "raw");
}

TEST(WriteScope, GrowthIsZeroFilledAndShrinkingCuts) {
  World world;
  for (size_t big : {100, 1000, 3000, 100000}) {
    world.set("k", "abc");
    {
      WriteScope scope(world.access, 0, world.key("k"));
      scope.mutable_text(big)[big - 1] = 'z';
      scope.event(EventClass::kString, "setrange");
    }
    EXPECT_EQ(world.get("k"), "abc" + std::string(big - 4, '\0') + "z");
    {
      WriteScope scope(world.access, 0, world.key("k"));
      scope.mutable_text(2);
      scope.event(EventClass::kString, "x");
    }
    EXPECT_EQ(world.get("k"), "ab");
    world.check_ledger();
    WriteScope scope(world.access, 0, world.key("new" + std::to_string(big)));
    scope.mutable_text(big);
    EXPECT_EQ(scope.entry()->text_size(), big);
    scope.event(EventClass::kString, "setbit");
  }
  world.check_ledger();
}

TEST(WriteScope, BlockThatIsBeingSentIsCopiedFirst) {
  World world;
  std::string old(20000, 'a');
  world.set("k", old);
  SharedBytes* sent = world.peek("k")->shared();
  sent->add_ref();
  append(world, "k", "b");
  EXPECT_EQ(sent->view(), old);
  EXPECT_EQ(world.get("k"), old + "b");
  sent->release();
  sent = world.peek("k")->shared();
  sent->add_ref();
  world.set("k", old);
  EXPECT_NE(world.peek("k")->shared(), sent);
  EXPECT_EQ(sent->view(), old + "b");
  world.remove("k");
  EXPECT_EQ(sent->view(), old + "b");
  sent->release();
  EXPECT_EQ(world.keyspace.used_memory(), 0u);
}

TEST(WriteScope, AdoptedBlockIsTheValue) {
  World world;
  SharedBytes* bytes = SharedBytes::allocate(30000, 30000);
  std::memset(bytes->data(), 'q', 30000);
  {
    WriteScope scope(world.access, 0, world.key("k"));
    scope.adopt_text(bytes);
    scope.event(EventClass::kString, "set");
  }
  EXPECT_EQ(world.peek("k")->shared(), bytes);
  EXPECT_GE(world.keyspace.used_memory(), 30000u);
  world.check_ledger();
}

// ---- whole keys --------------------------------------------------------------------------------

void rename(World& world, std::string_view from, std::string_view to) {
  WriteScope source(world.access, 0, world.key(from));
  WriteScope target(world.access, 0, world.key(to));
  target.take_value(source);
  EXPECT_FALSE(source.exists());
  source.event(EventClass::kGeneric, "rename_from");
  target.event(EventClass::kGeneric, "rename_to");
}

TEST(WriteScope, TakeValueMovesAcrossSlices) {
  World world(8);
  std::vector<std::string> values = {"12", "text", std::string(300, 'x'), std::string(9000, 'y')};
  for (size_t i = 0; i < values.size(); ++i) {
    for (int j = 0; j < 20; ++j) {
      std::string from = "from" + std::to_string(i) + ":" + std::to_string(j);
      std::string to = "to" + std::to_string(i) + ":" + std::to_string(j);
      int64_t deadline = j % 2 == 0 ? world.access.now_ms + 1000 + j : Entry::kNoDeadline;
      world.set(from, values[i], deadline);
      if (j % 3 == 0) world.set(to, std::string(5000, 'z'), world.access.now_ms + 5);
      SharedBytes* block = world.peek(from)->shared();
      Encoding encoding = world.peek(from)->encoding();
      rename(world, from, to);
      EXPECT_EQ(world.get(from), "(nil)");
      EXPECT_EQ(world.get(to), values[i]);
      EXPECT_EQ(world.peek(to)->shared(), block) << "moved, not copied";
      EXPECT_EQ(world.peek(to)->encoding(), encoding);
      EXPECT_EQ(world.peek(to)->deadline_ms(), deadline);
    }
  }
  EXPECT_EQ(world.keyspace.deadline_count(0), 40u);
  world.check_ledger();
}

TEST(WriteScope, TakeValueMovesContainers) {
  World world(8);
  for (int i = 0; i < 20; ++i) {
    std::string from = "from" + std::to_string(i), to = "to" + std::to_string(i);
    world.set_list(from, 10);
    void* object = world.peek(from)->object();
    rename(world, from, to);
    EXPECT_EQ(world.peek(to)->object(), object);
    EXPECT_EQ(world.peek(to)->type(), Type::kList);
  }
  world.check_ledger();
}

TEST(WriteScope, CopiesAreIndependent) {
  World world(4);
  world.set("text", std::string(9000, 'y'), world.access.now_ms + 77);
  world.set_list("list", 10);
  for (const char* name : {"text", "list"}) {
    WriteScope scope(world.access, 3, world.key(std::string(name) + "2"));
    scope.copy_value(*world.peek(name));
    scope.event(EventClass::kGeneric, "copy_to");
  }
  EXPECT_EQ(world.peek("text2", 3)->deadline_ms(), world.access.now_ms + 77);
  EXPECT_NE(world.peek("list2", 3)->object(), world.peek("list")->object());
  append(world, "text", "z");
  EXPECT_EQ(world.get("text2", 3), std::string(9000, 'y'));
  world.remove("text");
  EXPECT_EQ(world.get("text2", 3), std::string(9000, 'y'));
  world.check_ledger();
}

TEST(WriteScope, ScopesSurviveChangesOfTheLayout) {
  World world;
  // Every insert may rebuild the segment that the open scope's slot is in.
  for (int i = 0; i < 3000; ++i) world.set("key" + std::to_string(i), "v");
  for (int i = 0; i < 3000; ++i) {
    WriteScope scope(world.access, 0, world.key("key" + std::to_string(i)));
    for (int j = 0; j < 3; ++j) world.set("new" + std::to_string(i * 3 + j), "v");
    scope.set_text("a longer text that needs another block");
    scope.set_deadline(world.access.now_ms + 5000);
    scope.event(EventClass::kString, "set");
  }
  for (int i = 0; i < 3000; ++i) {
    WriteScope scope(world.access, 0, world.key("key" + std::to_string(i)));
    for (int j = 0; j < 3; ++j) world.remove("new" + std::to_string(i * 3 + j));
    scope.remove();
    scope.event(EventClass::kGeneric, "del");
  }
  EXPECT_EQ(world.keyspace.used_memory(), 0u);
}

// ---- events ------------------------------------------------------------------------------------

TEST(WriteScope, EventsReachEveryPortInOrder) {
  World world;
  RecordingPort journal, notifications, tracking, waiters;
  world.keyspace.ports() = {&journal, &notifications, &tracking, &waiters};
  uint64_t changes = world.keyspace.changes();
  {
    WriteScope scope(world.access, 0, world.key("k"));
    scope.set_text("v");
    scope.event(EventClass::kString, "set");
    scope.set_deadline(world.access.now_ms + 5);
    scope.event(EventClass::kGeneric, "expire");
  }
  world.remove("k");
  std::vector<std::string> heard = {"set k", "expire k", "del k -"};
  EXPECT_EQ(journal.heard, heard);
  EXPECT_EQ(tracking.heard, heard);
  EXPECT_EQ(waiters.heard, heard);
  heard.insert(heard.begin(), "new k");
  EXPECT_EQ(notifications.heard, heard);
  EXPECT_EQ(world.keyspace.changes(), changes + 3);
}

TEST(WriteScope, ReadingIsNoChange) {
  World world;
  world.set("k", "v");
  world.access.dirty = false;
  world.get("k");
  world.get("absent");
  { WriteScope scope(world.access, 0, world.key("k")); }
  EXPECT_FALSE(world.access.dirty);
  EXPECT_EQ(world.counters.get(Counter::kKeyspaceHits), 1u);
  EXPECT_EQ(world.counters.get(Counter::kKeyspaceMisses), 1u);
}

#ifdef MOON_DEBUG
TEST(WriteScopeDeathTest, ChangeWithoutEventAborts) {
  World world;
  EXPECT_DEATH(
      {
        WriteScope scope(world.access, 0, world.key("k"));
        scope.set_text("v");
      },
      "unannounced");
}
#endif

#ifndef MOON_SLAB_MALLOC
TEST(WriteScope, LedgerIsWhatMallocGave) {
  World world;
  world.set("first", std::string(3000, 'x'));
  uint64_t malloc_before = mallinfo2().uordblks;
  uint64_t ledger_before = world.keyspace.slice(0).ledger().strings;
  for (int i = 0; i < 10; ++i) {
    world.set("k" + std::to_string(i), std::string(static_cast<size_t>(2001 + i * 777), 'x'));
    for (int j = 0; j < 20; ++j) append(world, "k" + std::to_string(i), "some more");
  }
  uint64_t charged = world.keyspace.slice(0).ledger().strings - ledger_before;
  uint64_t given = mallinfo2().uordblks - malloc_before;
  // The names that the test keeps and one bucket or two of the table are not strings.
  EXPECT_LE(charged, given);
  EXPECT_LT(given - charged, 6000u);
}
#endif

// ---- everything at once ------------------------------------------------------------------------

// Random writes of all kinds, with expiry in between, beside a map that does the same.
class Model {
 public:
  void step(int number) {
    world_.access.now_ms += pick(3);
    name_ = any_name();
    forget_if_expired(name_);
    known_ = values_.find(name_);
    ASSERT_EQ(world_.get(name_), known_ == values_.end() ? "(nil)" : known_->second.text);
    write();
    if (number % 5000 == 0) world_.check_ledger();
    if (number % 700 == 0) expire_all();
  }

  void finish() {
    world_.check_ledger();
    world_.keyspace.flush_all(world_.access);
    world_.drain();
    EXPECT_EQ(world_.keyspace.used_memory(), 0u);
  }

 private:
  struct Value {
    std::string text;
    int64_t deadline;
  };

  int64_t pick(uint64_t below) { return static_cast<int64_t>(random_() % below); }
  std::string any_name() { return "k" + std::to_string(pick(500)); }
  int64_t any_deadline() { return world_.access.now_ms + pick(300); }
  std::string any_text() {
    static constexpr size_t kSizes[] = {0, 5, 30, 200, 260, 1990, 2100, 6000};
    const size_t size = kSizes[pick(8)] + static_cast<size_t>(pick(20));
    if (pick(5) == 0) return std::to_string(static_cast<int64_t>(random_()));
    return std::string(size, static_cast<char>('a' + pick(26)));
  }
  bool expired(const Value& value) const {
    return value.deadline != Entry::kNoDeadline && value.deadline < world_.access.now_ms;
  }
  void forget_if_expired(const std::string& name) {
    auto found = values_.find(name);
    if (found != values_.end() && expired(found->second)) values_.erase(found);
  }

  void write() {
    const bool exists = known_ != values_.end();
    switch (pick(6)) {
      case 0: case 1: return set();
      case 2: ASSERT_EQ(world_.remove(name_), values_.erase(name_) != 0); return;
      case 3: return append_piece();
      case 4: return exists ? rename_key() : void();
      case 5: return exists ? set_deadline() : void();
    }
  }
  void set() {
    Value value{any_text(), pick(3) == 0 ? any_deadline() : Entry::kNoDeadline};
    world_.set(name_, value.text, value.deadline);
    values_[name_] = value;
  }
  void append_piece() {
    if (known_ == values_.end()) {
      known_ = values_.emplace(name_, Value{"", Entry::kNoDeadline}).first;
    }
    if (known_->second.text.size() > 20000) return;
    const std::string piece = any_text();
    append(world_, name_, piece);
    known_->second.text += piece;
  }
  void rename_key() {
    const std::string to = any_name();
    if (to == name_) return;
    rename(world_, name_, to);
    values_[to] = known_->second;
    values_.erase(name_);
  }
  void set_deadline() {
    WriteScope scope(world_.access, 0, world_.key(name_));
    known_->second.deadline = any_deadline();
    scope.set_deadline(known_->second.deadline);
    scope.event(EventClass::kGeneric, "expire");
  }
  void expire_all() {
    for (uint32_t i = 0; i < 4; ++i) {
      while (world_.keyspace.slice(i).expire_due(world_.access, 1000)) {
      }
    }
    std::erase_if(values_, [&](const auto& pair) { return expired(pair.second); });
    ASSERT_EQ(world_.keyspace.key_count(0), values_.size());
  }

  World world_{4};
  std::mt19937_64 random_{77};
  std::unordered_map<std::string, Value> values_;
  std::string name_;
  std::unordered_map<std::string, Value>::iterator known_;
};

TEST(WriteScope, AgreesWithAModel) {
  Model model;
  for (int step = 0; step < 60000; ++step) {
    model.step(step);
    if (HasFatalFailure()) return;
  }
  model.finish();
}

}  // namespace
}  // namespace moon::store
