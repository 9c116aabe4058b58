// Small text files of /proc and /sys. Any thread.
#pragma once

#include <cstdio>
#include <string>

namespace moon::io {

// The first 64 KiB; empty if it cannot be read.
inline std::string read_text_file(const std::string& path) {
  std::string text;
  FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return text;
  text.resize(65536);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

}  // namespace moon::io
