//! Split loops execute the same iterations in the same order, including at the limits of the counter's type.

use std::fmt::Write;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright_evaluator::{Arg, Device, Init};
use tilewright_irs::cuda_tile::TileModule;

use crate::run::{parsed, passed, tile_pass};

/// A loop over 8-bit numbers, in which a condition on the counter selects the computation.
struct Loop {
    unsigned: bool,
    /// Whether the comparison is unsigned; the loop is split only if this agrees with its counter.
    read_unsigned: bool,
    predicate: &'static str,
    counter_first: bool,
    /// Lower bound, upper bound, step, limit.
    numbers: [i8; 4],
    /// Whether each of the numbers is constant.
    known: [bool; 4],
}

impl Loop {
    fn text(&self) -> String {
        let mut text =
            "entry @k(%p: tile<ptr<i32>>, %a0: tile<i8>, %a1: tile<i8>, %a2: tile<i8>, %a3: tile<i8>) {\n"
                .to_owned();
        let mut names = Vec::new();
        for (at, (number, known)) in self.numbers.iter().zip(self.known).enumerate() {
            if known {
                let _ = writeln!(text, "  %c{at} = constant <i8: {number}> : tile<i8>");
            }
            names.push(format!("%{}{at}", if known { 'c' } else { 'a' }));
        }
        let [lower, upper, step, limit] = names.as_slice() else {
            panic!("four numbers");
        };
        let word = if self.unsigned { " unsigned" } else { "" };
        let sign = if self.read_unsigned { "unsigned" } else { "signed" };
        let (l, r) = if self.counter_first {
            ("%i", limit.as_str())
        } else {
            (limit.as_str(), "%i")
        };
        let predicate = self.predicate;
        let _ = write!(
            text,
            "  %one = constant <i32: 1> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %sum = for{word} %i in ({lower} to {upper}, step {step}) : tile<i8> iter_values(%acc = %one) -> (tile<i32>) {{
    %n = exti %i signed : tile<i8> -> tile<i32>
    %early = cmpi {predicate} {l}, {r}, {sign} : tile<i8> -> tile<i1>
    %next = if %early -> (tile<i32>) {{
      %x = muli %acc, %three : tile<i32>
      %y = addi %x, %n : tile<i32>
      yield %y : tile<i32>
    }} else {{
      %x = subi %n, %acc : tile<i32>
      yield %x : tile<i32>
    }}
    continue %next : tile<i32>
  }}
  %t = store_ptr_tko weak %p, %sum : tile<ptr<i32>>, tile<i32> -> token
  return
}}
"
        );
        text
    }

    /// The stored result of the loop; `None` for undefined behaviour.
    fn run(&self, module: &TileModule) -> Option<Vec<u8>> {
        let mut device = Device::new(module).expect("a device");
        let out = device.allocate("p", Init::Empty(4));
        let mut arguments = vec![Arg::Pointer(out)];
        arguments.extend(
            self.numbers
                .map(|number| Arg::Scalar(u64::from(number.cast_unsigned()))),
        );
        let kernel = module.funcs.first().expect("a kernel");
        device.launch(kernel, [1, 1, 1], &arguments).ok()?;
        Some(device.read(out).to_vec())
    }
}

#[test]
fn split_loops_run_the_same_iterations() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let numbers = [-128, -127, -126, -7, -1, 0, 1, 2, 3, 5, 8, 33, 100, 125, 126, 127];
    let predicates = [
        "less_than",
        "less_than_or_equal",
        "greater_than",
        "greater_than_or_equal",
    ];
    let (mut defined, mut split) = (0, 0);
    for _ in 0..1500 {
        let mut pick = || *numbers.choose(&mut rng).expect("numbers");
        let picked = [(); 4].map(|()| pick());
        let small = *[1, 1, 1, 2, 3, 4, 5, 7, 100].choose(&mut rng).expect("steps");
        let step = if rng.random_bool(0.7) { small } else { picked[2] };
        let all = rng.random_bool(0.4);
        // Only the end of the loop is unknown: computing the rest must not overflow.
        let open = rng.random_bool(0.3);
        let unsigned = rng.random();
        // The largest number has no successor.
        let greatest = if unsigned { -1 } else { 127 };
        let limit = if rng.random_bool(0.2) { greatest } else { picked[3] };
        let case = Loop {
            unsigned,
            read_unsigned: unsigned != rng.random_bool(0.1),
            predicate: predicates.choose(&mut rng).expect("predicates"),
            counter_first: rng.random(),
            numbers: [picked[0], picked[1], step, limit],
            known: [0, 1, 2, 3].map(|at| match at {
                1 if open => false,
                _ => all || open || rng.random_bool(0.4),
            }),
        };
        let text = case.text();
        let module = parsed(&text);
        let Some(want) = case.run(&module) else { continue };
        defined += 1;
        let made = passed(&module, tile_pass("split_loops"));
        let loops = |module: &TileModule| format!("{module:?}").matches("For {").count();
        split += usize::from(loops(&made) == 2);
        let shown = || tilewright_irs::cuda_tile::print_tile_module(&made, None);
        assert_eq!(
            case.run(&made).as_ref(),
            Some(&want),
            "{:?}\n{text}\nbecomes\n{}",
            case.numbers,
            shown()
        );
    }
    assert!(
        defined > 700 && split > 400,
        "{defined} are defined, {split} are split"
    );
}
