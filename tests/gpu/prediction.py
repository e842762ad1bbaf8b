"""Compares predicted times of kernels with measured ones, on the benchmarks of cuTile Python's tests.

    python3 tests/gpu/prediction.py CHECKOUT TILEWRIGHT [--only EXPRESSION] [--target TARGET] [--save FOLDER]
    python3 tests/gpu/prediction.py --saved FOLDER TILEWRIGHT [--target TARGET]

CHECKOUT is one of NVIDIA/cutile-python, TILEWRIGHT the program `tilewright`. pytest runs `test/bench_*.py` as in
suite_benchmarks.py. What each launch compiles is kept, and `tilewright schedule --json` predicts its time from the bytecode, the
grid, the integers among its arguments, and the bytes of its arrays. Printed are both times of each benchmark, and in the end
Spearman's correlation of their ranks, of each family and of all. Exit code 1 if it is less than 0.9 over all. Needs what
suite_benchmarks.py needs. `--save` keeps what was measured, and `--saved` predicts it again, which needs no GPU.
"""

import collections
import concurrent.futures
import functools
import glob
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

LEAST = 0.9
KEPT = "TILEIRAS_KEPT"


def ranks(values):
    """The rank of each value from 1 on; equal ones share the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end + 1 < len(order) and values[order[end + 1]] == values[order[at]]:
            end += 1
        for place in order[at : end + 1]:
            found[place] = (at + end) / 2 + 1
        at = end + 1
    return found


def spearman(one, other):
    """Spearman's correlation; not a number if there are fewer than two values, or all of one side are equal."""
    one, other = ranks(one), ranks(other)
    if len(one) < 2 or len(set(one)) < 2 or len(set(other)) < 2:
        return math.nan
    return statistics.correlation(one, other)


def parameters(kernel, arguments):
    """The parameters of a launch in the order of the bytecode: an array is its address, its extents and its strides; constants
    are no parameters."""
    words = []
    for argument, annotation in zip(arguments, kernel._annotated_function.parameter_annotations):
        if getattr(annotation, "constant", False):
            continue
        if hasattr(argument, "data_ptr"):
            words += ["_", *argument.shape, *argument.stride()]
        else:
            words.append(argument if type(argument) in (int, bool) else "_")
    return ",".join(str(int(word)) if word != "_" else word for word in words)


def specialized(arguments):
    """What the code of a kernel may depend on: launches that agree in it run the same code."""

    def of(argument):
        if not hasattr(argument, "data_ptr"):
            return argument
        return argument.dtype, tuple(argument.shape), argument.stride(), argument.data_ptr() % 16

    return tuple(map(of, arguments))


def gpu_options(program, target, device):
    """The options by which a prediction is for the GPU of this name, such as NVIDIA H200; none if the program does not know it."""
    for word in device.split():
        options = ["--gpu", word]
        example = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "bytecode")
        command = [program, "schedule", os.path.join(example, "vector_add.13.5.tileirbc"), "--target", target, *options]
        if subprocess.run(command, capture_output=True).returncode == 0:
            return options
    return []


def predict(program, target, gpu, launch):
    """Seconds of a launch, as predicted; `None` if it cannot be."""
    command = [program, "schedule", launch["bytecode"], "--json", "--target", target, *gpu]
    command += ["--grid", launch["grid"], "--bytes", str(launch["bytes"])]
    # A launch whose parameters are not understood is predicted without them.
    for more in ([f"--parameters={launch['parameters']}"] if launch["parameters"] else [], []):
        run = subprocess.run(command + more, capture_output=True, text=True)
        if run.returncode == 0:
            return sum(each["seconds"] for each in json.loads(run.stdout))
    print(f"{launch['bytecode']}: {run.stderr.strip()}", file=sys.stderr)
    return None


def described(bytecode, grid, kernel, arguments):
    """What a prediction of a launch needs."""
    arrays = {each.data_ptr(): each.numel() * each.element_size() for each in arguments if hasattr(each, "data_ptr")}
    extents = ",".join(str(extent) for extent in (grid if isinstance(grid, (tuple, list)) else (grid,)))
    return {
        "bytecode": bytecode,
        "grid": extents,
        "parameters": parameters(kernel, arguments),
        "bytes": sum(arrays.values()),
    }


def compare(program, target, gpu, measured):
    """Predicts what was measured; prints both times and correlations. Whether they are high enough."""

    def predicted(each):
        parts = [predict(program, target, gpu, launch) for launch in each["launches"]]
        return None if not parts or None in parts else 1e6 * sum(parts)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        predictions = list(pool.map(predicted, measured))
    families = collections.defaultdict(list)
    for each, time in zip(measured, predictions):
        line = f"{each['family']:18} {each['case']:48} {each['us']:10.2f} us"
        if time is None:
            print(f"{line}, not predicted")
            continue
        print(f"{line}, predicted {time:10.2f} us, ratio {time / each['us']:6.3f}")
        families[each["family"]].append((time, each["us"]))
    every = [pair for pairs in families.values() for pair in pairs]
    for family, pairs in [*families.items(), ("all", every)]:
        ratio = math.exp(statistics.fmean(math.log(one / other) for one, other in pairs)) if pairs else math.nan
        correlation = spearman(*zip(*pairs)) if pairs else math.nan
        print(f"{family:18} {len(pairs):3} cases, correlation {correlation:6.3f}, predicted/measured {ratio:.3f}")
    # What is not a number is not enough.
    return bool(every) and spearman(*zip(*every)) >= LEAST


