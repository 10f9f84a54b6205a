// Every broadcast of K chunks, one a message, on 2^q one-port ranks in T = K - 1 + q steps is an
// exchange (exchange_run.cpp), if chunks are numbered as the root sends them first.
//
// Proof. Only 2^t ranks can hold a chunk when step t begins, and no more than 2^q - 1 ranks lack
// one, so that all steps have room for (2^q - 1) K receptions. As many are wanted: in step t < q
// there are 2^t, by ranks that had nothing, and from step q on every rank but the root receives in
// each step, and always a chunk that it lacks.
//
// A chunk that the root first sends with fewer than q steps left does not reach all ranks. So the
// root sends a new chunk in each of the steps 0 to K - 1, chunk p in step p. The holders of chunk
// K - 1, with the root, have to double in each of the last q steps, so that the root sends nothing
// else from step K - 1 on, and each chunk p < K - 1 once. When step p + 1 + i begins, at most 2^i
// ranks but the root hold p. These numbers are met for i < q, and after step p + q all have p: by
// induction from p = K - 2 down. In each step after p + q the later chunks take all receptions: the
// oldest of them, which then has 2^(q-1) holders, 2^(q-1) - 1, those after it 2^(q-2), ..., 1, and
// the root's own message one (chunk K - 1 takes the place of itself and all after it). So p is
// everywhere after step p + q, which takes 2^(q-1) holders before it, and doubling in every step.
//
// When step q begins every rank but the root has one chunk, its label. If so when step t >= q
// begins, chunk t - q has 2^(q-1) holders, F, and goes to all others in this step. These receive
// nothing else, and keep their labels; all of F receive a younger label each. As these double, each
// holder of one sends it, to one of F. Again every rank has one label: the steps are exchanges.
//
// So the formula of all their steps, of one part with all ranks, decides the question.

#include "prove/sat/clauses/forced_exchanges.hpp"

#include <bit>
#include <memory>
#include <utility>

#include "prove/sat/clauses/broadcast_messages.hpp"
#include "prove/sat/exchange/exchange_run.hpp"
#include "prove/sat/exchange/exchange_window.hpp"
#include "prove/sat/question/packets.hpp"

namespace schedcc::prover {

namespace {

class ForcedExchanges {
 public:
  ForcedExchanges(Instance instance, Packets packets, const PollLimits& poll_limits)
      : instance_(std::move(instance)),
        packets_(std::move(packets)),
        window_(roles_, 0, roles_.steps(), Ages(instance_.ranks), dice_, poll_limits) {}

  Formula& formula() { return window_.formula(); }
  std::shared_ptr<const Schedule> schedule(const Model& model) const {
    std::vector<ExchangeStep> steps;
    while (steps.size() < roles_.steps()) steps.push_back(window_.step(model, steps.size()));
    return exchange_schedule(roles_, steps, packets_);
  }

 private:
  const Instance instance_;
  const Packets packets_;
  const ExchangeParts parts_{1, std::vector<std::size_t>(instance_.ranks),
                             std::vector<bool>(instance_.ranks)};
  const ExchangeRoles roles_{instance_, parts_, packets_.deliveries.front().sources.front(),
                             static_cast<std::uint64_t>(std::bit_width(instance_.ranks - 1)),
                             packets_.chunks.size()};
  Dice dice_;
  ExchangeWindow window_;
};

}  // namespace

bool must_exchange(const Instance& instance, const std::vector<Delivery>& chunks) {
  return std::has_single_bit(instance.ranks) && sends_in_order(instance, chunks);
}

Encoding encode_forced_exchanges(const Instance& instance, const std::vector<Delivery>& chunks,
                                 const PollLimits& poll_limits) {
  const auto exchanges =
      std::make_shared<ForcedExchanges>(instance, packets(chunks, width(instance)), poll_limits);
  Encoding result{std::move(exchanges->formula()), {}};
  result.schedule = [exchanges](const Model& model) { return exchanges->schedule(model); };
  return result;
}

}  // namespace schedcc::prover
