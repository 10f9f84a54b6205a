// Pipelines that can be read once only, as files: their rows are those of the stream, and reports
// are those of checks in full.

#include "check/period/folded_rows.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "excerpts.hpp"

using namespace agreement;
using namespace excerpts;
using ranges::part;

namespace {

/// Steps that come one after the other, and in no other order.
class Once : public StepStream {
 public:
  explicit Once(std::unique_ptr<StepStream> stream) : stream_(std::move(stream)) {}
  bool next(Step& step) override { return stream_->next(step); }

 private:
  std::unique_ptr<StepStream> stream_;
};

/// The rows, with a line for each transfer, as those of a file.
Source file_of(const Problem& problem, const Rows& rows) {
  auto schedule = std::make_shared<Schedule>();
  std::uint32_t line = 8;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    schedule->begin_step(i);
    for (const Transfer& t : rows[i]) schedule->add(t, ++line);
  }
  Source source;
  source.name = source.file = "a file";
  source.problem = problem;
  source.open = [schedule] {
    return std::make_unique<Once>(stream(std::shared_ptr<const Schedule>(schedule)));
  };
  return source;
}

std::optional<Steps> fold(const Source& source) { return folded_rows(source.open(), 1, {}); }

/// Are the folded rows those of the stream, as a whole, and in three parts?
void same_rows(const Source& source, const Steps& folded) {
  const auto steps = source.open();
  std::uint64_t row = 0;
  bool same = true;
  for (Step step; steps->next(step); ++row) {
    REQUIRE(row < folded.size());
    const Transfers expected(step.transfers.begin(), step.transfers.end());
    Transfers whole, joined, buffer;
    same &= folded.fill(row, whole) == step.number && whole == expected;
    for (std::uint64_t p = 0; p < 3; ++p) {
      const Step some = folded.read(row, {p, p + 1, 3}, buffer);
      joined.insert(joined.end(), some.transfers.begin(), some.transfers.end());
      same &= some.number == step.number;
    }
    same &= joined == expected;
  }
  CHECK(same);
  CHECK(row == folded.size());
}

}  // namespace

TEST_CASE("folded rows are those of the stream, and checked as all transfers are") {
  std::size_t cases = 0, by_part = 0, violated = 0;
  Random random(14);
  for (const Rank ranks : {2, 5, 8, 13}) {
    for_some_cases(ranks, 300, part(1, 2), [&](const Case& c) {
      const Source whole = from_algorithm(*c.algorithm, c.request, "algorithm");
      const Problem& problem = whole.problem;
      if (problem.collective != Collective::broadcast && problem.collective != Collective::reduce &&
          problem.collective != Collective::allreduce)
        return;
      INFO(c.text());
      Rows rows = rows_of(whole);
      for (const bool changed : {false, true}) {
        if (changed && !rows.empty()) {
          const std::uint32_t at = random.below(static_cast<std::uint32_t>(rows.size()));
          change(rows, problem, random.below(8), random,
                 [&](std::size_t row, const Transfer& t) { return row == at && t.first % 3 == 0; });
        }
        const Source file = file_of(problem, rows);
        if (const auto folded = fold(file)) same_rows(file, *folded);
        violated += !holds(same_by_excerpt(file, c.request.machine));
        if (!changed) {
          ++cases;
          by_part += check_by_part(file, c.request.machine, {}, {.threads = 2}).has_value();
        }
      }
    });
  }
  CHECK(cases > 50);
  CHECK(by_part > 40);
  CHECK(violated > 20);
}

TEST_CASE("rows that repeat no others are not kept beyond a limit") {
  const Problem problem{Collective::broadcast, 20000, 0, 4000, false, nullptr};
  Random random(3);
  Rows rows(257);
  for (Transfers& row : rows) {
    for (Rank to = 1; to < problem.ranks; ++to) row.push_back(copy(0, to, random.below(4000)));
  }
  CHECK_FALSE(fold(file_of(problem, rows)));
  // Nor if some repeat others.
  for (std::size_t i = 128; i < 320; i += 64) rows.insert(rows.begin() + i, rows[i - 1]);
  CHECK_FALSE(fold(file_of(problem, rows)));
  rows.resize(250);
  CHECK(fold(file_of(problem, rows)));
}

TEST_CASE("the first rows of a long chain are kept, which repeat no others") {
  constexpr Rank ranks = 600;
  const Problem problem{Collective::broadcast, ranks, 0, 3000, false, nullptr};
  Rows rows(problem.chunks + ranks - 2);
  for (Rank from = 0; from < ranks - 1; ++from) {
    for (Chunk chunk = 0; chunk < problem.chunks; ++chunk)
      rows[from + chunk].push_back(copy(from, from + 1, chunk));
  }
  CHECK(check_by_part(file_of(problem, rows), make_machine("duplex", ranks), {}, {.threads = 1}));
}

TEST_CASE("rows of several rounds are not folded") {
  auto schedule = std::make_shared<Schedule>();
  schedule->begin_step(0, 2);
  CHECK_FALSE(folded_rows(stream(std::shared_ptr<const Schedule>(schedule)), 1, {}));
}
