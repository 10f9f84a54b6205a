// Algorithms of SCCL and msccl-tools (Cai, Liu, Maleki, Musuvathi, Mytkowicz, Nelson, Saarikivi:
// Synthesizing Optimal Collective Algorithms, PPoPP 2021) as schedules.
//
// There a rank's buffer is a row of addresses; here an address is a chunk. The collective is that
// of one chunk a block; its addresses are cut into as many as the instance has chunks. Where
// several of SCCL's chunks have one address, they are contributions, each of one rank. A send does
// not say whether it combines: it replaces where the receiver has nothing, or nothing that is not
// in what comes, and combines otherwise; what is then counted twice is found by the check
// `delivery`.
//
// A link carries its bandwidth in chunks in each round of a step, and so does a switch for all the
// pairs that it joins together. Ports have no limit.

#include "frontend/import/sccl.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "frontend/import/header.hpp"
#include "frontend/import/scanner.hpp"
#include "frontend/import/sccl_document.hpp"
#include "ir/runs.hpp"

namespace schedcc {

namespace {

using Document = ScclDocument;
using Spot = Document::Spot;
using Ranks = std::vector<Rank>;  ///< ascending

constexpr auto names = std::to_array<std::pair<Collective, std::string_view>>(
    {{Collective::broadcast, "Broadcast"},
     {Collective::scatter, "Scatter"},
     {Collective::gather, "Gather"},
     {Collective::allgather, "Allgather"},
     {Collective::alltoall, "Alltoall"},
     {Collective::reduce, "Reduce"},
     {Collective::allreduce, "Allreduce"},
     {Collective::reduce_scatter, "ReduceScatter"}});

/// What ranks hold and want of an address.
struct Address {
  Ranks pre, post;
  std::uint32_t contributions = 0;  ///< chunks at the address
  bool reduced() const { return contributions > 1; }
};

class ScclReader {
 public:
  ScclReader(Document document, const std::string& file)
      : document_(std::move(document)), file_(file) {}

  Topology topology() const {
    check_sizes();
    if (!document_.switches.empty()) {
      fail(document_.links_at, "the machine 'topology' cannot tell what these switches limit");
    }
    Topology result;
    result.ranks = document_.nodes;
    for (Rank src = 0; src < document_.nodes; ++src) {
      for (Rank dst = 0; dst < document_.nodes; ++dst) {
        const std::uint64_t bandwidth = document_.links[dst][src];
        if (bandwidth == 0) continue;
        if (src == dst) fail(document_.links_at, fmt::format("rank {} is linked to itself", src));
        result.links.push_back({src, dst, bandwidth});
      }
    }
    return result;
  }

  Source read() {
    check_sizes();
    check_parts();
    for (const Document::ScclChunk& chunk : document_.chunks) {
      const std::uint64_t first = chunk.address * document_.parts;
      for (std::uint64_t part = 0; part < document_.parts; ++part) {
        add(chunk, static_cast<std::uint32_t>(first + part));
      }
    }
    for (const auto& [address, at] : document_.mapped) known(address, at);
    for (const Document::Switch& s : document_.switches) {
      switches_.push_back({set(s.srcs), set(s.dsts), &s});
    }
    Source source;
    source.problem = problem();
    source.nodes = source.problem.ranks;
    source.machine = fmt::format("kport:k={}", std::max<Rank>(1, document_.nodes - 1));
    source.open = [schedule = schedule()] {
      return stream(std::shared_ptr<const Schedule>(schedule));
    };
    return source;
  }

 private:
  [[noreturn]] void fail(const Spot& at, const std::string& message) const {
    throw InputError({file_, at.line, at.column}, message);
  }

  void check_rank(Rank rank, const Spot& at) const {
    if (rank >= document_.nodes) {
      fail(at, fmt::format("rank {} is not one of the ranks 0..{}", rank, document_.nodes - 1));
    }
  }

