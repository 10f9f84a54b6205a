// A check by several processes: the report, or the error, is that of one, byte by byte.
//
// The processes are played by threads.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "check/team.hpp"
#include "rows.hpp"
#include "run.hpp"
#include "same_reports.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

using namespace agreement;
using ranges::part;

namespace {

/// Where processes give what the others get.
class Table {
 public:
  explicit Table(std::size_t processes) : given_(processes) {}

  std::size_t size() const { return given_.size(); }

  std::vector<std::string> exchange(std::size_t rank, std::string own) {
    std::unique_lock lock(mutex_);
    const std::uint64_t turn = turn_;
    given_[rank] = std::move(own);
    if (++arrived_ == size()) {
      taken_ = given_;
      arrived_ = 0;
      ++turn_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return turn_ != turn || left_ > 0; });
    if (turn_ != turn) return taken_;
    if (rank == 0) throw std::runtime_error("a process has ended");
    throw TeamEnded();
  }

  /// Nothing comes from this process any more.
  void leave() {
    const std::lock_guard lock(mutex_);
    ++left_;
    changed_.notify_all();
  }

  /// Has every process given something in the end, and the same?
  bool agreed() const {
    return !taken_.empty() && !taken_.front().empty() && taken_.front() != "no" &&
           std::ranges::all_of(taken_, [this](const std::string& given) {
             return given.size() == taken_.front().size();
           });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> given_, taken_;
  std::size_t arrived_ = 0, left_ = 0;
  std::uint64_t turn_ = 0;
};

class Player : public Team {
 public:
  Player(std::size_t rank, Table& table) : rank_(rank), table_(table) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return table_.size(); }
  std::vector<std::string> exchange(std::string own) override {
    return table_.exchange(rank_, std::move(own));
  }

 private:
  std::size_t rank_;
  Table& table_;
};

struct TeamOutcome {
  std::string report;   ///< or the message of the error
  bool shared = false;  ///< process 0 has not done all alone
};

template <typename F>
std::string report_or_error(F check) {
  try {
    return to_json(check());
  } catch (const std::exception& error) {
    return std::string("error: ") + error.what();
  }
}

/// `source(rank)` is what a process reads.
TeamOutcome by_team(const std::function<Source(std::size_t)>& source, const Machine& machine,
                    const CheckOptions& options, std::size_t processes, bool in_full) {
  Table table(processes);
  TeamOutcome result;
  const auto play = [&](std::size_t rank) {
    Player player(rank, table);
    const std::string report = report_or_error(
        [&] { return check_together(source(rank), machine, options, player, in_full); });
    if (rank == 0) result.report = report;
    table.leave();
  };
  std::vector<std::thread> others;
  for (std::size_t rank = 1; rank < processes; ++rank) others.emplace_back(play, rank);
  play(0);
  for (std::thread& other : others) other.join();
  result.shared = table.agreed();
  return result;
}

TeamOutcome by_team(const Source& source, const Machine& machine, const CheckOptions& options,
                    std::size_t processes, bool in_full = true) {
  return by_team([&](std::size_t) { return source; }, machine, options, processes, in_full);
}

/// The outcome for any number of processes, which is required to be the same; and that they share
/// the check if there is nothing to report.
std::string shared_outcome(const Source& source, const Machine& machine,
                           const CheckOptions& options = {}) {
  const std::string alone = report_or_error([&] { return check(source, machine, options); });
  const bool clean = alone.find("\"findings_total\": 0") != std::string::npos &&
                     alone.find("\"verdict\": \"unknown\"") == std::string::npos;
  for (const std::size_t processes : {1, 2, 3, 4, 7}) {
    INFO(processes << " processes");
    const TeamOutcome together = by_team(source, machine, options, processes);
    CHECK(together.report == alone);
    if (processes > 1) CHECK(together.shared == clean);
  }
  return alone;
}

}  // namespace

TEST_CASE("several processes report the same for every algorithm") {
  same_reports::of_algorithms(shared_outcome);
}

TEST_CASE("several processes report the same for mutants") {
  same_reports::of_mutants(5, false, shared_outcome);
}

TEST_CASE("several processes report the same of hops") { same_reports::of_hops(6, shared_outcome); }

TEST_CASE("several processes compare sums, each of a part of the chunks") {
  Request request;
  request.problem.collective = Collective::allreduce;
  request.problem.ranks = 8;
  request.problem.chunks = 24;
  const Machine machine = make_machine("duplex", 8);
  const Source ring = from_algorithm("ring", request.problem, "duplex");
  for (const std::string other : {"ring", "recursive-doubling", "rabenseifner"}) {
    CheckOptions options;
    options.same_as = std::make_shared<const OtherSchedule>(
        OtherSchedule{from_algorithm(other, request.problem, "duplex"), machine});
    const std::string report = shared_outcome(ring, machine, options);
    CHECK((report.find("\"verdict\": \"violated\"") == std::string::npos) == (other == "ring"));
  }
}

