//! Random edits: what a database that has seen all of them says equals what one that has seen the last text says.

use std::sync::Arc;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright::ide::functions::functions;
use tilewright::ide::{cost, hover, names, outline, problems};
use tilewright::targets::SUPPORTED;
use tilewright::{Compiler, Language, Options, Request, Source, Stage, joins};
use tilewright_diagnostics::{Diagnostic, FileId, Span};
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_grammar::stages::{FuncSpans, parse_stage};
use tilewright_irs::core::{Func, verify};
use tilewright_irs::cuda_tile::{verify_debug, verify_module};
use tilewright_irs::nvvm::Nvvm;
use tilewright_irs::ptx::{Entry, Module, Statement};
use tilewright_irs::tileas::TileAs;

/// The edits of a run; `TILEWRIGHT_EDITS` sets another number.
const EDITS: usize = 400;

fn edits() -> usize {
    let count = std::env::var("TILEWRIGHT_EDITS").ok();
    count.and_then(|count| count.parse().ok()).unwrap_or(EDITS)
}

/// A text of several kernels.
fn text() -> String {
    let kernel = |name: &str, constant: u32| {
        format!(
            "  entry @{name}(%p: tile<ptr<f32>>, %n: tile<i32>) {{\n    \
             %c0 = constant <i32: 0> : tile<i32>\n    %c1 = constant <i32: {constant}> : tile<i32>\n    \
             %v = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>\n    \
             %w = make_partition_view %v : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>\n    \
             %x, %y, %z = get_tile_block_id : tile<i32>\n    %t = make_token : token\n    \
             %sum = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%s = %c0) -> (tile<i32>) {{\n      \
             %u = addi %s, %i : tile<i32>\n      continue %u : tile<i32>\n    }}\n    \
             %a, %d = load_view_tko weak %w[%x] token = %t : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token\n    \
             %b = addf %a, %a : tile<64xf32>\n    \
             %e = store_view_tko weak %b, %w[%x] token = %d : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token\n    \
             return\n  }}\n"
        )
    };
    let kernels: Vec<_> = (1..=4).map(|at| kernel(&format!("k{at}"), at)).collect();
    format!("cuda_tile.module @m {{\n{}}}\n", kernels.concat())
}

/// What may be inserted.
const SNIPPETS: [&str; 16] = [
    "%",
    "{",
    "}",
    "(",
    "\n",
    " ",
    "// ",
    "\"",
    "addi",
    "%c0",
    "<",
    "0",
    "@k1",
    "ß",
    "    return\n",
    "entry @k9() {\n  return\n}\n",
];