  /// The ranks of a list, ascending.
  Ranks set(const std::vector<Document::RankAt>& list) const {
    Ranks result;
    for (const auto& [rank, at] : list) {
      check_rank(rank, at);
      result.push_back(rank);
    }
    std::ranges::sort(result);
    const auto twice = std::ranges::adjacent_find(result);
    if (twice != result.end()) {
      const Rank rank = *twice;
      const auto last = std::find_if(list.rbegin(), list.rend(),
                                     [&](const auto& item) { return item.rank == rank; });
      fail(last->at, fmt::format("rank {} is there twice", rank));
    }
    return result;
  }

  /// What is said twice must be the same.
  void check_sizes() const {
    const Rank nodes = document_.nodes;
    if (document_.links.size() != nodes) {
      fail(document_.links_at, fmt::format("'links' has rows for {} ranks, and there are {}",
                                           document_.links.size(), nodes));
    }
    for (const auto& row : document_.links) {
      if (row.size() != nodes) {
        fail(document_.links_at,
             fmt::format("a row of 'links' has {} ranks, and there are {}", row.size(), nodes));
      }
    }
    std::uint64_t extra = 0;
    for (const Document::ScclStep& step : document_.steps) extra += step.rounds - 1;
    if (document_.steps_said != document_.steps.size()) {
      fail(document_.instance_at, fmt::format("the instance has {} steps, and there are {}",
                                              document_.steps_said, document_.steps.size()));
    }
    if (document_.extra_rounds_said != extra) {
      fail(document_.instance_at, fmt::format("the instance has {} extra rounds, and there are {}",
                                              document_.extra_rounds_said, extra));
    }
  }

  /// An instance of several chunks has an address for each part of those of the collective; a file
  /// that has them names them in its maps or sends.
  void check_parts() const {
    if (document_.parts == 1) return;
    std::uint64_t last = 0;
    for (const Document::ScclChunk& chunk : document_.chunks) {
      last = std::max<std::uint64_t>(last, chunk.address);
    }
    const std::uint64_t named = document_.mapped.size() + document_.sends.size();
    if (document_.parts > named || (last + 1) * document_.parts > UINT32_MAX) {
      fail(
          document_.instance_at,
          fmt::format("the instance has {} chunks to one of the collective, and the maps and sends "
                      "do not name so many addresses",
                      document_.parts));
    }
  }

  void add(const Document::ScclChunk& chunk, std::uint32_t at_address) {
    const Ranks pre = set(chunk.pre), post = set(chunk.post);
    if (pre.empty()) fail(chunk.at, "no rank has this chunk at the start");
    Address& address = addresses_[at_address];
    if (++address.contributions == 1) {
      address.pre = pre;
      address.post = post;
      return;
    }
    // Contributions: a rank each, all wanted by the same ranks.
    if (pre.size() != 1 || (address.contributions == 2 && address.pre.size() != 1)) {
      fail(chunk.at,
           fmt::format("several chunks have address {}, so each begins at one rank", at_address));
    }
    if (post != address.post) {
      fail(chunk.at, fmt::format("the chunks of address {} end at different ranks", at_address));
    }
    const auto at = std::ranges::lower_bound(address.pre, pre[0]);
    if (at != address.pre.end() && *at == pre[0]) {
      fail(chunk.at, fmt::format("rank {} has two chunks of address {}", pre[0], at_address));
    }
    address.pre.insert(at, pre[0]);
  }

  const Address& known(std::uint32_t address, const Spot& at) const {
    const auto found = addresses_.find(address);
    if (found == addresses_.end()) fail(at, fmt::format("no chunk has address {}", address));
    return found->second;
  }

