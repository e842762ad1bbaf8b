//! Litmus tests of the memory model: whether two accesses are ordered.
//!
//! Blocks run sequentially, so that a later block always reads what an earlier one wrote; the tests check whether the
//! two accesses are *ordered* or race.

use crate::support::bodies::{legal_on, undefined_on};
use tilewright_diagnostics::Code;

const ALL: &str = "tile<16xptr<i32>>, tile<16xi32> -> token";
const ONE: &str = "tile<ptr<i32>>, tile<i32> -> token";

/// A kernel of as many blocks as there are bodies, each with its own.
fn blocks(bodies: &[&str]) -> String {
    let mut text = "%x, %y, %z = get_tile_block_id : tile<i32>\n".to_owned();
    for (at, body) in bodies.iter().enumerate() {
        text += &format!(
            "%n{at} = constant <i32: {at}> : tile<i32>
             %c{at} = cmpi equal %x, %n{at}, signed : tile<i32> -> tile<i1>
             if %c{at} {{\n{body}\n}}\n"
        );
    }
    text
}

fn ordered(bodies: &[&str]) {
    legal_on([u32::try_from(bodies.len()).expect("few"), 1, 1], &blocks(bodies));
}

fn race(bodies: &[&str]) {
    let grid = [u32::try_from(bodies.len()).expect("few"), 1, 1];
    undefined_on(grid, Code::Race, "is not ordered after", &blocks(bodies));
}

fn store(pointer: &str, how: &str, after: &str, types: &str) -> String {
    let value = if types == ALL { "%i" } else { "%one" };
    format!(
        "%s{} = store_ptr_tko {how} {pointer}, {value}{after} : {types}",
        name(after, pointer)
    )
}

fn name(after: &str, pointer: &str) -> String {
    let letters = |text: &str| {
        text.chars()
            .filter(char::is_ascii_alphanumeric)
            .collect::<String>()
    };
    format!("{}{}", letters(pointer), letters(after))
}

fn load(pointer: &str, how: &str, after: &str) -> String {
    let (from, to) = if pointer.ends_with('s') {
        ("tile<16xptr<i32>>", "tile<16xi32>")
    } else {
        ("tile<ptr<i32>>", "tile<i32>")
    };
    let own = name(after, pointer);
    format!("%l{own}, %g{own} = load_ptr_tko {how} {pointer}{after} : {from} -> {to}, token")
}

fn add(how: &str, after: &str) -> String {
    let own = name(after, "");
    format!(
        "%o{own}, %a{own} = atomic_rmw_tko {how} %p, add, %one{after} : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"
    )
}

/// The data is `%qs`, the flag `%p`.
#[test]
fn a_message_is_passed_by_release_and_acquire_with_tokens() {
    let writer = |how: &str, token: &str| {
        format!(
            "{}\n{}",
            store("%qs", "weak", "", ALL),
            store("%p", how, token, ONE)
        )
    };
    let reader = |how: &str, token: &str| format!("{}\n{}", load("%p", how, ""), load("%qs", "weak", token));
    let (before, after) = (" token=%sqs", " token=%gp");
    for scope in ["device", "sys"] {
        let (release, acquire) = (format!("release {scope}"), format!("acquire {scope}"));
        ordered(&[&writer(&release, before), &reader(&acquire, after)]);
        // Each part is needed: the release, the acquire, and the token on either side.
        race(&[
            &writer(&format!("relaxed {scope}"), before),
            &reader(&acquire, after),
        ]);
        race(&[
            &writer(&release, before),
            &reader(&format!("relaxed {scope}"), after),
        ]);
        race(&[&writer(&release, ""), &reader(&acquire, after)]);
        race(&[&writer(&release, before), &reader(&acquire, "")]);
    }
    // A scope of one block reaches no other block: already the flag is a race.
    race(&[
        &writer("release tl_blk", before),
        &reader("acquire device", after),
    ]);
    race(&[
        &writer("release device", before),
        &reader("acquire tl_blk", after),
    ]);
    race(&[&writer("weak", before), &reader("acquire device", after)]);
}

#[test]
fn a_release_is_seen_through_updates_and_not_through_stores() {
    let writer = format!(
        "{}\n{}",
        store("%qs", "weak", "", ALL),
        store("%p", "release device", " token=%sqs", ONE)
    );
    let reader = format!(
        "{}\n{}",
        load("%p", "acquire device", ""),
        load("%qs", "weak", " token=%gp")
    );
    ordered(&[&writer, &add("relaxed device", ""), &reader]);
    ordered(&[
        &writer,
        &add("relaxed device", ""),
        &add("relaxed device", ""),
        &reader,
    ]);
    // The reader sees this store, and nothing of the release before it.
    race(&[&writer, &store("%p", "relaxed device", "", ONE), &reader]);
    // A block in between that acquires and releases hands on what it saw, if a token leads from one to the other.
    let between = |token: &str| {
        format!(
            "{}\n{}",
            load("%p", "acquire device", ""),
            store("%p", "release device", token, ONE)
        )
    };
    ordered(&[&writer, &between(" token=%gp"), &reader]);
    race(&[&writer, &between(""), &reader]);
    let update = add("acq_rel device", "");
    ordered(&[&writer, &update, &reader]);
}

