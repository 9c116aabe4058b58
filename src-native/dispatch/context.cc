#include "dispatch/context.h"

namespace moon {

const store::Entry* Context::read_typed(const store::KeyRef& key, store::Type type, bool* wrong) {
  const store::Entry* entry = read(key);
  *wrong = entry != nullptr && entry->type() != type;
  if (*wrong) reply.error(resp::Err::kWrongType);
  return *wrong ? nullptr : entry;
}

void Context::wrong_arity() { reply.error_format(resp::kErrArity, MOON_TEXT(row.name)); }

}  // namespace moon
