//! Reader errors mixed with verifier errors: one run reports all of them, each once and in the order of the text,
//! without follow-up errors.

use proptest::prelude::*;
use rustc_hash::FxHashSet;
use tilewright_diagnostics::FileId;
use tilewright_grammar::cuda_tile::parse_tile_text;

use super::{announced, cases, said};

/// A change of a line that makes the reader refuse it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    /// An unknown op.
    Op,
    /// An unknown type.
    Type,
    /// An invalid tile extent.
    Extent,
    /// Excess text after a valid op.
    Tail,
    /// Characters that form no token.
    Characters,
    /// An undefined value.
    Value,
    /// No op between the results and the operands.
    Head,
    /// An unclosed bracket.
    Bracket,
    /// A missing colon.
    Colon,
}

const MISTAKES: [Mistake; 9] = [
    Mistake::Op,
    Mistake::Type,
    Mistake::Extent,
    Mistake::Tail,
    Mistake::Characters,
    Mistake::Value,
    Mistake::Head,
    Mistake::Bracket,
    Mistake::Colon,
];

/// The line with the mistake, if applicable. `number` makes its message unique.
fn spoil(line: &str, mistake: Mistake, number: usize) -> Option<String> {
    let (results, op) = line.split_once(" = ")?;
    let word = op.split([' ', '(']).next()?;
    let is_op = word
        .chars()
        .all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit());
    if !results.trim_start().starts_with('%') || !is_op {
        return None;
    }
    let alone = !op.trim_end().ends_with(['{', ',', '(']);
    Some(match mistake {
        Mistake::Op => format!(
            "{results} = {}",
            op.replacen(word, &format!("{word}_{number}x"), 1)
        ),
        Mistake::Type => {
            let at = line.rfind("tile<")?;
            format!("{}tle{}", line.get(..at)?, line.get(at + 4..)?)
        }
        Mistake::Extent if alone => {
            let at = line.rfind(": tile<")?;
            if line.contains(" constant ") {
                return None;
            }
            format!("{}: tile<{}xi32>", line.get(..at)?, 3 + 8 * number)
        }
        Mistake::Tail if alone => format!("{line} nothing{number}"),
        Mistake::Characters => {
            let at = line.rfind(": ")?;
            format!("{} ; {}", line.get(..at)?, line.get(at..)?)
        }
        Mistake::Value => {
            let at = line.len() - op.len() + op.find('%')?;
            let name = line.get(at + 1..)?;
            let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || "_-#.$".contains(c)))?;
            // Values that the region defines are no operands, nor are those in a string.
            if matches!(word, "for" | "loop" | "print_tko") {
                return None;
            }
            format!("{}%nowhere{number}{}", line.get(..at)?, name.get(end..)?)
        }
        Mistake::Head => format!("{results} = = {op}"),
        Mistake::Bracket if alone => line.strip_suffix('>')?.to_owned(),
        Mistake::Colon if alone => {
            let at = line.rfind(" : ")?;
            format!("{}{}", line.get(..at)?, line.get(at + 2..)?)
        }
        Mistake::Extent | Mistake::Tail | Mistake::Bracket | Mistake::Colon => return None,
    })
}

/// The names of values in a text.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| !(c.is_ascii_alphanumeric() || "_-.$".contains(c));
    text.split('%')
        .skip(1)
        .map(move |rest| rest.split(ends).next().unwrap_or_default())
}

/// A text with planted mistakes.
struct Planted {
    text: String,
    /// The lines of the mistakes.
    lines: Vec<usize>,
    /// The lines that depend on one of them.
    users: FxHashSet<usize>,
}

impl Planted {
    /// Formats the lines of the mistakes for a message.
    fn shown(&self) -> String {
        let lines = self.text.lines().enumerate();
        let shown = lines.filter(|(at, _)| self.lines.contains(at));
        shown.map(|(at, line)| format!("{at}: {line}\n")).collect()
    }
}

