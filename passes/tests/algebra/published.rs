//! The functions that NVIDIA publishes with the open dialect as tests of its expansion and conversion: files of the folder that
//! `TILEWRIGHT_CUTE_IR_TESTS` names. Each is evaluated as it stands. Written again for CUTLASS's library, with the types that its
//! rules give, it comes to the same numbers, lowered by our passes and by the library's.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tilewright_evaluator::host::{HostArgument, Number, evaluate_host};
use tilewright_irs::core::{Func, OpId, Operation as _, Value as Of};
use tilewright_irs::cute_types::{CuteType, Kind, ViewLayout};
use tilewright_irs::mlir::attribute::ArrayType;
use tilewright_irs::mlir::dialects::{CuteOp, FuncOp, OpenOp};
use tilewright_irs::mlir::{Attribute, Mlir, MlirModule, MlirOp, Type};
use tilewright_layouts::cute::LastOf;

use super::library::{Folder, STAGES, named, run_library};
use super::run::{agrees, lowered, read, stored};
use super::writer::{Program, Role, Value, Writer};

/// The assignments of a function.
const ASSIGNMENTS: usize = 20;

/// What the numbers are multiples of: the numbers of shapes that are divided have to divide each other.
const MULTIPLE: i64 = 60;

/// Functions that the library does not lower to the same, and why.
const EXCEPTIONS: [(&[&str], &str); 3] = [
    (
        &[
            "flat_divide.mlir: @expand_dynamic_layout_tiler",
            "logical_divide.mlir: @expand_dynamic_layout_tiler",
            "tiled_divide.mlir: @expand_dynamic_layout_tiler",
            "zipped_divide.mlir: @expand_dynamic_layout_tiler",
        ],
        "dynamic modes are merged in the library only",
    ),
    (
        &[
            "layout_eval.mlir: @expand_composed_static_basis_b",
            "layout_eval.mlir: @expand_composed_dynamic_coord_basis_b",
            "pipeline_with_fold_static.mlir: @fold_layout_eval_composed_static_basis_b",
        ],
        "the library has no index in a composed layout whose first layout has basis vectors",
    ),
    (
        &["get_scalars.mlir: @composed_layout_only_dynamic"],
        "the library has the numbers of the first layout before those of the last",
    ),
];

/// A function of a test.
struct Test {
    name: String,
    module: MlirModule,
    number: usize,
    program: Program,
}

/// The files of a folder that expand or convert.
fn files(folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            self::files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "mlir") {
            let text = std::fs::read_to_string(&path).expect("a text");
            let lines = text.lines().filter(|line| line.contains("RUN:"));
            let commands: String = lines.collect();
            let lowers = commands.contains("-cute-expand-ops") || commands.contains("-cute-to-base");
            if lowers && !commands.contains("-verify-diagnostics") {
                files.push((path.to_string_lossy().into_owned(), text));
            }
        }
    }
}

/// A parameter as the library makes such a value.
fn parameter(w: &mut Writer<'_>, ty: &Type) -> Option<Value> {
    match ty {
        Type::Integer(_, 32) => Some(w.parameter(tilewright_layouts::cute::Bits::B32, 1, Role::Positive)),
        Type::Integer(_, 64) => Some(w.parameter(tilewright_layouts::cute::Bits::B64, 1, Role::Positive)),
        Type::Cute(ty) => value(w, ty.kind().clone()),
        _ => None,
    }
}

fn value(w: &mut Writer<'_>, kind: Kind) -> Option<Value> {
    match &kind {
        Kind::Swizzle(_) => Some(w.fixed(kind)),
        Kind::Composed(ViewLayout::Composed(composed)) => {
            let last = match composed.last() {
                LastOf::Swizzle(swizzle) => Kind::Swizzle(*swizzle),
                LastOf::Layout(layout) => Kind::Layout(layout.clone()),
            };
            let parts = [
                last,
                Kind::IntTuple(composed.offset().clone()),
                Kind::Layout(composed.layout().clone()),
            ];
            let parts: Option<Vec<Value>> = parts.into_iter().map(|part| value(w, part)).collect();
            w.one("cute.make_composed_layout", &parts?, &[])
        }
        Kind::Composed(_) => None,
        // Powers of two divide each other.
        _ => Some(w.make(kind, Role::Power)),
    }
}

