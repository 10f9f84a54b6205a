#pragma once

// Calibration: what is measured on a machine, and the model that fits it. Without MPI; seconds and
// bytes.
//
// Source: LogGP (Alexandrov et al. 1995), for each level.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/robust_statistics.hpp"

namespace schedcc {

/// The ranks of a machine in nodes: those of a node are consecutive.
struct NodeShape {
  std::uint32_t nodes = 1, ranks_per_node = 1;  ///< nodes, ranks of each
};

/// Times of messages of one size.
struct TimedSize {
  std::uint64_t bytes;
  std::vector<double> seconds;  ///< for each repetition
};

/// The sizes of messages: start-up dominates the times of the small ones, bandwidth those of the
/// large ones. The model is fitted to these, and compared with those between them as well.
inline constexpr std::uint64_t small_sizes[] = {1, 64, 512};
inline constexpr std::uint64_t middle_sizes[] = {4096, 16384, 65536};
inline constexpr std::uint64_t large_sizes[] = {1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22};

/// What was measured between ranks of a level: within a node, or between nodes.
struct LevelSamples {
  std::vector<TimedSize> one_way;  ///< of a message alone, from its send to the end of its receive
  std::vector<double> send;        ///< of a call of MPI_Send with a byte
  std::vector<double> receive;     ///< of MPI_Recv, of a message sent before
  std::vector<double> posted_receive;   ///< of the completion of a posted receive that has arrived
  std::vector<double> gap;              ///< between receives of a series of messages
  std::vector<TimedSize> simultaneous;  ///< all ranks of the node, or of two nodes, send at once
};

/// LogGP of a level, with the bandwidth that its ranks share.
struct LevelFit {
  Estimate latency, send, receive, gap;  ///< L, o of a send, o of a receive, g
  Estimate per_byte;                     ///< G, of a message alone
  Estimate shared_per_byte;              ///< of each message if all ranks send at once
  std::size_t samples = 0, outliers = 0;
  double max_error = 0;               ///< the largest relative difference of model and measurement
  std::uint64_t max_error_bytes = 0;  ///< at this size

  /// What a message of `bytes` takes.
  double seconds(std::uint64_t bytes) const {
    return send.value + latency.value + receive.value + per_byte.value * static_cast<double>(bytes);
  }
};

/// The model of a level; outliers are left out. Throws InputError if times do not grow with sizes.
LevelFit fit(const LevelSamples& samples);

/// The figures of a measured machine.
struct Calibration {
  NodeShape shape;
  std::vector<LevelFit> levels;  ///< within a node, if it has several ranks; between nodes
  std::uint32_t ports = 1;       ///< messages that a rank may have under way
  std::string origin;            ///< what measured it, as text
};

/// The machine file (docs/formats.md, Version 2). A rank has a link for messages within its node,
/// and one for those to other nodes. If the ranks of a node share a bus, or a NIC, all messages
/// take that as well.
std::string machine_file(const Calibration& calibration);

/// The figures with their confidence intervals, and the equivalent --machine and --model options,
/// as text.
std::string to_text(const Calibration& calibration);

}  // namespace schedcc
