// A check by several processes: the report, or the error, is that of one, byte by byte.
//
// The processes are played one after the other, the one that reports last.

#include <stdexcept>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "check/team.hpp"
#include "run.hpp"
#include "same_reports.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

using namespace agreement;
using ranges::part;

namespace {

/// A process of a team whose others, with larger numbers, have given what they have.
class Player : public Team {
 public:
  Player(std::size_t rank, std::vector<std::string>& given) : rank_(rank), given_(given) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return given_.size(); }
  std::vector<std::string> gather(std::string own) override {
    given_[rank_] = std::move(own);
    return rank_ == 0 ? given_ : std::vector<std::string>();
  }

 private:
  std::size_t rank_;
  std::vector<std::string>& given_;
};

struct TeamOutcome {
  std::string report;   ///< or the message of the error
  bool shared = false;  ///< no process did all alone
};

template <typename F>
std::string report_or_error(F check) {
  try {
    return to_json(check());
  } catch (const std::exception& error) {
    return std::string("error: ") + error.what();
  }
}

TeamOutcome by_team(const Source& source, const Machine& machine, const CheckOptions& options,
                    std::size_t processes, bool in_full = true) {
  std::vector<std::string> given(processes);
  for (std::size_t rank = processes - 1; rank > 0; --rank) {
    Player player(rank, given);
    report_or_error([&] { return check_together(source, machine, options, player, in_full); });
  }
  Player first(0, given);
  TeamOutcome result;
  result.report =
      report_or_error([&] { return check_together(source, machine, options, first, in_full); });
  result.shared =
      std::ranges::none_of(given, [](const std::string& bytes) { return bytes.empty(); });
  return result;
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
  std::vector<std::string> given(2);
  Player second(1, given), first(0, given);
  check_together(schedule(1), machine, {}, second);
  CHECK_THROWS_AS(check_together(schedule(0), machine, {}, first), InputError);
  check_together(schedule(0), machine, {}, second);
  CHECK(to_json(check_together(schedule(0), machine, {}, first)) ==
        to_json(check(schedule(0), machine)));
}

TEST_CASE("schedules of which a part is enough are not shared") {
  const auto [algorithm, request] = run::ready({"ring", 8, 8, "duplex", "allreduce"});
  const Source source = from_algorithm(*algorithm, request, "ring");
  const std::string alone = to_json(check(source, request.machine, {}));
  for (const bool in_full : {false, true}) {
    const TeamOutcome together = by_team(source, request.machine, {}, 3, in_full);
    CHECK(together.report == alone);
    CHECK(together.shared == in_full);
  }
}