/// Plants mistakes in valid lines of a text.
fn plant(text: &str, picks: &[(prop::sample::Index, prop::sample::Index)]) -> Planted {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    // An unknown type is reported at its first occurrence, and lines that repeat it are not examined further.
    let told = text
        .lines()
        .enumerate()
        .flat_map(|(at, line)| announced(at, line));
    let types: Vec<String> = told.map(|said| said.at).filter(|at| at.contains('<')).collect();
    let mut planted = Vec::new();
    for (number, (line, mistake)) in picks.iter().enumerate() {
        let free: Vec<usize> = (0..lines.len())
            .filter(|&at| {
                // Lines that continue on the next one are unchanged.
                let next = lines.get(at + 1).map_or("", |next| next.trim_start());
                let whole = next.is_empty()
                    || next.starts_with(|c: char| c.is_ascii_lowercase() || "%}/".contains(c));
                let far = planted.iter().all(|&other: &usize| other != at);
                let sound = !types.iter().any(|ty| lines[at].contains(ty));
                whole && far && sound && announced(at, &lines[at]).is_empty() && !lines[at].contains(" // ")
            })
            .collect();
        if free.is_empty() {
            break;
        }
        let at = *line.get(&free);
        let mistake = *mistake.get(&MISTAKES);
        if let Some(spoiled) = spoil(&lines[at], mistake, number) {
            lines[at] = spoiled;
            planted.push(at);
        }
    }
    planted.sort_unstable();
    let mut lost: FxHashSet<&str> = FxHashSet::default();
    let mut users = FxHashSet::default();
    // Whether a loop, branch or fold may be unknown, and with it what the terminator of its body must hand on.
    let mut open = false;
    for (at, line) in lines.iter().enumerate() {
        let code = line.split(" // ").next().unwrap_or_default();
        let uses = names(code).any(|name| lost.contains(name));
        let ends = ["break", "continue", "yield", "return"];
        let last = ends.iter().any(|word| code.trim_start().starts_with(word));
        let goes_on = code.trim_start().starts_with('(') && users.contains(&at.wrapping_sub(1));
        if uses || goes_on || open && last {
            users.insert(at);
        }
        open |= (planted.contains(&at) || users.contains(&at)) && code.trim_end().ends_with('{');
        if uses || planted.contains(&at) {
            lost.extend(names(
                code.split(" = ")
                    .next()
                    .filter(|_| code.contains(" = "))
                    .unwrap_or_default(),
            ));
            // Errors in a line before its region may depend on the names in the region.
            if code.trim_end().ends_with('{') {
                lost.extend(names(code));
            }
        }
    }
    // An op depends on the terminator of its region.
    let indent = |line: &str| line.len() - line.trim_start().len();
    for (at, line) in lines.iter().enumerate() {
        let depth = indent(line);
        let inside = lines.iter().enumerate().skip(at + 1);
        let mut inside =
            inside.take_while(|(_, inner)| indent(inner) > depth || inner.trim_start().starts_with('('));
        if inside.any(|(inner, _)| planted.contains(&inner) || users.contains(&inner)) {
            users.insert(at);
        }
    }
    Planted {
        text: lines.join("\n") + "\n",
        lines: planted,
        users,
    }
}

/// The difference between a text's diagnostics and its mistakes; `legal` if it has only planted ones.
fn difference(planted: &Planted, legal: bool) -> Result<(), String> {
    let wanted: Vec<_> = planted
        .text
        .lines()
        .enumerate()
        .flat_map(|(at, line)| announced(at, line))
        .collect();
    let mut found = said(&planted.text);
    found.retain(|said| !said.code.starts_with("warning"));
    let lines: Vec<usize> = parse_tile_text(&planted.text, FileId(0))
        .diagnostics
        .iter()
        .map(|problem| problem.primary.as_ref().expect("a place").at.start as usize)
        .collect();
    if !lines.is_sorted() {
        return Err("not in the order of the text".to_owned());
    }
    for said in &found {
        let own = planted.lines.contains(&said.line);
        // Users of an unknown value may have a mistake elsewhere, too.
        let user = planted.users.contains(&said.line);
        let told = wanted.iter().any(|wanted| {
            wanted.line == said.line && (user || (&wanted.code, &wanted.at) == (&said.code, &said.at))
        });
        if !own && (legal || !told) {
            return Err(format!("says more: {said:?}"));
        }
    }
    for &line in &planted.lines {
        let count = found.iter().filter(|said| said.line == line).count();
        if count != 1 {
            return Err(format!("line {line} has {count} problems"));
        }
    }
    let own = |line: &usize| !planted.lines.contains(line) && !planted.users.contains(line);
    for wanted in wanted
        .iter()
        .filter(|wanted| own(&wanted.line) && !wanted.code.starts_with("warning"))
    {
        if !found
            .iter()
            .any(|said| (said.line, &said.code, &said.at) == (wanted.line, &wanted.code, &wanted.at))
        {
            return Err(format!("lacks {wanted:?}"));
        }
    }
    Ok(())
}

/// Legal modules, as printed by NVIDIA's front end.
fn legal() -> Vec<(String, String)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for folder in [
        "tests/data",
        "tests/cuda_tile/disassembled",
        "../tests/data/disasm",
    ] {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder of texts") {
            let path = entry.expect("a file").path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if name.ends_with(".mlir") && (name.contains("13.5.mlir") || !name.contains("13.")) {
                texts.push((name, std::fs::read_to_string(path).expect("a text")));
            }
        }
    }
    texts.sort();
    texts
}

fn picks() -> impl Strategy<Value = Vec<(prop::sample::Index, prop::sample::Index)>> {
    prop::collection::vec(any::<(prop::sample::Index, prop::sample::Index)>(), 1..8)
}

