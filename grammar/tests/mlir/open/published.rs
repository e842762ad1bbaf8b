//! The tests that NVIDIA publishes with the open dialect: a folder that `TILEWRIGHT_CUTE_IR_TESTS` names. Without it the tests
//! pass and check nothing.
//!
//! A file has parts, between lines `// -----`. Errors are expected where the comments of a part say so, at that line and of that
//! cause; what they say is in our words. Other files are read and printed in both forms and meet their directives.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tilewright_diagnostics::{Code, Diagnostic, Span};
use tilewright_evaluator::host::{HostArgument, Number, evaluate_host};
use tilewright_irs::mlir::print::{Form, print_module};
use tilewright_irs::mlir::{Item, MlirModule, MlirOp, Type};
use tilewright_passes::cute::fold_static;

use super::read;
use crate::checks;

/// The files that are not met, and why.
const EXCEPTIONS: [(&str, &str); 5] = [
    (
        "Conversion/CuteToBase/func_signature.mlir",
        "functions without a body, and calls, are not read",
    ),
    (
        "Conversion/CuteToBase/pipeline_full.mlir",
        "one part has a `gpu.func`, where kernels of `cute` are `cuda.kernel`",
    ),
    (
        "Conversion/CuteToBase/print_gpu.mlir",
        "`gpu.func` and `gpu.launch`, where kernels of `cute` are `cuda.kernel`",
    ),
    (
        "Dialect/Cute/Accessors/get.mlir",
        "an empty path is printed as none",
    ),
    (
        "Dialect/Cute/Accessors/get_shape_errors.mlir",
        "its types have an `x`, the mark of an error, which is refused where it stands: one line below",
    ),
];

/// The files of the folder: names below it, and texts.
pub(crate) fn files() -> Vec<(String, String)> {
    let Some(folder) = std::env::var_os("TILEWRIGHT_CUTE_IR_TESTS").map(PathBuf::from) else {
        return Vec::new();
    };
    let mut files = Vec::new();
    collect(&folder, &folder, &mut files);
    files.sort();
    files
}

fn collect(folder: &Path, below: &Path, files: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(below).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            collect(folder, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "mlir") {
            let name = path.strip_prefix(folder).expect("below the folder");
            files.push((
                name.to_string_lossy().into_owned(),
                std::fs::read_to_string(&path).expect("a text"),
            ));
        }
    }
}

/// The parts of a file, with the number of lines before each.
fn parts(text: &str) -> Vec<(usize, String)> {
    let mut parts = vec![(0, String::new())];
    for (number, line) in text.lines().enumerate() {
        if line.trim_end() == "// -----" {
            parts.push((number + 1, String::new()));
        } else if let Some((_, part)) = parts.last_mut() {
            part.push_str(line);
            part.push('\n');
        }
    }
    parts.retain(|(_, part)| {
        part.lines()
            .any(|line| !line.trim().is_empty() && !line.starts_with("//"))
    });
    parts
}

/// The passes that the commands of a file run.
fn commands(text: &str) -> String {
    let lines = text.lines().filter_map(|line| line.split_once("RUN:"));
    lines.map(|(_, command)| command).collect()
}

fn line_of(part: &str, problem: &Diagnostic<Span>) -> usize {
    let start = problem
        .primary
        .as_ref()
        .map_or(0, |label| label.at.start as usize);
    part[..start].matches('\n').count() + 1
}

/// An error in a part of a file.
fn at(before: usize, part: &str, problem: &Diagnostic<Span>) -> String {
    format!("line {}: {}", before + line_of(part, problem), problem.message)
}

/// The lines at which a part has errors, as its comments say, with what these say of the errors.
fn expected(part: &str) -> BTreeMap<usize, String> {
    let mut lines: BTreeMap<usize, String> = BTreeMap::new();
    for (number, line) in (1usize..).zip(part.lines()) {
        let Some((_, rest)) = line.split_once("expected-error") else {
            continue;
        };
        let place = rest.split_once("{{").map_or(rest, |(place, _)| place).trim();
        let at = match place.strip_prefix('@') {
            None => number,
            Some("below") => number + 1,
            Some("above") => number - 1,
            Some(offset) => number
                .checked_add_signed(offset.parse().expect("an offset"))
                .expect("a line"),
        };
        // Comments in sequence are about the line after all of them.
        let comments = part.lines().skip(at - 1);
        let comments = comments
            .take_while(|text| text.trim_start().starts_with("//"))
            .count();
        lines.entry(at + comments).or_default().push_str(rest);
    }
    lines
}

/// What NVIDIA's errors are about, by a part of their texts, and the codes of ours. All others are about operands.
const CAUSES: [(&str, &[Code]); 15] = [
    ("failed to parse", &[Code::UnknownType, Code::AttributeValue]),
    ("expected string", &[Code::UnknownType, Code::AttributeValue]),
    (
        "strides to be either all-integer or all-scaled-basis",
        &[Code::UnknownType],
    ),
    ("scaled-basis paths to agree", &[Code::UnknownType]),
    (
        "scaled-basis strides to have integer values",
        &[Code::UnknownType],
    ),
    ("expects positive shape mode", &[Code::UnknownType]),
    ("swizzle layout expects scalar", &[Code::UnknownType]),
    ("expects arith sum of", &[Code::UnknownType]),
    ("to be addable", &[Code::UnknownType]),
    ("expects no error", &[Code::UnknownType]),
    ("divisor is zero", &[Code::BadStride]),
    ("dynamic operand(s) for result type", &[Code::OperandCount]),
    ("result to be static", &[Code::TypeMismatch]),
    ("op result #", &[Code::TypeMismatch]),
    // A result that a text has does not follow, or no result follows from the operands.
    ("inferred type(s)", &[Code::TypeMismatch, Code::OperandType]),
];

