// Allreduces with the fewest transfers: each packet is summed along a tree, every rank but one, the
// root, sending its sum once, when it has received all that it ever will; then the root has all
// contributions, and the complete sum is copied along another tree. That is 2 (P - 1) transfers of
// a packet, as few as there can be (docs/prover.md, *Counts*), and the only schedules where ports
// are busy in all steps. It needs no variables for contributions:
//
//     sent(v, t)    v has sent its sum when step t begins
//     root(v)       v never does
//     summed(t)     all other ranks have
//     full(v, t)    v has the complete sum
//     add(u, v, t)  u sends its sum to v in step t, which adds it to its own
//     copy(u, v, t) u sends the complete sum to v
//
// A rank that has sent adds nothing any more. So each contribution reaches the root once: it is in
// the sum of the rank that was sent to last, and that has not sent yet.
//
// Of 2^m packets one has variables: pairings of ranks (symmetry.hpp), of which all products differ
// in every rank, make the messages of the others from its messages. So there are fewer trees to be
// found, and ports and channels are taken evenly.

#include "prove/sat/clauses/sum_trees.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "prove/sat/question/packets.hpp"
#include "prove/sat/question/symmetry.hpp"
#include "prove/sat/question/traffic.hpp"

namespace schedcc::prover {

namespace {

/// The most transfers that are possible in a question: the formula of a larger one takes long.
constexpr std::uint64_t max_possible = 4'000'000;

class SumTrees {
 public:
  SumTrees(const Instance& instance, Packets packets, std::vector<std::vector<Rank>> renamings)
      : instance_(instance),
        packets_(std::move(packets)),
        renamings_(std::move(renamings)),
        number_(arcs_by_ends(instance)),
        T_(instance.steps) {
    for (Arc& arc : instance_.arcs) arc.capacity = 1;  // packet
  }

  void encode(Formula& formula) {
    formula_ = &formula;
    const std::size_t arcs = instance_.arcs.size();
    for (std::size_t p = 0; p < packets_.chunks.size(); p += renamings_.size()) tree(p);
    Sends sends(T_, std::vector<std::vector<ChunkSend>>(arcs));
    for_each_send([&](std::uint64_t t, std::size_t arc, std::size_t packet, const Sending& send) {
      for (const Literal l : {send.add, send.copy}) {
        sends[t][arc].push_back({static_cast<Chunk>(packet), l});
      }
    });
    Traffic(instance_, formula).carry(sends);
  }

  std::shared_ptr<const Schedule> schedule(const Model& model) const {
    std::vector<Transfers> steps(T_);
    for_each_send([&](std::uint64_t t, std::size_t a, std::size_t packet, const Sending& send) {
      if (!is_true(send.add, model) && !is_true(send.copy, model)) return;
      for (const Chunk c : packets_.chunks[packet]) {
        Transfer transfer = copy(instance_.arcs[a].from, instance_.arcs[a].to, c);
        transfer.reduce = is_true(send.add, model) ? 1 : 0;
        steps[t].push_back(transfer);
      }
    });
    return schedule_of(steps);
  }

 private:
  struct Sending {
    Literal add, copy;
  };

  /// Calls `visit` for all packets, with the arcs of their own.
  template <typename Visit>
  void for_each_send(const Visit& visit) const {
    for (std::size_t tree = 0; tree < sends_.size(); ++tree) {
      for (std::size_t i = 0; i < renamings_.size(); ++i) {
        const std::vector<Rank>& image = renamings_[i];
        for (std::uint64_t t = 0; t < T_; ++t) {
          for (std::size_t a = 0; a < instance_.arcs.size(); ++a) {
            const Arc& arc = instance_.arcs[a];
            visit(t, number_[image[arc.from]][image[arc.to]], tree * renamings_.size() + i,
                  sends_[tree][t][a]);
          }
        }
      }
    }
  }

  /// The messages of one packet.
  void tree(std::uint64_t packet) {
    const std::uint64_t P = instance_.ranks;
    std::vector<Literals> sent(P, Literals{Formula::no}), full(P, Literals{Formula::no});
    Literals root;
    for (Rank v = 0; v < P; ++v) {
      root.push_back(formula_->variable("root", {packet, v}));
      for (std::uint64_t t = 1; t <= T_; ++t) {
        sent[v].push_back(formula_->variable("sent", {packet, v, t}));
        full[v].push_back(t < T_ ? formula_->variable("full", {packet, v, t}) : Formula::yes);
      }
      formula_->add({-root[v], -sent[v][T_]});
      formula_->add({root[v], sent[v][T_]});
    }
    formula_->add(root);
    formula_->at_most(root, 1);
    auto& sends = sends_.emplace_back();
    for (std::uint64_t t = 0; t < T_; ++t) {
      sends.emplace_back();
      for (const Arc& arc : instance_.arcs) {
        sends.back().push_back({formula_->variable("add", {packet, arc.from, arc.to, t}),
                                formula_->variable("copy", {packet, arc.from, arc.to, t})});
      }
      add(t, sends.back(), sent);
      copies(t, sends.back(), full, complete(packet, t + 1, sent, root));
    }
  }

