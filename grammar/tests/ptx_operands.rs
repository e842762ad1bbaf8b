//! The operands of every PTX form: walked, renamed, and as those of an op of `nvvm`, whose text reads back and whose
//! verifier refuses a wrong operand or result.

use std::collections::BTreeSet;
use std::convert::Infallible;

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{self, Block, Body, Flag, Func, Operation, Origin, print_module};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{OpResult, Predicate, Renaming, Value, Want};
use tilewright_irs::literal::Literal;
use tilewright_irs::llvm::Extents;
use tilewright_irs::nvvm::{KernelAttrs, Nvvm, NvvmDialect, NvvmOp, NvvmType, TargetOp};
use tilewright_irs::ptx::{
    Class, Immediate, Instruction, IsaVersion, Label, Register, Space, Symbol, Target, Uni,
};

#[path = "support/ptx_forms.rs"]
mod ptx_forms;
use ptx_forms::{expand, forms, module, patterns, read};

type Ssa = tilewright_irs::nvvm::Instruction;

/// The instructions of some forms.
fn instructions(forms: &[String]) -> Vec<Instruction> {
    let all: Vec<&String> = forms.iter().collect();
    let module = read(&module(Target::sm(90), IsaVersion::new(9, 0), &all));
    let lines = module.entries[0].lines();
    lines
        .map(|line| line.instruction.clone())
        .take(forms.len())
        .collect()
}

/// Whether `nvvm` has the instruction: its branches and calls are not those of PTX.
fn in_ssa(instruction: &Instruction) -> bool {
    !matches!(instruction, Instruction::Bra { .. } | Instruction::Call { .. })
}

#[test]
fn every_operand_is_renamed() {
    struct Same;
    impl Renaming<Register, Register> for Same {
        fn write(&mut self, old: &Register) -> Register {
            *old
        }
        fn read(&mut self, old: &Register, _: Want) -> Register {
            *old
        }
        fn update(&mut self, old: &Register, _: Want) -> Register {
            *old
        }
        fn operand(&mut self, old: &Value, _: Want) -> Value {
            *old
        }
        fn predicate(&mut self, old: &Predicate) -> Predicate {
            *old
        }
        fn label(&mut self, old: &Label) -> Label {
            *old
        }
        fn parameter(&mut self, old: &Symbol) -> Symbol {
            old.clone()
        }
    }
    for instruction in instructions(&forms()) {
        assert_eq!(instruction.rename(&mut Same), instruction);
    }
}

/// The words of a form's operands; a mnemonic has no blanks.
fn operand_words(form: &str) -> impl Iterator<Item = &str> {
    let operands = form.split_once(' ').map_or("", |(_, operands)| operands);
    operands.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '%' | '_' | '.' | '$')))
}

#[test]
fn every_register_and_name_is_visited() {
    for instruction in instructions(&forms()) {
        let form = instruction.to_string();
        let mut names = BTreeSet::new();
        instruction.symbols(&mut |symbol| {
            names.insert(symbol.0.clone());
        });
        instruction.registers(&mut |register, _, _| {
            names.insert(register.to_string());
        });
        names.extend(instruction.target().map(|label| label.to_string()));
        let is_name = |word: &&str| {
            let first = word.chars().next().is_some_and(|c| !c.is_ascii_digit());
            // A special register and a discarded result are none.
            let register = Class::ALL.iter().any(|class| {
                let index = word.strip_prefix(class.prefix());
                index.is_some_and(|index| index.parse::<u32>().is_ok())
            });
            first && *word != "_" && (register || !word.starts_with('%'))
        };
        let written: BTreeSet<String> = operand_words(&form).filter(is_name).map(str::to_owned).collect();
        assert_eq!(names, written, "{form}");
    }
}

/// What is wrong with a built op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Nothing,
    /// The type of this source.
    Source(usize),
    /// The type of this result.
    Result(usize),
    /// One result too many.
    Surplus,
    /// One result too few.
    Lack,
}

