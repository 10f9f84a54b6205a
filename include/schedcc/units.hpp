#pragma once

// Quantities with units: 4MiB, 10us, 0.1ns/B, 12.5GB/s.

#include <cstdint>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace schedcc {

// Each reads a quantity, and throws InputError that names `what` if the text is not one: without a
// unit, negative, or too large. Numbers are decimal, with an optional point.

/// A size in bytes: 4096, 4KiB, 1.5MB, 2^20, 64k; also in bits, 8kbit. It must be a whole number of
/// bytes below 2^63. The unit may be left out: bytes.
std::uint64_t parse_bytes(std::string_view text, std::string_view what);

/// A time in seconds: 10us, 10µs, 1.5ms, 2s, 300ns, 5ps. Only 0 needs no unit.
double parse_time(std::string_view text, std::string_view what);

/// The time that a byte takes, in seconds: as a time per size, 0.1ns/B or 1s/MiB, or as a
/// bandwidth, 12.5GB/s, 100Gbit/s, 100Gbps. Only 0 needs no unit.
double parse_gap(std::string_view text, std::string_view what);

/// What a message costs on a link: a start-up in seconds, and seconds per byte.
struct LinkTime {
  double alpha, beta;
};

/// A time and a time per byte: 2us@300GB/s. The second has a unit, even if it is 0.
LinkTime parse_link(std::string_view text, std::string_view what);

/// 1.234 ms: four significant digits and the largest unit that leaves at least 1.
std::string format_time(double seconds);

/// 4 MiB, 1 kB, 1025 B: exact, in the unit, binary or decimal, that makes the number smallest.
std::string format_bytes(std::uint64_t bytes);

}  // namespace schedcc

#pragma GCC visibility pop
