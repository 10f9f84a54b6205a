// A file of SCCL states its collective in four places, which must agree: the chunks with their
// `pre` and `post`; the maps of inputs and outputs, which are the same by rank; the collective's
// name with its arguments, "Reduce(n=4,root=0)"; and its runtime name.
//
// Of a collective that has a name, the chunks may be numbered in any way (msccl-tools numbers those
// of an alltoall by destination): a chunk is identified by its `pre` and `post`, and gets its
// number in problem.hpp. A collective with an unknown name is a custom one, and keeps its numbers.
// Several chunks of one address are contributions to it, each of one rank, and end at the same
// ranks; only in a scan each ends at its own rank and those after it.

#include "format/sccl/collective.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/join.hpp"
#include "core/scanner.hpp"
#include "format/sccl/maps.hpp"
#include "model/problem_text.hpp"

namespace schedcc {

namespace {

using Document = ScclDocument;
using Ranks = ScclAddress::Ranks;

/// The ranks that have a chunk: the root, all, one for each block, or for each contribution its own
/// rank and those after it.
enum class HoldingRanks : std::uint8_t { root, each, all, own_and_later };

struct CollectiveEntry {
  Collective collective;
  std::string_view name, runtime_name;
  HoldingRanks pre, post;
};
constexpr auto names = std::to_array<CollectiveEntry>(
    {{Collective::broadcast, "Broadcast", "broadcast", HoldingRanks::root, HoldingRanks::all},
     {Collective::scatter, "Scatter", "scatter", HoldingRanks::root, HoldingRanks::each},
     {Collective::gather, "Gather", "gather", HoldingRanks::each, HoldingRanks::root},
     {Collective::allgather, "Allgather", "allgather", HoldingRanks::each, HoldingRanks::all},
     {Collective::alltoall, "Alltoall", "alltoall", HoldingRanks::each, HoldingRanks::each},
     {Collective::reduce, "Reduce", "reduce", HoldingRanks::all, HoldingRanks::root},
     {Collective::allreduce, "Allreduce", "allreduce", HoldingRanks::all, HoldingRanks::all},
     {Collective::reduce_scatter, "ReduceScatter", "reduce_scatter", HoldingRanks::all,
      HoldingRanks::each},
     {Collective::scan, "Scan", "scan", HoldingRanks::all, HoldingRanks::own_and_later}});

/// "rank 3", "ranks 0-3", "ranks 0, 2, 3 and 5 more".
std::string text(const Ranks& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  if (ranks.empty()) return "no rank";
  if (ranks.back() - ranks.front() + 1 == ranks.size()) {
    return fmt::format("ranks {}-{}", ranks.front(), ranks.back());
  }
  const std::size_t shown = std::min<std::size_t>(ranks.size(), 8);
  std::string result = fmt::format("ranks {}", join(std::span(ranks).first(shown), ", "));
  if (shown < ranks.size()) result += fmt::format(" and {} more", ranks.size() - shown);
  return result;
}

class Reader {
 public:
  Reader(const Document& document, const std::string& file) : document_(document), file_(file) {}

  ScclCollective read() {
    for (const Document::ScclChunk& chunk : document_.chunks) add(chunk);
    const std::uint64_t last = addresses_.rbegin()->first;
    if ((last + 1) * document_.parts > UINT32_MAX) {
      fail(document_.instance_at,
           fmt::format("too many {} for the collective", counted(document_.parts, "chunk")));
    }
    check_sccl_maps(document_, addresses_, file_);
    result_.parts = document_.parts;
    const CollectiveEntry* named = this->named();
    if (named == nullptr || named->post != HoldingRanks::own_and_later) {
      for (const auto& [number, address] : addresses_) {
        if (address.uneven.line != 0) uneven(number, address.uneven);
      }
    }
    if (named != nullptr) {
      standard(*named);
    } else {
      custom((last + 1) * document_.parts);
    }
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const Position& at, const std::string& message) const {
    schedcc::fail(file_, at, message);
  }

