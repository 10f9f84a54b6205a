// The schedule as an algorithm of SCCL, in the JSON of msccl-tools; see format/sccl/reader.cpp
// for its terms. Chunks are addresses, and every contribution to one is a chunk of its own. Links
// are those of the machine `topology`, else those of the SCCL file that was read; of other
// schedules every pair of ranks has a link with the capacity of the largest message of a round.
// Idle steps are left out: SCCL's steps are numbered by their positions.

#include <vector>

#include <fmt/core.h>

#include "analysis/canonical.hpp"
#include "analysis/well_formed.hpp"
#include "core/join.hpp"
#include "format/compiled_text.hpp"
#include "format/entry.hpp"
#include "format/sccl/collective.hpp"
#include "format/sccl/limits.hpp"
#include "format/sccl/reader.hpp"
#include "format/sccl/topology.hpp"
#include "format/text.hpp"
#include "model/runs.hpp"
#include "schedcc/error.hpp"

namespace schedcc {

namespace {

using sccl::Rows;

class ScclWriter {
 public:
  ScclWriter(const Source& source, const Machine& machine, Output& out)
      : source_(source),
        machine_(machine),
        problem_(source.problem),
        totals_(sccl::count(source, machine)),
        pre_(sccl::starts(problem_)),
        post_(sccl::goals(problem_)),
        text_(out) {}

  void write() {
    text_.print("{{\"msccl_type\": \"algorithm\", \"name\": {},\n",
                quoted(source_.title.empty() ? source_.name : source_.title));
    text_.print(R"("instance": {{"msccl_type": "instance", "steps": {}, "extra_rounds": {}, )"
                R"("chunks": {}, "pipeline": null, "extra_memory": null, "allow_exchange": )"
                "false}},\n",
                totals_.steps, totals_.rounds - totals_.steps, parts());
    write_map("input_map", pre_);
    write_map("output_map", post_);
    write_steps();
    write_collective();
    write_topology();
    text_.put("}\n");
    text_.flush();
  }

