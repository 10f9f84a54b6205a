#pragma once

// Rules for the times of a program's events, by its own order.

#include <vector>

#include "program/timetable.hpp"
#include "program/wiring.hpp"

namespace schedcc::program {

/// Nodes of the timetable: the begin of an event, which for a receive is the step of its message,
/// and its end, after which its own message may be sent.
inline Timetable::Node begin(Event e) { return 2 * e; }
inline Timetable::Node end(Event e) { return 2 * e + 1; }

/// The rules for these nodes. `order` is that of a complete execution.
Timetable program_order(const Wiring& wiring, const std::vector<Event>& order);

}  // namespace schedcc::program
