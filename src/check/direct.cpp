#include "check/direct.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/abandoned.hpp"
#include "analysis/block_table.hpp"
#include "check/levels.hpp"
#include "check/share.hpp"
#include "check/symmetry/tree_exchange.hpp"

namespace schedcc {

namespace {

/// The chunks that have left their origins, and that nothing can keep from their destinations.
class DirectHoldings final : public Holdings {
 public:
  explicit DirectHoldings(const Problem& problem) : Holdings(problem, 1, Share().chunks(problem)) {}

  std::uint64_t shortfalls(std::size_t, const std::function<void(Shortfall)>&) const override {
    const std::uint64_t kept = std::uint64_t{problem_.ranks} * problem_.chunks;  // by their origins
    if (count_ != problem_.total_chunks() - kept) throw Abandoned();
    return 0;
  }

 protected:
  void send(const Step& step, bool, Outcome&) override {
    constexpr std::uint32_t block = 512;  // of SparseBits
    for (const Transfer& t : step.transfers) {
      if (t.count > block) throw Abandoned();  // memory is for each chunk
      for (Chunk c = t.first; c < t.first + t.count; ++c) {
        if (!sent_.set({c / block, c % block})) throw Abandoned();
      }
      count_ += t.count;
    }
  }
  void arrive(std::uint64_t, Outcome&) override {}
  void prepare_reads(std::uint64_t, std::uint64_t) override {}
  std::uint64_t satisfied(Rank, Run) const override { throw Abandoned(); }
  Shortfall explain(Rank, Chunk) const override { throw Abandoned(); }
  std::vector<Rank> touched() const override { throw Abandoned(); }

 private:
  SparseBits sent_;
  std::uint64_t count_ = 0;
};

/// The branches of a tree in one direction, and what they carry of the transfers that meet in them.
class Branches {
 public:
  Branches(Rank ranks, const std::vector<Network::Level>& levels) {
    std::size_t first = 0;
    for (const Network::Level& level : levels) {
      levels_.push_back({first, static_cast<std::uint32_t>(std::min(level.capacity, most))});
      first += ranks / level.ranks;
    }
    loads_.resize(first);  // less than 2^17: there are at most 2^31 chunks, of P^2 blocks
  }

  /// Others than before, in other steps.
  void begin() {
    if (++stamp_ != 0) return;
    std::ranges::fill(loads_, Load{});  // after 2^32 times the stamps start again
    stamp_ = 1;
  }

  /// The branches between a leaf and its ancestor on level `height` carry so many chunks more.
  void add(Rank leaf, std::uint32_t height, std::uint32_t chunks) {
    bool over = false;
    for (std::uint32_t l = 0; l < height; ++l) {
      Load& load = loads_[levels_[l].first + (leaf >> l)];
      load.chunks = (load.stamp == stamp_ ? load.chunks : 0) + chunks;
      load.stamp = stamp_;
      over |= load.chunks > levels_[l].capacity;
    }
    if (over) throw Abandoned();
  }

 private:
  static constexpr std::uint64_t most = std::uint64_t{1} << 31;  ///< with one transfer: no overflow

  struct Level {
    std::size_t first;  ///< of its loads
    std::uint32_t capacity;
  };
  struct Load {
    std::uint32_t stamp = 0, chunks = 0;
  };

  std::vector<Level> levels_;
  std::vector<Load> loads_;
  std::uint32_t stamp_ = 0;
};

class DirectLinksCheck : public Check {
 public:
  explicit DirectLinksCheck(const Context& c)
      : Check(c), levels_(c.machine.network()->levels()), ending_(2 * levels_.size()) {}

  void step(const StepView& view) override {
    const std::uint64_t now = view.step.number;
    end_before(now);
    up_.begin();
    for (const Transfer& t : view.step.transfers) {
      const auto height = static_cast<std::uint32_t>(std::bit_width(t.src ^ t.dst));
      up_.add(t.src, height, t.count);
      const std::uint64_t last = now + 2 * height - 1;
      ending_[last % ending_.size()].push_back({t.dst, height, t.count});
      hops_ += 2 * height;
      last_ = std::max(last_, last);
    }
  }

  void finish(const Holdings*) override {
    end_before(last_ + 1);
    context.report.hops = hops_;
    context.report.steps = hops_ == 0 ? 0 : last_ + 1;
  }

 private:
  struct Ending {
    Rank dst;
    std::uint32_t height, chunks;
  };

  /// The transfers whose last steps are before `step`; no later ones of the earlier steps follow.
  void end_before(std::uint64_t step) {
    const std::uint64_t all = std::min(step, ended_ + ending_.size());
    for (; ended_ < all; ++ended_) {
      auto& together = ending_[ended_ % ending_.size()];
      if (together.empty()) continue;
      down_.begin();
      for (const Ending& t : together) down_.add(t.dst, t.height, t.chunks);
      together.clear();
    }
    ended_ = std::max(ended_, step);
  }

  const std::vector<Network::Level> levels_;
  Branches up_{context.problem.ranks, levels_}, down_{context.problem.ranks, levels_};
  std::vector<std::vector<Ending>> ending_;  ///< by last step, modulo the longest route
  std::uint64_t ended_ = 0;                  ///< all that end before this step were counted
  std::uint64_t hops_ = 0, last_ = 0;
};

/// Do all routers have two branches downwards?
bool is_binary(const Network& network, Rank leaves) {
  std::uint64_t ranks = 1;  // below a branch
  for (const Network::Level& level : network.levels()) {
    if (level.ranks != ranks) return false;
    ranks *= 2;
  }
  return ranks == leaves;
}

}  // namespace

bool may_be_direct(const Source& source, const Machine& machine, const CheckOptions& options) {
  return is_lowered(source, machine) && is_tree_exchange(source.problem, machine) &&
         is_binary(*machine.network(), source.problem.ranks) && asks_for(options, "shape") &&
         asks_for(options, "links") && options.same_as == nullptr;
}

std::unique_ptr<Holdings> direct_holdings(const Problem& problem) {
  return std::make_unique<DirectHoldings>(problem);
}

std::unique_ptr<Check> make_direct_links(const Context& context) {
  return make_check<DirectLinksCheck>(context);
}

}  // namespace schedcc
