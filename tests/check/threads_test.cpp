// A check by several threads: the report, or the error, is that of one thread, byte by byte.
//
// The schedules are small, so that the threads start after the first step, and blocks are of single
// steps or of a few.

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <vector>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "check/threading.hpp"
#include "same_reports.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"

using namespace agreement;
using ranges::part;

namespace {

/// Threads from the start, with small blocks.
Threading early(std::size_t threads) {
  return {.threads = threads,
          .alone = 0,
          .block = 1 + 40 * (threads % 2),
          .blocks = 2 + threads,
          .in_full = true};
}

/// The report, or the message of the error.
std::string outcome(const Source& source, const Machine& machine, const CheckOptions& options,
                    const Threading& threading) {
  try {
    return to_json(check_steps(source, machine, options, threading));
  } catch (const std::exception& error) {
    return std::string("error: ") + error.what();
  }
}

/// The outcome for any number of threads, which is required to be the same.
std::string same_outcome(const Source& source, const Machine& machine,
                         const CheckOptions& options = {}) {
  const std::string alone = outcome(source, machine, options, {.threads = 1, .in_full = true});
  for (const std::size_t threads : {2, 3, 4}) {
    INFO(threads << " threads");
    CHECK(outcome(source, machine, options, early(threads)) == alone);
  }
  return alone;
}

/// A source that fails when `steps` steps were read.
Source cut(const Source& whole, std::uint64_t steps) {
  class Stream : public StepStream {
   public:
    Stream(std::unique_ptr<StepStream> stream, std::uint64_t steps)
        : stream_(std::move(stream)), left_(steps) {}
    bool next(Step& step) override {
      if (left_-- == 0) throw InputError({"file", 7, 1}, "unreadable");
      return stream_->next(step);
    }

   private:
    std::unique_ptr<StepStream> stream_;
    std::uint64_t left_;
  };
  Source source = whole;
  source.open = [open = whole.open, steps] { return std::make_unique<Stream>(open(), steps); };
  return source;
}

/// Rank 0 sends chunk after chunk to rank 1, `steps` of them, and all but the last to rank 2.
std::shared_ptr<Schedule> long_chain(std::uint32_t steps) {
  auto schedule = std::make_shared<Schedule>();
  for (std::uint32_t s = 0; s < steps; ++s) {
    schedule->begin_step(s);
    schedule->add(copy(0, 1, s));
    if (s > 0) schedule->add(copy(1, 2, s - 1));
  }
  return schedule;
}

Problem broadcast(std::uint32_t chunks) {
  Problem problem;
  problem.collective = Collective::broadcast;
  problem.ranks = 3;
  problem.chunks = chunks;
  return problem;
}

}  // namespace

TEST_CASE("several threads report the same for every algorithm") {
  same_reports::of_algorithms(same_outcome);
}

TEST_CASE("several threads report the same for mutants") {
  same_reports::of_mutants(3, true, same_outcome);
}

TEST_CASE("several threads report the same of hops") { same_reports::of_hops(4, same_outcome); }

TEST_CASE("several threads end at the same limit") {
  // Rank 1 has every other 4096 chunks; each of its transfers to rank 2 covers all of these runs.
  constexpr std::uint32_t runs = 4096, length = 4096;
  auto schedule = std::make_shared<Schedule>();
  std::uint64_t step = 0;
  for (std::uint32_t i = 0; i < runs; ++i) {
    schedule->begin_step(step++);
    schedule->add(copy(0, 1, 2 * i * length, length));
  }
  for (int i = 0; i < 400; ++i) {
    schedule->begin_step(step++);
    schedule->add(copy(1, 2, 0, 2 * runs * length));
  }
  const Source source = from_schedule(broadcast(2 * runs * length), schedule);
  const std::string report = same_outcome(source, make_machine("duplex", 3));
  CHECK(report.find("too finely") != std::string::npos);
}

TEST_CASE("a defect late in a long schedule is found by several threads") {
  constexpr std::uint32_t steps = 20000;
  const auto whole = long_chain(steps);
  for (const std::uint32_t at : {1U, 2U, steps / 2, steps - 1}) {
    for (const int defect : {0, 1, 2, 3}) {
      auto schedule = std::make_shared<Schedule>();
      for (std::uint64_t row = 0; row < whole->size(); ++row) {
        const Step step = (*whole)[row];
        schedule->append(step);
        if (row != at) continue;
        if (defect == 0) schedule->add(copy(0, 1, steps));      // no such chunk
        if (defect == 1) schedule->add(copy(2, 1, steps - 1));  // not held
        if (defect == 2) schedule->add(copy(0, 1, 0));          // again
        if (defect == 3) schedule->add(copy(0, 2, at - 1));     // two copies at a time
      }
      const std::string report =
          same_outcome(from_schedule(broadcast(steps), schedule), make_machine("kport:k=2", 3));
      CHECK(report.find("\"findings_total\": 0") == std::string::npos);
    }
  }
}

