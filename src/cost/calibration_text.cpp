// A calibration as a machine file, and as a table.
//
// Routes are shortest ones, so that the switches of a node are those in and those out, for messages
// within the node and for others:
//
//     rank -> bus in -> bus out -> rank
//     rank -> NIC out -> network -> NIC in -> rank
//
// The links of a rank have half of the latency each, and the bandwidth of a message alone; the link
// between the buses, and those between NICs and network, have that of all ranks of a node together.

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/json.hpp"
#include "core/text_table.hpp"
#include "cost/calibration.hpp"
#include "schedcc/units.hpp"

namespace schedcc {

namespace {

std::string time_text(double seconds) { return fmt::format("{:.5g}ns", seconds * 1e9); }
std::string bandwidth_text(double per_byte) { return fmt::format("{:.5g}GB/s", 1e-9 / per_byte); }
std::string quoted(const std::string& text) {
  std::string result = dump_line(Json(text));
  result.pop_back();  // the end of the line
  return result;
}

/// How many messages have their whole bandwidth at once, of those of all ranks of a node.
std::uint64_t at_once(const LevelFit& level, std::uint32_t ranks) {
  const double messages = ranks * level.per_byte.value / level.shared_per_byte.value;
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(std::llround(messages)), 1);
}

class MachineWriter {
 public:
  explicit MachineWriter(const Calibration& calibration)
      : c_(calibration), ranks_(c_.shape.nodes * c_.shape.ranks_per_node) {}

  std::string text() {
    const bool nodes = c_.shape.nodes > 1, shared = c_.shape.ranks_per_node > 1;
    std::string head = fmt::format(
        "{{\n  \"topology\": 2,\n  \"name\": \"calibrated: {}\",\n  \"sources\": [\n    {},\n    "
        "{}\n  "
        "],\n  \"ranks\": {},\n  \"ports\": {},\n  \"overheads\": {{\"send\": \"{}\", \"receive\": "
        "\"{}\"}},\n  \"shared\": true,\n",
        shared ? fmt::format("{} of {}", counted(c_.shape.nodes, "node"),
                             counted(c_.shape.ranks_per_node, "rank"))
               : counted(ranks_, "rank"),
        quoted(c_.origin),
        quoted("Messages that a rank has under way at once (ports): as stated by --ports, else an "
               "assumption"),
        ranks_, c_.ports, time_text(overhead(&LevelFit::send)),
        time_text(overhead(&LevelFit::receive)));
    if (nodes && shared)
      head += fmt::format("  \"groups\": [{{\"name\": \"node\", \"ranks\": {}}}],\n",
                          c_.shape.ranks_per_node);
    if (nodes) connect_nodes(c_.levels.back());
    if (shared) connect_ranks(c_.levels.front());
    return fmt::format(
        "{}  \"kinds\": {{\n{}\n  }},\n  \"switches\": [{}],\n  \"links\": [\n{}\n  ]\n}}\n", head,
        kinds_, switches_, links_);
  }

 private:
  /// A rank has one overhead for both levels: that of the last, to other nodes if there are.
  double overhead(Estimate LevelFit::*which) const { return (c_.levels.back().*which).value; }

  /// The latency of the two links of a rank, if overheads of this level differ, with the
  /// difference.
  double latency(const LevelFit& level) const {
    const double total = level.send.value + level.latency.value + level.receive.value;
    return std::max(total - overhead(&LevelFit::send) - overhead(&LevelFit::receive), 0.0);
  }

  void connect_ranks(const LevelFit& level) {
    kind("memory", 1, latency(level) / 2, level.per_byte.value);
    kind("bus", at_once(level, c_.shape.ranks_per_node), 0,
         level.shared_per_byte.value / c_.shape.ranks_per_node);
    for (std::uint32_t node = 0; node < c_.shape.nodes; ++node) {
      const std::uint32_t in = add_switch(fmt::format("node {} bus in", node));
      const std::uint32_t out = add_switch(fmt::format("node {} bus out", node));
      link(in, out, "bus");
      each_rank(node, [&](std::uint32_t rank) {
        link(rank, in, "memory");
        link(out, rank, "memory");
      });
    }
  }