/// A source in PTX.
#[derive(Clone, Copy, Debug)]
enum Source {
    Register(Register),
    Negated(Register),
    Constant(Immediate, Literal),
}

/// Builds an op of `nvvm` from an instruction of PTX: each source has a value of its own.
struct Build {
    body: Body<Nvvm>,
    block: Block,
    wrong: Option<usize>,
    sources: Vec<(core::Value, Source)>,
    results: Vec<Register>,
}

impl Build {
    fn op(&mut self, kind: impl Into<NvvmOp>, ty: NvvmType) -> core::Value {
        let op = self
            .body
            .add_op(self.block, kind.into(), [ty], Origin::FUNCTION, ());
        self.body.op(op).result(0)
    }

    /// A value that is no constant.
    fn value(&mut self, class: Class) -> core::Value {
        if class == Class::Pred {
            let a = self.value(Class::B64);
            let space = Space::Global;
            self.op(
                Ssa::IsSpace {
                    space,
                    d: OpResult,
                    a,
                },
                NvvmType::Pred,
            )
        } else {
            self.body.add_arg(self.block, NvvmType::of_class(class))
        }
    }

    fn source(&mut self, source: Source) -> core::Value {
        let value = match source {
            _ if self.wrong == Some(self.sources.len()) => self.value(match source {
                Source::Register(register) | Source::Negated(register) => another(register.class),
                Source::Constant(..) => Class::Pred,
            }),
            Source::Register(register) => self.value(register.class),
            Source::Negated(register) => {
                let a = self.value(register.class);
                self.op(Ssa::NotPred { d: OpResult, a }, NvvmType::Pred)
            }
            Source::Constant(_, value) => {
                let ty = NvvmType::of_scalar(value.ty).expect("a number with a register");
                self.op(NvvmDialect::Constant { value }, ty)
            }
        };
        self.sources.push((value, source));
        value
    }
}

/// A class that is wrong wherever this one is right.
const fn another(class: Class) -> Class {
    match class {
        Class::Pred => Class::B32,
        Class::B16 | Class::B32 | Class::B64 | Class::F32 | Class::F64 | Class::B128 => Class::Pred,
    }
}

fn literal(constant: Immediate, want: Want) -> Literal {
    match constant {
        Immediate::F32(bits) => Literal::new(ScalarType::F32, bits.into()),
        Immediate::F64(bits) => Literal::new(ScalarType::F64, bits),
        Immediate::Int(value) => {
            let ty = match want {
                Want::Exactly(ty) | Want::AtLeast(ty) => match ty.bits() {
                    64 => ScalarType::I64,
                    32 => ScalarType::I32,
                    _ => ScalarType::I16,
                },
                Want::Constant { .. } | Want::Range { .. } => ScalarType::I32,
                Want::Register(_) | Want::Address(_) | Want::Name => {
                    unreachable!("{want} is no constant")
                }
            };
            Literal::new(ty, value.cast_unsigned())
        }
    }
}

impl Renaming<Register, core::Value> for Build {
    fn write(&mut self, old: &Register) -> OpResult {
        self.results.push(*old);
        OpResult
    }
    fn read(&mut self, old: &Register, _: Want) -> core::Value {
        self.source(Source::Register(*old))
    }
    fn update(&mut self, old: &Register, _: Want) -> core::Value {
        self.results.push(*old);
        self.source(Source::Register(*old))
    }
    fn operand(&mut self, old: &Value, want: Want) -> core::Value {
        self.source(match *old {
            Value::Register(register) => Source::Register(register),
            Value::Immediate(constant) => Source::Constant(constant, literal(constant, want)),
        })
    }
    fn predicate(&mut self, old: &Predicate) -> core::Value {
        self.source(if old.negated {
            Source::Negated(old.register)
        } else {
            Source::Register(old.register)
        })
    }
    fn label(&mut self, old: &Label) -> Infallible {
        unreachable!("`nvvm` has no branch to {old}")
    }
    fn parameter(&mut self, old: &Symbol) -> Infallible {
        unreachable!("`nvvm` passes no {old}")
    }
}

