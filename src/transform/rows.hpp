#pragma once

// Schedules under construction: transfers, and the lines of custom collectives.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "schedcc/error.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// What is built in memory: transfers (2 GiB), ranks whose numbers or lines are listed. A few lines
/// of a file can demand more.
inline constexpr std::uint64_t most_built_transfers = std::uint64_t{1} << 27;
inline constexpr std::uint64_t most_built_ranks = std::uint64_t{1} << 24;

/// A schedule under construction: transfers that continue the previous one are merged with it.
/// Throws LimitError for more than `most_built_transfers`.
class Rows {
 public:
  void begin_step(std::uint64_t number, std::uint32_t rounds = 1) {
    flush();
    schedule_->begin_step(number, rounds);
  }
  void add(const Transfer& t) {
    require_room(1);
    const bool continues = pending_.count != 0 && t.src == pending_.src && t.dst == pending_.dst &&
                           t.reduce == pending_.reduce &&
                           t.first == pending_.first + pending_.count &&
                           t.count <= max_transfer_count - pending_.count;
    if (continues) {
      pending_.count = (pending_.count + t.count) & max_transfer_count;
    } else {
      flush();
      pending_ = t;
    }
  }
  /// Throws LimitError if `transfers` more are too many.
  void require_room(std::uint64_t transfers) const {
    if (transfers <= most_built_transfers - schedule_->transfers()) return;
    throw LimitError("the schedule would have more than " + std::to_string(most_built_transfers) +
                     " transfers");
  }
  std::shared_ptr<const Schedule> finish() {
    flush();
    return schedule_;
  }

 private:
  void flush() {
    if (pending_.count == 0) return;
    schedule_->add(pending_);
    pending_ = {};
  }

  std::shared_ptr<Schedule> schedule_ = std::make_shared<Schedule>();
  Transfer pending_{};
};

/// The blocks of `chunks` chunks that have chunks of the transfer.
inline std::uint64_t blocks_of(const Transfer& t, std::uint64_t chunks) {
  return (std::uint64_t{t.first} + t.count - 1) / chunks - t.first / chunks + 1;
}

/// `pre` or `post` lines under construction, by rank.
class Lines {
 public:
  void add(Rank rank, const Run& run, bool reduced = false) {
    std::vector<Run>& runs = lines_[{rank, reduced}];
    if (!runs.empty() && runs.back().first + runs.back().count == run.first) {
      runs.back().count += run.count;
    } else {
      runs.push_back(run);
    }
  }
  std::vector<Holding> holdings() const {
    std::vector<Holding> result;
    for (const auto& [key, runs] : lines_) result.push_back({key.first, runs, key.second});
    return result;
  }

 private:
  std::map<std::pair<Rank, bool>, std::vector<Run>> lines_;
};

/// The finished rows as a source. Throws InputError for a problem that is not valid.
Source finished(Problem problem, Rows& rows, std::uint64_t nodes, const std::string& machine,
                const std::string& name);

}  // namespace schedcc
