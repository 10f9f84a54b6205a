// SimGrid, at flow level: ranks wait for their messages in every step (waiting_clock.hpp), and all
// messages that are under way at the same time, of whatever step, share the bandwidth of the links
// of the machine. Asynchronous; all messages are in memory, and simulated at the end. Messages that
// switches copy or combine are refused: a flow of SimGrid has one source and one destination.
//
// Source: H. Casanova, A. Giersch, A. Legrand, M. Quinson, F. Suter, "Versatile, Scalable, and
// Accurate Simulation of Distributed Applications and Platforms", JPDC 74 (2014); docs/simgrid.md.

#include <map>
#include <span>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cost/clock.hpp"
#include "cost/send_order.hpp"
#include "cost/simgrid_platform.hpp"
#include "cost/simulation.hpp"
#include "machine/overheads.hpp"
#include "machine/step_routes.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

class SimulationClock : public Clock {
 public:
  explicit SimulationClock(const Machine& machine)
      : machine_(machine), in_network_(*machine_.channels()) {
    simulation_.links = machine.link_times()->of;
    simulation_.overheads = overheads_of(machine);
  }

  void step(std::uint64_t number, std::uint32_t, std::span<const SizedMessage> messages) override {
    refuse_shared(number, messages);
    for (const SizedMessage& m : in_order_of_sends(messages))
      simulation_.messages.push_back({number, m.src, m.dst, m.bytes, route(m)});
  }
  double so_far() const override { return 0; }
  double finish() override { return simulate(simulation_); }

 private:
  void refuse_shared(std::uint64_t step, std::span<const SizedMessage> messages) {
    if (!machine_.in_network().any()) return;
    routed_.clear();
    for (const SizedMessage& m : messages) routed_.push_back(m.routed());
    in_network_.read(routed_);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (in_network_.counted(i).size() == in_network_.route(i).size()) continue;
      throw InputError(
          fmt::format("cost model 'simgrid' cannot time messages that switches copy or combine, as "
                      "rank {} -> rank {} in step {}; the model 'machine' can",
                      messages[i].src, messages[i].dst, step));
    }
  }

  std::uint32_t route(const SizedMessage& m) {
    auto& routes = simulation_.routes;
    const auto [known, fresh] =
        numbers_.emplace(std::pair(m.src, m.dst), static_cast<std::uint32_t>(routes.size()));
    if (fresh) routes.push_back(simgrid::links_between(machine_, m.src, m.dst));
    return known->second;
  }

  Machine machine_;
  StepRoutes in_network_;
  std::vector<RoutedMessage> routed_;
  Simulation simulation_;
  std::map<std::pair<Rank, Rank>, std::uint32_t> numbers_;  ///< of the routes
};

}  // namespace

extern const CostModelEntry simgrid_model;
const CostModelEntry simgrid_model{
    .name = "simgrid",
    .summary =
        "a simulation by SimGrid: messages under way at the same time share the bandwidth "
        "of the machine's own links",
    .source = "Casanova et al. 2014; docs/simgrid.md",
    .parameters = {},
    .make =
        [](const Parameters&) {
          CostModel model;
          model.of_machine = true;
          return model;
        },
    .reason = [](const Machine& machine) -> std::optional<std::string> {
      if (simgrid_version().empty()) return "schedcc is built without SimGrid (libsimgrid-dev)";
      return simgrid::reason_against_links(machine);
    },
    .synchronous = nullptr,
    .asynchronous = [](const CostModel&, const Machine& machine,
                       bool record) -> std::unique_ptr<Clock> {
      if (record) throw InputError("cost model 'simgrid' has no critical path");
      return std::make_unique<SimulationClock>(machine);
    },
    .keeps_path = false,
};

}  // namespace schedcc
