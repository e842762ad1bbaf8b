//! The table of codes.
//!
//! To add one, put its explanation, name, variant and title in the place its number gives it. A number that was
//! once released is never used for something else.
//!
//! | range | about |
//! |---|---|
//! | E01xx | the bytecode container |
//! | E02xx | the syntax of texts |
//! | E03xx | names, uses, arity and types of ops |
//! | E04xx | rules of the types themselves |
//! | E05xx | what is not supported yet |
//! | E06xx | attributes and hints |
//! | E07xx | targets, their limits, and the assembler |
//! | E08xx | running a kernel |
//! | E09xx | bugs of the compiler |

use super::codes;

codes! {
    /// The file does not begin with the eight bytes `7F 54 69 6C 65 49 52 00` that begin every Tile IR bytecode
    /// file. It may be a text file, a cubin, or empty.
    E0101 BadMagic "not Tile IR bytecode";

    /// The bytecode was written at a version that this compiler does not read. The version is stored in the four
    /// bytes after the magic number: major, minor, and a tag of two bytes.
    ///
    /// Front ends can write older versions; ask yours for one that the message lists.
    E0102 UnsupportedVersion "unsupported bytecode version";

    /// The file, or a section of it, ends before what it must contain. The usual cause is an incomplete write or
    /// copy; a wrong length field has the same effect.
    E0103 Truncated "bytecode ends too early";

    /// A section of the bytecode appears twice. Every section may appear once.
    E0104 DuplicateSection "duplicate section";

    /// The bytecode has a section of a kind that its version does not define.
    E0105 UnknownSection "unknown section";

    /// A section must begin at a multiple of the alignment that it states, and that alignment must be a power of
    /// two. The padding before the section must make up the difference.
    E0106 MisalignedSection "misaligned section";

    /// A section that the others refer to is not in the file. A file with functions needs strings, types, and
    /// (if constants are used) constants.
    E0107 MissingSection "missing section";

    /// A length or count field is larger than what is left of the file or section, or bytes are left over after
    /// everything announced was read.
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

    /// The number that says which op follows is not assigned to any op, in any version this compiler reads.
    ///
    /// Where the rest of the file is well formed, this is a newer op; otherwise the reader may have lost its place
    /// because of an error earlier in the file.
    E0114 UnknownOpcode "unknown opcode";

    /// The op exists, but only from a later bytecode version than the one the file says it has. A front end must
    /// write the version that its ops need.
    E0115 OpcodeTooNew "opcode newer than the file's bytecode version";

    /// A field that names one of several cases (a comparison, a rounding mode, a memory order) holds a number that
    /// stands for none of them.
    E0116 BadEnumValue "number stands for no case of its enumeration";

    /// The byte that says what kind of attribute follows stands for no kind.
    E0117 BadAttributeTag "unknown attribute tag";

    /// Regions, types or attributes are nested deeper than this compiler accepts. The limit protects it against
    /// files that are malformed on purpose; no front end comes near it.
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

    /// The data of a constant do not have the size that its type asks for.
    E0123 ConstantSize "constant data of the wrong size";

    /// A flags field has a bit set that the file's bytecode version does not define.
    E0124 UnknownFlags "unknown flag bits";

    /// The text goes on with something that cannot stand here. The label shows the first thing that does not fit;
    /// the mistake may be a little before it.
    E0201 UnexpectedToken "unexpected token";

    /// These characters begin no word, number, string or symbol of the language.
    E0202 BadToken "characters that begin no token";

    /// A bracket, a string or a comment is opened and never closed.
    E0203 UnclosedDelimiter "unclosed delimiter";

    /// The language of this stage has no op of that name. Each stage has its own ops: what one stage removes, the
    /// texts of later stages cannot name.
    E0204 UnknownOp "unknown op";

    /// The language of this stage has no type of that name.
    E0205 UnknownType "unknown type";

    /// The op, or the language, has no attribute of that name.
    E0206 UnknownAttribute "unknown attribute";

    /// A number, a string or a word is spelt correctly but its value cannot be used: an integer that does not fit
    /// its type, a float with no such format, an escape that does not exist.
    E0207 BadLiteral "literal cannot be used";

    /// The text is larger than this compiler accepts, or its brackets are nested deeper. Both limits protect it
    /// against files that are malformed on purpose.
    E0208 InputTooLarge "input too large or too deeply nested";

    /// The text ends where more is needed, such as in the middle of an op or before a block is closed.
    E0209 UnexpectedEnd "unexpected end of the text";

    /// The text is not valid UTF-8. Every text this compiler reads must be, comments and strings included.
    E0210 TextNotUtf8 "text is not valid UTF-8";

    /// No layout of the catalogue has a name that begins like this. `tilewright layout names` lists the names; the
    /// text of a linear layout begins with `linear<`.
    E0211 UnknownLayout "no layout of that name";

    /// A value is used that no op before it defines. A value may be used after its definition, in the same block
    /// and in the regions nested in it.
    E0301 UndefinedValue "undefined value, or use before its definition";

    /// A name is defined twice in one scope. The label shows the second definition.
    E0302 Redefinition "value defined twice";

    /// The op takes another number of operands. The message says how many it takes and how many were given.
    E0303 OperandCount "wrong number of operands";

    /// The op has another number of results. The message says how many it has and how many are named or typed.
    E0304 ResultCount "wrong number of results";

    /// Two types that must be the same, or must have the same shape or element type, are not. The message names
    /// both.
    E0305 TypeMismatch "types do not match";

    /// A block must end with an op that says where control goes next, and this one does not.
    E0306 MissingTerminator "block without a terminator";

    /// The op cannot stand here: a terminator in the middle of a block, a `continue` outside of a loop, a function
    /// inside a function.
    E0307 MisplacedOp "op in the wrong place";

    /// The op needs an attribute that is not given and has no default.
    E0308 MissingAttribute "missing attribute";

    /// The attribute is known, but its value is of another kind than the op asks for.
    E0309 AttributeKind "attribute of the wrong kind";

    /// Two functions or globals of one module have the same name.
    E0310 DuplicateSymbol "symbol defined twice";

    /// A function, a global or a kernel is referred to that the module does not define.
    E0311 UnknownSymbol "unknown symbol";

    /// The op has another number of regions, or its region has another number of blocks.
    E0312 RegionCount "wrong number of regions or blocks";

    /// A branch, or a region's entry, passes another number of values, or values of other types, than the block
    /// takes.
    E0313 BlockArguments "block arguments do not match";

    /// The value of an attribute is of the right kind, but outside of what the op allows.
    E0314 AttributeValue "attribute value not allowed here";

    /// The op does not take or give values of this type, whatever its other operands are.
    E0315 OperandType "type not allowed for this op";

    /// A constant index names a part that the tile does not have. What the op gives is undefined. It may be that it
    /// never runs, so this is a warning.
    E0316 IndexOutOfBounds "index out of bounds";

    /// Every extent of a tile is a power of two. Pad the data to the next power of two and mask what is
    /// outside, or use a view whose loads pad by themselves.
    E0401 ExtentNotPowerOfTwo "tile extent is not a power of two";

    /// A tile holds at most a fixed number of elements. The message says how many, and how many this one
    /// would have.
    E0402 TooManyElements "tile has too many elements";

    /// This type cannot be the element of a tile, a view or a pointer, or not of this one.
    E0403 BadElementType "element type not allowed";

    /// A permutation or a map of dimensions must name each dimension once, and none that does not exist.
    E0404 BadDimMap "not a permutation of the dimensions";

    /// The ranks of two shapes that belong together differ: a view and its strides, a tile and its index, an
    /// operand and its permutation.
    E0405 RankMismatch "ranks do not match";

    /// A view's padding value must be one that its element type has.
    E0406 BadPaddingValue "padding value not allowed";

    /// A stride or an extent is zero or negative where only a positive number has a meaning.
    E0407 BadStride "extent or stride out of range";

    /// A layout does not describe a placement of this tile: it misses elements, or its bits lie outside of the
    /// tile's shape.
    E0408 BadLayout "layout does not fit its tile";

    /// The text of a layout is well formed, but there is no such layout: a size is not a power of two, a basis
    /// vector lies outside of the shape, a limit is passed. The message has the numbers.
    E0409 ImpossibleLayout "no such layout";

    /// The layout has nothing of what was to be shown. Banks are those of shared memory, and a layout of shared
    /// memory has no threads.
    E0410 NoSuchView "layout has no such picture";

    /// Two layouts were to be used together, and they do not place the same tile: their shapes differ, or the one
    /// does not have what the other one needs.
    E0411 LayoutsDiffer "layouts do not belong together";

    /// Tensor cores find an operand in shared memory through a descriptor of a few fields, which can describe
    /// only the canonical layouts: rows of 16-byte chunks, one of the swizzles, two distances. The message
    /// names the field that would have to say more than it can.
    E0412 NoDescriptor "no descriptor of this layout";

    /// The op is part of the language and is not compiled yet. The program is correct; this compiler is
    /// incomplete.
    E0501 UnsupportedOp "op not supported yet";

    /// The type is part of the language and is not compiled yet, or not for this target.
    E0502 UnsupportedType "type not supported yet";

    /// A combination of ops, types or attributes is allowed by the language and is not compiled yet.
    E0503 UnsupportedFeature "feature not supported yet";

    /// A hint or an attribute is not known. It is ignored: hints never change what a program computes.
    E0601 UnknownHint "unknown hint";

    /// A hint has a value outside of its range, and is ignored. `num_cta_in_cga` is a power of two from 1 to 16,
    /// `occupancy` a number from 1 to 32, `num_worker_warps_per_cta` a power of two from 1 to 32, `latency` a
    /// number from 1 to 10, `allow_tma` true or false.
    E0602 HintOutOfRange "hint value out of range";

    /// Two attributes, or an attribute and the program, ask for things that exclude each other.
    E0603 ConflictingAttributes "attributes exclude each other";

    /// A stage was given an attribute that it must neither drop nor pass on. The attribute would be lost without
    /// anybody noticing.
    E0604 AttributeLost "attribute would be lost";

    /// The target is not one that this compiler knows. The message lists those it does; `sm_90`
    /// stands for `sm_90a`.
    E0701 UnknownTarget "unknown target";

    /// The kernel needs more shared memory than one block can have on the target. The message says how much each
    /// buffer takes and how much there is.
    ///
    /// Smaller tiles, fewer pipeline stages or a smaller element type make it fit.
    E0702 SharedMemory "too much shared memory";

    /// The kernel needs more registers than the target's threads have. Smaller tiles or more warps make it fit.
    E0703 Registers "too many registers";

    /// The grid, block or cluster is larger than the target allows.
    E0704 LaunchShape "grid, block or cluster too large";

    /// A hardware limit on an instruction or a descriptor is broken: a box extent, a stride, an alignment, a
    /// swizzle span. The message says what was asked and what is allowed.
    E0705 HardwareLimit "hardware limit exceeded";

    /// The op needs something that the target does not have.
    E0706 TargetLacksFeature "target lacks a feature";

    /// A cubin was asked for and no `ptxas` was found. It is looked for in `--ptxas`, `TILEWRIGHT_PTXAS`,
    /// `CUDA_HOME`, `PATH` and the folder of the pip package.
    ///
    /// PTX needs no `ptxas`: ask for PTX and let the driver assemble it.
    E0707 PtxasMissing "ptxas not found";

    /// `ptxas` was found and refused the PTX. Its own words follow the message. Unless they speak of a resource
    /// limit, this is a bug in the compiler.
    E0708 PtxasFailed "ptxas failed";

    /// The kernel needs more tensor memory than one block can have on the target. The message says how many
    /// columns were asked for and how many there are.
    E0709 TensorMemory "too much tensor memory";

    /// An argument on the command line cannot be understood, or cannot be used for the kernel's parameter.
    E0801 BadArgument "bad argument";

    /// The kernel has another number of parameters than arguments were given.
    E0802 ArgumentCount "wrong number of arguments";

    /// A file cannot be read. The message holds the system's own words.
    E0803 FileNotReadable "file cannot be read";

    /// A file cannot be written. The message holds the system's own words.
    E0804 FileNotWritable "file cannot be written";

    /// A thread or a tile block read or wrote outside of every buffer it may use. The message says who did,
    /// where, and which buffer is nearest.
    E0811 OutOfBounds "memory access out of bounds";

    /// A thread or a tile block read or wrote at an address that is not a multiple of the access's size.
    E0812 Misaligned "misaligned memory access";

    /// A thread or a tile block read memory or a register that nothing has written.
    E0813 Uninitialised "read of uninitialised memory";

    /// Threads that must reach an instruction together (a barrier, a shuffle, a matrix instruction) did not.
    E0814 DivergentBarrier "divergent barrier or collective";

    /// Every thread that is left waits for something that no other thread will do.
    E0815 Deadlock "deadlock";

    /// Two accesses to the same memory, at least one of them a write, are not ordered. In the simulator:
    /// two threads accessed the same shared memory with no barrier between the two.
    ///
    /// In the reference evaluator: two ops of a tile block where no token leads from one to the other, or
    /// ops of two tile blocks that are not both atomic. In `cuda_tile` neither the order of the program nor
    /// the flow of data orders memory ops of a block, but tokens alone; and tile blocks run at the same
    /// time.
    E0816 Race "race";

    /// The simulator met an instruction, or a form of one, that it does not know.
    E0817 SimulatorUnsupported "instruction not known to the simulator";

    /// A barrier object was used against its protocol: not initialised, arrived at more often than it counts, or
    /// waited for in the wrong phase.
    E0818 BarrierMisuse "barrier used against its protocol";

    /// The simulation, or the evaluation, took more steps than it was allowed. The kernel may not end, or the
    /// limit may be too low.
    E0819 StepLimit "step limit reached";

    /// The kernel executed `trap`: an assertion of the program, or of the compiler, does not hold.
    E0820 KernelTrap "kernel trapped";

    /// The GPU or its driver reported an error. The message holds its own words.
    E0821 GpuError "GPU error";

    /// The program was to be run on a GPU and there is none, or its driver cannot be loaded. The simulator runs
    /// the same kernels without one.
    E0822 NoGpu "no usable GPU";

    /// The program promises something of its values that is not so: an `assume`, an overflow flag,
    /// `inbounds`, a global that is constant. A compiler relies on such promises, so anything may happen.
    E0823 BrokenPromise "promise of the program broken";

    /// The op has no result for its operands: a division by zero, the quotient of the least integer and -1,
    /// a loop whose step is not positive, an extent that does not fit the type asked for.
    E0824 UndefinedResult "op without a result for its operands";

    /// An index names a part outside of its tile. The indices of `extract` and `insert` count parts, not
    /// elements, and are unsigned.
    E0825 IndexOutOfRange "index out of range";

    /// A condition that the program asserts does not hold. The message has the program's own words.
    E0826 AssertionFailed "assertion failed";

    /// The reference evaluator met something that it has no meaning for.
    E0827 EvaluatorUnsupported "not executed by the reference evaluator";

    /// The program's course depends on a number of which the language says nothing: what a load leaves out
    /// where no padding is given, a shift by the width or more, a float that an integer type does not hold.
    /// Such numbers may be computed with, stored and loaded; it is an error to branch on one, to access memory
    /// by one, or to assert it. Where one is left in memory that the caller reads, it is a warning at the op that
    /// stored it, and `run --on reference --expect` leaves it out of the comparison.
    E0828 Unspecified "unspecified value";

    /// An index names a tile outside of the index space of its view. The language calls that undefined; every
    /// known implementation takes all elements of such a tile to lie outside of the tensor: loads give the
    /// padding, stores do nothing. The reference evaluator does the same and warns.
    E0829 OutsideOfView "tile outside of its view";

    /// The counter of a `for`, once more increased, would be beyond its type. The loop ends in the reference
    /// evaluator, which counts without an end; NVIDIA's hardware goes on with what is left of the number.
    E0830 CounterOverflow "loop counter overflows";

    /// The kernel ran, and what it computed is not what was expected. The message says where the two differ first,
    /// and by how much.
    E0831 Mismatch "result differs from what was expected";

    /// An invariant of the compiler does not hold. The program may be correct or not: it should have been compiled
    /// or refused with a better message. The report names the stage and the pass, and has a command that
    /// reproduces it.
    E0901 Internal "internal error";

    /// A verifier refused what a pass of the compiler itself produced. The report names the stage and the pass,
    /// and has a command that reproduces it.
    E0902 InvalidStage "a pass produced an invalid program";
}
