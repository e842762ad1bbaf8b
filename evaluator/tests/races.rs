//! Data races are detected, and similar ordered accesses are accepted.

use crate::support::bodies::{legal, run_on, undefined, undefined_on};
use tilewright_diagnostics::Code;
use tilewright_irs::core::Origin;

const LOAD: &str = "%x, %t0 = load_ptr_tko weak %ps : tile<16xptr<i32>> -> tile<16xi32>, token\n";
const STORE_P: &str = "tile<16xptr<i32>>, tile<16xi32> -> token\n";

#[test]
fn races_within_a_block() {
    // A store after a load of the same bytes: only a token orders them, the flow of data does not.
    legal(&format!(
        "{LOAD}%t1 = store_ptr_tko weak %ps, %x token=%t0 : {STORE_P}"
    ));
    let problem = undefined(
        Code::Race,
        "a write of byte 0 of argument 0 is not ordered after a read of it",
        &format!("{LOAD}%t1 = store_ptr_tko weak %ps, %x : {STORE_P}"),
    );
    assert_eq!(problem.primary.expect("a place").at, Origin(10));
    assert_eq!(problem.secondary[0].at, Origin(9));
    // The same ops on different memory.
    legal(&format!("{LOAD}%t1 = store_ptr_tko weak %qs, %x : {STORE_P}"));
    // Two stores; two loads.
    undefined(
        Code::Race,
        "a write of byte 0 of argument 1 is not ordered after a write",
        &format!("%t0 = store_ptr_tko weak %qs, %i : {STORE_P}%t1 = store_ptr_tko weak %qs, %i : {STORE_P}"),
    );
    legal(&format!(
        "{LOAD}%y, %t1 = load_ptr_tko weak %ps : tile<16xptr<i32>> -> tile<16xi32>, token"
    ));
    // A load after a store.
    let store = format!("%t0 = store_ptr_tko weak %qs, %i : {STORE_P}");
    let load = |token: &str| {
        format!("{store}%y, %t1 = load_ptr_tko weak %qs{token} : tile<16xptr<i32>> -> tile<16xi32>, token")
    };
    legal(&load(" token=%t0"));
    undefined(Code::Race, "a read of byte 0 of argument 1", &load(""));
    // Both loads must come before the store: joined tokens do it, one of them does not.
    let two = format!("{LOAD}%y, %t1 = load_ptr_tko weak %ps : tile<16xptr<i32>> -> tile<16xi32>, token\n");
    legal(&format!(
        "{two}%j = join_tokens %t0, %t1 : token\n%t2 = store_ptr_tko weak %ps, %i token=%j : {STORE_P}"
    ));
    undefined(
        Code::Race,
        "not ordered after a read",
        &format!("{two}%t2 = store_ptr_tko weak %ps, %i token=%t1 : {STORE_P}"),
    );
}

#[test]
fn races_in_loops_are_between_turns() {
    let body = |carried: &str| {
        format!(
            "%n = constant <i32: 4> : tile<i32>
             %t = make_token : token
             %r = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%a = %t) -> (token) {{
               %s = store_ptr_tko weak %qs, %i token=%a : {STORE_P}
               continue {carried} : token
             }}"
        )
    };
    legal(&body("%s"));
    undefined(Code::Race, "not ordered after a write", &body("%t"));
}

#[test]
fn races_between_blocks() {
    let everyone = format!("%t = store_ptr_tko weak %qs, %i : {STORE_P}");
    legal(&everyone);
    let problem = undefined_on([2, 1, 1], Code::Race, "by another tile block", &everyone);
    assert!(
        problem
            .notes
            .iter()
            .any(|note| note.contains("tile block (1, 0, 0)")),
        "{problem:#?}"
    );
    // Everybody's own element; everybody reads; everybody adds atomically.
    let own = "%x, %y, %z = get_tile_block_id : tile<i32>
        %o = offset %q, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %t = store_ptr_tko weak %o, %x : tile<ptr<i32>>, tile<i32> -> token";
    assert!(run_on([16, 1, 1], own).is_ok());
    assert!(run_on([16, 1, 1], LOAD).is_ok());
    let add = |ordering: &str| {
        format!(
            "%old, %t = atomic_rmw_tko {ordering} %p, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"
        )
    };
    let result = run_on([100, 1, 1], &add("relaxed device")).expect("atomic");
    assert_eq!(&result[0][..4], 100u32.to_le_bytes());
    undefined_on(
        [2, 1, 1],
        Code::Race,
        "by another tile block",
        &add("relaxed tl_blk"),
    );
    // A weak read beside atomic writes.
    undefined_on(
        [2, 1, 1],
        Code::Race,
        "by another tile block",
        &format!(
            "{}\n%w, %t2 = load_ptr_tko weak %p token=%t : tile<ptr<i32>> -> tile<i32>, token",
            add("relaxed device")
        ),
    );
}

