#pragma once

#include "ledger.hpp"

namespace ledger::LIB {

Section blocks();
Section vectors();

}  // namespace ledger::LIB