  /// The sums that are sent in step t.
  void add(std::uint64_t t, const std::vector<Sending>& sends, const std::vector<Literals>& sent) {
    for (Rank v = 0; v < instance_.ranks; ++v) {
      Literals reasons{-sent[v][t + 1], sent[v][t]}, all;
      for (const std::size_t a : instance_.out[v]) {
        const Literal send = sends[a].add;
        formula_->add({-send, -sent[v][t]});
        formula_->add({-send, sent[v][t + 1]});
        formula_->add({-send, -sent[instance_.arcs[a].to][t + 1]});
        reasons.push_back(send);
        all.push_back(send);
      }
      formula_->add({-sent[v][t], sent[v][t + 1]});
      formula_->add(reasons);
      formula_->at_most(all, 1);
    }
  }

  /// Literals that are true of no rank but a root that has all contributions when step t begins.
  Literals complete(std::uint64_t packet, std::uint64_t t, const std::vector<Literals>& sent,
                    const Literals& root) {
    const Literal summed = formula_->variable("summed", {packet, t});
    Literals result;
    for (Rank v = 0; v < instance_.ranks; ++v) {
      formula_->add({-summed, root[v], sent[v][t]});
      result.push_back(formula_->fresh());
      formula_->add({-result.back(), summed});
      formula_->add({-result.back(), root[v]});
    }
    return result;
  }

  /// The complete sums that are sent in step t, after which `complete` may hold one.
  void copies(std::uint64_t t, const std::vector<Sending>& sends, const std::vector<Literals>& full,
              const Literals& complete) {
    for (Rank v = 0; v < instance_.ranks; ++v) {
      Literals reasons{-full[v][t + 1], full[v][t], complete[v]}, all;
      for (const std::size_t a : instance_.in[v]) {
        const Literal send = sends[a].copy;
        formula_->add({-send, full[instance_.arcs[a].from][t]});
        formula_->add({-send, -full[v][t]});
        reasons.push_back(send);
        all.push_back(send);
      }
      formula_->add({-full[v][t], full[v][t + 1]});
      formula_->add(reasons);
      formula_->at_most(all, 1);
    }
  }

  Instance instance_;
  Packets packets_;
  std::vector<std::vector<Rank>> renamings_;
  std::vector<std::vector<std::size_t>> number_;  ///< of arcs, by their ends
  std::uint64_t T_;
  Formula* formula_ = nullptr;
  std::vector<std::vector<std::vector<Sending>>> sends_;  ///< by tree, step and arc
};

/// Is it an allreduce whose ranks may each send to any other in a step?
bool is_allreduce(const Instance& instance, const Problem& problem) {
  return problem.collective == Collective::allreduce && !problem.ordered && instance.ranks >= 2 &&
         reaches_all(instance);
}

}  // namespace

Encoding encode_sum_trees(const Instance& instance, const Problem& problem, std::size_t pairings,
                          const PollLimits& poll_limits) {
  Packets all;
  bool fit = false;  // do all transfers?
  std::vector<Symmetry> found;
  if (is_allreduce(instance, problem)) {
    const std::vector<Delivery> chunks = deliveries(problem);
    const Saturating transfers = Saturating(chunks.size()) * (2 * instance.ranks - 2);
    fit = transfers <= instance.step_capacity(instance.ranks) * instance.steps;
    all = packets(chunks, width(instance));
    if (pairings > 0) found = prover::pairings(instance, chunks, poll_limits);
  }
  const auto divides = [&](std::size_t count) {
    return (all.chunks.size() >> count) << count == all.chunks.size();
  };
  std::size_t count = std::min(found.size(), pairings);
  while (count > 0 && !divides(count)) --count;
  const std::uint64_t possible = instance.arcs.size() * instance.steps * all.chunks.size();
  if (!fit || possible > max_possible) return no_schedule(poll_limits);
  std::vector<std::vector<Rank>> renamings;
  for (std::size_t i = 0; i < count; ++i) renamings.push_back(found[i].node);
  Encoding result = encode_by(
      std::make_shared<SumTrees>(instance, std::move(all), products(renamings, instance.ranks)),
      poll_limits);
  result.pairings = count;
  result.formula.expect_model();
  return result;
}

}  // namespace schedcc::prover
