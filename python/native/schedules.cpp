// Schedules: opening, reading their steps, transforming them.

#include <memory>
#include <utility>

#include "bindings.hpp"

namespace schedcc::python {

namespace {

using Release = py::call_guard<py::gil_scoped_release>;

/// A non-negative number of a transfer or a step, at most `most`.
std::uint64_t number(const py::handle& value, const std::string& what, std::uint64_t most) {
  const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (index) {
    const unsigned long long result = PyLong_AsUnsignedLongLong(index.ptr());
    if (!PyErr_Occurred() && result <= most) return result;
  }
  PyErr_Clear();
  throw InputError(what + " must be a whole number in 0.." + std::to_string(most) + ", not " +
                   std::string(py::str(py::repr(value))));
}

constexpr std::uint64_t most_number = UINT32_MAX - 1;  ///< of ranks and chunks

/// What `reduce` says: a bool, or 0 or 1.
bool flag(const py::handle& value, const std::string& what) {
  if (py::isinstance<py::bool_>(value)) return value.is(py::bool_(true));
  return number(value, what, 1) == 1;
}

/// (src, dst, first[, count[, reduce]])
Transfer transfer(const py::handle& value, const std::string& where) {
  py::object items;
  if (PySequence_Check(value.ptr()) != 0)
    items = py::reinterpret_steal<py::object>(PySequence_Fast(value.ptr(), ""));
  PyErr_Clear();
  const Py_ssize_t size = items ? PySequence_Fast_GET_SIZE(items.ptr()) : 0;
  if (size < 3 || size > 5) {
    throw InputError(where + "a transfer must be (src, dst, first[, count[, reduce]]), not " +
                     std::string(py::str(py::repr(value))));
  }
  const auto item = [&](Py_ssize_t i) {
    return py::handle(PySequence_Fast_GET_ITEM(items.ptr(), i));
  };
  Transfer t{};
  t.src = static_cast<Rank>(number(item(0), where + "the source", most_number));
  t.dst = static_cast<Rank>(number(item(1), where + "the destination", most_number));
  t.first = static_cast<Chunk>(number(item(2), where + "the first chunk", most_number));
  const std::uint64_t count =
      size > 3 ? number(item(3), where + "the number of chunks", max_transfer_count) : 1;
  if (count == 0) throw InputError(where + "a transfer must have at least one chunk");
  t.count = static_cast<std::uint32_t>(count) & max_transfer_count;
  t.reduce = size > 4 && flag(item(4), where + "reduce") ? 1 : 0;
  return t;
}

/// Steps as Python makes them: (number, rounds, transfers).
std::shared_ptr<const Schedule> schedule_of(const py::iterable& steps) {
  auto result = std::make_shared<Schedule>();
  std::uint64_t next = 0;
  for (const py::handle item : steps) {
    const auto [at, rounds_given, transfers] =
        py::cast<std::tuple<py::object, py::object, py::object>>(item);
    const std::uint64_t step = number(at, "the number of a step", UINT64_MAX / 4);
    const std::string name = "step " + std::to_string(step);
    if (step < next) {
      throw InputError(name + " comes after step " + std::to_string(next - 1) +
                       "; step numbers rise");
    }
    next = step + 1;
    const auto rounds =
        static_cast<std::uint32_t>(number(rounds_given, name + ": its rounds", UINT32_MAX));
    if (rounds == 0) throw InputError(name + ": a step must have at least one round");
    if (!py::isinstance<py::iterable>(transfers)) {
      throw InputError(name + " must be a list of transfers, not " +
                       std::string(py::str(py::repr(transfers))));
    }
    result->begin_step(step, rounds);
    std::uint64_t count = 0;
    for (const py::handle t : transfers)
      result->add(transfer(t, name + ", transfer " + std::to_string(count++) + ": "));
  }
  return result;
}

/// rank -> runs (first, count)
using LinesByRank =
    std::vector<std::tuple<Rank, std::vector<std::pair<Chunk, std::uint32_t>>, bool>>;

std::vector<Holding> holdings(const LinesByRank& lines, const Problem& problem) {
  std::vector<Holding> result;
  for (const auto& [rank, runs, reduced] : lines) {
    Holding& line = result.emplace_back(Holding{rank, {}, reduced});
    if (rank >= problem.ranks)
      throw InputError("rank " + std::to_string(rank) + " does not exist; ranks are 0.." +
                       std::to_string(problem.ranks - 1));
    for (const auto& [first, count] : runs) {
      if (std::uint64_t{first} + count > problem.chunks)
        throw InputError("rank " + std::to_string(rank) + ": chunk " +
                         std::to_string(std::uint64_t{first} + count - 1) +
                         " does not exist; chunks are 0.." + std::to_string(problem.chunks - 1));
      line.runs.push_back({first, count});
    }
  }
  return result;
}

Handle make(const ProblemArguments& asked, const py::iterable& steps, const LinesByRank& pre,
            const LinesByRank& post, std::uint64_t nodes, const std::string& name) {
  Problem problem = problem_of(asked, {});
  if (info(problem.collective).declared) {
    const bool ordered = problem.ordered;
    problem = custom_problem(problem.ranks, problem.chunks, holdings(pre, problem),
                             holdings(post, problem));
    problem.ordered = ordered;
  } else if (!pre.empty() || !post.empty()) {
    throw InputError("only a custom collective has pre, post and reduced");
  }
  if (asked.block_sizes) problem = with_block_sizes(problem, *asked.block_sizes);
  return open_steps(std::move(problem), schedule_of(steps), nodes, asked.machine.value_or(""),
                    name);
}

/// The steps of a source, one after another.
class StepReader {
 public:
  explicit StepReader(const Source& source) : source_(source), stream_(source_.open()) {}
  /// (number, rounds, transfers, lines)
  py::tuple next() {
    Step step;
    bool more = false;
    {
      const py::gil_scoped_release released;
      more = stream_->next(step);
    }
    if (!more) throw py::stop_iteration();
    py::list transfers(step.transfers.size());
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      const Transfer& t = step.transfers[i];
      transfers[i] = py::make_tuple(t.src, t.dst, t.first, std::uint32_t{t.count}, t.reduce != 0);
    }
    py::tuple lines(step.lines.size());
    for (std::size_t i = 0; i < step.lines.size(); ++i) lines[i] = step.lines[i];
    return py::make_tuple(step.number, step.rounds, transfers, lines);
  }

