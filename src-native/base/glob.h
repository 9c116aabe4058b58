// Glob patterns of KEYS, SCAN MATCH, CONFIG GET, PSUBSCRIBE. Any thread; no allocation.
//
//   *      any bytes, also none
//   ?      one byte
//   [abc]  one of these; [^abc] none of these; [a-z] range, also reversed; '\' quotes
//   \x     the byte x
//
// Redis's corner cases hold: a class that is not closed ends with the pattern, a '\' at the end is
// itself, and an empty text is matched by the empty pattern only, not by "*". Time is at most
// pattern x text: only the last '*' is ever tried again, which loses nothing because every other
// element takes exactly one byte.
#pragma once

#include <string_view>

namespace moon {

bool glob_match(std::string_view pattern, std::string_view text, bool ignore_case = false);

// True when the pattern matches just one text, itself.
bool glob_is_literal(std::string_view pattern);

}  // namespace moon
