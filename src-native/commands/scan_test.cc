// SCAN's promises across slices, growth and shrinking; RANDOMKEY's fairness. The replies of single
// calls are compared with redis-server elsewhere.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "commands/families.h"
#include "dispatch/context.h"

namespace moon::commands {
namespace {

class TestClient : public dispatch::Client {
 public:
  using Client::Client;
  SharedBytes* take_large(std::string_view) override { return nullptr; }
};

// One shard that holds all tokens, as dispatch does for these commands.
class ScanTest : public testing::Test {
 protected:
  static constexpr uint32_t kSlices = 7;

  void SetUp() override {
    engine_.keyspace = std::make_unique<store::Keyspace>(kSlices, 16, 42, engine_.settings);
    shard_ = std::make_unique<shard::Shard>(0, shard::ShardOptions{}, *engine_.keyspace,
                                            engine_.settings);
    shard_->access.now_ms = 1'000'000;
    client_ = std::make_unique<TestClient>(1, *shard_);
    for (uint32_t i = 0; i < kSlices; ++i) ASSERT_TRUE(shard_->acquire(i));
    register_scan(registry_);
  }
  void TearDown() override {
    for (uint32_t i = 0; i < kSlices; ++i) shard_->release(i);
  }

  std::string call(const std::vector<std::string>& words) {
    std::vector<std::string_view> args(words.begin(), words.end());
    resp::OutBuffer out(pool_);
    resp::Reply reply(out, 2);
    Context ctx{args, {}, reply, *client_, *shard_, engine_, row_, shard_->access, false};
    for (const HandlerRegistry::Entry& entry : registry_.entries()) {
      if (entry.symbol == words[0]) entry.handler(ctx);
    }
    std::string text;
    while (!out.empty()) {
      iovec pieces[16];
      const size_t count = out.collect(pieces, 16);
      size_t size = 0;
      for (size_t i = 0; i < count; ++i) {
        text.append(static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len);
        size += pieces[i].iov_len;
      }
      out.consume(size);
    }
    return text;
  }

  // The bulk strings of a reply, in their order; keys here hold no CR.
  static std::vector<std::string> bulks(const std::string& reply) {
    std::vector<std::string> found;
    for (size_t at = 0; at < reply.size();) {
      const size_t end = reply.find("\r\n", at);
      if (reply[at] == '$' && reply[at + 1] != '-') {
        const size_t size = std::stoul(reply.substr(at + 1, end - at - 1));
        found.push_back(reply.substr(end + 2, size));
        at = end + 4 + size;
      } else {
        at = end + 2;
      }
    }
    return found;
  }

  // One SCAN; returns the next cursor.
  std::string scan(const std::string& cursor, int count, std::multiset<std::string>* keys) {
    std::vector<std::string> found = bulks(call({"scan", cursor, "COUNT", std::to_string(count)}));
    EXPECT_FALSE(found.empty());
    keys->insert(found.begin() + 1, found.end());
    return found[0];
  }

  void set(const std::string& key, int64_t deadline_ms = store::Entry::kNoDeadline) {
    store::WriteScope scope(shard_->access, 0, engine_.keyspace->key_ref(key, 0));
    scope.set_text("v");
    scope.set_deadline(deadline_ms);
    scope.event(store::EventClass::kString, "set");
  }
  void del(const std::string& key) {
    store::WriteScope scope(shard_->access, 0, engine_.keyspace->key_ref(key, 0));
    if (!scope.exists()) return;
    scope.remove();
    scope.event(store::EventClass::kGeneric, "del");
  }

