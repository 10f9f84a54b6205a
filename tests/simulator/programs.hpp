#pragma once

// The effects of instructions, for the oracles of programs.

#include <algorithm>
#include <initializer_list>
#include <tuple>
#include <utility>

#include "program_simulator.hpp"

namespace naive {

using schedcc::BufferKind;
using schedcc::Collective;
using schedcc::Op;

using Cell = std::pair<int, int>;  // buffer, offset

inline bool one_of(const Instruction& step, std::initializer_list<Op> ops) {
  return std::find(ops.begin(), ops.end(), step.op) != ops.end();
}
inline bool sends(const Instruction& s) {
  return one_of(s, {Op::send, Op::recv_copy_send, Op::recv_reduce_send, Op::recv_reduce_copy_send});
}
inline bool receives(const Instruction& s) {
  return one_of(s, {Op::recv, Op::recv_copy_send, Op::recv_reduce_send, Op::recv_reduce_copy,
                    Op::recv_reduce_copy_send});
}
inline bool uses_src(const Instruction& s) {
  return one_of(s, {Op::send, Op::recv_reduce_send, Op::recv_reduce_copy, Op::recv_reduce_copy_send,
                    Op::copy, Op::reduce});
}
inline bool writes(const Instruction& s) {
  return one_of(s, {Op::recv, Op::recv_copy_send, Op::recv_reduce_copy, Op::recv_reduce_copy_send,
                    Op::copy, Op::reduce});
}

/// The cell of a place. In a call with one buffer, a place in both input and output has its cell in
/// the longer of the two.
inline Cell cell(const Program& program, Rank rank, schedcc::Slot slot, bool in_place) {
  const int K = static_cast<int>(program.problem.chunks), own = static_cast<int>(rank) * K;
  const bool at_root = rank == program.problem.root;
  const int i = 0, o = 1;
  Cell here{static_cast<int>(slot.buffer), slot.offset};
  if (!in_place) return here;
  switch (program.problem.collective) {
    case Collective::allgather:
      if (here.first == i) return {o, own + here.second};
      return here;
    case Collective::gather:
      if (here.first == i && at_root) return {o, own + here.second};
      return here;
    case Collective::reduce_scatter:
      if (here.first == o) return {i, own + here.second};
      return here;
    case Collective::scatter:
      if (here.first == o && at_root) return {i, own + here.second};
      return here;
    case Collective::reduce:
      // Only the root has an output.
      if (here.first == i && at_root) return {o, here.second};
      return here;
    default:
      if (here.first == i) return {o, here.second};
      return here;
  }
}

/// From one GPU to another, over a channel.
using Connection = std::tuple<Rank, Rank, std::uint32_t>;

}  // namespace naive
