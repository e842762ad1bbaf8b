//! Reductions and scans of random shapes, element types and bodies, whose results do not depend on the order in which
//! elements are grouped.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright::cli::{Exit, main_with};

use super::seeds;

const PROGRAMS: u64 = 40;
const ELEMENTS: &[&str] = &["i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"];

/// A kernel that loads a tile of integers, reduces or scans tiles made of it, and stores the results.
struct Generator {
    random: ChaCha8Rng,
    text: String,
    shape: Vec<u32>,
}

/// What is combined: tiles of these element types, and the body's lines, whose last values are yielded.
struct Combination {
    operands: Vec<String>,
    types: Vec<&'static str>,
    identities: Vec<String>,
    body: Vec<String>,
    yields: Vec<&'static str>,
}

/// A generated program.
struct Program {
    text: String,
    /// The elements of its input.
    elements: u32,
    /// The element type and the number of elements of each output.
    outputs: Vec<(&'static str, u32)>,
}

fn tile(shape: &[u32], element: &str) -> String {
    let extents: String = shape.iter().map(|n| format!("{n}x")).collect();
    format!("tile<{extents}{element}>")
}

fn count(shape: &[u32]) -> u32 {
    shape.iter().product()
}

fn is_float(element: &str) -> bool {
    element.contains('f')
}

/// The type in which an element is stored to memory.
fn stored(element: &'static str) -> &'static str {
    if element == "i1" { "i8" } else { element }
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let rank: u32 = random.random_range(1..=3);
        let most = [0, 12, 6, 4][rank as usize];
        let shape = (0..rank).map(|_| 1 << random.random_range(0..=most)).collect();
        Self {
            random,
            text: String::new(),
            shape,
        }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "    {line}");
    }