  dispatch::Engine engine_;
  std::unique_ptr<shard::Shard> shard_;
  std::unique_ptr<TestClient> client_;
  HandlerRegistry registry_;
  CommandRow row_;
  resp::ChunkPool pool_;
};

std::string key(int i) { return "key:" + std::to_string(i); }

TEST_F(ScanTest, VisitsEachKeyOnceWhenNothingChanges) {
  for (int i = 0; i < 3000; ++i) set(key(i));
  for (int count : {1, 10, 1000, 100000}) {
    std::multiset<std::string> seen;
    std::string cursor = "0";
    do {
      cursor = scan(cursor, count, &seen);
      EXPECT_LT(std::stoull(cursor), uint64_t{1} << 53);
    } while (cursor != "0");
    EXPECT_EQ(seen.size(), 3000u);
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 3000u);
  }
}

TEST_F(ScanTest, MissesNothingThatStaysWhileTheTableGrows) {
  for (int i = 0; i < 500; ++i) set(key(i));
  std::multiset<std::string> seen;
  std::string cursor = "0";
  // New keys come faster than they are passed, but not for ever: the scan has to end.
  int added = 1000;
  do {
    cursor = scan(cursor, 10, &seen);
    for (int i = 0; i < 300 && added < 20000; ++i) set(key(added++));
  } while (cursor != "0");
  for (int i = 0; i < 500; ++i) EXPECT_EQ(seen.count(key(i)), 1u) << key(i);
}

TEST_F(ScanTest, MissesNothingThatStaysWhileTheTableShrinks) {
  for (int i = 0; i < 20000; ++i) set(key(i));
  std::multiset<std::string> seen;
  std::string cursor = "0";
  int next = 0;
  do {
    cursor = scan(cursor, 10, &seen);
    for (int i = 0; i < 50 && next < 20000; ++i, ++next) {
      if (next % 100 != 0) del(key(next));
    }
  } while (cursor != "0");
  for (int i = 0; i < 20000; i += 100) EXPECT_EQ(seen.count(key(i)), 1u) << key(i);
}

TEST_F(ScanTest, CursorsThatNobodyGaveOutAreHarmless) {
  for (int i = 0; i < 100; ++i) set(key(i));
  for (const char* cursor : {"1", "7", "1023", "18446744073709551615", "140737488355327",
                             "140737488354305", "-1"}) {
    std::multiset<std::string> seen;
    scan(cursor, 1000, &seen);
    EXPECT_LE(seen.size(), 100u);
  }
}

TEST_F(ScanTest, ExpiredKeysAreNotShownAndGo) {
  for (int i = 0; i < 50; ++i) set(key(i));
  for (int i = 50; i < 100; ++i) set(key(i), 1'000'500);
  shard_->access.now_ms = 1'001'000;
  EXPECT_EQ(engine_.keyspace->key_count(0), 100u);
  EXPECT_EQ(bulks(call({"keys", "*"})).size(), 50u);
  std::multiset<std::string> seen;
  EXPECT_EQ(scan("0", 100000, &seen), "0");
  EXPECT_EQ(seen.size(), 50u);
  EXPECT_EQ(engine_.keyspace->key_count(0), 50u);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(bulks(call({"randomkey"})).size(), 1u);
}

TEST_F(ScanTest, RandomkeyOfExpiredKeysOnlyIsNull) {
  for (int i = 0; i < 100; ++i) set(key(i), 1'000'500);
  shard_->access.now_ms = 1'001'000;
  EXPECT_EQ(call({"randomkey"}), "$-1\r\n");
  EXPECT_EQ(engine_.keyspace->key_count(0), 0u);
}

// One slice holds 300 keys that share a tag, the others 100 that do not.
TEST_F(ScanTest, RandomkeyWeighsSlicesByTheirKeys) {
  for (int i = 0; i < 300; ++i) set("{tag}" + std::to_string(i));
  for (int i = 0; i < 100; ++i) set(key(i));
  int tagged = 0;
  std::map<std::string, int> chosen;
  constexpr int kRounds = 20000;
  for (int i = 0; i < kRounds; ++i) {
    const std::string name = bulks(call({"randomkey"}))[0];
    tagged += name.starts_with("{tag}");
    ++chosen[name];
  }
  EXPECT_NEAR(tagged / double{kRounds}, 0.75, 0.03);
  EXPECT_EQ(chosen.size(), 400u);
}

}  // namespace
}  // namespace moon::commands
