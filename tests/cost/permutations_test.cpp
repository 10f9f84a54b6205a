// Steps in which one rank stands for all, compared with the clock of every rank.

#include "catch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/permutations.hpp"
#include "cost/timing.hpp"
#include "costs.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"

using namespace costs;

namespace {

struct Tried {
  Request request;
  Source source;
};

/// The schedule of an algorithm with its default parameters; none if it does not serve.
std::optional<Tried> serving(const Algorithm& algorithm, Collective collective, Rank P,
                             std::uint32_t K, const char* machine) {
  if (!algorithm.serves(collective)) return std::nullopt;
  const Spec spec{std::string(algorithm.name), {}};
  try {
    const Request r = request(spec, collective, P, K, machine);
    if (algorithm.reason(r)) return std::nullopt;
    return Tried{r, from_algorithm(algorithm, r, spec.text())};
  } catch (const InputError&) {  // it needs parameters
    return std::nullopt;
  }
}

/// The size of each message, by definition; none if the step is no permutation.
std::optional<MessageSize> size_of(const Step& step, Rank P, const ChunkBytes& sizes) {
  std::vector<MessageSize> all(std::size_t{P} * P, MessageSize{0, 0});
  for (const Transfer& t : step.transfers) {
    MessageSize& m = all[std::size_t{t.src} * P + t.dst];
    m.chunks += t.count;
    m.bytes += sizes.bytes(t.first, t.count);
  }
  std::vector<int> sends(P, 0), receives(P, 0);
  MessageSize first{0, 0};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].chunks == 0) continue;
    if (first.chunks == 0) first = all[i];
    if (all[i].chunks != first.chunks || all[i].bytes != first.bytes) return std::nullopt;
    ++sends[i / P];
    ++receives[i % P];
  }
  const auto is_one = [](int n) { return n == 1; };
  const bool each = std::ranges::all_of(sends, is_one) && std::ranges::all_of(receives, is_one);
  return each ? std::optional(first) : std::nullopt;
}

}  // namespace

TEST_CASE("permutations are found where each rank sends and receives one message of one size") {
  int found = 0, others = 0;
  for (const Algorithm* const algorithm : algorithms()) {
    for (const Collective collective :
         {Collective::allreduce, Collective::alltoall, Collective::reduce_scatter}) {
      for (const Rank P : {2u, 3u, 7u, 8u, 13u}) {
        const auto tried = serving(*algorithm, collective, P, 3, "duplex");
        if (!tried) continue;
        const ChunkBytes sizes(3000, 3);
        Permutations permutations(P);
        MessageReader reader(sizes, false);
        const auto stream = tried->source.open();
        for (Step step; stream->next(step);) {
          if (step.transfers.empty()) continue;
          INFO(algorithm->name << ", " << P << " ranks, step " << step.number);
          const auto expected = size_of(step, P, sizes);
          const auto chunks = permutations.chunks_of(reader.read(step));
          REQUIRE(chunks.has_value() == expected.has_value());
          if (chunks) CHECK(*chunks == expected->chunks);
          ++(chunks ? found : others);
        }
      }
    }
  }
  CHECK(found > 200);
  CHECK(others > 100);
}

TEST_CASE("the size of the messages of rotations follows from their seeds") {
  int rows_seen = 0;
  for (const Collective collective : {Collective::allgather, Collective::reduce_scatter}) {
    for (Rank P = 2; P <= 20; ++P) {
      for (const std::uint32_t K : {1u, 2u, 5u, 8u}) {
        const auto tried = serving(*named_algorithm({"circulant", {}}), collective, P, K, "duplex");
        REQUIRE(tried);
        const auto rows = tried->source.open()->rows();
        REQUIRE((rows && rows->rotated() != nullptr));
        for (const std::uint64_t bytes : {0u, 3u, 40u, 1001u}) {
          const ChunkBytes sizes(bytes, K);
          for (std::uint64_t row = 0; row < rows->size(); ++row) {
            Transfers seeds, all;
            rows->rotated()->seeds.fill(row, seeds);
            rows->fill(row, all);
            Step step;
            step.transfers = all;
            const auto size = size_of_rotations(seeds, P, sizes);
            const auto expected = size_of(step, P, sizes);
            INFO(P << " ranks, " << K << " chunks, " << bytes << " bytes, row " << row);
            REQUIRE(size.has_value() == expected.has_value());
            if (!size) continue;
            CHECK(size->chunks == expected->chunks);
            CHECK(size->bytes == expected->bytes);
            ++rows_seen;
          }
        }
      }
    }
  }
  CHECK(rows_seen > 1000);
}

TEST_CASE("one rank takes as long as all of them do") {
  const std::vector<std::uint64_t> sizes{1000, 64 * 1024 + 3, 0, 840};
  int timed = 0;
  for (const auto& [text, receive] :
       {std::pair("loggp:L=1us,o=0.5us,g=0.5us,G=0.1ns/B", Receive::call),
        std::pair("loggp:L=1us,o=0.1us,g=0us,G=1ns/B", Receive::call),
        std::pair("logp:L=1us,o=1us,g=2us,packet=64", Receive::call),
        std::pair("loggp:L=1us,o=0.5us,g=0.5us,G=0.1ns/B", Receive::arrival)}) {
    CostModel model = make_cost_model(text);
    model.receive = receive;
    for (const Algorithm* const algorithm : algorithms()) {
      for (const CollectiveInfo& collective : collectives()) {
        for (const Rank P : {2u, 3u, 8u, 12u}) {
          for (const std::uint32_t K : {1u, 12u}) {
            const auto tried = serving(*algorithm, collective.collective, P, K, "duplex");
            if (!tried) continue;
            const Request& request = tried->request;
            const Source& source = tried->source;
            SearchMemory memory;
            KeptSteps kept;
            const Steps all = algorithm->steps(request);
            const std::function<Source(std::uint64_t)> rest = [&](std::uint64_t row) {
              Source result = source;
              result.open = [&all, row] {
                return stream(Steps(all.size() - row, [&all, row](std::uint64_t i, Transfers& out) {
                  return all.fill(row + i, out);
                }));
              };
              return result;
            };
            for (const std::uint64_t bytes : sizes) {
              INFO(algorithm->name << ", " << collective.name << ", " << P << " ranks, " << K
                                   << " chunks, " << bytes << " bytes, " << text);
              const auto full = time_below(HUGE_VAL, source, request.machine, model, bytes, {});
              REQUIRE(full);
              for (const double limit : {HUGE_VAL, full->seconds, full->seconds * 0.6,
                                         std::nextafter(full->seconds, HUGE_VAL)}) {
                Outlook one, two;
                const auto read =
                    time_below(limit, source, request.machine, model, bytes, {}, &one);
                const auto again =
                    time_below(limit, RepeatedSource{source.problem, rest, kept, memory},
                               request.machine, model, bytes, {}, &two);
                REQUIRE(read.has_value() == (full->seconds < limit));
                REQUIRE(again.has_value() == read.has_value());
                if (!read) continue;
                CHECK(read->seconds == full->seconds);
                CHECK(again->seconds == full->seconds);
                CHECK((read->width == full->width && again->width == full->width));
                CHECK((read->steps == full->steps && again->steps == full->steps));
                ++timed;
              }
            }
          }
        }
      }
    }
  }
  CHECK(timed > 1000);
}
