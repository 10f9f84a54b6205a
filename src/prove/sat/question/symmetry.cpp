#include "prove/sat/question/symmetry.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace schedcc::prover {

namespace {

/// The links or channels that arcs share, in the order of their routes, renamed as the arcs are.
class SharedRenaming {
 public:
  explicit SharedRenaming(const Instance& instance)
      : instance_(instance), to_(count()), from_(count()) {}

  /// Renames those of arc `a` to those of `b`; false if that contradicts what was renamed before.
  bool add(const Arc& a, const Arc& b) {
    const std::vector<std::size_t>&there = shared(a), &image = shared(b);
    if (there.size() != image.size()) return false;
    for (std::size_t i = 0; i < there.size(); ++i) {
      std::optional<std::size_t>&to = to_[there[i]], &from = from_[image[i]];
      if (to || from) {
        if (to != image[i] || from != there[i]) return false;
        continue;
      }
      if (capacity(there[i]) != capacity(image[i])) return false;
      to = image[i];
      from = there[i];
      renamed_.push_back(there[i]);
    }
    return true;
  }
  std::size_t size() const { return renamed_.size(); }
  /// Takes back all but the first `size` renamings.
  void shrink(std::size_t size) {
    for (; renamed_.size() > size; renamed_.pop_back()) {
      from_[*to_[renamed_.back()]].reset();
      to_[renamed_.back()].reset();
    }
  }

 private:
  std::size_t count() const { return instance_.links.size() + instance_.channels.size(); }
  /// An instance has links or channels, or neither.
  static const std::vector<std::size_t>& shared(const Arc& arc) {
    return arc.links.empty() ? arc.channels : arc.links;
  }
  Saturating capacity(std::size_t i) const {
    return instance_.links.empty() ? Saturating(instance_.channels[i])
                                   : instance_.links[i].capacity;
  }

  const Instance& instance_;
  std::vector<std::optional<std::size_t>> to_, from_;
  std::vector<std::size_t> renamed_;
};

/// Searches for renamings of nodes, one node after the other.
class AutomorphismSearch {
 public:
  AutomorphismSearch(const Instance& instance, const std::vector<Delivery>& chunks,
                     const PollLimits& poll_limits)
      : instance_(instance),
        poll_limits_(poll_limits),
        shared_(instance),
        arcs_(instance.nodes, std::vector<const Arc*>(instance.nodes)),
        paired_(instance.nodes) {
    for (const Arc& arc : instance.arcs) arcs_[arc.from][arc.to] = &arc;
    for (Chunk c = 0; c < chunks.size(); ++c) classes_[chunks[c]].push_back(c);
    traits_.resize(instance.nodes);
    roles_.resize(instance.nodes);
    for (const auto& [delivery, members] : classes_) {
      for (const Rank source : delivery.sources) {
        traits_[source].first += members.size();
        roles_[source].push_back(2 * std::size_t{members.front()});
      }
      for (const Rank goal : delivery.goals) {
        traits_[goal].second += members.size();
        roles_[goal].push_back(2 * std::size_t{members.front()} + 1);
      }
    }
  }

  const std::map<Delivery, std::vector<Chunk>>& classes() const { return classes_; }

  /// From here on the nodes below `a` stay in place.
  void fix_below(Rank a) {
    to_.assign(instance_.nodes, 0);
    used_.assign(instance_.nodes, false);
    shared_.shrink(0);
    for (Rank v = 0; v < a; ++v) place(v, v);
  }
  /// A renaming that takes a to b, after fix_below(a); empty if none is found.
  std::vector<Rank> find(Rank a, Rank b) {
    tries_ = 0;
    const std::size_t shared = shared_.size();
    const std::vector<bool> used = used_;
    const bool found = fits(a, b) && place(a, b) && extend(a + 1);
    shared_.shrink(shared);
    used_ = used;
    return found ? to_ : std::vector<Rank>{};
  }

  /// One that takes rank 0 to b, exchanges all ranks in pairs, commutes with the pairings that are
  /// kept, and takes no rank to where these do: then no product with them leaves one in place.
  std::vector<Rank> find_pairing(Rank b) {
    pairing_ = true;
    std::vector<Rank> result = pairs(0, b) ? find(0, b) : std::vector<Rank>{};
    pairing_ = false;
    return result;
  }
  void keep_pairing(const std::vector<Rank>& node) {
    for (Rank v = 0; v < node.size(); ++v) paired_.join(v, node[v]);
    pairings_.push_back(node);
  }

  /// Do as many chunks start at a as at b, and are as many wanted?
  bool alike(Rank a, Rank b) const { return traits_[a] == traits_[b]; }
  /// Are a and b sources and goals of the same chunks?
  bool same_role(Rank a, Rank b) const { return roles_[a] == roles_[b]; }

