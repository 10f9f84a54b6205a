#include <cstdint>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "core/counted.hpp"
#include "core/join.hpp"
#include "format/html/tracks.hpp"
#include "format/limits.hpp"
#include "program/plan/forms.hpp"
#include "program/plan/links.hpp"
#include "program/plan/operands.hpp"
#include "schedcc/error.hpp"

namespace schedcc::html {

namespace {

using program::PlanKind;

/// Does it add what it reads?
bool adds(PlanOp op) {
  const program::PlanForm& form = program::form(op);
  return op == PlanOp::multi_reduce_store || form.kind == PlanKind::reduce ||
         (form.kind == PlanKind::packets && form.more_sources);
}

/// The texts of an operation.
class OperationText {
 public:
  OperationText(const PlanGpu& gpu, const PlanThreadblock& block, const PlanStep& step)
      : gpu_(gpu), block_(block), step_(step) {
    const PlanKind kind = program::form(step.op).kind;
    const bool pairs = kind == PlanKind::transfer || kind == PlanKind::pack;
    for (std::size_t i = 0; pairs && i < step.src.size(); ++i) {
      const auto [from, to] = program::executed_pair(step, i);
      sources_.push_back(from);
      destinations_.push_back(to);
    }
    if (!pairs) {
      sources_ = step.src;
      destinations_ = step.dst;
    }
  }

  /// "put i[0-3] > 1:o[0-3]".
  std::string brief() const {
    std::string result(name(step_.op));
    const std::string from = ranges(sources_, Wording::brief),
                      to = ranges(destinations_, Wording::brief);
    if (!from.empty()) result += " " + from;
    if (!to.empty()) result += " > " + to;
    return result;
  }

  std::string detail() const {
    std::vector<std::string> lines;
    const program::PlanForm& form = program::form(step_.op);
    if (!sources_.empty()) {
      lines.push_back(
          fmt::format("reads {}{}", ranges(sources_, Wording::full),
                      form.packed_source < sources_.size() ? packed(form.packed_source) : ""));
    }
    if (!destinations_.empty()) {
      lines.push_back(fmt::format(
          "writes {}{}", ranges(destinations_, Wording::full),
          form.packed_destination < destinations_.size() ? packed(form.packed_destination) : ""));
    }
    if (step_.parts > 1) lines.push_back(fmt::format("part {} of {}", step_.part, step_.parts));
    for (const std::uint32_t channel : step_.channels) {
      if (const std::string text = channel_text(channel); !text.empty()) lines.push_back(text);
    }
    if (step_.channels.empty() && step_.channel != PlanChannel::none)
      lines.push_back(fmt::format("{} channel", name(step_.channel)));
    for (const std::uint32_t semaphore : step_.semaphores)
      lines.push_back(fmt::format("semaphore {}", semaphore));
    if (step_.op == PlanOp::barrier) {
      lines.push_back(fmt::format("barrier {} of {}", step_.barrier,
                                  counted(step_.threadblocks, "threadblock")));
    }
    if (step_.op == PlanOp::pipeline) {
      lines.push_back(fmt::format("{} in slices of {} bytes: the {} behind it",
                                  counted(step_.chunks, "chunk"), step_.unit,
                                  counted(step_.body, "operation")));
    }
    return join(lines, "\n");
  }

 private:
  static std::string packed(std::size_t first) {
    return first == 0 ? " (packets)" : fmt::format(" (operand {} and later: packets)", first + 1);
  }

  /// Of memory of other GPUs: "1:o[0]" or "GPU 1 o[0]".
  enum class Wording : std::uint8_t { brief, full };

  std::string ranges(const std::vector<PlanRange>& all, Wording wording) const {
    std::vector<std::string> texts;
    texts.reserve(all.size());
    for (const PlanRange& range : all) texts.push_back(text(range, wording));
    return join(texts, ", ");
  }

  std::string text(const PlanRange& range, Wording wording) const {
    switch (range.where) {
      case PlanRange::Where::local:
        break;
      case PlanRange::Where::remote: {
        const bool port = step_.channel == PlanChannel::port;
        const auto& list = port ? block_.port_buffers : block_.memory_buffers;
        const PlanRemoteBuffer& remote = gpu_.remote[list[range.id]];
        return owner(std::to_string(remote.rank), wording) + chunks(remote.buffer, range);
      }
      case PlanRange::Where::multicast: {
        const PlanSwitchChannel& group = gpu_.multicast[block_.multicast[range.id]];
        return owner(join(group.ranks, "+"), wording) + chunks(group.buffer, range);
      }
    }
    return chunks(range.buffer, range);
  }

  static std::string owner(const std::string& gpus, Wording wording) {
    return wording == Wording::brief ? gpus + ":" : fmt::format("GPU {} ", gpus);
  }

