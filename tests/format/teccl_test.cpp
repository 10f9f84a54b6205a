// TE-CCL's JSON: a schedule that is written as its solvers do comes back as the same transfers,
// with fractions as parts of chunks; and damage is found.

#include <map>
#include <random>
#include <set>
#include <tuple>

#include <fmt/core.h>

#include "format/teccl/parts.hpp"
#include "formats.hpp"
#include "schedcc/check.hpp"

using namespace schedcc;
using namespace formats;

namespace {

using Random = std::mt19937;

std::uint32_t up_to(Random& random, std::uint32_t most) {
  return static_cast<std::uint32_t>(random() % (most + 1));
}

struct TestHop {
  Rank from, to;
  std::uint32_t epoch;
};
struct TestPath {
  std::uint32_t parts;  ///< of TestDemand::parts
  std::vector<TestHop> hops;
};
struct TestDemand {
  Rank source, gpu;
  std::uint32_t chunk, parts;
  std::vector<TestPath> paths;
};
struct TestSchedule {
  std::vector<std::uint32_t> gpus;  ///< their numbers, by rank
  std::uint32_t unused;             ///< a number of none of them: the switch
  bool volumes;                     ///< are paths lists of [epoch, hop]?
  std::uint32_t chunks;             ///< of a rank (allgather), or of a pair (alltoall)
  std::vector<TestDemand> demands;
};

/// One GPU in three numbers is left out.
std::vector<std::uint32_t> random_gpus(Random& random, std::uint32_t ranks) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t id = 1; result.size() < ranks; id += 1 + up_to(random, 2) / 2)
    result.push_back(id);
  return result;
}

/// Every chunk spreads: in each epoch some that have it send it to some that do not.
TestSchedule random_allgather(Random& random) {
  TestSchedule s{random_gpus(random, 2 + up_to(random, 4)), 0, false, 1 + up_to(random, 2), {}};
  const auto ranks = static_cast<Rank>(s.gpus.size());
  for (Rank source = 0; source < ranks; ++source) {
    for (std::uint32_t chunk = 0; chunk < s.chunks; ++chunk) {
      std::map<Rank, std::vector<TestHop>> paths{{source, {}}};
      for (std::uint32_t epoch = 0; paths.size() < ranks; ++epoch) {
        const auto before = paths;
        for (const auto& [rank, path] : before) {
          const Rank to = up_to(random, ranks - 1);
          if (paths.contains(to) || random() % 2 == 0) continue;
          paths[to] = path;
          paths[to].push_back({rank, to, epoch});
        }
      }
      for (const auto& [rank, path] : paths) {
        if (rank != source) s.demands.push_back({source, rank, chunk, 1, {{1, path}}});
      }
    }
  }
  return s;
}

/// Every chunk is divided among a few random walks.
TestSchedule random_alltoall(Random& random) {
  TestSchedule s{random_gpus(random, 2 + up_to(random, 3)), 0, true, 1 + up_to(random, 1), {}};
  const auto ranks = static_cast<Rank>(s.gpus.size());
  for (Rank source = 0; source < ranks; ++source) {
    for (std::uint32_t chunk = 0; chunk < s.chunks * ranks; ++chunk) {
      if (chunk % ranks == source) continue;
      TestDemand demand{source, chunk % ranks, chunk, 1 + up_to(random, 4), {}};
      for (std::uint32_t left = demand.parts; left > 0;) {
        TestPath path{1 + up_to(random, left - 1), {}};
        left -= path.parts;
        Rank at = source;
        std::uint32_t epoch = up_to(random, 2);
        do {
          Rank to = up_to(random, ranks - 1);
          if (path.hops.size() > 2) to = demand.gpu;
          if (to == at) continue;
          path.hops.push_back({at, to, epoch});
          epoch += 1 + up_to(random, 2);
          at = to;
        } while (at != demand.gpu);
        demand.paths.push_back(path);
      }
      s.demands.push_back(demand);
    }
  }
  return s;
}

std::string volume_text(std::uint32_t parts, std::uint32_t all) {
  return fmt::format("{:.6f}", static_cast<double>(parts) / all);
}

std::string hop_text(const TestSchedule& s, const TestDemand& demand, const TestPath& path,
                     const TestHop& hop) {
  return fmt::format(
      "{}->{}{} in epoch {}{}", s.gpus[hop.from], s.gpus[hop.to],
      s.volumes ? " with volume " + volume_text(path.parts, demand.parts) : std::string(),
      hop.epoch,
      (hop.from + hop.to) % 3 == 0 ? fmt::format(" via switches {}", s.unused) : std::string());
}

