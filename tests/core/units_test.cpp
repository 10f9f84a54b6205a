// Units: the notations of sizes, times and bandwidths.

#include "catch.hpp"

#include <map>
#include <string>

#include "costs.hpp"
#include "schedcc/units.hpp"

using namespace costs;

TEST_CASE("all notations of sizes are read") {
  const std::map<std::string, std::uint64_t> good{{"0", 0},
                                                  {"1", 1},
                                                  {"4096", 4096},
                                                  {"4096B", 4096},
                                                  {"4KiB", 4096},
                                                  {"4 KiB", 4096},
                                                  {"4kB", 4000},
                                                  {"4KB", 4000},
                                                  {"1.5MB", 1500000},
                                                  {"0.5KiB", 512},
                                                  {"2^20", 1048576},
                                                  {"2^20B", 1048576},
                                                  {"64k", 64000},
                                                  {"1Mi", 1048576},
                                                  {"8kbit", 1000},
                                                  {"1e6", 1000000},
                                                  {"1.5e3KiB", 1536000},
                                                  {"2e+3", 2000},
                                                  {"3PB", 3000000000000000},
                                                  {"4EiB", 4611686018427387904},
                                                  {"16GiB", 17179869184},
                                                  {"1TB", 1000000000000},
                                                  {"3bytes", 3},
                                                  {"9223372036854775807", 9223372036854775807u}};
  for (const auto& [text, bytes] : good) {
    INFO(text);
    CHECK(parse_bytes(text, "--bytes") == bytes);
  }
  for (const char* text : {"",
                           "B",
                           "-1",
                           "-4KiB",
                           "1.5B",
                           "1.5",
                           "4XB",
                           "4 K i B",
                           "inf",
                           "nan",
                           "0x10",
                           "3bit",
                           "64Kib",
                           "8b",
                           "1e",
                           "1e-1",
                           "1e19",
                           "8EiB",
                           "9223372036854775808",
                           "16777216TiB",
                           "99999999999999999999999",
                           "1..2MB",
                           "2^63",
                           "2^",
                           "4us",
                           "4KiB "}) {
    INFO(text);
    CHECK_THROWS_AS(parse_bytes(text, "--bytes"), InputError);
  }
}

TEST_CASE("all notations of times and bandwidths are read") {
  const std::map<std::string, double> times{
      {"10us", 1e-5}, {"10 us", 1e-5},    {"1.5ms", 1.5e-3},  {"2s", 2}, {"300ns", 3e-7},
      {"5ps", 5e-12}, {"7\u00b5s", 7e-6}, {"7\u03bcs", 7e-6}, {"0", 0},  {"1e-3s", 1e-3}};
  for (const auto& [text, seconds] : times) {
    INFO(text);
    CHECK(close(parse_time(text, "--alpha"), seconds));
  }
  for (const char* text :
       {"", "10", "us", "-1us", "1e999s", "10B", "10 u s", "inf", "nans", "0.5"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_time(text, "--alpha"), InputError);
  }
  const std::map<std::string, double> gaps{{"0.1ns/B", 1e-10}, {"1s/MiB", 1.0 / 1048576},
                                           {"10GB/s", 1e-10},  {"100Gbit/s", 8e-11},
                                           {"100Gbps", 8e-11}, {"1GiB/s", 1.0 / 1073741824},
                                           {"10MB/ms", 1e-10}, {"8ns/bit", 64e-9},
                                           {"1s/B", 1},        {"0", 0},
                                           {"0ns/B", 0},       {"10GBps", 1e-10}};
  for (const auto& [text, seconds] : gaps) {
    INFO(text);
    CHECK(close(parse_gap(text, "--beta"), seconds));
  }
  for (const char* text : {"", "0.1", "0.1ns", "-1ns/B", "10GB", "B/s", "0GB/s", "1ns/s", "1B/B",
                           "1ns/B/s", "ps", "5ps"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_gap(text, "--beta"), InputError);
  }
  CHECK_THROWS_WITH(
      parse_time("10", "--alpha"),
      "--alpha: '10' has no unit; a time has a unit: ps, ns, us, ms or s, as in 1.5us");
}

TEST_CASE("times and sizes are written with four digits and a unit") {
  CHECK(format_time(0) == "0 s");
  CHECK(format_time(1.23456e-3) == "1.235 ms");
  CHECK(format_time(0.9999999e-3) == "1.000 ms");
  CHECK(format_time(12.3456e-6) == "12.35 us");
  CHECK(format_time(999.96e-6) == "1.000 ms");
  CHECK(format_time(439.27e-3) == "439.3 ms");
  CHECK(format_time(54321.6) == "54322 s");
  CHECK(format_time(1e9) == "1.000e+09 s");
  CHECK(format_time(2e-13) == "0.200 ps");
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(1000) == "1 kB");
  CHECK(format_bytes(1024000) == "1000 KiB");
  CHECK(format_bytes(1010) == "1010 B");
  CHECK(format_bytes(std::uint64_t{1} << 60) == "1 EiB");
  CHECK(format_bytes(4194304) == "4 MiB");
  CHECK(format_bytes(4194305) == "4194305 B");
}
