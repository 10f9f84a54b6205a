// The operations of each rank, computed by the header LOCAL_HEADER, compared with the table
// TABLE_HEADER; and the operations of the one rank in ONE_HEADER.

#include LOCAL_HEADER
#include LOCAL_HEADER  // the second time nothing happens
#include OTHER_HEADER  // the same kernels, in a program that has them already
#include TABLE_HEADER
#include ONE_HEADER

#include <algorithm>
#include <cstdio>
#include <tuple>
#include <vector>

namespace {

using Chunk = std::tuple<std::uint64_t, int, std::uint64_t, std::uint64_t, int>;

/// The operations chunk by chunk, message by message: the messages of a step may stand in any order
/// and runs may be cut otherwise, but the chunks of a message must be in the table's order.
template <typename Range>
std::vector<Chunk> chunks(const Range& range) {
  std::vector<Chunk> result;
  for (const auto& o : range) {
    for (std::uint64_t i = 0; i < o.count; ++i) {
      result.emplace_back(o.step, o.kind, o.peer, o.first + i, o.mode);
    }
  }
  std::stable_sort(result.begin(), result.end(), [](const Chunk& a, const Chunk& b) {
    const auto message = [](const Chunk& c) {
      return std::tie(std::get<0>(c), std::get<1>(c), std::get<2>(c));
    };
    return message(a) < message(b);
  });
  return result;
}

}  // namespace

static_assert(computed::steps == table::steps);
static_assert(computed::ranks == table::ranks);

int main() {
  for (std::uint32_t rank = 0; rank < table::ranks; ++rank) {
    const auto expected = chunks(table::program(rank));
    if (chunks(computed::program(rank)) == expected && chunks(other::program(rank)) == expected) {
      continue;
    }
    std::fprintf(stderr, "rank %u computes something else\n", rank);
    return 1;
  }
  if (chunks(one::program()) != chunks(table::program(one::rank))) {
    std::fprintf(stderr, "the table of rank %u holds something else\n", one::rank);
    return 1;
  }
  return 0;
}
