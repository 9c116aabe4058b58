#include "io/probe.h"

#include <errno.h>
#include <string.h>

#include "io/text_file.h"
#include "io/uring_reactor.h"

namespace moon::io {

namespace {

std::string explain_eperm(const std::string& proc) {
  const std::string sysctl = read_text_file(proc + "/sys/kernel/io_uring_disabled");
  if (!sysctl.empty() && sysctl[0] != '0') {
    return "the sysctl kernel.io_uring_disabled is " + sysctl.substr(0, 1) +
           "; allow it with: sysctl -w kernel.io_uring_disabled=0";
  }
  const std::string status = read_text_file(proc + "/self/status");
  if (status.find("\nSeccomp:\t2") != std::string::npos) {
    return "a seccomp filter blocks it, as the default profiles of Docker and Podman do; start the "
           "container with a profile that allows io_uring_setup, io_uring_enter and "
           "io_uring_register (--security-opt seccomp=<profile.json>)";
  }
  return "a security policy of this system (SELinux, AppArmor or the like) forbids it; allow "
         "io_uring for this program there";
}

}  // namespace

std::string explain_uring_error(int error, const std::string& proc) {
  std::string cause;
  switch (error) {
    case EPERM:
    case EACCES:
      cause = explain_eperm(proc);
      break;
    case ENOSYS:
      cause = "this kernel or emulator does not have it; it needs Linux 6.0 or newer, built with "
              "CONFIG_IO_URING";
      break;
    case EOPNOTSUPP:
    case EINVAL:
      cause = "this kernel is too old for multishot receive with provided buffers; it needs Linux "
              "6.0 or newer (best 6.1)";
      break;
    case ENOMEM:
      cause = "its rings do not fit the limit of locked memory; raise it (ulimit -l, systemd: "
              "LimitMEMLOCK=infinity, docker: --ulimit memlock=-1)";
      break;
    case EMFILE:
    case ENFILE:
      cause = "no file descriptor is left for it; raise the limit of open files (ulimit -n)";
      break;
    default:
      cause = "the kernel refused to set it up";
      break;
  }
  const char* name = strerrorname_np(error);
  return std::string("io_uring is not available (") + (name != nullptr ? name : "unknown error") +
         "): " + cause;
}

UringProbe probe_uring() {
  ReactorOptions options;
  options.submission_entries = 8;
  options.completion_entries = 16;
  options.buffer_bytes = 4096;
  options.buffers_initial = 2;
  options.buffers_max = 2;
  UringProbe probe;
  probe.usable = UringReactor::create_ring(options, &probe.error) != nullptr;
  if (!probe.usable) probe.reason = explain_uring_error(probe.error);
  return probe;
}

}  // namespace moon::io
