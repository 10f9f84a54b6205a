// links: every hop is over a link of the network, and no link carries more chunks in a step than
// its capacity (where steps have rounds: times those of the step).
//
// On machines with channels: no channel (an edge of a mesh, a channel into or out of a module)
// carries more messages in a step than its capacity, unless messages may share it. What
// switches copy or combine is one message. The report has the largest number that any of them
// carries.

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "analysis/channel_loads.hpp"
#include "analysis/switch_groups.hpp"
#include "check/checks.hpp"
#include "check/direct.hpp"
#include "check/symmetry/torus.hpp"
#include "check/symmetry/tree_exchange.hpp"
#include "core/saturating.hpp"

namespace schedcc {

namespace {

class LinksCheck : public Check {
 public:
  using Check::Check;

  void step(const StepView& view) override {
    ++stamp_;
    const std::uint64_t rounds = has_rounds_ ? view.step.rounds : 1;
    for (std::size_t i = 0; i < view.step.transfers.size(); ++i) {
      const Transfer& t = view.step.transfers[i];
      const auto link = network_.link(t.src, t.dst);
      if (!link) {
        report_missing(view.step, i);
        continue;
      }
      Load& load = *loads_.at(link->index);
      if (load.stamp != stamp_) load = {stamp_, 0};
      const std::uint64_t before = load.chunks;
      const std::uint64_t capacity = (Saturating(link->capacity) * rounds).value();
      load.chunks += t.count;
      if (before <= capacity && load.chunks > capacity) {
        report(
            view.step, i,
            fmt::format("the link from {} to {} carries {} chunks or more in step {}; its capacity "
                        "is {}",
                        context.node(t.src), context.node(t.dst), load.chunks, view.step.number,
                        capacity));
      }
    }
  }

 private:
  struct Load {
    std::uint64_t stamp = 0, chunks = 0;
  };

  void report(const Step& step, std::size_t i, std::string message) {
    context.reporter.error("links", [&] {
      return about(locate(step, i), step.transfers[i].first, std::move(message));
    });
  }

  /// Once for each message. What was lowered takes links that exist, if there is a path.
  void report_missing(const Step& step, std::size_t i) {
    const Transfer& t = step.transfers[i];
    if (missing_.first != stamp_) missing_ = {stamp_, {}};
    if (!missing_.second.emplace(t.src, t.dst).second) return;
    report(step, i,
           fmt::format("there is no {} from {} to {} on {}", step.origins.empty() ? "link" : "path",
                       context.node(t.src), context.node(t.dst), context.machine.spec()));
  }

  const Network& network_ = *context.machine.network();
  const bool has_rounds_ = network_.has_rounds();
  BlockTable<Load, 1> loads_;  ///< by link
  std::uint64_t stamp_ = 0;
  /// A step, and those of its messages that need a link which does not exist.
  std::pair<std::uint64_t, std::set<std::pair<Rank, Rank>>> missing_;
};

class ChannelsCheck : public Check {
 public:
  using Check::Check;

  void step(const StepView& view) override {
    runs_.clear();
    message_of_.clear();
    const auto messages = view.digest.messages();
    routes_.read(groups_.read(view.step, view.digest));
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const auto counted = routes_.counted(i);
      runs_.insert(runs_.end(), counted.begin(), counted.end());
      message_of_.resize(runs_.size(), i);
    }
    loads_.read(runs_);
    most_ = std::max(most_, loads_.max());
    if (channels_.shared()) return;  // it takes longer, which is not an error
    for (const ChannelLoads::Overload& overload : loads_.overloads()) {
      report(view.step, messages[message_of_[overload.run]], overload);
    }
  }

  void finish(const Holdings*) override { context.report.congestion = most_; }

 private:
  /// A finding for each channel, in the order in which the message takes them.
  void report(const Step& step, const Message& m, const ChannelLoads::Overload& overload) {
    const auto& [run, first, count] = overload;
    Findings findings;
    const std::uint64_t shown = std::min<std::uint64_t>(count, context.reporter.keeps());
    for (std::uint64_t i = 0; i < shown; ++i) {
      findings.first.push_back(
          finding(step, m, runs_[run].falling ? first + count - 1 - i : first + i));
    }
    findings.more = count - shown;
    context.reporter.errors("links", findings);
  }

  Finding finding(const Step& step, const Message& m, std::uint64_t channel) const {
    const std::uint64_t capacity = channels_.capacity(channel);
    Finding finding = about(
        locate(step, m.first), 0,
        fmt::format("{} carries at least {} messages in step {} (one is {} -> {}); its capacity on "
                    "{} is {}",
                    channels_.describe(channel), capacity + 1, step.number, context.node(m.src),
                    context.node(m.dst), context.machine.spec(), capacity));
    finding.chunk.reset();
    return finding;
  }

  const Channels& channels_ = *context.machine.channels();
  SwitchGroups groups_{channels_.in_network(), context.problem};
  StepRoutes routes_{channels_};
  ChannelLoads loads_{channels_};
  std::vector<Channels::Run> runs_;      ///< of the step's messages
  std::vector<std::size_t> message_of_;  ///< by run
  std::uint64_t most_ = 0;
};

std::unique_ptr<Check> make_links(const Context& context) {
  if (context.direct) return make_direct_links(context);
  if (context.by_symmetry) {
    return context.machine.routed() ? make_symmetric_links(context) : make_torus_links(context);
  }
  return context.machine.routed() ? make_check<LinksCheck>(context)
                                  : make_check<ChannelsCheck>(context);
}

}  // namespace

extern const CheckEntry links_check;
const CheckEntry links_check{
    .name = "links",
    .summary = "the capacities of the machine's links, edges, modules",
    .by_step = true,
    .applies = [](const Context& c) { return c.machine.routed() || c.machine.channels(); },
    .make = make_links,
};

}  // namespace schedcc