  /// The collective that the name says, if the chunks are such; else a custom one.
  Problem problem() const {
    const std::uint64_t total = std::uint64_t{addresses_.rbegin()->first} + 1;
    const std::string& said = document_.collective;
    const std::string_view word = std::string_view(said).substr(0, said.find_first_of("(,"));
    for (const auto& [collective, name] : names) {
      if (name != word || total != addresses_.size()) continue;
      Problem standard;
      standard.collective = collective;
      standard.ranks = document_.nodes;
      const std::uint64_t blocks = standard.total_chunks();  // with one chunk each
      if (total % blocks != 0 || total / blocks > max_transfer_count) break;
      standard.chunks = static_cast<std::uint32_t>(total / blocks);
      const Address& first = addresses_.begin()->second;
      const Ranks& ends =
          standard.reduction() || collective == Collective::gather ? first.post : first.pre;
      if (standard.rooted()) {
        if (ends.size() != 1) break;
        standard.root = ends[0];
      }
      if (matches(standard)) return standard;
      break;
    }
    return custom(total);
  }

  bool matches(const Problem& standard) const {
    try {
      standard.validate();
    } catch (const InputError&) {
      return false;
    }
    std::uint64_t held = 0, wanted = 0;
    for (const auto& [chunk, address] : addresses_) {
      held += address.pre.size();
      wanted += address.post.size();
      // With one rank a contribution is like any other chunk.
      if (standard.ranks > 1 && address.reduced() != standard.reduction()) return false;
      for (const Rank rank : address.pre) {
        if (!standard.starts_with(rank, chunk)) return false;
      }
      for (const Rank rank : address.post) {
        const Problem::Goal goal = standard.goal(rank);
        if (goal.size() == 0 || !wants(goal, chunk)) return false;
      }
    }
    for (Rank rank = 0; rank < standard.ranks; ++rank) {
      held -= standard.start().of(rank).count;
      wanted -= standard.goal(rank).size();
    }
    return held == 0 && wanted == 0;
  }

  static bool wants(const Problem::Goal& goal, Chunk chunk) {
    if (chunk < goal.run.first) return false;
    const std::uint64_t behind = chunk - goal.run.first;
    if (goal.repeat == 1 || goal.stride == 0) return behind < goal.run.count;
    return behind / goal.stride < goal.repeat && behind % goal.stride < goal.run.count;
  }

  Problem custom(std::uint64_t total) const {
    struct Lines {
      std::vector<Run> pre, post, reduced;
    };
    std::map<Rank, Lines> ranks;
    const auto append = [](std::vector<Run>& runs, Chunk chunk) {
      if (runs.empty() || end(runs.back()) != chunk) runs.push_back({chunk, 0});
      ++runs.back().count;
    };
    for (const auto& [chunk, address] : addresses_) {
      for (const Rank rank : address.pre) append(ranks[rank].pre, chunk);
      for (const Rank rank : address.post) {
        append(address.reduced() ? ranks[rank].reduced : ranks[rank].post, chunk);
      }
    }
    std::vector<Holding> pre, post;
    for (auto& [rank, lines] : ranks) {
      if (!lines.pre.empty()) pre.push_back({rank, std::move(lines.pre)});
      if (!lines.post.empty()) post.push_back({rank, std::move(lines.post)});
      if (!lines.reduced.empty()) post.push_back({rank, std::move(lines.reduced), true});
    }
    Problem result;
    result.collective = Collective::custom;
    result.ranks = document_.nodes;
    result.chunks = static_cast<std::uint32_t>(total);
    result.custom = std::make_shared<Custom>(std::move(pre), std::move(post));
    return result;
  }

  std::shared_ptr<Schedule> schedule() {
    auto schedule = std::make_shared<Schedule>();
    for (std::size_t i = 0; i < document_.steps.size(); ++i) {
      const Document::ScclStep& step = document_.steps[i];
      const std::size_t end =
          i + 1 < document_.steps.size() ? document_.steps[i + 1].first : document_.sends.size();
      const auto sends = std::span(document_.sends).subspan(step.first, end - step.first);
      if (sends.empty()) continue;
      schedule->begin_step(i, step.rounds);
      check_links(sends, i, step.rounds);
      add(sends, *schedule);
    }
    return schedule;
  }

