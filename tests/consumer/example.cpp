#include <iostream>

#include <schedcc/schedcc.hpp>

int main() {
  const auto source = schedcc::from_algorithm("circulant", {.ranks = 5, .chunks = 2}, "duplex");
  schedcc::Step step;
  for (const auto stream = source.open(); stream->next(step);) {
    for (const schedcc::Transfer& t : step.transfers)
      std::cout << step.number << ": " << t.src << " sends " << t.first << " to " << t.dst << '\n';
  }
  const auto report = schedcc::check(source, schedcc::named_machine(source));
  std::cout << to_text(report);
  return report.verdict() == schedcc::Verdict::holds ? 0 : 1;
}
