"""Times of launches on one GPU, and several compilers in one process."""

import contextlib
import os
import statistics
import tempfile

import torch

BURST = 5e-3
ROUNDS = 20
SELECTED = "TILEIRAS_SELECTED"
RUNNING = f'#!/bin/sh\nexec "${SELECTED}" "$@"\n'
# What a graph takes at least, as far as its repetitions can make it.
GRAPH = 2e-4
REPETITIONS = 100


def burst(launch, seconds):
    """Microseconds for each launch, of as many as take about this time."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(max(1, round(BURST / seconds))):
        launch()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e3 / max(1, round(BURST / seconds))


def once(launch):
    """Seconds for a launch, roughly."""
    for _ in range(3):
        launch()
    torch.cuda.synchronize()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(5):
        launch()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 5e3


def repeated(call, count):
    """Calls this so many times, by a CUDA graph if one can capture it."""
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        try:
            graph.capture_begin()
            for _ in range(count):
                call()
            graph.capture_end()
            return graph.replay
        except Exception:
            with contextlib.suppress(Exception):
                graph.capture_end()
    torch.cuda.synchronize()
    return lambda: [call() for _ in range(count)]


def repetitions(seconds):
    """How often what takes so long is repeated in a graph, so that the graph's own start does not count."""
    return max(1, min(REPETITIONS, round(GRAPH / seconds)))


def spread(items, count):
    """So many of the items, spread evenly."""
    items = list(items)
    if len(items) <= count:
        return items
    return [items[round(at * (len(items) - 1) / max(1, count - 1))] for at in range(count)]


def medians(launches):
    """Microseconds for each launch: medians of bursts that alternate."""
    seconds = {name: once(launch) for name, launch in launches.items()}
    times = {name: [] for name in launches}
    for _ in range(ROUNDS):
        for name, launch in launches.items():
            times[name].append(burst(launch, seconds[name]))
    return {name: statistics.median(found) for name, found in times.items()}


def compilers(arguments, text=RUNNING):
    """The compilers by name; `tileiras` on PATH becomes a script, that runs the one that is selected."""
    found = dict(word.split("=", 1) for word in arguments if "=" in word)
    folder = tempfile.mkdtemp()
    script = os.path.join(folder, "tileiras")
    with open(script, "w") as file:
        file.write(text)
    os.chmod(script, 0o755)
    os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"]
    os.environ["CUDA_TILE_CACHE_SIZE"] = "0"
    return {name: os.path.abspath(path) for name, path in found.items()}


def select(path):
    """Has this compiler compile what is launched for the first time from now on."""
    os.environ[SELECTED] = path
