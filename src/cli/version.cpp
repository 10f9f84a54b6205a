// schedcc --version. CMake defines the versions of the compiler and of the libraries.

#include "cli/version.hpp"

#include <string_view>

#include <fmt/core.h>

#include "cost/simulation.hpp"
#include "format/html/page_files.hpp"
#include "format/picture/graphviz.hpp"
#include "prove/sat/solve/solver.hpp"
#include "schedcc/version.hpp"

namespace schedcc::cli {

std::string version() {
  std::string solvers;
  for (const prover::SolverEntry* solver : prover::solvers()) {
    solvers += fmt::format("{}{} {}", solvers.empty() ? "" : ", ", solver->name, solver->version());
  }
  return fmt::format(
      "schedcc {}\n"
      "compiler: {}, {}\n"
      "libraries: fmt {}, Expat {}, nlohmann-json {}\n"
      "solvers: {}\n"
      "pages: {}\n"
      "Graphviz: {}\n"
      "SimGrid: {}\n"
      "MPI: {}\n"
      "Python: {}\n",
      SCHEDCC_VERSION, SCHEDCC_COMPILER, SCHEDCC_BUILD, SCHEDCC_FMT, SCHEDCC_EXPAT, SCHEDCC_JSON,
      solvers.empty() ? "none, so that prove is not available" : solvers,
      html::has_d3() ? "drawn with D3" : "not available (built without D3)",
      has_graphviz() ? "found, draws pictures" : "dot not found, without pictures (svg, png, pdf)",
      simgrid_version().empty() ? "not found, without the cost model simgrid" : simgrid_version(),
      SCHEDCC_MPI != 0 ? "found, schedcc-mpirun is built" : "not found, without schedcc-mpirun",
      std::string_view(SCHEDCC_PYTHON).empty()
          ? "the module was not built"
          : fmt::format("the module was built, for Python {}", SCHEDCC_PYTHON));
}

}  // namespace schedcc::cli