#[test]
fn releases_and_acquires_order_blocks() {
    // Block 0 writes and releases a flag; block 1, which runs later here, acquires it and reads.
    let body = |store: &str, load: &str| {
        format!(
            "%x, %y, %z = get_tile_block_id : tile<i32>
             %first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
             if %first {{
               %s = store_ptr_tko weak %qs, %i : {STORE_P}
               %f = store_ptr_tko {store} device %p, %one token=%s : tile<ptr<i32>>, tile<i32> -> token
             }} else {{
               %v, %g = load_ptr_tko {load} device %p : tile<ptr<i32>> -> tile<i32>, token
               %w, %h = load_ptr_tko weak %qs token=%g : tile<16xptr<i32>> -> tile<16xi32>, token
             }}"
        )
    };
    assert!(run_on([2, 1, 1], &body("release", "acquire")).is_ok());
    undefined_on(
        [2, 1, 1],
        Code::Race,
        "by another tile block",
        &body("relaxed", "acquire"),
    );
    undefined_on(
        [2, 1, 1],
        Code::Race,
        "by another tile block",
        &body("release", "relaxed"),
    );
}

#[test]
fn one_store_with_two_values_for_one_byte() {
    legal(&format!("%same = broadcast %c1 : tile<1xi32> -> tile<16xi32>\n%t = store_ptr_tko weak %qb, %same : {STORE_P}")
        .replace("%same =", "%c1 = constant <i32: 5> : tile<1xi32>\n%same ="));
    undefined(
        Code::Race,
        "two elements of one store",
        &format!("%t = store_ptr_tko weak %qb, %i : {STORE_P}"),
    );
}

#[test]
fn one_store_that_meets_a_byte_again_is_one_access() {
    // The first and the last element are the same byte, which was written before; the others are not.
    let twice = |value: &str| {
        format!(
            "%before = store_ptr_tko weak %q, %one : tile<ptr<i32>>, tile<i32> -> token
             %last = constant <i32: 15> : tile<16xi32>
             %wraps = cmpi equal %i, %last, signed : tile<16xi32> -> tile<16xi1>
             %none = constant <i32: 0> : tile<16xi32>
             %at = select %wraps, %none, %i : tile<16xi1>, tile<16xi32>
             %to = offset %qb, %at : tile<16xptr<i32>>, tile<16xi32> -> tile<16xptr<i32>>
             %t = store_ptr_tko weak %to, {value} token=%before : {STORE_P}
             %rest = offset %q, %fifteen : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
             %u = store_ptr_tko weak %rest, %one : tile<ptr<i32>>, tile<i32> -> token"
        )
        .replace(
            "%before =",
            "%fifteen = constant <i32: 15> : tile<i32>\n%before =",
        )
    };
    legal(&twice("%at"));
    undefined(Code::Race, "two elements of one store", &twice("%i"));
}

#[test]
fn accesses_of_different_widths_meet() {
    let byte = |at: u32| {
        format!(
            "%bp = ptr_to_ptr %q : tile<ptr<i32>> -> tile<ptr<i8>>
             %at = constant <i32: {at}> : tile<i32>
             %b = offset %bp, %at : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
             %c = constant <i8: 1> : tile<i8>\n"
        )
    };
    let narrow = |token: &str, name: &str| {
        format!("%{name} = store_ptr_tko weak %b, %c{token} : tile<ptr<i8>>, tile<i8> -> token\n")
    };
    let wide = |token: &str, name: &str| format!("%{name} = store_ptr_tko weak %qs, %i{token} : {STORE_P}");
    for at in [0, 1, 2, 3, 5, 63] {
        let byte = byte(at);
        // The wide store comes first, or the narrow one; an access to another byte made the cells narrow before.
        for body in [
            |narrow: &dyn Fn(&str, &str) -> String, wide: &dyn Fn(&str, &str) -> String, token: &str| {
                let (w, n) = (wide("", "w"), narrow(&token.replace("BEFORE", "w"), "n"));
                format!("{w}{n}")
            },
            |narrow: &dyn Fn(&str, &str) -> String, wide: &dyn Fn(&str, &str) -> String, token: &str| {
                let (n, w) = (narrow("", "n"), wide(&token.replace("BEFORE", "n"), "w"));
                format!("{n}{w}")
            },
        ] {
            legal(&format!("{byte}{}", body(&narrow, &wide, " token=%BEFORE")));
            undefined(
                Code::Race,
                "is not ordered after a write",
                &format!("{byte}{}", body(&narrow, &wide, "")),
            );
        }
    }
}

#[test]
fn ops_that_only_hand_on_their_token_keep_the_order() {
    let body = |between: &str| {
        format!(
            "%t0 = store_ptr_tko weak %qs, %i : {STORE_P}{between}
             %y, %t2 = load_ptr_tko weak %qs token=%t1 : tile<16xptr<i32>> -> tile<16xi32>, token"
        )
    };
    for op in [
        "memory_fence_alias_tko %t0",
        "gdc_wait_tko token = %t0 -> token",
        "gdc_launch_dependents_tko token = %t0 -> token",
        "print_tko \"\" token=%t0 -> token",
    ] {
        legal(&body(&format!("%t1 = {op}")));
    }
    undefined(
        Code::Race,
        "a read of byte 0 of argument 1",
        &body("%t1 = gdc_wait_tko -> token"),
    );
}
