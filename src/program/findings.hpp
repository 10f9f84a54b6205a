#pragma once

// Findings at the elements of a program's file.

#include <cstdint>
#include <string>

#include "program/wiring.hpp"
#include "schedcc/report.hpp"

namespace schedcc::program {

/// At an instruction, or if `event` is none at the threadblock of this number in the wiring.
Finding finding_at(const Wiring& wiring, std::uint32_t block, Event event, std::string message);
/// At an instruction.
Finding finding_at(const Wiring& wiring, Event event, std::string message);
Finding finding_at(const Wiring& wiring, const Mismatch& mismatch);

}  // namespace schedcc::program
