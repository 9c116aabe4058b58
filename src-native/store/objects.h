// What the store must know of a container to count it, copy it and free it without one long
// pause. The rooms that bring a type register one ObjectOps for each of its encodings, before the
// first key; strings need none.
#pragma once

#include <array>
#include <cstddef>

#include "base/assert.h"
#include "store/entry.h"

namespace moon::store {

struct ObjectOps {
  size_t (*memory)(const void* object);  // bytes taken, O(1)
  void* (*copy)(const void* object);     // a deep copy
  // Frees up to `budget` elements; true when the object itself is gone.
  bool (*destroy_step)(void* object, size_t budget);
};

class ObjectRegistry {
 public:
  void set(Type type, Encoding encoding, const ObjectOps* ops) { at(type, encoding) = ops; }
  const ObjectOps& get(Type type, Encoding encoding) const {
    const ObjectOps* ops = const_cast<ObjectRegistry*>(this)->at(type, encoding);
    MOON_ASSERT(ops != nullptr);
    return *ops;
  }

 private:
  const ObjectOps*& at(Type type, Encoding encoding) {
    return ops_[static_cast<size_t>(type)][static_cast<size_t>(encoding)];
  }
  std::array<std::array<const ObjectOps*, kEncodingCount>, kTypeCount> ops_{};
};

}  // namespace moon::store
