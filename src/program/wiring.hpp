#pragma once

// A program as one array of events, with the matching of sends and receives.
//
// Event e is an instruction; those of a threadblock follow one another. A connection is the
// sequence of messages from one GPU to another over one channel: its k-th send matches its k-th
// receive.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/findings.hpp"
#include "schedcc/program.hpp"

namespace schedcc::program {

using Event = std::uint32_t;

/// A threadblock among all of the program's.
struct Block {
  Rank gpu;
  std::uint32_t index;  ///< its id
  Event first;
  const Threadblock* block;
  std::uint32_t out = none, in = none;  ///< connections
  Event end() const { return first + static_cast<Event>(block->steps.size()); }
};

struct Connection {
  Rank src, dst;
  std::uint32_t channel;
  std::uint32_t sender = none, receiver = none;  ///< blocks
  std::vector<Event> sends, receives;
};

class Wiring {
 public:
  /// The program outlives the wiring, and its references are in range (the reader checks that). At
  /// most 2^32 - 2 events.
  explicit Wiring(const Program& program);

  const Program& program() const { return program_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<Connection>& connections() const { return connections_; }
  std::size_t events() const { return block_of_.size(); }

  /// The blocks of a GPU are first_block(gpu) .. first_block(gpu + 1) - 1.
  std::uint32_t first_block(Rank gpu) const { return first_block_[gpu]; }
  std::uint32_t block_of(Event e) const { return block_of_[e]; }
  const Block& owner(Event e) const { return blocks_[block_of_[e]]; }
  std::uint32_t step_of(Event e) const { return e - owner(e).first; }
  const Instruction& operator[](Event e) const { return owner(e).block->steps[step_of(e)]; }
  /// The event that must be done first; none.
  Event awaited_by(Event e) const;
  /// The receive of the event's message; the send that it receives from. Or none.
  Event receiver_of(Event e) const { return receiver_of_[e]; }
  Event sender_of(Event e) const { return sender_of_[e]; }

  /// Sends without receives, and vice versa; partners with different fields; connections with two
  /// threadblocks at one end. The source field of a receiver and the destination field of a sender
  /// are ignored: a runtime uses the sender's source and the receiver's destination.
  const std::vector<ProgramFinding>& mismatches() const { return mismatches_; }

  ProgramLocation location(Event e) const;
  /// The location of a block, by its number among all.
  ProgramLocation location_of(std::uint32_t block) const;
  /// "step 3 of threadblock 1 of GPU 0", with its line if it has one.
  std::string describe(Event e) const;

 private:
  void connect();
  /// Which end of a connection.
  enum class End : std::uint8_t { sender, receiver };
  void attach(std::uint32_t block, End at);
  void match(const Connection& connection);
  /// A mismatch: event `e`, at one end, has no partner at the other.
  void unmatched(const Connection& connection, Event e, End at);
  void compare(Event send, Event receive);
  void mismatch(const ProgramLocation& location, std::string message, std::string_view note = {},
                std::vector<ProgramLocation> others = {}) {
    mismatches_.push_back({"matching", location, std::move(message), note, std::move(others)});
  }

  const Program& program_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> first_block_, block_of_;
  std::vector<Connection> connections_;
  std::vector<Event> receiver_of_, sender_of_;
  std::vector<ProgramFinding> mismatches_;
};

}  // namespace schedcc::program
