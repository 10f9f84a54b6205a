#!/usr/bin/env python3
"""The package says what it has: stubs, annotations and docstrings are complete."""

import ast
import dataclasses
import inspect
import pathlib
import shutil
import subprocess
import sys
import typing
import unittest

import schedcc
from schedcc import _schedcc

FOLDER = pathlib.Path(schedcc.__file__).parent


def public(thing):
    return {name: value for name, value in vars(thing).items() if not name.startswith("_")}


def arguments(definition):
    """The names of the parameters of a function in a stub, without self."""
    names = [a.arg for a in (*definition.args.posonlyargs, *definition.args.args, *definition.args.kwonlyargs)]
    return [name for name in names if name != "self"]




class Stub(unittest.TestCase):
    """_schedcc.pyi, of the module in C++."""

    def setUp(self):
        self.names = {}
        for node in ast.parse((FOLDER / "_schedcc.pyi").read_text()).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                self.names[node.name] = node
            elif isinstance(node, ast.AnnAssign):
                self.names[node.target.id] = node

    def test_has_what_the_module_has(self):
        self.assertEqual(set(public(_schedcc)), set(self.names))
        for name, node in self.names.items():
            if not isinstance(node, ast.ClassDef):
                continue
            members = {item.name: item for item in node.body if not item.name.startswith("_")}
            real = public(getattr(_schedcc, name))
            self.assertEqual(set(members), set(real), name)
            for member, item in members.items():
                is_property = any(getattr(d, "id", "") == "property" for d in item.decorator_list)
                self.assertEqual(is_property, isinstance(real[member], property), f"{name}.{member}")

    def test_parameters(self):
        for name, node in self.names.items():
            if isinstance(node, ast.FunctionDef):
                signature = getattr(_schedcc, name).__doc__.splitlines()[0].partition("(")[2].rpartition(") ->")[0]
                self.assertEqual(arguments(node), self.named(signature), name)
            elif isinstance(node, ast.ClassDef) and name in ("ProblemArguments", "Search"):
                made = next(item for item in node.body if item.name == "__init__")
                signature = getattr(_schedcc, name).__init__.__doc__.splitlines()[0].partition("(")[2]
                self.assertEqual(arguments(made), self.named(signature.rpartition(") ->")[0]), name)

    @staticmethod
    def named(signature):
        """The names in "handle: A, machine: Optional[B, C] = None", without self."""
        result, level, part = [], 0, ""
        for character in signature + ",":
            level += (character in "[(") - (character in "])")
            if character == "," and level == 0:
                result.append(part.partition(":")[0].strip())
                part = ""
            else:
                part += character
        return [name for name in result if name and name not in ("self", "*")]


class Package(unittest.TestCase):
    def test_is_typed(self):
        self.assertTrue((FOLDER / "py.typed").exists())
        self.assertEqual(sorted(schedcc.__all__), schedcc.__all__)
        visible = {name for name, value in vars(schedcc).items()
                   if not name.startswith("_") and not inspect.ismodule(value)}
        self.assertEqual(visible | {"__version__"}, set(schedcc.__all__))

    def members(self):
        """(name, function, class or property) of everything public."""
        for name in schedcc.__all__:
            value = getattr(schedcc, name)
            if inspect.isfunction(value):
                yield name, value
            elif inspect.isclass(value):
                yield name, value
                for parent in value.__mro__:
                    if parent.__module__.startswith("schedcc"):
                        for member, item in public(parent).items():
                            if isinstance(item, property) or inspect.isfunction(item):
                                yield f"{name}.{member}", item

    def test_docstrings_and_annotations(self):
        count = 0
        for name, item in self.members():
            count += 1
            self.assertTrue(inspect.getdoc(item), f"{name} has no docstring")
            if inspect.isclass(item):
                if dataclasses.is_dataclass(item):
                    self.assertFalse(inspect.getdoc(item).startswith(f"{name}("), f"{name} has no docstring")
                continue
            function = item.fget if isinstance(item, property) else item
            signature = inspect.signature(function)
            self.assertIsNot(signature.return_annotation, inspect.Signature.empty, name)
            for parameter in signature.parameters.values():
                self.assertTrue(parameter.name == "self" or parameter.annotation is not inspect.Parameter.empty, name)
        self.assertGreater(count, 100)

    def test_annotations_can_be_evaluated(self):
        for name in ("compile", "read", "reads", "tune", "prove", "prove_all_chunks", "algorithms"):
            self.assertIn("return", typing.get_type_hints(getattr(schedcc, name)))

    def test_type_checker(self):
        """Of Debian's python3-mypy, where it is installed."""
        found = [python for python in (sys.executable, "/usr/bin/python3") if shutil.which(python) and subprocess.run(
            [python, "-c", "import mypy"], stderr=subprocess.DEVNULL, check=False).returncode == 0]
        if not found:
            self.skipTest("without mypy")
        checked = subprocess.run([found[0], "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", "/dev/null",
                                  "--python-version", "3.9", "-p", "schedcc"], cwd=FOLDER.parent, capture_output=True,
                                 text=True, check=False)
        self.assertEqual(checked.stdout + checked.stderr, "")


if __name__ == "__main__":
    unittest.main()