  /// Its effect on chunks; empty if it changes their sources or goals.
  std::vector<Chunk> chunks(const std::vector<Rank>& node, std::size_t count) const {
    std::vector<Chunk> result(count);
    std::iota(result.begin(), result.end(), Chunk{0});
    std::vector<Rank> moved;
    for (Rank v = 0; v < node.size(); ++v) {
      if (node[v] != v) moved.push_back(v);
    }
    for (const auto& [delivery, members] : classes_) {
      if (keeps(node, moved, delivery)) continue;
      Delivery image = delivery;
      for (auto* ranks : {&image.sources, &image.goals}) {
        for (Rank& rank : *ranks) rank = node[rank];
        std::ranges::sort(*ranks);
      }
      const auto found = classes_.find(image);
      if (found == classes_.end() || found->second.size() != members.size()) return {};
      for (std::size_t i = 0; i < members.size(); ++i) result[members[i]] = found->second[i];
    }
    return result;
  }

 private:
  static constexpr int max_tries = 20000;

  /// Are the sources and goals the same afterwards?
  static bool keeps(const std::vector<Rank>& node, const std::vector<Rank>& moved,
                    const Delivery& delivery) {
    return std::ranges::all_of(moved, [&](Rank v) {
      return delivery.starts_at(v) == delivery.starts_at(node[v]) &&
             delivery.wanted_by(v) == delivery.wanted_by(node[v]);
    });
  }

  /// Renames v, which fits; returns false if links or channels do not.
  bool place(Rank v, Rank image) {
    to_[v] = image;
    used_[image] = true;
    if (instance_.links.empty() && instance_.channels.empty()) return true;
    for (Rank u = 0; u < v; ++u) {
      const Arc *there = arcs_[u][v], *back = arcs_[v][u];
      if (there != nullptr && !shared_.add(*there, *arcs_[to_[u]][image])) return false;
      if (back != nullptr && !shared_.add(*back, *arcs_[image][to_[u]])) return false;
    }
    return true;
  }

  /// 0: there is no arc.
  Saturating capacity(Rank u, Rank v) const {
    return arcs_[u][v] == nullptr ? 0 : arcs_[u][v]->capacity;
  }

  /// Can v become `image`, the nodes below v being placed?
  bool fits(Rank v, Rank image) const {
    if (used_[image] || traits_[v] != traits_[image]) return false;
    if ((v < instance_.ranks) != (image < instance_.ranks)) return false;
    for (Rank u = 0; u < v; ++u) {
      if (capacity(u, v) != capacity(to_[u], image)) return false;
      if (capacity(v, u) != capacity(image, to_[u])) return false;
      if (instance_.distance[u][v] != instance_.distance[to_[u]][image]) return false;
    }
    return true;
  }

  /// Can v become `image` in a pairing?
  bool pairs(Rank v, Rank image) {
    if (v < instance_.ranks && paired_[v] == paired_[image]) return false;
    if (image < v ? to_[image] != v : used_[v] && image != v) return false;
    return std::ranges::all_of(pairings_, [&](const std::vector<Rank>& node) {
      return node[v] >= v || to_[node[v]] == node[image];
    });
  }

  bool extend(Rank v) {
    if (v == instance_.nodes) return true;
    if (++tries_ > max_tries) return false;
    if (poll_limits_) poll_limits_();
    const auto attempt = [&](Rank image) {
      if (!fits(v, image) || (pairing_ && !pairs(v, image))) return false;
      const std::size_t shared = shared_.size();
      if (place(v, image) && extend(v + 1)) return true;
      shared_.shrink(shared);
      used_[image] = false;
      return false;
    };
    for (Rank image = static_cast<Rank>(instance_.nodes); pairing_ && image-- > 0;) {
      if (attempt(image)) return true;  // few nodes stay among their neighbours
    }
    if (pairing_) return false;
    if (attempt(v)) return true;  // as few nodes as possible are moved
    for (Rank image = 0; image < instance_.nodes; ++image) {
      if (image != v && attempt(image)) return true;
    }
    return false;
  }

  const Instance& instance_;
  const PollLimits& poll_limits_;
  SharedRenaming shared_;
  std::vector<std::vector<const Arc*>> arcs_;  ///< by their ends; nullptr: there is none
  std::map<Delivery, std::vector<Chunk>> classes_;
  std::vector<std::pair<std::size_t, std::size_t>> traits_;  ///< chunks that start, that are wanted
  std::vector<std::vector<std::size_t>> roles_;  ///< of each node: the classes that it is in
  std::vector<Rank> to_;
  std::vector<bool> used_;
  int tries_ = 0;
  bool pairing_ = false;
  std::vector<std::vector<Rank>> pairings_;
  Orbits paired_;  ///< the nodes of a pairing
};

}  // namespace

