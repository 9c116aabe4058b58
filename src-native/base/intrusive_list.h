// A doubly linked list through hooks inside the items: no allocation, removal in O(1) knowing only
// the item. One thread (or one lock) per list. Items are not owned.
//
//   struct Client { ListHook lru; ListHook all; };
//   IntrusiveList<Client, &Client::lru> recent;
//
// Invariants:
// (1) a hook is in at most one list; an unlinked hook has next == nullptr;
// (2) a list is empty when it is destroyed, and a hook is unlinked when its item is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/assert.h"

namespace moon {

struct ListHook {
  ListHook* next = nullptr;
  ListHook* previous = nullptr;

  ListHook() = default;
  ListHook(const ListHook&) = delete;
  ListHook& operator=(const ListHook&) = delete;
  ~ListHook() { MOON_DASSERT(!linked()); }

  bool linked() const { return next != nullptr; }
};

template <typename Item, ListHook Item::*kHook>
class IntrusiveList {
 public:
  IntrusiveList() { root_.next = root_.previous = &root_; }
  ~IntrusiveList() {
    MOON_DASSERT(empty());
    root_.next = root_.previous = nullptr;
  }
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;

  bool empty() const { return root_.next == &root_; }
  size_t size() const { return size_; }

  Item* front() { return item_or_end(root_.next); }
  Item* back() { return item_or_end(root_.previous); }
  // The neighbour, nullptr at the end. Safe removal while walking: ask for next before removing.
  Item* next(Item& item) { return item_or_end((item.*kHook).next); }
  Item* previous(Item& item) { return item_or_end((item.*kHook).previous); }

  void push_back(Item& item) { link_before(&root_, &(item.*kHook)); }
  void push_front(Item& item) { link_before(root_.next, &(item.*kHook)); }
  void insert_before(Item& position, Item& item) {
    link_before(&(position.*kHook), &(item.*kHook));
  }

  // REQUIRES: item is in this list.
  void remove(Item& item) {
    ListHook* hook = &(item.*kHook);
    MOON_DASSERT(hook->linked());
    hook->previous->next = hook->next;
    hook->next->previous = hook->previous;
    hook->next = hook->previous = nullptr;
    --size_;
  }
  void move_to_back(Item& item) {
    remove(item);
    push_back(item);
  }
  Item* pop_front() {
    Item* item = front();
    if (item != nullptr) remove(*item);
    return item;
  }
  Item* pop_back() {
    Item* item = back();
    if (item != nullptr) remove(*item);
    return item;
  }

  // Moves everything in `other` behind what is here.
  void splice_back(IntrusiveList& other) {
    if (other.empty()) return;
    ListHook* first = other.root_.next;
    ListHook* last = other.root_.previous;
    first->previous = root_.previous;
    root_.previous->next = first;
    last->next = &root_;
    root_.previous = last;
    size_ += other.size_;
    other.root_.next = other.root_.previous = &other.root_;
    other.size_ = 0;
  }

  static bool linked(const Item& item) { return (item.*kHook).linked(); }

 private:
  Item* item_or_end(ListHook* hook) { return hook == &root_ ? nullptr : item_of(hook); }

  // The hook's offset, read off an aligned address where no item has to be.
  static Item* item_of(ListHook* hook) {
    constexpr uintptr_t kAnywhere = uintptr_t{1} << 16;
    const auto* item = reinterpret_cast<const Item*>(kAnywhere);
    const uintptr_t offset = reinterpret_cast<uintptr_t>(&(item->*kHook)) - kAnywhere;
    return reinterpret_cast<Item*>(reinterpret_cast<uintptr_t>(hook) - offset);
  }

  void link_before(ListHook* position, ListHook* hook) {
    MOON_DASSERT(!hook->linked());
    hook->next = position;
    hook->previous = position->previous;
    position->previous->next = hook;
    position->previous = hook;
    ++size_;
  }

  ListHook root_;
  size_t size_ = 0;
};

}  // namespace moon
