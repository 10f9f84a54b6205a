// Source: ROCm/rccl, src/misc/msccl/msccl_parser.cc and msccl_lifecycle.cc (0cbce2a);
// microsoft/msccl, src/graph/topo.cc and src/init.cc.

#include "format/msccl/loader.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/core.h>

#include "core/printable.hpp"
#include "format/msccl/xml.hpp"

namespace schedcc {

namespace {

/// Attributes without which a loader does not take a file.
constexpr std::array<std::string_view, 9> rccl_needs{"nchunksperloop", "nchannels", "ngpus",
                                                     "proto",          "coll",      "minBytes",
                                                     "maxBytes",       "inplace",   "outofplace"};
constexpr std::array<std::string_view, 7> msccl_needs{
    "name", "nchunksperloop", "nchannels", "ngpus", "proto", "coll", "inplace"};

/// Words for collectives that a loader takes.
constexpr std::array<std::string_view, 8> rccl_words{"allreduce", "allgather",    "broadcast",
                                                     "reduce",    "alltoall",     "gather",
                                                     "scatter",   "reducescatter"};
constexpr std::array<std::string_view, 7> msccl_words{
    "allreduce", "allgather", "broadcast", "reduce", "alltoall", "reduce_scatter", "custom"};

/// The end of the sizes of microsoft/msccl if none is stated, excluded.
constexpr std::uint64_t msccl_end = std::uint64_t{1} << 27;

class HeadReader : public XmlHandler {
 public:
  HeadReader(std::string file, MscclLoader loader) : file_(std::move(file)), loader_(loader) {}

  void begin(const XmlElement& element) override {
    if (depth_++ == 0) algo(element);
  }

  void end(std::string_view) override { --depth_; }

  void unusual(const SourceLocation& location, std::string_view what) override {
    if (forms_++ > 0) return;
    refuse(location, fmt::format("its parser does not read {}", what));
  }

  void further(const SourceLocation&) override {}  // the loaders take the first program

  MscclHead take() { return std::move(head_); }

 private:
  void algo(const XmlElement& e) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const bool rccl = loader_ == MscclLoader::rccl;
    rccl ? require(e, rccl_needs) : require(e, msccl_needs);
    head_.collective = e.text("coll");
    const bool known = rccl ? std::ranges::find(rccl_words, head_.collective) != rccl_words.end()
                            : std::ranges::find(msccl_words, head_.collective) != msccl_words.end();
    if (!known) {
      refuse(e.location_of("coll"),
             fmt::format("unknown collective '{}'", printable(head_.collective)));
    }
    head_.protocol = e.text("proto");
    head_.ranks = static_cast<std::uint64_t>(e.number("ngpus", 1, most));
    head_.channels = static_cast<std::uint64_t>(e.number("nchannels", 0, most));
    head_.chunks_per_loop = static_cast<std::uint64_t>(e.number("nchunksperloop", 1, most));
    head_.in_place = e.number("inplace", 0, 1) == 1;
    head_.out_of_place = e.has("outofplace") ? e.number("outofplace", 0, 1) == 1 : !head_.in_place;
    sizes(e);
  }

  void sizes(const XmlElement& e) {
    constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
    head_.sizes = e.location_of("minBytes");
    if (e.has("minBytes"))
      head_.min_bytes = static_cast<std::uint64_t>(e.number("minBytes", 0, all));
    const std::uint64_t stated =
        e.has("maxBytes") ? static_cast<std::uint64_t>(e.number("maxBytes", 0, all)) : 0;
    if (loader_ == MscclLoader::rccl) {
      if (stated != 0) head_.max_bytes = stated;
      return;
    }
    const std::uint64_t end = e.has("maxBytes") ? stated : msccl_end;
    if (end > head_.min_bytes) {
      head_.max_bytes = end - 1;
      return;
    }
    head_.max_bytes = head_.min_bytes;
    refuse(e.location_of("maxBytes"),
           "the range of sizes is empty: 'maxBytes' is exclusive, and not above 'minBytes'");
  }

  template <typename Names>
  void require(const XmlElement& e, const Names& names) {
    for (const std::string_view name : names) {
      if (!e.has(name)) refuse(e.location(), fmt::format("<algo> needs the attribute '{}'", name));
    }
  }

  void refuse(const SourceLocation& at, const std::string& reason) {
    const std::string_view consequence =
        loader_ == MscclLoader::rccl ? "; one such file in the folder makes its initialization fail"
                                     : "";
    head_.findings.push_back(
        {Severity::error,
         "refused",
         {file_, at.line, at.column},
         fmt::format("{} does not load this file: {}{}", name(loader_), reason, consequence)});
  }

  std::string file_;
  MscclLoader loader_;
  MscclHead head_;
  std::size_t depth_ = 0, forms_ = 0;
};

}  // namespace

std::string_view name(MscclLoader loader) { return loader == MscclLoader::rccl ? "rccl" : "msccl"; }

MscclHead read_msccl_head(std::string_view text, const std::string& file, MscclLoader loader) {
  HeadReader reader(file, loader);
  read_xml(text, file, reader);
  return reader.take();
}

}  // namespace schedcc
