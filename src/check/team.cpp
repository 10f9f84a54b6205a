#include "check/team.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "check/crew.hpp"
#include "check/threading.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// The figures of a share in a fixed order. Of some the sum over all shares counts, of the others
/// the largest.
class Figures {
 public:
  explicit Figures(Report& report)
      : sums_{&report.transfers, &report.messages, &report.volume},
        maxima_{&report.steps, &report.width} {
    if (report.hops) sums_.push_back(&*report.hops);
    if (report.congestion) maxima_.push_back(&*report.congestion);
    if (report.max_buffer) maxima_.push_back(&*report.max_buffer);
    for (LevelQueues& queues : report.queues) {
      maxima_.push_back(&queues.up);
      maxima_.push_back(&queues.down);
    }
  }

  std::vector<std::uint64_t> values() const {
    std::vector<std::uint64_t> result;
    for (const auto* list : {&sums_, &maxima_}) {
      for (const std::uint64_t* figure : *list) result.push_back(*figure);
    }
    return result;
  }

  std::size_t size() const { return sums_.size() + maxima_.size(); }

  void add(std::span<const std::uint64_t> others) {
    for (std::uint64_t* figure : sums_) {
      *figure += others.front();
      others = others.subspan(1);
    }
    for (std::uint64_t* figure : maxima_) {
      *figure = std::max(*figure, others.front());
      others = others.subspan(1);
    }
  }

 private:
  std::vector<std::uint64_t*> sums_, maxima_;
};

/// One check by a team, in which each process has a share.
class TeamCheck {
 public:
  TeamCheck(const Source& source, Team& team) : source_(source), team_(team) {}

  /// The report if there is nothing in it, apart from the reader's notes.
  std::optional<Report> share(const Machine& machine, const CheckOptions& options) {
    try {
      return check_share(source_, machine, options, {team_.rank(), team_.size()},
                         [this](Report& figures, std::uint64_t hash) { merge(figures, hash); });
    } catch (...) {  // one process finds what comes first
      if (exchanged_ && !given_up_) throw;
    }
    if (!exchanged_) team_.exchange({});
    return std::nullopt;
  }

 private:
  void merge(Report& report, std::uint64_t hash) {
    Figures figures(report);
    std::vector<std::uint64_t> own = figures.values();
    own.push_back(hash);
    exchanged_ = true;
    const std::vector<std::string> all =
        team_.exchange(bytes_of(std::span<const std::uint64_t>(own)));
    given_up_ = std::ranges::any_of(
        all, [&](const std::string& bytes) { return bytes.size() != all.front().size(); });
    if (given_up_ || all.front().empty()) throw Abandoned();
    std::uint64_t first = hash;
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::string_view bytes = all[i];
      const auto others = take<std::uint64_t>(bytes, own.size());
      if (i == 0) first = others.back();
      require_same(i, others.back() == first);
      if (i != team_.rank()) figures.add(others);
    }
  }

  void require_same(std::size_t process, bool same) const {
    if (same) return;
    throw InputError(
        {source_.file, 0, 0},
        fmt::format("process {} of the job reads another schedule than process 0", process));
  }

  const Source& source_;
  Team& team_;
  bool exchanged_ = false, given_up_ = false;
};

/// By all processes; none if process 0 has to check by itself.
std::optional<Report> shared_check(const Source& source, const Machine& machine,
                                   const CheckOptions& options, Team& team, bool in_full) {
  // Files may differ from process to process, which is found where all read all. So may what a
  // generator prints; the rows of an algorithm do not.
  if (source.file.empty()) {
    const bool rows = source.open()->rows().has_value();
    const Threading threading{.in_full = in_full, .team = rows ? &team : nullptr};
    auto report = check_by_part(source, machine, options, threading);
    if (Crew{1, &team}.all(report.has_value())) return report;
  }
  return TeamCheck(source, team).share(machine, options);
}

}  // namespace

Report check_together(const Source& source, const Machine& machine, const CheckOptions& options,
                      Team& team, bool in_full) {
  if (options.checks) require_checks(*options.checks);
  std::optional<Report> report;
  if (!source.is_program() && team.size() > 1) {
    try {
      report = shared_check(source, machine, options, team, in_full);
    } catch (const TeamEnded&) {
    }
  }
  if (team.rank() != 0) return {};
  return report ? std::move(*report) : check(source, machine, options);
}

}  // namespace schedcc
