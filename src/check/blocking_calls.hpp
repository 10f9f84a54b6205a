#pragma once

// Blocking calls of ranks, executed as they come in.
//
// Each rank makes its calls in order; those that are posted together, a group, all have to complete
// before the next ones are posted. Under rendezvous a send and its receive complete together, when
// both are posted. With eager messages a send completes alone while fewer than N messages of its
// pair are unreceived, and a receive after its send.
//
// Theory. Nothing that is completed keeps anything else from completing: a posted call stays
// posted, and of two sends of a pair, which need the same places for unreceived messages, one is
// posted after the other has completed. So the calls that complete in the end do not depend on the
// order in which they are executed, and each may complete as soon as it can, when later calls of
// its rank, or even of its group, are not known yet. What is left to remember are the calls that
// have not completed: of a schedule on LogP those under way, however long it is.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/block_table.hpp"
#include "schedcc/schedule.hpp"

namespace schedcc {

class BlockingCalls {
 public:
  struct Call {
    Rank rank, peer;
    std::uint64_t time;
    std::uint32_t line;  ///< in the file; 0: none
    bool send;
  };
  /// A call that has not completed.
  using Id = std::size_t;

  /// `grouped`: calls of a rank of the same time are posted together. `eager`: the unreceived
  /// messages of a pair; 0: rendezvous.
  BlockingCalls(bool grouped, std::uint64_t eager) : grouped_(grouped), eager_(eager) {}

  /// The two calls of a message. They are made by `make`.
  struct Message {
    Id send, receive;
  };
  Message add(const Call& send, const Call& receive);
  /// The next call of its rank, at a time that is not before that of the last one. Completes what
  /// can complete.
  void make(Id call);
  std::uint64_t time(Id call) const { return calls_[call].time; }

  /// Have all calls completed?
  bool done() const { return left_ == 0; }
  /// After the last call, if not all have completed: the calls of a cycle of waiting ranks. From
  /// the first waiting rank to the one that it waits for, until a rank is repeated.
  std::vector<Call> cycle();

 private:
  static constexpr Id none = SIZE_MAX;

  struct State : Call {
    Id other;           ///< the other end of its message
    Id next = none;     ///< the rank's next call
    bool made = false;  ///< it is among the calls of its rank
    bool sent = false;  ///< a receive, whose send has completed
    bool done = false;
  };
  /// The calls of a rank from the first that has not completed on.
  struct Sequence {
    Id first = none, last = none;
    std::size_t visit = 0;  ///< for cycle()
  };

  Id add(const Call& call);
  bool posted(Id call);
  void complete_all();
  void complete(Id call);
  void complete_eager(Id call);
  void end(Id call);
  void try_posted(Rank rank);
  std::uint64_t& unreceived(const Call& call);

  bool grouped_;
  std::uint64_t eager_;
  std::vector<State> calls_;
  std::vector<Id> free_;   ///< places of calls that have completed
  std::vector<Id> ready_;  ///< posted calls that perhaps complete
  std::size_t left_ = 0;
  NodeArray<Sequence> sequences_;                                ///< by rank
  std::unordered_map<std::uint64_t, std::uint64_t> unreceived_;  ///< messages, by pair
};

}  // namespace schedcc
