//! Where the lines of a text are after it was edited.

/// The lines of an old text in a new one, and back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MovedLines {
    /// For each old line its new number.
    new: Vec<Option<u32>>,
    /// For each new line its old number.
    old: Vec<Option<u32>>,
}

impl MovedLines {
    /// Compares two texts.
    pub fn between(old: &str, new: &str) -> Self {
        let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
        let mut moved = Self {
            new: vec![None; old.len()],
            old: vec![None; new.len()],
        };
        for change in similar::capture_diff_slices(similar::Algorithm::Myers, &old, &new) {
            if let similar::DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = change
            {
                for at in 0..len {
                    let (old, new) = (old_index + at, new_index + at);
                    if let Some(slot) = moved.new.get_mut(old) {
                        *slot = u32::try_from(new).ok();
                    }
                    if let Some(slot) = moved.old.get_mut(new) {
                        *slot = u32::try_from(old).ok();
                    }
                }
            }
        }
        moved
    }

    /// The new number of an old line; `None` if it was changed.
    pub fn new_line(&self, old: u32) -> Option<u32> {
        self.new.get(usize::try_from(old).ok()?).copied().flatten()
    }

    /// The old number of a new line; `None` if it is new.
    pub fn old_line(&self, new: u32) -> Option<u32> {
        self.old.get(usize::try_from(new).ok()?).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_move_with_what_is_inserted_above_them() {
        let moved = MovedLines::between("a\nb\nc\n", "x\na\nB\nc\n");
        assert_eq!(
            [0, 1, 2, 3].map(|line| moved.new_line(line)),
            [Some(1), None, Some(3), None]
        );
        assert_eq!(
            [0, 1, 2, 3].map(|line| moved.old_line(line)),
            [None, Some(0), None, Some(2)]
        );
    }
}