/// Gives each value the operand of PTX that it was made from, and the results theirs.
struct Unbuild {
    sources: FxHashMap<core::Value, Source>,
    results: std::vec::IntoIter<Register>,
}

impl Unbuild {
    fn register(&self, value: core::Value) -> Register {
        match self.sources[&value] {
            Source::Register(register) => register,
            source => panic!("{source:?} is no register"),
        }
    }
}

impl Renaming<core::Value, Register> for Unbuild {
    fn write(&mut self, _: &OpResult) -> Register {
        self.results.next().expect("a result")
    }
    fn read(&mut self, old: &core::Value, _: Want) -> Register {
        self.register(*old)
    }
    fn update(&mut self, old: &core::Value, _: Want) -> Register {
        let register = self.register(*old);
        assert_eq!(self.results.next(), Some(register), "a tied source is a result");
        register
    }
    fn operand(&mut self, old: &core::Value, _: Want) -> Value {
        match self.sources[old] {
            Source::Constant(constant, _) => constant.into(),
            _ => self.register(*old).into(),
        }
    }
    fn predicate(&mut self, old: &core::Value) -> Predicate {
        match self.sources[old] {
            Source::Negated(register) => Predicate::not(register),
            _ => self.register(*old).into(),
        }
    }
    fn label(&mut self, old: &Infallible) -> Label {
        match *old {}
    }
    fn parameter(&mut self, old: &Infallible) -> Symbol {
        match *old {}
    }
}

/// A kernel with the instruction as its last op before the end.
struct Built {
    func: Func<Nvvm>,
    name: &'static str,
    sources: usize,
    results: usize,
}

fn build(instruction: &Instruction, target: Target, guarded: bool, fault: Fault) -> Built {
    let mut body = Body::default();
    let block = body.add_block(body.root());
    let mut build = Build {
        body,
        block,
        wrong: None,
        sources: Vec::new(),
        results: Vec::new(),
    };
    if let Fault::Source(at) = fault {
        build.wrong = Some(at);
    }
    let ssa: Ssa = instruction.rename(&mut build);
    let mut back = Unbuild {
        sources: build.sources.iter().copied().collect(),
        results: build.results.clone().into_iter(),
    };
    assert_eq!(&ssa.rename(&mut back), instruction);
    assert_eq!(
        back.results.next(),
        None,
        "a result of {instruction} is left over"
    );

    let mut op = TargetOp::from(ssa);
    let mut classes: Vec<Class> = build.results.iter().map(|register| register.class).collect();
    let (sources, results) = (build.sources.len(), classes.len());
    if guarded {
        op.guard = Some(build.value(Class::Pred));
        op.otherwise = classes.iter().map(|class| build.value(*class)).collect();
    }
    match fault {
        Fault::Nothing | Fault::Source(_) => {}
        Fault::Result(at) => classes[at] = another(classes[at]),
        Fault::Surplus => classes.push(Class::B32),
        Fault::Lack => drop(classes.pop()),
    }
    let name = op.name();
    let ends = op.is_terminator();
    let types = classes.into_iter().map(NvvmType::of_class);
    let mut body = build.body;
    body.add_op(block, op.into(), types, Origin::FUNCTION, ());
    if !ends {
        let end = TargetOp::from(Ssa::Ret { uni: Uni(false) });
        body.add_op(block, end.into(), [], Origin::FUNCTION, ());
    }
    let attrs = KernelAttrs {
        target,
        cute_kernel: Flag(false),
        nvvm_kernel: Flag(true),
        maxntid: None,
        reqntid: Some(Extents::of(128)),
        minctasm: None,
        maxnreg: None,
        explicit_cluster: Flag(false),
        cluster_dim: None,
        max_cluster_rank: None,
        blocks_are_clusters: Flag(false),
        grid_constant: None,
        shared_bytes: 0,
        shared_dynamic: Flag(false),
        shared_align: None,
    };
    let func = Func {
        name: "k".to_owned(),
        attrs,
        body: body.with_own_origins(),
    };
    Built {
        func,
        name,
        sources,
        results,
    }
}

