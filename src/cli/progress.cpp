#include "cli/progress.hpp"

#include <unistd.h>

#include <atomic>
#include <string_view>

#include <fmt/core.h>

#include "cli/signals.hpp"

namespace schedcc::cli {

namespace {

constexpr std::string_view blank_line = "\r\x1b[K";

std::atomic<bool> shown = false;  // all progress shares one terminal
static_assert(std::atomic<bool>::is_always_lock_free);

/// Errors of writing are ignored.
void put(std::string_view text) noexcept {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace

Progress::Progress(std::string what, bool enabled)
    : what_(std::move(what)), enabled_(enabled && ::isatty(STDERR_FILENO) == 1) {
  if (enabled_) run_before_signal_exit(erase);
}

Progress::~Progress() { erase(); }

void Progress::erase() noexcept {
  if (shown.exchange(false)) put(blank_line);
}

void Progress::show(std::uint64_t done, std::string_view unit, std::uint64_t total) {
  using namespace std::chrono_literals;
  if (!enabled_) return;
  const auto now = Clock::now();
  if (now - start_ < 1s || now - last_ < 100ms) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string of = total == 0 ? "" : fmt::format(" of {}", total);
  const std::string figures = unit.empty() ? "" : fmt::format("{}{} {}, ", done, of, unit);
  shown = true;
  put(fmt::format("{}{}: {}{:.0f} s", blank_line, what_, figures, seconds));
}

}  // namespace schedcc::cli
