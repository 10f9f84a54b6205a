// SimGrid keeps what it has simulated for the life of a process, and takes tens of milliseconds to
// be loaded: every simulation is a child process, which loads the library, and writes the time into
// a pipe. The library's interface in C is enough: a platform in XML, and a function for each rank.
// simgrid_platform.hpp says what the network is.

#include "cost/simulation.hpp"

#include "cost/simgrid_platform.hpp"
#include "schedcc/error.hpp"

#ifdef SCHEDCC_SIMGRID

#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <map>
#include <set>

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>
#include <simgrid/actor.h>
#include <simgrid/comm.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>
#include <simgrid/version.h>

namespace schedcc {

namespace {

/// A function that the library exports; ends the process if there is none.
template <typename F>
F* symbol(void* library, const char* name) {
  void* const found = ::dlsym(library, name);
  if (found == nullptr) ::_exit(1);
  return reinterpret_cast<F*>(found);
}

/// The library, loaded.
struct Library {
  void* library;
  decltype(::simgrid_init)* init = symbol<decltype(::simgrid_init)>(library, "simgrid_init");
  decltype(::simgrid_load_platform)* load_platform =
      symbol<decltype(::simgrid_load_platform)>(library, "simgrid_load_platform");
  decltype(::simgrid_run)* run = symbol<decltype(::simgrid_run)>(library, "simgrid_run");
  decltype(::simgrid_get_clock)* clock =
      symbol<decltype(::simgrid_get_clock)>(library, "simgrid_get_clock");
  decltype(::sg_host_by_name)* host =
      symbol<decltype(::sg_host_by_name)>(library, "sg_host_by_name");
  decltype(::sg_actor_create_)* create_actor =
      symbol<decltype(::sg_actor_create_)>(library, "sg_actor_create_");
  decltype(::sg_mailbox_by_name)* mailbox =
      symbol<decltype(::sg_mailbox_by_name)>(library, "sg_mailbox_by_name");
  decltype(::sg_mailbox_put_async)* put =
      symbol<decltype(::sg_mailbox_put_async)>(library, "sg_mailbox_put_async");
  decltype(::sg_mailbox_get_async)* get =
      symbol<decltype(::sg_mailbox_get_async)>(library, "sg_mailbox_get_async");
  decltype(::sg_actor_sleep_for)* sleep =
      symbol<decltype(::sg_actor_sleep_for)>(library, "sg_actor_sleep_for");
  decltype(::sg_comm_wait_all)* wait =
      symbol<decltype(::sg_comm_wait_all)>(library, "sg_comm_wait_all");
};

/// The messages that a rank sends and receives in a step.
struct RankStep {
  std::vector<std::size_t> sent, received;
};

/// State shared by the rank functions in the child process; SimGrid passes them only strings.
struct Run {
  const Simulation* simulation;
  Library library;
  std::map<std::string, std::map<std::uint64_t, RankStep>> ranks;  ///< by name and step
};
Run* running = nullptr;

void run_rank(int, char** arguments) {
  const Library& library = running->library;
  const std::vector<Simulation::Message>& messages = running->simulation->messages;
  const auto mailbox = [&](std::size_t i) {
    return library.mailbox(std::to_string(messages[i].route).c_str());
  };
  const auto occupy = [&](double seconds) {
    if (seconds > 0) library.sleep(seconds);
  };
  const Overheads& overheads = running->simulation->overheads;
  char nothing = 0;
  void* ignored = nullptr;
  for (const auto& [number, step] : running->ranks.at(arguments[0])) {
    std::vector<sg_comm_t> calls;
    for (const std::size_t i : step.received) calls.push_back(library.get(mailbox(i), &ignored));
    for (const std::size_t i : step.sent) {
      occupy(overheads.send);
      calls.push_back(library.put(mailbox(i), &nothing, static_cast<long>(messages[i].bytes)));
    }
    library.wait(calls.data(), calls.size());
    occupy(overheads.receive * static_cast<double>(step.received.size()));
  }
}

/// Hosts for the ranks that take part, the links, and the routes.
std::string platform(const Simulation& simulation) {
  std::set<Rank> ranks;
  std::set<std::uint64_t> links;
  std::set<std::uint32_t> known;
  std::string routes;
  for (const Simulation::Message& m : simulation.messages) {
    ranks.insert({m.src, m.dst});
    if (!known.insert(m.route).second) continue;
    routes += simgrid::route(m.src, m.dst, simulation.routes[m.route]);
    links.insert(simulation.routes[m.route].begin(), simulation.routes[m.route].end());
  }
  std::string result = std::string(simgrid::platform_begin()) + std::string(simgrid::zone_begin());
  for (const Rank rank : ranks) result += simgrid::host(rank);
  for (const std::uint64_t link : links) result += simgrid::link(link, simulation.links[link]);
  return result + routes + std::string(simgrid::zone_end()) + std::string(simgrid::platform_end());
}

/// A file in memory, by its name; ends the process if there is none.
std::string memory_file(const std::string& text) {
  const int file = ::memfd_create("platform.xml", 0);
  if (file < 0) ::_exit(1);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n < 0) ::_exit(1);
    done += static_cast<std::size_t>(n);
  }
  return fmt::format("/proc/self/fd/{}", file);
}