    fn choose<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.random.random_range(0..words.len())]
    }

    /// Numbers the elements of a tile of this shape.
    fn numbers(&mut self, name: &str, shape: &[u32]) {
        let line = tile(&[count(shape)], "i32");
        self.line(&format!("{name}_line = iota : {line}"));
        self.line(&format!(
            "{name} = reshape {name}_line : {line} -> {}",
            tile(shape, "i32")
        ));
    }

    /// Pointers to the elements of an array that a parameter points to.
    fn pointers(&mut self, parameter: &str, element: &str, shape: &[u32], numbers: &str) -> String {
        let pointer = format!("ptr<{element}>");
        if shape.is_empty() {
            return parameter.to_owned();
        }
        let (one, all) = (tile(&vec![1; shape.len()], &pointer), tile(shape, &pointer));
        self.line(&format!(
            "{parameter}_1 = reshape {parameter} : tile<{pointer}> -> {one}"
        ));
        self.line(&format!(
            "{parameter}_2 = broadcast {parameter}_1 : {one} -> {all}"
        ));
        self.line(&format!(
            "{parameter}_3 = offset {parameter}_2, {numbers} : {all}, {} -> {all}",
            tile(shape, "i32")
        ));
        format!("{parameter}_3")
    }

    /// A tile of small numbers of an element type, made of the input, so that their sums are exact.
    fn small(&mut self, element: &str) {
        let (shape, most) = (self.shape.clone(), if is_float(element) { 3 } else { 127 });
        let (from, to) = (tile(&shape, "i32"), tile(&shape, element));
        self.line(&format!("%most = constant <i32: {most}> : {from}"));
        self.line(&format!("%low = andi %x, %most : {from}"));
        self.line(&match element {
            _ if is_float(element) => format!("%v = itof %low signed : {from} -> {to}"),
            "i32" => format!("%v = addi %low, %low : {from}"),
            "i64" => format!("%v = exti %low signed : {from} -> {to}"),
            _ => format!("%v = trunci %low : {from} -> {to}"),
        });
    }

    /// One operand, combined by one op or by a branch.
    fn single(&mut self, element: &'static str) -> Combination {
        self.small(element);
        let scalar = tile(&[], element);
        let (op, identity) = match element {
            "i1" => [("andi", "true"), ("ori", "false"), ("xori", "false")][self.random.random_range(0..3)],
            // A sum of many small floats is exact in the wider types only.
            "f16" | "bf16" => [("maxf", "0.0"), ("minf", "8.0")][self.random.random_range(0..2)],
            "f32" | "f64" => {
                [("maxf", "0.0"), ("minf", "8.0"), ("addf", "0.0")][self.random.random_range(0..3)]
            }
            _ => [
                ("addi", "0"),
                ("muli", "1"),
                ("xori", "0"),
                ("ori", "0"),
                ("maxi", "-128"),
                ("mini", "127"),
            ][self.random.random_range(0..6)],
        };
        let signed = if ["maxi", "mini"].contains(&op) {
            " signed"
        } else {
            ""
        };
        let mut body = vec![format!("%s = {op} %e0, %a0{signed} : {scalar}")];
        if element != "i1" && self.random.random_bool(0.2) {
            let truth = tile(&[], "i1");
            let compare = if is_float(element) {
                format!("%c = cmpf less_than ordered %e0, %a0 : {scalar} -> {truth}")
            } else {
                format!("%c = cmpi less_than %e0, %a0, signed : {scalar} -> {truth}")
            };
            let choice = format!(
                "%s = if %c -> ({scalar}) {{\n      yield %a0 : {scalar}\n    }} else {{\n      yield %e0 : {scalar}\n    }}"
            );
            body = vec![compare, choice];
        }
        Combination {
            operands: vec!["%v".to_owned()],
            types: vec![element],
            identities: vec![match element {
                "i1" => identity.to_owned(),
                _ => format!("{identity} : {element}"),
            }],
            body,
            yields: vec!["%s"],
        }
    }

    /// The largest element and its number, the smaller number of equals.
    fn largest(&mut self, element: &'static str) -> Combination {
        let element = if element == "i1" { "i8" } else { element };
        self.small(element);
        let (scalar, index, truth) = (tile(&[], element), tile(&[], "i32"), tile(&[], "i1"));
        let compare = |predicate: &str| match is_float(element) {
            true => format!("cmpf {predicate} ordered %e0, %a0 : {scalar} -> {truth}"),
            false => format!("cmpi {predicate} %e0, %a0, signed : {scalar} -> {truth}"),
        };
        let body = vec![
            format!("%more = {}", compare("greater_than")),
            format!("%same = {}", compare("equal")),
            format!("%earlier = cmpi less_than %e1, %a1, signed : {index} -> {truth}"),
            format!("%both = andi %same, %earlier : {truth}"),
            format!("%take = ori %more, %both : {truth}"),
            format!("%m = select %take, %e0, %a0 : {truth}, {scalar}"),
            format!("%n = select %take, %e1, %a1 : {truth}, {index}"),
        ];
        let zero = if is_float(element) { "0.0" } else { "0" };
        Combination {
            operands: vec!["%v".to_owned(), "%number".to_owned()],
            types: vec![element, "i32"],
            identities: vec![format!("{zero} : {element}"), "0 : i32".to_owned()],
            body,
            yields: vec!["%m", "%n"],
        }
    }

    /// The composition of linear functions, which is associative and not commutative.
    fn composition(&mut self) -> Combination {
        let (all, one) = (tile(&self.shape.clone(), "i32"), tile(&[], "i32"));
        self.line(&format!("%unit = constant <i32: 1> : {all}"));
        self.line(&format!("%odd = ori %x, %unit : {all}"));
        Combination {
            operands: vec!["%odd".to_owned(), "%x".to_owned()],
            types: vec!["i32", "i32"],
            identities: vec!["1 : i32".to_owned(), "0 : i32".to_owned()],
            body: vec![
                format!("%m = muli %e0, %a0 : {one}"),
                format!("%t = muli %e0, %a1 : {one}"),
                format!("%n = addi %t, %e1 : {one}"),
            ],
            yields: vec!["%m", "%n"],
        }
    }

    fn program(mut self) -> Program {
        let shape = self.shape.clone();
        self.numbers("%number", &shape);
        let pointers = self.pointers("%a", "i32", &shape, "%number");
        self.line(&format!(
            "%x, %loaded = load_ptr_tko weak {pointers} : {} -> {}, token",
            tile(&shape, "ptr<i32>"),
            tile(&shape, "i32")
        ));
        let element = self.choose(ELEMENTS);
        let made = match self.random.random_range(0..4) {
            0 => self.largest(element),
            1 => self.composition(),
            _ => self.single(element),
        };
        let axis = self.random.random_range(0..shape.len());
        let mut results = shape.clone();
        let (name, direction) = match self.random.random_range(0..3) {
            0 => ("scan", " reverse=false"),
            1 => ("scan", " reverse=true"),
            _ => {
                results.remove(axis);
                ("reduce", "")
            }
        };
        let list = |shape: &[u32]| {
            let types: Vec<String> = made.types.iter().map(|element| tile(shape, element)).collect();
            types.join(", ")
        };
        let names: Vec<String> = (0..made.types.len()).map(|i| format!("%r{i}")).collect();
        let args = made.types.iter().enumerate().map(|(i, element)| {
            let scalar = tile(&[], element);
            format!("%e{i}: {scalar}, %a{i}: {scalar}")
        });
        let args: Vec<String> = args.collect();
        self.line(&format!(
            "{} = {name} {} dim={axis}{direction} identities=[{}] : {} -> {}",
            names.join(", "),
            made.operands.join(", "),
            made.identities.join(", "),
            list(&shape),
            list(&results)
        ));
        self.line(&format!("({}) {{", args.join(", ")));
        made.body.iter().for_each(|line| self.line(line));
        self.line(&format!("yield {} : {}", made.yields.join(", "), list(&[])));
        self.line("}");
        if !results.is_empty() {
            self.numbers("%place", &results);
        }
        let mut outputs = Vec::new();
        let mut params = "%a: tile<ptr<i32>>".to_owned();
        for (i, &element) in made.types.iter().enumerate() {
            let (parameter, memory) = (format!("%o{i}"), stored(element));
            let mut value = format!("%r{i}");
            if memory != element {
                let (from, to) = (tile(&results, element), tile(&results, memory));
                self.line(&format!("%w{i} = exti %r{i} unsigned : {from} -> {to}"));
                value = format!("%w{i}");
            }
            let pointers = self.pointers(&parameter, memory, &results, "%place");
            self.line(&format!(
                "{parameter}_stored = store_ptr_tko weak {pointers}, {value} : {}, {} -> token",
                tile(&results, &format!("ptr<{memory}>")),
                tile(&results, memory)
            ));
            let _ = write!(params, ", {parameter}: tile<ptr<{memory}>>");
            outputs.push((memory, count(&results)));
        }
        Program {
            text: format!(
                "cuda_tile.module @m {{\n  entry @k({params}) {{\n{}    return\n  }}\n}}\n",
                self.text
            ),
            elements: count(&shape),
            outputs,
        }
    }
}