  static std::string chunks(BufferKind buffer, const PlanRange& range) {
    return chunks_text(buffer, range.index, range.size);
  }

  std::string channel_text(std::uint32_t channel) const {
    const bool waits = step_.op == PlanOp::wait || step_.op == PlanOp::relaxed_wait;
    switch (step_.channel) {
      case PlanChannel::memory:
      case PlanChannel::port: {
        const bool port = step_.channel == PlanChannel::port;
        const std::uint32_t number = (port ? block_.port : block_.memory)[channel];
        return fmt::format("{} channel {} {} GPU {}", name(step_.channel), number,
                           waits ? "from" : "to", (port ? gpu_.port : gpu_.memory)[number]);
      }
      case PlanChannel::multicast:
        return fmt::format("switch channel {}", block_.multicast[channel]);
      case PlanChannel::none:
        break;
    }
    return "";
  }

  const PlanGpu& gpu_;
  const PlanThreadblock& block_;
  const PlanStep& step_;
  std::vector<PlanRange> sources_, destinations_;
};

class PlanTracks {
 public:
  explicit PlanTracks(const Plan& plan) : plan_(plan) { refuse(); }

  Tracks run() {
    const program::PlanLinks links = program::links_of(plan_);
    list_tracks(links);
    for (const program::PlanWait& wait : links.waits) {
      using Kind = TrackLink::Kind;
      const Kind kind = !wait.packets                 ? Kind::signal
                        : adds(operation(wait.to).op) ? Kind::added
                                                      : Kind::copied;
      tracks_.links.push_back({kind, end(wait.from), end(wait.to), wait.slot, 1});
    }
    for (const program::RemoteAccess& access : links.accesses) {
      const TrackLink::End memory{tracks_.first_track[access.gpu]};
      const bool added = !access.write && adds(operation(access.at).op);
      tracks_.links.push_back({added ? TrackLink::Kind::added : TrackLink::Kind::copied,
                               access.write ? end(access.at) : memory,
                               access.write ? memory : end(access.at), access.slot, access.chunks});
    }
    for (const auto& barrier : links.barriers) {
      auto& operations = tracks_.barriers.emplace_back();
      for (const program::OperationRef& at : barrier) operations.push_back(end(at).instruction);
    }
    if (tracks_.links.size() > most::page_transfers) {
      throw InputError(
          fmt::format("a page holds at most {} messages and waits, and the plan has {}",
                      most::page_transfers, tracks_.links.size()));
    }
    return std::move(tracks_);
  }

 private:
  void refuse() const {
    std::uint64_t operations = 0;
    for (const PlanGpu& gpu : plan_.gpus) {
      for (const PlanThreadblock& block : gpu.blocks) operations += block.steps.size();
    }
    if (operations <= most::page_transfers) return;
    throw InputError(fmt::format("a page holds at most {} operations, and the plan has {}",
                                 most::page_transfers, operations));
  }

  /// The memory of a GPU has a track if others access it.
  void list_tracks(const program::PlanLinks& links) {
    std::vector<bool> accessed(plan_.gpus.size());
    for (const program::RemoteAccess& access : links.accesses) accessed[access.gpu] = true;
    for (Rank gpu = 0; gpu < plan_.gpus.size(); ++gpu) {
      const auto first = [&] { return static_cast<std::uint32_t>(tracks_.instructions.size()); };
      tracks_.first_track.push_back(static_cast<std::uint32_t>(tracks_.tracks.size()));
      if (accessed[gpu]) tracks_.tracks.push_back({gpu, program::none, first()});
      const auto& blocks = plan_.gpus[gpu].blocks;
      for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        const auto track = static_cast<std::uint32_t>(tracks_.tracks.size());
        tracks_.tracks.push_back({gpu, b, first()});
        blocks_.push_back({&blocks[b], track});
        for (const PlanStep& step : blocks[b].steps) {
          const OperationText text(plan_.gpus[gpu], blocks[b], step);
          tracks_.instructions.push_back({track, text.brief(), text.detail(), step.line});
        }
      }
    }
    tracks_.first_track.push_back(static_cast<std::uint32_t>(tracks_.tracks.size()));
  }

  const PlanStep& operation(const program::OperationRef& at) const {
    return blocks_[at.block].block->steps[at.step];
  }
  TrackLink::End end(const program::OperationRef& at) const {
    const std::uint32_t track = blocks_[at.block].track;
    return {track, tracks_.tracks[track].first + at.step};
  }

  struct BlockTrack {
    const PlanThreadblock* block;
    std::uint32_t track;
  };

  const Plan& plan_;
  Tracks tracks_{.noun = "operation"};
  std::vector<BlockTrack> blocks_;  ///< by number among those of the plan, as in its trace
};

}  // namespace

Tracks tracks_of(const Plan& plan) { return PlanTracks(plan).run(); }

}  // namespace schedcc::html
