// Is io_uring usable here, and if not, why and what helps? Any thread.
#pragma once

#include <string>

namespace moon::io {

struct UringProbe {
  bool usable = false;
  int error = 0;       // errno of the refusal
  std::string reason;  // one line for the log: cause and cure; empty if usable
};

// Sets up a small ring with everything that the reactor needs and takes it down again.
UringProbe probe_uring();

// `proc` stands in for /proc in tests.
std::string explain_uring_error(int error, const std::string& proc = "/proc");

}  // namespace moon::io
