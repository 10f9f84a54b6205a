// Messages of a rank prepared for MPI, without MPI. Those of a correct table are. A table with
// random damage is refused with an error message, or its messages access only the memory of their
// rank. (Invalid reads meanwhile are detected by the address sanitizer.)

#include <algorithm>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "catch.hpp"
#include "format/table.hpp"
#include "run.hpp"
#include "schedcc/mpi/rank_messages.hpp"

using namespace schedcc;

namespace {

/// A table in memory, to be damaged.
struct Rows {
  mpi::Problem problem;
  std::string machine;
  std::vector<std::vector<mpi::Operation>> ranks;

  mpi::Table table() const {
    return {"rows", problem, machine, [this](std::uint32_t rank) { return ranks[rank]; }};
  }
};

std::vector<mpi::Holding> holdings(std::span<const Holding> lines) {
  std::vector<mpi::Holding> result;
  for (const Holding& line : lines) {
    for (const Run& run : line.runs) {
      result.push_back({line.rank, run.first, run.count, line.reduced});
    }
  }
  return result;
}

Rows rows_of(const Source& source, const Machine& machine) {
  const Problem& p = source.problem;
  Rows rows{{std::string(info(p.collective).name),
             p.ranks,
             p.root,
             p.chunks,
             p.total_chunks(),
             p.ordered,
             {},
             {}},
            machine.spec(),
            std::vector<std::vector<mpi::Operation>>(p.ranks)};
  if (p.custom) {
    rows.problem.pre = holdings(p.custom->pre());
    rows.problem.post = holdings(p.custom->post());
  }
  const cpp::Table table = cpp::by_rank(source, machine);
  for (Rank rank = 0; rank < p.ranks; ++rank) {
    const auto own = table.of(rank);
    rows.ranks[rank].assign(own.begin(), own.end());
  }
  return rows;
}

/// Tables of all algorithms of the registry that serve `ranks` ranks at endpoint level, on each of
/// their machines and on LogP.
std::vector<Rows> right_tables(Rank ranks) {
  std::vector<Rows> result;
  for (const Algorithm* algorithm : algorithms()) {
    const auto parameters = Spec{}.check(algorithm->parameters, algorithm->name);
    std::vector<std::string> machines{"logp:L=2,o=1,g=1"};
    for (const auto& machine : algorithm->machines_for(parameters)) machines.emplace_back(machine);
    for (const Collective collective : algorithm->collectives) {
      for (const std::string& machine : machines) {
        Request r;
        r.problem.collective = collective;
        r.problem.ranks = ranks;
        r.problem.chunks = 3;
        r.parameters = parameters;
        try {
          r.machine = make_machine(machine, ranks);
        } catch (const InputError&) {
          continue;
        }
        if (!algorithm->made_for(r) || algorithm->reason(r)) continue;
        const Source source = from_algorithm(*algorithm, r, std::string(algorithm->name));
        if (!source.hop_level()) result.push_back(rows_of(source, r.machine));
      }
    }
  }
  return result;
}

void expect_within(const std::vector<mpi::Message>& messages, const mpi::RankMessages& rank,
                   const mpi::Layout& layout) {
  bool right = true;
  for (const mpi::Message& m : messages) {
    std::set<std::uint64_t> chunks;
    std::uint64_t elements = 0, count = 0;
    for (const mpi::Piece& piece : m.pieces) {
      right = right && piece.chunks.count > 0 && piece.elements == layout.size(piece.chunks) &&
              piece.place + piece.elements <= layout.elements() &&
              layout.index(piece.chunks.first) + piece.chunks.count <= layout.kept() &&
              (m.buffered || !piece.combined);
      for (std::uint64_t c = piece.chunks.first; c < piece.chunks.end(); ++c) chunks.insert(c);
      elements += piece.elements;
      count += piece.chunks.count;
    }
    right = right && chunks.size() == count && elements == m.elements && m.tag >= 0 &&
            m.sends_before <= rank.sends.size() && m.sends_before_end <= rank.sends.size() &&
            m.receives_before <= rank.receives.size();
  }
  CHECK(right);
}

/// "prepared", or why the rank has none.
std::string outcome(const Rows& rows, std::uint32_t rank, mpi::StepOrder pace) {
  const mpi::RankContext context{rank, static_cast<std::uint32_t>(rows.ranks.size())};
  try {
    const mpi::Layout layout(rows.problem, {100, 0}, rank, rows.ranks[rank]);
    const mpi::RankMessages prepared =
        mpi::MessageBuilder(rows.table(), context, layout, rows.ranks[rank], pace).take();
    expect_within(prepared.sends, prepared, layout);
    expect_within(prepared.receives, prepared, layout);
    return "prepared";
  } catch (const mpi::Error& error) {
    return error.what();
  }
}

using Random = std::mt19937;

std::uint64_t below(Random& random, std::uint64_t bound) { return random() % bound; }

/// A number near another one, a small one, or an absurd one.
template <typename Number>
void damage(Number& number, Random& random) {
  const std::uint64_t choice = below(random, 8);
  number = static_cast<Number>(choice < 3   ? number + 1
                               : choice < 5 ? number - 1
                               : choice < 7 ? below(random, 16)
                                            : ~std::uint64_t{0} >> below(random, 64));
}

void damage(mpi::Operation& o, Random& random) {
  switch (below(random, 6)) {
    case 0:
      return damage(o.step, random);
    case 1:
      return damage(o.peer, random);
    case 2:
      return damage(o.first, random);
    case 3:
      return damage(o.count, random);
    case 4:
      o.kind = o.kind == mpi::send ? mpi::receive : mpi::send;
      return;
    default:
      o.mode = o.mode == mpi::copy ? mpi::reduce : mpi::copy;
  }
}

void damage(mpi::Problem& problem, Random& random) {
  switch (below(random, 5)) {
    case 0:
      return damage(problem.root, random);
    case 1:
      return damage(problem.ranks, random);
    case 2:
      return damage(problem.chunks, random);
    case 3:
      return damage(problem.total_chunks, random);
    default:
      problem.collective = below(random, 2) == 0 ? "alltoall" : "custom";
  }
}

/// Damages the table in one place; the operations are those of `rank`.
void damage(Rows& rows, std::uint32_t rank, Random& random) {
  std::vector<mpi::Operation>& program = rows.ranks[rank];
  const std::uint64_t choice = below(random, 16);
  if (choice == 0) return damage(rows.problem, random);
  if (choice == 1) {
    rows.machine = below(random, 2) == 0 ? "logp:L=99999999999999999999,o=3" : "simplex";
    return;
  }
  if (program.empty()) return;
  const std::uint64_t at = below(random, program.size()), other = below(random, program.size());
  const auto place = program.begin() + static_cast<std::ptrdiff_t>(at);
  if (choice == 2) {
    program.erase(place);
  } else if (choice <= 4) {
    const mpi::Operation copied = program[other];
    program.insert(place, copied);
  } else if (choice == 5) {
    std::swap(program[at], program[other]);
  } else {
    damage(program[at], random);
  }
}

/// The program of rank 1 of three, in a broadcast of two chunks from rank 0.
std::string outcome_of(const std::vector<mpi::Operation>& program,
                       const std::string& machine = "kport:k=2") {
  return outcome({{"broadcast", 3, 0, 2, 2, false, {}, {}}, machine, {{}, program, {}}}, 1,
                 mpi::StepOrder::free);
}

}  // namespace

