// Aliases of collectives and algorithms. (Those of options are in tests/cli/help.py.)

#include "model/aliases.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "schedcc/algorithm.hpp"
#include "schedcc/error.hpp"
#include "schedcc/problem.hpp"

using namespace schedcc;

TEST_CASE("an alias is not a name of its list, and stands for one name") {
  std::set<std::string_view> seen;
  for (const CollectiveInfo& c : collectives()) {
    CHECK(without_alias(AliasKind::collective, c.name) == c.name);
    CHECK(collective_of_user(c.name) == c.collective);
    for (const std::string_view alias : aliases_of(AliasKind::collective, c.name)) {
      INFO(alias);
      CHECK(seen.insert(alias).second);
      CHECK(collective_of_user(alias) == c.collective);
      CHECK_THROWS_AS(find_collective(alias), InputError);  // files have the names of the list
    }
  }
  CHECK(seen.contains("bcast"));
  CHECK_THROWS_WITH(collective_of_user("bcastt"),
                    "unknown collective 'bcastt'; did you mean 'bcast'?");
  CHECK_THROWS_WITH(collective_of_user("brodcast"),
                    "unknown collective 'brodcast'; did you mean 'broadcast'?");
  seen.clear();
  for (const Algorithm* a : algorithms()) {
    CHECK(without_alias(AliasKind::algorithm, a->name) == a->name);
    for (const std::string_view alias : aliases_of(AliasKind::algorithm, a->name)) {
      INFO(alias);
      CHECK(seen.insert(alias).second);
      CHECK(algorithm_spec(alias).name == a->name);
      const std::string sequence(std::string(alias) + " as reduce then  " + std::string(alias));
      CHECK(algorithm_spec(sequence).name ==
            std::string(a->name) + " as reduce then " + std::string(a->name));
    }
  }
  CHECK(seen.contains("tree"));
}

TEST_CASE("a collective is refused where an algorithm is expected, with all that serve it") {
  for (const CollectiveInfo& c : collectives()) {
    std::string message;
    try {
      find_algorithm(c.name);
    } catch (const InputError& error) {
      message = error.what();
    }
    INFO(message);
    for (const Algorithm* a : algorithms()) {
      const std::string text = message + ",";
      const bool listed = text.find(" " + std::string(a->name) + ",") != std::string::npos;
      CHECK(listed == a->serves(c.collective));
    }
  }
  CHECK(find_algorithm("total-exchange").name == "total-exchange");  // also an alias of alltoall
}
