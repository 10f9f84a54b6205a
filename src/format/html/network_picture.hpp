#pragma once

// The network of a machine as a page draws it.

#include "format/text.hpp"
#include "schedcc/machine.hpp"

namespace schedcc::html {

/// A JSON object: what the network is, its nodes' names and positions (a tree, rows of a grid,
/// modules), and its links; `null` if the machine has none, or too large a one.
void write_network(const Machine& machine, Rank ranks, Text& out);

}  // namespace schedcc::html
