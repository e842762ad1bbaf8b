//! Every instruction form against ptxas, if `TILEWRIGHT_PTXAS` is its path: each is accepted from the PTX ISA version
//! and GPU of its declaration on, and not before.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::ptx::parse;
use tilewright_irs::ptx::{DECLARATIONS, IsaVersion, Need, Statement, Target, Violation, verify};

#[path = "support/ptx_forms.rs"]
mod ptx_forms;
use ptx_forms::{expand, forms, module, patterns, patterns_of, read};

/// Patterns of instructions that do not exist.
const REFUSED: &str = include_str!("ptx_refused.txt");

/// The line of the first form in a module.
const FIRST_LINE: usize = 19;

fn needs(forms: &[String]) -> Vec<Need> {
    let all: Vec<&String> = forms.iter().collect();
    let module = read(&module(Target::sm(90), IsaVersion::new(9, 0), &all));
    let needs: Vec<_> = module.entries[0]
        .lines()
        .filter_map(|line| line.instruction.need())
        .collect();
    assert_eq!(needs.len(), forms.len() + 1, "every form, and the final return");
    needs
}

#[test]
fn every_form_reads_and_prints_back() {
    let forms = forms();
    let all: Vec<&String> = forms.iter().collect();
    let module = read(&module(Target::sm(90), IsaVersion::new(9, 0), &all));
    assert_eq!(read(&module.to_string()), module);
    let wrong: Vec<_> = verify(&module)
        .into_iter()
        .filter(|finding| !matches!(finding.violation, Violation::Target(..) | Violation::Version(..)))
        .collect();
    assert_eq!(wrong, []);
    for (form, line) in forms.iter().zip(module.entries[0].lines()) {
        assert_eq!(&line.to_string(), form);
    }
    let used: BTreeSet<_> = module.entries[0]
        .lines()
        .map(|line| line.instruction.declaration().name)
        .collect();
    let missing: Vec<_> = DECLARATIONS
        .iter()
        .map(|declaration| declaration.name)
        .filter(|name| !used.contains(name))
        .collect();
    assert!(missing.is_empty(), "no form of {missing:?} is listed");
}

/// Splits a form into its words, at the dots, and the rest of the line.
fn words(form: &str) -> (Vec<&str>, &str) {
    let (mnemonic, rest) = form.split_at(form.find([' ', ';']).expect("the end of a mnemonic"));
    (mnemonic.split('.').collect(), rest)
}

/// The variants of a form that differ in one place: another word from forms of the same mnemonic, one word less, or
/// one register less in a list.
fn neighbours(form: &str, alphabet: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<String> {
    let (words, rest) = words(form);
    let mut found = Vec::new();
    for at in 1..words.len() {
        let (head, tail) = (words[..at].join("."), &words[at + 1..]);
        let tail: String = tail.iter().map(|word| format!(".{word}")).collect();
        found.push(format!("{head}{tail}{rest}"));
        let others = alphabet[words[0]].iter().filter(|other| **other != words[at]);
        found.extend(others.map(|other| format!("{head}.{other}{tail}{rest}")));
    }
    for (open, _) in form.match_indices('{') {
        let close = open + form[open..].find('}').expect("a closing brace");
        if let Some(comma) = form[open..close].rfind(',') {
            found.push(format!("{}{}", &form[..open + comma], &form[close..]));
        }
    }
    found
}

/// The result of the declarations for a neighbour.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// The form exists.
    Exists(Need),
    /// The form exists, but not with these operands.
    Misfit,
    /// Each word is known in its position, but the form does not exist.
    Refused,
}

/// The number of forms of a pattern whose neighbours are examined; those of the others are similar.
const PER_PATTERN: usize = 2;

/// The neighbours of some forms of each pattern, except those that are listed as forms themselves and those with
/// syntax errors.
fn answers() -> Vec<(&'static str, Vec<(String, Answer)>)> {
    let forms = forms();
    let mut alphabet: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for form in &forms {
        let (words, _) = words(form);
        alphabet.entry(words[0]).or_default().extend(&words[1..]);
    }
    let mut seen: BTreeSet<String> = forms.iter().cloned().collect();
    patterns()
        .map(|pattern| {
            let forms = expand(pattern);
            let all: Vec<String> = forms
                .iter()
                .step_by(forms.len().div_ceil(PER_PATTERN))
                .flat_map(|form| neighbours(form, &alphabet))
                .filter(|form| seen.insert(form.clone()))
                .collect();
            (pattern, judge(all))
        })
        .collect()
}

