//! Numbers of which the language says nothing may be computed with and kept; they must not decide anything.

mod support;

use support::bodies::{legal, undefined, warned};
use tilewright_diagnostics::Code;
use tilewright_irs::core::Origin;

const MASK: &str = "%k = constant <i32: 12> : tile<16xi32>
    %m = cmpi less_than %i, %k, signed : tile<16xi32> -> tile<16xi1>\n";
const STORE: &str = "%t9 = store_ptr_tko weak %qs, %x : tile<16xptr<i32>>, tile<16xi32> -> token\n";

/// `%x`: 16 numbers, of which the last four are unspecified. Defined by op 11.
fn partly(more: &str) -> String {
    format!(
        "{MASK}%x, %t = load_ptr_tko weak %ps, %m : tile<16xptr<i32>>, tile<16xi1> -> tile<16xi32>, token\n{more}"
    )
}

#[test]
fn computing_and_keeping_is_fine() {
    legal(&partly(""));
    legal(&partly(
        "%y = addi %x, %x : tile<16xi32>
         %z = select %m, %y, %i : tile<16xi1>, tile<16xi32>
         %s = store_ptr_tko weak %qs, %z : tile<16xptr<i32>>, tile<16xi32> -> token",
    ));
    // A store that leaves them out.
    legal(&partly(
        "%s = store_ptr_tko weak %qs, %x, %m : tile<16xptr<i32>>, tile<16xi32>, tile<16xi1> -> token",
    ));
    // What the caller can read: a warning, with the op that they come from.
    let load = warned(
        Code::Unspecified,
        "16 bytes of argument 1, byte 48 the first",
        &partly(STORE),
    );
    assert_eq!(load, Origin(11));
    // Written again with something else they are gone.
    legal(&partly(&format!(
        "{STORE}%u = store_ptr_tko weak %qs, %i token=%t9 : tile<16xptr<i32>>, tile<16xi32> -> token"
    )));
}

#[test]
fn deciding_is_an_error() {
    let last = "%f = constant <i32: 15> : tile<i32>\n%e = extract %x[%f] : tile<16xi32> -> tile<1xi32>
        %v = reshape %e : tile<1xi32> -> tile<i32>\n";
    let first = last.replace("15", "0");
    for (what, op) in [
        (
            "the condition",
            "%c = cmpi equal %v, %zero, signed : tile<i32> -> tile<i1>\nif %c {\n}",
        ),
        (
            "a bound or the step of a `for`",
            "for %n in (%zero to %v, step %one) : tile<i32> {\ncontinue\n}",
        ),
        (
            "the condition of an assertion",
            "%c = cmpi equal %v, %zero, signed : tile<i32> -> tile<i1>\nassert %c, \"zero\" : tile<i1>",
        ),
        (
            "the address",
            "%a = offset %p, %v : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
             %y, %u = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token",
        ),
        (
            "the mask",
            "%c = cmpi not_equal %v, %zero, signed : tile<i32> -> tile<i1>
             %y, %u = load_ptr_tko weak %p, %c, %one : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token",
        ),
        ("index 0", "%y = extract %i[%v] : tile<16xi32> -> tile<1xi32>"),
        (
            "an extent or a stride",
            "%w = make_tensor_view %p, shape = [%v], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>",
        ),
    ] {
        let problem = undefined(Code::Unspecified, what, &partly(&format!("{last}{op}")));
        assert_eq!(problem.secondary[0].at, Origin(11), "{problem:#?}");
        assert!(
            problem.message.contains("is not specified, and decides"),
            "{problem:#?}"
        );
        legal(&partly(&format!("{first}{op}")));
    }
}

