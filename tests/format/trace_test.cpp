// Timelines conform to the Trace Event Format as far as its viewers require: required fields,
// numeric values, nested slices, arrows with exactly two ends, named tracks. Tested for every
// algorithm.

#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "formats.hpp"

using namespace schedcc;
using nlohmann::json;

namespace {

struct Slice {
  std::uint64_t start, end;
};

/// Inner slices come behind outer ones in the file where both begin at once.
bool nested(std::vector<Slice> slices) {
  std::ranges::stable_sort(slices, {}, &Slice::start);
  std::vector<std::uint64_t> open;  // the ends of those that are
  for (const Slice& slice : slices) {
    while (!open.empty() && open.back() <= slice.start) open.pop_back();
    if (!open.empty() && open.back() < slice.end) return false;
    open.push_back(slice.end);
  }
  return true;
}

/// What is wrong with a timeline; nothing if it is right.
std::string fault(const std::string& text) {
  const json trace = json::parse(text);
  if (trace["displayTimeUnit"] != "ns" && trace["displayTimeUnit"] != "ms") return "time unit";
  std::set<std::uint64_t> named, sorted, used;
  std::map<std::uint64_t, std::vector<Slice>> tracks;
  std::map<std::string, std::vector<std::pair<bool, std::uint64_t>>> arrows;  // out?, time
  for (const json& event : trace["traceEvents"]) {
    if (!event["name"].is_string() || !event["pid"].is_number_unsigned()) return "name or pid";
    if (event["ph"] == "M") {
      if (event["name"] == "process_name") continue;
      const bool name = event["name"] == "thread_name";
      if (!name && event["name"] != "thread_sort_index") return "unknown metadata";
      if (name ? !event["args"]["name"].is_string()
               : !event["args"]["sort_index"].is_number_integer()) {
        return "argument of metadata";
      }
      if (!(name ? named : sorted).insert(event["tid"].get<std::uint64_t>()).second) {
        return "a track has two names";
      }
      continue;
    }
    if (event["ph"] != "X") return "unknown phase";
    for (const char* key : {"tid", "ts", "dur"}) {
      if (!event[key].is_number_unsigned()) return std::string("no number: ") + key;
    }
    if (!event["cat"].is_string() || !event["args"].is_object()) return "category or arguments";
    const std::uint64_t start = event["ts"], length = event["dur"];
    used.insert(event["tid"].get<std::uint64_t>());
    if (length == 0) return "a slice without length";
    tracks[event["tid"]].push_back({start, start + length});
    if (event.contains("flow_out") == event.contains("flow_in")) return "no end of an arrow";
    arrows[event["bind_id"]].emplace_back(event.contains("flow_out"), start);
  }
  for (const auto& [id, ends] : arrows) {
    if (id.substr(0, 2) != "0x" || id.find_first_not_of("0123456789abcdef", 2) != id.npos) {
      return "an arrow's number is " + id;
    }
    // Viewers open an arrow at its first end.
    if (ends.size() != 2 || !ends[0].first || ends[1].first) return "an arrow without two ends";
    if (ends[0].second > ends[1].second) return "an arrow that goes backwards";
  }
  for (const std::uint64_t track : used) {
    if (!named.contains(track) || !sorted.contains(track)) return "a track without a name";
  }
  for (const auto& [track, slices] : tracks) {
    if (!nested(slices)) return "slices overlap on track " + std::to_string(track);
  }
  return {};
}

}  // namespace

TEST_CASE("every algorithm's timeline is one that viewers take") {
  std::size_t schedules = 0;
  formats::each_source([&](const Source& source) {
    INFO(source.name << ": " << describe(source.problem) << " on " << source.machine);
    CHECK(fault(formats::written(source, "trace")).empty());
    ++schedules;
  });
  CHECK(schedules > 150);
}

TEST_CASE("faults of timelines are seen") {
  const std::string good = formats::written(
      formats::read("schedcc 1\ncollective broadcast\nranks 3\nroot 0\nchunks 2\nstep 0 rounds 4\n"
                    "0 -> 1 : 0-1\nstep 2\n1 -> 2 : 0-1\n",
                    "sched"),
      "trace");
  REQUIRE(fault(good).empty());
  const auto changed = [&](const std::string& from, const std::string& to) {
    return fault(formats::replaced(good, from, to));
  };
  CHECK(changed("\"tid\": 0, \"ts\"", "\"tid\": \"0\", \"ts\"") == "no number: tid");
  CHECK(changed("\"bind_id\": \"0x1\"", "\"bind_id\": \"0x2\"") == "an arrow without two ends");
  CHECK(changed("\"ph\": \"X\"", "\"ph\": \"Y\"") == "unknown phase");
  CHECK(changed("\"thread_name\", \"pid\": 0, \"tid\": 2",
                "\"thread_name\", \"pid\": 0, \"tid\": 1") == "a track has two names");
  CHECK(changed("\"ts\": 5, \"dur\": 1", "\"ts\": 3, \"dur\": 3") == "slices overlap on track 1");
}
