#pragma once

// Executes a rank's part of a table, any number of times, over fixed memory.
//
// Chunks are sent and received in place; only chunks that are combined, or that would overwrite a
// send under way, arrive in a separate buffer. A message of several runs is described by a
// datatype, not packed.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schedcc/mpi/ordered.hpp"
#include "schedcc/mpi/part.hpp"
#include "schedcc/mpi/shapes.hpp"

namespace schedcc::mpi {

class Executor {
 public:
  /// Collective over the ranks of `comm`, as many as the table has; all pass the same table and the
  /// same cut. An operation that is not commutative needs a table that keeps the order of the
  /// ranks. `memory` has a place for each chunk, contiguous and in order; nullptr: the executor has
  /// its own, with places for the chunks that the rank touches. Throws Error; TableError, before
  /// any message is sent, as part_of does.
  Executor(const Table& table, MPI_Comm comm, Cut cut, Payload payload, ExecutionMode mode = {},
           void* memory = nullptr)
      : Executor(ErrorsReturn(), table, comm, cut, payload, mode, memory) {}

  /// The address of the chunk, before and after `run`. Throws Error if this rank never has it.
  void* at(std::uint32_t chunk) { return memory_ + element_.distance(layout_.place(chunk)); }

  /// Executes the table once, from the rank's start to its end state. An Error leaves messages
  /// under way: the program can only end.
  void run() {
    const ErrorsReturn errors_return;
    restart(send_);
    restart(receive_);
    if (ordered_) ordered_->reset();
    for (;;) {
      while (finish() || start(receive_, send_) || start(send_, receive_)) {
      }
      if (send_.under_way + receive_.under_way == 0) break;
      wait();
    }
    if (send_.done < messages_.sends.size() || receive_.done < messages_.receives.size()) {
      throw Error("the operations of the table wait for one another");
    }
  }

  /// The executor's own memory; empty if the caller gave it another one.
  Buffer& memory() { return own_; }
  const Layout& layout() const { return layout_; }
  const RankMessages& messages() const { return messages_; }
  const Element& element() const { return element_; }
  const Communicator& communicator() const { return comm_; }
  /// A receive that this rank waits for at the moment, or else a send; nullptr if none. `sends`
  /// says which. Safe in a signal handler.
  const Message* awaited(bool& sends) const {
    const Message* result = nullptr;
    for (const PendingMessage& pending : pending_) {
      if (pending.side == nullptr || (result != nullptr && pending.side == &send_)) continue;
      result = &(*pending.side->messages)[pending.message];
      sends = pending.side == &send_;
    }
    return result;
  }

 private:
  /// The sends, or the receives, of an execution.
  struct Side {
    const std::vector<Message>* messages = nullptr;
    std::vector<Shapes::Shape> shapes;
    std::vector<bool> ended;  ///< sent, or arrived
    std::uint64_t limit = 0;  ///< of messages under way
    std::uint64_t under_way = 0, started = 0;
    std::uint64_t done = 0;  ///< the first that many are done; of receives: in their places
  };
  /// A message under way.
  struct PendingMessage {
    Side* side = nullptr;
    std::uint64_t message = 0;
  };

  Executor(const ErrorsReturn&, const Table& table, MPI_Comm comm, Cut cut, Payload payload,
           ExecutionMode mode, void* memory)
      : comm_(comm),
        element_(payload.type),
        op_(payload.op),
        part_(part_of(table, comm_, cut, element_, op_, mode.pace, memory != nullptr)),
        layout_(part_.layout),
        messages_(part_.messages),
        synchronous_(mode.synchronous),
        shapes_(element_),
        own_(element_, memory != nullptr ? 0 : layout_.elements()),
        memory_(memory != nullptr ? static_cast<std::byte*>(memory) : own_.start()) {
    if (part_.ordered) {
      intervals_ = arriving_intervals(messages_, layout_, comm_);
      ordered_.emplace(element_, op_, layout_.kept(), comm_);
    }
    const Ports& ports = messages_.ports;
    prepare(send_, messages_.sends, ports.send);
    prepare(receive_, messages_.receives, ports.receive);
    const std::uint64_t slots = std::min(ports.both, send_.limit + receive_.limit);
    requests_.assign(slots, MPI_REQUEST_NULL);
    pending_.resize(slots);
    arrived_.resize(messages_.receives.size());
  }

  void prepare(Side& side, const std::vector<Message>& messages, std::uint64_t limit) {
    side.messages = &messages;
    side.limit = std::min<std::uint64_t>(limit, messages.size());
    for (const Message& m : messages) {
      side.shapes.push_back(m.buffered ? shapes_.together(m.elements) : shapes_.in_place(m));
      if (m.buffered) max_buffered_ = std::max(max_buffered_, m.elements);
    }
  }

  static void restart(Side& side) {
    side.ended.assign(side.messages->size(), false);
    side.under_way = side.started = side.done = 0;
  }

  bool may_start(const Side& side, const Side& other) const {
    if (side.started == side.messages->size() || side.under_way == side.limit) return false;
    const Message& m = (*side.messages)[side.started];
    if (send_.done < m.sends_before || receive_.done < m.receives_before) return false;
    if (messages_.ports.both >= messages_.ports.send + messages_.ports.receive) return true;
    // Sends and receives share their ports: strictly in the order of the table.
    return side.under_way + other.under_way < messages_.ports.both &&
           (other.started == other.messages->size() ||
            (*other.messages)[other.started].order > m.order);
  }

