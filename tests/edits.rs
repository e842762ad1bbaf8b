//! Random edits: what a database that has seen all of them says equals what one that has seen the last text says.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright::ide::functions::functions;
use tilewright::ide::{cost, hover, outline, problems};
use tilewright::{Compiler, Options, Request, Source};

/// The edits of a run; `TILEWRIGHT_EDITS` sets another number.
const EDITS: usize = 400;

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
        "{:#?}\n{:#?}\n{:#?}\n{costs:#?}\n{:#?}",
        problems::front_end(db, source),
        problems::back_end(db, source, options),
        outline::symbols(db, source),
        hover::hover(db, source, options, offset),
    )
}

#[test]
fn what_is_said_after_edits_is_what_a_fresh_start_says() {
    let count = std::env::var("TILEWRIGHT_EDITS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(EDITS);
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
