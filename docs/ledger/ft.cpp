#include "ledger.hpp"
namespace ledger { Paper ft() { return {}; } }
