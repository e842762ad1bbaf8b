//! Unspecified values may be computed with and stored, but must not affect control flow or memory accesses.

use crate::support::bodies::{legal, undefined, warned};
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
fn computing_with_unspecified_values_is_allowed() {
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
    // What the caller can read: a warning where they are stored, with the op that they come from.
    let left = |body: &str| {
        let message = "16 bytes of argument 1, byte 48 the first";
        let warning = warned(Code::Unspecified, message, &partly(body));
        let source = warning.secondary.first().expect("a source").at;
        (warning.primary.expect("a place").at, source)
    };
    assert_eq!(left(STORE), (Origin(12), Origin(11)));
    // Through memory they keep their source, and the last store counts.
    let copied = format!(
        "{STORE}%y, %t2 = load_ptr_tko weak %qs token=%t9 : tile<16xptr<i32>> -> tile<16xi32>, token
         %t3 = store_ptr_tko weak %qs, %y token=%t2 : tile<16xptr<i32>>, tile<16xi32> -> token"
    );
    assert_eq!(left(&copied), (Origin(14), Origin(11)));
    // An element that is outside of a tensor, stored through another view.
    let edge = "%n = constant <i32: 12> : tile<i32>
        %tv = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
        %pv = make_partition_view %tv : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>
        %x, %t = load_view_tko weak %pv[%zero] : partition_view<tile=(16), tensor_view<?xi32, strides=[1]>>, \
        tile<i32> -> tile<16xi32>, token\n";
    let warning = warned(
        Code::Unspecified,
        "16 bytes of argument 1, byte 48 the first",
        &format!("{edge}{STORE}"),
    );
    let source = &warning.secondary.first().expect("a source").message;
    assert!(source.contains("outside of the tensor"), "{warning:#?}");
    // Written again with something else they are gone.
    legal(&partly(&format!(
        "{STORE}%u = store_ptr_tko weak %qs, %i token=%t9 : tile<16xptr<i32>>, tile<16xi32> -> token"
    )));
}

