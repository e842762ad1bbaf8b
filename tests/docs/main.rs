//! The tables in `docs/` say what the declarations of ops, passes and diagnostics say.
//!
//! `UPDATE_DOCS=1 cargo test -p tilewright-tests --test docs` writes them anew.

mod seed;
mod seed_000;
mod seed_004;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use tilewright::Language as Stage;
use tilewright::explain::Topic;
use tilewright::pipeline::PASSES;
use tilewright::policy::{self, CELLS};
use tilewright_diagnostics::Code;
use tilewright_irs::core::{
    Attributes, Carrier, Commutes, Cost, Family, FieldSpec, Language, Operation, ResultCount, attributes_of,
};
use tilewright_irs::cuda_tile::CudaTile;
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::fast_math::{
    FastMath, FastMathFlag, FastMathOfComparison, FastMathOfFunction, FastMathOfNumber, FastMathOfQuotient,
    FastMathOfSum,
};
use tilewright_irs::dialects::math::MathOp;
use tilewright_irs::isa::Target;
use tilewright_irs::llvm::Llvm;
use tilewright_irs::machine::{Machine, ProductRates, Rates};
use tilewright_irs::mlir::Mlir;
use tilewright_irs::nvvm::Nvvm;
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::TileAs;
use tilewright_tests::repository;

const MARK: &str =
    "<!-- From here on generated: UPDATE_DOCS=1 cargo test -p tilewright-tests --test docs -->\n";

#[test]
fn cuda_tile_page_is_current() {
    check::<CudaTile>();
}

#[test]
fn tileaa_page_is_current() {
    check::<TileAa>();
}

#[test]
fn tileas_page_is_current() {
    check::<TileAs>();
}

#[test]
fn scheduled_page_is_current() {
    check::<Scheduled>();
}

#[test]
fn cute_page_is_current() {
    check::<Mlir>();
}

#[test]
fn cute_desugared_page_is_current() {
    check::<CuteDesugared>();
}

#[test]
fn llvm_page_is_current() {
    check::<Llvm>();
}

#[test]
fn nvvm_page_is_current() {
    check::<Nvvm>();
}

#[test]
fn passes_page_is_current() {
    let mut text = String::from("\n| pass | from | to | when | what it does |\n|---|---|---|---|---|\n");
    for pass in PASSES {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} |",
            pass.name,
            link(pass.from),
            link(pass.to),
            pass.when,
            one_line(pass.doc)
        );
    }
    check_page("passes", &text);
}

/// The matrix of attributes by families, and the slots of `nvvm` instructions.
#[test]
fn attributes_page_is_current() {
    let mut text = String::new();
    for &family in Family::ALL {
        let cells = CELLS.iter().filter(|cell| cell.family == family);
        let _ = writeln!(
            text,
            "\n## {family}\n\n{}\n\n| stage | of | attributes | what becomes of them | passes |\n|---|---|---|---|---|",
            family.doc().trim()
        );
        for cell in cells {
            let names = match cell.names {
                [] => "the rest".to_owned(),
                names => policy::quoted(names),
            };
            let passes: Vec<_> = cell.passes().map(|pass| format!("`{}`", pass.name)).collect();
            let (stage, of, becomes, passes) = (cell.stage(), cell.carrier, cell.verdict, passes.join(", "));
            let _ = writeln!(text, "| {stage} | {of} | {names} | {becomes} | {passes} |");
        }
    }
    text.push_str("\n## Slots of `nvvm` instructions\n\n| instruction | slots |\n|---|---|\n");
    let mut slots: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for spec in attributes_of::<Nvvm>() {
        if spec.carrier == Carrier::Op {
            slots
                .entry(spec.op)
                .or_default()
                .push(format!("{} `{}`", spec.slot, spec.name));
        }
    }
    for (op, slots) in slots {
        let _ = writeln!(text, "| `{op}` | {} |", slots.join(", "));
    }
    check_page("attributes", &text);
}

/// A number for a table; nothing for none.
fn cell(number: impl Into<u64>) -> String {
    match number.into() {
        0 => String::new(),
        number => number.to_string(),
    }
}

