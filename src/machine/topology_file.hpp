#pragma once

#include <string>

#include "schedcc/machine.hpp"

namespace schedcc {

/// Reads a topology file; its format is in docs/topology.schema.json. Reading is strict: unknown
/// fields, links that are there twice or lead nowhere, and nodes that nothing can pass are errors.
/// Throws InputError with the place.
Topology read_topology(const std::string& path);

}  // namespace schedcc
