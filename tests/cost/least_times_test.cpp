// What the search of `tune` takes from one size, or from a part of the work, to another: bounds
// from other sizes, and the choices of a tuner that has seen other sizes.

#include "catch.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cost/message_bounds.hpp"
#include "cost/timing.hpp"
#include "costs.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/tune.hpp"

using namespace costs;

namespace {

constexpr Collective tried_collectives[] = {Collective::broadcast, Collective::reduce,
                                            Collective::allreduce, Collective::allgather};

/// The schedule of an algorithm with its default parameters; none if it does not serve.
std::optional<Source> schedule(const Algorithm& algorithm, Collective collective, Rank P,
                               std::uint32_t K) {
  if (!algorithm.serves(collective)) return std::nullopt;
  const Spec spec{std::string(algorithm.name), {}};
  try {
    const Request r = request(spec, collective, P, K, "duplex");
    if (algorithm.reason(r)) return std::nullopt;
    return from_algorithm(algorithm, r, spec.text());
  } catch (const InputError&) {  // it needs parameters
    return std::nullopt;
  }
}

/// What the algorithm claims of its messages, if that applies.
CostClaim claimed(const Algorithm& algorithm, Collective collective, Rank P, std::uint32_t K) {
  const Request r = request({std::string(algorithm.name), {}}, collective, P, K, "duplex");
  return algorithm.meets_claim(r) ? algorithm.claim(r) : CostClaim{};
}

/// Tunes the same request for many sizes, in this order, and with a new tuner for each.
void compare_with_new_tuners(const TuneRequest& request, const std::vector<std::uint64_t>& sizes) {
  Tuner kept(request);
  for (const std::uint64_t bytes : sizes) {
    INFO(info(request.problem.collective).name << " of " << bytes << " bytes over "
                                               << request.problem.ranks << " ranks");
    const auto best = kept.best(bytes);
    const std::vector<Choice> all = Tuner(request).choices(bytes);
    REQUIRE(best.has_value() == !all.empty());
    if (best) CHECK(close(best->seconds, all.front().seconds));
  }
}

/// Calls f(spec, request) for trees with parameters that claim a busiest rank, or hops.
template <typename F>
void each_tree(F f) {
  for (const auto& [name, parameter, machine] :
       {std::tuple{"fractional-tree", "r", "duplex"}, std::tuple{"kary-tree", "k", "duplex"},
        std::tuple{"logp-kary", "k", "logp:L=2,o=1,g=1"},
        std::tuple{"logp-knomial", "k", "logp:L=3,o=1,g=5"}}) {
    for (const Rank P : {2u, 3u, 7u, 16u, 33u}) {
      for (const std::uint32_t K : {1u, 2u, 7u, 30u}) {
        for (const std::uint32_t value : {2u, 3u, 5u, P}) {
          const Spec spec = Spec::parse(fmt::format("{}:{}={}", name, parameter, value));
          for (const Collective collective : {Collective::broadcast, Collective::reduce})
            f(spec, request(spec, collective, P, K, machine));
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("what a schedule takes at least for any size by LogGP follows from another one") {
  const std::vector<std::uint64_t> sizes{0, 1, 7, 100, 4096, 10007, 1 << 20};
  std::size_t bounds = 0, tight = 0, cut = 0;
  for (const char* const text :
       {"loggp:L=1us,o=0.5us,g=0.5us,G=0.1ns/B", "loggp:L=1us,o=0.5us,g=0,G=1ns/B",
        "loggp:L=3us,o=0,g=2us,G=0.3ns/B", "loggp:L=1us,o=2us,g=0.5us,G=0.1ns/B"}) {
    const CostModel model = make_cost_model(text);
    for (const Collective collective : tried_collectives) {
      for (const Rank P : {2u, 5u, 8u, 12u}) {
        for (const std::uint32_t K : {1u, 3u, 8u}) {
          for (const Algorithm* algorithm : algorithms()) {
            const auto source = schedule(*algorithm, collective, P, K);
            if (!source) continue;
            const Machine machine = make_machine("duplex", P);
            std::vector<double> times;
            for (const std::uint64_t bytes : sizes)
              times.push_back(cost(*source, machine, model, {bytes}).seconds);
            for (std::size_t i = 0; i < sizes.size(); ++i) {
              for (const double part : {HUGE_VAL, 0.2}) {  // read to the end, and in part
                Outlook outlook{claimed(*algorithm, collective, P, K).width};
                const double limit = part * times[i];
                const auto found =
                    time_below(limit, *source, machine, model, sizes[i], {}, &outlook);
                const std::optional<LinkTime> least = outlook.least;
                REQUIRE(least.has_value());
                cut += !found;
                for (std::size_t j = 0; j < sizes.size(); ++j) {
                  INFO(algorithm->name << " " << text << " P=" << P << " K=" << K << " from "
                                       << sizes[i] << " to " << sizes[j] << " bytes");
                  const std::uint64_t whole_bytes = sizes[j] / source->problem.chunks;
                  const auto smaller = static_cast<double>(whole_bytes);
                  const double bound = least->alpha + least->beta * smaller;
                  CHECK(bound <= times[j] * (1 + 1e-12));
                  ++bounds;
                  tight += sizes[j] % source->problem.chunks == 0 && close(bound, times[j]);
                }
              }
            }
          }
        }
      }
    }
  }
  CHECK(bounds > 100000);
  CHECK(tight > bounds / 20);
  CHECK(cut > 1000);
}

TEST_CASE("by LogP and LogGP no bound on what is to come is above the time of a schedule") {
  std::size_t bounds = 0, near = 0, stopped = 0;
  SearchMemory memory;
  for (const char* const text :
       {"loggp:L=1us,o=0.5us,g=0.5us,G=0.1ns/B", "loggp:L=1us,o=0.5us,g=0,G=1ns/B",
        "loggp:L=3us,o=0,g=2us,G=0.3ns/B", "loggp:L=1us,o=2us,g=0.5us,G=0.1ns/B",
        "loggp:L=1us,o=0,g=1ns,G=3ns/B", "logp:L=2us,o=0.3us,g=1us",
        "logp:L=2us,o=1us,g=0.3us,packet=64"}) {
    const CostModel model = make_cost_model(text);
    for (const CollectiveInfo& info : collectives()) {
      if (info.collective == Collective::custom) continue;
      for (const Rank P : {2u, 3u, 7u, 8u}) {
        for (const std::uint32_t K : {1u, 3u, 8u, 40u}) {
          for (const Algorithm* algorithm : algorithms()) {
            const auto source = schedule(*algorithm, info.collective, P, K);
            if (!source) continue;
            const Machine machine = make_machine("duplex", P);
            for (const std::uint64_t bytes : {0, 1, 39, 4096, 1 << 20}) {
              INFO(algorithm->name << " " << text << " " << info.name << " P=" << P << " K=" << K
                                   << ", " << bytes << " bytes");
              const double seconds = cost(*source, machine, model, {bytes}).seconds;
              const CostClaim claim = claimed(*algorithm, info.collective, P, K);
              Outlook outlook{claim.width};
              const double bound =
                  message_bound(source->problem, machine, model, bytes, claim, memory);
              CHECK(bound <= seconds * (1 + 1e-9));
              ++bounds;
              near += bound > 0.8 * seconds;
              // A limit that is just above the time is not reached before the end.
              CHECK(time_below(seconds * (1 + 1e-12) + 1e-15, *source, machine, model, bytes, {},
                               &outlook));
              stopped += !time_below(0.9 * seconds, *source, machine, model, bytes, {}, &outlook);
            }
          }
        }
      }
    }
  }
  CHECK(bounds > 10000);
  CHECK(near > bounds / 10);
  CHECK(stopped == bounds);
}

TEST_CASE("no bound by claimed messages is above the time of a tree, whatever its parameter") {
  std::size_t bounds = 0, near = 0;
  SearchMemory memory;
  for (const char* const text :
       {"loggp:L=1us,o=0.5us,g=0.5us,G=0.1ns/B", "loggp:L=1us,o=0.5us,g=0,G=1ns/B",
        "loggp:L=3us,o=0.1us,g=2us,G=0.3ns/B", "loggp:L=1us,o=0,g=1ns,G=3ns/B",
        "logp:L=2us,o=0.3us,g=1us"}) {
    CostModel model = make_cost_model(text);
    each_tree([&](const Spec& spec, const Request& r) {
      const Algorithm& algorithm = find_algorithm(spec.name);
      const Source source = from_algorithm(algorithm, r, spec.text());
      for (const Receive receive : {Receive::call, Receive::arrival}) {
        model.receive = receive;
        for (const std::uint64_t bytes : {0, 39, 4096, 1 << 20}) {
          INFO(spec.text() << " " << text << ": " << describe(r.problem) << ", " << bytes
                           << " bytes");
          const double seconds = cost(source, r.machine, model, {bytes}).seconds;
          const double bound =
              message_bound(source.problem, r.machine, model, bytes, algorithm.claim(r), memory);
          CHECK(bound <= seconds * (1 + 1e-9));
          ++bounds;
          near += bound > 0.8 * seconds;
        }
      }
    });
  }
  CHECK(bounds > 10000);
  CHECK(near > bounds / 3);
}

TEST_CASE("the best choice for a size does not depend on the sizes before") {
  // Neither ascending nor multiples of numbers of chunks.
  const std::vector<std::uint64_t> sizes{
      65536, 96, 30 * 1024 * 1024 + 1, 4096, 5000, 1 << 22, 999999, 1000000, 37, 1 << 20};
  struct Case {
    const char* machine;
    Rank ranks;
    const char* model;
  };
  constexpr const char* two_levels = "levels:0=1us@50GB/s,1=4us@10GB/s";
  for (const auto& [machine, ranks, model] :
       {Case{"cluster:4x3,nics=4", 12, two_levels}, Case{"cluster:4x4", 16, two_levels},
        Case{"cluster:4x2,nics=2,rails", 8, two_levels},
        Case{"duplex", 16, "alpha-beta:alpha=1us,beta=10GB/s"},
        Case{"duplex", 12, "loggp:L=1us,o=0.5us,g=0.5us,G=0.1ns/B"},
        Case{"duplex", 9, "loggp:L=1us,o=0.5us,g=0,G=0.08ns/B"},
        Case{"duplex", 13, "loggp:L=5us,o=0.2us,g=2us,G=0.03ns/B"},
        Case{"duplex", 10, "logp:L=2us,o=0.3us,g=1us"}}) {
    for (const Collective collective : tried_collectives) {
      TuneRequest r;
      r.problem.collective = collective;
      r.problem.ranks = ranks;
      r.machine = machine;
      r.model = make_cost_model(model);
      r.compositions = true;
      for (const Algorithm* a : algorithms()) {
        if (a->serves(collective)) r.algorithms.push_back({std::string(a->name), {}});
      }
      compare_with_new_tuners(r, sizes);
    }
  }
}