const TARGETS: [Target; 9] = [
    Target::sm(70),
    Target::sm(75),
    Target::sm(80),
    Target::sm(89),
    Target::sm(90),
    Target::sm_a(90),
    Target::sm_a(100),
    Target::sm_a(103),
    Target::sm_a(120),
];

/// The first target that has the instruction.
fn target_of(instruction: &Instruction) -> Target {
    let need = instruction.need().expect("a form of PTX");
    let found = TARGETS.into_iter().find(|target| target.provides(need));
    found.unwrap_or_else(|| panic!("no target has {instruction}"))
}

/// The findings of the verifier: the code and the message of each.
fn found(func: &Func<Nvvm>) -> Vec<(Code, String)> {
    let found = core::verify(func).err().unwrap_or_default();
    let each = found.into_iter();
    each.map(|problem| (problem.code, problem.message)).collect()
}

/// Checks that a function is valid, and that its text reads back.
fn round_trip(func: &Func<Nvvm>) {
    let module = core::Module {
        funcs: vec![func.clone()],
    };
    let text = print_module(&module);
    assert_eq!(found(func), [], "{text}");
    let parsed = parse_stage::<Nvvm>(&text, FileId(0));
    assert_eq!(parsed.diagnostics, [], "{text}");
    assert_eq!(parsed.module, module, "{text}");
    assert_eq!(print_module(&parsed.module), text);
}

#[test]
fn every_form_reads_back_as_an_op_of_nvvm() {
    for instruction in instructions(&forms()) {
        if in_ssa(&instruction) {
            let target = target_of(&instruction);
            round_trip(&build(&instruction, target, false, Fault::Nothing).func);
        }
    }
}

/// The first form of each pattern that `nvvm` has.
fn samples() -> Vec<Instruction> {
    let firsts: Vec<String> = patterns()
        .filter_map(|pattern| expand(pattern).into_iter().next())
        .collect();
    instructions(&firsts).into_iter().filter(in_ssa).collect()
}

#[test]
fn a_guarded_form_reads_back() {
    for instruction in samples() {
        let target = target_of(&instruction);
        let built = build(&instruction, target, true, Fault::Nothing);
        if matches!(instruction, Instruction::Ret { .. } | Instruction::Exit { .. }) {
            let message = format!("`{}` ends its block and takes no guard", built.name);
            assert_eq!(found(&built.func), [(Code::AttributeValue, message)]);
        } else {
            round_trip(&built.func);
        }
    }
}

#[test]
fn every_wrong_operand_is_named() {
    for instruction in samples() {
        let target = target_of(&instruction);
        let good = build(&instruction, target, false, Fault::Nothing);
        let refused = |fault: Fault, code: Code, start: &str| {
            let found = found(&build(&instruction, target, false, fault).func);
            let [(first, message)] = found.as_slice() else {
                panic!("{instruction} with {fault:?}: {found:?}");
            };
            assert!(
                *first == code && message.starts_with(start),
                "{instruction} with {fault:?}: {code} {message}"
            );
        };
        let name = good.name;
        for at in 0..good.sources {
            let start = format!("operand {at} of `{name}` must be ");
            refused(Fault::Source(at), Code::OperandType, &start);
        }
        for at in 0..good.results {
            let start = format!("result {at} of `{name}` must be ");
            refused(Fault::Result(at), Code::TypeMismatch, &start);
        }
        let start = format!("`{name}` has ");
        refused(Fault::Surplus, Code::ResultCount, &start);
        if good.results > 0 {
            refused(Fault::Lack, Code::ResultCount, &start);
        }
    }
}