TEST_CASE("right tables are prepared") {
  for (const Rank ranks : {2U, 4U, 7U}) {
    const std::vector<Rows> tables = right_tables(ranks);
    CHECK(tables.size() > 20);
    for (const Rows& rows : tables) {
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        for (const mpi::StepOrder pace : {mpi::StepOrder::free, mpi::StepOrder::step}) {
          const std::string result = outcome(rows, rank, pace);
          if (result != "prepared") FAIL_CHECK(rows.problem.collective << ": " << result);
        }
      }
    }
  }
}

TEST_CASE("damaged tables are refused, or are prepared, and stay within what the rank keeps") {
  Random random(1);
  std::set<std::string> refusals;
  std::uint64_t prepared = 0;
  for (const Rows& right : right_tables(4)) {
    for (int i = 0; i < 200; ++i) {
      Rows rows = right;
      const auto rank = static_cast<std::uint32_t>(below(random, 4));
      for (std::uint64_t n = below(random, 3) + 1; n > 0; --n) damage(rows, rank, random);
      const std::string result =
          outcome(rows, rank, below(random, 2) == 0 ? mpi::StepOrder::free : mpi::StepOrder::step);
      result == "prepared" ? ++prepared : (refusals.insert(result), std::uint64_t{0});
    }
  }
  const auto refused = [&](const std::string& words) {
    return std::any_of(refusals.begin(), refusals.end(), [&](const std::string& result) {
      return result.find(words) != std::string::npos;
    });
  };
  CHECK(prepared > 1000);
  for (const char* words :
       {"is twice in the message from rank", "is twice in the message to rank", "there is no chunk",
        "and not both are combined", "is too late in the table", "cannot be its peer",
        "chunks in all, not", "cannot be the root", "has no chunks", "too many chunks"}) {
    INFO(words);
    CHECK(refused(words));
  }
}

TEST_CASE("errors in a program are reported with step, chunk and peer") {
  using mpi::copy, mpi::receive, mpi::reduce, mpi::send;
  CHECK(outcome_of({{0, receive, 0, 0, 1, copy}, {0, receive, 0, 0, 1, copy}}) ==
        "step 0: chunk 0 is twice in the message from rank 0");
  CHECK(outcome_of({{3, receive, 0, 0, 2, reduce}, {3, receive, 0, 1, 1, reduce}}) ==
        "step 3: chunk 1 is twice in the message from rank 0");
  CHECK(outcome_of(
            {{0, receive, 0, 0, 2, copy}, {1, send, 2, 0, 2, copy}, {1, send, 2, 1, 1, copy}}) ==
        "step 1: chunk 1 is twice in the message to rank 2");
  for (const auto& [one, other] : {std::pair(copy, copy), {copy, reduce}, {reduce, copy}}) {
    CHECK(outcome_of({{1, receive, 0, 0, 2, one}, {1, receive, 2, 1, 1, other}}) ==
          "step 1: chunk 1 comes from rank 0 and from rank 2, and not both are combined");
  }
  CHECK(outcome_of({{1, receive, 0, 0, 2, reduce}, {1, receive, 2, 1, 1, reduce}}) == "prepared");
  CHECK(outcome_of({{1, receive, 0, 0, 2, copy}, {2, receive, 2, 1, 1, copy}}) == "prepared");
  CHECK(outcome_of({{1, receive, 0, 0, 1, copy}, {1, send, 2, 0, 1, copy}}) ==
        "step 1: an operation is too late in the table");
  CHECK(outcome_of({{4, receive, 0, 0, 1, copy}, {4, send, 2, 0, 1, copy}}, "logp:L=3,o=0,g=1") ==
        "prepared");
}
