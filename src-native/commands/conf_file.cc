// The file side of CONFIG REWRITE (conf_rewriter.h).
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "commands/conf_rewriter.h"

namespace moon::commands {
namespace {

std::string system_error() { return std::strerror(errno); }

// A descriptor that is closed on every way out.
class File {
 public:
  File(const std::string& path, int flags, mode_t mode = 0)
      : fd_(open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

// Reads all of it; a missing file is an empty one. False with errno.
bool read_all(const std::string& path, std::string* text, mode_t* mode) {
  File file(path, O_RDONLY);
  if (file.fd() < 0) return errno == ENOENT;
  struct stat status;
  if (fstat(file.fd(), &status) != 0) return false;
  *mode = status.st_mode & 07777;
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(file.fd(), buffer, sizeof buffer);
    if (got == 0) return true;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    text->append(buffer, static_cast<size_t>(got));
  }
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    text.remove_prefix(static_cast<size_t>(put));
  }
  return fsync(fd) == 0;
}

// The file a symbolic link leads to: rename() would replace the link itself.
std::string resolve(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) == nullptr ? path : resolved;
}

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

std::string rewrite_conf_file(const std::string& path, const Settings& settings) {
  const std::string target = resolve(path);
  std::string old_text;
  mode_t mode = 0644;
  if (!read_all(target, &old_text, &mode)) return system_error();
  const std::string text = rewrite_conf(old_text, effective_directives(settings));
  if (text == old_text) return {};
  const std::string temporary = target + ".rewrite-" + std::to_string(getpid());
  std::string error;
  {
    File file(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    if (file.fd() < 0) return system_error();
    if (!write_all(file.fd(), text) || fchmod(file.fd(), mode) != 0) error = system_error();
  }
  if (error.empty() && std::rename(temporary.c_str(), target.c_str()) != 0) {
    error = system_error();
  }
  if (!error.empty()) {
    unlink(temporary.c_str());
    return error;
  }
  File directory(directory_of(target), O_RDONLY | O_DIRECTORY);
  if (directory.fd() >= 0) fsync(directory.fd());
  return {};
}

}  // namespace moon::commands