std::uint32_t last_epoch(const TestDemand& demand) {
  std::uint32_t last = 0;
  for (const TestPath& path : demand.paths) {
    for (const TestHop& hop : path.hops) last = std::max(last, hop.epoch);
  }
  return last;
}

/// The file, a line for each flow, demand and hop.
std::string as_teccl(const TestSchedule& s) {
  std::set<std::pair<std::uint32_t, std::string>> flows;
  std::string paths, met;
  std::uint32_t epochs = 0;
  std::map<Rank, std::map<Rank, std::map<std::uint32_t, double>>> times;
  for (const TestDemand& demand : s.demands) {
    const std::uint32_t epoch = last_epoch(demand);
    epochs = std::max(epochs, epoch + 1);
    times[demand.gpu][demand.source][demand.chunk] = 0.25 * (epoch + 1);
    paths += fmt::format("{}\n\"Demand at {} for chunk {} from {} met by epoch {}\": [",
                         paths.empty() ? "" : ",", s.gpus[demand.gpu], demand.chunk,
                         s.gpus[demand.source], epoch);
    const char* next = "\n";
    for (const TestPath& path : demand.paths) {
      if (s.volumes) paths += fmt::format("{}[", next);
      if (s.volumes) next = "\n";
      for (const TestHop& hop : path.hops) {
        const std::string text = hop_text(s, demand, path, hop);
        flows.emplace(hop.epoch, fmt::format("Chunk {} from {} traveled over {}", demand.chunk,
                                             s.gpus[demand.source], text));
        paths += s.volumes ? fmt::format("{}[{}, \"{}\"]", next, hop.epoch, text)
                           : fmt::format("{}\"{}\"", next, text);
        next = ",\n";
      }
      if (s.volumes) paths += "]";
    }
    paths += "]";
  }
  std::string list;
  for (const auto& [epoch, text] : flows)
    list += fmt::format("{}\n\"{}\"", list.empty() ? "" : ",", text);
  for (const auto& [gpu, sources] : times) {
    met += fmt::format("{}\n\"GPU {}\": {{", met.empty() ? "" : ",", s.gpus[gpu]);
    const char* comma = "";
    for (const auto& [source, chunks] : sources) {
      met += fmt::format("{}\"GPU {}\": {{", comma, s.gpus[source]);
      comma = "";
      for (const auto& [chunk, time] : chunks) {
        met += fmt::format("{}\"Chunk {}\": {}", comma, chunk, time);
        comma = ", ";
      }
      met += "}";
    }
    met += "}";
  }
  return fmt::format(
      "{{\"1-Epoch_Duration\": 0.25, \"3-Epochs_Required\": {},\n\"6-Demand_Met\": "
      "{{{}}},\n\"7-Flows\": [{}],\n\"8-Chunk paths\": {{{}}}}}\n",
      epochs, met, list, paths);
}

/// (step, sender, receiver, chunk), chunks one by one.
using TestTransfers = std::set<std::tuple<std::uint64_t, Rank, Rank, std::uint64_t>>;

/// The least common denominator.
std::uint32_t parts_of(const TestSchedule& s) {
  std::uint32_t all = 1;
  for (const TestDemand& demand : s.demands) {
    for (const TestPath& path : demand.paths)
      all = std::lcm(all, demand.parts / std::gcd(path.parts, demand.parts));
  }
  return all;
}

TestTransfers expected(const TestSchedule& s) {
  TestTransfers result;
  const std::uint32_t K = parts_of(s);
  const auto ranks = static_cast<Rank>(s.gpus.size());
  for (const TestDemand& demand : s.demands) {
    std::uint64_t chunk = demand.source * s.chunks + demand.chunk;
    if (s.volumes) chunk = (demand.source * ranks + demand.gpu) * s.chunks + demand.chunk / ranks;
    chunk *= K;
    for (const TestPath& path : demand.paths) {
      const std::uint32_t count = path.parts * K / demand.parts;
      for (const TestHop& hop : path.hops) {
        for (std::uint32_t i = 0; i < count; ++i)
          result.emplace(hop.epoch, hop.from, hop.to, chunk + i);
      }
      chunk += count;
    }
  }
  return result;
}

