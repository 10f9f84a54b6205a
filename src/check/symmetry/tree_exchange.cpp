#include "check/symmetry/tree_exchange.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "analysis/abandoned.hpp"
#include "model/watched_stream.hpp"

namespace schedcc {

namespace {

class SymmetricLinksCheck : public Check {
 public:
  explicit SymmetricLinksCheck(const Context& c) : Check(c), levels_(network_.levels()) {}

  void step(const StepView& view) override {
    loads_.assign(levels_.size(), {});
    for (std::size_t i = 0; i < view.step.transfers.size(); ++i) {
      const Transfer& hop = view.step.transfers[i];
      if (view.step.origins[i].src != 0) continue;  // the image of one that rank 0 sends
      const std::uint32_t from = network_.level(hop.src), to = network_.level(hop.dst);
      loads_[std::max(from, to) - 1][from < to ? 0 : 1] += hop.count;
    }
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const std::uint64_t most = levels_[i].capacity / levels_[i].ranks;  // of rank 0's
      if (std::ranges::max(loads_[i]) > most) throw Abandoned();
    }
  }

 private:
  const Network& network_ = *context.machine.network();
  const std::vector<Network::Level> levels_;
  std::vector<std::array<std::uint64_t, 2>> loads_;  ///< chunks, up and down, by level
};

}  // namespace

bool is_tree_exchange(const Problem& problem, const Machine& machine) {
  return problem.collective == Collective::alltoall && machine.routed() &&
         !machine.network()->levels().empty();
}

Source direct_exchange(Source source) {
  const Problem& problem = source.problem;
  source.open = [open = std::move(source.open), P = std::uint64_t{problem.ranks},
                 K = std::uint64_t{problem.chunks}] {
    return std::make_unique<WatchedStream>(open(), [=](const Step& step) {
      for (const Transfer& t : step.transfers) {
        const std::uint64_t begin = (t.src * P + t.dst) * K;
        if (t.first < begin || std::uint64_t{t.first} + t.count > begin + K) throw Abandoned();
      }
    });
  };
  return source;
}

std::unique_ptr<Check> make_symmetric_links(const Context& context) {
  return make_check<SymmetricLinksCheck>(context);
}

}  // namespace schedcc
