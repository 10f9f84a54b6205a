// The beginning and the end of a collective: the functions that schedcc/record.h calls.

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "record/identity.hpp"
#include "recorder/recorder.hpp"

namespace schedcc::recorder {

namespace {

using record::Event;
using record::EventKind;
using record::StridedRange;
using record::WordKind;

/// What is being recorded.
struct ActiveRecording {
  record::BeginArguments begin{};
  record::BufferLayout layout;
  void* result = nullptr;
  std::uint64_t elements = 0;  ///< of the message, or of a block
  MPI_Datatype type = MPI_DATATYPE_NULL;
};
ActiveRecording& running() {
  static auto* const all = new std::map<const Recorder*, ActiveRecording>;
  return (*all)[&recorder()];
}

WordKind kind_of_sum(MPI_Datatype type) {
  for (const MPI_Datatype integer :
       {MPI_INT64_T, MPI_UINT64_T, MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG,
        MPI_UNSIGNED_LONG_LONG, MPI_INTEGER8, MPI_INT32_T, MPI_UINT32_T, MPI_INT, MPI_UNSIGNED,
        MPI_INTEGER, MPI_INTEGER4}) {
    if (integer == MPI_DATATYPE_NULL || type != integer) continue;
    return packed_size(1, type) == 8 ? WordKind::sum64 : WordKind::sum32;
  }
  for (const MPI_Datatype real : {MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_REAL8}) {
    if (real != MPI_DATATYPE_NULL && type == real) return WordKind::sum_double;
  }
  recorder().refuse(
      "reductions are recorded of integers of 32 or 64 bits and of double, and the datatype is "
      "another one");
}

WordKind kind_of(const record::BufferLayout& layout, std::uint64_t block, MPI_Datatype type,
                 MPI_Op op, int ranks) {
  if (!layout.reduction) {
    if (block % 8 == 0) return WordKind::copied64;
    if (block % 4 == 0) return WordKind::copied32;
    recorder().refuse(
        "a message or block of " + std::to_string(block) +
        " bytes is not a multiple of 4 bytes: data are recognised by words of 4 or 8 bytes");
  }
  if (op != MPI_SUM)
    recorder().refuse("reductions are recorded with MPI_SUM, and the operation is another one");
  const WordKind kind = kind_of_sum(type);
  if (kind == WordKind::sum_double &&
      static_cast<std::uint64_t>(ranks) > record::max_ranks_of_double)
    recorder().refuse("sums of doubles are exact for 128 ranks at most; use integers of 64 bits");
  return kind;
}

/// Stores a word, as 4 or 8 bytes.
template <WordKind kind>
void store(std::uint64_t image, std::byte* to) {
  if constexpr (record::word_bytes(kind) == 4) {
    const auto word = static_cast<std::uint32_t>(image);
    std::memcpy(to, &word, sizeof word);
  } else if constexpr (kind == WordKind::sum_double) {
    const auto word = static_cast<double>(image);
    std::memcpy(to, &word, sizeof word);
  } else {
    std::memcpy(to, &image, sizeof image);
  }
}

template <WordKind kind>
void store_identities(const StridedRange& part, std::uint64_t rank, std::byte* to) {
  for (std::uint64_t piece = 0; piece < part.blocks; ++piece) {
    const std::uint64_t first = part.first + piece * part.stride;
    for (std::uint64_t i = 0; i < part.length; ++i, to += record::word_bytes(kind))
      store<kind>(record::identity(kind, rank, first + i), to);
  }
}

void store_identities(WordKind kind, const StridedRange& part, std::uint64_t rank, std::byte* to) {
  switch (kind) {
    case WordKind::copied32:
      return store_identities<WordKind::copied32>(part, rank, to);
    case WordKind::copied64:
      return store_identities<WordKind::copied64>(part, rank, to);
    case WordKind::sum32:
      return store_identities<WordKind::sum32>(part, rank, to);
    case WordKind::sum64:
      return store_identities<WordKind::sum64>(part, rank, to);
    case WordKind::sum_double:
      return store_identities<WordKind::sum_double>(part, rank, to);
  }
}

/// The elements of words.
std::uint64_t elements(const ActiveRecording& run, std::uint64_t words) {
  return words / run.begin.length * run.elements;
}

/// Overwrites words in a buffer of the program by those that `write` stores, one after another.
template <typename Write>
void overwrite(const ActiveRecording& run, std::uint64_t words, void* buffer, Write write) {
  const std::uint64_t bytes = words * record::word_bytes(run.begin.words);
  if (bytes == 0) return;
  if (is_packed(run.type)) return write(static_cast<std::byte*>(buffer), bytes);
  std::vector<std::byte> packed(bytes);
  write(packed.data(), bytes);
  int position = 0;
  PMPI_Unpack(packed.data(), static_cast<int>(bytes), &position, buffer,
              static_cast<int>(elements(run, words)), run.type, MPI_COMM_SELF);
}

void fill(const ActiveRecording& run, const StridedRange& part, void* buffer) {
  overwrite(run, part.size(), buffer, [&](std::byte* to, std::uint64_t) {
    store_identities(run.begin.words, part, static_cast<std::uint64_t>(run.begin.rank), to);
  });
}

/// What was there before is not to be taken for a result.
void poison(const ActiveRecording& run) {
  overwrite(run, run.layout.goal.size(), run.result, [](std::byte* to, std::uint64_t bytes) {
    std::memset(to, record::poison_byte, bytes);
  });
}

void log_begin(const ActiveRecording& run, const Communicator& comm) {
  const std::uint64_t ranks_bytes = comm.ranks.size() * sizeof(std::int32_t);
  const Event event{EventKind::begin, 0, 0, {}, comm.channel, 0, 0, sizeof run.begin + ranks_bytes};
  std::byte* const to = recorder().append(event);
  if (to == nullptr) return;
  std::memcpy(to, &run.begin, sizeof run.begin);
  std::memcpy(to + sizeof run.begin, comm.ranks.data(), ranks_bytes);
}

/// The buffers of the collective if a message, or a block, has `length` words.
record::BufferLayout layout(const record::BeginArguments& begin, std::string_view name,
                            std::uint64_t length) {
  return record::buffer_layout(name, static_cast<std::uint64_t>(begin.ranks),
                               static_cast<std::uint64_t>(begin.rank),
                               static_cast<std::uint64_t>(begin.root), length);
}

/// The collective's name, which must be known.
void set_collective(record::BeginArguments& begin, std::string_view name) {
  if (name.size() >= sizeof begin.collective || !layout(begin, name, 1).known)
    recorder().refuse("unknown collective '" + std::string(name.substr(0, 40)) +
                      "'; known are broadcast, scatter, gather, allgather, alltoall, reduce, "
                      "allreduce, reduce-scatter, scan and exscan");
  std::memcpy(begin.collective, name.data(), name.size());
}

/// `root`: the program's argument, which is ignored where the collective has none.
void set_root(record::BeginArguments& begin, std::string_view name, int root) {
  begin.root = record::rooted(name) ? root : 0;
  if (begin.root < 0 || begin.root >= begin.ranks) {
    recorder().refuse("its root is " + std::to_string(root) + ", and its communicator has " +
                      std::to_string(begin.ranks) + " ranks");
  }
}

/// The words of a message, or of a block, of `count` elements.
void set_words(record::BeginArguments& begin, std::string_view name, int count, MPI_Datatype type,
               MPI_Op op) {
  const std::uint64_t block = packed_size(count, type);
  if (block == 0) recorder().refuse("there are no data: count is " + std::to_string(count));
  begin.words = kind_of(layout(begin, name, 1), block, type, op, begin.ranks);
  begin.length = block / record::word_bytes(begin.words);
}

/// Where the data of the rank are: in place, at its part of the buffer for the result.
void* start_buffer(const ActiveRecording& run, std::string_view name, const void* sendbuf) {
  if (run.begin.in_place == 0) return const_cast<void*>(sendbuf);
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_get_extent(run.type, &lower, &extent);
  const std::uint64_t offset =
      record::in_place_offset(name, static_cast<std::uint64_t>(run.begin.rank), run.elements);
  return static_cast<char*>(run.result) + static_cast<MPI_Aint>(offset) * extent;
}

void begin(const char* collective, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type,
           MPI_Op op, int root, MPI_Comm handle) {
  Recorder& recorder = schedcc::recorder::recorder();
  if (!recorder.on()) return;
  if (recorder.recording()) recorder.refuse("a collective begins within another one");
  const std::string_view name = collective;
  ActiveRecording run;
  record::BeginArguments& begin = run.begin;
  PMPI_Comm_rank(handle, &begin.rank);
  PMPI_Comm_size(handle, &begin.ranks);
  const Communicator* const comm = recorder.find(handle);
  if (comm == nullptr)
    recorder.refuse("the communicator was made by a function that is not recorded");
  set_collective(begin, name);
  set_root(begin, name, root);
  // In place, the root of a scatter keeps its block where it is: there is no result to compare.
  if (recvbuf == MPI_IN_PLACE) recorder.refuse("a scatter in place cannot be recorded");
  set_words(begin, name, count, type, op);
  begin.in_place = name == "broadcast" || sendbuf == MPI_IN_PLACE || sendbuf == recvbuf ? 1 : 0;
  run.layout = layout(begin, name, begin.length);
  run.elements = static_cast<std::uint64_t>(count);
  run.type = type;
  run.result = recvbuf;
  poison(run);
  fill(run, run.layout.start, start_buffer(run, name, sendbuf));
  log_begin(run, *comm);
  running() = run;
  // No rank may put data into buffers that another one has still to fill.
  const Call call("schedcc_record_begin");
  SCHEDCC_LIBRARY(Barrier)(handle);
  recorder.set_recording(true);
}

void end() {
  Recorder& recorder = schedcc::recorder::recorder();
  if (!recorder.on() || !recorder.recording()) return;
  const ActiveRecording& run = running();
  recorder.log({EventKind::end, 0, 0, {}, 0, 0, 0, 0}, run.result,
               static_cast<int>(elements(run, run.layout.goal.size())), run.type);
  recorder.set_recording(false);
}

}  // namespace

}  // namespace schedcc::recorder

extern "C" {

SCHEDCC_EXPORTED void schedcc_recorder_begin(const char* collective, const void* sendbuf,
                                             void* recvbuf, int count, MPI_Datatype type, MPI_Op op,
                                             int root, MPI_Comm comm) {
  schedcc::recorder::begin(collective, sendbuf, recvbuf, count, type, op, root, comm);
}

SCHEDCC_EXPORTED void schedcc_recorder_begin_fortran(const char* collective, const void* sendbuf,
                                                     void* recvbuf, int count, int type, int op,
                                                     int root, int comm) {
  schedcc::recorder::begin(collective, sendbuf, recvbuf, count, PMPI_Type_f2c(type),
                           PMPI_Op_f2c(op), root, PMPI_Comm_f2c(comm));
}

SCHEDCC_EXPORTED void schedcc_recorder_end() { schedcc::recorder::end(); }
}