/// Runs a program; its outputs are written to, or compared with, the files.
fn run(path: &Path, program: &Program, device: &str, flag: &str, files: &[PathBuf], more: &[&str]) -> Exit {
    let mut line = ["tilewright", "run", &path.display().to_string(), "--on", device]
        .map(str::to_owned)
        .to_vec();
    line.extend(["--grid", "1", "--seed", "7", "--arg"].map(str::to_owned));
    line.push(format!("randint:i32[{}]", program.elements));
    for (element, count) in &program.outputs {
        line.extend(["--arg".to_owned(), format!("empty:{element}[{count}]")]);
    }
    for (at, file) in (1..).zip(files) {
        line.extend([flag.to_owned(), format!("{at}={}", file.display())]);
    }
    line.extend(more.iter().map(|&word| word.to_owned()));
    let args: Vec<OsString> = line.iter().map(OsString::from).collect();
    main_with(&args)
}

#[test]
fn random_reductions_and_scans_agree_with_the_simulator() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random_folds");
    fs::create_dir_all(&folder).expect("a folder");
    for seed in seeds(PROGRAMS) {
        let program = Generator::new(seed).program();
        let path = folder.join(format!("{seed}.cuda_tile"));
        fs::write(&path, &program.text).expect("a file");
        let outputs = 0..program.outputs.len();
        let files: Vec<PathBuf> = outputs.map(|i| folder.join(format!("{seed}.{i}.npy"))).collect();
        let text = &program.text;
        let judged = run(&path, &program, "reference", "--out", &files, &[]);
        assert_eq!(judged, Exit::Ok, "{text}");
        let level = if seed % 4 == 0 { "-O0" } else { "-O3" };
        // sm_100a has an instruction for the minimum and the maximum of the floats of a warp.
        let target = if seed % 2 == 0 { "sm_90a" } else { "sm_100a" };
        let more = [level, "--target", target];
        assert_eq!(
            run(&path, &program, "cpu", "--expect", &files, &more),
            Exit::Ok,
            "{level} on {target}\n{text}"
        );
    }
}