 private:
  /// a, b, c: `item(i)` writes each.
  template <typename F>
  void list(std::uint64_t count, std::string_view comma, F item) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i > 0) text_.put(comma);
      item(i);
    }
  }

  void write_map(std::string_view name, const Rows& rows) {
    text_.print(R"("{}": {{)", name);
    const char* comma = "";
    for (Rank rank = 0; rank < rows.size(); ++rank) {
      if (rows[rank].empty()) continue;
      text_.print(R"({}"{}": [)", comma, rank);
      const char* inner = "";
      for (const Run& run : rows[rank]) {
        for (std::uint32_t i = 0; i < run.count; ++i) {
          print(text_, FMT_COMPILE("{}{}"), inner, run.first + i);
          inner = ", ";
        }
      }
      text_.put("]");
      comma = ", ";
    }
    text_.put("},\n");
  }

  void write_steps() {
    text_.put(R"("steps": [)");
    const auto stream = source_.open();
    std::string_view comma = "\n";
    for (Step step; stream->next(step);) {
      if (step.transfers.empty()) continue;
      text_.print(R"({}  {{"msccl_type": "step", "rounds": {}, "sends": [)", comma, step.rounds);
      comma = ",\n";
      const char* inner = "";
      for (const WrittenMessage& m : canonical(step)) {
        for (const Run& run : m.runs) {
          for (std::uint32_t i = 0; i < run.count; ++i) {
            print(text_, FMT_COMPILE("{}[{}, {}, {}]"), inner, run.first + i, m.src, m.dst);
            inner = ", ";
          }
        }
      }
      text_.put("]}");
    }
    text_.put("],\n");
  }

  void write_collective() {
    text_.print(R"json("collective": {{"msccl_type": "collective", "name": "{}(n={}{})", )json",
                sccl_name(problem_.collective), problem_.ranks,
                problem_.rooted() ? fmt::format(",root={}", problem_.root) : "");
    text_.print(R"("nodes": {}, "chunks": [)", problem_.ranks);
    std::string_view comma = "\n";
    for (const Run& run : sccl::all(pre_)) {
      for (std::uint32_t i = 0; i < run.count; ++i) {
        if ((run.first + i) % parts() == 0) write_chunks(run.first + i, comma);
      }
    }
    text_.print("], \"triggers\": {{}}, \"runtime_name\": \"{}\"}},\n",
                sccl_runtime_name(problem_.collective));
  }

  /// SCCL's collectives have one chunk a block; an instance divides it into as many parts.
  std::uint32_t parts() const { return problem_.declared() ? 1 : problem_.chunks; }

  /// The block that begins with `chunk`: one, or, if it is reduced, one for each contribution.
  void write_chunks(Chunk chunk, std::string_view& comma) {
    std::vector<Rank> holders, goals;
    for (Rank rank = 0; rank < problem_.ranks; ++rank) {
      if (contains(pre_[rank], chunk)) holders.push_back(rank);
      if (contains(post_[rank], chunk)) goals.push_back(rank);
    }
    const auto write = [&](std::span<const Rank> pre, std::span<const Rank> post) {
      text_.print(R"({}  {{"msccl_type": "chunk", "pre": [{}], "post": [{}], "addr": {}}})", comma,
                  join(pre, ", "), join(post, ", "), chunk / parts());
      comma = ",\n";
    };
    if (!problem_.reduced(chunk)) return write(holders, goals);
    const bool scan = problem_.collective == Collective::scan;
    for (const Rank& rank : holders) {  // in a scan all ranks are holders and goals
      write({&rank, 1}, std::span(goals).subspan(scan ? rank : 0));
    }
  }

  /// The topology of the file, unless a machine states another one.
  const ScclTopology* kept() const {
    return machine_.has_rounds() ? nullptr : source_.sccl_topology.get();
  }

  std::uint64_t bandwidth(std::uint64_t src, std::uint64_t dst) const {
    if (kept() != nullptr) return kept()->links[dst][src];
    if (!machine_.has_rounds()) return src == dst ? 0 : totals_.width;
    const auto link = machine_.network()->link(static_cast<Rank>(src), static_cast<Rank>(dst));
    return link ? link->capacity : 0;
  }

  void write_switches() {
    text_.put("[");
    const char* comma = "";
    if (kept() != nullptr) {
      for (const auto& [srcs, dsts, bandwidth, name] : kept()->switches) {
        text_.print("{}[[{}], [{}], {}, {}]", comma, join(srcs, ", "), join(dsts, ", "), bandwidth,
                    quoted(name));
        comma = ", ";
      }
    }
    text_.put("]");
  }

  void write_topology() {
    const std::string name =
        kept() != nullptr
            ? kept()->name
            : fmt::format("{}{}", machine_.has_rounds() ? "Network" : "Full", problem_.ranks);
    text_.print(R"("topology": {{"msccl_type": "topology", "name": {}, "switches": )",
                quoted(name));
    write_switches();
    text_.put(", \"links\": [\n");
    list(problem_.ranks, ",\n", [&](std::uint64_t dst) {
      text_.put("  [");
      list(problem_.ranks, ", ",
           [&](std::uint64_t src) { print(text_, FMT_COMPILE("{}"), bandwidth(src, dst)); });
      text_.put("]");
    });
    text_.put("]}");
  }

  const Source& source_;
  const Machine& machine_;
  const Problem& problem_;
  sccl::Totals totals_;
  Rows pre_, post_;
  Text text_;
};

void write_sccl(const Source& source, const EmitOptions& options, Output& out) {
  sccl::refuse(source, options);
  require_well_formed(source, "SCCL");
  ScclWriter(source, *options.machine, out).write();
}

}  // namespace

extern const FormatEntry sccl_format;
const FormatEntry sccl_format{
    .name = "sccl",
    .summary = "algorithms of SCCL, in the JSON of msccl-tools",
    .extensions = {".sccl.json", ".json"},
    .refuse = sccl::refuse,
    .write = write_sccl,
    .read = read_sccl,
    .recognises = is_sccl,
};

}  // namespace schedcc