  void connect_nodes(const LevelFit& level) {
    const std::uint32_t network = add_switch("network");
    kind("rank", 1, latency(level) / 2, level.per_byte.value);
    if (c_.shape.ranks_per_node > 1)
      kind("nic", at_once(level, c_.shape.ranks_per_node), 0,
           level.shared_per_byte.value / c_.shape.ranks_per_node);
    for (std::uint32_t node = 0; node < c_.shape.nodes; ++node) {
      std::uint32_t in = network, out = network;
      if (c_.shape.ranks_per_node > 1) {
        in = add_switch(fmt::format("node {} NIC in", node));
        out = add_switch(fmt::format("node {} NIC out", node));
        link(out, network, "nic");
        link(network, in, "nic");
      }
      each_rank(node, [&](std::uint32_t rank) {
        link(rank, out, "rank");
        link(in, rank, "rank");
      });
    }
  }

  template <typename F>
  void each_rank(std::uint32_t node, F f) const {
    for (std::uint32_t i = 0; i < c_.shape.ranks_per_node; ++i)
      f(node * c_.shape.ranks_per_node + i);
  }
  std::uint32_t add_switch(const std::string& name) {
    switches_ += fmt::format("{}\n    \"{}\"", switches_.empty() ? "" : ",", name);
    return ranks_ + number_++;
  }
  void kind(std::string_view name, std::uint64_t capacity, double latency, double per_byte) {
    kinds_ += fmt::format(R"({}    "{}": {{"capacity": {}, "latency": "{}", "bandwidth": "{}"}})",
                          kinds_.empty() ? "" : ",\n", name, capacity, time_text(latency),
                          bandwidth_text(per_byte));
  }
  void link(std::uint32_t from, std::uint32_t to, std::string_view kind) {
    links_ += fmt::format(R"({}    {{"from": {}, "to": {}, "kind": "{}"}})",
                          links_.empty() ? "" : ",\n", from, to, kind);
  }

  const Calibration& c_;
  std::uint32_t ranks_, number_ = 0;
  std::string kinds_, switches_, links_;
};

std::string interval(const Estimate& e, std::string (*text)(double)) {
  // Of a bandwidth the smallest time per byte is the largest value.
  const std::string low = text(e.low), high = text(e.high);
  return fmt::format("{} ({}..{})", text(e.value), low, high);
}
std::string time_interval(const Estimate& e) { return interval(e, format_time); }
std::string bandwidth_interval(const Estimate& e) {
  const auto text = [](double per_byte) {
    return per_byte > 0 ? bandwidth_text(per_byte) : std::string("any");
  };
  return interval({e.value, e.high, e.low}, text);
}

/// A message of the level as the models alpha-beta and levels have it.
std::string link_text(const LevelFit& level) {
  return fmt::format("{}@{}", time_text(level.seconds(0)), bandwidth_text(level.per_byte.value));
}

/// The machine and the model with which `cost` and `tune` need no file.
std::string as_levels(const Calibration& c) {
  if (c.levels.size() == 1) {
    const LevelFit& only = c.levels.front();
    return fmt::format("--alpha {} --beta {}", time_text(only.seconds(0)),
                       bandwidth_text(only.per_byte.value));
  }
  return fmt::format("--machine cluster:{}x{},nics={},shared --model levels:0={},1={}",
                     c.shape.ranks_per_node, c.shape.nodes,
                     at_once(c.levels.back(), c.shape.ranks_per_node), link_text(c.levels.front()),
                     link_text(c.levels.back()));
}

}  // namespace

std::string machine_file(const Calibration& calibration) {
  return MachineWriter(calibration).text();
}

std::string to_text(const Calibration& c) {
  std::vector<std::vector<std::string>> rows{
      {"between", "latency", "send", "receive", "gap", "bandwidth", "all ranks at once"}};
  const bool two = c.levels.size() == 2;
  std::string notes;
  for (std::size_t i = 0; i < c.levels.size(); ++i) {
    const LevelFit& level = c.levels[i];
    const std::string name = i == 0 && (two || c.shape.nodes == 1) ? "ranks of a node"
                             : two                                 ? "nodes"
                                                                   : "ranks";
    rows.push_back({name, time_interval(level.latency), time_interval(level.send),
                    time_interval(level.receive), time_interval(level.gap),
                    bandwidth_interval(level.per_byte), bandwidth_interval(level.shared_per_byte)});
    notes += fmt::format(
        "  {}: {} of {} samples left out; the model is at most {:.1f} % off, at {}\n", name,
        level.outliers, level.samples, 100 * level.max_error, format_bytes(level.max_error_bytes));
  }
  return aligned(rows, "-------") + notes + fmt::format("  as {}\n", as_levels(c));
}

}  // namespace schedcc
