#include "cli/progress.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "cli/output.hpp"

namespace schedcc::cli {

Progress::Progress(std::string what, bool enabled)
    : what_(std::move(what)), enabled_(enabled && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (shown_) complain("\r\x1b[K");
}

void Progress::show(std::uint64_t done, std::string_view unit, std::uint64_t total) {
  using namespace std::chrono_literals;
  if (!enabled_) return;
  const auto now = Clock::now();
  if (now - start_ < 1s || now - last_ < 100ms) return;
  last_ = now;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string of = total == 0 ? "" : fmt::format(" of {}", total);
  const std::string figures = unit.empty() ? "" : fmt::format("{}{} {}, ", done, of, unit);
  complain(fmt::format("\r\x1b[K{}: {}{:.0f} s", what_, figures, seconds));
}

}  // namespace schedcc::cli