#[test]
fn machine_page_is_current() {
    let mut numbers: Vec<u16> = Target::known().map(|target| target.sm).collect();
    numbers.dedup();
    let mut room = String::from(
        "\n## Room of a multiprocessor\n\nShared memory is in KiB: of a multiprocessor, the most of a block, and the most that \
         a kernel declares, with the features of one architecture and without.\n\n\
         | target | warps | blocks | shared memory | of a block | declared, `a` | declared | columns of tensor memory |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    let mut rates = String::from(
        "\n## Rates of a multiprocessor\n\nMultiply-adds in a cycle, by the type of the operands.\n\n\
         | target | unit | `f64` | `f32`, `tf32` | `f16` | 8-bit floats | `i8` | `i4` |\n|---|---|---|---|---|---|---|---|\n",
    );
    let mut chips = String::from(
        "\n## GPUs\n\nThe first one of a target is the usual one, for which times are predicted unless another one is asked for.\n\n| target | GPU | multiprocessors | MHz | memory, GB/s | taken from others |\n|---|---|---|---|---|---|\n",
    );
    for sm in numbers {
        let (machine, own) = (Machine::of(Target::sm(sm)), Machine::of(Target::sm_a(sm)));
        let has = &machine.multiprocessor;
        let _ = writeln!(
            room,
            "| `sm_{sm}` | {} | {} | {} | {} | {} | {} | {} |",
            has.warps,
            has.blocks,
            has.shared.0 >> 10,
            has.shared_opt_in.0 >> 10,
            own.multiprocessor.shared_static.0 >> 10,
            has.shared_static.0 >> 10,
            cell(has.tensor_columns)
        );
        let Rates {
            fma,
            mma_sync,
            wgmma,
            tcgen05,
        } = machine.rates;
        let _ = writeln!(
            rates,
            "| `sm_{sm}` | threads | {} | {} | {} | | | |",
            fma.f64, fma.f32, fma.f16
        );
        for (unit, products) in [("mma.sync", mma_sync), ("wgmma", wgmma), ("tcgen05.mma", tcgen05)] {
            if products == ProductRates::NONE {
                continue;
            }
            let ProductRates {
                f64,
                tf32,
                f16,
                f8,
                i8,
                i4,
            } = products;
            let cells = [f64, tf32, f16, f8, i8, i4].map(cell);
            let _ = writeln!(rates, "| `sm_{sm}` | `{unit}` | {} |", cells.join(" | "));
        }
        let cells = machine.chips().map(|chip| {
            let memory = chip.memory.0 / 1_000_000_000;
            format!(
                "{} | {} | {} | {memory}",
                chip.name, chip.multiprocessors, chip.megahertz
            )
        });
        let mut cells: Vec<_> = cells.collect();
        if cells.is_empty() {
            cells.push(" | | |".to_owned());
        }
        for chip in cells {
            let _ = writeln!(chips, "| `sm_{sm}` | {chip} | {} |", machine.remark);
        }
    }
    check_page("machine", &(room + &rates + &costs() + &chips));
}

/// The table of the costs of instructions, which are the same for all targets.
fn costs() -> String {
    let costs = Machine::of(Target::sm_a(90)).costs;
    let mut text = String::from(
        "\n## Costs of instructions\n\nIn cycles.\n\n| instruction | interval | latency |\n|---|---|---|\n",
    );
    let [narrow, double, quadruple] = costs.load_shared;
    for (name, timing) in [
        ("`fma.f32`", costs.fma),
        ("`ex2`", costs.special),
        ("`shfl`", costs.shuffle),
        ("`ld.shared` of 32 bits", narrow),
        ("`ld.shared` of 64 bits", double),
        ("`ld.shared` of 128 bits", quadruple),
        ("`ldmatrix.x4`", costs.load_matrices),
    ] {
        let _ = writeln!(text, "| {name} | {} | {} |", timing.interval.0, timing.latency.0);
    }
    let [small, large] = costs.tensor_copy;
    for (name, latency) in [
        ("`mma.sync.m16n8k16`", costs.mma_sync),
        (
            "`wgmma` with few columns, both operands in shared memory",
            costs.wgmma_shared,
        ),
        ("load from the first cache", costs.loads.l1),
        ("load from the second cache", costs.loads.l2),
        ("load from memory", costs.loads.memory),
        ("`bar.sync`", costs.barrier),
        ("from an arrival at an mbarrier to who waits", costs.mbarrier),
        ("the same between blocks of a cluster", costs.remote_mbarrier),
        ("`barrier.cluster`", costs.cluster_barrier),
        ("`fence.proxy.async` after a store", costs.proxy_fence),
        ("`fence.acq_rel.gpu`", costs.gpu_fence),
        ("tensor copy of 1 KiB", small),
        ("tensor copy of 32 KiB", large),
        ("making a tensor map in the kernel", costs.make_tensor_map),
        ("more for the first copy with it", costs.first_tensor_copy),
    ] {
        let _ = writeln!(text, "| {name} | | {} |", latency.0);
    }
    text
}

