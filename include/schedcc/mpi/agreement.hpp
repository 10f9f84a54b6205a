#pragma once

// Agreement of all ranks before the first message is sent: on the table and its parameters, and
// that no rank's part of the table is wrong. A rank that failed alone would leave the others
// waiting.

#include <climits>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedcc/mpi/library.hpp"
#include "schedcc/mpi/rank_messages.hpp"

namespace schedcc::mpi {

/// An error in a table, or a disagreement of ranks: all of them throw it, with the same text.
class TableError : public Error {
 public:
  using Error::Error;
};

/// The text of the rank `from`. Collective.
inline std::string broadcast_text(const Communicator& comm, std::string text, int from) {
  auto length = static_cast<int>(text.size());
  check(MPI_Bcast(&length, 1, MPI_INT, from, comm.get()));
  text.resize(static_cast<std::size_t>(length));
  check(MPI_Bcast(text.data(), length, MPI_CHAR, from, comm.get()));
  return text;
}

/// The result of `work`, if it throws no Error at any rank; else throws TableError, with the
/// message of the first such rank. Collective.
template <typename Work>
auto agreed(const Communicator& comm, Work work) {
  std::optional<decltype(work())> result;
  std::string wrong;
  try {
    result.emplace(work());
  } catch (const Error& error) {
    wrong = error.what();
  }
  int failed_rank = result ? INT_MAX : static_cast<int>(comm.rank()), first = 0;
  check(MPI_Allreduce(&failed_rank, &first, 1, MPI_INT, MPI_MIN, comm.get()));
  if (first == INT_MAX) return std::move(*result);
  throw TableError("rank " + std::to_string(first) + ": " + broadcast_text(comm, wrong, first));
}

/// Throws TableError unless the texts are the same at every rank; it names the first rank that
/// differs from rank 0, and both texts. Collective; all ranks pass the same number of texts.
inline void expect_same(const Communicator& comm, const std::vector<std::string>& texts) {
  std::vector<std::string> at_rank_0 = texts;
  for (std::string& text : at_rank_0) text = broadcast_text(comm, text, 0);
  agreed(comm, [&] {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i] == at_rank_0[i]) continue;
      throw Error("the ranks do not agree: " + texts[i] + " here, " + at_rank_0[i] + " at rank 0");
    }
    return true;
  });
}

/// Messages and their elements.
struct Amount {
  std::uint64_t messages = 0, elements = 0;

  explicit Amount(const std::vector<Message>& all) {
    for (const Message& m : all) {
      ++messages;
      elements += m.elements;
    }
  }
  /// Makes this the amount of all ranks together. Collective.
  void add_up(const Communicator& comm) {
    std::uint64_t own[2] = {messages, elements}, sum[2] = {};
    check(MPI_Allreduce(own, sum, 2, MPI_UINT64_T, MPI_SUM, comm.get()));
    messages = sum[0];
    elements = sum[1];
  }
  std::string text() const {
    return counted(messages, "message") + " with " + counted(elements, "element");
  }
};

/// Throws TableError unless the ranks send as much as they receive: otherwise they would deadlock.
/// Collective.
inline void expect_balance(const Communicator& comm, const RankMessages& messages) {
  Amount sent(messages.sends), received(messages.receives);
  sent.add_up(comm);
  received.add_up(comm);
  if (sent.messages == received.messages && sent.elements == received.elements) return;
  throw TableError("the table sends " + sent.text() + ", and receives " + received.text());
}

}  // namespace schedcc::mpi
