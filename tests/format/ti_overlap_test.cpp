// Traces whose steps overlap: what a rank waits for before each send.

#include "catch.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "format/table.hpp"
#include "format/ti/overlap.hpp"
#include "requests.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/machine.hpp"

using namespace schedcc;

namespace {

std::vector<ti::Message> messages_of_rank(const cpp::Table& table, Rank rank) {
  std::vector<ti::Message> result;
  for (const auto& operations : cpp::messages_of(table.of(rank))) {
    const mpi::Operation& first = operations.front();
    result.push_back({first.step, first.peer, first.kind == mpi::receive, 0, operations});
  }
  std::ranges::stable_sort(result, {},
                           [](const ti::Message& m) { return std::pair(m.step, m.receive); });
  return result;
}

bool share_chunk(const ti::Message& a, const ti::Message& b) {
  for (const mpi::Operation& x : a.operations) {
    for (const mpi::Operation& y : b.operations) {
      if (x.first < y.first + y.count && y.first < x.first + x.count) return true;
    }
  }
  return false;
}

/// Does a send need the receive?
bool needs(const ti::Message& send, const ti::Message& receive) {
  return receive.step < send.step && share_chunk(send, receive);
}

/// Every message comes once, a send after all receives that it needs, and right after one of them.
void check_rank(const std::vector<ti::Message>& messages) {
  const ti::OverlappingCalls calls = ti::overlapping_calls(messages);
  REQUIRE(calls.sends.size() == calls.receives.size() + 1);
  std::size_t sends = 0;
  for (std::size_t after = 0; after < calls.sends.size(); ++after) {
    sends += calls.sends[after].size();
    for (const ti::Message* send : calls.sends[after]) {
      for (std::size_t i = after; i < calls.receives.size(); ++i)
        CHECK_FALSE(needs(*send, *calls.receives[i]));
      if (after > 0) CHECK(needs(*send, *calls.receives[after - 1]));
    }
  }
  CHECK(sends + calls.receives.size() == messages.size());
}

}  // namespace

TEST_CASE("ti: where steps overlap, a send waits for its chunks and for nothing else") {
  using enum Collective;
  const std::vector<std::pair<std::string, Collective>> all{
      {"circulant", broadcast},
      {"two-phase", broadcast},
      {"two-phase", Collective::reduce},
      {"ring", allreduce},
      {"rabenseifner", allreduce},
      {"recursive-doubling", allreduce},
      {"bruck as alltoall", alltoall},
      {"levels(2, all-pairs, ring, segments=3)", allgather},
      {"levels(2, all-pairs, ring, segments=3)", reduce_scatter},
      {"levels(2, ring, ring, segments=2)", allreduce}};
  for (const auto& [name, collective] : all) {
    for (const Rank P : {2u, 4u, 8u}) {
      for (const std::uint32_t K : {3u, 8u}) {
        const Request r = requests::request(collective, P, K, "kport:k=7");
        const auto algorithm = named_algorithm(algorithm_spec(name));
        if (algorithm->reason(r)) continue;
        INFO(name << ", " << P << " ranks, " << K << " chunks");
        const cpp::Table table = cpp::by_rank(from_algorithm(*algorithm, r, name), r.machine);
        for (Rank rank = 0; rank < P; ++rank) check_rank(messages_of_rank(table, rank));
      }
    }
  }
}
