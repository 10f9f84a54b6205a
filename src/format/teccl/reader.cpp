// Schedules of TE-CCL (Liu, Arzani, Kakarla, Zhao, Liu, Castro, Kandula, Marshall: Rethinking
// Machine Learning Collective Communication as a Multi-Commodity Flow Problem, SIGCOMM 2024), as
// its solvers write them.
//
// A file states its schedule twice, as flows and as the paths of each demand, of which the flows
// are the hops, each once. An epoch is a step: what is sent in an epoch is there in the next one at
// the earliest. How long a link takes, and what it carries, is not in the file.
//
// Chunks may be divided: the paths of a demand have volumes that make up 1. They are fractions,
// rounded to decimals; with the least common denominator K that all of them can have (parts.hpp), a
// chunk becomes K of them, and a path carries its own ones from hop to hop.

#include "format/teccl/reader.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/core.h>

#include "format/entry.hpp"
#include "format/header.hpp"
#include "format/teccl/document.hpp"
#include "format/teccl/parts.hpp"
#include "format/teccl/problem.hpp"

namespace schedcc {

namespace teccl {

namespace {

class Reader {
 public:
  Reader(const Document& document, const std::string& file) : document_(document), file_(file) {}

  Source read() {
    if (document_.demands.empty()) fail(document_.begin, "the file has no demand");
    check_figures();
    check_epochs();
    check_flows();
    check_volumes();
    const Gpus gpus(document_, file_);
    const std::uint64_t parts = common_parts({volumes_.begin(), volumes_.end()});
    const TecclProblem collective(document_, gpus, parts, file_);
    check_met();
    Source source = from_schedule(collective.problem(), schedule(collective, gpus, parts));
    source.machine = fmt::format("kport:k={}", gpus.count() - 1);
    if (std::string note = gpus.renumbered(); !note.empty())
      source.notes.push_back({.message = std::move(note)});
    note_gaps(source);
    return source;
  }

 private:
  using Hops = std::span<const Hop>;

  [[noreturn]] void fail(const Position& at, const std::string& message) const {
    schedcc::fail(file_, at, message);
  }

  Hops hops(std::size_t path) const {
    const std::size_t first = document_.paths[path].first;
    return std::span(document_.hops).subspan(first, document_.end_of_hops(path) - first);
  }
  /// Calls f(demand, its first path, the end of its paths).
  template <typename F>
  void for_each_demand(F f) const {
    for (std::size_t i = 0; i < document_.demands.size(); ++i)
      f(document_.demands[i], document_.demands[i].first, document_.end_of_paths(i));
  }

  static bool close(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

  void check_figures() const {
    const double finish = document_.duration * static_cast<double>(document_.epochs);
    if (document_.finish && !close(*document_.finish, finish)) {
      fail(document_.finish_at,
           fmt::format("{} epochs of {} s take {} s, not {} s", document_.epochs,
                       document_.duration, finish, *document_.finish));
    }
  }

  /// No hop is sent after its demand is met, nor is a demand met after the last epoch.
  void check_epochs() const {
    for_each_demand([&](const Document::Demand& demand, std::size_t first, std::size_t end) {
      if (demand.epoch >= document_.epochs) {
        fail(demand.at, fmt::format("the demand is met in epoch {}, but the last epoch is {}",
                                    demand.epoch, document_.epochs - 1));
      }
      for (std::size_t path = first; path < end; ++path) {
        for (const Hop& hop : hops(path)) {
          if (hop.epoch <= demand.epoch) continue;
          fail(hop.at, fmt::format("the hop is in epoch {}, but the demand is met in epoch {}",
                                   hop.epoch, demand.epoch));
        }
      }
    });
  }

  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::uint32_t, std::uint64_t>;
  static Key key(std::uint32_t chunk, std::uint32_t source, const Hop& hop) {
    return {chunk, source, hop.from, hop.to, hop.epoch, hop.via, hop.volume};
  }

  /// The flows are the hops of the paths.
  void check_flows() const {
    std::vector<Key> flows, of_paths;
    for (const auto& [chunk, source, hop] : document_.flows)
      flows.push_back(key(chunk, source, hop));
    std::ranges::sort(flows);
    for_each_demand([&](const Document::Demand& demand, std::size_t first, std::size_t end) {
      for (std::size_t path = first; path < end; ++path) {
        for (const Hop& hop : hops(path)) {
          of_paths.push_back(key(demand.chunk, demand.source, hop));
          if (std::ranges::binary_search(flows, of_paths.back())) continue;
          fail(hop.at, fmt::format("'{}' does not have this hop, of chunk {} from {}",
                                   document_.flows_name, demand.chunk, demand.source));
        }
      }
    });
    std::ranges::sort(of_paths);
    for (const auto& [chunk, source, hop] : document_.flows) {
      if (!std::ranges::binary_search(of_paths, key(chunk, source, hop)))
        fail(hop.at, fmt::format("no path of '{}' has this flow", document_.paths_name));
    }
  }

  /// Sets the volumes of the demands that have a path. A chunk that several GPUs must get is not
  /// divided: their paths share hops, and nothing says which parts of the chunk they carry.
  void check_volumes() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> wanted;
    for (const Document::Demand& demand : document_.demands)
      ++wanted[{demand.source, demand.chunk}];
    for_each_demand([&](const Document::Demand& demand, std::size_t first, std::size_t end) {
      if (first == end) return;  // the chunk does not come, as the check `delivery` says
      Volumes volumes;
      for (std::size_t path = first; path < end; ++path) volumes.push_back(volume(path));
      if (!fit(volumes, max_parts)) {
        std::uint64_t sum = 0;
        for (const std::uint64_t v : volumes) sum += v;
        fail(demand.at, fmt::format("the paths carry {} of chunk {} from {} to {}, not all of it",
                                    static_cast<double>(sum) / static_cast<double>(whole),
                                    demand.chunk, demand.source, demand.gpu));
      }
      if (volumes.size() > 1 && wanted[{demand.source, demand.chunk}] > 1) {
        fail(demand.at, fmt::format("chunk {} from {} is divided, and goes to several GPUs",
                                    demand.chunk, demand.source));
      }
      volumes_.push_back(std::move(volumes));
    });
  }
  /// The volume of all hops of a path.
  std::uint64_t volume(std::size_t path) const {
    const std::uint64_t first = hops(path).front().volume;
    for (const Hop& hop : hops(path)) {
      const std::uint64_t more = std::max(first, hop.volume), less = std::min(first, hop.volume);
      if (more - less > tolerance)
        fail(hop.at, "the hop has another volume than the first one of its path");
    }
    return first;
  }

