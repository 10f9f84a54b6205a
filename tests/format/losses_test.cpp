// What `convert` says is lost: nothing of formats that keep all, and what is read otherwise of
// others.

#include "formats.hpp"

#include "format/entry.hpp"
#include "format/losses.hpp"

using namespace schedcc;
using namespace formats;

namespace {

using Lost = std::vector<std::string>;

const std::string head = "schedcc 1\ncollective broadcast\nranks 3\nroot 0\nchunks 2\n";

Lost between(const std::string& before, const std::string& after) {
  return losses(read(before, "sched"), read(after, "sched"));
}

}  // namespace

TEST_CASE("formats that keep all lose nothing, and others only what is reported") {
  std::size_t kept = 0, lost = 0;
  each_source([&](Source source) {
    source.title = "of mine";
    for (const Format* format : schedcc::formats()) {
      if (!format->readable || !format->writable) continue;
      std::string text;
      try {
        text = written(source, format->name);
      } catch (const InputError&) {
        continue;  // beyond its limits
      }
      const Source back = read(text, format->name);
      const Lost found = losses(source, back);
      if (FormatEntry::of(*format).keeps_all) {
        ++kept;
        if (!found.empty()) FAIL_CHECK(format->name << " loses " << found.front());
      } else {
        lost += found.size();
        // If nothing is reported, it is the same as text, apart from the order of messages.
        if (found.empty() && written(back, "sched").size() != written(source, "sched").size())
          FAIL_CHECK(format->name << " is reported to lose nothing of " << source.name);
      }
    }
  });
  CHECK(kept > 400);
  CHECK(lost > 100);
}

TEST_CASE("each part that a schedule may lose is named") {
  const std::string step = "step 0\n0 -> 1 : 0\nstep 4\n0 -> 2 : 0-1\n";
  CHECK(between(head + step, head + step).empty());
  CHECK(between(head + "machine simplex\n", head) == Lost{"the machine simplex"});
  CHECK(between(head + "machine simplex\n", head + "machine duplex\n") ==
        Lost{"the machine simplex (read as duplex)"});
  CHECK(between(head, head + "machine duplex\n").empty());  // nothing of it is lost
  CHECK(between(head, head + "machine kport:k=3\n") ==
        Lost{"that no machine is named (read as kport:k=3)"});
  CHECK(between(head, head + "name of mine\n") == Lost{"that it has no name (read as 'of mine')"});
  CHECK(between(head + "name of mine\n", head) == Lost{"the name 'of mine'"});
  CHECK(between(head + "machine cbft\nnodes 5\n", head + "machine cbft\n") ==
        Lost{"the hop level"});
  CHECK(between(head, "schedcc 1\ncollective broadcast\nranks 3\nroot 1\nchunks 2\n") ==
        Lost{"the problem broadcast, 3 ranks, root 0, 2 chunks (read as broadcast, 3 ranks, root "
             "1, 2 chunks)"});
  const std::string custom = "schedcc 1\ncollective custom\nranks 3\nchunks 2\npre 0 : 0\n";
  CHECK(between(custom + "post 1 : 0\n", custom + "post 2 : 0\n") ==
        Lost{"chunks that ranks start or end with"});
  CHECK(between(head + step, head) == Lost{"2 steps with transfers or rounds (read as 0)"});
  CHECK(between(head + "step 3\n0 -> 1 : 0\n", head + "step 0\n0 -> 1 : 0\n") ==
        Lost{"the step numbers, starting with 3 (read as 0)"});
  CHECK(between(head + "step 3 rounds 2\n0 -> 1 : 0\n", head + "step 3\n0 -> 1 : 0\n") ==
        Lost{"the rounds of steps, starting with step 3"});
  CHECK(between(head + "step 3\n0 -> 1 : 0\n", head + "step 3\n0 -> 1 : 1\n") ==
        Lost{"messages, starting with step 3"});
  // Each rank's program has an order; messages of different ranks have none.
  CHECK(between(head + "step 3\n0 -> 1 : 0\n0 -> 2 : 1\n",
                head + "step 3\n0 -> 2 : 1\n0 -> 1 : 0\n") ==
        Lost{"the order of a rank's messages within steps, starting with step 3"});
  CHECK(between(head + "step 3\n0 -> 1 : 0\n1 -> 2 : 1\n",
                head + "step 3\n1 -> 2 : 1\n0 -> 1 : 0\n") ==
        Lost{"the order of a rank's messages within steps, starting with step 3"});
  const std::string four = "schedcc 1\ncollective broadcast\nranks 4\nroot 0\nchunks 2\n";
  CHECK(
      between(four + "step 3\n0 -> 1 : 0\n2 -> 3 : 1\n", four + "step 3\n2 -> 3 : 1\n0 -> 1 : 0\n")
          .empty());
}

TEST_CASE("formats name no machine for a schedule that names none, or say so") {
  const std::string text =
      "schedcc 1\ncollective custom\nranks 2\nchunks 1\npre 0 : 0\npost 1 : 0\nstep 0\n0 -> 1 : "
      "0\n";
  const Source source = read(text, "sched");
  for (const Format* format : schedcc::formats()) {
    if (!FormatEntry::of(*format).keeps_all) continue;
    INFO(format->name);
    const Source back = read(written(source, format->name), format->name);
    CHECK(back.machine.empty());
    CHECK(written(back, "sched") == text);
  }
}