#[test]
fn marks_follow_the_elements() {
    // Each makes a `%y` of 16 elements; those listed are unspecified, and no others.
    let cases: &[(&str, &[u32])] = &[
        ("%y = addi %i, %x : tile<16xi32>", &[12, 13, 14, 15]),
        ("%n = constant <i32: 0> : tile<16xi32>\n%y = andi %n, %x : tile<16xi32>", &[]),
        ("%n = constant <i32: -1> : tile<16xi32>\n%y = ori %x, %n : tile<16xi32>", &[]),
        ("%y = select %m, %i, %x : tile<16xi1>, tile<16xi32>", &[12, 13, 14, 15]),
        ("%c = cmpi equal %x, %i, signed : tile<16xi32> -> tile<16xi1>\n%y = select %c, %k, %k : tile<16xi1>, tile<16xi32>", &[]),
        ("%c = cmpi equal %x, %i, signed : tile<16xi32> -> tile<16xi1>\n%y = select %c, %i, %k : tile<16xi1>, tile<16xi32>", &[13, 14, 15]),
        (
            "%a = reshape %x : tile<16xi32> -> tile<4x4xi32>\n%b = permute %a [1, 0] : tile<4x4xi32> -> tile<4x4xi32>
             %y = reshape %b : tile<4x4xi32> -> tile<16xi32>",
            &[3, 7, 11, 15],
        ),
        (
            "%two = constant <i32: 3> : tile<i32>\n%a = extract %x[%two] : tile<16xi32> -> tile<4xi32>
             %y = insert %a, %i[%one] : tile<4xi32>, tile<16xi32>",
            &[4, 5, 6, 7],
        ),
        (
            "%a = extract %x[%one] : tile<16xi32> -> tile<8xi32>\n%b = extract %i[%one] : tile<16xi32> -> tile<8xi32>
             %y = cat %a, %b dim = 0 : tile<8xi32>, tile<8xi32> -> tile<16xi32>",
            &[4, 5, 6, 7],
        ),
        (
            "%a = pack %x : tile<16xi32> -> tile<64xi8>\n%y = unpack %a : tile<64xi8> -> tile<16xi32>",
            &[12, 13, 14, 15],
        ),
        (
            "%a = reshape %x : tile<16xi32> -> tile<4x4xi32>
             %b = reduce %a dim=1 identities=[0 : i32] : tile<4x4xi32> -> tile<4xi32>
             (%u: tile<i32>, %v: tile<i32>) {\n%w = addi %u, %v : tile<i32>\nyield %w : tile<i32>\n}
             %c = reshape %b : tile<4xi32> -> tile<4x1xi32>\n%d = broadcast %c : tile<4x1xi32> -> tile<4x4xi32>
             %y = reshape %d : tile<4x4xi32> -> tile<16xi32>",
            &[12, 13, 14, 15],
        ),
        (
            "%y = scan %x dim=0 reverse=true identities=[0 : i32] : tile<16xi32> -> tile<16xi32>
             (%u: tile<i32>, %v: tile<i32>) {\n%w = maxi %u, %v signed : tile<i32>\nyield %w : tile<i32>\n}",
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        ),
        (
            "%a = reshape %x : tile<16xi32> -> tile<4x4xi32>\n%l = trunci %a : tile<4x4xi32> -> tile<4x4xi8>
             %b = reshape %i : tile<16xi32> -> tile<4x4xi32>\n%r = trunci %b : tile<4x4xi32> -> tile<4x4xi8>
             %c = mmai %r, %l, %b signed signed : tile<4x4xi8>, tile<4x4xi8>, tile<4x4xi32>
             %d = mmai %l, %r, %b signed signed : tile<4x4xi8>, tile<4x4xi8>, tile<4x4xi32>
             %y = reshape %d : tile<4x4xi32> -> tile<16xi32>",
            &[12, 13, 14, 15],
        ),
        ("%n = constant <i32: 28> : tile<16xi32>\n%a = addi %n, %i : tile<16xi32>\n%y = shli %i, %a : tile<16xi32>",
            &[4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
        (
            "%a = itof %i signed : tile<16xi32> -> tile<16xf32>\n%b = constant <f32: 3.0e8> : tile<16xf32>
             %c = mulf %a, %b : tile<16xf32>\n%y = ftoi %c signed : tile<16xf32> -> tile<16xi32>",
            &[8, 9, 10, 11, 12, 13, 14, 15],
        ),
        (
            "%a = itof %i signed : tile<16xi32> -> tile<16xf32>\n%b = constant <f32: 3.0e8> : tile<16xf32>
             %c = mulf %a, %b : tile<16xf32>\n%y = ftoi %c signed saturating : tile<16xf32> -> tile<16xi32>",
            &[],
        ),
        (
            "%old, %u = atomic_rmw_tko relaxed device %ps, add, %i, %m token=%t : tile<16xptr<i32>>, tile<16xi32>, tile<16xi1> \
             -> tile<16xi32>, token\n%y = addi %old, %i : tile<16xi32>",
            &[12, 13, 14, 15],
        ),
        (
            "%tv = make_tensor_view %p, shape = [13], strides = [1] : tensor_view<13xi32, strides=[1]>
             %w = make_partition_view %tv : partition_view<tile=(16), tensor_view<13xi32, strides=[1]>>
             %y, %u = load_view_tko weak %w[%zero] : partition_view<tile=(16), tensor_view<13xi32, strides=[1]>>, tile<i32> \
             -> tile<16xi32>, token",
            &[13, 14, 15],
        ),
        // Through memory.
        (
            "%s = store_ptr_tko weak %qs, %x : tile<16xptr<i32>>, tile<16xi32> -> token
             %y, %u = load_ptr_tko weak %qs token=%s : tile<16xptr<i32>> -> tile<16xi32>, token
             %z = store_ptr_tko weak %qs, %i token=%u : tile<16xptr<i32>>, tile<16xi32> -> token",
            &[12, 13, 14, 15],
        ),
    ];
    for (ops, marked) in cases {
        for at in 0..16u32 {
            let body = partly(&format!(
                "{ops}\n%at = constant <i32: {at}> : tile<i32>\n%e = extract %y[%at] : tile<16xi32> -> tile<1xi32>
                 %one1 = constant <i32: 0> : tile<1xi32>\n%ok = cmpi equal %e, %e, signed : tile<1xi32> -> tile<1xi1>
                 assert %ok, \"itself\" : tile<1xi1>"
            ));
            if marked.contains(&at) {
                undefined(Code::Unspecified, "the condition of an assertion", &body);
            } else {
                legal(&body);
            }
        }
    }
}
