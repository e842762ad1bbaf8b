#!/bin/sh
# In the place of `tileiras`, where NVIDIA's own cannot run: gives cubins that were compiled elsewhere.
#
#     RECORDS=FOLDER OURS=TILEIRAS recorded_tileiras.sh INPUT -o OUTPUT ...
#
# Copies FOLDER/HASH.cubin, where HASH is the SHA-256 of the bytecode. If there is none, keeps the bytecode as FOLDER/HASH.bc and
# has the compiler OURS compile it. To compare with NVIDIA's compiler: run a script with this one, compile the FOLDER/*.bc that
# it left, and run it again.
set -e
for word in "$@"; do
    case "$previous" in
        -o) output=$word ;;
        --gpu-name | --opt-level | -O) ;;
        *) case "$word" in -*) ;; *) input=$word ;; esac ;;
    esac
    previous=$word
done
hash=$(sha256sum "$input" | cut -d ' ' -f 1)
if [ -f "$RECORDS/$hash.cubin" ]; then
    exec cp "$RECORDS/$hash.cubin" "$output"
fi
mkdir -p "$RECORDS"
cp "$input" "$RECORDS/$hash.bc"
exec "$OURS" "$@"
