// Input, output and messages of the program are temporary files: it can read and write as it likes,
// and nothing waits for it but its end.

#include "format/picture/graphviz.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <fmt/core.h>

#include "core/memory.hpp"
#include "core/printable.hpp"
#include "schedcc/error.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to programs

namespace schedcc {

namespace {

constexpr std::string_view program = "dot";

[[noreturn]] void fail(std::string_view what, int error) {
  throw InputError(fmt::format("{}: {}", what, std::strerror(error)));
}

/// A file that is gone when it is closed.
class TemporaryFile {
 public:
  TemporaryFile() : file_(std::tmpfile(), std::fclose) {
    if (!file_) fail("cannot make a temporary file", errno);
  }
  int descriptor() const { return ::fileno(file_.get()); }

  void write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
        std::fflush(file_.get()) != 0)
      fail("cannot write a temporary file", errno);
    std::rewind(file_.get());
  }

  std::string read() {
    std::string result;
    char piece[65536];
    std::rewind(file_.get());
    for (std::size_t n = 1; n > 0;) {
      n = std::fread(piece, 1, sizeof piece, file_.get());
      result.append(piece, n);
    }
    return result;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// Starts the program with these files; its process.
pid_t start(std::string_view type, int input, int output, int messages) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
  std::string name(program), option = fmt::format("-T{}", type);
  char* const arguments[] = {name.data(), option.data(), nullptr};
  pid_t process = 0;
  const OriginalLimit its_own;
  const int error = ::posix_spawnp(&process, name.c_str(), &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail("cannot run Graphviz's 'dot'", error);
  return process;
}

/// Has it ended well?
bool wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) fail("cannot wait for Graphviz", errno);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool has_graphviz() {
  const char* path = std::getenv("PATH");
  std::string_view folders = path != nullptr ? path : "/usr/bin:/bin";
  while (!folders.empty()) {
    const std::size_t end = folders.find(':');
    const std::string file = fmt::format("{}/{}", folders.substr(0, end), program);
    if (::access(file.c_str(), X_OK) == 0) return true;
    folders = end == std::string_view::npos ? std::string_view() : folders.substr(end + 1);
  }
  return false;
}

void require_graphviz() {
  if (has_graphviz()) return;
  throw InputError(
      "pictures are drawn by Graphviz, whose program 'dot' was not found: install it (Debian: "
      "graphviz), or write its input (--emit dot) or a page (--emit html)");
}

std::string draw_with_graphviz(std::string_view type, std::string_view text) {
  TemporaryFile input, output, messages;
  input.write(text);
  const bool done =
      wait_for(start(type, input.descriptor(), output.descriptor(), messages.descriptor()));
  std::string result = output.read();
  if (done && !result.empty()) return result;
  std::string message = messages.read();
  message.erase(message.find_last_not_of(" \n") + 1);
  throw InputError(fmt::format("Graphviz failed: {}", printable(message, 400)));
}

}  // namespace schedcc