/// In the child process: the time.
double run(const Simulation& simulation, void* library) {
  std::array<std::string, 4> words{"schedcc", "--cfg=surf/precision:1e-12",
                                   "--cfg=contexts/stack-size:256", "--log=root.thres:critical"};
  std::array<char*, words.size() + 1> arguments{};
  for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
  int count = static_cast<int>(words.size());
  Run state{&simulation, {library}, {}};
  running = &state;
  state.library.init(&count, arguments.data());
  state.library.load_platform(memory_file(platform(simulation)).c_str());
  for (std::size_t i = 0; i < simulation.messages.size(); ++i) {
    const Simulation::Message& m = simulation.messages[i];
    state.ranks[simgrid::host_name(m.src)][m.step].sent.push_back(i);
    state.ranks[simgrid::host_name(m.dst)][m.step].received.push_back(i);
  }
  for (const auto& [name, steps] : state.ranks) {
    const char* const name_only[] = {name.c_str(), nullptr};
    state.library.create_actor(name.c_str(), state.library.host(name.c_str()), run_rank, 1,
                               name_only);
  }
  state.library.run();
  return state.library.clock();
}

/// Reads a number from the pipe; false if the other end has closed without one.
bool read_number(int pipe, double& number) {
  char* const bytes = reinterpret_cast<char*>(&number);
  std::size_t have = 0;
  while (have < sizeof number) {
    const ssize_t n = ::read(pipe, bytes + have, sizeof number - have);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    have += static_cast<std::size_t>(n);
  }
  return true;
}

[[noreturn]] void simulate_in_child(const Simulation& simulation, int pipe) {
  double seconds = -1;  // the library is not there
  try {
    if (void* const library = ::dlopen(SCHEDCC_SIMGRID, RTLD_LAZY))
      seconds = run(simulation, library);
  } catch (const std::exception& error) {  // of the library: nobody else may catch it here
    fmt::print(stderr, "SimGrid: {}\n", error.what());
    ::_exit(1);
  }
  ::_exit(::write(pipe, &seconds, sizeof seconds) == sizeof seconds ? 0 : 1);
}

}  // namespace

std::string simgrid_version() {
  return fmt::format("{}.{}", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR);
}

double simulate(const Simulation& simulation) {
  if (simulation.messages.empty()) return 0;
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw LimitError("the simulation cannot be started: no pipe");
  const pid_t child = ::fork();
  if (child == 0) simulate_in_child(simulation, ends[1]);
  ::close(ends[1]);
  double seconds = 0;
  const bool done = child > 0 && read_number(ends[0], seconds);
  ::close(ends[0]);
  while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!done)
    throw LimitError("the simulation ended without a result; it may have run out of memory");
  if (seconds < 0) throw InputError("the library " SCHEDCC_SIMGRID " of SimGrid cannot be loaded");
  return seconds;
}

}  // namespace schedcc

#else

namespace schedcc {

std::string simgrid_version() { return {}; }

double simulate(const Simulation&) { throw InternalError("schedcc is built without SimGrid"); }

}  // namespace schedcc

#endif