fn judge(forms: Vec<String>) -> Vec<(String, Answer)> {
    let lines: Vec<&String> = forms.iter().collect();
    let text = module(Target::sm(90), IsaVersion::new(9, 0), &lines);
    let starts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    let parsed = parse(FileId(0), &text);
    let mut refused = BTreeMap::new();
    for diagnostic in &parsed.diagnostics {
        let at = diagnostic.primary.as_ref().expect("a place").at.start as usize;
        let line = starts.partition_point(|start| *start <= at) + 1;
        refused.entry(line).or_insert(diagnostic.code);
    }
    let misfits: BTreeSet<Option<usize>> = verify(&parsed.module)
        .into_iter()
        .filter(|finding| matches!(finding.violation, Violation::Operand(..) | Violation::Guard(_)))
        .map(|finding| finding.statement)
        .collect();
    let body = parsed.module.entries[0].body.iter().enumerate();
    let mut read = body.filter_map(|(at, statement)| match statement {
        Statement::Instruction(line) => Some((at, line)),
        _ => None,
    });
    let mut answers = Vec::new();
    for (at, form) in forms.into_iter().enumerate() {
        match refused.get(&(at + FIRST_LINE)) {
            Some(Code::AttributeValue) => answers.push((form, Answer::Refused)),
            Some(_) => {}
            None => {
                let (at, line) = read.next().expect("an instruction for each line");
                assert_eq!(line.to_string(), form, "forms print back");
                let need = line.instruction.need().expect("it was read");
                let misfit = misfits.contains(&Some(at));
                answers.push((
                    form,
                    if misfit {
                        Answer::Misfit
                    } else {
                        Answer::Exists(need)
                    },
                ));
            }
        }
    }
    answers
}

/// The number of occurrences of each requirement among the results.
fn counts(answers: &[(String, Answer)]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, answer) in answers {
        let said = match answer {
            Answer::Exists(need) => need.to_string(),
            Answer::Misfit => "other operands".to_owned(),
            Answer::Refused => "no such form".to_owned(),
        };
        *counts.entry(said).or_default() += 1;
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(said, count)| format!("{count}: {said}"))
        .collect();
    counts.join("; ")
}

/// The requirements of each pattern's forms, with their counts.
#[test]
fn forms_need_targets_and_versions() {
    let mut text = String::new();
    for pattern in patterns() {
        let counts = counts(&judge(expand(pattern)));
        writeln!(text, "{pattern}\n    {counts}").expect("memory");
    }
    insta::assert_snapshot!(text);
}

/// The number of neighbours of each pattern by requirements: a rule that accepts or refuses anything else, or
/// requires another target or version, changes a count.
#[test]
fn ptxas_and_the_rules_agree_on_neighbours_of_the_forms() {
    let mut text = String::new();
    for (pattern, answers) in answers() {
        writeln!(text, "{pattern}\n    {}", counts(&answers)).expect("memory");
    }
    insta::assert_snapshot!(text);
}