#[test]
fn one_run_reports_every_error() {
    let text = "\
global @g <i32: [1, 2, 3]> : tile<4xi32> // here
entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %odd: tile<3xf32>) { // here
  %i = iota : tile<16xi32>
  %one = constant <i32: 1> : tile<16xi32>
  %x = addj %i, %one : tile<16xi32> // here
  %y = addi %x, %one : tile<16xi32>
  %o = negf %odd : tile<3xf32>
  %q = offset %p, %n : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %z = muli %y, %i : tile<16xi32>
  %f = negf %i : tile<16xi32> // here
  %w = reshape %f : tile<16xi32> -> tile<4x4xi32>
  %gg = get_global @g : tile<ptr<i32>>
  %v = subi %nowhere, %one : tile<16xi32> // here
  %v2 = subi %nowhere, %v : tile<16xi32>
  %r:2 = for %c in (%n to %bound, step %n) : tile<i32> iter_values(%a = %i, %b = %x) -> (tile<16xi32>, tile<16xi32>) { // here
    %d = addi %a, %one : tile<16xi32> ; // here
    %e = exti %d : tile<16xi32> -> tile<16xi64> // here
    if %c { // here
      %h = reshape %a : tile<16xi32> -> tile<8xi32> // here
    }
    continue %b, %n : tile<16xi32>, tile<i32> // here
  }
  %m = addi %r#0, %r#1 : tile<16xi32>
  print_tko \"%i\", %n : tile<i32> -> token
  stor_ptr_tko weak %q, %n : tile<ptr<f32>>, tile<f32> -> token // here
  return
}
entry @k(%n: tile<i32>) { // here
  %i = iota : tile<16xf32> // here
  %j = reshape %i : tile<16xf32> -> tile<4x2xf32> // here
}
entri @l(%n: tile<i32>) { // here
  %j = reshape %n : tile<i32> -> tile<2xi32>
  %k = iota : tile<16xf32> // here
}
entry @m(%n: tile<i32>) nothing { // here
  %j = reshape %n : tile<i32> -> tile<2xi32> // here
}
entry @k(%n: tile<i32>) { // here
  %j = reshape %n : tile<i32> -> tile<2xi32> // here
}
";
    all_and_nothing_else(text);
}

/// Checks that exactly the marked lines have diagnostics.
fn all_and_nothing_else(text: &str) {
    let wanted: Vec<usize> = (0..)
        .zip(text.lines())
        .filter(|(_, line)| line.ends_with("// here"))
        .map(|(at, _)| at)
        .collect();
    let mut found: Vec<usize> = said(text).iter().map(|said| said.line).collect();
    found.sort_unstable();
    assert_eq!(found, wanted, "{:#?}", said(text));
}

#[test]
fn errors_in_named_attributes_and_types_are_located() {
    let text = "\
!odd = tile<16xi33>
global @g <i32: [1, 2, 3]> : tile<4xi32> // here
global @h <i32: [1, 2]> : tile<2xi32>
global @h <i32: [1, 2]> : tile<2xi32> // here
entry @a() {
  %i = constant <i32: 1> : !odd // here
  %j = constant <i32: 1> : !odd
  %k = iota : tile<16xf32> // here
  %l = iota : tile<16xi32> loc(#gone) // here
  %m = addi %l, %l : tile<16xi32> loc(#gone)
  %n = reshape %m : tile<16xi32> -> tile<8xi32> // here
  return loc(#bad)
}
entry @b() {
  %p = get_global @g : tile<ptr<i32>>
  %q = get_global @h : tile<ptr<f32>> // here
  return loc(#bad)
}
entry @c() {
  %p = get_global @nothing : tile<ptr<i32>> // here
}
entry @d() {
  %p = get_global @g : tile<ptr<i32>>
  %i = iota : tile<16xf32> // here
}
#bad = loc(callsite(unknown)) // here
";
    all_and_nothing_else(text);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn errors_planted_in_a_legal_module_are_all_reported_in_one_run(which in any::<prop::sample::Index>(), picks in picks()) {
        let texts = legal();
        let (name, text) = which.get(&texts);
        let planted = plant(text, &picks);
        if let Err(problem) = difference(&planted, true) {
            prop_assert!(false, "{name}: {problem}\n{}", planted.shown());
        }
    }

    #[test]
    fn errors_of_verifier_and_reader_are_reported_together(which in any::<prop::sample::Index>(), picks in picks()) {
        let cases = cases();
        let case = which.get(&cases);
        let planted = plant(&case.text, &picks);
        if let Err(problem) = difference(&planted, false) {
            prop_assert!(false, "{}: {problem}\n{}", case.name(0), planted.shown());
        }
    }
}
