#include "mpirun/calibrate.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "cli/output.hpp"
#include "core/counted.hpp"
#include "cost/calibration.hpp"
#include "mpirun/measure.hpp"
#include "schedcc/error.hpp"
#include "schedcc/version.hpp"

namespace schedcc {

namespace {

struct Options {
  std::string output = "-";
  std::uint32_t ranks_per_node = 0, ports = 0;
};

Options options_of(const mpi::Arguments& arguments) {
  constexpr std::array<std::string_view, 6> own{"--calibrate", "--output",      "--ranks-per-node",
                                                "--ports",     "--repetitions", "--limit"};
  if (!arguments.rest.empty()) {
    throw mpi::UsageError(fmt::format("--calibrate measures the machine, and takes no SOURCE: '{}'",
                                      arguments.rest.front()));
  }
  for (const std::string& option : arguments.given) {
    if (std::ranges::find(own, option) == own.end())
      throw mpi::UsageError(fmt::format("{} does not apply to --calibrate", option));
  }
  if (arguments.repetitions < fewest_repetitions) {
    throw mpi::UsageError(
        fmt::format("--repetitions must be at least {} with --calibrate", fewest_repetitions));
  }
  Options result;
  for (const auto& [option, value] : arguments.others) {
    if (option == "--output") result.output = value;
    const auto number = [&, &option = option, &value = value](std::uint32_t& target) {
      target = static_cast<std::uint32_t>(mpi::parse_number(option, value, 1000000));
      if (target == 0) throw mpi::UsageError(fmt::format("{} must be at least 1", option));
    };
    if (option == "--ranks-per-node") number(result.ranks_per_node);
    if (option == "--ports") number(result.ports);
  }
  return result;
}

/// What only rank 0 does; an error is that of all processes.
void at_rank_0(const std::function<void()>& work) {
  int rank = 0;
  mpi::check(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  std::string error;
  if (rank == 0) {
    try {
      work();
    } catch (const InputError& e) {
      error = e.what();
    } catch (const cli::OutputError& e) {
      error = e.what();
    }
  }
  auto size = static_cast<std::uint64_t>(error.size());
  mpi::check(MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
  if (size != 0) throw mpi::UsageError(error);  // printed by rank 0
}

std::string library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> text{};
  int length = 0;
  mpi::check(MPI_Get_library_version(text.data(), &length));
  const std::string_view all(text.data());
  std::string name(all.substr(0, all.find_first_of(",\n")));
  std::ranges::replace(name, '\t', ' ');  // of MPICH
  return name;
}

std::string origin(const NodeShape& shape, std::uint64_t repetitions) {
  return fmt::format(
      "Measured by schedcc-mpirun {} --calibrate over {}: {} of {}, at most {} of each size",
      SCHEDCC_VERSION, library(), counted(shape.nodes, "node"),
      counted(shape.ranks_per_node, "rank"), counted(repetitions, "repetition"));
}

}  // namespace

void calibrate(const mpi::Arguments& arguments) {
  const Options options = options_of(arguments);
  const NodeShape shape = find_nodes(options.ranks_per_node);
  at_rank_0([&] {
    std::error_code ignored;  // a pipe would end here for its reader
    if (!std::filesystem::is_fifo(options.output, ignored))
      const cli::FileOutput can_be_written(options.output);
  });
  const std::vector<LevelSamples> samples = measure(shape, arguments.repetitions);
  at_rank_0([&] {
    Calibration result{shape, {}, options.ports, origin(shape, arguments.repetitions)};
    if (result.ports == 0) result.ports = std::min(shape.nodes * shape.ranks_per_node - 1, 4U);
    for (const LevelSamples& level : samples) result.levels.push_back(fit(level));
    cli::FileOutput file(options.output);
    file.write(machine_file(result));
    file.commit();
    const bool named = !cli::is_standard_output(options.output);
    const std::string text = fmt::format(
        "{}\n{}{}", result.origin, to_text(result),
        named ? fmt::format("  for 'schedcc tune': --machine topology:{}\n", options.output) : "");
    std::fputs(text.c_str(), named ? stdout : stderr);
    std::fflush(stdout);
  });
}

}  // namespace schedcc
