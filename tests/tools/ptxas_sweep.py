#!/usr/bin/env python3
"""Compiles bytecode files for several GPUs, has ptxas assemble them, and compares stack and spills with tileiras's.

    ptxas_sweep.py TILEWRIGHT PTXAS FOLDER [--tileiras PATH] [--targets sm_80,sm_90a] [--every N] [--jobs N]

A kernel of which tileiras compiles a target must compile here too, be accepted by ptxas, and spill nothing where
tileiras has no stack. FOLDER is searched for `*.tileirbc`, such as `export_corpus.py` writes. tileiras is asked only
about files that are refused or that spill. Prints a table, then the files of each kind; exit code 1 if there are any.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

TARGETS = "sm_80,sm_89,sm_90a,sm_100a,sm_120a"
SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
# Attributes of a kernel in a cubin: a symbol and the bytes of its stack frame.
FRAME_SIZE = 0x11


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout + done.stderr


def frame_of(cubin):
    """The largest stack frame of the kernels of a cubin, in bytes, from its `.nv.info` section."""
    data = cubin.read_bytes()
    (first,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQ", data, first + at * size) for at in range(count)]
    start = sections[names][4]
    most = 0
    for name, _, _, _, offset, length in sections:
        end = data.index(b"\0", start + name)
        if data[start + name:end] != b".nv.info":
            continue
        at = offset
        while at < offset + length:
            form, attribute, value = struct.unpack_from("<BBH", data, at)
            at += 4
            if form == 4:
                if attribute == FRAME_SIZE and value == 8:
                    most = max(most, struct.unpack_from("<II", data, at)[1])
                at += value
    return most


def first_line(text):
    lines = [line for line in text.splitlines() if "error" in line.lower()] or text.splitlines()
    return re.sub(r"^.*?error:?\s*", "", lines[0])[:110] if lines else "no words"


def judge(path, target, options):
    """What becomes of a file on a target: a word, and what there is to say."""
    with tempfile.TemporaryDirectory() as folder:
        ptx, cubin, theirs = (Path(folder) / name for name in ("k.ptx", "k.cubin", "t.cubin"))

        def tileiras():
            """The stack frame of tileiras's code; None where it refuses the file or is not asked."""
            if not options.tileiras:
                return None
            code, _ = run([options.tileiras, f"--gpu-name={target.rstrip('af')}", "-o", theirs, path])
            return None if code else frame_of(theirs)

        code, said = run([options.tilewright, "compile", path, "--target", target, "--emit", "ptx", "-o", ptx])
        if code:
            # 3 is a refusal, 5 an error of the compiler itself.
            word = "refused" if code == 3 else "fails"
            frame = tileiras()
            if options.tileiras and frame is None:
                return "refused by both", ""
            return word, first_line(said)
        code, said = run([options.ptxas, "-v", f"-arch={target}", ptx, "-o", cubin])
        if code:
            return "not assembled", first_line(said)
        spills = max((int(stores) + int(loads) for _, stores, loads in SPILLS.findall(said)), default=0)
        if not spills:
            return "good", ""
        frame = tileiras()
        if frame:
            return "spills as tileiras", f"{spills} bytes; tileiras's stack has {frame}"
        return "spills", f"{spills} bytes"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilewright")
    parser.add_argument("ptxas")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tileiras")
    parser.add_argument("--targets", default=TARGETS)
    parser.add_argument("--every", type=int, default=1, help="take every N-th file only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--most", type=int, default=5, help="how many files of a kind are shown")
    options = parser.parse_args()
    os.environ.pop("CUDA_HOME", None)
    files = sorted(options.folder.rglob("*.tileirbc"))[::options.every]
    targets = options.targets.split(",")
    table, kinds = collections.defaultdict(collections.Counter), collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = {pool.submit(judge, path, target, options): (path, target) for path in files for target in targets}
        for done in concurrent.futures.as_completed(work):
            path, target = work[done]
            word, why = done.result()
            table[target][word] += 1
            if why:
                kinds[word, why if word != "spills" else ""].append((path, target, why))
    words = sorted({word for counts in table.values() for word in counts})
    print(f"{'target':10}" + "".join(f"{word:>20}" for word in words))
    for target in targets:
        print(f"{target:10}" + "".join(f"{table[target][word]:20}" for word in words))
    for (word, why), found in sorted(kinds.items(), key=lambda kind: -len(kind[1])):
        print(f"{word}, {len(found)}: {why}")
        for path, target, why in sorted(found, key=lambda one: one[1:])[:options.most]:
            print(f"    {path.name} for {target}" + (f": {why}" if word.startswith("spills") else ""))
    bad = {"refused", "fails", "not assembled", "spills"}
    return 1 if any(word in bad for counts in table.values() for word in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
