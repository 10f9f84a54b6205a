#pragma once

#include "schedcc/spec.hpp"

namespace schedcc {

/// `width=W`: chunks that one message may carry.
inline constexpr Parameter width_parameter{
    .name = "width", .summary = "chunks that a message may carry", .least = 1, .most = UINT32_MAX};

/// The machine's width; 0 where none is given.
inline std::uint32_t width(const Parameters& parameters) {
  return parameters.has("width") ? static_cast<std::uint32_t>(parameters.integer("width")) : 0;
}

}  // namespace schedcc
