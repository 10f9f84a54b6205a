#pragma once

// Collects findings: counts all, keeps the first of each check.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/abandoned.hpp"
#include "schedcc/report.hpp"
#include "schedcc/schedule.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// A transfer with its location, which a finding about it names.
struct LocatedTransfer {
  std::uint64_t step = 0;
  Transfer transfer{};
  std::uint32_t line = 0;
  Origin origin{};   ///< of a hop
  bool hop = false;  ///< one of several that `origin` was lowered to
};
LocatedTransfer locate(const Step& step, std::size_t index);

/// Findings of one kind: the first, and how many more there are.
struct Findings {
  std::vector<Finding> first;
  std::uint64_t more = 0;
};

class Reporter {
 public:
  /// The limits on findings kept of a check, and in all: the others are only counted.
  static constexpr std::size_t max_kept = std::size_t{1} << 16;

  Reporter(std::size_t keep, bool strict) : keep_(std::min(keep, max_kept)), strict_(strict) {}

  /// Takes no findings from now on, so that whoever makes one is thrown Abandoned, or takes them
  /// again; what it did before.
  bool refuse(bool refuses) { return std::exchange(refuses_, refuses); }
  /// Has any check made a finding?
  bool any() const { return total_ != 0 || !notes_.empty(); }

  /// How many findings it keeps.
  std::size_t keeps() const { return keep_; }

  /// `make()` gives the Finding; it is called only if the finding will be kept.
  template <typename F>
  void error(std::string_view check, F make) {
    add(check, Severity::error, 1, std::move(make));
  }
  template <typename F>
  void warning(std::string_view check, F make) {
    if (!strict_) ++warnings_[check];
    add(check, strict_ ? Severity::error : Severity::warning, 1, std::move(make));
  }
  /// Several errors, of which only the number is known.
  void errors(std::string_view check, const Findings& findings) {
    for (const Finding& finding : findings.first) error(check, [&] { return finding; });
    add(check, Severity::error, findings.more, nullptr);
  }
  /// A note, which does not change the verdict. The notes of a kind (a literal) are one finding.
  template <typename F>
  void note(std::string_view check, std::string_view kind, F make) {
    if (refuses_) throw Abandoned();
    const auto same = [&](const NoteCount& n) {
      return n.kind == kind && n.finding.check == check;
    };
    if (const auto known = std::ranges::find_if(notes_, same); known != notes_.end()) {
      ++known->more;
      return;
    }
    notes_.push_back({kind, make(), 0});
    notes_.back().finding.check = check;
  }
  /// Findings of the reader of the source; their check is `format`.
  void notes(const std::vector<Note>& notes);

  bool violated(std::string_view check) const {
    return std::ranges::find(violated_, check) != violated_.end();
  }
  /// The verdict and the number of warnings of a check that was made.
  void conclude(CheckResult& result) const {
    if (violated(result.check)) result.verdict = Verdict::violated;
    const auto warned = warnings_.find(result.check);
    if (warned != warnings_.end()) result.warnings = warned->second;
  }
  bool any_violated() const { return !violated_.empty(); }
  /// The findings to be kept; if they are too many, those of the checks with the most are dropped,
  /// so that no check hides another. Notes come last: they displace no error.
  std::vector<Finding> take();
  std::uint64_t total() const { return total_ + read_.size() + notes_.size(); }

 private:
  template <typename F>
  void add(std::string_view check, Severity severity, std::uint64_t count, F make) {
    if (count == 0) return;
    if (refuses_) throw Abandoned();
    total_ += count;
    if (severity == Severity::error && !violated(check)) violated_.push_back(check);
    if constexpr (!std::is_null_pointer_v<F>) {
      if (kept_[check] >= keep_) return;
      ++kept_[check];
      Finding finding = make();
      finding.check = check;
      finding.severity = severity;
      findings_.push_back(std::move(finding));
    }
  }

  struct NoteCount {
    std::string_view kind;
    Finding finding;
    std::uint64_t more;
  };

  void keep(Finding finding, std::uint64_t more);

  std::size_t keep_;
  bool strict_;
  bool refuses_ = false;
  std::vector<Finding> findings_;
  std::map<std::string_view, std::size_t> kept_;  ///< by check
  std::map<std::string_view, std::uint64_t> warnings_;
  std::vector<NoteCount> read_, notes_;  ///< of the reader, of the checks
  std::vector<std::string_view> violated_;
  std::uint64_t total_ = 0;
};

/// A finding about a transfer: step, rank (its sender), src, dst, chunk and line filled in, and the
/// origin of a hop added to the message.
Finding about(const LocatedTransfer& where, std::uint64_t chunk, std::string message);
/// The same of what arrives: its rank is the receiver.
Finding about_receiver(const LocatedTransfer& where, std::uint64_t chunk, std::string message);

}  // namespace schedcc