  bool start(Side& side, const Side& other) {
    if (!may_start(side, other)) return false;
    const Message& m = (*side.messages)[side.started];
    const Shapes::Shape& shape = side.shapes[side.started];
    std::size_t slot = 0;
    while (pending_[slot].side != nullptr) ++slot;
    if (&side == &send_) {
      const auto start_send = synchronous_ ? MPI_Issend : MPI_Isend;
      expect_success(start_send(memory_ + shape.offset, shape.count, shape.type,
                                static_cast<int>(m.peer), m.tag, comm_.get(), &requests_[slot]),
                     m, "to");
    } else {
      std::byte* into = memory_;
      if (m.buffered) {
        arrived_[side.started] = spare_buffer();
        into = arrived_[side.started]->start();
      }
      expect_success(MPI_Irecv(into + shape.offset, shape.count, shape.type,
                               static_cast<int>(m.peer), m.tag, comm_.get(), &requests_[slot]),
                     m, "from");
    }
    pending_[slot] = {&side, side.started++};
    ++side.under_way;
    return true;
  }

  std::unique_ptr<Buffer> spare_buffer() {
    if (spare_.empty()) return std::make_unique<Buffer>(element_, max_buffered_);
    std::unique_ptr<Buffer> result = std::move(spare_.back());
    spare_.pop_back();
    return result;
  }

  /// Waits until a message has been sent or has arrived.
  void wait() {
    MPI_Status status;
    int index = MPI_UNDEFINED;
    const int result = wait_any(requests_, index, status);
    if (index == MPI_UNDEFINED) check(result == MPI_SUCCESS ? MPI_ERR_OTHER : result);
    PendingMessage& pending = pending_[static_cast<std::size_t>(index)];
    Side& side = *pending.side;
    const Message& m = (*side.messages)[pending.message];
    expect_success(result, m, &side == &send_ ? "to" : "from");
    if (&side == &receive_) expect_size(m, status);
    side.ended[pending.message] = true;
    --side.under_way;
    pending.side = nullptr;
    while (&side == &send_ && side.done < side.started && side.ended[side.done]) ++side.done;
  }

  static void expect_success(int status, const Message& m, const char* direction) {
    if (status != MPI_SUCCESS) check(status, m.place(direction));
  }

  void expect_size(const Message& m, const MPI_Status& status) const {
    int elements = 0;
    check(MPI_Get_count(&status, element_.type, &elements));
    if (m.elements > max_at_once || elements == static_cast<int>(m.elements)) return;
    throw Error(m.place("from") + counted(static_cast<std::uint64_t>(elements), "element") +
                ", not " + std::to_string(m.elements));
  }

  /// Puts the next message that has arrived in its place.
  bool finish() {
    if (receive_.done == receive_.started || !receive_.ended[receive_.done]) return false;
    const Message& m = messages_.receives[receive_.done];
    if (send_.done < m.sends_before_end) return false;
    std::unique_ptr<Buffer> buffered = std::move(arrived_[receive_.done]);
    std::byte* from = buffered ? buffered->start() : nullptr;
    std::size_t chunk = 0;  // among those of the message
    for (const Piece& piece : m.pieces) {
      ordered_ ? put_in_order(piece, intervals_[receive_.done].data() + chunk, from)
               : put_in_place(piece, from);
      if (buffered) from += element_.distance(piece.elements);
      chunk += piece.chunks.count;
    }
    if (buffered) spare_.push_back(std::move(buffered));
    ++receive_.done;
    return true;
  }

  /// `from` is nullptr for chunks that are in place already.
  void put_in_place(const Piece& piece, const std::byte* from) {
    std::byte* place = memory_ + element_.distance(piece.place);
    if (piece.combined) {
      combine(from, place, piece.elements, element_, op_);
    } else if (from != nullptr) {
      copy_elements(from, place, piece.elements, element_, comm_);
    }
  }

  void put_in_order(const Piece& piece, const Interval* intervals, std::byte* from) {
    if (!piece.combined) put_in_place(piece, from);
    for (std::uint32_t i = 0; i < piece.chunks.count; ++i) {
      const std::uint32_t chunk = piece.chunks.first + i;
      const std::uint64_t index = layout_.index(chunk), elements = layout_.size({chunk, 1});
      if (piece.combined) {
        ordered_->join(index, intervals[i], from, static_cast<std::byte*>(at(chunk)), elements);
        from += element_.distance(elements);
      } else {
        ordered_->replace(index, intervals[i]);
      }
    }
  }

  Communicator comm_;
  Element element_;
  MPI_Op op_;
  RankSetup part_;
  const Layout& layout_;
  const RankMessages& messages_;
  bool synchronous_;
  Shapes shapes_;
  Buffer own_;
  std::byte* memory_;
  Side send_, receive_;
  std::vector<MPI_Request> requests_;
  std::vector<PendingMessage> pending_;
  std::vector<std::unique_ptr<Buffer>> spare_;    ///< for chunks that do not arrive in place
  std::vector<std::unique_ptr<Buffer>> arrived_;  ///< by receive, until it is in place
  std::uint64_t max_buffered_ = 0;                ///< elements
  std::vector<std::vector<Interval>> intervals_;  ///< by receive; for operators with an order
  std::optional<OrderedChunks> ordered_;
};

}  // namespace schedcc::mpi
