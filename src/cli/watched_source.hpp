#pragma once

// A source whose reading shows progress.

#include "cli/progress.hpp"
#include "schedcc/source.hpp"

namespace schedcc::cli {

/// The same source; each of its streams tells `progress`, which outlives it, how far it is read.
Source watched(Source source, Progress& progress);

}  // namespace schedcc::cli
