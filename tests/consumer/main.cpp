// Builds a broadcast, checks it and prints what each step does.

#include <iostream>

#include <schedcc/algorithm.hpp>
#include <schedcc/check.hpp>
#include <schedcc/machine.hpp>

int main() {
  const schedcc::Algorithm& circulant = schedcc::find_algorithm("circulant");
  const schedcc::Machine machine = schedcc::make_machine("duplex", 5);

  schedcc::Request request;
  request.problem = {.collective = schedcc::Collective::broadcast, .ranks = 5, .chunks = 2};
  request.machine = machine;
  const schedcc::Steps steps = circulant.steps(request);

  schedcc::Source source;
  source.name = "circulant";
  source.problem = request.problem;
  source.open = [steps] { return schedcc::stream(steps); };
  const schedcc::Report report = schedcc::check(source, machine);

  schedcc::Step step;
  for (const auto stream = source.open(); stream->next(step);) {
    for (const schedcc::Transfer& t : step.transfers) {
      std::cout << "step " << step.number << ": " << t.src << " sends chunk " << t.first << " to "
                << t.dst << '\n';
    }
  }
  std::cout << report.steps << " steps, " << name(report.verdict()) << '\n';
  return report.verdict() == schedcc::Verdict::holds ? 0 : 1;
}
