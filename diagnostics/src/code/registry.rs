//! The table of codes.
//!
//! To add a code, insert its explanation, name, variant and title in numerical order. The number of a released code
//! is never reused.
//!
//! | range | subject |
//! |---|---|
//! | E01xx | the bytecode container |
//! | E02xx | the syntax of texts |
//! | E03xx | names, uses, arity and types of ops |
//! | E04xx | rules of the types themselves |
//! | E05xx | unsupported features |
//! | E06xx | attributes and hints |
//! | E07xx | targets, their limits, and the assembler |
//! | E08xx | running a kernel |
//! | E09xx | bugs of the compiler |

use super::codes;

codes! {
    /// The file does not begin with the eight bytes `7F 54 69 6C 65 49 52 00` of a Tile IR bytecode file. It may be
    /// a text file, a cubin, or empty.
    E0101 BadMagic "not Tile IR bytecode";

    /// The bytecode has a version that this compiler does not read. The version is stored in the four bytes after
    /// the magic number: major, minor, and a tag of two bytes.
    ///
    /// Front ends can write older versions; select one that the message lists.
    E0102 UnsupportedVersion "unsupported bytecode version";

    /// The file, or a section of it, ends before its contents are complete. The usual cause is an incomplete write
    /// or copy; a wrong length field has the same effect.
    E0103 Truncated "bytecode ends too early";

    /// A section of the bytecode appears twice. Each section may appear once.
    E0104 DuplicateSection "duplicate section";

    /// The bytecode has a section of a kind that its version does not define.
    E0105 UnknownSection "unknown section";

    /// A section must begin at a multiple of the alignment that it states, and that alignment must be a power of
    /// two. The padding before the section must make up the difference.
    E0106 MisalignedSection "misaligned section";

    /// A section that the others refer to is not in the file. A file with functions needs strings, types, and
    /// (if constants are used) constants.
    E0107 MissingSection "missing section";

    /// A length or count field exceeds the rest of the file or section, or bytes are left over after the announced
    /// contents.
    E0108 BadSectionLength "section length does not fit its contents";

    /// A variable-length integer is longer than ten bytes, or its value needs more than 64 bits, or more bits
    /// than the field has.
    E0109 BadVarint "malformed variable-length integer";

    /// The bytecode refers to an entry of the string table that does not exist.
    E0110 StringIndex "string index out of bounds";

    /// The bytecode refers to an entry of the type table that does not exist.
    E0111 TypeIndex "type index out of bounds";

    /// The bytecode refers to an entry of the constant table that does not exist.
    E0112 ConstantIndex "constant index out of bounds";

    /// An op of the bytecode uses a value number that no earlier op, block argument or function argument has.
    E0113 ValueIndex "value index out of bounds";

    /// The opcode is not assigned to any op, in any version that this compiler reads.
    ///
    /// If the rest of the file is well formed, this is a newer op; otherwise the reader may be misaligned after an
    /// error earlier in the file.
    E0114 UnknownOpcode "unknown opcode";

    /// The op exists only from a later bytecode version than that of the file. A front end must write the version
    /// that its ops need.
    E0115 OpcodeTooNew "opcode newer than the file's bytecode version";

    /// A field of an enumeration (a comparison, a rounding mode, a memory order) holds a number without a meaning.
    E0116 BadEnumValue "number stands for no case of its enumeration";

    /// The tag byte of an attribute is not assigned to any kind of attribute.
    E0117 BadAttributeTag "unknown attribute tag";

    /// Regions, types or attributes are nested deeper than this compiler accepts. The limit protects it against
    /// malicious files; no front end comes near it.
    E0118 NestingTooDeep "nested too deep";

    /// An entry of the type table does not describe a type: its tag is not known, its parts are missing, or it
    /// refers to itself.
    E0119 MalformedType "malformed type";

    /// The debug section does not describe locations: an index is out of bounds, an attribute refers to itself,
    /// or an op has no entry.
    E0120 MalformedDebugInfo "malformed debug information";

    /// The body of a function is shorter or longer than its stated length.
    E0121 BodyLength "function body length mismatch";

    /// A string of the bytecode is not valid UTF-8. Symbol names, file paths and messages must all be.
    E0122 InvalidUtf8 "string is not valid UTF-8";

    /// The data of a constant do not have the size that its type requires.
    E0123 ConstantSize "constant data of the wrong size";

    /// A flags field has a bit set that the file's bytecode version does not define.
    E0124 UnknownFlags "unknown flag bits";

    /// The text continues with a token that is not allowed here. The label shows the first such token; the error
    /// may be a little before it.
    E0201 UnexpectedToken "unexpected token";

    /// No token of the language begins with these characters.
    E0202 BadToken "characters that begin no token";

    /// A bracket, a string or a comment is opened but not closed.
    E0203 UnclosedDelimiter "unclosed delimiter";

    /// The language of this stage has no op of that name. Each stage has its own ops: an op that one stage removes
    /// does not exist in later stages.
    E0204 UnknownOp "unknown op";

    /// The language of this stage has no type of that name.
    E0205 UnknownType "unknown type";

    /// The op, or the language, has no attribute of that name.
    E0206 UnknownAttribute "unknown attribute";

    /// A number, a string or a word is well formed but its value cannot be used: an integer that does not fit its
    /// type, a float that its format cannot represent, an unknown escape.
    E0207 BadLiteral "literal cannot be used";

    /// The text is larger than this compiler accepts, or its brackets are nested deeper. Both limits protect it
    /// against malicious files.
    E0208 InputTooLarge "input too large or too deeply nested";

    /// The text ends where more is needed, such as in the middle of an op or before a block is closed.
    E0209 UnexpectedEnd "unexpected end of the text";

    /// The text is not valid UTF-8, which is required of all texts, comments and strings included.
    E0210 TextNotUtf8 "text is not valid UTF-8";

    /// No layout of the catalogue has a name that begins like this. `tilewright layout names` lists the names; the
    /// text of a linear layout begins with `linear<`.
    E0211 UnknownLayout "no layout of that name";

    /// A value is used that no earlier op defines. A value may be used after its definition, in the same block and
    /// in the regions nested in it.
    E0301 UndefinedValue "undefined value, or use before its definition";

    /// A name is defined twice in one scope. The label shows the second definition.
    E0302 Redefinition "value defined twice";

    /// The number of operands is wrong. The message has the expected and the actual number.
    E0303 OperandCount "wrong number of operands";

    /// The number of results is wrong. The message has the expected and the actual number.
    E0304 ResultCount "wrong number of results";

    /// Two types that must be the same, or must have the same shape or element type, are not. The message names
    /// both.
    E0305 TypeMismatch "types do not match";

    /// A block must end with a terminator, an op that transfers control, and this one does not.
    E0306 MissingTerminator "block without a terminator";

    /// The op is not allowed here: a terminator in the middle of a block, a `continue` outside of a loop, a
    /// function inside a function.
    E0307 MisplacedOp "op in the wrong place";

    /// The op requires an attribute that is not given and has no default.
    E0308 MissingAttribute "missing attribute";

    /// The attribute is known, but its value is of the wrong kind.
    E0309 AttributeKind "attribute of the wrong kind";

    /// Two functions or globals of one module have the same name.
    E0310 DuplicateSymbol "symbol defined twice";

    /// The module does not define a function, a global or a kernel that is referred to.
    E0311 UnknownSymbol "unknown symbol";

    /// The number of regions of an op, or of blocks in a region, is wrong.
    E0312 RegionCount "wrong number of regions or blocks";

    /// A branch, or a region's entry, passes values whose number or types differ from the block's arguments.
    E0313 BlockArguments "block arguments do not match";

    /// The value of an attribute is of the right kind, but outside of the range that the op allows.
    E0314 AttributeValue "attribute value not allowed here";

    /// No operand or result of the op may have this type, whatever its other operands are.
    E0315 OperandType "type not allowed for this op";

    /// A constant index is outside of the tile, so that the result is undefined. The op may never run, so this is a
    /// warning.
    E0316 IndexOutOfBounds "index out of bounds";

    /// Every extent of a tile must be a power of two. Pad the data to the next power of two and mask the rest, or
    /// use a view whose loads pad.
    E0401 ExtentNotPowerOfTwo "tile extent is not a power of two";

    /// The number of elements of a tile is limited. The message has the limit and the number of this tile.
    E0402 TooManyElements "tile has too many elements";

    /// This type cannot be the element of a tile, a view or a pointer, or not of this one.
    E0403 BadElementType "element type not allowed";

    /// A permutation or a map of dimensions must name each existing dimension exactly once.
    E0404 BadDimMap "not a permutation of the dimensions";

    /// The ranks of two related shapes differ: a view and its strides, a tile and its index, an operand and its
    /// permutation.
    E0405 RankMismatch "ranks do not match";

    /// A view's padding value must be representable in its element type.
    E0406 BadPaddingValue "padding value not allowed";

    /// A stride or an extent that must be positive is zero or negative.
    E0407 BadStride "extent or stride out of range";

    /// A layout does not match this tile: it does not cover all elements, or its bits lie outside of the tile's
    /// shape.
    E0408 BadLayout "layout does not fit its tile";

    /// The text of a layout is well formed, but there is no such layout: a size is not a power of two, a basis
    /// vector lies outside of the shape, a limit is exceeded. The message has the numbers.
    E0409 ImpossibleLayout "no such layout";

    /// The view does not exist for this layout: only layouts of shared memory have banks, and only layouts of
    /// registers have threads.
    E0410 NoSuchView "layout has no such picture";

    /// Two layouts that are used together are incompatible: their shapes differ, or one lacks what the other needs.
    E0411 LayoutsDiffer "layouts do not belong together";

    /// A tensor core addresses an operand in shared memory through a descriptor, which can describe only the
    /// canonical layouts: rows of 16-byte chunks, one of the swizzles, two strides. The message names the field
    /// that cannot hold its value.
    E0412 NoDescriptor "no descriptor of this layout";

    /// The op is part of the language but not supported by this compiler yet. The program is correct.
    E0501 UnsupportedOp "op not supported yet";

    /// The type is part of the language but not supported yet, or not for this target.
    E0502 UnsupportedType "type not supported yet";

    /// A combination of ops, types or attributes is part of the language but not supported yet.
    E0503 UnsupportedFeature "feature not supported yet";

    /// A hint or an attribute is unknown. It is ignored: hints never change the results of a program.
    E0601 UnknownHint "unknown hint";

    /// A hint has a value outside of its range, and is ignored. `num_cta_in_cga` is a power of two from 1 to 16,
    /// `occupancy` a number from 1 to 32, `num_worker_warps_per_cta` a power of two from 1 to 32, `latency` a
    /// number from 1 to 10, `allow_tma` true or false.
    E0602 HintOutOfRange "hint value out of range";

    /// Two attributes, or an attribute and the program, contradict each other.
    E0603 ConflictingAttributes "attributes exclude each other";

    /// A stage was given an attribute that it cannot pass on. An error where the program would compute something
    /// else without it; a note where it says what the stages below do not use.
    ///
    /// `tilewright explain attributes` leads to what each stage keeps, and why what ends there may end.
    E0604 AttributeLost "attribute would be lost";

    /// A hint is not followed. Where the program, the target or a limit of the machine forbids what it asks for,
    /// this is a warning, with the value that is used instead and the reason. Where the compiler does otherwise of
    /// its own accord, or has nothing to choose (a load in no loop, a store, for which nothing waits), it is a
    /// note. Hints never change the results of a program.
    E0605 HintNotFollowed "hint that is not followed";

    /// An array of a thread stays in local memory, which is as slow as global memory: it could not become values in
    /// registers. The label says which access prevents it: one whose place depends on the run, one outside of the
    /// array, or a use of the array's address. A note: the program computes the same.
    E0606 ArrayInMemory "array in local memory";

    /// The target is unknown or not supported. The message lists the supported ones; `sm_90` means `sm_90a`.
    E0701 UnknownTarget "unknown target";

    /// The kernel needs more shared memory than one block can have on the target. The message has the size of each
    /// buffer and the limit.
    ///
    /// Use smaller tiles, fewer pipeline stages or a smaller element type.
    E0702 SharedMemory "too much shared memory";

    /// The kernel needs more registers than the target has. Use smaller tiles or more warps.
    E0703 Registers "too many registers";

    /// The grid, block or cluster is larger than the target allows, another one than the kernel requires, or the
    /// grid is not made of whole clusters.
    E0704 LaunchShape "grid, block or cluster not allowed";

    /// An instruction or a descriptor exceeds a hardware limit: a box extent, a stride, an alignment, a swizzle
    /// span. The message has the value and the limit.
    E0705 HardwareLimit "hardware limit exceeded";

    /// The op needs a feature that the target does not have.
    E0706 TargetLacksFeature "target lacks a feature";

    /// A cubin was requested and no `ptxas` was found. It is searched in `--ptxas`, beside the program, in
    /// `TILEWRIGHT_PTXAS`, on `PATH`, in `CUDA_HOME` and `CUDA_PATH`, in pip's packages, and in the toolkits under
    /// `/usr/local`.
    ///
    /// PTX output needs no `ptxas`: the driver assembles it.
    E0707 PtxasMissing "ptxas not found";

    /// `ptxas` refused the PTX. Its output follows the message. Unless it is about a resource limit, this is a bug
    /// in the compiler.
    E0708 PtxasFailed "ptxas failed";

    /// The kernel needs more tensor memory than one block can have on the target. The message has the number of
    /// columns and the limit.
    E0709 TensorMemory "too much tensor memory";

    /// The temporary memory that a kernel's `alloca` ops need together exceeds the limit. The message has the
    /// sizes.
    E0710 TemporaryMemory "too much temporary memory";

    /// An argument on the command line is malformed, or does not match the kernel's parameter.
    E0801 BadArgument "bad argument";

    /// The number of arguments differs from the number of the kernel's parameters.
    E0802 ArgumentCount "wrong number of arguments";

    /// A file cannot be read. The message contains the system's error.
    E0803 FileNotReadable "file cannot be read";

    /// A file cannot be written. The message contains the system's error.
    E0804 FileNotWritable "file cannot be written";

    /// In an editor: the command that makes the modules of a Python file failed, took too long, or made no
    /// bytecode. The message has the last line of what it said, and the place is the innermost line of the file
    /// in its traceback.
    ///
    /// A warning if there is bytecode all the same, such as that of the kernels which were compiled before it
    /// failed; what the editor shows is then that of these. If bytecode beside the file is older than the file,
    /// that is a note.
    E0805 PythonModules "no modules for a Python file";

    /// A file of tuned hints, as `tilewright tune --save` writes it, cannot be used: it is damaged, or written for
    /// another version of the compiler. A warning where it is read to compile: hints do not change what a program
    /// computes, and those of the program are used. It is a note if hints of the file are used.
    E0806 TunedHints "tuned hints";

    /// A thread or a tile block accessed memory outside of every buffer that it may use. The message names the
    /// thread or block, the address, and the nearest buffer.
    E0811 OutOfBounds "memory access out of bounds";

    /// A thread or a tile block accessed an address that is not a multiple of the access size.
    E0812 Misaligned "misaligned memory access";

    /// A thread or a tile block read memory or a register that was never written.
    E0813 Uninitialised "read of uninitialised memory";

    /// Not all threads of a collective instruction (a barrier, a shuffle, a matrix instruction) reached it
    /// together.
    E0814 DivergentBarrier "divergent barrier or collective";

    /// All remaining threads wait for something that no other thread will do.
    E0815 Deadlock "deadlock";

    /// Two accesses to the same memory, at least one of them a write, are not ordered. In the simulator: two
    /// threads accessed the same shared memory without a barrier in between, or two blocks of a cluster the same
    /// global memory, atomically, but one of them in the scope of its block only.
    ///
    /// In the reference evaluator: two ops of a tile block without a chain of tokens from one to the other, or ops
    /// of two tile blocks that are not both atomic. In `cuda_tile` memory ops of a block are ordered by tokens
    /// only, not by program order or data dependence; and tile blocks run concurrently.
    E0816 Race "race";

    /// The simulator does not support an instruction, or a form of one.
    E0817 SimulatorUnsupported "instruction not known to the simulator";

    /// A barrier object was used against its protocol: not initialised, more arrivals than its count, or a wait for
    /// the wrong phase. Likewise a bulk copy of a wrong size or with an invalid tensor map.
    E0818 BarrierMisuse "barrier used against its protocol";

    /// The simulation, or the evaluation, reached its limit of steps or of time. The kernel may not terminate,
    /// or the limit may be too low: `--max-steps` and `--limit` of `tilewright run` set others. The limit of
    /// a function of the host, whose loops are short, is fixed.
    E0819 StepLimit "limit of steps or time reached";

    /// The kernel executed `trap`: an assertion of the program, or of the compiler, is false.
    E0820 KernelTrap "kernel trapped";

    /// The GPU or its driver reported an error, which the message contains.
    E0821 GpuError "GPU error";

    /// There is no GPU to run the program on, or its driver cannot be loaded. The simulator runs the same kernels
    /// without a GPU.
    E0822 NoGpu "no usable GPU";

    /// A promise of the program about its values is false: an `assume`, an overflow flag, `inbounds`, a constant
    /// global. Compilers rely on such promises, so the behaviour is undefined.
    E0823 BrokenPromise "promise of the program broken";

    /// The result of the op is undefined for its operands: a division by zero, the quotient of the least integer
    /// and -1, a loop whose step is not positive, an extent that does not fit the result type.
    E0824 UndefinedResult "op without a result for its operands";

    /// An index is outside of its tile. The indices of `extract` and `insert` count parts, not elements, and are
    /// unsigned.
    E0825 IndexOutOfRange "index out of range";

    /// An assertion of the program failed. The message contains the program's own message.
    E0826 AssertionFailed "assertion failed";

    /// The reference evaluator does not support this op, or this form of it: `--on cpu` runs the compiled kernel
    /// instead.
    E0827 EvaluatorUnsupported "not executed by the reference evaluator";

    /// Control flow or an address depends on an unspecified value: a masked-out element of a load without padding,
    /// a shift by the width or more, a conversion of a float out of the range of its integer type. Unspecified
    /// values may be computed with, stored and loaded; it is an error to branch on one, to use one in an address,
    /// or to assert one. One that is left in memory that the caller reads is a warning at the op that stored it,
    /// and `run --on reference --expect` excludes it from the comparison.
    E0828 Unspecified "unspecified value";

    /// An index names a tile outside of the index space of its view. This is undefined in the language; every known
    /// implementation treats all elements of such a tile as outside of the tensor: loads give the padding, stores
    /// have no effect. The reference evaluator does the same and warns.
    E0829 OutsideOfView "tile outside of its view";

    /// The next increment of the counter of a `for` would overflow its type. In the reference evaluator the loop
    /// ends; on NVIDIA's hardware the counter wraps.
    E0830 CounterOverflow "loop counter overflows";

    /// The kernel ran, but its result differs from the expected one. The message has the first differences.
    E0831 Mismatch "result differs from what was expected";

    /// A function of the host of a `cute` module is evaluated when its kernels are launched, and has an op, or
    /// a form of one, that the evaluation does not know. It knows integers and floats, control flow, the algebra
    /// of layouts, divisors, tensor maps and launches; it does not access memory, and does not know addresses as
    /// numbers.
    E0832 HostUnsupported "not evaluated in a host function";

    /// An invariant of the compiler is violated. Whether the program is correct or not, this is a bug: it should
    /// have been compiled or refused with a better message. The report names the stage and the pass, and has a
    /// command that reproduces it.
    E0901 Internal "internal error";

    /// The verifier refused the output of a pass, which is a bug of the compiler. The report names the stage and
    /// the pass, and has a command that reproduces it.
    E0902 InvalidStage "a pass produced an invalid program";
}
