// Programs that make one blocking call after another: the time that the steps of fractional trees
// then take, and that they do not deadlock.

#include "catch.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "algorithm/fractional_tree/fractional_tree.hpp"
#include "fractional_trees.hpp"

using namespace fractional_trees;

namespace {

enum class Order : std::uint8_t { program, send_first };

/// The value of a rank; a new one is T(). Valid until the next call.
template <typename T>
T& of(std::vector<T>& values, Rank rank) {
  if (rank >= values.size()) values.resize(std::size_t{rank} + 1);
  return values[rank];
}

/// The most substeps that a step takes if each rank makes its calls of the step one after the
/// other.
U64 substeps(const Steps& schedule, Order order) {
  U64 most = 0;
  Transfers row;
  std::vector<const Transfer*> sends;  // at most one of each rank
  std::vector<U64> time;               // when a rank's calls so far have completed
  for (U64 i = 0; i < schedule.size(); ++i) {
    row.clear();
    schedule.fill(i, row);
    sends.assign(sends.size(), nullptr);
    time.assign(time.size(), 0);
    for (const Transfer& t : row) of(sends, t.src) = &t;
    // Sending first, a message waits until its receiver has sent.
    const auto sent = [&](auto self, const Transfer& t) -> U64 {
      const Transfer* next = of(sends, t.dst);
      return next == nullptr ? 1 : 1 + self(self, *next);
    };
    for (const Transfer& t : row) {
      if (order == Order::send_first) {
        most = std::max(most, sent(sent, t));
      } else {
        const U64 src = of(time, t.src), dst = of(time, t.dst), done = std::max(src, dst) + 1;
        most = std::max(most, done);
        of(time, t.src) = done;
        of(time, t.dst) = done;
      }
    }
  }
  return most;
}

/// The time at which all messages are complete if every rank makes its calls one after another, and
/// each message takes a unit of time and begins when both its ranks have reached it; 0 if that
/// never happens.
U64 makespan(const Steps& schedule, Blocking order) {
  std::vector<std::pair<Rank, Rank>> messages;
  std::vector<std::vector<std::size_t>> calls;  // by rank, the messages in program order
  Transfers row;
  for (U64 i = 0; i < schedule.size(); ++i) {
    row.clear();
    schedule.fill(i, row);
    const std::size_t begin = messages.size();
    for (const Transfer& t : row) messages.emplace_back(t.src, t.dst);
    const auto take = [&](bool sends, bool receives) {
      for (std::size_t m = begin; m < messages.size(); ++m) {
        if (sends) of(calls, messages[m].first).push_back(m);
        if (receives) of(calls, messages[m].second).push_back(m);
      }
    };
    take(order != Blocking::recv_first, order != Blocking::send_first);
    if (order != Blocking::program) {
      take(order == Blocking::recv_first, order == Blocking::send_first);
    }
  }
  std::vector<std::size_t> place(calls.size());
  std::vector<U64> time(calls.size());
  std::vector<Rank> ready;
  for (Rank rank = 0; rank < calls.size(); ++rank) ready.push_back(rank);
  const auto next = [&](Rank rank, std::size_t m) {
    return place[rank] < calls[rank].size() && calls[rank][place[rank]] == m;
  };
  std::size_t done = 0;
  U64 end = 0;
  while (!ready.empty()) {
    const Rank rank = ready.back();
    if (place[rank] == calls[rank].size()) {
      ready.pop_back();
      continue;
    }
    const std::size_t m = calls[rank][place[rank]];
    const auto [src, dst] = messages[m];
    if (!next(src, m) || !next(dst, m)) {
      ready.pop_back();
      continue;
    }
    end = std::max(end, time[src] = time[dst] = std::max(time[src], time[dst]) + 1);
    ++place[src];
    ++place[dst];
    ++done;
    ready.push_back(rank == src ? dst : src);
  }
  return done == messages.size() ? end : 0;
}

}  // namespace

TEST_CASE("FT, section 3: sequential programs without delays: two substeps a step") {
  for (const U64 r : {1u, 2u, 3u, 4u, 5u, 8u, 200u}) {
    for (U64 P = 2; P <= 128; ++P) {
      for (const U64 K : {1u, 2u, 5u, 9u, 16u}) {
        const Steps schedule = fractional_tree(P, K, r, P % 5);
        if (substeps(schedule, Order::program) > 2) {
          FAIL_CHECK("P = " << P << ", K = " << K << ", r = " << r);
        }
      }
    }
  }
  for (const char* spec : {"fractional-tree:r=3", "chain", "binary-tree"}) {  // reversed
    const Request r = request(spec, "duplex", 50, 12, 20, Collective::reduce);
    CHECK(substeps(named(spec).steps(r), Order::program) == 2);
  }
}

TEST_CASE("FT, section 3: sending first everywhere, calls wait for one another in long rows") {
  // In a chain under way all PUs send at once, and only the last one is ready to receive.
  CHECK(substeps(fractional_tree(30, 40, 29), Order::send_first) == 29);
  CHECK(substeps(fractional_tree(64, 24, 3), Order::send_first) > 4);
}

TEST_CASE("sequential programs: the times of docs/sequential-programs.md") {
  const U64 P = 1024, K = 456, r = 8;
  const Steps duplex = fractional_tree(P, K, r);
  CHECK(duplex.span() == 569);
  CHECK(makespan(duplex, Blocking::program) == 1136);
  CHECK(makespan(duplex, Blocking::send_first) == 1458);
  CHECK(makespan(duplex, Blocking::recv_first) == 2178);
  CHECK(makespan(simplex_fractional_tree(P, K, r), Blocking::program) == 1027);
  const Request ring = request("circulant", "duplex", 64, 24);
  CHECK(makespan(find_algorithm("circulant").steps(ring), Blocking::send_first) == 0);
}

TEST_CASE("fractional trees cannot deadlock: a step's messages form no cycle") {
  for (const char* machine : {"duplex", "simplex"}) {
    for (const std::string& spec : variants(machine)) {
      for (Rank P = 2; P <= 128; P += P < 20 ? 1 : 9) {
        for (const std::uint32_t K : {1u, 4u, 11u}) {
          for (const Blocking blocking :
               {Blocking::program, Blocking::send_first, Blocking::recv_first}) {
            for (const U64 eager : {0u, 1u}) {
              CheckOptions options;
              options.checks = {"deadlock"};
              options.blocking = blocking;
              options.eager = eager;
              const Collective c = K == 4 ? Collective::reduce : Collective::broadcast;
              steps(spec, request(spec, machine, P, K, P / 2, c), options);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("where messages do form a cycle, the check finds it") {
  // Not a tree: in a step of the circulant broadcast every rank sends and receives.
  const Request r = request("circulant", "duplex", 64, 24);
  const auto verdict = [&](Blocking blocking, U64 eager) {
    CheckOptions options;
    options.blocking = blocking;
    options.eager = eager;
    const Report report =
        check(from_algorithm(find_algorithm("circulant"), r, "circulant"), r.machine, options);
    if (report.verdict() == Verdict::violated) {
      CHECK(report.findings.at(0).check == "deadlock");
      CHECK(report.findings.at(0).message.find("these calls wait for one another: rank") == 0);
    }
    return report.verdict();
  };
  CHECK(verdict(Blocking::send_first, 0) == Verdict::violated);
  CHECK(verdict(Blocking::recv_first, 0) == Verdict::violated);
  CHECK(verdict(Blocking::recv_first, 1) == Verdict::violated);
  CHECK(verdict(Blocking::send_first, 1) == Verdict::holds);
  CHECK(verdict(Blocking::program, 0) == Verdict::holds);
}
