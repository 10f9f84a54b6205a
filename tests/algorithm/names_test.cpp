// The names of algorithms, machines, collectives and formats, and those that libraries have for
// algorithms.

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "algorithm/library_names.hpp"
#include "catch.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/format.hpp"
#include "schedcc/machine.hpp"
#include "schedcc/problem.hpp"

using namespace schedcc;

TEST_CASE("names of libraries are stated for existing algorithms only") {
  std::set<std::string_view> seen;
  for (const std::string_view name : algorithms_with_library_names()) {
    CHECK(find_algorithm(name).name == name);
    CHECK(seen.insert(name).second);
    CHECK_FALSE(library_names(name).empty());
  }
  CHECK(library_names("karp").empty());
  for (const LibraryNames& own : library_names("ring"))
    CHECK(std::ranges::find(libraries, own.library) != libraries.end());
}

TEST_CASE("every name is found, and near misses are suggested") {
  for (const Algorithm* a : algorithms()) CHECK(&find_algorithm(a->name) == a);
  for (const MachineInfo& m : machines()) CHECK_NOTHROW(check_machine(m.name));
  for (const Format* f : formats()) CHECK(&find_format(f->name) == f);
  for (const CollectiveInfo& c : collectives()) CHECK(find_collective(c.name) == c.collective);
  const auto message = [](auto find, const char* name) -> std::string {
    try {
      find(name);
    } catch (const InputError& error) {
      return error.what();
    }
    return "found";
  };
  CHECK(message(find_algorithm, "fractonal-tree") ==
        "unknown algorithm 'fractonal-tree'; did you mean 'fractional-tree'?");
  CHECK(message(check_machine, "duplx") == "unknown machine 'duplx'; did you mean 'duplex'?");
  CHECK(message(find_collective, "brodcast") ==
        "unknown collective 'brodcast'; did you mean 'broadcast'?");
  CHECK(message(find_collective, "zzzzzz") ==
        "unknown collective 'zzzzzz'; there are broadcast, scatter, gather, allgather, alltoall, "
        "reduce, allreduce, reduce-scatter, scan, exscan, barrier, custom");
  CHECK(message(find_algorithm, "zzzzzz") ==
        fmt::format("unknown algorithm 'zzzzzz'; there are {} (schedcc list algorithms)",
                    algorithms().size()));
  std::string all;
  for (const Format* f : formats()) all += (all.empty() ? "" : ", ") + std::string(f->name);
  CHECK(message(find_format, "zzzzzz") == "unknown format 'zzzzzz'; there are " + all);
}
