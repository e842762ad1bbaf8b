//! Which values of a body hold the values of the kernel's source.

use super::entity::Value;

/// For each value of a kernel's source, the values of a later body that hold it.
///
/// There are several where passes have copied its computation, as in an unrolled loop, and none where it was folded or is
/// unused. A value of the body may hold several of the source, such as equal ones that were merged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Carriers {
    /// Pairs of a value of the source and one that holds it, sorted; first with `None` if a copy of it is held by none.
    pairs: Vec<(Value, Option<Value>)>,
}

impl Carriers {
    /// Those of the source itself: each of these values holds itself.
    pub(super) fn own(values: impl Iterator<Item = Value>) -> Self {
        Self {
            pairs: values.map(|value| (value, Some(value))).collect(),
        }
    }

    /// The values that hold a value of the source; `None` among them stands for copies of it that none holds.
    pub fn of(&self, source: Value) -> impl Iterator<Item = Option<Value>> {
        let start = self.pairs.partition_point(|&(of, _)| of < source);
        let pairs = self.pairs.iter().skip(start);
        pairs
            .take_while(move |&&(of, _)| of == source)
            .map(|&(_, holder)| holder)
    }

    /// Whether nothing is known of the source's values.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Those in a body where each of these values has become the one beside it; `None` if it has become none, or several.
    /// A value without a pair has become none.
    pub(super) fn through(&self, mut became: Vec<(Value, Option<Value>)>) -> Self {
        became.sort_unstable();
        let mut pairs = Vec::with_capacity(self.pairs.len());
        for &(source, holder) in &self.pairs {
            let before = pairs.len();
            if let Some(holder) = holder {
                let start = became.partition_point(|&(of, _)| of < holder);
                let new = became.iter().skip(start).take_while(|&&(of, _)| of == holder);
                pairs.extend(new.map(|&(_, new)| (source, new)));
            }
            if pairs.len() == before {
                pairs.push((source, None));
            }
        }
        Self::sorted(pairs)
    }

    /// Those in a body that has these values instead; `None` for a value that it lacks.
    pub(super) fn renamed(&self, new: impl Fn(Value) -> Option<Value>) -> Self {
        let pairs = self.pairs.iter();
        Self::sorted(
            pairs
                .map(|&(source, holder)| (source, holder.and_then(&new)))
                .collect(),
        )
    }

    /// Sorts pairs, and removes those of values that nothing holds: what is unused does not tell two bodies apart.
    fn sorted(mut pairs: Vec<(Value, Option<Value>)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let is_held = |list: &[(Value, Option<Value>)]| list.iter().any(|(_, holder)| holder.is_some());
        let mut kept = Vec::with_capacity(pairs.len());
        for list in pairs.chunk_by(|(one, _), (other, _)| one == other) {
            if is_held(list) {
                kept.extend_from_slice(list);
            }
        }
        Self { pairs: kept }
    }
}
