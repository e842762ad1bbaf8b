//! The reasons why products and accesses do not take faster routes: of the golden inputs of the passes that decide, and of inputs
//! for what those do not have. The expected texts are snapshots of `insta`; each line has the subject, the route, and either the
//! chosen route or the reason and the advice.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use tilewright_diagnostics::FileId;
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, print_func, verify};
use tilewright_irs::dialects::route::ForcedRoute;
use tilewright_irs::tileaa::TileAa;
use tilewright_passes::tileaa::reason::{Explanation, Reason};
use tilewright_passes::tileaa::{choose_copies, choose_routes};
use tilewright_passes::tileaa::{explain_accesses, explain_copies, explain_routes};

/// The functions of the inputs of a folder, with the names of their files.
fn inputs(folder: &str) -> Vec<(String, Func<TileAa>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(&folder).expect("the folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "tileaa"));
    paths.sort();
    let mut funcs = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("the input");
        let parsed = parse_stage::<TileAa>(&text, FileId(0));
        assert_eq!(parsed.diagnostics, [], "{}", path.display());
        let name = path.file_name().expect("a name").to_string_lossy();
        let name = name.split('.').next().expect("a stem").to_owned();
        funcs.extend(parsed.module.funcs.into_iter().map(|func| (name.clone(), func)));
    }
    for (name, func) in &funcs {
        assert_eq!(verify(func), Ok(()), "{name}");
    }
    funcs
}

fn routes_of(func: &Func<TileAa>) -> Vec<Explanation> {
    explain_routes(func, None)
}

fn copies_of(func: &Func<TileAa>) -> Vec<Explanation> {
    explain_copies(func, None)
}

fn all(func: &Func<TileAa>) -> Vec<Explanation> {
    [routes_of(func), copies_of(func), explain_accesses(func)].concat()
}

/// The text of explanations.
fn told(funcs: &[(String, Func<TileAa>)], explain: fn(&Func<TileAa>) -> Vec<Explanation>) -> String {
    let mut text = String::new();
    for (file, func) in funcs {
        writeln!(text, "{file}: {}", func.name).expect("text");
        for explanation in explain(func) {
            let Explanation {
                subject,
                route,
                outcome,
                ..
            } = explanation;
            let line = match outcome {
                Ok(chosen) => chosen,
                Err(reason) => match reason.remedy() {
                    Some(remedy) => format!("no: {reason}; {remedy}"),
                    None => format!("no: {reason}"),
                },
            };
            writeln!(text, "  {} {}: {line}", subject.name(), route.name()).expect("text");
        }
    }
    text
}

const ROUTES: &str = "../golden/tileaa.choose_routes";
const COPIES: &str = "../golden/tileaa.choose_copies";
const WIDTHS: &str = "../golden/tileaa.select_atoms";
const OWN: &str = "tests/route_reasons/inputs";

#[test]
fn the_routes_of_golden_inputs_have_reasons() {
    insta::assert_snapshot!("routes", told(&inputs(ROUTES), routes_of));
}

#[test]
fn the_copies_of_golden_inputs_have_reasons() {
    insta::assert_snapshot!("copies", told(&inputs(COPIES), copies_of));
}

#[test]
fn the_widths_of_golden_inputs_have_reasons() {
    insta::assert_snapshot!("widths", told(&inputs(WIDTHS), explain_accesses));
}

#[test]
fn other_inputs_have_reasons() {
    insta::assert_snapshot!("others", told(&inputs(OWN), all));
}

#[test]
fn forced_routes_are_taken_where_they_are_possible() {
    let forced = |func: &Func<TileAa>| explain_routes(func, Some(ForcedRoute::Tma));
    insta::assert_snapshot!("forced", told(&inputs(ROUTES), forced));
    for (name, func) in inputs(ROUTES) {
        for route in [ForcedRoute::CpAsync, ForcedRoute::Staged, ForcedRoute::Direct] {
            assert_eq!(choose_routes(&func, Some(route)).func, func, "{name}");
            assert_eq!(explain_routes(&func, Some(route)), [], "{name}");
        }
    }
}