/// Changes a text somewhere.
fn edit(text: &str, random: &mut ChaCha8Rng) -> String {
    let boundary = |at: usize| {
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = boundary(random.random_range(0..=text.len()));
    match random.random_range(0..4) {
        0 => {
            let end = boundary(start + random.random_range(1..12));
            format!("{}{}", &text[..start], &text[end..])
        }
        1 => {
            let snippet = SNIPPETS.choose(random).expect("there are some");
            format!("{}{snippet}{}", &text[..start], &text[start..])
        }
        2 => {
            let lines: Vec<_> = text.split_inclusive('\n').collect();
            let at = random.random_range(0..lines.len().max(1));
            let mut kept = lines.clone();
            if at < kept.len() {
                kept.remove(at);
            }
            kept.concat()
        }
        // A digit becomes another.
        _ => match text[start..].find(|c: char| c.is_ascii_digit()) {
            Some(at) => {
                let at = start + at;
                format!("{}{}{}", &text[..at], random.random_range(0..10), &text[at + 1..])
            }
            None => text.to_owned(),
        },
    }
}

/// Everything that is said of a text.
fn said(db: &Compiler, source: Source, options: Options, offset: usize) -> String {
    let costs: Vec<_> = functions(db, source)
        .iter()
        .map(|function| cost::cost(db, function, options))
        .collect();
    format!(
        "{:#?}\n{:#?}\n{:#?}\n{costs:#?}\n{:#?}\n{:#?}",
        problems::front_end(db, source),
        problems::back_end(db, source, options),
        outline::symbols(db, source),
        hover::hover(db, source, options, offset),
        names::name_at(db, source, offset),
    )
}

/// A program whose functions use globals, hints, and aliases of types and locations.
fn with_frame() -> String {
    let kernel = |name: &str, global: &str| {
        format!(
            "  // Adds.\n  entry @{name}(%p: tile<ptr<f32>>) optimization_hints=<sm_90 = {{occupancy = 2}}> {{\n    \
             %g = get_global @{global} : tile<ptr<f32>> loc(#loc2)\n    \
             %r = reshape %g : tile<ptr<f32>> -> tile<1xptr<f32>>\n    \
             %b = broadcast %r : tile<1xptr<f32>> -> tile<4xptr<f32>>\n    \
             %i = iota : !ints loc(#loc1)\n    %a = offset %b, %i : tile<4xptr<f32>>, !ints -> tile<4xptr<f32>>\n    \
             %t = make_token : token\n    %v, %u = load_ptr_tko weak %a token = %t : tile<4xptr<f32>> -> tile<4xf32>, token\n    \
             %w = print_tko \"}} %f\\n\", %v token=%u : tile<4xf32> -> token\n    return loc(#loc2)\n  }} loc(#loc1)\n\n"
        )
    };
    let kernels = [kernel("one", "g"), kernel("two", "h"), kernel("three", "g")];
    format!(
        "// Producer: a test\n!ints = tile<4xi32>\nmodule {{\n  cuda_tile.module @m {{\n  global @g <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>\n{}\
         global @h alignment = 16 <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>\n{}{}  }} loc(#loc1)\n}}\n\
         #loc1 = loc(\"a.py\":1:2)\n#loc2 = loc(\"a.py\":3:4) // end\n",
        kernels[0], kernels[1], kernels[2]
    )
}

/// Texts of several languages.
fn texts() -> Vec<(Language, String)> {
    let mut texts = vec![(Language::CudaTile, text()), (Language::CudaTile, with_frame())];
    for language in [Language::TileAs, Language::Nvvm, Language::Ptx] {
        let mut compiler = Compiler::once();
        let source = compiler.add_source("t", text());
        let options = compiler.options(Request::default());
        let (made, said) = joins::compile(&compiler, source, options, language);
        texts.push((language, made.unwrap_or_else(|| panic!("{said:#?}")).to_string()));
    }
    texts
}

/// The functions of a text without errors: name, program, and places of ops.
type Functions = Vec<(String, String, Vec<Span>)>;

/// What the database reads, function by function; `None` after an error.
fn by_functions(db: &Compiler, source: Source) -> Option<Functions> {
    let parsed = tilewright::reading::parse(db, source);
    let function = |kernel: &tilewright::Kernel<'_>| {
        let spans = kernel.places(db).op_spans().map(|(_, span)| span);
        let body = match kernel.body(db) {
            Stage::CudaTile(kernel) => format!("{:?}", kernel.func),
            Stage::Ptx(kernel) => format!("{:?}", kernel.entry.body.len()),
            body => format!("{body:?}"),
        };
        (kernel.name(db).to_owned(), body, spans.collect())
    };
    let sound = parsed.is_sound() && !parsed.kernels.is_empty();
    sound.then(|| parsed.kernels.iter().map(function).collect())
}

/// What the parsers and verifiers make of all of a text at once.
fn at_once(language: Language, text: &str) -> Option<Functions> {
    let file = FileId(0);
    let quiet = |said: &[Diagnostic<Span>]| !said.iter().any(Diagnostic::is_error);
    if tilewright_grammar::detect_language(text)? != language.name() {
        return None;
    }
    let functions: Functions = match language {
        Language::CudaTile => {
            let parsed = parse_tile_text(text, file);
            let sound = quiet(&parsed.diagnostics)
                && verify_module(&parsed.module).is_ok()
                && verify_debug(&parsed.module, &parsed.debug).is_empty();
            let functions = parsed.module.funcs.into_iter().zip(parsed.spans);
            let functions = functions.map(|(mut func, spans)| {
                func.body.follow_values();
                (func.name.clone(), format!("{func:?}"), spans.ops)
            });
            sound.then(|| functions.collect())?
        }
        Language::TileAs => stage_at_once::<TileAs>(text, Stage::TileAs)?,
        Language::Nvvm => stage_at_once::<Nvvm>(text, Stage::Nvvm)?,
        Language::Ptx => {
            let parsed = tilewright_grammar::ptx::parse(file, text);
            if !quiet(&parsed.diagnostics) {
                return None;
            }
            let entries = parsed.module.entries.iter().zip(&parsed.statements);
            let function = |(entry, spans): (&Entry, &Vec<Span>)| {
                let module = Module {
                    entries: vec![entry.clone()],
                    ..parsed.module.clone()
                };
                let instructions = entry.body.iter().zip(spans);
                let instructions = instructions.filter(|(one, _)| matches!(one, Statement::Instruction(_)));
                tilewright_irs::ptx::verify(&module).is_empty().then(|| {
                    let spans = instructions.map(|(_, span)| *span).collect();
                    (entry.name.to_string(), format!("{:?}", entry.body.len()), spans)
                })
            };
            entries.map(function).collect::<Option<_>>()?
        }
        other => panic!("{other}"),
    };
    let mut names: Vec<_> = functions.iter().map(|(name, ..)| name).collect();
    names.sort();
    names.dedup();
    (!functions.is_empty() && names.len() == functions.len()).then_some(functions)
}