/// The flags that a field of this type may hold, if it holds flags.
fn fast_math(field: &FieldSpec) -> Option<FastMath> {
    Some(match field.ty {
        "FastMathOfSum" => FastMathOfSum::CAN,
        "FastMathOfQuotient" => FastMathOfQuotient::CAN,
        "FastMathOfFunction" => FastMathOfFunction::CAN,
        "FastMathOfNumber" => FastMathOfNumber::CAN,
        "FastMathOfComparison" => FastMathOfComparison::CAN,
        _ => return None,
    })
}

#[test]
fn fast_math_page_is_current() {
    let mut text = String::from("\n| flag | meaning |\n|---|---|\n");
    for flag in FastMathFlag::ALL {
        let _ = writeln!(text, "| `{flag}` | {} |", one_line(flag.doc()));
    }
    text.push_str("\n| op | flags that it can have |\n|---|---|\n");
    for spec in ArithOp::specs().into_iter().chain(MathOp::specs()) {
        if let Some(can) = spec.fields.iter().find_map(fast_math) {
            let words: Vec<_> = can.flags().map(|flag| format!("`{flag}`")).collect();
            let _ = writeln!(text, "| `{}` | {} |", spec.name, words.join(", "));
        }
    }
    check_page("fast_math", &text);
}

#[test]
fn diagnostics_page_is_current() {
    let mut text = String::from("\n| code | meaning |\n|---|---|\n");
    for code in Code::ALL {
        let _ = writeln!(text, "| `{code}` | {} |", one_line(code.title()));
    }
    text.push_str("\n| page | about |\n|---|---|\n");
    for page in Topic::pages() {
        let _ = writeln!(text, "| `{}` | {} |", page.name(), one_line(&page.title()));
    }
    check_page("diagnostics", &text);
}

/// The display of a figure of the layouts page, below its command.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Image,
    Text,
    TextAndImage,
}

/// The figures of the layouts page: name, command, display.
const FIGURES: &[(&str, &[&str], Shown)] = &[
    ("notation", &["notation", "mma.m16n8k16.b16.c"], Shown::Text),
    ("descriptor", &["descriptor", "nvmma.128B.b16 64x64"], Shown::Text),
    ("mma_accumulator", &["show", "mma.m16n8k16.b16.c"], Shown::Image),
    (
        "mma_operand_threads",
        &["show", "mma.m16n8k16.b16.a", "--view", "thread"],
        Shown::Image,
    ),
    ("coalesced", &["show", "coalesced(4,4,[1,0]) 16x64"], Shown::Image),
    ("cute", &["show", "((2,4),8):((1,16),2)"], Shown::Image),
    (
        "swizzle_128b",
        &["show", "nvmma.128B.b16 8x64"],
        Shown::TextAndImage,
    ),
    (
        "swizzle_128b_banks",
        &["show", "nvmma.128B.b16 8x64", "--view", "bank"],
        Shown::Image,
    ),
    (
        "conflicts_plain",
        &[
            "conflicts",
            "mma.m16n8k16.b16.a([1,1],[1,0]) 64x64",
            "plain([1,0]) 64x64",
        ],
        Shown::Image,
    ),
    (
        "conflicts_swizzled",
        &[
            "conflicts",
            "mma.m16n8k16.b16.a([1,1],[1,0]) 64x64",
            "nvmma.128B.b16 64x64",
        ],
        Shown::Image,
    ),
    (
        "convert",
        &[
            "convert",
            "coalesced(4,4,[1,0]) 32x32",
            "coalesced(4,4,[0,1]) 32x32",
            "--width",
            "32",
        ],
        Shown::TextAndImage,
    ),
];

#[test]
fn layouts_page_is_current() {
    let folder = repository().join("docs");
    let path = folder.join("layouts.md");
    let update = std::env::var_os("UPDATE_DOCS").is_some();
    let mut page = std::fs::read_to_string(&path).expect("the page exists");
    let kept = page.clone();
    for (name, command, shown) in FIGURES {
        if *shown != Shown::Text {
            let image = folder.join(format!("layouts/{name}.svg"));
            let svg = layout(command, &["--as", "svg"]);
            if update {
                std::fs::write(&image, &svg).expect("a place for the image");
            }
            let drawn = std::fs::read_to_string(&image).unwrap_or_default();
            assert!(
                drawn == svg,
                "docs/layouts/{name}.svg is out of date: run with UPDATE_DOCS=1"
            );
        }
        let (open, close) = (format!("<!-- figure {name} -->\n"), "<!-- end -->");
        let start = page.find(&open).expect("each figure has a place") + open.len();
        let end = start + page[start..].find(close).expect("each figure ends");
        let words: Vec<String> = command.iter().map(|word| quoted(word)).collect();
        let mut figure = format!("\n```sh\ntilewright layout {}\n```\n\n", words.join(" "));
        if *shown != Shown::Image {
            let drawn = match shown {
                Shown::Text => layout(command, &[]),
                Shown::Image | Shown::TextAndImage => {
                    layout(command, &["--as", "picture", "--color", "never"])
                }
            };
            let _ = write!(figure, "```text\n{drawn}```\n\n");
        }
        if *shown != Shown::Text {
            let _ = write!(figure, "![{}](layouts/{name}.svg)\n\n", command[1]);
        }
        page.replace_range(start..end, &figure);
    }
    if update {
        std::fs::write(&path, &page).expect("the page can be written");
    } else {
        assert!(
            page == kept,
            "docs/layouts.md is out of date: run with UPDATE_DOCS=1"
        );
    }
}

