//! The pages of `tilewright explain` on attributes, and the programs in them.

use tilewright::explain::{Check, HAZARDS, Topic};
use tilewright::policy::{CELLS, Verdict};
use tilewright::{Compiler, Language, Request, joins};
use tilewright_diagnostics::Severity;

/// Each program that would go wrong is refused, or its PTX has what it must have, as its page says.
#[test]
fn what_stops_each_hazard_is_seen() {
    let mut wrong = Vec::new();
    for program in HAZARDS.iter().flat_map(|hazard| hazard.programs) {
        let mut compiler = Compiler::new();
        let source = compiler.add_source(program.file, program.text);
        let options = compiler.options(Request::default());
        let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
        let ptx = ptx.map(|text| text.to_string());
        let mut told = said.iter().map(|problem| (problem.severity, problem.code));
        for check in program.checks {
            let is_seen = match *check {
                Check::Refused(code) => ptx.is_none() && told.next() == Some((Severity::Error, code)),
                Check::Noted(code) => ptx.is_some() && told.next() == Some((Severity::Note, code)),
                Check::Made(lines) => {
                    let ptx = ptx.as_deref().unwrap_or_default();
                    lines.iter().all(|line| ptx.contains(line))
                }
            };
            if !is_seen {
                wrong.push(format!(
                    "{}: {check:?} is not seen: {said:#?}\n{ptx:?}",
                    program.file
                ));
            }
        }
        wrong.extend(told.map(|(_, code)| format!("{}: {code} is said as well", program.file)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What ends is explained by the page of drops, that of its family, and that of its name.
#[test]
fn each_drop_is_explained() {
    let mut wrong = Vec::new();
    let body = |name: &str| Topic::named(name).map(Topic::body).unwrap_or_default();
    let all = Topic::Drops.body();
    for cell in CELLS {
        let Verdict::Drop(why) = cell.verdict else {
            continue;
        };
        let attributes = cell
            .names
            .iter()
            .map(|name| name.split(' ').next_back().unwrap_or(name));
        let mut pages = vec![all.clone(), Topic::Family(cell.family).body()];
        pages.extend(attributes.map(body));
        if pages.iter().any(|page| !page.contains(why)) {
            wrong.push(format!("{}, {:?}: {why}", cell.stage(), cell.names));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pages_have_names_of_their_own_and_lines_of_text() {
    for page in Topic::pages() {
        let name = page.name();
        let found = Topic::named(&name.to_uppercase().replace('-', "_")).map(Topic::name);
        assert_eq!(found.as_ref(), Ok(&name));
        let body = page.body();
        assert!(body.len() > 50 && body.trim() == body, "{name}: {body}");
        let is_listed = Topic::Attributes.body().contains(&format!("- `{name}`: "));
        assert_eq!(is_listed, name != "attributes", "{name}");
    }
    let unknown = Topic::named("lost-ordre").expect_err("no such page").to_string();
    assert!(
        unknown.contains("no error code 'lost-ordre'") && unknown.contains("`lost-order`"),
        "{unknown}"
    );
}

#[test]
fn an_attribute_is_explained_by_its_name() {
    let says = |name: &str, pieces: &[&str]| {
        let body = Topic::named(name).expect("a topic").body();
        for piece in pieces {
            assert!(body.contains(piece), "{name}: no {piece} in\n{body}");
        }
    };
    says(
        "num_worker_warps_per_cta",
        &[
            "of the family kernel spec, of:",
            "- cuda_tile: each function",
            "renamed to `num_warps` (`resolve_views`)",
        ],
    );
    says(
        "latency",
        &[
            "- tileaa: `tileaa.load`",
            "(`schedule_loops`)",
            "(`lower_fragments`)",
        ],
    );
    says("axis", &["it stays with the op"]);
    says(
        "nvvm.reqntid",
        &[
            "`kernel_spec.num_warps`: renamed to `nvvm.reqntid`",
            "renamed to `reqntid` (`emit_ptx`)",
        ],
    );
}