/// Writes an op of the open dialect for the library.
fn translate(
    w: &mut Writer<'_>,
    from: &Func<Mlir>,
    id: OpId,
    values: &HashMap<Of, Value>,
) -> Option<Vec<Value>> {
    let op = from.body.op(id);
    let operands: Option<Vec<Value>> = op
        .kind
        .operand_list()
        .iter()
        .map(|of| values.get(of).cloned())
        .collect();
    let operands = operands?;
    let types = || op.results().map(|result| from.body.ty(result).clone()).collect();
    let own = op.kind.properties();
    let properties: Vec<(&'static str, Attribute)> =
        own.iter().map(|(name, value)| (*name, value.clone())).collect();
    let name = op.kind.mlir_spec().name;
    match &op.kind {
        MlirOp::Cute(CuteOp::MakeLayout { shape, stride }) => {
            let sizes = [shape, stride].map(|part| i64::from(part.is_some()));
            let sizes = Attribute::Numbers(ArrayType::I32, sizes.into());
            Some(w.written(name, &operands, &[("operandSegmentSizes", sizes)], types()))
        }
        MlirOp::Cute(
            CuteOp::Static {}
            | CuteOp::MakeCoord { .. }
            | CuteOp::MakeIntTuple { .. }
            | CuteOp::MakeShape { .. }
            | CuteOp::MakeStride { .. }
            | CuteOp::MakeTile { .. },
        ) => Some(w.written(name, &operands, &[], types())),
        MlirOp::Open(OpenOp::Dice { .. }) => {
            let [input, coord] = operands.as_slice() else {
                return None;
            };
            let coord = CuteType::from(coord.kind()?.clone()).to_string();
            w.op(
                "cute.dice",
                std::slice::from_ref(input),
                &[("coord", Attribute::Dialect(coord.into()))],
            )
        }
        MlirOp::Cute(_) => w.op(name, &operands, &properties),
        MlirOp::Arith(_) => Some(w.written(name, &operands, &properties, types())),
        _ => None,
    }
}

/// A function of the open dialect as a program for the library; none where the library has no such op, or none of these operands.
fn translated(from: &Func<Mlir>, rng: &mut ChaCha8Rng) -> Option<Program> {
    let mut w = Writer::new(rng);
    let mut values: HashMap<Of, Value> = HashMap::new();
    for &of in from.body.params() {
        let made = parameter(&mut w, from.body.ty(of))?;
        values.insert(of, made);
    }
    for &id in &from.body.block(from.body.entry()?).ops {
        if let MlirOp::Func(FuncOp::Return { operands }) = &from.body.op(id).kind {
            let results: Option<Vec<Value>> = operands.iter().map(|of| values.get(of).cloned()).collect();
            return w.finish(results?);
        }
        let made = translate(&mut w, from, id, &values)?;
        values.extend(from.body.op(id).results().zip(made));
    }
    None
}

/// What the function returns as it stands, for the numbers of its parameters one after the other.
fn original(test: &Test, numbers: &[i64]) -> Option<Vec<i64>> {
    let function = test.module.functions().nth(test.number)?;
    let mut numbers = numbers.iter();
    let arguments = function.body.params().iter().map(|&of| {
        let count = match function.body.ty(of) {
            Type::Cute(ty) => ty.kind().dynamic_leaves().len(),
            _ => 1,
        };
        HostArgument::Value {
            address: false,
            numbers: numbers
                .by_ref()
                .take(count)
                .map(|number| Number::Integer(*number))
                .collect(),
        }
    });
    let arguments: Vec<HostArgument> = arguments.collect();
    let evaluated = evaluate_host(&test.module, function, &arguments, 100_000);
    evaluated.launches.ok()?;
    let integer = |number| match number {
        Some(Number::Integer(number)) => Some(number),
        _ => None,
    };
    evaluated.returned.into_iter().map(integer).collect()
}

#[test]
#[allow(clippy::print_stdout, reason = "the counts are what it is run for")]
fn published_functions_are_lowered_to_the_same() {
    let (Some(tests), Some(python)) = (named("TILEWRIGHT_CUTE_IR_TESTS"), named("TILEWRIGHT_CUTE_PYTHON"))
    else {
        return;
    };
    let mut texts = Vec::new();
    files(&tests, &mut texts);
    texts.sort();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (mut all, mut others) = (Vec::new(), BTreeMap::new());
    for (path, text) in &texts {
        let file = Path::new(path)
            .strip_prefix(&tests)
            .expect("below the folder")
            .display();
        for part in text.split("\n// -----") {
            let Ok(module) = read(part) else { continue };
            for (number, function) in module.functions().enumerate() {
                let name = format!("{file}: @{}", function.name);
                match translated(function, &mut rng) {
                    Some(program) => all.push(Test {
                        name,
                        module: module.clone(),
                        number,
                        program,
                    }),
                    None => *others.entry(file.to_string()).or_insert(0) += 1,
                }
            }
        }
    }
    let folder = Folder::new("published");
    for (at, test) in all.iter().enumerate() {
        std::fs::write(folder.file(&format!("test{at}"), "mlir"), test.program.function()).expect("a file");
    }
    run_library(&python, &folder);
    let (mut counts, mut wrong) = (Counts::default(), Vec::new());
    for (at, test) in all.iter().enumerate() {
        let made = |ending: &str| std::fs::read_to_string(folder.file(&format!("test{at}"), ending)).ok();
        let excepted = EXCEPTIONS
            .iter()
            .any(|(names, _)| names.iter().any(|name| test.name.ends_with(name)));
        match (compare(test, made, &mut counts, &mut rng), excepted) {
            (Ok(()), false) | (Err(_), true) => {}
            (Ok(()), true) => wrong.push(format!("{} is met, and is an exception", test.name)),
            (Err(problem), false) => {
                wrong.push(format!("{}: {problem}\n{}", test.name, test.program.function()));
            }
        }
    }
    println!(
        "{} files, {} functions: {counts:?}; of other files the library has not all ops: {others:?}",
        texts.len(),
        all.len()
    );
    assert_eq!(wrong, [""; 0]);
}

/// What has been compared.
#[derive(Debug, Default)]
struct Counts {
    /// Assignments whose result has numbers.
    assignments: usize,
    /// Functions whose result is of the types alone.
    of_types: usize,
}

/// Compares what a test returns with what the library and our passes make of its program.
fn compare(
    test: &Test,
    made: impl Fn(&str) -> Option<String>,
    counts: &mut Counts,
    rng: &mut ChaCha8Rng,
) -> Result<(), String> {
    if let Some(error) = made("error") {
        return Err(error);
    }
    if test.program.results() == 0 {
        counts.of_types += 1;
    }
    let stages = STAGES.map(|stage| (stage, read(&made(stage).unwrap_or_default())));
    let kernel = lowered(&test.program);
    for _ in 0..ASSIGNMENTS {
        let numbers = test.program.assignment(rng);
        let numbers: Vec<i64> = numbers.into_iter().map(|number| MULTIPLE * number).collect();
        let Some(result) = original(test, &numbers) else {
            continue;
        };
        for (stage, module) in &stages {
            let agrees = module
                .as_ref()
                .map_err(String::clone)
                .and_then(|module| agrees(module, &numbers, &result));
            agrees.map_err(|problem| format!("{stage}: {problem}"))?;
        }
        let own = kernel
            .as_ref()
            .map(|kernel| stored(&test.program, kernel, &numbers));
        if own.as_ref() != Ok(&result) {
            return Err(format!("lowered, of {numbers:?}: {own:?}, not {result:?}"));
        }
        counts.assignments += usize::from(!result.is_empty());
    }
    Ok(())
}