/// The output of a `layout` command.
fn layout(command: &[&str], more: &[&str]) -> String {
    let file = std::env::temp_dir().join(format!("tilewright-docs-{}", std::process::id()));
    let path = file.to_str().expect("UTF-8");
    let mut args = vec!["tilewright", "layout"];
    args.extend(command);
    args.extend(more);
    args.extend(["-o", path]);
    let args: Vec<std::ffi::OsString> = args.into_iter().map(Into::into).collect();
    assert_eq!(tilewright::cli::main_with(&args), tilewright::cli::Exit::Ok);
    let text = std::fs::read_to_string(&file).expect("written");
    std::fs::remove_file(&file).expect("removed");
    text
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{word}'")
    }
}

/// A language's name as a link to its page.
fn link(language: Stage) -> String {
    format!("[`{language}`]({language}.md)")
}

fn check<L: Language>() {
    check_page(L::NAME, &tables_of::<L>());
}

/// Compares the generated part of a page, or updates it.
fn check_page(name: &str, wanted: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../docs/{name}.md"));
    let page = std::fs::read_to_string(&path).expect("the page exists");
    let (prose, tables) = page
        .split_once(MARK)
        .expect("every page has the mark that its tables follow");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{prose}{MARK}{wanted}")).expect("the page can be written");
    } else {
        assert_eq!(
            tables, wanted,
            "docs/{name}.md is out of date: run with UPDATE_DOCS=1"
        );
    }
}

fn tables_of<L: Language>() -> String {
    let mut text = String::from("\n## Function attributes\n\n");
    attributes(&mut text, L::FuncAttrs::SPECS);
    text.push_str("\n## Ops\n");
    let mut dialect = "";
    for spec in L::Op::specs() {
        let (prefix, _) = spec.name.split_once('.').unwrap_or((spec.name, ""));
        if prefix != dialect {
            dialect = prefix;
            let _ = writeln!(
                text,
                "\n### `{dialect}`\n\n| op | fields | results | effects and properties | meaning |\n|---|---|---|---|---|"
            );
        }
        let fields: Vec<_> = spec
            .fields
            .iter()
            .map(|f| format!("`{}: {}`", f.name, type_name(f.ty)))
            .collect();
        let results = match spec.results {
            ResultCount::Exactly(n) => n.to_string(),
            ResultCount::Any => "any".to_owned(),
        };
        let mut properties = spec.properties.effects.to_string();
        for (holds, word) in [
            (spec.properties.elementwise, ", elementwise"),
            (spec.properties.commutes == Commutes::Always, ", commutative"),
            (
                spec.properties.commutes == Commutes::Numbers,
                ", commutative but for NaNs",
            ),
            (spec.properties.cost == Cost::Free, ", free"),
            (spec.properties.cost == Cost::Expensive, ", expensive"),
        ] {
            properties.push_str(if holds { word } else { "" });
        }
        let (name, doc) = (spec.name, one_line(spec.doc));
        let _ = writeln!(
            text,
            "| `{name}` | {} | {results} | {properties} | {doc} |",
            fields.join(", ")
        );
    }
    text
}

fn attributes(text: &mut String, specs: &[FieldSpec]) {
    text.push_str("| attribute | type | meaning |\n|---|---|---|\n");
    for field in specs {
        let _ = writeln!(
            text,
            "| `{}` | `{}` | {} |",
            field.name,
            type_name(field.ty),
            one_line(field.doc)
        );
    }
}

/// A type name without paths and blanks, for the tables.
fn type_name(ty: &str) -> String {
    let ty = ty.replace(' ', "");
    ty.split('<')
        .map(|part| part.rsplit("::").next().unwrap_or(part))
        .collect::<Vec<_>>()
        .join("<")
}

/// A doc comment as one line, escaped for a table.
fn one_line(doc: &str) -> String {
    doc.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|")
}
