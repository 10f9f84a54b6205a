// One switch between all ranks, which copies messages and combines reductions: the ranks of an
// NVLink domain, or of a leaf switch.
//
// Ranks have ports as on a k-port machine, and no other limits. Channel r is the link of rank r
// into the switch, channel P + r its link out of it.
//
// Sources: Klenk, Jiang, Thorson, Dennison 2020, "An In-Network Architecture for Accelerating
// Shared-Memory Multiprocessor Collectives", ISCA, doi 10.1109/ISCA45697.2020.00085 (NVSwitch);
// Graham et al. 2016, "Scalable Hierarchical Aggregation Protocol (SHArP)", COMHPC, doi
// 10.1109/COMHPC.2016.006.

#include <fmt/core.h>

#include "machine/entry.hpp"
#include "machine/parameters.hpp"

namespace schedcc {

namespace {

class SwitchChannels : public Channels {
 public:
  SwitchChannels(Rank ranks, SwitchRules rules) : ranks_(ranks), rules_(rules) {}

  void route(Rank src, Rank dst, std::vector<Run>& runs) const override {
    runs.push_back({src, 1});
    runs.push_back({std::uint64_t{ranks_} + dst, 1});
  }

  std::uint64_t capacity(std::uint64_t) const override { return UINT64_MAX; }

  std::string describe(std::uint64_t channel) const override {
    return channel < ranks_ ? fmt::format("the link from rank {} to the switch", channel)
                            : fmt::format("the link from the switch to rank {}", channel - ranks_);
  }

  bool ranks_alike() const override { return true; }

  SwitchRules in_network() const override { return rules_; }
  SwitchRules rules_at_destination(std::uint64_t channel) const override {
    return channel < ranks_ ? rules_ : SwitchRules{};
  }
  SwitchRules rules_at_source(std::uint64_t channel) const override {
    return channel < ranks_ ? SwitchRules{} : rules_;
  }

 private:
  Rank ranks_;
  SwitchRules rules_;
};

}  // namespace

extern const MachineEntry switch_machine;
const MachineEntry switch_machine{
    .name = "switch",
    .summary = "ranks at one switch, which copies messages and combines reductions",
    .source = "Klenk et al. 2020, doi 10.1109/ISCA45697.2020.00085",
    .parameters = {{.name = "ports",
                    .summary = "messages that a rank sends, and receives, per step",
                    .min = 1,
                    .max = max_ports,
                    .default_value = "1"},
                   {.name = "only",
                    .summary = "the switch only copies messages, or only combines reductions",
                    .kind = Parameter::Kind::text,
                    .choices = {"multicast", "reduces"}},
                   width_parameter},
    .make =
        [](const Parameters& p, Rank ranks) {
          const auto each = static_cast<std::uint32_t>(p.integer("ports"));
          const auto does = [&p](std::string_view what) {
            return !p.has("only") || p.text("only") == what;
          };
          return MachineRules{.ports = PortLimits{each, each, 2 * each},
                              .channels = std::make_shared<SwitchChannels>(
                                  ranks, SwitchRules{does("multicast"), does("reduces")})};
        },
};

}  // namespace schedcc
