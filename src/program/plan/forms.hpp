#pragma once

// The words of execution plans, and the effects of their operations.

#include <array>
#include <cstdint>
#include <string_view>

#include "schedcc/plan.hpp"

namespace schedcc::program {

/// What an operation does with its operands. The first `raw` sources and destinations are plain
/// data of the GPU itself or as the plan says; the others are packets.
enum class PlanKind : std::uint8_t {
  sync,      ///< no data
  transfer,  ///< source i to destination i, plain data
  reduce,    ///< the sum of all sources to all destinations, plain data
  pack,      ///< source i, plain, to destination i, packets
  packets,   ///< sources 1.. are packets, and all destinations `packed`..
};

/// The form of an operation.
struct PlanForm {
  PlanOp op;
  std::string_view word;
  PlanKind kind = PlanKind::sync;
  std::uint8_t sources = 0, destinations = 0;  ///< the least number of each
  /// Are there more sources than the least, and destinations? (`transfer`, `pack`: as many of both)
  bool more_sources = false, more_destinations = false;
  std::uint8_t packed_source = 255;       ///< the first source that is packets
  std::uint8_t packed_destination = 255;  ///< the first destination that is packets
};

inline constexpr std::array<PlanForm, 30> plan_forms{{
    {PlanOp::nop, "nop"},
    {PlanOp::barrier, "barrier"},
    {PlanOp::signal, "signal"},
    {PlanOp::relaxed_signal, "rlxsignal"},
    {PlanOp::wait, "wait"},
    {PlanOp::relaxed_wait, "rlxwait"},
    {PlanOp::flush, "flush"},
    {PlanOp::put, "put", PlanKind::transfer, 1, 1, true, true},
    {PlanOp::put_signal, "pws", PlanKind::transfer, 1, 1, true, true},
    {PlanOp::put_signal_flush, "pwsf", PlanKind::transfer, 1, 1, true, true},
    {PlanOp::get, "get", PlanKind::transfer, 1, 1, true, true},
    {PlanOp::copy, "copy", PlanKind::transfer, 1, 1},
    {PlanOp::reduce, "re", PlanKind::reduce, 1, 1, true},
    {PlanOp::reduce_send, "res", PlanKind::reduce, 1, 1, true, true},
    {PlanOp::read_reduce, "rre", PlanKind::reduce, 1, 1, true},
    {PlanOp::read_reduce_send, "rres", PlanKind::reduce, 1, 1, true, true},
    {PlanOp::put_packets, "ppkt", PlanKind::pack, 1, 1, true, true, 255, 0},
    {PlanOp::read_put_packets, "rppkt", PlanKind::packets, 1, 1, false, true, 0, 0},
    {PlanOp::reduce_packets, "repkt", PlanKind::packets, 1, 1, true, false, 1, 1},
    {PlanOp::reduce_send_packets, "respkt", PlanKind::packets, 1, 1, true, true, 1, 1},
    {PlanOp::reduce_copy_packets, "recpkt", PlanKind::packets, 1, 2, true, false, 1, 1},
    {PlanOp::reduce_copy_send_packets, "recspkt", PlanKind::packets, 1, 2, true, true, 1, 1},
    {PlanOp::unpack_packets, "upkt", PlanKind::packets, 1, 1, false, false, 0, 1},
    {PlanOp::copy_packets, "cpkt", PlanKind::pack, 1, 1, false, false, 255, 0},
    {PlanOp::multi_reduce_store, "glres", PlanKind::transfer, 1, 1},
    {PlanOp::multi_store, "gstore", PlanKind::transfer, 1, 1},
    {PlanOp::multi_store_packets, "gstorepkt", PlanKind::packets, 1, 1, false, false, 0, 0},
    {PlanOp::semaphore_acquire, "sem_acquire"},
    {PlanOp::semaphore_release, "sem_release"},
    {PlanOp::pipeline, "pipeline"},
}};

/// The form of an operation.
const PlanForm& form(PlanOp op);
/// The form with that word; nullptr if there is none.
const PlanForm* find_plan_form(std::string_view word);

}  // namespace schedcc::program