namespace {

/// Where `equal` is true, a's time is not after b's; returns a literal that is true where they are
/// the same (and `equal` is true). `last`: the result is not used.
Literal not_later(Formula& formula, Literal equal, std::span<const Literal> a,
                  std::span<const Literal> b, bool last) {
  Literals still{-equal};
  for (std::size_t t = 0; t < a.size(); ++t) {
    if (a[t] == b[t] || (t > 0 && a[t] == a[t - 1] && b[t] == b[t - 1])) continue;
    formula.add({-equal, -b[t], a[t]});
    if (last || a[t] == Formula::no || b[t] == Formula::yes) continue;
    const Literal before = formula.fresh();
    formula.add({-before, a[t]});
    formula.add({-before, -b[t]});
    still.push_back(before);
  }
  if (last) return Formula::no;
  still.push_back(formula.fresh());
  formula.add(still);
  return still.back();
}

}  // namespace

bool LexLeader::compare(std::span<const Literal> a, std::span<const Literal> b) {
  constexpr int depth = 4;
  if (std::ranges::equal(a, b)) return true;
  ++compared_;
  equal_ = not_later(formula_, equal_, a, b, compared_ == depth);
  return compared_ < depth;
}

namespace {

/// Can every renaming of nodes be one of the machine's? (Ports are the same for all.)
bool interchangeable(const Instance& instance) {
  const std::vector<Arc>& arcs = instance.arcs;
  return instance.links.empty() && instance.channels.empty() && instance.nodes == instance.ranks &&
         arcs.size() == instance.nodes * (instance.nodes - 1) &&
         std::ranges::all_of(arcs, [&](const Arc& arc) {
           return arc.capacity == arcs.front().capacity && arc.latency == arcs.front().latency;
         });
}

/// Exchanges of two nodes, which need no search if all are interchangeable. Among nodes that are in
/// the same chunks' sources and goals an exchange renames no chunk; those of neighbours order their
/// times, which implies all the others.
void exchanges(const AutomorphismSearch& renaming, const Instance& instance, std::size_t chunks,
               const PollLimits& poll_limits, std::vector<Symmetry>& result) {
  std::vector<Rank> node(instance.nodes);
  std::iota(node.begin(), node.end(), 0);
  for (Rank a = 0; a < instance.nodes; ++a) {
    bool neighbour = true;
    for (Rank b = a + 1; b < instance.nodes; ++b) {
      if (poll_limits) poll_limits();
      if (!renaming.alike(a, b)) continue;
      const bool same = renaming.same_role(a, b);
      if (same && !std::exchange(neighbour, false)) continue;
      std::swap(node[a], node[b]);
      std::vector<Chunk> chunk = renaming.chunks(node, chunks);
      if (!chunk.empty()) result.push_back({node, std::move(chunk)});
      std::swap(node[a], node[b]);
    }
  }
}

}  // namespace

std::vector<Symmetry> symmetries(const Instance& instance, const std::vector<Delivery>& chunks,
                                 bool nodes, const PollLimits& poll_limits) {
  AutomorphismSearch renaming(instance, chunks, poll_limits);
  std::vector<Symmetry> result;
  std::vector<Rank> same_nodes(instance.nodes);
  std::iota(same_nodes.begin(), same_nodes.end(), 0);
  std::vector<Chunk> same_chunks(chunks.size());
  std::iota(same_chunks.begin(), same_chunks.end(), 0);
  for (const auto& [delivery, members] : renaming.classes()) {
    for (std::size_t i = 1; i < members.size(); ++i) {
      result.push_back({same_nodes, same_chunks});
      std::swap(result.back().chunk[members[i - 1]], result.back().chunk[members[i]]);
    }
  }
  if (nodes && interchangeable(instance)) {
    exchanges(renaming, instance, chunks.size(), poll_limits, result);
    return result;
  }
  for (Rank a = 0; nodes && a < instance.nodes; ++a) {
    renaming.fix_below(a);
    for (Rank b = a + 1; b < instance.nodes; ++b) {
      std::vector<Rank> node = renaming.find(a, b);
      if (node.empty()) continue;
      std::vector<Chunk> chunk = renaming.chunks(node, chunks.size());
      if (!chunk.empty()) result.push_back({std::move(node), std::move(chunk)});
    }
  }
  return result;
}

std::vector<Symmetry> pairings(const Instance& instance, const std::vector<Delivery>& chunks,
                               const PollLimits& poll_limits) {
  std::vector<Symmetry> result;
  if (instance.ranks % 2 != 0) return result;
  AutomorphismSearch renaming(instance, chunks, poll_limits);
  renaming.fix_below(0);
  for (Rank b = static_cast<Rank>(instance.ranks); --b > 0;) {
    std::vector<Rank> node = renaming.find_pairing(b);
    if (node.empty()) continue;
    std::vector<Chunk> chunk = renaming.chunks(node, chunks.size());
    if (chunk.empty()) continue;
    renaming.keep_pairing(node);
    result.push_back({std::move(node), std::move(chunk)});
  }
  return result;
}

}  // namespace schedcc::prover
