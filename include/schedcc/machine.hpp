#pragma once

// The machine that a schedule runs on: ports, links and timing.

#include <any>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedcc/schedule.hpp"
#include "schedcc/spec.hpp"

#pragma GCC visibility push(default)

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
  /// Cycles from the start of a send to that of its receive.
  std::uint64_t receive_delay() const { return L + o; }
  /// Cycles from the start of a send to the first cycle in which the receiver holds the data.
  std::uint64_t latency() const { return L + 2 * o; }
  /// The least distance of two sends of a rank, and of two receives.
  std::uint64_t spacing() const { return g > o ? g : o; }
};

/// What a switch does with messages besides passing them on.
struct SwitchRules {
  bool multicast = false;  ///< it copies a message to several links
  bool reduces = false;    ///< it combines reductions into one message

  bool any() const { return multicast || reduces; }
};

/// A network of nodes and directed links with capacities. Nodes 0..P-1 are the ranks, all others
/// store and forward, one link a step.
class Network {
 public:
  /// A directed link: its index in 0..links()-1 and its capacity per step, in chunks.
  struct Link {
    std::uint64_t index;
    std::uint64_t capacity;
  };
  /// Level i = 1, 2, ... of a tree whose leaves are the ranks: how many of them are below a branch
  /// between levels i-1 and i, and what each such branch carries per step and direction.
  struct Level {
    std::uint64_t ranks, capacity;
  };

  virtual ~Network() = default;
  virtual std::uint64_t nodes() const = 0;
  virtual std::uint64_t links() const = 0;
  /// The link between two nodes; none if they are not neighbours.
  virtual std::optional<Link> link(Rank from, Rank to) const = 0;
  /// Appends the nodes to which links lead from `node`, ascending.
  virtual void neighbours(Rank node, std::vector<Rank>& nodes) const = 0;
  /// Appends the nodes of the route from `src` to `dst`, both included.
  virtual void route(Rank src, Rank dst, std::vector<Rank>& path) const = 0;
  /// "router 17 (level 2)": for messages.
  virtual std::string describe(Rank node) const = 0;
  /// May a step take several rounds, in each of which a link carries its capacity?
  virtual bool has_rounds() const { return false; }
  /// Trees with branches of the same kind on the whole of a level: their levels; else none.
  virtual std::vector<Level> levels() const { return {}; }
  /// Networks with levels: that of a node. Ranks are on level 0.
  virtual std::uint32_t level(Rank) const { return 0; }
  /// What a router may do with packets at hop level.
  virtual SwitchRules rules(Rank) const { return {true, true}; }
  /// Are there routers that may not copy, or not combine?
  virtual bool restricted() const { return false; }
};

/// Groups of ranks within groups: nodes, racks of nodes, and so on. The ranks of a group are
/// consecutive, and all groups of a level have the same size.
struct Levels {
  struct Group {
    std::uint64_t ranks;    ///< a divisor of those of the next level, and of P
    std::uint64_t out, in;  ///< the messages that leave a group per step, and enter it
  };
  /// The groups of level 0, 1, ...; on the level after them all ranks are one group.
  std::vector<Group> groups;

  std::uint32_t count() const { return static_cast<std::uint32_t>(groups.size() + 1); }
  /// The lowest level on which both ranks are in one group: 0 within a node.
  std::uint32_t level(Rank a, Rank b) const {
    std::uint32_t level = 0;
    while (level < groups.size() && a / groups[level].ranks != b / groups[level].ranks) ++level;
    return level;
  }
};

/// The channels that the messages of one step share on a machine without routers, where a message
/// takes its whole route in its step: the directed edges of a mesh, the links into and out of a
/// module.
class Channels {
 public:
  /// Channels first..first+count-1, of one capacity, in the order in which a message takes them or,
  /// if `falling`, in the reverse order.
  struct Run {
    std::uint64_t first, count;
    bool falling = false;
  };
  /// The ranks on either side of a cut, the messages that cross it per step in each direction, and
  /// the name of its bound: "chunks that must cross the middle of the network".
  struct Cut {
    std::uint64_t inside, outside, messages;
    std::string_view bound;
  };

  virtual ~Channels() = default;
  /// Appends the channels that a message from `src` to `dst` takes, each once: a few runs, for
  /// any length of its route.
  virtual void route(Rank src, Rank dst, std::vector<Run>& runs) const = 0;
  /// The messages that a channel carries per step.
  virtual std::uint64_t capacity(std::uint64_t channel) const = 0;
  /// May a step have more messages on a channel, which then share its bandwidth?
  virtual bool shared() const { return false; }
  /// "the edge from rank 3 to rank 4": for messages.
  virtual std::string describe(std::uint64_t channel) const = 0;
  /// The narrowest cuts, from which lower bounds follow; none if none are known.
  virtual std::vector<Cut> cuts() const { return {}; }

  /// Are the channels of messages the same, but for their numbers, whatever numbers the ranks have?
  virtual bool ranks_alike() const { return false; }

  /// The rules of all switches together. If any of them does either, each run of a route is one
  /// channel.
  virtual SwitchRules in_network() const { return {}; }
  /// The rules of the switch that a channel leads to, and of the one that it comes from.
  virtual SwitchRules rules_at_destination(std::uint64_t) const { return {}; }
  virtual SwitchRules rules_at_source(std::uint64_t) const { return {}; }
};

/// What the links of a network, or the channels, of a machine cost, for the cost models that take
/// their figures from the machine.
struct LinkTimes {
  /// Start-up, and time per byte of all messages on it together: by the index of a link, or by the
  /// number of a channel.
  std::vector<LinkTime> of;
  /// Lower bounds for a message of one rank to another one.
  LinkTime least;
  /// A lower bound on the time per byte for all that a rank sends, or receives.
  double min_beta_of_rank = 0;
};

