#include "format/goal/order.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/core.h>

#include "schedcc/error.hpp"

namespace schedcc {

GoalOrder::GoalOrder(const GoalProgram& program, std::span<const std::uint32_t> partners,
                     const Machine& machine, const std::string& file)
    : program_(program),
      partners_(partners),
      file_(file),
      cycles_(machine.timing() != nullptr),
      delay_(machine.receive_delay()),
      dependencies_(program.dependencies),
      first_(program.operations.size() + 1, 0),
      places_(program.operations.size()) {
  if (!std::ranges::is_sorted(dependencies_, {}, &GoalProgram::Dependency::after))
    std::ranges::stable_sort(dependencies_, {}, &GoalProgram::Dependency::after);
  for (const auto& d : dependencies_) ++first_[std::size_t{d.after} + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  place_all();
}

void GoalOrder::fail(std::uint32_t i, const std::string& message) const {
  throw InputError({file_, program_.operations[i].line, 1}, message);
}

/// The order of an operation in its rank's program; see format/table.hpp.
std::pair<std::uint64_t, bool> GoalOrder::begin(std::uint32_t i) const {
  const bool receive = program_.operations[i].kind == GoalProgram::Kind::receive;
  const std::uint32_t send = receive ? partners_[i] : i;
  return {program_.operations[send].step + (receive ? delay_ : 0), receive != cycles_};
}

/// Throws InputError for operations that are not in the order of their steps.
void GoalOrder::place_all() {
  const auto groups = [&] { return static_cast<std::uint32_t>(sizes_.size()); };
  std::optional<std::uint32_t> last;
  for (std::uint32_t i = 0; i < program_.operations.size(); ++i) {
    const GoalProgram::Operation& o = program_.operations[i];
    if (o.kind == GoalProgram::Kind::calculate) continue;
    const bool new_rank = !last || program_.operations[*last].rank != o.rank;
    if (!new_rank && begin(i) < begin(*last)) {
      fail(i, fmt::format("operations of a rank must be in the order of their steps: one of step "
                          "{} follows one of step {}",
                          begin(i).first, begin(*last).first));
    }
    if (new_rank) first_group_.resize(std::size_t{o.rank} + 1, groups());
    if (new_rank || cycles_ || begin(i).first != begin(*last).first) sizes_.push_back(0);
    places_[i] = {groups() - 1, sizes_.back()++};
    last = i;
  }
  first_group_.resize(program_.ranks, groups());
}

GoalOrder::OperationGroup GoalOrder::ended_before(std::uint32_t i,
                                                  const std::vector<OperationGroup>& known) const {
  const auto waited_for = std::span(dependencies_).subspan(first_[i], first_[i + 1] - first_[i]);
  OperationGroup ended{first_group_[program_.operations[i].rank], 0};
  for (const auto& d : waited_for) ended = std::max(ended, known[d.before]);
  std::vector<std::uint32_t> members;
  for (const auto& d : waited_for) {
    const GoalProgram::Kind kind = program_.operations[d.before].kind;
    const bool end = !d.on_start || (cycles_ && kind == GoalProgram::Kind::send);
    if (end && kind != GoalProgram::Kind::calculate && places_[d.before].group == ended.group) {
      members.push_back(places_[d.before].member);
    }
  }
  std::ranges::sort(members);
  for (const std::uint32_t member : members) ended.member += member == ended.member ? 1 : 0;
  const bool all = ended.group < sizes_.size() && ended.member == sizes_[ended.group];
  return all ? OperationGroup{ended.group + 1, 0} : ended;
}

void GoalOrder::check() const {
  std::vector<OperationGroup> known(program_.operations.size());
  for (std::uint32_t i = 0; i < known.size(); ++i) {
    known[i] = ended_before(i, known);
    if (program_.operations[i].kind == GoalProgram::Kind::calculate ||
        known[i].group >= places_[i].group)
      continue;
    fail(i,
         "this operation does not require all operations of its rank's previous step, so the "
         "operations could be executed in another order than the comments state");
  }
}

}  // namespace schedcc
