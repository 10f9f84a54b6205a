// Programs: MSCCL XML that schedcc writes passes all checks, and is read back as the schedule.

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "program/steps.hpp"
#include "program_simulator.hpp"
#include "programs.hpp"

using namespace schedcc;
using namespace programs;

TEST_CASE("every algorithm comes back from MSCCL XML", "[program]") {
  std::size_t cases = 0;
  for (const Rank ranks : {1, 2, 3, 4, 5, 8}) {
    for (const std::uint32_t chunks : {1u, 2u, 5u}) {
      for_some_programs(ranks, chunks, [&](const Source& source, const Machine& machine) {
        check_round_trip(source, machine, "msccl");
        const std::array others{"msccl:place=in", "msccl:channels=3",
                                "msccl:dialect=azure,place=both"};
        const bool azure = source.problem.collective <= Collective::reduce_scatter;
        check_round_trip(source, machine, others[cases % (azure ? 3 : 2)]);
        ++cases;
      });
    }
  }
  CHECK(cases > 100);
}

namespace {

/// Transfers of a chunk each, with their steps.
using Moves = std::vector<std::tuple<std::uint64_t, Rank, Rank, Chunk, bool>>;

/// Those of a schedule, by step; idle steps are not counted.
Moves moves_of(const Source& source) {
  Moves moves;
  std::uint64_t number = 0;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    for (const Transfer& t : step.transfers) {
      for (std::uint32_t i = 0; i < t.count; ++i) {
        moves.emplace_back(number, t.src, t.dst, t.first + i, t.reduce != 0);
      }
    }
    number += step.transfers.empty() ? 0 : 1;
  }
  std::ranges::sort(moves);
  return moves;
}

/// The same transfers, none of them later.
void check_no_later(Moves moves, Moves than) {
  REQUIRE(moves.size() == than.size());
  for (Moves* all : {&moves, &than}) {
    std::ranges::sort(*all, {}, [](const auto& m) {
      const auto& [step, src, dst, chunk, reduce] = m;
      return std::tuple(src, dst, chunk, reduce, step);
    });
  }
  for (std::size_t i = 0; i < moves.size(); ++i) {
    CHECK(std::get<0>(moves[i]) <= std::get<0>(than[i]));
    std::get<0>(moves[i]) = std::get<0>(than[i]);
  }
  CHECK(moves == than);
}

}  // namespace

TEST_CASE("the allreduces of MSCCL come back step by step", "[program]") {
  for (const Rank P : {2, 3, 4, 5, 8, 16}) {
    const std::string P_1 = "kport:k=" + std::to_string(P - 1);
    std::vector<run::Case> cases{{"ring", P, P, {}, "allreduce"},
                                 {"ring", P, 1, {}, "reduce-scatter"},
                                 {"ring", P, 2, {}, "allgather"},
                                 {"all-pairs", P, P, P_1},
                                 {"all-pairs", P, 2 * P, P_1},
                                 {"all-pairs", P, 1, P_1, "allgather"},
                                 {"all-pairs", P, 1, P_1, "reduce-scatter"},
                                 {"all-pairs:whole", P, 1, P_1},
                                 {"all-pairs:whole", P, 3, P_1},
                                 {"binomial-allreduce", P, 1},
                                 {"rabenseifner", P, std::bit_floor(P)}};
    if (std::has_single_bit(P)) {
      cases.push_back({"recursive-doubling", P, 1, {}, "allreduce"});
      cases.push_back({"recursive-doubling", P, 1, {}, "allgather"});
      cases.push_back({"recursive-halving", P, 1});
      cases.push_back({"butterfly-allreduce", P, P});
    }
    if (P % 2 == 0) {
      cases.push_back({"hierarchical", P, P, "crossbar:a=2,b=" + std::to_string(P / 2)});
    }
    for (const run::Case& c : cases) {
      const Source source = source_of(c);
      // A program does not say how many ports a GPU has, and nothing waits for one.
      const bool ports_matter = c.spec == "binomial-allreduce" || c.spec == "hierarchical" ||
                                (c.spec == "rabenseifner" && !std::has_single_bit(P));
      for (const char* spec : {"msccl", "msccl:place=in", "msccl:dialect=azure,place=both"}) {
        INFO(c.spec << " " << c.collective << " P " << P << " K " << c.K << " " << spec);
        Source back = read_back(written(source, run::ready(c).request.machine, spec));
        back.program = nullptr;
        CHECK(back.problem.collective == source.problem.collective);
        if (ports_matter) {
          check_no_later(moves_of(back), moves_of(source));
        } else {
          CHECK(moves_of(back) == moves_of(source));
        }
      }
    }
  }
}

TEST_CASE("sums that are kept apart until they are added are one step", "[program]") {
  for (const Rank P : {2, 3, 5, 9}) {
    const Program program = all_pairs_through_scratch(P);
    CHECK(proved(as_source(program)).verdict() == Verdict::holds);
    const auto steps = program::steps(program, "program.xml");
    CHECK(steps->size() == 1);
    CHECK(steps->transfers() == std::uint64_t{P} * (P - 1));
    for (const Transfer& t : (*steps)[0].transfers) CHECK(t.reduce == 1);
  }
}

