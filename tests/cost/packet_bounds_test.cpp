// The bounds by which a search spares the reading of schedules: samples of rows, messages that are
// kept for other sizes, rows in parts.

#include "catch.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cost/kept_messages.hpp"
#include "cost/row_sample.hpp"
#include "cost/search_memory.hpp"
#include "cost/timing.hpp"
#include "costs.hpp"
#include "model/algebra.hpp"
#include "schedcc/algorithm.hpp"

using namespace costs;

namespace {

struct Served {
  std::string name;
  Request request;
};

/// What all algorithms serve on the machine, of the collectives with and without blocks.
std::vector<Served> served(const std::string& machine, Rank ranks, std::uint32_t chunks,
                           Rank root = 0) {
  std::vector<Served> result;
  for (const Collective collective :
       {Collective::broadcast, Collective::reduce, Collective::scatter, Collective::allgather,
        Collective::reduce_scatter, Collective::allreduce}) {
    for (const Algorithm* a : algorithms()) {
      if (!a->serves(collective)) continue;
      Request request;
      request.problem.collective = collective;
      request.problem.ranks = ranks;
      request.problem.chunks = chunks;
      if (info(collective).rooted) request.problem.root = root;
      request.machine = make_machine(machine, ranks);
      request.parameters = Spec{std::string(a->name), {}}.check(a->parameters, "");
      if (!a->reason(request)) result.push_back({std::string(a->name), std::move(request)});
    }
  }
  return result;
}

Source source_of(const Request& request, Steps steps) {
  Source source;
  source.problem = request.problem;
  source.open = [steps = std::move(steps)] { return stream(steps); };
  return source;
}

double seconds_of(const Source& source, const Machine& machine, const CostModel& model,
                  std::uint64_t bytes) {
  return time_below(HUGE_VAL, source, machine, model, bytes, {}).value().seconds;
}

}  // namespace

TEST_CASE("a sample of a schedule's rows takes no longer than the whole") {
  std::size_t sampled = 0;
  const CostModel model = make_cost_model("levels:0=1us@50GB/s,1=4us@10GB/s");
  for (const std::string machine :
       {"cluster:8x16", "cluster:8x16,nics=8,rails", "cluster:4x32,nics=2,shared"}) {
    for (const std::uint32_t chunks : {1U, 8U, 40U}) {
      for (const auto& [name, request] : served(machine, 128, chunks, chunks % 3)) {
        const Steps all = find_algorithm(name).steps(request);
        const auto weight = [](const Step& step) {
          return static_cast<double>(step.transfers.size());
        };
        const auto sample = RowSample::of(all, 128, weight);
        if (!sample) continue;
        ++sampled;
        const Steps some = sample->steps(all, 0);
        INFO(name << ", " << info(request.problem.collective).name << " in " << chunks
                  << " chunks on " << machine);
        REQUIRE(some.size() == all.size());
        for (const std::uint64_t bytes : {std::uint64_t{1000}, std::uint64_t{1} << 20}) {
          const double part = seconds_of(source_of(request, some), request.machine, model, bytes);
          const double whole = seconds_of(source_of(request, all), request.machine, model, bytes);
          CHECK(part <= whole * (1 + 1e-12));
          CHECK(part > 0);
        }
      }
    }
  }
  CHECK(sampled > 100);
}

TEST_CASE("parts of a row follow one another") {
  std::size_t divided = 0;
  for (const Rank ranks : {7U, 16U, 33U}) {
    for (const auto& [name, request] : served("duplex", ranks, 6, ranks / 2)) {
      const Steps all = find_algorithm(name).steps(request);
      if (all.parts() == 1) continue;
      ++divided;
      const std::uint64_t of = all.parts() == Steps::any_number ? 5 : all.parts();
      for (std::uint64_t row = 0; row < all.size(); ++row) {
        Transfers whole, joined, buffer;
        const std::uint64_t number = all.fill(row, whole);
        for (std::uint64_t first = 0; first < of; first += 2) {
          const Step step = all.read(row, {first, std::min(first + 2, of), of}, buffer);
          REQUIRE(step.number == number);
          joined.insert(joined.end(), step.transfers.begin(), step.transfers.end());
        }
        INFO(name << ", " << info(request.problem.collective).name << ", row " << row);
        REQUIRE(joined == whole);
      }
    }
  }
  CHECK(divided > 40);
}

TEST_CASE("kept messages take as long as those that are read") {
  const std::vector<std::uint64_t> sizes{4096, 1000, 64 * 1024 + 3, 4096, 77};
  for (const char* const text :
       {"loggp:L=1us,o=0.5us,g=0.5us,G=0.1ns/B", "logp:L=1us,o=1us,g=2us,packet=64",
        "alpha-beta:alpha=1us,beta=10GB/s"}) {
    const CostModel model = make_cost_model(text);
    std::size_t turn = 0;
    for (const Served& one : served("duplex", 12, 5)) {
      const std::string& name = one.name;  // clang++ 14 captures no structured bindings
      const Request& request = one.request;
      const Steps all = find_algorithm(name).steps(request);
      // Memory for all of the messages, for some, and for none.
      SearchMemory memory;
      if (++turn % 3 != 0) REQUIRE(memory.take_parts((std::uint64_t{1} << 24) - turn % 3 * 40));
      KeptSteps kept;
      const std::function<Source(std::uint64_t)> rest = [&](std::uint64_t row) {
        return source_of(request,
                         Steps(all.size() - row, [&all, row](std::uint64_t i, Transfers& out) {
                           return all.fill(row + i, out);
                         }));
      };
      double limit = 3e-6;  // abandoned at first, then continued
      for (const std::uint64_t bytes : sizes) {
        INFO(name << ", " << info(request.problem.collective).name << ", " << bytes << " bytes, "
                  << text);
        const auto again = time_below(limit, RepeatedSource{request.problem, rest, kept, memory},
                                      request.machine, model, bytes, {});
        const auto read =
            time_below(limit, source_of(request, all), request.machine, model, bytes, {});
        REQUIRE(again.has_value() == read.has_value());
        limit = HUGE_VAL;
        if (!read) continue;
        CHECK(again->seconds == read->seconds);
        CHECK(again->steps == read->steps);
        CHECK(again->width == read->width);
      }
    }
  }
}
