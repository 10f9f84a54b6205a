#!/usr/bin/env python3
"""Reports for pipelines, and the pipelines of docs/ci.md.

    tests/cli/ci.py SCHEDCC

The SARIF of all examples and of malformed files is as tests/cli/sarif.schema.json says (and as the schema of the standard
says, if SCHEDCC_SARIF_SCHEMA names its file), its rules are
those that results name, and it has the findings of --json; the JUnit is well-formed and counts the
same verdicts; names and messages of any bytes come through. The commands of the pipelines in
docs/ci.md run as a shell of theirs would run them: with schedules that hold they succeed, with one
that does not they fail, and what they write can be read.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from expectations import Expectations

try:
    import jsonschema
except ImportError:
    jsonschema = None

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# SCHEDCC_SARIF_SCHEMA: the schema of OASIS (sarif-schema-2.1.0.json), which is not part of the project.
SCHEMAS = [HERE / "sarif.schema.json", *map(pathlib.Path, filter(None, [os.environ.get("SCHEDCC_SARIF_SCHEMA")]))]
HEADER = b"schedcc 1\ncollective broadcast\nranks 3\nroot 0\nchunks 1\n"


class Test(Expectations):
    def verify(self, folder, *options):
        done = subprocess.run([self.schedcc, "verify", *options], cwd=folder, capture_output=True, timeout=300)
        return done.returncode, done.stdout.decode("utf-8", "replace" if "github" in options else "strict")

    def reports(self, folder, *files):
        """The three formats of a report agree."""
        what = " ".join(files)
        status, text = self.verify(folder, *files, "--format", "json")
        reports = json.loads(text)
        findings = sum(len(r.get("findings", [])) for r in reports)
        unreadable = sum(r["verdict"] == "unreadable" for r in reports)

        sarif_status, text = self.verify(folder, *files, "--format", "sarif")
        self.expect(sarif_status == status, f"{what}: sarif ends with {sarif_status}, not {status}")
        log = json.loads(text)
        for path in SCHEMAS if jsonschema else ():
            schema = json.loads(path.read_text())
            for error in jsonschema.validators.validator_for(schema)(schema).iter_errors(log):
                self.expect(False, f"{what}: sarif: /{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
        run, = log["runs"]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.expect(len(set(rules)) == len(rules), f"{what}: a rule is there twice")
        for result in run["results"]:
            self.expect(rules[result["ruleIndex"]] == result["ruleId"], f"{what}: the wrong rule {result['ruleId']}")
        of_checks = [r for r in run["results"] if r["ruleId"] != "unreadable"]
        self.expect(len(of_checks) >= findings, f"{what}: {len(of_checks)} results for {findings} findings")
        self.expect(len(run["results"]) - len(of_checks) == unreadable, f"{what}: not {unreadable} unreadable files")
        self.expect(run["invocations"][0]["exitCode"] == status, f"{what}: another exit code")

        junit_status, text = self.verify(folder, *files, "--format", "junit")
        self.expect(junit_status == status, f"{what}: junit ends with {junit_status}, not {status}")
        suites = xml.etree.ElementTree.fromstring(text)
        cases = suites.findall("./testsuite/testcase")
        self.expect(len(cases) == int(suites.get("tests")) == len(reports), f"{what}: {len(cases)} test cases")
        for element, attribute, verdicts in (("failure", "failures", ["violated"]), ("error", "errors", ["unreadable", "unknown"])):
            count = sum(case.find(element) is not None for case in cases)
            wanted = sum(r["verdict"] in verdicts for r in reports)
            self.expect(count == wanted == int(suites.get(attribute)), f"{what}: {count} times {element}, not {wanted}")
        return status

    def pipelines(self):
        page = (ROOT / "docs" / "ci.md").read_text()
        blocks = re.findall(r"<!-- pipeline -->\n\n```(\w+)\n(.*?)```", page, re.DOTALL)
        self.expect(len(blocks) == 3, f"docs/ci.md: {len(blocks)} pipelines")
        for language, text in blocks:
            # Scripts of YAML: `run: COMMAND`, and `- COMMAND` in lists of them.
            lines = re.findall(r"^ *(?:run:|-) (schedcc .*)$", text, re.MULTILINE) if language == "yaml" else [text]
            self.expect(lines, f"docs/ci.md: a pipeline without a command:\n{text}")
            together = "run:" not in text  # a shell for each step of GitHub, one for all lines of GitLab
            scripts = ["\n".join(lines)] if together else lines
            for broken in (False, True):
                self.pipeline(scripts, broken)

    def pipeline(self, scripts, broken):
        with tempfile.TemporaryDirectory() as folder:
            schedules = pathlib.Path(folder) / "schedules"
            schedules.mkdir()
            for example in ("ring-allgather-4.sched", "five-ranks.sched"):
                shutil.copy(ROOT / "schedules" / example, schedules)
            if broken:
                shutil.copy(ROOT / "schedules" / "bad" / "counted-twice.sched", schedules)
            os.makedirs(f"{folder}/bin")
            os.symlink(self.schedcc, f"{folder}/bin/schedcc")
            environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
            statuses = [subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=folder, env=environment,
                                       capture_output=True, timeout=300).returncode for script in scripts]
            self.expect(any(statuses) == broken, f"status {statuses}, with{'' if broken else 'out'} a violated check: {scripts}")
            for path in pathlib.Path(folder).glob("schedules.*"):
                if path.suffix == ".xml":
                    xml.etree.ElementTree.parse(path)
                else:
                    json.loads(path.read_text())

    def check(self):
        self.expect(self.reports(ROOT, "schedules", "tests/format") == 2, "the examples: not status 2")
        with tempfile.TemporaryDirectory() as folder:
            for i, text in enumerate((b"", b"\xff\xfe", b"schedcc 1\n\x01\x1b[31m\n", "schedcc 1\ncollective ü]]>\n".encode(),
                                      b"schedcc 1\ncollective \xed\xa0\x80\n", HEADER + b"name \xef\xbf\xbe <&\"'>\nstep 0\n0 -> 1 : 0\n")):
                (pathlib.Path(folder) / f"{i}.sched").write_bytes(text)
            for name in (b"a b%.sched", "ü.sched".encode(), b"\xff.sched", b"-x:y,z.sched", b"\"<&>'.sched", b"line\nend.sched"):
                with open(os.path.join(folder.encode(), name), "wb") as file:
                    file.write(HEADER + b"step 0\n0 -> 1 : 0\n")
            self.reports(folder, ".")
            status, text = self.verify(folder, ".", "--format", "github")
            for line in text.splitlines():
                self.expect(re.match(r"::(error|warning|notice) file=[^:,]+(,line=\d+)?(,col=\d+)?,title=[^:,]+::.|\./", line)
                            or line == "end.sched: " or line.startswith("end.sched: violated"), f"github: {line}")
        self.pipelines()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    test = Test(sys.argv[1])
    test.check()
    test.end("reports and pipelines are as they should be" + ("" if jsonschema else ", apart from SARIF: no jsonschema"))


if __name__ == "__main__":
    main()