TEST_CASE("the rings and trees of MSCCL come back at larger sizes", "[program]") {
  for (const Rank P : {6, 16, 24}) {
    for (const std::uint32_t K : {1u, 3u, 16u}) {
      if (P * K > 96 && !ranges::whole()) continue;
      std::vector<run::Case> cases{
          {"ring", P, K * P, {}, "allreduce"},
          {"ring", P, K, {}, "allgather"},
          {"ring", P, K, {}, "reduce-scatter"},
          {"pairwise", P, K},
          {"binomial-tree", P, K},
          {"binomial-tree", P, K, {}, "reduce", P - 1},
          {"binomial-tree", P, K, {}, "scatter"},
          {"binomial-tree", P, K, {}, "gather"},
          {"rabenseifner", P, K * P},
          {"hierarchical", P, K * P, "crossbar:a=2,b=" + std::to_string(P / 2)}};
      if (P == 16) {
        cases.push_back({"recursive-doubling", P, K, {}, "allreduce"});
        cases.push_back({"recursive-halving", P, K});
        cases.push_back({"butterfly-allreduce", P, K * P});
      }
      for (const run::Case& c : cases) {
        INFO(c.spec << " " << c.collective << " P " << P << " K " << K);
        check_round_trip(source_of(c), run::ready(c).request.machine, "msccl");
      }
    }
  }
}

TEST_CASE("a ring is written in fused steps, and its steps are read back unchanged", "[program]") {
  const run::Case c{"ring", 8, 1, {}, "allgather"};
  const std::string text = written(source_of(c), run::ready(c).request.machine, "msccl");
  CHECK(text.find("type=\"rcs\"") != std::string::npos);
  const Source back = read_back(text);
  const auto before = stream(run::ready(c).algorithm->steps(run::ready(c).request));
  const auto after = back.open();
  for (Step a, b; before->next(a);) {
    REQUIRE(after->next(b));
    std::vector<std::tuple<Rank, Rank, Chunk>> first, second;
    for (const Transfer& t : a.transfers) first.emplace_back(t.src, t.dst, t.first);
    for (const Transfer& t : b.transfers) second.emplace_back(t.src, t.dst, t.first);
    std::ranges::sort(first);
    CHECK(first == second);
    CHECK(a.number == b.number);
  }
  const run::Case sum{"ring", 4, 4, {}, "allreduce"};
  const std::string all = written(source_of(sum), run::ready(sum).request.machine, "msccl");
  CHECK(all.find("type=\"rrs\"") != std::string::npos);
  const run::Case doubling{"recursive-doubling", 4, 1, {}, "allreduce"};
  const std::string both =
      written(source_of(doubling), run::ready(doubling).request.machine, "msccl");
  CHECK(both.find("type=\"rrcs\"") != std::string::npos);
}

TEST_CASE("what does not fit MSCCL is refused, with the limit", "[program]") {
  const auto refusal = [](const run::Case& c, const std::string& spec) {
    try {
      written(source_of(c), run::ready(c).request.machine, spec);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  contains(refusal({"pairwise", 200, 1}, "msccl"), "ids are below 128");
  contains(refusal({"linear", 1500, 1}, "msccl"), "at most 1024 GPUs");
  contains(refusal({"chain", 3, 40000}, "msccl"), "offsets");
  contains(refusal({"chain", 3, 9000}, "msccl"), "4095");
  contains(refusal({"kogge-stone", 4, 1}, "msccl:dialect=azure"), "has no scan");
  contains(refusal({"linear", 4, 1, {}, "scatter"}, "msccl:dialect=msccl"), "has no scatter");
  contains(refusal({"ring", 4, 1, {}, "allgather"}, "msccl:dialect=msccl,place=both"), "not both");
  run::Case ordered{"binomial-tree", 4, 1, {}, "reduce"};
  ordered.ordered = true;
  contains(refusal(ordered, "msccl"), "ordered");
  CHECK(refusal({"pairwise", 64, 1}, "msccl").empty());
  CHECK(refusal({"pairwise", 100, 1}, "msccl").empty());  // over several channels
  CHECK(refusal({"chain", 3, 1000}, "msccl").empty());
}

TEST_CASE("a program is as long as its longest chain of messages", "[program]") {
  const auto length = [](const run::Case& c) {
    const Program program = program_of(c);
    CHECK(proved(as_source(program)).steps == naive::longest_chain(program));
    return proved(as_source(program)).steps;
  };
  for (const Rank P : {2u, 3u, 5u, 8u}) {
    INFO("P " << P);
    CHECK(length({"ring", P, 1, {}, "allgather"}) == P - 1);
    CHECK(length({"ring", P, P, {}, "allreduce"}) == 2 * (P - 1));
    CHECK(length({"chain", P, 4}) == P - 1 + 4 - 1);
    // What comes from several GPUs is combined one after the other, and came at once.
    const std::string ports = "kport:k=" + std::to_string(P - 1);
    CHECK(length({"all-pairs:whole", P, 1, ports}) == 1);
    CHECK(length({"all-pairs", P, P, ports}) == 2);
    CHECK(proved(as_source(all_pairs_through_scratch(P))).steps == 1);
  }
}