TEST_CASE("several threads follow queues that tell holdings, and those that do not") {
  // Rank 1 gets chunks one by one, and passes them on later, or from the start; a long transfer,
  // with which bits are followed, comes first, in between, or never.
  constexpr std::uint32_t chunks = 3000, length = 600, never = chunks;
  const Machine machine = make_machine("kport:k=2", 3);
  for (const std::uint32_t wait : {1U, 40U}) {
    for (const std::uint32_t at : {0U, 20U, 100U, never}) {
      for (const std::uint32_t again : {never, 200U, at}) {  // rank 2 gets chunk 0, and again
        INFO(wait << " " << at << " " << again);
        auto schedule = std::make_shared<Schedule>();
        std::uint32_t next = 0;
        std::vector<Transfer> waiting;
        for (std::uint32_t step = 0; next < chunks || step < waiting.size() + wait; ++step) {
          schedule->begin_step(step);
          if (next < chunks) {
            const std::uint32_t count = step == at ? length : std::min(chunks - next, 2U);
            schedule->add(copy(0, 1, next, count));
            waiting.push_back(copy(1, 2, next, count));
            next += count;
          }
          if (step >= wait) schedule->add(waiting[step - wait]);
          if (step == again) schedule->add(copy(0, 2, 0));
        }
        const Source source = from_schedule(broadcast(chunks), schedule);
        const std::string report = same_outcome(source, machine);
        CHECK((report.find("\"findings_total\": 0") != std::string::npos) == (again == never));
        for (const std::uint32_t steps : {at, at + 1, wait, wait + 1}) {
          if (steps < schedule->size())
            CHECK(same_outcome(cut(source, steps), machine).starts_with("error: "));
        }
      }
    }
  }
}

TEST_CASE("several threads report the same of tokens that come again") {
  Problem problem;
  problem.collective = Collective::barrier;
  problem.ranks = 3;
  problem.chunks = 1;
  auto schedule = std::make_shared<Schedule>();
  for (std::uint32_t step = 0; step < 300; ++step) {
    schedule->begin_step(step);
    for (Rank r = 0; r < 3; ++r) schedule->add(copy(r, (r + 1) % 3, (r + 3 - step % 3) % 3));
  }
  const std::string report =
      same_outcome(from_schedule(problem, schedule), make_machine("duplex", 3));
  CHECK(report.find("\"findings_total\": 0") != std::string::npos);
}

TEST_CASE("several threads read a right schedule once, and once more up to where queues begin") {
  for (const std::size_t threads : {2, 3}) {
    const auto schedule = long_chain(5000);
    schedule->begin_step(5000);
    schedule->add(copy(1, 2, 4999));
    Source source = from_schedule(broadcast(5000), schedule);
    std::size_t opened = 0;
    source.open = [&opened, open = source.open] { return ++opened, open(); };
    const Report report = check_steps(source, make_machine("duplex", 3), {}, early(threads));
    CHECK(report.verdict() == Verdict::holds);
    CHECK(opened == 2);
  }
}

TEST_CASE("several threads end with the error of the source") {
  const Source whole = from_schedule(broadcast(500), long_chain(500));
  const Machine machine = make_machine("duplex", 3);
  for (const std::uint64_t steps : {0, 1, 2, 30, 499, 500}) {
    INFO(steps);
    CHECK(same_outcome(cut(whole, steps), machine).starts_with("error: "));
  }
  CHECK_FALSE(same_outcome(cut(whole, 501), machine).starts_with("error: "));
}

TEST_CASE("only the calling thread reports progress, which may stop several") {
  struct Stop {};
  const Source source = from_schedule(broadcast(5000), long_chain(5000));
  const Machine machine = make_machine("duplex", 3);
  for (const std::size_t threads : {1, 2, 4}) {
    CheckOptions options;
    std::uint64_t calls = 0, last = 0;
    options.progress = [&, caller = std::this_thread::get_id()](std::uint64_t transfers) {
      if (std::this_thread::get_id() != caller) throw std::logic_error("another thread");
      ++calls;
      last = transfers;
    };
    check_steps(source, machine, options, early(threads));
    CHECK(calls > 0);
    CHECK(last <= 9999);
    options.progress = [](std::uint64_t) { throw Stop(); };
    CHECK_THROWS_AS(check_steps(source, machine, options, early(threads)), Stop);
  }
}

TEST_CASE("the number of threads is an option of check") {
  const Source source = from_schedule(broadcast(5000), long_chain(5000));
  const Machine machine = make_machine("duplex", 3);
  CheckOptions options;
  const std::string alone = to_json(check(source, machine, options));
  for (const unsigned jobs : {0U, 2U, 1000U}) {
    options.jobs = jobs;
    CHECK(to_json(check(source, machine, options)) == alone);
  }
}
