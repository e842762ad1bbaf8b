//! The host functions of the modules in the folder that `TILEWRIGHT_CUTE_CORPUS` names. Without it the test passes and checks
//! nothing.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tilewright_diagnostics::FileId;
use tilewright_evaluator::host::{HostArgument, HostLaunch, Number, evaluate_host};
use tilewright_grammar::mlir::read_mlir;
use tilewright_irs::core::{Func, Origin};
use tilewright_irs::cute_types::Kind;
use tilewright_irs::mlir::{Attribute, Mlir, Type};
use tilewright_layouts::cute::{Fact, Nested, Stride};

/// An argument of this type: 2000 along the first two modes of a tensor and 4 along others, and 64 for other numbers; or the
/// next numbers that the type allows.
fn argument(ty: &Type) -> HostArgument {
    let value = |address: bool, numbers: Vec<Number>| HostArgument::Value { address, numbers };
    let number = |least: u64, fact: &Fact| {
        let number = least.next_multiple_of(fact.divisor().max(1));
        Number::Integer(i64::try_from(number).expect("small"))
    };
    let extents = |shape: &Nested<Fact>| -> Vec<Number> {
        let leaves = shape
            .leaves()
            .enumerate()
            .filter(|(_, fact)| fact.value().is_none());
        leaves
            .map(|(at, fact)| number(if at < 2 { 2000 } else { 4 }, fact))
            .collect()
    };
    let cute = match ty {
        Type::Cute(cute) => cute,
        Type::Stream => return HostArgument::Stream,
        Type::Float(_) => return value(false, vec![Number::Float(0x3F00_0000)]),
        _ => return value(false, vec![Number::Integer(64)]),
    };
    match cute.kind() {
        Kind::View(view) => {
            let layout = view.layout.layout();
            let mut numbers = extents(&layout.shape());
            let stride = layout.stride();
            let strides = stride
                .leaves()
                .map(Stride::factor)
                .filter(|fact| fact.value().is_none());
            numbers.extend(strides.map(|fact| number(2048, fact)));
            value(true, numbers)
        }
        Kind::Pointer(_) => value(true, Vec::new()),
        Kind::IntTuple(tuple) | Kind::Shape(tuple) => {
            let open = tuple.leaves().filter(|fact| fact.value().is_none());
            value(false, open.map(|fact| number(64, fact)).collect())
        }
        _ => panic!("a parameter {ty}"),
    }
}

/// What a kernel's attribute says of its launches.
fn stated(kernel: &Func<Mlir>, name: &str) -> Option<[u32; 3]> {
    let Some(Attribute::Dictionary(facts)) = kernel.attrs.attributes.get("cutlass_launch_facts") else {
        return None;
    };
    let Some(Attribute::Numbers(_, numbers)) = facts.get(name) else {
        return None;
    };
    let numbers: Vec<u32> = numbers
        .iter()
        .map(|number| u32::try_from(*number).expect("an extent"))
        .collect();
    numbers.try_into().ok()
}

/// The sizes of the parameters of the kernel in a text of PTX.
fn parameters(ptx: &str) -> Vec<usize> {
    let entry = ptx.split_once(".entry").expect("a kernel").1;
    let list = entry.split_once(')').expect("its parameters").0;
    let size = |line: &str| match line.split_once('[') {
        Some((_, size)) => size
            .split(']')
            .next()
            .and_then(|size| size.parse().ok())
            .expect("a size"),
        None => {
            let bits = line.split_whitespace().nth(1).expect("a type");
            let bits: usize = bits
                .trim_start_matches(|c: char| !c.is_ascii_digit())
                .parse()
                .expect("a width");
            bits / 8
        }
    };
    list.lines()
        .map(str::trim)
        .filter(|line| line.starts_with(".param"))
        .map(size)
        .collect()
}

/// The text of a host function as traced, cleaned up and in the generic form launches the same kernel, with what the kernel says
/// of its launches, and with arguments of the sizes that the library's PTX has.
#[test]
fn host_functions_of_the_corpus() {
    let Some(folder) = std::env::var_os("TILEWRIGHT_CUTE_CORPUS").map(PathBuf::from) else {
        return;
    };
    let entries = std::fs::read_dir(&folder).expect("the folder of the corpus");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "mlir"));
    files.sort();
    let mut found: BTreeMap<String, Vec<HostLaunch>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for path in files {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("a text");
        let read = read_mlir(&text, FileId(0)).unwrap_or_else(|problems| panic!("{name}: {:?}", problems[0]));
        for function in read.module.functions() {
            let params = function.body.params();
            let arguments: Vec<_> = params
                .iter()
                .map(|param| argument(function.body.ty(*param)))
                .collect();
            let evaluated = evaluate_host(&read.module, function, &arguments, 100_000);
            let mut launches = match evaluated.launches {
                Ok(launches) => launches,
                Err(problem) => {
                    wrong.push(format!("{name}: {}: {}", problem.code, problem.message));
                    continue;
                }
            };
            for launch in &mut launches {
                let mut kernels = read.module.kernels();
                let kernel = kernels
                    .find(|kernel| kernel.name == launch.kernel)
                    .expect("the kernel");
                assert_eq!(stated(kernel, "exact_block_dim"), Some(launch.block), "{name}");
                assert!(
                    stated(kernel, "exact_grid_dim").is_none_or(|grid| grid == launch.grid),
                    "{name}"
                );
                launch.origin = Origin::FUNCTION;
            }
            let stem = name.split('.').next().unwrap_or_default().to_owned();
            let first = found.entry(stem).or_insert_with(|| launches.clone());
            assert_eq!(*first, launches, "{name}");
        }
    }
    for (stem, launches) in found {
        let text = std::fs::read_to_string(folder.join(format!("{stem}.ptx"))).expect("the PTX");
        let [launch] = launches.as_slice() else {
            panic!("{stem} launches {} kernels", launches.len());
        };
        let sizes: Vec<usize> = launch.arguments.iter().map(|packed| packed.bytes.len()).collect();
        assert_eq!(sizes, parameters(&text), "{stem}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
