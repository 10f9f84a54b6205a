#pragma once

// What may happen at once: ports, links and timing of the machine that a schedule runs on.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/schedule.hpp"
#include "schedcc/spec.hpp"

namespace schedcc {

/// Messages that a rank may take part in per step.
struct PortLimits {
  std::uint32_t send = 1;
  std::uint32_t receive = 1;
  std::uint32_t both = 2;  ///< sent and received together
};

/// The LogP model: steps are cycles. See machine/logp.cpp.
struct LogP {
  std::uint64_t L = 6, o = 2, g = 4;
  /// Cycles from the start of a send to the first cycle in which the receiver holds the data.
  std::uint64_t latency() const { return L + 2 * o; }
  /// The least distance of two sends of a rank, and of two receives.
  std::uint64_t spacing() const { return g > o ? g : o; }
};

/// A network of nodes and directed links with capacities. Nodes 0..P-1 are the ranks.
class Network {
 public:
  /// A directed link: its index in 0..links()-1 and what it carries per step, in chunks.
  struct Link {
    std::uint64_t index;
    std::uint64_t capacity;
  };

  virtual ~Network() = default;
  virtual std::uint64_t nodes() const = 0;
  virtual std::uint64_t links() const = 0;
  /// The link between two nodes; none if they are not neighbours.
  virtual std::optional<Link> link(Rank from, Rank to) const = 0;
  /// Appends the nodes of the route from `src` to `dst`, both included.
  virtual void route(Rank src, Rank dst, std::vector<Rank>& path) const = 0;
  /// "router 17 (level 2)": for messages.
  virtual std::string describe(Rank node) const = 0;
};

/// A mesh or torus of ranks in row-major order. See machine/mesh.cpp.
struct Mesh {
  std::uint64_t rows = 1, columns = 1;
  bool torus = false;
  std::uint64_t congestion = 1;  ///< messages that a directed edge carries per step
};

/// A hierarchical crossbar: a modules of b ranks, rank = module * b + index. See
/// machine/crossbar.cpp.
struct Crossbar {
  std::uint64_t a = 1, b = 1;
  std::uint64_t in = 1, out = 1;  ///< messages that enter and leave a module per step
};

/// A network as a file describes it: ranks 0..P-1, then switches, and directed links. See
/// machine/topology.cpp.
struct Topology {
  struct Link {
    Rank from, to;
    std::uint64_t capacity;  ///< chunks per round; a step has one round unless it says otherwise
  };
  Rank ranks = 1;
  std::vector<std::string> switches;  ///< their names; switch i is node P + i
  std::vector<Link> links;            ///< by (from, to), each once

  std::uint64_t nodes() const { return ranks + switches.size(); }
};

/// What the messages of one step share on a machine without routers, where a message takes its
/// whole way in its step: the directed edges of a mesh, the ways in and out of a module.
class Channels {
 public:
  /// Channels first..first+count-1, of one capacity, in the order in which a message takes them or,
  /// if `falling`, the other way round.
  struct Run {
    std::uint64_t first, count;
    bool falling = false;
  };

  virtual ~Channels() = default;
  /// Appends the channels that a message from `src` to `dst` takes, each once: at most four runs,
  /// however long its way is.
  virtual void way(Rank src, Rank dst, std::vector<Run>& runs) const = 0;
  /// The messages that a channel carries per step.
  virtual std::uint64_t capacity(std::uint64_t channel) const = 0;
  /// "the edge from rank 3 to rank 4": for messages.
  virtual std::string describe(std::uint64_t channel) const = 0;
};

/// A machine: plain data that checks, lowering and bounds read.
struct Machine {
  std::string name;  ///< as in the registry
  std::string spec;  ///< with its parameters; printed in every verdict
  std::optional<PortLimits> ports;
  std::optional<LogP> logp;
  std::shared_ptr<const Network> network;    ///< routed machines
  std::vector<std::uint64_t> capacities;     ///< fat trees: cap_i of the branches of level i = 1..h
  std::shared_ptr<const Topology> topology;  ///< the network, where it was read from a file
  std::optional<Mesh> mesh;
  std::optional<Crossbar> crossbar;
  std::shared_ptr<const Channels> channels;  ///< meshes and crossbars
  std::uint32_t width = 0;                   ///< chunks that a message may carry; 0: any number

  /// A chunk sent in step t may be sent on from step t + latency() on.
  std::uint64_t latency() const { return logp ? logp->latency() : 1; }
  bool routed() const { return network != nullptr; }
};

/// A kind of machine: the last lines of its file.
struct MachineEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  std::vector<Parameter> parameters;
  /// Builds the machine for `ranks` ranks, or throws InputError. Where defaults depend on the
  /// number of ranks it fills in `spec` as well.
  Machine (*make)(const Parameters& parameters, Rank ranks);
  /// Another spelling: {"cbft", "fattree:cap=constant"}; empty if none.
  std::vector<std::pair<std::string_view, std::string_view>> aliases = {};
  /// Is it the same for any number of ranks, also for more than a Rank can tell?
  bool any_ranks = false;
};

/// Builds the machine that `spec` names (registry, aliases, did-you-mean) for `ranks` ranks.
Machine make_machine(std::string_view spec, Rank ranks);
/// A specification that stands in `file`, as make_machine takes it: the paths in it are relative to
/// the folder of `file`, and become relative to the current one. Of standard input and other
/// devices that is the same folder.
std::string machine_named_in(const std::string& file, const std::string& spec);
/// The reverse: a specification as it has to stand in `file`.
std::string machine_as_named_in(const std::string& file, const std::string& spec);
/// Throws InputError if no number of ranks has such a machine: an unknown name, a bad parameter.
void check_machine(std::string_view spec);

/// All kinds of machines, in the order in which they are listed.
std::span<const MachineEntry* const> machines();
/// The kind of this name. Throws InputError with the nearest names if there is none.
const MachineEntry& find_machine(std::string_view name);

}  // namespace schedcc