#[test]
fn a_form_is_refused_on_a_target_that_lacks_it() {
    for instruction in samples() {
        let need = instruction.need().expect("a form of PTX");
        for target in TARGETS.into_iter().filter(|target| !target.provides(need)) {
            let built = build(&instruction, target, false, Fault::Nothing);
            let message = format!(
                "this form of `{}` needs {need}, the target is {target}",
                built.name
            );
            assert_eq!(found(&built.func), [(Code::TargetLacksFeature, message)]);
        }
    }
}

/// The first finding in a kernel of this body, with parameters %0 to %4 of types b32, b64, f32, f64 and b16; empty if
/// it is valid.
fn first_in(statements: &str) -> String {
    first_of(&format!(
        "nvvm.func @k(%0: b32, %1: b64, %2: f32, %3: f64, %4: b16) {{target = sm_90, nvvm.kernel, \
         nvvm.reqntid = 32, shared_bytes = 1024}} body {{\n{statements}\n}}\n"
    ))
}

fn first_of(text: &str) -> String {
    let parsed = parse_stage::<Nvvm>(text, FileId(0));
    assert_eq!(parsed.diagnostics, [], "{text}");
    let first = found(&parsed.module.funcs[0]).into_iter().next();
    first.map_or_else(String::new, |(code, message)| format!("{code}: {message}"))
}

#[test]
fn constants_are_in_range() {
    let constant = |value: &str, op: &str| {
        first_in(&format!(
            "%c = nvvm.constant {{value = {value}}} : b32\n{op}\nnvvm.ret"
        ))
    };
    let ranges = [
        (
            "%d = nvvm.lop3 %0, %0, %0, %c {ty = b32} : b32",
            3,
            [0, 255],
            [-1, 256],
        ),
        ("nvvm.bar.sync %c", 0, [0, 15], [-1, 16]),
        ("nvvm.barrier.arrive %0, %c", 1, [32, 1024], [0, 1056]),
        ("nvvm.bar.arrive %0, %c", 1, [64, 992], [33, 1000]),
        (
            "nvvm.mbarrier.init %1, %c {ty = b64}",
            1,
            [1, (1 << 20) - 1],
            [0, 1 << 20],
        ),
    ];
    for (op, at, good, bad) in ranges {
        for value in good {
            assert_eq!(constant(&format!("i32<{value}>"), op), "", "{op} with {value}");
        }
        for value in bad {
            let said = constant(&format!("i32<{value}>"), op);
            assert!(
                said.contains(&format!("operand {at} of ")),
                "{op} with {value}: {said}"
            );
            assert!(
                said.ends_with(&format!(", not {value}")),
                "{op} with {value}: {said}"
            );
        }
    }
    let table = "%d = nvvm.lop3 %0, %0, %0, %0 {ty = b32} : b32\nnvvm.ret";
    assert_eq!(
        first_in(table),
        "E0315: operand 3 of `nvvm.lop3` must be a constant from 0 to 255, and is not"
    );
    // An integer is no float, though its register may be one.
    let sum = "%d = nvvm.add %c, %2 {ty = f32} : f32";
    assert!(constant("i32<1>", sum).ends_with("must be a register of 32 bits for `.f32`, not 1"));
}