TestTransfers found(const Source& source) {
  TestTransfers result;
  std::size_t transfers = 0;
  const auto stream = source.open();
  for (Step step; stream->next(step);) {
    for (const Transfer& t : step.transfers) {
      for (std::uint32_t i = 0; i < t.count; ++i) {
        result.emplace(step.number, t.src, t.dst, t.first + i);
        ++transfers;
      }
    }
  }
  CHECK(transfers == result.size());  // each once
  return result;
}

/// The checks that the file fails: "", "causality", "causality delivery".
std::string failed(const std::string& text) {
  const Source source = read(text, "teccl");
  const Report report = check(source, make_machine(source.machine, source.problem.ranks));
  std::set<std::string> checks;
  for (const Finding& f : report.findings) {
    if (f.severity == Severity::error) checks.emplace(f.check);
  }
  CHECK((report.verdict() == Verdict::violated) == !checks.empty());
  std::string result;
  for (const std::string& name : checks) result += (result.empty() ? "" : " ") + name;
  return result;
}

}  // namespace

TEST_CASE("what is written as TE-CCL does comes back as the same transfers") {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const TestSchedule s = i % 2 == 0 ? random_allgather(random) : random_alltoall(random);
    const std::string text = as_teccl(s);
    INFO(text);
    const Source source = read(text, "teccl");
    REQUIRE(source.problem.collective ==
            (s.volumes ? Collective::alltoall : Collective::allgather));
    REQUIRE(source.problem.ranks == s.gpus.size());
    REQUIRE(source.problem.chunks == s.chunks * parts_of(s));
    REQUIRE(found(source) == expected(s));
    REQUIRE(failed(text).empty());
    CHECK(find_format("teccl").recognises(text));
    REQUIRE(!source.notes.empty());  // no GPU is number 0
    CHECK(source.notes.size() == 1);
  }
}

TEST_CASE("damage to a schedule of TE-CCL is found") {
  Random random(2);
  int early = 0, missing = 0;
  for (int i = 0; i < 160; ++i) {
    TestSchedule s = i % 2 == 0 ? random_allgather(random) : random_alltoall(random);
    const std::string good = as_teccl(s);
    TestDemand& demand = s.demands[up_to(random, static_cast<std::uint32_t>(s.demands.size() - 1))];
    TestPath& path =
        demand.paths[up_to(random, static_cast<std::uint32_t>(demand.paths.size() - 1))];
    // A flow that is not listed contradicts the path that has it.
    const std::string flow =
        fmt::format("\"Chunk {} from {} traveled over {}\"", demand.chunk, s.gpus[demand.source],
                    hop_text(s, demand, path, path.hops.front()));
    std::string unlisted = good;
    const std::size_t begin = unlisted.find(flow);
    REQUIRE(begin != std::string::npos);
    const bool comma = unlisted[begin + flow.size()] == ',';
    unlisted.erase(begin, flow.size() + (comma ? 1 : 0));
    if (!comma && unlisted[begin - 2] == ',') unlisted.erase(begin - 2, 1);
    INFO(unlisted);
    CHECK(error(unlisted, "teccl").message ==
          fmt::format("'7-Flows' does not have this hop, of chunk {} from {}", demand.chunk,
                      s.gpus[demand.source]));

    if (path.hops.size() > 1 && s.volumes) {
      // A hop in the epoch of the one before it sends what has not arrived.
      TestHop& hop = path.hops[1];
      const std::uint32_t epoch = hop.epoch;
      hop.epoch = path.hops[0].epoch;
      INFO(as_teccl(s));
      // A walk may be back at its source, which has everything.
      if (hop.from != demand.source) {
        CHECK(failed(as_teccl(s)).find("causality") != std::string::npos);
        ++early;
      }
      hop.epoch = epoch;
    }
    // The last hop is neither a flow nor in the path.
    const bool first_visit = std::ranges::count(path.hops, demand.gpu, &TestHop::to) == 1;
    path.hops.pop_back();
    if (first_visit && (!path.hops.empty() || !s.volumes)) {
      if (path.hops.empty()) demand.paths.clear();
      INFO(as_teccl(s));
      const std::string verdict = failed(as_teccl(s));
      // Other paths of an allgather may have the hop as well.
      const bool gone =
          s.volumes || found(read(as_teccl(s), "teccl")) != found(read(good, "teccl"));
      CHECK((verdict.find("delivery") != std::string::npos) == gone);
      missing += gone ? 1 : 0;
    }
  }
  CHECK(early > 20);
  CHECK(missing > 50);
}
