//! Branches, loops, and queries of the launch and of views.

use rand::RngExt;

use super::generate::{Known, Program, tile};

/// Generates branches and loops.
pub(super) fn control(p: &mut Program<'_>) {
    if p.depth > 1 {
        return;
    }
    let (shape, ty) = (p.shape(), p.any_type());
    let to = tile(shape, ty);
    let initial = p.pick(shape, ty).name;
    let result = p.name();
    let ops = 1 + usize::try_from(p.below(4)).expect("few");
    // Generates a loop iteration: `more` is yielded in addition to the carried value, with types `types`.
    let turn = |p: &mut Program<'_>, carried: String, more: &str, types: &str| {
        let carried = Known {
            name: carried,
            shape,
            ty,
        };
        p.region(ops, &[carried], |p| {
            let value = p.pick(shape, ty).name;
            p.line(&format!("continue {value}{more} : {to}{types}\n}}"));
        });
    };
    match p.below(3) {
        0 => {
            let (bound, condition) = (p.name(), p.name());
            let number = p.below(3);
            p.line(&format!("{bound} = constant <i32: {number}> : tile<i32>"));
            p.line(&format!(
                "{condition} = cmpi equal %bx, {bound}, signed : tile<i32> -> tile<i1>"
            ));
            p.line(&format!("{result} = if {condition} -> ({to}) {{"));
            for word in ["} else {", "}"] {
                p.region(ops, &[], |p| {
                    let value = p.pick(shape, ty).name;
                    p.line(&format!("yield {value} : {to}\n{word}"));
                });
            }
        }
        1 => {
            let (upper, counter, carried) = (p.name(), p.name(), p.name());
            let turns = p.below(4);
            p.line(&format!("{upper} = constant <i32: {turns}> : tile<i32>"));
            p.line(&format!(
                "{result} = for {counter} in (%zero to {upper}, step %one) : tile<i32> iter_values({carried} = {initial}) -> ({to}) {{"
            ));
            turn(p, carried, "", "");
        }
        _ => {
            let (carried, counter, most, done, next) = (p.name(), p.name(), p.name(), p.name(), p.name());
            let turns = p.below(4);
            p.line(&format!("{most} = constant <i32: {turns}> : tile<i32>"));
            p.line(&format!(
                "{result} = loop iter_values({carried} = {initial}, {counter} = %zero) : {to}, tile<i32> -> {to} {{"
            ));
            p.line(&format!(
                "{done} = cmpi greater_than_or_equal {counter}, {most}, signed : tile<i32> -> tile<i1>"
            ));
            p.line(&format!("if {done} {{\nbreak {carried} : {to}\n}}"));
            p.line(&format!("{next} = addi {counter}, %one : tile<i32>"));
            turn(p, carried, &format!(", {next}"), ", tile<i32>");
        }
    }
    p.values.push(Known {
        name: result,
        shape,
        ty,
    });
}

/// Broadcasts a scalar `i32` to a tile.
fn many(p: &mut Program<'_>, scalar: &str) {
    let one = p.name();
    p.line(&format!("{one} = reshape {scalar} : tile<i32> -> tile<1xi32>"));
    p.define(
        &[64],
        "i32",
        &format!("broadcast {one} : tile<1xi32> -> tile<64xi32>"),
    );
}

/// Generates queries of tensor and grid extents, with assertions.
pub(super) fn extents(p: &mut Program<'_>) {
    let [rows, tensor, view, first, second, third] = [(); 6].map(|()| p.name());
    let known: bool = p.rng.random();
    let number = p.choose(&["15", "3", "1"]);
    let of = if known { number } else { "?" };
    let of = format!("tensor_view<{of}x17xi32, strides=[17,1]>");
    p.line(&format!("{rows} = constant <i32: {number}> : tile<i32>"));
    p.line(&if known {
        format!("{tensor} = make_tensor_view %a, shape = [{number}, 17], strides = [17, 1] : {of}")
    } else {
        format!("{tensor} = make_tensor_view %a, shape = [{rows}, 17], strides = [17, 1] : tile<i32> -> {of}")
    });
    match p.below(3) {
        0 => p.line(&format!(
            "{first}, {second} = get_tensor_shape {tensor} : {of} -> tile<i32>"
        )),
        1 => {
            let part = format!("partition_view<tile=(4x8), {of}>");
            p.line(&format!("{view} = make_partition_view {tensor} : {part}"));
            p.line(&format!(
                "{first}, {second} = get_index_space_shape {view} : {part} -> tile<i32>"
            ));
        }
        _ => p.line(&format!(
            "{first}, {second}, {third} = get_num_tile_blocks : tile<i32>"
        )),
    }
    let (positive, sum) = (p.name(), p.name());
    p.line(&format!(
        "{positive} = cmpi greater_than {first}, %zero, signed : tile<i32> -> tile<i1>"
    ));
    p.line(&format!("assert {positive}, \"an extent\" : tile<i1>"));
    p.line(&format!("{sum} = muli {first}, {second} : tile<i32>"));
    many(p, &sum);
}

/// Generates atomics on counters through a view.
pub(super) fn counters(p: &mut Program<'_>) {
    let value = p.pick(&[64], "i32").name;
    let mode = p.choose(&["and", "or", "xor", "add", "max", "min", "umax", "umin"]);
    let [tensor, view, token] = [(); 3].map(|()| p.name());
    let (of, part) = (
        "tensor_view<64xi32, strides=[1]>",
        "partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>",
    );
    p.line(&format!(
        "{tensor} = make_tensor_view %n, shape = [64], strides = [1] : {of}"
    ));
    p.line(&format!("{view} = make_partition_view {tensor} : {part}"));
    p.line(&format!(
        "{token} = atomic_red_view_tko relaxed device {view}[%zero], {mode}, {value} : tile<64xi32>, {part}, tile<i32> -> token"
    ));
}
