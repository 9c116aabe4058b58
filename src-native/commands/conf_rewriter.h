// CONFIG REWRITE: the conf file as it stands, and the settings as they are, make the new file.
//
// What the user wrote stays: comments, blank lines, the order, directives that the server does not
// know as settings (include). A directive that the file names gets its current value on that line;
// a second mention goes. A directive that the file does not name is added only when its value is
// not the default, at the end, behind a comment that says where it came from.
//
// Pure functions on text; any thread. rewrite_conf_file() blocks for a write and two fsyncs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.h"

namespace moon::commands {

struct ConfDirective {
  std::string_view name;
  std::vector<std::string_view> aliases;
  std::vector<std::string> values;  // what stands behind the name, one element a line
  bool is_default = true;
};

// The directives that the settings amount to, in the order of the table.
std::vector<ConfDirective> effective_directives(const Settings& settings);

std::string rewrite_conf(std::string_view old_text, std::span<const ConfDirective> directives);

// Replaces the file at `path` (which may be missing): temporary file beside it, fsync, rename.
// Returns "" or what went wrong, in the system's words; the old file is untouched then.
std::string rewrite_conf_file(const std::string& path, const Settings& settings);

// One word as the conf file's reader takes it: quoted only where it has to be.
std::string quote_conf_word(std::string_view word);

}  // namespace moon::commands