#[test]
fn counters_and_the_last_block() {
    // Everybody writes an element of its own and counts; who counts last reads all. Blocks run in order here.
    let writer = |at: usize, how: &str| {
        format!(
            "%k{at} = constant <i32: {at}> : tile<i32>
             %e{at} = offset %q, %k{at} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
             %w{at} = store_ptr_tko weak %e{at}, %one : {ONE}
             %o{at}, %a{at} = atomic_rmw_tko {how} %p, add, %one token=%w{at} : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"
        )
    };
    let all = |how: &str, token: &str| {
        let own: Vec<String> = (0..15).map(|at| writer(at, how)).collect();
        let last = format!(
            "{}\n%r, %rt = load_ptr_tko weak %qs{token} : tile<16xptr<i32>> -> tile<16xi32>, token",
            writer(15, how)
        );
        let mut bodies: Vec<&str> = own.iter().map(String::as_str).collect();
        bodies.push(&last);
        blocks(&bodies)
    };
    legal_on([16, 1, 1], &all("acq_rel device", " token=%a15"));
    for (how, token) in [
        ("relaxed device", " token=%a15"),
        ("release device", " token=%a15"),
        ("acquire device", " token=%a15"),
        ("acq_rel device", ""),
    ] {
        undefined_on([16, 1, 1], Code::Race, "is not ordered after", &all(how, token));
    }
}

#[test]
fn long_lists_of_atomic_ops_hide_no_race() {
    let device = add("relaxed device", "");
    let many: Vec<&str> = vec![&device; 4];
    let system = add("relaxed sys", "");
    ordered(&[many.as_slice(), &[&system]].concat());
    for last in [
        add("relaxed tl_blk", ""),
        store("%p", "weak", "", ONE),
        load("%p", "weak", ""),
        load("%p", "relaxed tl_blk", ""),
    ] {
        race(&[many.as_slice(), &[&last]].concat());
        // Nor is the first of them hidden by those after it.
        race(&[&[last.as_str()], many.as_slice()].concat());
    }
}

#[test]
fn data_dependence_and_program_order_do_not_order_accesses() {
    // The store's value comes from the load.
    let through = |token: &str| {
        format!(
            "{}\n%w = addi %lps, %i : tile<16xi32>\n%s = store_ptr_tko weak %ps, %w{token} : {ALL}",
            load("%ps", "weak", "")
        )
    };
    ordered(&[&through(" token=%gps")]);
    race(&[&through("")]);
    // So does the address, and whether it is done at all.
    let address = |token: &str| {
        format!(
            "%l, %g = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
             %a = offset %p, %l : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
             %c = cmpi equal %l, %zero, signed : tile<i32> -> tile<i1>
             if %c {{ %s = store_ptr_tko weak %a, %one{token} : {ONE} }}"
        )
    };
    ordered(&[&address(" token=%g")]);
    race(&[&address("")]);
    // Atomic accesses of one block to one place need no order.
    ordered(&[&format!(
        "{}\n{}",
        add("relaxed tl_blk", ""),
        load("%p", "relaxed tl_blk", "")
    )]);
    race(&[&format!(
        "{}\n{}",
        add("relaxed tl_blk", ""),
        load("%p", "weak", "")
    )]);
}

#[test]
fn views_of_one_tensor_are_one_memory() {
    let both = |token: &str, second: &str| {
        let tensor = "tensor_view<16xi32, strides=[1]>";
        let (part, moved) = (
            format!("partition_view<tile=(8), {tensor}>"),
            format!("strided_view<tile=(8), traversal_strides=[4], {tensor}>"),
        );
        format!(
            "%tv = make_tensor_view %p, shape = [16], strides = [1] : {tensor}
             %v = make_partition_view %tv : {part}
             %w = make_strided_view %tv : {moved}
             %h = extract %i[%zero] : tile<16xi32> -> tile<8xi32>
             %at = constant <i32: {second}> : tile<i32>
             %s = store_view_tko weak %h, %v[%zero] : tile<8xi32>, {part}, tile<i32> -> token
             %l, %g = load_view_tko weak %w[%at]{token} : {moved}, tile<i32> -> tile<8xi32>, token"
        )
    };
    // Tiles 0 and 1 of the strided view overlap the tile that is written, tile 2 does not.
    for (second, overlaps) in [("0", true), ("1", true), ("2", false)] {
        ordered(&[&both(" token = %s", second)]);
        if overlaps {
            race(&[&both("", second)]);
        } else {
            ordered(&[&both("", second)]);
        }
    }
}
