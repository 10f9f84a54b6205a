#include "check/team.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include <fmt/core.h>

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

std::string bytes(const std::vector<std::uint64_t>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint64_t)};
}

std::vector<std::uint64_t> numbers(const std::string& bytes) {
  std::vector<std::uint64_t> result(bytes.size() / sizeof(std::uint64_t));
  std::copy_n(bytes.data(), result.size() * sizeof(std::uint64_t),
              reinterpret_cast<char*>(result.data()));
  return result;
}

/// One check by a team.
class TeamCheck {
 public:
  TeamCheck(const Source& source, Team& team) : source_(source), team_(team) {}

  /// The report if there is nothing in it, apart from the reader's notes.
  std::optional<Report> share(const Machine& machine, const CheckOptions& options) {
    try {
      return check_share(source_, machine, options, {team_.rank(), team_.size()},
                         [this](Report& figures, std::uint64_t hash) { merge(figures, hash); });
    } catch (...) {  // one process finds what comes first
      if (gathered_ && !given_up_) throw;
    }
    if (!gathered_) team_.gather({});
    return std::nullopt;
  }

 private:
  void merge(Report& report, std::uint64_t hash) {
    Figures figures(report);
    std::vector<std::uint64_t> own = figures.values();
    own.push_back(hash);
    gathered_ = true;
    const std::vector<std::string> all = team_.gather(bytes(own));
    for (std::size_t i = 1; i < all.size(); ++i) {
      const std::vector<std::uint64_t> others = numbers(all[i]);
      if (others.size() != own.size()) {
        given_up_ = true;
        throw Abandoned();
      }
      require_same(i, others.back() == hash);
      figures.add(others);
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
  bool gathered_ = false, given_up_ = false;
};

}  // namespace

Report check_together(const Source& source, const Machine& machine, const CheckOptions& options,
                      Team& team, bool in_full) {
  if (options.checks) require_checks(*options.checks);
  if (!source.is_program() && team.size() > 1) {
    // Files may differ from process to process, which is found where all read all.
    if (source.file.empty()) {
      if (auto report = check_by_part(source, machine, options, {.in_full = in_full})) {
        team.gather({});  // no report without the others
        return team.rank() == 0 ? std::move(*report) : Report{};
      }
    }
    if (auto report = TeamCheck(source, team).share(machine, options)) return std::move(*report);
  }
  return team.rank() == 0 ? check(source, machine, options) : Report{};
}

}  // namespace schedcc
