//! Bodies of reductions and scans that compute with tiles.

use super::super::numbers::Ty;
use super::{Generator, tile};

impl Generator {
    /// Combines `%e` and `%a`, followed by the operand's number, by a commutative and associative op, in a roundabout
    /// way through tiles. The result is `%s`.
    pub(super) fn body_of_tiles(&mut self, number: usize, op: &str, suffix: &str, ty: Ty) -> Vec<String> {
        let (n, name) = (number, ty.name());
        let [scalar, one, two, four] =
            [&[][..], &[1][..], &[2][..], &[4][..]].map(|shape: &[u32]| tile(shape, name));
        let identity = match ty {
            Ty::I1 => "false".to_owned(),
            _ if ty.is_float() => format!("0.0 : {name}"),
            _ => format!("0 : {name}"),
        };
        // An index of 0 or 1 that only the launch decides.
        let mut lines = vec![
            format!("%j{n} = andi %block, %i1 : tile<i32>"),
            format!("%x{n} = reshape %e{n} : {scalar} -> {one}"),
            format!("%y{n} = reshape %a{n} : {scalar} -> {one}"),
        ];
        let nested = [
            format!("(%u{n}: {scalar}, %w{n}: {scalar}) {{"),
            format!("%v{n} = {op} %u{n}, %w{n}{suffix} : {scalar}"),
            format!("yield %v{n} : {scalar}"),
            "}".to_owned(),
        ];
        let cat = format!("%c{n}x = cat %x{n}, %y{n} dim = 0 : {one}, {one} -> {two}");
        let first_of = |index: &str, from: &str, ty: &str| {
            [
                format!("%f{n} = extract {from}[{index}] : {ty} -> {one}"),
                format!("%s{n} = reshape %f{n} : {one} -> {scalar}"),
            ]
        };
        match self.below(4) {
            0 => {
                lines.push(format!("%x{n}b = broadcast %x{n} : {one} -> {four}"));
                lines.push(format!("%y{n}b = broadcast %y{n} : {one} -> {four}"));
                lines.push(format!("%z{n} = {op} %x{n}b, %y{n}b{suffix} : {four}"));
                lines.extend(first_of(&format!("%j{n}"), &format!("%z{n}"), &four));
            }
            1 => {
                lines.push(cat);
                lines.push(format!(
                    "%s{n} = reduce %c{n}x dim=0 identities=[{identity}] : {two} -> {scalar}"
                ));
                lines.extend(nested);
            }
            2 => {
                lines.push(cat);
                lines.push(format!(
                    "%z{n} = scan %c{n}x dim=0 reverse=false identities=[{identity}] : {two} -> {two}"
                ));
                lines.extend(nested);
                lines.extend(first_of("%i1", &format!("%z{n}"), &two));
            }
            _ => {
                lines.push(format!("%y{n}b = broadcast %y{n} : {one} -> {two}"));
                lines.push(format!("%z{n} = insert %x{n}, %y{n}b[%j{n}] : {one}, {two}"));
                lines.push(format!(
                    "%s{n} = reduce %z{n} dim=0 identities=[{identity}] : {two} -> {scalar}"
                ));
                lines.extend(nested);
            }
        }
        lines
    }
}