#[test]
fn branching_on_unspecified_values_is_an_error() {
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
            "index 0",
            "%w = make_tensor_view %p, shape = [16], strides = [1] : tensor_view<16xi32, strides=[1]>
             %pw = make_partition_view %w : partition_view<tile=(4), tensor_view<16xi32, strides=[1]>>
             %y, %u = load_view_tko weak %pw[%v] : partition_view<tile=(4), tensor_view<16xi32, strides=[1]>>, \
             tile<i32> -> tile<4xi32>, token",
        ),
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
fn unspecified_elements_stay_marked_when_moved() {
    // Each makes a `%y` of 16 elements; those listed are unspecified, and no others.
    let cases: &[(&str, &[u32])] = &[
        ("%y = addi %i, %x : tile<16xi32>", &[12, 13, 14, 15]),
        ("%n = constant <i32: 0> : tile<16xi32>\n%y = andi %n, %x : tile<16xi32>", &[]),
        // Nor does what is not specified decide, though it happens to be 0.
        ("%n = subi %x, %x : tile<16xi32>\n%y = andi %n, %i : tile<16xi32>", &[12, 13, 14, 15]),
        ("%n = constant <i32: -1> : tile<16xi32>\n%y = ori %x, %n : tile<16xi32>", &[]),
        ("%y = select %m, %i, %x : tile<16xi1>, tile<16xi32>", &[12, 13, 14, 15]),
        ("%c = cmpi equal %x, %i, signed : tile<16xi32> -> tile<16xi1>\n%y = select %c, %k, %k : tile<16xi1>, tile<16xi32>", &[]),
        ("%c = cmpi equal %x, %i, signed : tile<16xi32> -> tile<16xi1>\n%y = select %c, %i, %k : tile<16xi1>, tile<16xi32>", &[13, 14, 15]),
        // Nor does it choose, though what it chooses from happens to be equal.
        (
            "%z = constant <i32: 0> : tile<16xi32>\n%n = subi %x, %x : tile<16xi32>\n\
             %c = cmpi less_than %n, %z, signed : tile<16xi32> -> tile<16xi1>\n%y = select %c, %n, %z : tile<16xi1>, tile<16xi32>",
            &[12, 13, 14, 15],
        ),
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
        // Right sides and accumulators of products: columns and single elements.
        (
            "%a = reshape %x : tile<16xi32> -> tile<4x4xi32>\n%f = permute %a [1, 0] : tile<4x4xi32> -> tile<4x4xi32>
             %l = trunci %f : tile<4x4xi32> -> tile<4x4xi8>
             %b = reshape %i : tile<16xi32> -> tile<4x4xi32>\n%r = trunci %b : tile<4x4xi32> -> tile<4x4xi8>
             %d = mmai %r, %l, %b signed signed : tile<4x4xi8>, tile<4x4xi8>, tile<4x4xi32>
             %y = reshape %d : tile<4x4xi32> -> tile<16xi32>",
            &[3, 7, 11, 15],
        ),
        (
            "%a = reshape %x : tile<16xi32> -> tile<4x4xi32>
             %b = reshape %i : tile<16xi32> -> tile<4x4xi32>\n%r = trunci %b : tile<4x4xi32> -> tile<4x4xi8>
             %d = mmai %r, %r, %a signed signed : tile<4x4xi8>, tile<4x4xi8>, tile<4x4xi32>
             %y = reshape %d : tile<4x4xi32> -> tile<16xi32>",
            &[12, 13, 14, 15],
        ),
        // Two products, of which the second one has what is not specified.
        (
            "%a = reshape %x : tile<16xi32> -> tile<2x2x4xi32>\n%l = trunci %a : tile<2x2x4xi32> -> tile<2x2x4xi8>
             %f = permute %l [0, 2, 1] : tile<2x2x4xi8> -> tile<2x4x2xi8>
             %b = reshape %i : tile<16xi32> -> tile<2x2x4xi32>\n%r = trunci %b : tile<2x2x4xi32> -> tile<2x2x4xi8>
             %none = constant <i32: 0> : tile<2x2x2xi32>
             %d = mmai %r, %f, %none signed signed : tile<2x2x4xi8>, tile<2x4x2xi8>, tile<2x2x2xi32>
             %e2 = reshape %d : tile<2x2x2xi32> -> tile<8xi32>
             %y = cat %e2, %e2 dim = 0 : tile<8xi32>, tile<8xi32> -> tile<16xi32>",
            &[5, 7, 13, 15],
        ),
        // Bytes of a number, and numbers of bytes.
        (
            "%a = reshape %x : tile<16xi32> -> tile<4x4xi32>\n%b = permute %a [1, 0] : tile<4x4xi32> -> tile<4x4xi32>
             %c = reshape %b : tile<4x4xi32> -> tile<16xi32>\n%d = trunci %c : tile<16xi32> -> tile<16xi8>
             %w = unpack %d : tile<16xi8> -> tile<4xi32>\n%z = cat %w, %w dim = 0 : tile<4xi32>, tile<4xi32> -> tile<8xi32>
             %g = extract %i[%zero] : tile<16xi32> -> tile<8xi32>
             %y = cat %z, %g dim = 0 : tile<8xi32>, tile<8xi32> -> tile<16xi32>",
            &[0, 1, 2, 3, 4, 5, 6, 7],
        ),
        // What a swap compares with, and what it may store, as memory has it afterwards.
        (
            "%old, %u = atomic_cas_tko relaxed device %ps, %x, %i token=%t : tile<16xptr<i32>>, tile<16xi32> -> tile<16xi32>, token
             %y, %v = load_ptr_tko weak %ps token=%u : tile<16xptr<i32>> -> tile<16xi32>, token
             %w = store_ptr_tko weak %ps, %i token=%v : tile<16xptr<i32>>, tile<16xi32> -> token",
            &[12, 13, 14, 15],
        ),
        (
            "%k2 = constant <i32: 14> : tile<16xi32>\n%c = maxi %i, %k2 signed : tile<16xi32>
             %old, %u = atomic_cas_tko relaxed device %ps, %c, %x token=%t : tile<16xptr<i32>>, tile<16xi32> -> tile<16xi32>, token
             %y, %v = load_ptr_tko weak %ps token=%u : tile<16xptr<i32>> -> tile<16xi32>, token
             %w = store_ptr_tko weak %ps, %i token=%v : tile<16xptr<i32>>, tile<16xi32> -> token",
            &[14, 15],
        ),
        (
            "%old, %u = atomic_rmw_tko relaxed device %ps, add, %x token=%t : tile<16xptr<i32>>, tile<16xi32> -> tile<16xi32>, token
             %y, %v = load_ptr_tko weak %ps token=%u : tile<16xptr<i32>> -> tile<16xi32>, token
             %w = store_ptr_tko weak %ps, %i token=%v : tile<16xptr<i32>>, tile<16xi32> -> token",
            &[12, 13, 14, 15],
        ),
        // Of what is not specified no promise is broken.
        (
            "%n = constant <i32: -2147483648> : tile<16xi32>\n%y = addi %x, %n overflow<no_signed_wrap> : tile<16xi32>",
            &[12, 13, 14, 15],
        ),
        ("%y = assume bounded<0, 11>, %x : tile<16xi32>", &[12, 13, 14, 15]),
        // A product with a negative scale.
        (
            "%l = constant <f4E2M1FN: 1.0> : tile<4x16xf4E2M1FN>\n%r = constant <f4E2M1FN: 1.0> : tile<16x4xf4E2M1FN>
             %ls = constant <f8E4M3FN: [[1.0], [-1.0], [2.0], [0.0]]> : tile<4x1xf8E4M3FN>
             %rs = constant <f8E4M3FN: [[1.0, 2.0, 1.0, -0.5]]> : tile<1x4xf8E4M3FN>
             %c = constant <f32: 0.0> : tile<4x4xf32>
             %d = mmaf_scaled %l, %r, %c, %ls, %rs : tile<4x16xf4E2M1FN>, tile<16x4xf4E2M1FN>, tile<4x4xf32>, \
             tile<4x1xf8E4M3FN>, tile<1x4xf8E4M3FN>
             %b = bitcast %d : tile<4x4xf32> -> tile<4x4xi32>\n%y = reshape %b : tile<4x4xi32> -> tile<16xi32>",
            &[3, 4, 5, 6, 7, 11, 15],
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

#[test]
fn buffers_end_after_their_last_byte() {
    let byte = |at: u32| {
        format!(
            "%b = ptr_to_ptr %p : tile<ptr<i32>> -> tile<ptr<i8>>
             %at = constant <i32: {at}> : tile<i32>
             %a = offset %b, %at : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
             %x, %u = load_ptr_tko weak %a : tile<ptr<i8>> -> tile<i8>, token"
        )
    };
    legal(&byte(63));
    undefined(Code::OutOfBounds, "1 byte is read at byte 64", &byte(64));
    // Nor may an address pass the end of all memory on its way.
    let far = "%far = constant <i64: 9223372036854775807> : tile<i64>
         %a = offset %p, %far : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>";
    undefined(Code::OutOfBounds, "overflows the address", far);
}

#[test]
fn a_number_is_written_when_all_of_its_bytes_are() {
    let bytes = |count: u32| -> String {
        let store = |at: u32| {
            format!(
                "%n{at} = constant <i32: {at}> : tile<i32>
                 %b{at} = offset %b, %n{at} : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
                 %s{at} = store_ptr_tko weak %b{at}, %c token=%t{at} : tile<ptr<i8>>, tile<i8> -> token
                 %t{} = join_tokens %t{at}, %s{at} : token\n",
                at + 1
            )
        };
        let stores: String = (0..count).map(store).collect();
        format!(
            "%b = ptr_to_ptr %q : tile<ptr<i32>> -> tile<ptr<i8>>
             %c = constant <i8: 1> : tile<i8>
             %t0 = make_token : token
             {stores}%x, %u = load_ptr_tko weak %q token=%t{count} : tile<ptr<i32>> -> tile<i32>, token"
        )
    };
    legal(&bytes(4));
    for count in 0..4 {
        undefined(Code::Uninitialised, "which nothing has written", &bytes(count));
    }
}
