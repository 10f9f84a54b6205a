#pragma once

// What sources from MSCCL XML and from plans of MSCCL++ have in common.

#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "format/header.hpp"
#include "schedcc/problem.hpp"
#include "schedcc/source.hpp"

namespace schedcc {

/// A source without steps, of a file that names what it has `name`. Its machine lets every GPU send
/// to all others at once.
inline Source gpu_source(const std::string& name, const std::string& file, const Problem& problem) {
  Source source;
  if (fits_a_line(name)) source.title = name;
  set_file(source, file);
  source.problem = problem;
  source.machine = fmt::format("kport:k={}", std::max<Rank>(1, problem.ranks - 1));
  return source;
}

}  // namespace schedcc