  void check_links(std::span<const Document::Send> sends, std::size_t step, std::uint32_t rounds) {
    std::map<std::pair<Rank, Rank>, std::uint64_t> loads;
    std::set<std::tuple<Rank, Rank, std::uint32_t>> seen;
    for (const Document::Send& send : sends) {
      known(send.address, send.at);
      check_rank(send.src, send.at);
      check_rank(send.dst, send.at);
      const std::uint64_t bandwidth = document_.links[send.dst][send.src];
      if (bandwidth == 0) {
        fail(send.at, fmt::format("there is no link from {} to {}", send.src, send.dst));
      }
      if (!seen.emplace(send.src, send.dst, send.address).second) {
        fail(send.at, fmt::format("address {} goes from {} to {} twice in step {}", send.address,
                                  send.src, send.dst, step));
      }
      if (++loads[{send.src, send.dst}] > bandwidth * rounds) {
        fail(send.at, fmt::format("the link from {} to {} carries more than {} chunks in step {}",
                                  send.src, send.dst, bandwidth * rounds, step));
      }
    }
    for (const auto& [srcs, dsts, said] : switches_) {
      std::uint64_t load = 0;
      for (const Document::Send& send : sends) {
        if (!std::ranges::binary_search(srcs, send.src) ||
            !std::ranges::binary_search(dsts, send.dst)) {
          continue;
        }
        if (++load > said->bandwidth * rounds) {
          fail(send.at,
               fmt::format("switch '{}' carries more than {} chunks in step {}",
                           Scanner::printable(said->name), said->bandwidth * rounds, step));
        }
      }
    }
  }

  /// All sends read what there is before the step.
  void add(std::span<const Document::Send> sends, Schedule& schedule) {
    std::vector<Ranks> arrivals;  // by send, where contributions travel
    for (const Document::Send& send : sends) {
      const bool reduced = addresses_.at(send.address).reduced();
      arrivals.push_back(reduced ? held(send.src, send.address) : Ranks{});
    }
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const Document::Send& send = sends[i];
      Transfer transfer = copy(send.src, send.dst, send.address);
      if (addresses_.at(send.address).reduced()) {
        Ranks& has = held(send.dst, send.address);
        const Ranks& comes = arrivals[i];
        if (!std::ranges::includes(comes, has)) transfer.reduce = 1;
        Ranks both;
        std::ranges::set_union(has, comes, std::back_inserter(both));
        has = std::move(both);
      }
      schedule.add(transfer, send.at.line);
    }
  }

  /// The ranks whose contributions `rank` has of an address.
  Ranks& held(Rank rank, std::uint32_t address) {
    const auto [found, added] = held_.try_emplace({rank, address});
    if (added && std::ranges::binary_search(addresses_.at(address).pre, rank)) {
      found->second = {rank};
    }
    return found->second;
  }

  Document document_;
  const std::string& file_;
  struct Switch {
    Ranks srcs, dsts;
    const Document::Switch* said;
  };
  std::vector<Switch> switches_;
  std::map<std::uint32_t, Address> addresses_;
  std::map<std::pair<Rank, std::uint32_t>, Ranks> held_;
};

}  // namespace

Source read_sccl(const InputText& text, const std::string& file) {
  Document document = parse_sccl(text.view(), file);
  const std::string title = fits_a_line(document.name) ? document.name : std::string();
  Source source = ScclReader(std::move(document), file).read();
  source.title = title;
  source.file = file;
  source.name = title.empty() ? file : title;
  return source;
}

Topology read_sccl_topology(const InputText& text, const std::string& file) {
  return ScclReader(parse_sccl(text.view(), file), file).topology();
}

bool is_sccl(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && text[begin] == '{' &&
         text.find("\"msccl_type\"") != std::string_view::npos;
}

std::string_view sccl_name(Collective collective) {
  const auto found = std::ranges::find(names, collective, [](const auto& n) { return n.first; });
  return found == names.end() ? std::string_view() : found->second;
}

}  // namespace schedcc
