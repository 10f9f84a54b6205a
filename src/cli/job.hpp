#pragma once

// The job of processes that share a command: `mpirun -n N schedcc verify ...`.
//
// All processes run the same command on the same arguments. Process 0 leads: it alone writes
// anything, and asks the others for what they have found out; these have no output. They wait for
// its orders where they have a result, and at their end, so that none waits for one that has
// failed: such a process answers with its error.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/team.hpp"
#include "cli/commands.hpp"
#include "job/library.hpp"
#include "schedcc/error.hpp"

namespace schedcc::cli {

class Job : public Team {
 public:
  /// Joins the job that the environment names, if the command is one that can be shared. Throws
  /// InputError if the library for that is missing, or if processes have different arguments.
  static void join(const std::vector<std::string>& arguments);
  /// The job that this process has joined; nullptr if it is alone.
  static Job* current() { return current_.get(); }
  /// Was this process started by the launcher of an MPI library, perhaps alone?
  static bool launched();
  /// Does this process write what there is to write?
  static bool leads() { return current_ == nullptr || current_->rank_ == 0; }
  /// Keeps the error that ends this process, for process 0.
  static void note_error(const SourceLocation& location, const std::string& message);
  /// Leaves the job, if there is one. Returns the status of process 0, whose own one is `status`.
  static int leave(int status);

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }

  /// Names what is gathered next, among several things: by a larger number each time.
  void begin(std::uint64_t task) { task_ = task; }
  /// What all processes give, by their numbers, for process 0; nothing for the others. Process 0
  /// throws the error of a process that has ended by one.
  std::vector<std::string> gather(std::string own);
  std::vector<std::string> exchange(std::string own) override;
  /// Has process 0 ended, so that nothing will be asked any more? For the others.
  bool has_ended();
  /// What process 0 has, which `own` returns there; none at the others if process 0 has ended.
  std::optional<std::string> share(const std::function<std::string()>& own);
  /// Standard input of process 0 becomes that of all processes.
  void share_standard_input();

 private:
  /// What process 0 has to say.
  enum class Kind : std::uint64_t { give, take, end };
  struct Order {
    Kind kind;
    std::uint64_t number;  ///< of what is to be given, or the status at the end
  };

  explicit Job(const job::Library& library);
  void be_silent() const;
  /// Throws InputError unless all processes have the version and the arguments of process 0.
  void require_same(const std::vector<std::string>& arguments);
  Order next_order();
  void order(std::size_t process, const Order& order) const;
  void order_all(const Order& order) const;
  void send(std::size_t to, const std::string& bytes) const;
  std::string receive(std::size_t from) const;
  void answer_failed() const;
  int wait_for_end();

  static inline std::unique_ptr<Job> current_;

  const job::Library& library_;
  std::size_t rank_ = 0, size_ = 1;
  std::uint64_t task_ = 0;
  std::optional<Order> pending_;  ///< received, and to be followed later
  int status_ = 0;                ///< with which this process ends, if by an error
  std::string error_;
};

/// Checks a source, together with the other processes of the job if there is one. Only the process
/// that leads has the report.
Report check_together(const Source& source, const Machine& machine, const CheckOptions& options);

/// In a job, makes standard input that of all processes, if it is read. Says that a number of
/// threads is not used there: each process checks by one.
void share_input(const GeneralOptions& general, const CheckOptions& options,
                 bool reads_standard_input);

}  // namespace schedcc::cli
