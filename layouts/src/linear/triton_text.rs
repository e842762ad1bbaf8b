//! The text form of linear layouts in Triton's IR.

use super::LinearLayout;
use super::text::{Cursor, ParseLayoutError};
use crate::dim::Dim;

/// The in-dimensions of a distributed layout, all of which the form lists.
const DISTRIBUTED: [Dim; 4] = [Dim::Register, Dim::Lane, Dim::Warp, Dim::Block];
/// The in-dimensions of a layout of shared memory.
const SHARED: [Dim; 2] = [Dim::Offset, Dim::Block];

type Bases = Vec<(Dim, Vec<Vec<u64>>)>;

impl LinearLayout {
    /// The layout as an attribute of Triton's IR, `#ttg.linear<…>`, if it is representable.
    ///
    /// The form omits the shape, which follows from the basis vectors of a surjective layout. So
    /// layouts that are not surjective, those of a single element, and in-dimensions other than
    /// register, lane, warp and block are not representable.
    ///
    /// ```
    /// # use tilewright_layouts::{Dim, LinearLayout};
    /// let layout = LinearLayout::from_parts(&[(Dim::Lane, vec![vec![0, 1], vec![1, 0]])], &[2, 2])?;
    /// let text = "#ttg.linear<{register = [], lane = [[0, 1], [1, 0]], warp = [], block = []}>";
    /// assert_eq!(layout.to_triton().as_deref(), Some(text));
    /// assert_eq!(text.parse(), Ok(layout));
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn to_triton(&self) -> Option<String> {
        let known = self.in_dims().all(|(dim, _)| DISTRIBUTED.contains(&dim));
        if !known || !self.is_tensor() || !self.is_surjective() || self.total_in_bits() == 0 {
            return None;
        }
        let entry = |dim: Dim| {
            let vectors: Vec<_> = self.bases(dim).collect();
            format!("{dim} = {vectors:?}")
        };
        Some(format!("#ttg.linear<{{{}}}>", DISTRIBUTED.map(entry).join(", ")))
    }

    /// Parses the form, from its `#` on, optionally preceded by `#name =`, the definition of an
    /// alias.
    pub(super) fn parse_triton(cursor: &mut Cursor<'_>) -> Result<LinearLayout, ParseLayoutError> {
        let attribute = "`#ttg.linear` or `#ttg.shared_linear`";
        cursor.expect("#", "`#`")?;
        let mut word = cursor.word();
        if cursor.take("=") {
            cursor.expect("#", attribute)?;
            word = cursor.word();
        }
        if word != "ttg" {
            return Err(cursor.error(attribute));
        }
        cursor.expect(".", attribute)?;
        let bases = match cursor.word() {
            "linear" => bases(cursor, &DISTRIBUTED)?,
            "shared_linear" => {
                let bases = bases(cursor, &SHARED)?;
                cursor.expect(",", "`, alignment`")?;
                cursor.expect("alignment", "`alignment`")?;
                cursor.expect("=", "`=`")?;
                // The alignment is not part of the map.
                cursor.number()?;
                bases
            }
            _ => return Err(cursor.error(attribute)),
        };
        cursor.expect(">", "`>`")?;
        let vectors = || bases.iter().flat_map(|(_, vectors)| vectors);
        let rank = vectors().next().map(Vec::len);
        let rank = rank.ok_or_else(|| cursor.error("a basis vector, whose length tells the rank"))?;
        let component = |axis: usize| vectors().filter_map(move |vector| vector.get(axis));
        // The smallest power of two above all components.
        let size = |axis| {
            let bits = component(axis)
                .map(|value| u64::BITS - value.leading_zeros())
                .max();
            1u64.checked_shl(bits.unwrap_or(0)).unwrap_or(u64::MAX)
        };
        let shape: Vec<u64> = (0..rank).map(size).collect();
        Ok(LinearLayout::from_parts(&bases, &shape)?)
    }
}

/// `<{name = [[…], …], …}` with names in `dims`.
fn bases(cursor: &mut Cursor<'_>, dims: &[Dim]) -> Result<Bases, ParseLayoutError> {
    cursor.expect("<", "`<`")?;
    cursor.expect("{", "`{`")?;
    cursor.list("}", dims.len(), |cursor| {
        let at = cursor.skip_space();
        let dim = cursor.word().parse().ok().filter(|dim| dims.contains(dim));
        let expected = "an in-dimension of this attribute";
        let dim = dim.ok_or(ParseLayoutError::Syntax { at, expected })?;
        cursor.expect("=", "`=`")?;
        Ok((dim, cursor.vectors()?))
    })
}
