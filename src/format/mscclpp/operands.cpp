#include "format/mscclpp/operands.hpp"

#include <array>
#include <string_view>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

/// Operands must be local, remote or multicast as the operation requires.
template <typename Fail>
void check_operand_kinds(const PlanStep& step, const program::PlanForm& form, const Fail& fail) {
  using Where = PlanRange::Where;
  const auto expect = [&](const PlanRange& range, Where where) {
    static constexpr std::array<std::string_view, 3> fields{"type", "buffer_id",
                                                            "switch_channel_id"};
    if (range.where == where) return;
    fail(fmt::format("an operand of '{}' must have '{}', not '{}'", form.word,
                     fields[static_cast<std::size_t>(where)],
                     fields[static_cast<std::size_t>(range.where)]));
  };
  const PlanOp op = form.op;
  const bool reads = op == PlanOp::get;
  const bool puts = op == PlanOp::put || op == PlanOp::put_signal ||
                    op == PlanOp::put_signal_flush || op == PlanOp::put_packets ||
                    op == PlanOp::read_put_packets;
  const bool remote_sources = op == PlanOp::read_reduce || op == PlanOp::read_reduce_send;
  const bool switched = op == PlanOp::multi_reduce_store || op == PlanOp::multi_store ||
                        op == PlanOp::multi_store_packets;
  for (std::size_t i = 0; i < step.src.size(); ++i) {
    const bool far = reads || (remote_sources && i > 0);
    expect(step.src[i], op == PlanOp::multi_reduce_store ? Where::multicast
                        : far                            ? Where::remote
                                                         : Where::local);
  }
  const std::size_t own = op == PlanOp::reduce_copy_send_packets ? 2 : form.destinations;
  for (std::size_t i = 0; i < step.dst.size(); ++i) {
    expect(step.dst[i], switched                                                 ? Where::multicast
                        : puts || (form.more_destinations && i >= own && !reads) ? Where::remote
                                                                                 : Where::local);
  }
}

}  // namespace

void check_operands(const PlanStep& step, const program::PlanForm& form, const std::string& file) {
  const auto fail = [&](const std::string& message) {
    throw InputError({file, step.line, step.column}, message);
  };
  const std::size_t sources = step.src.size(), destinations = step.dst.size();
  const auto fits = [](std::size_t n, std::uint8_t least, bool more) {
    return more ? n >= least : n == least;
  };
  if (form.kind == program::PlanKind::sync) {
    if (sources + destinations > 0) fail(fmt::format("'{}' has no operands", form.word));
  } else if (!fits(sources, form.sources, form.more_sources) ||
             !fits(destinations, form.destinations, form.more_destinations)) {
    fail(fmt::format("'{}' does not have {} and {}", form.word, counted(sources, "source"),
                     counted(destinations, "destination")));
  }
  const bool pairs =
      form.kind == program::PlanKind::transfer || form.kind == program::PlanKind::pack;
  if (pairs && sources != destinations) {
    fail(fmt::format("'{}' has {} and {}", form.word, counted(sources, "source"),
                     counted(destinations, "destination")));
  }
  check_operand_kinds(step, form, fail);
}

}  // namespace schedcc