/// The rules of a machine: exactly one of ports, timing and a network; with ports also channels;
/// with ports or timing also a width. Other combinations are not supported.
struct MachineRules {
  /// NAME, or NAME:parameters. A kind of machine may leave it empty: make_machine then sets the
  /// requested specification, with all defaults. The width is always added there.
  std::string spec = {};
  std::optional<PortLimits> ports = {};  ///< of every rank; limits of single ranks are channels
  std::optional<LogP> timing = {};       ///< steps are cycles
  std::shared_ptr<const Network> network = {};       ///< messages take routes
  std::shared_ptr<const Channels> channels = {};     ///< messages of a step share these
  std::optional<Levels> levels = {};                 ///< ranks are in groups within groups
  std::shared_ptr<const LinkTimes> link_times = {};  ///< of links, or of channels
  /// Parameters of its kind, of any type, as Machine::shape returns them. Those of the registry's
  /// machines have types that are not public: their own algorithms ask for them.
  std::any shape = {};
  /// Chunks that a message may carry; 0: any number. make_machine sets it.
  std::uint32_t width = 0;
};

/// A machine. Checks, lowering, bounds, costs, proofs and formats use it through its rules, for
/// every kind alike. Copies share their rules; pointers that it returns are valid as long as any
/// copy.
class Machine {
 public:
  /// The machine `duplex`.
  Machine();
  /// The machine with these rules, whose `spec` is not empty. Throws InternalError for a
  /// combination of rules that is not supported.
  explicit Machine(MachineRules rules);

  /// As in the registry.
  std::string_view name() const;
  /// With its parameters; printed in every verdict.
  const std::string& spec() const { return rules_->spec; }

  /// Messages of a rank per step; nullptr: times or links limit them.
  const PortLimits* ports() const { return pointer(rules_->ports); }
  /// If steps are cycles: how long calls and messages take; nullptr: a message takes a step.
  const LogP* timing() const { return pointer(rules_->timing); }
  /// Routed machines: nodes, links and routes; else nullptr.
  const Network* network() const { return rules_->network.get(); }
  /// The channels that the messages of a step share; nullptr: none.
  const Channels* channels() const { return rules_->channels.get(); }
  /// What its switches do with the messages of a step.
  SwitchRules in_network() const { return channels() ? channels()->in_network() : SwitchRules{}; }
  /// The groups of ranks, from which the level of a message follows; nullptr: none.
  const Levels* levels() const { return pointer(rules_->levels); }
  /// The times of its links, or of its channels; nullptr: it states none.
  const LinkTimes* link_times() const { return rules_->link_times.get(); }
  /// Chunks that a message may carry; 0: any number.
  std::uint32_t width() const { return rules_->width; }
  /// The value of `MachineRules::shape`, if it has this type; else nullptr. For what is made for
  /// one kind of machine, and knows its type.
  template <typename Shape>
  const Shape* shape() const {
    return std::any_cast<Shape>(&rules_->shape);
  }

  /// May a rank take part in one message only?
  bool simplex() const { return ports() != nullptr && ports()->both == 1; }
  bool routed() const { return network() != nullptr; }
  bool has_rounds() const { return routed() && network()->has_rounds(); }
  /// What step numbers count: "step" or "cycle".
  std::string_view step_unit() const { return timing() != nullptr ? "cycle" : "step"; }
  /// A chunk sent in step t may be sent on in step t + latency() or later.
  std::uint64_t latency() const { return timing() != nullptr ? timing()->latency() : 1; }
  /// A message sent in step t begins to arrive in step t + receive_delay().
  std::uint64_t receive_delay() const {
    return timing() != nullptr ? timing()->receive_delay() : 0;
  }

  /// The same machine with its specification as a file states it, in which paths are relative to
  /// that file.
  Machine with_spec(std::string spec) const;
  /// The same machine with messages of at most `width` chunks; 0: of any number.
  Machine with_width(std::uint32_t width) const;

 private:
  template <typename T>
  static const T* pointer(const std::optional<T>& optional) {
    return optional ? &*optional : nullptr;
  }

  std::shared_ptr<const MachineRules> rules_;
};

/// A kind of machine as it is listed.
struct MachineInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  std::vector<Parameter> parameters;
  /// Other spellings: {"cbft", "fattree:cap=constant"}.
  std::vector<std::pair<std::string_view, std::string_view>> aliases;
  bool any_ranks;  ///< it is the same for any number of ranks, even beyond 2^32
};

/// Builds the machine that `spec` names (registry, aliases, suggestions) for `ranks` ranks.
Machine make_machine(std::string_view spec, Rank ranks);
/// The number of ranks that `spec` states, as `mesh:4x8`, `cluster:8x32` and topologies do;
/// nullopt: none (`duplex`), or a divisor only (`cluster:8`). Throws InputError for an unknown
/// name, a bad parameter, or an unreadable file.
std::optional<std::uint64_t> machine_ranks(std::string_view spec);
/// Throws InputError if no number of ranks has such a machine: an unknown name, a bad parameter.
void check_machine(std::string_view spec);

/// All kinds of machines, in the order in which they are listed.
std::vector<MachineInfo> machines();

/// A real system whose file is part of schedcc: `topology:NAME`, or NAME alone, wherever a machine
/// is named.
struct MachineFile {
  std::string name;
  std::string title;  ///< for display
  Rank ranks;
  std::vector<std::string> sources;  ///< of its figures, and how others follow from them
};

/// The machine files, by name.
std::vector<MachineFile> machine_files();

}  // namespace schedcc

#pragma GCC visibility pop