  void add(const Document::ScclChunk& chunk) {
    Ranks pre = ranks_of(chunk.pre), post = ranks_of(chunk.post);
    if (pre.empty()) fail(chunk.at, "no rank has this chunk at the start");
    ScclAddress& address = addresses_[chunk.address];
    const bool prefix = pre.size() == 1 && !post.empty() && post[0] == pre[0] &&
                        post.size() == document_.nodes - pre[0];
    if (++address.contributions == 1) {
      address = {std::move(pre), std::move(post), 1, prefix, {}, chunk.at};
      return;
    }
    // Contributions: a rank each, all wanted by the same ranks.
    if (pre.size() != 1 || (address.contributions == 2 && address.pre.size() != 1)) {
      fail(chunk.at, fmt::format("several chunks have address {}, so each begins at one rank",
                                 chunk.address));
    }
    address.prefixes &= prefix;
    if (post != address.post) {
      if (!address.prefixes) uneven(chunk.address, chunk.at);
      if (address.uneven.line == 0) address.uneven = chunk.at;
      if (post.size() > address.post.size()) address.post = std::move(post);
    } else if (address.uneven.line != 0 && !address.prefixes) {
      uneven(chunk.address, chunk.at);
    }
    const auto at = std::ranges::lower_bound(address.pre, pre[0]);
    if (at != address.pre.end() && *at == pre[0]) {
      fail(chunk.at, fmt::format("rank {} has two chunks of address {}", pre[0], chunk.address));
    }
    address.pre.insert(at, pre[0]);
  }

  [[noreturn]] void uneven(std::uint32_t address, const Position& at) const {
    fail(at, fmt::format("the chunks of address {} end at different ranks", address));
  }

  Ranks ranks_of(const std::vector<Document::LocatedRank>& list) const {
    return sccl_ranks(list, document_.nodes, file_);
  }

  std::string quoted_name() const {
    return fmt::format("'{}'", printable(document_.collective, 80));
  }

  /// "n" of "Reduce(n=4,root=0),chunks=2" is 4.
  std::optional<std::uint64_t> argument(std::string_view key) const {
    const std::string_view text = document_.collective;
    for (const char before : {'(', ','}) {
      const std::string pattern = fmt::format("{}{}=", before, key);
      const std::size_t at = text.find(pattern);
      if (at == std::string_view::npos) continue;
      const char* begin = text.data() + at + pattern.size();
      const char* end = text.data() + text.size();
      std::uint64_t value = 0;
      const auto [stop, error] = std::from_chars(begin, end, value);
      if (error == std::errc::invalid_argument || (stop != end && *stop != ',' && *stop != ')')) {
        fail(document_.collective_at,
             fmt::format("in {} no number follows '{}='", quoted_name(), key));
      }
      if (error != std::errc() || value > UINT32_MAX) {
        fail(document_.collective_at,
             fmt::format("in {} the number after '{}=' is not below 2^32", quoted_name(), key));
      }
      return value;
    }
    return std::nullopt;
  }

  /// The collective of the names; nullptr for an unknown one.
  const CollectiveEntry* named() const {
    if (const auto n = argument("n"); n && *n != document_.nodes) {
      fail(document_.collective_at, fmt::format("{} has {}, but there are {} nodes", quoted_name(),
                                                counted(*n, "rank"), document_.nodes));
    }
    const std::string_view text = document_.collective;
    const std::string_view word = text.substr(0, text.find_first_of("(,"));
    const auto by_name = std::ranges::find(names, word, &CollectiveEntry::name);
    const CollectiveEntry* result = by_name == names.end() ? nullptr : &*by_name;
    if (document_.runtime_name == "custom") return result;
    const auto by_runtime = std::ranges::find(names, std::string_view(document_.runtime_name),
                                              &CollectiveEntry::runtime_name);
    if (by_runtime == names.end()) {
      fail(document_.runtime_at, fmt::format("no runtime of MSCCL has a collective '{}'",
                                             printable(document_.runtime_name)));
    }
    if (result != nullptr && result != &*by_runtime) {
      fail(document_.runtime_at,
           fmt::format("'name' states the collective {}, but this field states {}", quoted_name(),
                       document_.runtime_name));
    }
    return &*by_runtime;
  }

  /// The chunks of a named collective: each gets its number.
  void standard(const CollectiveEntry& named) {
    Problem& problem = result_.problem;
    problem.collective = named.collective;
    problem.ranks = document_.nodes;
    problem.chunks = 1;
    if (problem.rooted()) problem.root = root(named);
    const std::uint64_t blocks = problem.total_chunks();
    const std::uint64_t each = argument("chunks").value_or(1);  // addresses a block
    std::uint64_t wanted = 0;
    if (__builtin_mul_overflow(blocks, each, &wanted)) wanted = UINT64_MAX;
    if (wanted != addresses_.size()) {
      fail(document_.collective_at,
           fmt::format("{} needs {}, but the chunks form {}", quoted_name(),
                       counted(wanted, "block"), counted(addresses_.size(), "block")));
    }
    std::map<std::uint64_t, std::uint64_t> taken;
    for (const auto& [number, address] : addresses_) {
      const auto block = this->block(named, address);
      if (!block || taken[*block] == each) {
        fail(address.at,
             fmt::format("the chunk starts at {} and ends at {}; {} has no {}such chunk",
                         text(address.pre), text(address.post), quoted_name(),
                         block ? "further " : ""));
      }
      result_.first[number] =
          static_cast<Chunk>((*block * each + taken[*block]++) * document_.parts);
    }
    problem.chunks = static_cast<std::uint32_t>(each * document_.parts);
    problem.validate();
  }