#[test]
fn guards_are_predicates_with_values_for_all_results() {
    let with = |op: &str| {
        first_in(&format!(
            "%p = nvvm.isspacep %1 {{space = global}} : pred\n{op}\nnvvm.ret"
        ))
    };
    let load = |rest: &str, types: &str| {
        with(&format!(
            "%x = nvvm.ld %1, {rest} {{space = global, ty = b32}} : {types}"
        ))
    };
    assert_eq!(load("guard %p", "b32"), "");
    assert_eq!(load("guard %p, [%0]", "b32"), "");
    assert_eq!(load("guard %p, [%0]", "ptr<3>"), "");
    assert_eq!(
        load("guard %0", "b32"),
        "E0315: the guard of `nvvm.ld` is no predicate"
    );
    let count = "it has 1 result, and needs a guard and one value for each";
    assert!(load("[%0]", "b32").ends_with(count));
    assert!(load("guard %p, [%0, %0]", "b32").ends_with(count));
    assert!(load("guard %p, [%2]", "b32").ends_with("differ in type"));
    let store = |rest: &str| with(&format!("nvvm.st %1, [%0], {rest} {{space = global, ty = b32}}"));
    assert_eq!(store("guard %p"), "");
    assert!(store("guard %p, [%0]").ends_with("it has 0 results, and needs a guard and one value for each"));
}

#[test]
fn constants_branches_and_shared_memory_have_their_types() {
    let one = |op: &str| first_in(&format!("{op}\nnvvm.ret"));
    for (value, ty) in [
        ("i32<1>", "b32"),
        ("i32<1>", "ptr<3>"),
        ("i64<1>", "ptr<1>"),
        ("i1<true>", "pred"),
        ("i8<1>", "b8"),
        ("f16<1.0>", "b16"),
        ("f32<1.0>", "f32"),
        ("f64<1.0>", "f64"),
    ] {
        assert_eq!(one(&format!("%c = nvvm.constant {{value = {value}}} : {ty}")), "");
    }
    for (value, ty) in [
        ("i32<1>", "f32"),
        ("f32<1.0>", "b32"),
        ("i64<1>", "b32"),
        ("f8E4M3FN<0x38>", "b8"),
    ] {
        let said = one(&format!("%c = nvvm.constant {{value = {value}}} : {ty}"));
        assert!(
            said.ends_with(&format!("the result of `nvvm.constant` cannot be a `{ty}`")),
            "{value}: {said}"
        );
    }
    assert_eq!(one("%s = nvvm.shared.base : ptr<3>"), "");
    assert_eq!(one("%s = nvvm.shared.base : b32"), "");
    assert!(
        one("%s = nvvm.shared.base : ptr<1>")
            .ends_with("the result of `nvvm.shared.base` cannot be a `ptr<1>`")
    );
    let branch = |on: &str| {
        first_in(&format!(
            "%p = nvvm.isspacep %1 {{space = global}} : pred\nnvvm.cbra {on}, ^a(), ^b()\n^a():\nnvvm.bra ^b()\n^b():\nnvvm.ret"
        ))
    };
    assert_eq!(branch("%p"), "");
    assert!(branch("%0").ends_with("the condition of `nvvm.cbra` cannot be a `b32`"));
    let sum = |attrs: &str| one(&format!("%d = nvvm.add %3, %3 {{{attrs}}} : f64"));
    assert_eq!(sum("rounding = rz, ty = f64"), "");
    assert!(sum("sat, ty = f64").ends_with("`nvvm.add` with these other modifiers has no `sat`"));
}

#[test]
fn a_function_is_a_kernel_whose_parameters_can_be_passed() {
    let kernel = |marks: &str, param: &str| {
        first_of(&format!(
            "nvvm.func @k(%0: {param}) {{target = sm_90, {marks}nvvm.reqntid = 32, shared_bytes = 0}} body {{\nnvvm.ret\n}}\n"
        ))
    };
    assert_eq!(kernel("nvvm.kernel, ", "b64"), "");
    for marks in ["", "cute.kernel, ", "cute.kernel, nvvm.kernel, "] {
        assert!(
            kernel(marks, "b64").ends_with("is marked `nvvm.kernel`, and not `cute.kernel`"),
            "{marks}"
        );
    }
    assert!(kernel("nvvm.kernel, ", "pred").ends_with("has no form in memory and cannot be a parameter"));
    assert!(kernel("nvvm.kernel, ", "ptr<3>").ends_with("no parameter points there"));
    assert_eq!(kernel("nvvm.kernel, ", "ptr<1>"), "");
}