/// The lines that ptxas reports errors for, with the first error of each.
fn complaints(ptxas: &PathBuf, target: Target, text: &str) -> Vec<(usize, String)> {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("tilewright-ptx-forms-{}-{run}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let input = folder.join("forms.ptx");
    std::fs::write(&input, text).expect("the input");
    let out = Command::new(ptxas)
        .env_remove("CUDA_HOME")
        .arg("-arch")
        .arg(target.to_string())
        .arg("-O0")
        .arg("-o")
        .arg(folder.join("forms.cubin"))
        .arg(&input)
        .output()
        .expect("ptxas runs");
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    let messages = String::from_utf8_lossy(&out.stderr).into_owned();
    let mut found: Vec<(usize, String)> = Vec::new();
    for message in messages.lines().filter(|line| line.contains("error")) {
        let line = message
            .split("line ")
            .nth(1)
            .and_then(|rest| rest.split(';').next());
        let Some(line) = line.and_then(|line| line.trim().parse::<usize>().ok()) else {
            continue;
        };
        if found.iter().all(|(other, _)| *other != line) {
            found.push((line, message.to_owned()));
        }
    }
    assert!(
        out.status.success() || !found.is_empty(),
        "ptxas fails without a line for {target} ({}): {messages}",
        out.status
    );
    found
}

fn ptxas() -> Option<PathBuf> {
    std::env::var_os("TILEWRIGHT_PTXAS").map(PathBuf::from)
}

#[test]
fn ptxas_takes_each_form_where_its_declaration_says() {
    let Some(ptxas) = ptxas() else { return };
    let forms = forms();
    let needs = needs(&forms);
    let mut wrong = Vec::new();
    for target in [
        Target::sm(80),
        Target::sm(89),
        Target::sm_a(90),
        Target::sm_a(100),
        Target::sm_a(120),
    ] {
        let mut of_version = BTreeMap::<_, Vec<&String>>::new();
        for (form, need) in forms.iter().zip(&needs) {
            if let Some(least) = need.version_on(target) {
                let version = least.max(target.least_version());
                of_version.entry(version).or_default().push(form);
            }
        }
        for (version, provided) in of_version {
            // In chunks: on all at once, ptxas 13.5 crashes for sm_90a.
            for provided in provided.chunks(100) {
                let text = module(target, version, provided);
                for (line, message) in complaints(&ptxas, target, &text) {
                    wrong.push(format!(
                        "{target} refuses `{}` at {version}: {message}",
                        text.lines().nth(line - 1).unwrap_or_default()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ptxas_refuses_each_form_below_its_version_and_target() {
    let Some(ptxas) = ptxas() else { return };
    let forms = forms();
    let needs = needs(&forms);
    let mut wrong = Vec::new();
    for target in [Target::sm(75), Target::sm(80), Target::sm(89), Target::sm_a(90)] {
        let version = IsaVersion::new(9, 0);
        let early: Vec<&String> = forms
            .iter()
            .zip(&needs)
            .filter(|(_, need)| !target.provides(**need))
            .map(|(form, _)| form)
            .collect();
        wrong.extend(accepted(&ptxas, target, version, &early, &LENIENT_TARGETS));
    }
    for target in [Target::sm(80), Target::sm(89), Target::sm(90), Target::sm(100)] {
        let version = target.least_version();
        let early: Vec<&String> = forms
            .iter()
            .zip(&needs)
            .filter(|(_, need)| need.version_on(target).is_some_and(|least| least > version))
            .map(|(form, _)| form)
            .collect();
        wrong.extend(accepted(&ptxas, target, version, &early, &LENIENT));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Forms that the assembler accepts at earlier versions than the manual states; the declarations follow the manual.
const LENIENT: [&str; 4] = ["cvt.", "cvta.", "mbarrier.", "cp.async.ca.shared::cta"];
/// Forms that it accepts for earlier targets.
const LENIENT_TARGETS: [&str; 2] = ["cvt.", "cvta."];

/// The forms that ptxas accepts although the declarations refuse them.
fn accepted(
    ptxas: &PathBuf,
    target: Target,
    version: IsaVersion,
    forms: &[&String],
    lenient: &[&str],
) -> Vec<String> {
    let mut wrong = Vec::new();
    // ptxas stops after a number of errors.
    for forms in forms.chunks(20) {
        let text = module(target, version, forms);
        let refused: BTreeSet<usize> = complaints(ptxas, target, &text)
            .into_iter()
            .map(|(line, _)| line)
            .collect();
        for (at, form) in forms.iter().enumerate() {
            let lenient = lenient.iter().any(|mnemonic| form.starts_with(mnemonic));
            if !refused.contains(&(at + FIRST_LINE)) && !lenient {
                wrong.push(format!("{target} takes `{form}` at {version}"));
            }
        }
    }
    wrong
}

fn refused_forms() -> Vec<String> {
    patterns_of(REFUSED).flat_map(expand).collect()
}

#[test]
fn no_refused_form_exists() {
    let exist: Vec<_> = judge(refused_forms())
        .into_iter()
        .filter(|(_, answer)| matches!(answer, Answer::Exists(_)))
        .map(|(form, _)| form)
        .collect();
    assert!(exist.is_empty(), "{}", exist.join("\n"));
}

#[test]
fn ptxas_refuses_the_refused_forms() {
    let Some(ptxas) = ptxas() else { return };
    let forms = refused_forms();
    let all: Vec<&String> = forms.iter().collect();
    for target in [Target::sm_a(90), Target::sm_a(100)] {
        let wrong = accepted(&ptxas, target, IsaVersion::new(9, 0), &all, &[]);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
