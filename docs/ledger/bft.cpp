#include "ledger.hpp"
namespace ledger { Paper bft() { return {}; } }