  Rank root(const CollectiveEntry& named) const {
    if (const auto root = argument("root")) {
      if (*root >= document_.nodes) {
        fail(document_.collective_at, no_such_rank("rank", *root, document_.nodes));
      }
      return static_cast<Rank>(*root);
    }
    const ScclAddress& first = addresses_.begin()->second;
    const Ranks& ends = named.pre == HoldingRanks::root ? first.pre : first.post;
    return ends.empty() ? 0 : ends[0];
  }

  /// The block of the collective that it is; none if it is not one.
  std::optional<std::uint64_t> block(const CollectiveEntry& named,
                                     const ScclAddress& address) const {
    const Rank ranks = document_.nodes;
    if (address.contributions != (named.pre == HoldingRanks::all ? ranks : 1)) return std::nullopt;
    if (named.post == HoldingRanks::own_and_later && !address.prefixes) return std::nullopt;
    std::uint64_t result = 0;
    for (const auto& [who, list] :
         {std::pair(named.pre, &address.pre), {named.post, &address.post}}) {
      const bool all = who == HoldingRanks::all || who == HoldingRanks::own_and_later;
      if (list->size() != (all ? ranks : 1)) return std::nullopt;
      if (who == HoldingRanks::root && list->front() != result_.problem.root) return std::nullopt;
      if (who == HoldingRanks::each) result = result * ranks + list->front();
    }
    return result;
  }

  void custom(std::uint64_t total) {
    struct Lines {
      std::vector<Run> pre, post, reduced;
    };
    std::map<Rank, Lines> ranks;
    const auto parts = static_cast<std::uint32_t>(document_.parts);
    const auto append = [&](std::vector<Run>& runs, Chunk first) {
      if (runs.empty() || runs.back().first + runs.back().count != first)
        runs.push_back({first, 0});
      runs.back().count += parts;
    };
    for (const auto& [number, address] : addresses_) {
      const Chunk first = number * parts;
      result_.first[number] = first;
      for (const Rank rank : address.pre) append(ranks[rank].pre, first);
      for (const Rank rank : address.post) {
        append(address.reduced() ? ranks[rank].reduced : ranks[rank].post, first);
      }
    }
    std::vector<Holding> pre, post;
    for (auto& [rank, lines] : ranks) {
      if (!lines.pre.empty()) pre.push_back({rank, std::move(lines.pre)});
      if (!lines.post.empty()) post.push_back({rank, std::move(lines.post)});
      if (!lines.reduced.empty()) post.push_back({rank, std::move(lines.reduced), true});
    }
    result_.problem = custom_problem(document_.nodes, static_cast<std::uint32_t>(total),
                                     std::move(pre), std::move(post));
  }

  const Document& document_;
  const std::string& file_;
  ScclAddresses addresses_;
  ScclCollective result_;
};

}  // namespace

std::optional<Chunk> ScclCollective::chunk(std::uint32_t address) const {
  const auto found = first.find(static_cast<std::uint32_t>(address / parts));
  if (found == first.end()) return std::nullopt;
  return static_cast<Chunk>(found->second + address % parts);
}

ScclCollective sccl_collective(const ScclDocument& document, const std::string& file) {
  return Reader(document, file).read();
}

std::string_view sccl_name(Collective collective) {
  const auto found = std::ranges::find(names, collective, &CollectiveEntry::collective);
  return found == names.end() ? "Custom" : found->name;
}

std::string_view sccl_runtime_name(Collective collective) {
  static constexpr auto named = std::to_array({Collective::allgather, Collective::alltoall,
                                               Collective::allreduce, Collective::reduce_scatter});
  if (std::ranges::find(named, collective) == named.end()) return "custom";
  return std::ranges::find(names, collective, &CollectiveEntry::collective)->runtime_name;
}

}  // namespace schedcc
