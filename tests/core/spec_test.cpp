// Specifications, NAME:key=value,...: writing and reading preserve them.

#include "catch.hpp"

#include <string>
#include <vector>

#include "schedcc/spec.hpp"

using namespace schedcc;

namespace {

/// Every byte but NUL, which no path has, before, between and behind others.
std::vector<std::string> unusual_values() {
  std::vector<std::string> result{"%", "%2", "%20", "%%20", "a%", "a=b=c", "2^20", "8x8"};
  for (int byte = 1; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    for (const std::string& value : {one, "a" + one, one + "20", "a" + one + "b"}) {
      result.push_back(value);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("spec: a value of any bytes is read back from what is written, which is one token") {
  for (const std::string& value : unusual_values()) {
    const std::vector<Spec> specs{{"name", {{"", {value}}}},
                                  {"name", {{"key", {value}}}},
                                  {"name", {{"key", {"1", value}}, {"other", {value, value}}}}};
    for (const Spec& spec : specs) {
      const std::string text = spec.text();
      INFO(text);
      CHECK(text.find_first_of(" \t\r\n#") == std::string::npos);
      CHECK(Spec::parse(text).items == spec.items);
      CHECK(Spec::parse(text).text() == text);
    }
  }
}

TEST_CASE("spec: what needs no escapes is written as it was read") {
  for (const char* text : {"ring", "mesh:8x16", "fattree:cap=1,2,4", "summa:broadcast=chain:k=3",
                           "topology:nets/pair-1_2.json", "karp:L=6,o=2,g=4"}) {
    CHECK(Spec::parse(text).text() == text);
  }
}