def wrapper(folder, tileiras):
    """A program in the place of tileiras that keeps the bytecode it compiles, numbered, in the folder that KEPT names."""
    script = os.path.join(folder, "tileiras-that-keeps")
    with open(script, "w") as file:
        file.write(
            f"""#!/bin/sh
for word; do
    if [ -f "$word" ] && head -c 8 "$word" | grep -q TileIR; then
        cp "$word" "${KEPT}/$$.tileirbc"
    fi
done
exec "{tileiras}" "$@"
"""
        )
    os.chmod(script, 0o755)
    return script


def measure(checkout, program, only, folder):
    """Runs the benchmarks and times them. Returns pytest's code, and for each benchmark its time in microseconds and its launches."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import pytest
    import torch

    from measure import compilers, medians, once
    from suite_benchmarks import GRAPH, REPETITIONS, Recorder, Suite

    kept = os.environ[KEPT] = tempfile.mkdtemp()
    tileiras = os.path.join(kept, "tileiras")
    os.symlink(program, tileiras)
    found = compilers([f"tilewright={wrapper(kept, tileiras)}"])
    import cuda.tile as tile

    class Measuring(Suite):
        """Runs each benchmark, times it, and keeps what its launches compiled."""

        def __init__(self):
            super().__init__(tile, found)
            self.compiled, self.measured = {}, []

        def launch(self, stream, grid, kernel, arguments):
            """In place of `cuda.tile.launch`: a kernel has a copy for each code that it may compile to, so that it is known which
            bytecode a launch runs."""
            key = id(kernel), specialized(arguments)
            if key in self.compiled:
                self.start(stream, grid, self.compiled[key][1], arguments)
            else:
                own = kernel.replace_hints()
                self.start(stream, grid, own, arguments)
                bytecode = os.path.join(folder, f"{len(self.compiled)}.tileirbc")
                *others, new = sorted(glob.glob(os.path.join(kept, "*.tileirbc")), key=os.path.getmtime)
                shutil.move(new, bytecode)
                for other in others:
                    os.remove(other)
                # The kernel stays alive, so that no other has its id.
                self.compiled[key] = kernel, own, bytecode
            _, own, bytecode = self.compiled[key]
            self.launches.append((grid, own, arguments, bytecode))

        @pytest.hookimpl(tryfirst=True)
        def pytest_pyfunc_call(self, pyfuncitem):
            pyfuncitem.module.estimate_bench_iter = lambda *_, **__: (0, 1, 1)
            recorder = Recorder(self)
            arguments = {word: pyfuncitem.funcargs[word] for word in pyfuncitem._fixtureinfo.argnames}
            torch.manual_seed(1)
            pyfuncitem.obj(**arguments | {"benchmark": recorder})
            self.launches.clear()
            call = functools.partial(self.start_all, [launch[:3] for launch in recorder.launches])
            repetitions = max(1, min(REPETITIONS, round(GRAPH / once(call))))
            time = medians({"": self.repeated(call, repetitions)})[""] / repetitions
            launches = [described(bytecode, *launch) for *launch, bytecode in recorder.launches]
            self.measured.append({
                "family": pyfuncitem.originalname.removeprefix("bench_"),
                "case": pyfuncitem.callspec.id,
                "us": time,
                "launches": launches,
            })
            return True

    suite = Measuring()
    suite.select("tilewright")
    tests = os.path.join(checkout, "test")
    files = sorted(file for file in os.listdir(tests) if file.startswith("bench_") and file.endswith(".py"))
    options = ["-q", "-s", "--no-header", "--tb=line", "-p", "no:cacheprovider", "-W", "ignore"]
    options += ["-k", only] if only else []
    code = pytest.main([*options, *(os.path.join(tests, file) for file in files)], plugins=[suite])
    shutil.rmtree(kept)
    return int(code), torch.cuda.get_device_name(), suite.measured


def main():
    words = sys.argv[1:]

    def option(name, default=None):
        if name not in words:
            return default
        at = words.index(name)
        value = words[at + 1]
        del words[at : at + 2]
        return value

    only, target = option("--only"), option("--target", "sm_90a")
    save, saved = option("--save"), option("--saved")
    program = os.path.abspath(words[-1])
    if saved:
        with open(os.path.join(saved, "measured.json")) as file:
            code, device, measured = json.load(file)
        for launch in (launch for each in measured for launch in each["launches"]):
            launch["bytecode"] = os.path.join(saved, os.path.basename(launch["bytecode"]))
    else:
        folder = save or tempfile.mkdtemp()
        os.makedirs(folder, exist_ok=True)
        code, device, measured = measure(words[0], program, only, folder)
        with open(os.path.join(folder, "measured.json"), "w") as file:
            json.dump((code, device, measured), file)
    enough = compare(program, target, gpu_options(program, target, device), measured)
    if not saved and not save:
        shutil.rmtree(folder)
    return code if enough else 1


if __name__ == "__main__":
    sys.exit(main())
