#pragma once

// Closed forms: who sends which packet in which step, each written once.
//
// Every function here is a template over the numbers that it computes with. With std::uint64_t it
// is what an algorithm's stream of steps calls; with prover::Term it gives the formula itself,
// which `schedcc prove --all-chunks` hands to a solver. So there is no second copy that could
// drift; what is left, the loops of the streams, is compared with the formulas' instances by
// tests/symbolic_test.cpp.
//
// Numbers are unsigned, and a difference may only be negative where the transfer is not valid.
// Where a formula needs a case, it is written with `choose`, and both sides are computed.

#include <bit>
#include <cstdint>

namespace schedcc::closed {

/// The operations that are no operators, for numbers.
constexpr std::uint64_t choose(bool condition, std::uint64_t yes, std::uint64_t no) {
  return condition ? yes : no;
}
constexpr std::uint64_t bit_width(std::uint64_t x) {
  return static_cast<std::uint64_t>(std::bit_width(x));
}

/// v + by modulo P, for v < P and by <= P.
template <typename N>
constexpr N further(N v, N by, N P) {
  return choose(v < P - by, v + by, v - (P - by));
}

// Fractional trees (fractional_tree.cpp): packets in runs of r, a step of pause behind each. r = 0:
// one endless run, a chain.

/// What the sender of an edge does so many steps after the edge's first packet could leave.
template <typename N>
struct Turn {
  N run;    ///< the first packet of the run that is under way
  N place;  ///< how many steps ago the run began, 0 .. r
};

template <typename N>
constexpr Turn<N> turn(N since, std::uint64_t r) {
  if (r == 0) return {N(0), since};
  return {since / N(r + 1) * N(r), since % N(r + 1)};
}
/// Down goes the packet at its place in the run; the pause is at place r.
template <typename N>
constexpr N down_packet(const Turn<N>& turn) {
  return turn.run + turn.place;
}
template <typename N>
constexpr auto sends_down(const Turn<N>& turn, std::uint64_t r, N K) {
  const auto exists = down_packet(turn) < K;
  return r == 0 ? exists : turn.place < N(r) && exists;
}
/// In the pause, packet i of the run goes right.
template <typename N>
constexpr N right_packet(const Turn<N>& turn, N i) {
  return turn.run + i;
}
template <typename N>
constexpr auto sends_right(const Turn<N>& turn, N i, std::uint64_t r, N K) {
  return turn.place == N(r) && right_packet(turn, i) < K;
}
/// The steps, where packet 0 comes to the last PU in step d.
template <typename N>
constexpr N fractional_steps(N d, N K, std::uint64_t r) {
  return r == 0 ? d + K : d + K + (K + N(r - 1)) / N(r) - N(1);
}

// The chain on simplex PUs (chain.cpp): edge v -> v + 1 carries packet j in step v + 2j.

template <typename N>
constexpr auto simplex_chain_sends(N t, N v) {
  return !(t < v) && (t - v) % N(2) == N(0);
}
template <typename N>
constexpr N simplex_chain_packet(N t, N v) {
  return (t - v) / N(2);
}

template <typename N>
constexpr N simplex_chain_steps(N P, N K) {
  return P - N(3) + N(2) * K;
}

// Packets that follow one another, each in S steps (linear.cpp, knomial_tree.cpp).

template <typename N>
constexpr N serial_packet(N t, N S) {
  return t / S;
}
/// The step of the packet's own.
template <typename N>
constexpr N serial_place(N t, N S) {
  return t % S;
}

// The butterfly (butterfly.cpp), on words of h bits.

/// In step t everybody flips this bit; packet s is spread by the tree of this bit.
template <typename N>
constexpr N butterfly_bit(N t, std::uint64_t h) {
  return t % N(h);
}
/// x, a number of h bits, rotated by j places to the left.
template <typename N>
constexpr N rotate(N x, N j, std::uint64_t h) {
  return ((x << j) | (x >> (N(h) - j))) & N((std::uint64_t{1} << h) - 1);
}
/// The packet that is on level i in step t.
template <typename N>
constexpr N butterfly_packet(N t, N i) {
  return t - N(1) - i;
}
/// The member of S(i, j), j = s mod h, for the subset R of {1..i}, bit r - 1 for r.
template <typename N>
constexpr N butterfly_member(N s, N R, std::uint64_t h) {
  return rotate(N(1) + N(2) * R, butterfly_bit(s, h), h);
}
template <typename N>
constexpr N butterfly_steps(N K, std::uint64_t h) {
  return h == 1 ? K : K + N(h);
}

// The circulant graph (circulant_schedule.hpp): round i of a broadcast of n packets.

/// The virtual rounds before the first.
template <typename N>
constexpr N circulant_virtual(N n, std::uint64_t q) {
  return (N(q) - (n - N(1)) % N(q)) % N(q);
}
/// The round's place in its phase: the skip that it uses.
template <typename N>
constexpr N circulant_place(N i, N n, std::uint64_t q) {
  return (i + circulant_virtual(n, q)) % N(q);
}
/// The packet of a rank's schedule entry `value` in round i, behind what is common to the entries
/// at place k: value + i - k, packets beyond n - 1 meaning n - 1. (value + q >= 0, for unsigned
/// numbers.) It is one if value + i >= k.
template <typename N>
constexpr auto circulant_sends(N value_q, N i, N k, std::uint64_t q) {
  return !(value_q + i < k + N(q));
}
template <typename N>
constexpr N circulant_packet(N value_q, N i, N k, N n, std::uint64_t q) {
  const N packet = value_q + i - k - N(q);
  return choose(packet < n - N(1), packet, n - N(1));
}
template <typename N>
constexpr N circulant_steps(N n, std::uint64_t q) {
  return n - N(1) + N(q);
}

// Total exchange by exclusive or (xor.cpp) on n = 2^h leaves: partner u of 0 .. n-2.

/// The partners still to come, this one included.
template <typename N>
constexpr N xor_left(N u, std::uint64_t n) {
  return N(n - 1) - u;
}
template <typename N>
constexpr N xor_partner(N k, N u, std::uint64_t n) {
  const N left = xor_left(u, n);
  const N half = N(1) << (bit_width(left) - N(1));  // 2^(h_i - 1)
  const N l = N(2) * half - N(1) - left;
  return k ^ half ^ l;
}
/// The height that the messages climb: h_i.
template <typename N>
constexpr N xor_height(N u, std::uint64_t n) {
  return bit_width(xor_left(u, n));
}
/// The step of the j-th packet for partner u.
template <typename N>
constexpr N xor_step(N u, N j, N K, std::uint64_t h, std::uint64_t n) {
  return u * K + j + N(2) * (N(h) - xor_height(u, n));
}

// Round the ring (ring.cpp) and pairwise (pairwise.cpp).

/// The block that rank v passes on in step t: v - t modulo P.
template <typename N>
constexpr N ring_block(N v, N t, N P) {
  return choose(v < t, v + P - t, v - t);
}
/// Whom rank v sends to in step t.
template <typename N>
constexpr N pairwise_partner(N v, N t, N P) {
  return further(v, t + N(1), P);
}

}  // namespace schedcc::closed