TEST_CASE("processes that do not read the same have no verdict") {
  Problem problem;
  problem.collective = Collective::broadcast;
  problem.ranks = 3;
  problem.chunks = 2;
  const auto schedule = [&](Chunk first) {
    auto result = std::make_shared<Schedule>();
    for (std::uint64_t step = 0; step < 2; ++step) {
      result->begin_step(step);
      result->add(copy(0, 1, step == 0 ? first : 1 - first));
    }
    result->begin_step(2);
    result->add(copy(1, 2, 0, 2));
    return from_schedule(problem, result);
  };
  const Machine machine = make_machine("duplex", 3);
  const auto outcome = [&](Chunk second) {
    const auto source = [&](std::size_t rank) { return schedule(rank == 0 ? 0 : second); };
    return by_team(source, machine, {}, 2, true).report;
  };
  CHECK(outcome(1).find("reads another schedule than process 0") != std::string::npos);
  CHECK(outcome(0) == to_json(check(schedule(0), machine)));
}

namespace {

/// Rows that count the transfers which are made of them.
Source counted(const Source& source, std::shared_ptr<std::atomic<std::uint64_t>> made) {
  Source result = source;
  result.open = [rows = *source.open()->rows(), made] {
    return stream(
        Steps::in_parts(rows.size(), rows.parts(),
                        [rows, made](std::uint64_t row, const RowParts& parts, Transfers& buffer) {
                          const Step step = rows.read(row, parts, buffer);
                          *made += step.transfers.size();
                          return step;
                        }));
  };
  return result;
}

struct Divided {
  const char* algorithm;
  const char* collective;
  Rank ranks;
  std::uint32_t chunks;
};

/// Checked by rank 0 of a symmetry, by one generation of packets, by an excerpt, and by an image.
constexpr Divided divided[] = {{"pairwise", "alltoall", 300, 1},
                               {"ring", "allreduce", 256, 256},
                               {"circulant", "broadcast", 200, 400},
                               {"fractional-tree", "broadcast", 100, 900},
                               {"circulant", "allreduce", 200, 400}};

}  // namespace

TEST_CASE("processes divide the rows of a schedule of which a part is enough") {
  for (const Divided& d : divided) {
    INFO(d.algorithm << " " << d.collective);
    const auto [algorithm, request] =
        run::ready({d.algorithm, d.ranks, d.chunks, "duplex", d.collective});
    const Source source = from_algorithm(*algorithm, request, "algorithm");
    const std::string alone = to_json(check(source, request.machine, {}));
    std::uint64_t made_by_one = 0;
    for (const std::size_t processes : {1, 2, 4, 7}) {
      INFO(processes << " processes");
      std::vector<std::shared_ptr<std::atomic<std::uint64_t>>> made;
      for (std::size_t i = 0; i < processes; ++i)
        made.push_back(std::make_shared<std::atomic<std::uint64_t>>(0));
      const auto counting = [&](std::size_t rank) { return counted(source, made[rank]); };
      const TeamOutcome together = by_team(counting, request.machine, {}, processes, false);
      CHECK(together.report == alone);
      if (processes == 1) {
        made_by_one = *made[0];
      } else {
        CHECK(together.shared);
      }
      // What all read are the places that are looked at first, and the part that is checked.
      for (const auto& count : made) CHECK(4 * *count <= made_by_one * 4 / processes + made_by_one);
    }
  }
}

TEST_CASE("processes find a transfer that differs in the rows of any of them") {
  Random random(3);
  for (const Divided& d : divided) {
    const auto [algorithm, request] =
        run::ready({d.algorithm, d.ranks, d.chunks, "duplex", d.collective});
    const auto rows = step_rows::rows_of(from_algorithm(*algorithm, request, "algorithm"));
    for (int i = 0; i < part(2, 20); ++i) {
      auto changed = rows;
      auto& row = changed[random.below(changed.size())];
      if (row.empty()) continue;
      row[random.below(row.size())].dst = random.below(d.ranks);
      const Source source = step_rows::source_of_rows(request.problem, changed);
      CHECK(by_team(source, request.machine, {}, 3, false).report ==
            to_json(check(source, request.machine, {})));
    }
  }
}

TEST_CASE("processes report the same of schedules that are checked by a part") {
  std::size_t shared = 0;
  same_reports::of_algorithms(
      [&](const Source& source, const Machine& machine, const CheckOptions& options) {
        const std::string alone = report_or_error([&] { return check(source, machine, options); });
        const TeamOutcome together = by_team(source, machine, options, 3, false);
        CHECK(together.report == alone);
        shared += together.shared;
        return alone;
      });
  CHECK(shared > 50);
}