/// What is explained is what the passes do: the routes that they write are those of the explanations.
#[test]
fn explanations_are_decisions() {
    let chosen = |explained: &[Explanation]| explained.iter().filter(|one| one.outcome.is_ok()).count();
    let routes = |func: &Func<TileAa>| {
        let text = print_func(func, &|_| None);
        ["route = tma", "route = wgmma", "route = cp_async"].map(|route| text.matches(route).count())
    };
    for (name, func) in [ROUTES, COPIES, OWN].into_iter().flat_map(inputs) {
        let before = routes(&func);
        let after = routes(&choose_routes(&func, None).func);
        let made = after.iter().sum::<usize>() - before.iter().sum::<usize>();
        assert_eq!(made, chosen(&routes_of(&func)), "{name}");
        let [.., asynchronous] = routes(&choose_copies(&func, None).expect("copies"));
        assert_eq!(asynchronous - before[2], chosen(&copies_of(&func)), "{name}");
    }
}

/// The name of a reason. A new one needs an input.
fn variant(reason: &Reason) -> &'static str {
    match reason {
        Reason::Target(_) => "Target",
        Reason::Forbidden => "Forbidden",
        Reason::Order(_) => "Order",
        Reason::Padding(_) => "Padding",
        Reason::MaskedValues => "MaskedValues",
        Reason::ArrayInLoop => "ArrayInLoop",
        Reason::Overlap(_) => "Overlap",
        Reason::AfterStore => "AfterStore",
        Reason::OthersWait => "OthersWait",
        Reason::NeedsOp(_) => "NeedsOp",
        Reason::IterationEndsEarly => "IterationEndsEarly",
        Reason::ControlFlow => "ControlFlow",
        Reason::Divisor(_) => "Divisor",
        Reason::NoUnitStride => "NoUnitStride",
        Reason::Rank { .. } => "Rank",
        Reason::ShortRow { .. } => "ShortRow",
        Reason::ShortBox { .. } => "ShortBox",
        Reason::Element(_) => "Element",
        Reason::Limit(_) => "Limit",
        Reason::ShortRun { .. } => "ShortRun",
        Reason::Written { .. } => "Written",
        Reason::NotLoaded(_) => "NotLoaded",
        Reason::Operand(..) => "Operand",
        Reason::OtherUse(_) => "OtherUse",
        Reason::NoProduct => "NoProduct",
        Reason::NoGroupProducts => "NoGroupProducts",
        Reason::Batched(_) => "Batched",
        Reason::FewRows { .. } => "FewRows",
        Reason::OwnSum { .. } => "OwnSum",
        Reason::Instruction(_) => "Instruction",
        Reason::Returns(_) => "Returns",
        Reason::Registers { .. } => "Registers",
        Reason::SharedMemory { .. } => "SharedMemory",
        Reason::SmallTile { .. } => "SmallTile",
        Reason::NothingMeanwhile => "NothingMeanwhile",
        Reason::NotInLoop => "NotInLoop",
        Reason::NotAlongK => "NotAlongK",
    }
}

/// All names.
const VARIANTS: [&str; 37] = [
    "Target",
    "Forbidden",
    "Order",
    "Padding",
    "MaskedValues",
    "ArrayInLoop",
    "Overlap",
    "AfterStore",
    "OthersWait",
    "NeedsOp",
    "IterationEndsEarly",
    "ControlFlow",
    "Divisor",
    "NoUnitStride",
    "Rank",
    "ShortRow",
    "ShortBox",
    "Element",
    "Limit",
    "ShortRun",
    "Written",
    "NotLoaded",
    "Operand",
    "OtherUse",
    "NoProduct",
    "NoGroupProducts",
    "Batched",
    "FewRows",
    "OwnSum",
    "Instruction",
    "Returns",
    "Registers",
    "SharedMemory",
    "SmallTile",
    "NothingMeanwhile",
    "NotInLoop",
    "NotAlongK",
];

#[test]
fn every_reason_has_an_input() {
    let mut seen = BTreeSet::new();
    for (_, func) in [ROUTES, COPIES, WIDTHS, OWN].into_iter().flat_map(inputs) {
        for explanation in all(&func) {
            let Err(reason) = explanation.outcome else {
                continue;
            };
            seen.insert(variant(&reason));
            if let Reason::Operand(_, inner) = reason {
                seen.insert(variant(&inner));
            }
        }
    }
    let unseen: Vec<_> = VARIANTS.iter().filter(|name| !seen.contains(*name)).collect();
    assert!(unseen.is_empty(), "{unseen:?}");
}
