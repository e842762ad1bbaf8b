"""Times the kernels of TileGym, compiled by several compilers.

    python3 tests/gpu/tilegym.py CHECKOUT NAME=TILEIRAS [NAME=TILEIRAS ...] [--only WORD] [--cases N] [--configs N]

CHECKOUT is one of NVIDIA/TileGym; each TILEIRAS is a compiler to compare, such as this one linked as `tileiras`. Runs
what TileGym's own tests of performance (`test_perf`) time, with their comparison with PyTorch, N cases of each (3), spread over
their parameters. Where TileGym searches for the best of many configurations, each compiler has N of them (3) to choose from.
All run in one process; times are medians of alternating bursts of 5 ms. Prints the ratio of the first compiler's time to that of
each other one, and their geometric means. Exit code 1 if a result is wrong.
"""

import argparse
import importlib
import inspect
import itertools
import math
import os
import sys
import types

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from measure import compilers, medians, once, select, spread  # noqa: E402


class Captured(BaseException):
    """What a test wants to time."""

    def __init__(self, launch):
        super().__init__()
        self.launch = launch


def search(count):
    """A search for the fastest of a few configurations, with the interface of cuTile's exhaustive search."""

    def found(space, stream, grid, kernel, arguments, hints=None, **_):
        import cuda.tile as ct

        best = None
        for config in spread(space, count):
            try:
                function = kernel if hasattr(kernel, "replace_hints") else kernel(config)
                function = function.replace_hints(**hints(config)) if hints else function
                values = arguments(config)
                seconds = once(lambda: ct.launch(stream, grid(config), function, values))
            except Exception:  # A configuration that cannot be launched.
                continue
            if best is None or seconds < best[0]:
                best = (seconds, config)
        if best is None:
            raise RuntimeError("no configuration can be launched")
        measured = types.SimpleNamespace(config=best[1], mean_us=best[0] * 1e6)
        return types.SimpleNamespace(best=measured, successes=[measured], failures=[])

    return found


def own(name):
    """Whether a module is one of TileGym's."""
    return name.split(".")[0] in ("tilegym", "tests")


def install(modules):
    """Has imports find these modules of TileGym: its functions import others when they are called."""
    for name in [name for name in sys.modules if own(name) and name not in modules]:
        del sys.modules[name]
    sys.modules.update(modules)


def installed():
    """The modules of TileGym that imports find."""
    return {name: module for name, module in sys.modules.items() if own(name)}


def with_modules(modules, launch):
    """A launch whose imports find these modules."""

    def launched():
        sys.modules.update(modules)
        return launch()

    return launched


def loaded(name, configs):
    """A module of TileGym's tests, with kernels that no compiler has compiled yet."""
    install({})
    tune = importlib.import_module("cuda.tile.tune")
    tune.exhaustive_search = search(configs)
    common = importlib.import_module("tests.common")

    def capture(framework, launch, **_):
        raise Captured(launch)

    common.benchmark_framework = capture
    return importlib.import_module(f"tests.ops.{name}")


def cases(test):
    """The parameters of a test: all combinations of its marks, without those that say whose kernels run."""
    fixed, axes = {}, []
    for mark in getattr(test, "pytestmark", []):
        if mark.name != "parametrize":
            continue
        names = mark.args[0]
        names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
        if names in (["framework"], ["backend"]):
            fixed[names[0]] = "cutile"
            continue
        values = [getattr(value, "values", value) for value in mark.args[1]]
        if len(names) == 1:
            values = [value if isinstance(value, tuple) and len(value) == 1 else (value,) for value in values]
        axes.append([dict(zip(names, value)) for value in values])
    for chosen in itertools.product(*axes):
        yield fixed | {name: value for part in chosen for name, value in part.items()}


def tests(module):
    """The tests of performance of a module: a class's name and the test's."""
    for owner, kind in inspect.getmembers(module, inspect.isclass):
        for name, test in inspect.getmembers(kind, inspect.isfunction):
            if name == "test_perf" and kind.__module__ == module.__name__:
                yield owner, name, list(cases(test))


def captured(module, owner, name, parameters):
    """What a test times, after it compared the results."""
    kind = getattr(module, owner)
    test = kind()
    function = getattr(test, name)
    extra = {"record_property": lambda *_: None, "arch": "hopper"}
    wanted = inspect.signature(function).parameters
    try:
        function(**parameters, **{key: value for key, value in extra.items() if key in wanted and key not in parameters})
    except Captured as found:
        return found.launch
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout")
    parser.add_argument("compilers", nargs="+")
    parser.add_argument("--only", default="")
    parser.add_argument("--skip", default="")
    parser.add_argument("--cases", type=int, default=3)
    parser.add_argument("--configs", type=int, default=3)
    options = parser.parse_args()
    found = compilers(options.compilers)
    first = next(iter(found))
    checkout = os.path.abspath(options.checkout)
    sys.path[:0] = [os.path.join(checkout, "src"), checkout]
    files = sorted(file[:-3] for file in os.listdir(os.path.join(checkout, "tests/ops")) if file.startswith("test_"))
    skipped = [word for word in options.skip.split(",") if word]
    wrong, ratios = 0, {name: [] for name in found if name != first}
    for file in files:
        if options.only not in file or any(word in file for word in skipped):
            continue
        modules, imported = {}, {}
        for name in found:
            try:
                modules[name] = loaded(file, options.configs)
                imported[name] = installed()
            except Exception as error:
                print(f"{file}: {type(error).__name__}: {str(error)[:200]}", flush=True)
                break
        if len(modules) < len(found):
            continue
        for owner, test, all_cases in tests(modules[first]):
            for parameters in spread(all_cases, options.cases):
                words = ", ".join(str(value).replace("torch.", "") for value in parameters.values())
                title = f"{file[5:]} {owner} {words}"[:90]
                launches = {}
                for name, compiler in found.items():
                    select(compiler)
                    install(imported[name])
                    torch.manual_seed(1)
                    try:
                        launch = captured(modules[name], owner, test, parameters)
                        if launch is not None:
                            imported[name] = installed()
                            launches[name] = with_modules(imported[name], launch)
                            launches[name]()
                            torch.cuda.synchronize()
                    except BaseException as error:
                        if isinstance(error, KeyboardInterrupt):
                            raise
                        is_skipped = type(error).__name__ == "Skipped"
                        wrong += not is_skipped
                        print(f"{title} {name}: {type(error).__name__}: {str(error)[:200]!r}", flush=True)
                if len(launches) == len(found):
                    try:
                        times = medians(launches)
                    except Exception as error:  # Another kernel, which a compiler cannot compile.
                        print(f"{title}: {type(error).__name__}: {str(error)[:200]!r}", flush=True)
                        wrong += 1
                        continue
                    line = "  ".join(f"{name} {time:9.1f}" for name, time in times.items())
                    for name in ratios:
                        ratios[name].append(times[first] / times[name])
                        line += f"  {times[first] / times[name]:6.3f} of {name}"
                    print(f"{title:90} {line}", flush=True)
                launches.clear()
                torch.cuda.empty_cache()
    for name, of_cases in ratios.items():
        if of_cases:
            mean = math.exp(sum(map(math.log, of_cases)) / len(of_cases))
            print(f"{len(of_cases)} cases: time of {first} {mean:.3f} of {name}'s, at most {max(of_cases):.3f}")
    sys.exit(wrong > 0)


main()
