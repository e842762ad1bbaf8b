"""What the scripts that compare layouts with other implementations (`diff_*.py`) have in common: their arguments, and
this project's side of the comparison."""

import argparse
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "layouts/tests/data"
CRATE = ["-p", "tilewright-layouts"]


def arguments(doc, cases, records):
    """`--cases`, of which `cases` says what they are of, `--seed` and `--record`."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--cases", type=int, default=10_000, help=cases)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true", help=f"write {records.relative_to(ROOT)}")
    return parser.parse_args()


def answers(example, questions):
    """The answers of an example of the crate, a line each."""
    command = ["cargo", "run", "-q", *CRATE, "--example", example]
    lines = "".join(question + "\n" for question in questions)
    run = subprocess.run(command, cwd=ROOT, input=lines, text=True, stdout=subprocess.PIPE, check=True)
    found = run.stdout.splitlines()
    assert len(found) == len(questions), "as many answers as questions"
    return found


def compare(test, variable, cases):
    """Whether a test of the crate, which reads the file that an environment variable names, agrees with all cases."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("".join(case + "\n" for case in cases))
        file.flush()
        command = ["cargo", "test", "-q", *CRATE, "--test", test]
        run = subprocess.run(command, cwd=ROOT, env={**os.environ, variable: file.name}, stdout=subprocess.PIPE, text=True)
    if run.returncode:
        print(run.stdout)
    return run.returncode == 0


def record(path, header, lines):
    """Writes cases for the tests to replay, with comments before them."""
    path.write_text("".join(line + "\n" for line in [*(f"# {line}" for line in header), *lines]))