/// Whether an error of this code is of the cause that a text says.
fn is_of_cause(code: Code, text: &str) -> bool {
    let cause = CAUSES.iter().find(|(part, _)| text.contains(part));
    cause
        .map_or(&[Code::OperandType][..], |(_, codes)| codes)
        .contains(&code)
}

/// What is wrong with a file in which errors are expected.
fn refused(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for (before, part) in parts(text) {
        let expected = expected(&part);
        let found = read(&part).err().unwrap_or_default();
        let lines: BTreeSet<usize> = found.iter().map(|problem| line_of(&part, problem)).collect();
        for line in expected.keys().filter(|line| !lines.contains(line)) {
            wrong.push(format!("line {}: no error", before + line));
        }
        for problem in &found {
            let line = line_of(&part, problem);
            match expected.get(&line) {
                Some(text) if is_of_cause(problem.code, text) => {}
                Some(text) => wrong.push(format!("line {}: {:?}, where{text}", before + line, problem.code)),
                None => wrong.push(format!("line {}: {}", before + line, problem.message)),
            }
        }
    }
    wrong
}

/// A file read, and printed in a form, read and printed again in the op's own form.
fn printed(text: &str, form: Option<Form>) -> Result<String, Vec<String>> {
    let (mut out, mut wrong) = (String::new(), Vec::new());
    for (before, part) in parts(text) {
        let read = read(&part).and_then(|module| match form {
            None => Ok(module),
            Some(form) => read(&print_module(&module, form)),
        });
        match read {
            Ok(module) => out.push_str(&print_module(&module, Form::Custom)),
            Err(problems) => wrong.extend(problems.iter().map(|problem| at(before, &part, problem))),
        }
    }
    match wrong.is_empty() {
        true => Ok(out),
        false => Err(wrong),
    }
}

/// What is wrong with a file that is read and printed.
fn kept(text: &str) -> Vec<String> {
    for form in [None, Some(Form::Custom), Some(Form::Generic)] {
        match printed(text, form) {
            Err(wrong) => return wrong,
            Ok(printed) => {
                if let Some(unmet) = checks::unmet(text, "CHECK", &printed) {
                    return vec![format!("printed as {form:?}: {unmet}")];
                }
            }
        }
    }
    Vec::new()
}

/// A module with its static values folded.
pub(super) fn folded(module: &MlirModule) -> MlirModule {
    let mut module = module.clone();
    for item in &mut module.items {
        if let Item::Function(function) = item {
            *function = fold_static(function).expect("no errors");
        }
    }
    module
}

/// What is wrong with a file whose static values are folded.
fn folds(text: &str) -> Vec<String> {
    let (mut out, mut wrong) = (String::new(), Vec::new());
    for (before, part) in parts(text) {
        match read(&part) {
            Ok(module) => out.push_str(&print_module(&folded(&module), Form::Custom)),
            Err(problems) => wrong.extend(problems.iter().map(|problem| at(before, &part, problem))),
        }
    }
    wrong.extend(checks::unmet(text, "CHECK", &out));
    wrong
}

/// How many numbers a value of a type is given by.
fn numbers(ty: &Type) -> usize {
    match ty {
        Type::Cute(ty) => ty.kind().dynamic_leaves().len(),
        _ => 1,
    }
}

/// What is wrong with a file whose functions are evaluated, with numbers for what the types of arguments leave open.
fn evaluates(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for (before, part) in parts(text) {
        let module = match read(&part) {
            Ok(module) => module,
            Err(problems) => {
                wrong.extend(problems.iter().map(|problem| at(before, &part, problem)));
                continue;
            }
        };
        for function in module.functions() {
            let body = &function.body;
            let is_number = |ty: &Type| matches!(ty, Type::Integer(..)) || ty.kind().is_some();
            // The host has no elementary functions, and no floats are given.
            let has_math = body.ops().any(|(_, op)| matches!(op.kind, MlirOp::Math(_)));
            if has_math || !body.params().iter().all(|&param| is_number(body.ty(param))) {
                continue;
            }
            let argument = |ty: &Type| HostArgument::Value {
                address: false,
                numbers: (1..).map(|n| Number::Integer(24 * n)).take(numbers(ty)).collect(),
            };
            let arguments: Vec<HostArgument> = body
                .params()
                .iter()
                .map(|&param| argument(body.ty(param)))
                .collect();
            if let Err(problem) = evaluate_host(&module, function, &arguments, 100_000).launches {
                wrong.push(format!(
                    "line {}: @{}: {}",
                    before + 1,
                    function.name,
                    problem.message
                ));
            }
        }
    }
    wrong
}

#[test]
fn published_tests_are_met() {
    let files = files();
    let mut wrong = Vec::new();
    for (name, text) in &files {
        let commands = commands(text);
        let found = if commands.contains("-verify-diagnostics") {
            refused(text)
        } else if commands.contains("-cute-expand-ops") || commands.contains("-cute-to-base") {
            let mut found = printed(text, Some(Form::Custom)).err().unwrap_or_default();
            found.extend(evaluates(text));
            found
        } else if commands.contains("-cute-fold-static") {
            folds(text)
        } else {
            kept(text)
        };
        let excepted = EXCEPTIONS.iter().any(|(exception, _)| exception == name);
        match (excepted, found.is_empty()) {
            (false, _) => wrong.extend(found.into_iter().map(|found| format!("{name}: {found}"))),
            (true, true) => wrong.push(format!("{name} is met, and is an exception")),
            (true, false) => {}
        }
    }
    assert_eq!(wrong, [""; 0], "of {} files", files.len());
}