 private:
  Source source_;  ///< which outlives the stream
  std::unique_ptr<StepStream> stream_;
};

/// rank, [(first, count)], reduced: of `pre` or `post` lines.
py::list lines_of(std::span<const Holding> lines) {
  py::list result;
  for (const Holding& line : lines) {
    py::list runs;
    for (const Run& run : line.runs) runs.append(py::make_tuple(run.first, run.count));
    result.append(py::make_tuple(line.rank, runs, line.reduced));
  }
  return result;
}

py::list notes_of(const Source& source) {
  py::list result;
  for (const Note& note : source.notes)
    result.append(py::make_tuple(Text{note.message}, note.line, note.column));
  return result;
}

std::string kind(const Source& source) {
  return source.plan ? "plan" : source.program ? "program" : "schedule";
}

void bind_handle(py::module_& module) {
  py::class_<Handle>(module, "Handle")
      .def_property_readonly("spec", [](const Handle& h) { return Text{h.spec}; })
      .def_property_readonly("name", [](const Handle& h) { return Text{h.source.name}; })
      .def_property_readonly("file", [](const Handle& h) { return Text{h.source.file}; })
      .def_property_readonly("machine", [](const Handle& h) { return Text{h.source.machine}; })
      .def_property_readonly("nodes", [](const Handle& h) { return h.source.nodes; })
      .def_property_readonly("kind", [](const Handle& h) { return kind(h.source); })
      .def_property_readonly("notes", [](const Handle& h) { return notes_of(h.source); })
      .def_property_readonly("chosen", [](const Handle& h) { return h.source.chosen; })
      .def_property_readonly("collective",
                             [](const Handle& h) { return info(h.source.problem.collective).name; })
      .def_property_readonly("ranks", [](const Handle& h) { return h.source.problem.ranks; })
      .def_property_readonly(
          "root",
          [](const Handle& h) {
            return h.source.problem.rooted() ? std::optional(h.source.problem.root) : std::nullopt;
          })
      .def_property_readonly("chunks", [](const Handle& h) { return h.source.problem.chunks; })
      .def_property_readonly("total_chunks",
                             [](const Handle& h) { return h.source.problem.total_chunks(); })
      .def_property_readonly("ordered", [](const Handle& h) { return h.source.problem.ordered; })
      .def_property_readonly("pre",
                             [](const Handle& h) { return lines_of(h.source.problem.pre()); })
      .def_property_readonly("post",
                             [](const Handle& h) { return lines_of(h.source.problem.post()); })
      .def("describe", [](const Handle& h) { return Text{describe(h.source.problem)}; })
      .def("steps", [](const Handle& h) { return StepReader(h.source); });
  py::class_<StepReader>(module, "StepReader")
      .def("__iter__", [](const py::object& self) { return self; })
      .def("__next__", &StepReader::next);
}

}  // namespace

void bind_schedules(py::module_& module) {
  using OptionalText = std::optional<std::string>;
  using OptionalNumber = std::optional<std::uint64_t>;
  py::class_<ProblemArguments>(module, "ProblemArguments")
      .def(py::init([](OptionalText collective, OptionalNumber ranks, OptionalNumber chunks,
                       OptionalNumber root, OptionalText machine, bool ordered,
                       std::optional<BlockSizes> block_sizes) {
             return ProblemArguments{
                 std::move(collective), ranks, chunks, root, std::move(machine), ordered,
                 std::move(block_sizes)};
           }),
           py::kw_only(), py::arg("collective") = py::none(), py::arg("ranks") = py::none(),
           py::arg("chunks") = py::none(), py::arg("root") = py::none(),
           py::arg("machine") = py::none(), py::arg("ordered") = false,
           py::arg("block_sizes") = py::none());
  bind_handle(module);
  module.def("names_file", &names_file, py::arg("name"));
  module.def("open_algorithm", &open_algorithm, py::arg("text"), py::arg("asked"), Release());
  module.def("open_file", &open_file, py::arg("path"), py::arg("format"), py::arg("asked"),
             Release());
  module.def("open_text", &open_text, py::arg("text"), py::arg("name"), py::arg("format"),
             py::arg("asked"), Release());
  module.def("make", &make, py::arg("asked"), py::arg("steps"), py::arg("pre"), py::arg("post"),
             py::arg("nodes"), py::arg("name"));
  module.def(
      "reversed", [](const Handle& h) { return Handle{reversed(h.source)}; }, py::arg("handle"),
      Release());
  module.def(
      "sequence",
      [](const Handle& first, const Handle& second) {
        return Handle{sequence(first.source, second.source)};
      },
      py::arg("first"), py::arg("second"), Release());
  module.def(
      "relabelled",
      [](const Handle& h, const std::vector<Rank>& map) {
        return Handle{relabelled(h.source, map)};
      },
      py::arg("handle"), py::arg("map"), Release());
  module.def(
      "lowered",
      [](const Handle& h) { return Handle{at_hop_level(h.source, named_machine(h.source))}; },
      py::arg("handle"), Release());
}

}  // namespace schedcc::python
