// Schedules for several chunks, made from those for one: the tables of algorithms are what their
// rules for that number of chunks say.

#include "model/scaling.hpp"

#include <string>

#include "algorithm/entry.hpp"
#include "algorithm_cases.hpp"
#include "catch.hpp"
#include "schedcc/error.hpp"

using namespace agreement;
using ranges::part;

namespace {

/// The rows, as text.
std::string text(const Steps& steps) {
  std::string result;
  for (std::uint64_t row = 0; row < steps.size(); ++row) {
    Transfers transfers;
    result += "step " + std::to_string(steps.fill(row, transfers)) + "\n";
    for (const Transfer& t : transfers) {
      result += std::to_string(t.src) + " -> " + std::to_string(t.dst) + " : " +
                std::to_string(t.first) + "+" + std::to_string(t.count) +
                (t.reduce != 0 ? " reduce\n" : "\n");
    }
  }
  return result;
}

std::string text(std::span<const Holding> lines) {
  std::string result;
  for (const Holding& line : lines) {
    result += std::to_string(line.rank) + (line.reduced ? " reduced:" : ":");
    for (const Run& run : line.runs)
      result += " " + std::to_string(run.first) + "+" + std::to_string(run.count);
    result += "\n";
  }
  return result;
}

/// Rows 1 and 4: a transfer of two chunks, and two transfers of one chunk; in `parts` parts.
Steps two_rows(std::uint64_t parts) {
  const auto read = [](std::uint64_t row, const RowParts& some, Transfers& buffer) {
    const Transfers all =
        row == 0 ? Transfers{copy(0, 1, 2, 2)} : Transfers{copy(1, 2, 3), {2, 1, 0, 1, 1}};
    const std::size_t n = all.size();
    buffer.assign(all.begin() + static_cast<std::ptrdiff_t>(n * some.first / some.of),
                  all.begin() + static_cast<std::ptrdiff_t>(n * some.end / some.of));
    Step step;
    step.number = row == 0 ? 1 : 4;
    step.transfers = buffer;
    return step;
  };
  const auto fill = [read](std::uint64_t row, Transfers& out) {
    Transfers buffer;
    const Step step = read(row, {}, buffer);
    out.insert(out.end(), buffer.begin(), buffer.end());
    return step.number;
  };
  return Steps(2, fill, parts, read);
}

/// Without the transfer of two chunks.
Steps second_row() {
  const Steps both = two_rows(1);
  return Steps(1, [both](std::uint64_t, Transfers& out) { return both.fill(1, out); });
}

}  // namespace

TEST_CASE("blocks become larger") {
  const std::string larger = "step 1\n0 -> 1 : 6+6\nstep 4\n1 -> 2 : 9+3\n2 -> 1 : 0+3 reduce\n";
  for (const std::uint64_t parts : {1, 2}) {
    CHECK(text(scaled({{two_rows(parts), Scaling::blocks}}, 3)) == larger);
    CHECK(text(scaled({{two_rows(parts), Scaling::blocks}}, 1)) == text(two_rows(parts)));
  }
}

TEST_CASE("packets follow one another") {
  const auto turn = [](int number, int j) {
    return "step " + std::to_string(number) + "\n1 -> 2 : " + std::to_string(6 + j) +
           "+1\n2 -> 1 : " + std::to_string(j) + "+1 reduce\n";
  };
  CHECK(text(scaled({{second_row(), Scaling::packets}}, 2)) == turn(4, 0) + turn(9, 1));
  CHECK(text(scaled({{second_row(), Scaling::packets_backwards}}, 2)) == turn(4, 1) + turn(9, 0));
  CHECK(text(scaled({{second_row(), Scaling::packets}, {second_row(), Scaling::packets_backwards}},
                    2)) == turn(4, 0) + turn(9, 1) + turn(14, 1) + turn(19, 0));
}

TEST_CASE("rows that can be read in parts remain so") {
  const auto source = std::make_shared<Schedule>();
  source->begin_step(2);
  for (Rank r = 0; r < 4; ++r) source->add(copy(r, r + 1, r));
  for (const Scaling how : {Scaling::blocks, Scaling::packets, Scaling::packets_backwards}) {
    for (const Steps& one : {as_steps(source), two_rows(2)}) {
      if (how != Scaling::blocks && one.size() == 2) continue;
      const Steps all = scaled({{one, how}}, 3);
      CHECK(all.parts() == one.parts());
      for (std::uint64_t row = 0; row < all.size(); ++row) {
        Transfers whole, halves, buffer;
        const std::uint64_t number = all.fill(row, whole);
        for (std::uint64_t half = 0; half < 2; ++half) {
          const Step step = all.read(row, {half, half + 1, 2}, buffer);
          CHECK(step.number == number);
          halves.insert(halves.end(), step.transfers.begin(), step.transfers.end());
        }
        CHECK(halves == whole);
      }
    }
  }
}

TEST_CASE("what does not scale is not scaled") {
  CHECK_THROWS_AS(scaled({{two_rows(1), Scaling::none}}, 2), InternalError);
  const Steps packets = scaled({{two_rows(1), Scaling::packets}}, 2);
  Transfers out;
  CHECK_THROWS_AS(packets.fill(0, out), InternalError);
}

TEST_CASE("tables made from one chunk are those of the rule for several chunks") {
  std::map<std::string, std::set<Scaling>> found;
  for (Rank ranks = 2; ranks <= static_cast<Rank>(part(17, 40)); ++ranks) {
    for_some_cases(ranks, 1, part(3, 10), [&](const Case& c) {
      const AlgorithmEntry& entry = AlgorithmEntry::of(*c.algorithm);
      for (const std::uint32_t chunks : {2, 3, 7}) {
        Request request = c.request;
        request.problem.chunks = chunks;
        if (c.algorithm->reason(request)) continue;
        const Scaling how = scaling(*c.algorithm, request);
        if (how == Scaling::none) continue;
        INFO(c.text() << ", " << chunks << " chunks");
        CHECK(text(c.algorithm->steps(request)) == text(entry.build(request)));
        if (entry.own_problem != nullptr) {
          const Problem own = entry.own_problem(request), made = c.algorithm->problem(request);
          CHECK(made.chunks == own.chunks);
          CHECK(made.ordered == own.ordered);
          CHECK(text(made.pre()) == text(own.pre()));
          CHECK(text(made.post()) == text(own.post()));
        }
        found[std::string(entry.name)].insert(how);
      }
    });
  }
  CHECK(found.size() >= 18);
  CHECK(found["binomial-tree"].size() == 3);
  CHECK(found["summa"].contains(Scaling::packets));
}

TEST_CASE("so are those of compositions of whole blocks") {
  for (const char* name : {"reverse(ring)", "reverse(pairwise)", "reverse(bine)"}) {
    const auto algorithm = named_algorithm(algorithm_spec(name));
    for (const Collective collective : algorithm->collectives) {
      for (const Rank ranks : {2, 6, 8}) {
        Request request;
        request.problem.collective = collective;
        request.problem.ranks = ranks;
        request.problem.chunks = 3;
        request.machine = make_machine("duplex", ranks);
        INFO(name << ", " << describe(request.problem));
        CHECK((scaling(*algorithm, request) == Scaling::blocks) == request.problem.in_blocks());
        CHECK(text(algorithm->steps(request)) ==
              text(AlgorithmEntry::of(*algorithm).build(request)));
      }
    }
  }
}
