#pragma once

namespace schedcc {

/// Thrown by a check that only shows that there is nothing to report, when there may be something:
/// one thread of one process then does all of it again, transfer by transfer.
struct Abandoned {};

}  // namespace schedcc
