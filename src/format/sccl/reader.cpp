// Algorithms of SCCL and msccl-tools (Cai, Liu, Maleki, Musuvathi, Mytkowicz, Nelson, Saarikivi:
// Synthesizing Optimal Collective Algorithms, PPoPP 2021) as schedules.
//
// There a rank's buffer is a row of addresses; here an address is a chunk (see collective.cpp). The
// collective is that of one chunk a block; its addresses are divided into as many as the instance
// has chunks. The effect of a send to an address that gathers contributions is in sends.cpp.
//
// A link carries its bandwidth in chunks in each round of a step, and so does a switch for all
// pairs that it connects together. Ports have no limit.

#include "format/sccl/reader.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/scanner.hpp"
#include "format/header.hpp"
#include "format/sccl/collective.hpp"
#include "format/sccl/document.hpp"
#include "format/sccl/sends.hpp"
#include "format/sccl/topology.hpp"
#include "model/problem_text.hpp"

namespace schedcc {

namespace {

using Document = ScclDocument;

class ScclReader {
 public:
  ScclReader(Document document, const std::string& file)
      : document_(std::move(document)), file_(file) {}

  Topology topology() const {
    check_sizes();
    if (!document_.switches.empty()) {
      fail(document_.links_at,
           "the machine 'topology' cannot represent the limits of these switches");
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
    collective_ = sccl_collective(document_, file_);
    auto topology = std::make_shared<ScclTopology>();
    topology->name = document_.topology;
    for (const Document::Switch& s : document_.switches)
      topology->switches.push_back({ranks_of(s.srcs), ranks_of(s.dsts), s.bandwidth, s.name});
    topology->links = document_.links;
    topology_ = topology;
    Source source;
    source.sccl_topology = std::move(topology);
    source.problem = collective_.problem;
    source.machine = fmt::format("kport:k={}", std::max<Rank>(1, document_.nodes - 1));
    source.open = [schedule = schedule()] {
      return stream(std::shared_ptr<const Schedule>(schedule));
    };
    return source;
  }

 private:
  [[noreturn]] void fail(const Position& at, const std::string& message) const {
    schedcc::fail(file_, at, message);
  }

  std::vector<Rank> ranks_of(const std::vector<Document::LocatedRank>& list) const {
    return sccl_ranks(list, document_.nodes, file_);
  }

  /// Redundant fields must agree.
  void check_sizes() const {
    const Rank nodes = document_.nodes;
    if (document_.links.size() != nodes) {
      fail(document_.links_at, fmt::format("'links' has rows for {} ranks, but there are {}",
                                           document_.links.size(), nodes));
    }
    for (const auto& row : document_.links) {
      if (row.size() != nodes) {
        fail(document_.links_at,
             fmt::format("a row of 'links' has {} ranks, but there are {}", row.size(), nodes));
      }
    }
    std::uint64_t extra = 0;
    for (const Document::ScclStep& step : document_.steps) extra += step.rounds - 1;
    if (document_.stated_steps != document_.steps.size()) {
      fail(document_.instance_at, fmt::format("the instance has {} steps, but there are {}",
                                              document_.stated_steps, document_.steps.size()));
    }
    if (document_.stated_extra_rounds != extra) {
      fail(document_.instance_at, fmt::format("the instance has {} extra rounds, but there are {}",
                                              document_.stated_extra_rounds, extra));
    }
  }

  std::shared_ptr<Schedule> schedule() {
    auto schedule = std::make_shared<Schedule>();
    ScclSends meaning(collective_.problem);
    for (std::size_t i = 0; i < document_.steps.size(); ++i) {
      const Document::ScclStep& step = document_.steps[i];
      const std::size_t end =
          i + 1 < document_.steps.size() ? document_.steps[i + 1].first : document_.sends.size();
      const auto sends = std::span(document_.sends).subspan(step.first, end - step.first);
      if (sends.empty()) continue;
      schedule->begin_step(i, step.rounds);
      check_links(sends, i, step.rounds);
      add(sends, meaning, *schedule);
    }
    return schedule;
  }

  void check_links(std::span<const Document::Send> sends, std::size_t step, std::uint32_t rounds) {
    std::map<std::pair<Rank, Rank>, std::uint64_t> loads;
    std::set<std::tuple<Rank, Rank, std::uint32_t>> seen;
    for (const Document::Send& send : sends) {
      if (!collective_.chunk(send.address)) {
        fail(send.at, fmt::format("no chunk has address {}", send.address));
      }
      for (const Rank rank : {send.src, send.dst}) {
        if (rank >= document_.nodes) fail(send.at, no_such_rank("rank", rank, document_.nodes));
      }
      const std::uint64_t bandwidth = document_.links[send.dst][send.src];
      if (bandwidth == 0) {
        fail(send.at, fmt::format("there is no link from {} to {}", send.src, send.dst));
      }
      if (!seen.emplace(send.src, send.dst, send.address).second) {
        fail(send.at, fmt::format("address {} goes from {} to {} twice in step {}", send.address,
                                  send.src, send.dst, step));
      }
      if (++loads[{send.src, send.dst}] > bandwidth * rounds) {
        fail(send.at, fmt::format("the link from {} to {} carries more than {} in step {}",
                                  send.src, send.dst, counted(bandwidth * rounds, "chunk"), step));
      }
    }
    for (const auto& [srcs, dsts, bandwidth, name] : topology_->switches) {
      std::uint64_t load = 0;
      for (const Document::Send& send : sends) {
        if (!std::ranges::binary_search(srcs, send.src) ||
            !std::ranges::binary_search(dsts, send.dst)) {
          continue;
        }
        if (++load > bandwidth * rounds) {
          fail(send.at, fmt::format("switch '{}' carries more than {} in step {}", printable(name),
                                    counted(bandwidth * rounds, "chunk"), step));
        }
      }
    }
  }

  void add(std::span<const Document::Send> sends, ScclSends& meaning, Schedule& schedule) {
    std::vector<Transfer> transfers;
    for (const Document::Send& send : sends) {
      transfers.push_back(copy(send.src, send.dst, *collective_.chunk(send.address)));
    }
    const std::vector<ScclSends::Effect> effects = meaning.step(transfers);
    for (std::size_t i = 0; i < sends.size(); ++i) {
      transfers[i].reduce = effects[i] == ScclSends::Effect::combines ? 1 : 0;
      schedule.add(transfers[i], sends[i].at.line);
    }
  }

  Document document_;
  const std::string& file_;
  std::shared_ptr<const ScclTopology> topology_;
  ScclCollective collective_;
};

}  // namespace

Source read_sccl(const InputText& text, const std::string& file) {
  Document document = parse_sccl(text.view(), file);
  const std::string title = fits_a_line(document.name) ? document.name : std::string();
  Source source = ScclReader(std::move(document), file).read();
  source.title = title;
  set_file(source, file);
  return source;
}

Topology read_sccl_topology(const InputText& text, const std::string& file) {
  return ScclReader(parse_sccl(text.view(), file), file).topology();
}

bool is_sccl(std::string_view text) { return is_json_with(text, "msccl_type"); }

}  // namespace schedcc