fn stage_at_once<L: tilewright_irs::core::Language>(
    text: &str,
    stage: impl Fn(Arc<Func<L>>) -> Stage,
) -> Option<Functions> {
    let parsed = parse_stage::<L>(text, FileId(0));
    if !parsed.diagnostics.is_empty() {
        return None;
    }
    let functions = parsed.module.funcs.into_iter().zip(parsed.spans);
    let function = |(mut func, spans): (Func<L>, FuncSpans)| {
        verify(&func).ok()?;
        func.body.follow_values();
        let target = stage(Arc::new(func.clone())).target();
        let known = target.is_some_and(|target| SUPPORTED.contains(&target));
        known.then(|| {
            (
                func.name.clone(),
                format!("{:?}", stage(Arc::new(func))),
                spans.ops,
            )
        })
    };
    functions.map(function).collect()
}

#[test]
fn a_text_read_function_by_function_is_what_it_is_at_once() {
    let count = edits();
    let mut random = ChaCha8Rng::seed_from_u64(14);
    for (language, first) in texts() {
        assert!(
            at_once(language, &first).is_some(),
            "{first}\n{:#?}",
            parse_tile_text(&first, FileId(0)).diagnostics
        );
        let (mut parts, mut wholes, mut sound) = (0, 0, 0);
        let mut compiler = Compiler::new();
        compiler.log_executions();
        let source = compiler.add_source("t", first.as_str());
        let mut text = first.clone();
        for round in 0..count {
            text = match random.random_bool(0.6) {
                true => first.clone(),
                false => edit(&text, &mut random),
            };
            compiler.edit(source, text.as_bytes());
            let (have, want) = (by_functions(&compiler, source), at_once(language, &text));
            assert!(
                have == want,
                "after edit {round}:\n{text}\nis\n{have:?}\ninstead of\n{want:?}\n{:#?}",
                problems::front_end(&compiler, source)
            );
            sound += usize::from(have.is_some());
            let executions = compiler.take_executions();
            let mut read = executions.iter().filter(|one| one.query == "read");
            match read.any(|one| one.subject == "the whole text") {
                true => wholes += 1,
                false => parts += 1,
            }
        }
        assert!(
            parts > 2 * wholes,
            "{language}: {parts} by functions, {wholes} at once"
        );
        assert!(
            sound * 4 > count,
            "{language}: {sound} of {count} texts were without errors"
        );
    }
}

#[test]
fn what_is_said_after_edits_is_what_a_fresh_start_says() {
    let count = edits();
    let mut random = ChaCha8Rng::seed_from_u64(13);
    let mut compiler = Compiler::new();
    let mut history = vec![text()];
    let source = compiler.add_source("t", history[0].as_str());
    let options = compiler.options(Request::default());
    let mut sound = 0;
    for round in 0..count {
        let last = history.last().expect("there is one").clone();
        // Undone soon, so that most texts are nearly right.
        if history.len() > 1 && random.random_bool(0.65) {
            history.pop();
        } else {
            history.push(edit(&last, &mut random));
        }
        let now = history.last().expect("there is one");
        compiler.edit(source, now.as_bytes());
        let offset = random.random_range(0..=now.len());
        let mut fresh = Compiler::new();
        let own = fresh.add_source("t", now.as_str());
        let own_options = fresh.options(Request::default());
        let (have, want) = (
            said(&compiler, source, options, offset),
            said(&fresh, own, own_options, offset),
        );
        assert!(
            have == want,
            "after edit {round}:\n{now}\nsays\n{have}\ninstead of\n{want}"
        );
        sound += usize::from(problems::front_end(&fresh, own).is_empty());
        if history.len() > 5 {
            history.truncate(1);
        }
    }
    assert!(
        sound * 10 > count,
        "only {sound} of {count} texts were without errors"
    );
}
