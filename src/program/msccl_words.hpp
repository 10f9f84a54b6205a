#pragma once

// The words of MSCCL XML and their meaning, for the reader and the writer.

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "schedcc/program.hpp"

namespace schedcc {

template <typename T>
struct Word {
  std::string_view word;
  T means;
};

inline constexpr std::array<Word<BufferKind>, 3> buffer_words{{
    {"i", BufferKind::input},
    {"o", BufferKind::output},
    {"s", BufferKind::scratch},
}};

inline constexpr std::array<Word<Op>, 9> op_words{{
    {"s", Op::send},
    {"r", Op::recv},
    {"rcs", Op::recv_copy_send},
    {"rrs", Op::recv_reduce_send},
    {"rrc", Op::recv_reduce_copy},
    {"rrcs", Op::recv_reduce_copy_send},
    {"cpy", Op::copy},
    {"re", Op::reduce},
    {"nop", Op::nop},
}};

/// A collective, and the dialect that alone has the word for it; none: both have it.
struct MscclCollective {
  Collective collective;
  std::optional<MscclDialect> dialect = std::nullopt;
};
inline constexpr std::array<Word<MscclCollective>, 10> collective_words{{
    {"allreduce", {Collective::allreduce}},
    {"allgather", {Collective::allgather}},
    {"broadcast", {Collective::broadcast}},
    {"reduce", {Collective::reduce}},
    {"alltoall", {Collective::alltoall}},
    {"reduce_scatter", {Collective::reduce_scatter, MscclDialect::msccl}},
    {"custom", {Collective::custom, MscclDialect::msccl}},
    {"reducescatter", {Collective::reduce_scatter, MscclDialect::azure}},
    {"gather", {Collective::gather, MscclDialect::azure}},
    {"scatter", {Collective::scatter, MscclDialect::azure}},
}};

/// The protocols of NCCL; their names are the words.
inline constexpr std::array<Word<std::string_view>, 3> protocol_words{{
    {"Simple", "Simple"},
    {"LL", "LL"},
    {"LL128", "LL128"},
}};

/// The word for `value`, which has one.
template <typename Words, typename T>
constexpr std::string_view word_for(const Words& words, T value) {
  return std::ranges::find(words, value, [](const auto& w) { return w.means; })->word;
}

}  // namespace schedcc
