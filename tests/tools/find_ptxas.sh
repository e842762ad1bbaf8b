#!/usr/bin/env bash
# Prints the path of the ptxas that pip installed into the virtual environment $1.
set -euo pipefail
for candidate in "$1"/lib/python3*/site-packages/nvidia/cu13/bin/ptxas; do
    if [ -x "$candidate" ]; then
        realpath "$candidate"
        exit 0
    fi
done
echo "no ptxas under $1" >&2
exit 1