  /// '6-Demand_Met' has the end of the epoch by which each demand is met.
  void check_met() const {
    if (!document_.met) return;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> epochs;
    for (const Document::Demand& demand : document_.demands)
      epochs[{demand.gpu, demand.source, demand.chunk}] = demand.epoch;
    for (const Document::DemandTime& met : *document_.met) {
      const auto found = epochs.find({met.gpu, met.source, met.chunk});
      if (found == epochs.end()) {
        fail(met.at, fmt::format("'{}' has no demand at {} for chunk {} from {}",
                                 document_.paths_name, met.gpu, met.chunk, met.source));
      }
      const double time = document_.duration * (found->second + 1.0);
      if (close(met.time, time)) continue;
      fail(met.at, fmt::format("the demand is met at {} s, and by epoch {}, which ends at {} s",
                               met.time, found->second, time));
    }
    if (document_.met->size() == epochs.size()) return;
    fail(document_.met_at, fmt::format("'6-Demand_Met' has {} demands, and '{}' has {}",
                                       document_.met->size(), document_.paths_name, epochs.size()));
  }

  struct EpochTransfer {
    std::uint32_t epoch;
    Transfer transfer;
    std::uint32_t line;
  };

  /// The transfers by epoch: those of each path, unless they are those of another one as well.
  std::shared_ptr<const Schedule> schedule(const TecclProblem& collective, const Gpus& gpus,
                                           std::uint64_t parts) const {
    std::vector<EpochTransfer> sent;
    std::size_t next = 0;
    for_each_demand([&](const Document::Demand& demand, std::size_t first, std::size_t end) {
      if (first == end) return;
      const std::vector<std::uint32_t> counts = split(volumes_[next++], parts);
      Chunk chunk = collective.first(demand);
      for (std::size_t path = first; path < end; ++path) {
        const std::uint32_t count = counts[path - first];
        for (const Hop& hop : hops(path)) {
          sent.push_back(
              {hop.epoch, copy(gpus.rank(hop.from), gpus.rank(hop.to), chunk, count), hop.at.line});
        }
        chunk += count;
      }
    });
    const auto what = [](const EpochTransfer& s) {
      return std::tuple(s.epoch, s.transfer.src, s.transfer.dst, s.transfer.first);
    };
    std::ranges::stable_sort(sent, {}, what);
    const auto same = [&](const EpochTransfer& a, const EpochTransfer& b) {
      return what(a) == what(b);
    };
    sent.erase(std::unique(sent.begin(), sent.end(), same), sent.end());
    auto schedule = std::make_shared<Schedule>();
    for (std::size_t i = 0; i < sent.size(); ++i) {
      if (i == 0 || sent[i].epoch != sent[i - 1].epoch) schedule->begin_step(sent[i].epoch);
      schedule->add(sent[i].transfer, sent[i].line);
    }
    return schedule;
  }

  /// Paths whose hops do not lead from the source to the GPU. They are sent as they are.
  void note_gaps(Source& source) const {
    std::uint64_t gaps = 0;
    for_each_demand([&](const Document::Demand& demand, std::size_t first, std::size_t end) {
      for (std::size_t path = first; path < end; ++path) {
        std::uint32_t at = demand.source;
        bool joined = true;
        for (const Hop& hop : hops(path)) {
          joined = joined && hop.from == at;
          at = hop.to;
        }
        if (joined && at == demand.gpu) continue;
        const Position& begin = document_.paths[path].at;
        if (gaps++ == 0) {
          source.notes.push_back(
              {fmt::format("the hops of this path do not lead from GPU {} to GPU {}", demand.source,
                           demand.gpu),
               begin.line, begin.column});
        }
      }
    });
    if (gaps > 1) source.notes.back().more = gaps - 1;
  }

  const Document& document_;
  const std::string& file_;
  std::vector<Volumes> volumes_;  ///< of the demands that have a path
};

}  // namespace

}  // namespace teccl

Source read_teccl(const InputText& text, const std::string& file) {
  const teccl::Document document = teccl::parse(text.view(), file);
  Source source = teccl::Reader(document, file).read();
  set_file(source, file);
  return source;
}

bool is_teccl(std::string_view text) { return is_json_with(text, "1-Epoch_Duration"); }

extern const FormatEntry teccl_format;
const FormatEntry teccl_format{
    .name = "teccl",
    .summary = "schedules of TE-CCL, as its solvers write them",
    .extensions = {".json"},
    .read = read_teccl,
    .recognises = is_teccl,
};

}  // namespace schedcc
