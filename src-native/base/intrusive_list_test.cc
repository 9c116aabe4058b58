#include "base/intrusive_list.h"

#include <gtest/gtest.h>

#include <vector>

namespace moon {
namespace {

struct Item {
  explicit Item(int value_of) : value(value_of) {}
  int value;
  ListHook by_age;
  ListHook by_name;
};
using ByAge = IntrusiveList<Item, &Item::by_age>;
using ByName = IntrusiveList<Item, &Item::by_name>;

std::vector<int> values_of(ByAge& list) {
  std::vector<int> values;
  for (Item* item = list.front(); item != nullptr; item = list.next(*item)) {
    values.push_back(item->value);
  }
  return values;
}

TEST(IntrusiveList, LinksAndUnlinks) {
  Item a(1);
  Item b(2);
  Item c(3);
  ByAge list;
  ByName other;
  EXPECT_EQ(list.front(), nullptr);
  list.push_back(b);
  list.push_back(c);
  list.push_front(a);
  other.push_back(b);
  EXPECT_EQ(values_of(list), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(list.back(), &c);
  EXPECT_EQ(list.previous(b), &a);
  list.move_to_back(a);
  EXPECT_EQ(values_of(list), (std::vector<int>{2, 3, 1}));
  list.remove(c);
  EXPECT_FALSE(ByAge::linked(c));
  list.insert_before(a, c);
  EXPECT_EQ(values_of(list), (std::vector<int>{2, 3, 1}));
  EXPECT_EQ(list.size(), 3U);
  ByAge more;
  more.splice_back(list);
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(values_of(more), (std::vector<int>{2, 3, 1}));
  EXPECT_EQ(more.pop_front(), &b);
  EXPECT_EQ(more.pop_back(), &a);
  EXPECT_EQ(more.pop_back(), &c);
  EXPECT_EQ(more.pop_back(), nullptr);
  EXPECT_EQ(other.pop_back(), &b);
}

}  // namespace
}  // namespace moon
