#pragma once

// What a rank does that violates a check, as proofs by formulas and enumerations of tables say it.

namespace schedcc::prover::violation {

inline constexpr char shape[] = "sends a packet, or to a rank, that does not exist";
inline constexpr char two_sends[] = "sends two messages";
inline constexpr char two_receives[] = "receives two messages";
inline constexpr char send_and_receive[] = "sends and receives";
inline constexpr char delivery[] = "does not receive it";
inline constexpr char redundancy[] = "receives a packet that it holds or does not need";
inline constexpr char causality[] = "sends what it does not hold yet";
inline constexpr char bound[] = "receives it after the claimed number of steps";

}  // namespace schedcc::prover::violation
