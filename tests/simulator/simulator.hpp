#pragma once

// The oracle: a naive simulator of schedules, written from the definition alone.
//
// It shares no code with the library beyond plain structs, holds everything in tables, maps and
// sets by rank and chunk, and implements the definition one sentence at a time. It is slow and
// small, so that its correctness is evident; the checker must agree with it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schedcc/check.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/schedule.hpp"

namespace naive {

using schedcc::Blocking;
using schedcc::Chunk;
using schedcc::Problem;
using schedcc::Rank;
using schedcc::Transfer;

using Message = std::pair<Rank, Rank>;  ///< source, destination

/// A machine, as the table of machines describes it.
struct Model {
  struct Ports {
    std::size_t send, receive, both;
  };
  struct LogP {
    std::uint64_t L, o, g;
  };
  struct Grid {
    std::uint64_t rows, columns, congestion;
    bool torus;
  };
  struct Modules {
    std::uint64_t b, in, out;
  };
  /// Digit i of a rank, counted from the lowest one, is below factors[i]; ranks that agree in all
  /// digits after digit l are in one group of level l.
  struct Cluster {
    std::vector<std::uint64_t> factors, oversubscription;  ///< [l - 1]: that of level l
    std::uint64_t nics = 1;
    bool rails = false, shared = false;
  };
  struct Rules {
    bool multicast, reduces;
  };
  struct Graph {
    std::uint64_t nodes = 0;
    std::map<std::pair<Rank, Rank>, std::uint64_t> links{};  ///< (from, to) -> capacity
    std::map<std::pair<Rank, Rank>, std::uint64_t> far{};    ///< links of a shortest way, if any
    std::map<Rank, Rules> rules{};                           ///< what switches may do
    bool shared = false;
  };
  std::optional<Ports> ports;
  std::optional<LogP> logp;
  std::optional<Grid> grid;        ///< meshes and tori
  std::optional<Modules> modules;  ///< crossbars
  std::optional<Cluster> cluster;
  std::optional<Graph> graph;   ///< topologies that store and forward
  std::optional<Graph> direct;  ///< those with ports: messages take their whole route in a step
  /// Fat trees: the packets that a branch between levels i-1 and i carries per step, at [i - 1].
  std::optional<std::vector<std::uint64_t>> capacity;
  std::uint64_t width = 0;  ///< chunks per message; 0: any number

  bool routed() const { return capacity || graph; }
};

/// The model that a specification such as "logp:L=6,o=2,g=4" names, for `ranks` ranks. Cached, as
/// are the contents of topology files.
const Model& model(const std::string& spec, Rank ranks);

/// A transfer and its step.
struct Sent {
  std::uint64_t step;
  Transfer transfer;
};

/// A schedule in file order, its steps rising. `nodes`: the number of nodes at hop level; 0: at
/// endpoint level.
struct Plan {
  Problem problem;
  std::vector<Sent> sent;
  std::uint64_t nodes = 0;
  std::map<std::uint64_t, std::uint32_t> rounds = {};  ///< of steps that have more than one
};

struct Options {
  Blocking blocking = Blocking::sendrecv;
  std::uint64_t eager = 0;
  std::optional<std::uint64_t> max_buffer;
};

struct Outcome {
  std::set<std::string> applicable;  ///< checks that apply to the machine and the level
  std::set<std::string> violated;    ///< `redundancy` is here as a violation too
  std::uint64_t steps = 0, volume = 0, transfers = 0, messages = 0, width = 0, max_buffer = 0;
  std::uint64_t hops = 0;        ///< fat trees, topologies
  std::uint64_t congestion = 0;  ///< meshes, tori, crossbars, clusters
  /// Fat trees: the longest queues at the links up and down of the routers of a level.
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> queues;
  bool overcounted = false;  ///< a copy brought a value in which a contribution is counted twice
};

Outcome simulate(const Plan& plan, const Model& model, const Options& options = {});

/// The hops of an endpoint schedule on a routed machine for `ranks` ranks, one link a step.
std::vector<Sent> lower(const std::vector<Sent>& sent, const Model& model, Rank ranks);

}  // namespace naive
