#pragma once

// Collects findings: counts all, keeps the first.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schedcc/report.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

/// A transfer with its place: what a finding about it names.
struct Located {
  std::uint64_t step = 0;
  Transfer transfer{};
  std::uint32_t line = 0;
  Origin origin{};   ///< of a hop
  bool hop = false;  ///< lowered from `origin`
};
Located locate(const Step& step, std::size_t index);

class Reporter {
 public:
  Reporter(std::size_t keep, bool strict) : keep_(keep), strict_(strict) {}

  /// `make()` gives the Finding; it is called only if the finding will be kept.
  template <typename F>
  void error(std::string_view check, F make) {
    add(check, Severity::error, 1, std::move(make));
  }
  template <typename F>
  void warning(std::string_view check, F make) {
    add(check, strict_ ? Severity::error : Severity::warning, 1, std::move(make));
  }
  /// Errors of which no more is said than how many there are.
  void more_errors(std::string_view check, std::uint64_t count) {
    add(check, Severity::error, count, nullptr);
  }

  bool full() const { return findings_.size() >= keep_; }
  bool violated(std::string_view check) const {
    return std::ranges::find(violated_, check) != violated_.end();
  }
  std::vector<Finding> take() { return std::move(findings_); }
  std::uint64_t total() const { return total_; }

 private:
  template <typename F>
  void add(std::string_view check, Severity severity, std::uint64_t count, F make) {
    if (count == 0) return;
    total_ += count;
    if (severity == Severity::error && !violated(check)) violated_.push_back(check);
    if constexpr (!std::is_null_pointer_v<F>) {
      if (full()) return;
      Finding finding = make();
      finding.check = check;
      finding.severity = severity;
      findings_.push_back(std::move(finding));
    }
  }

  std::size_t keep_;
  bool strict_;
  std::vector<Finding> findings_;
  std::vector<std::string_view> violated_;
  std::uint64_t total_ = 0;
};

/// A finding about a transfer: step, rank (its sender), src, dst, chunk and line filled in, and the
/// origin of a hop added to the message.
Finding about(const Located& where, std::uint64_t chunk, std::string message);

}  // namespace schedcc
