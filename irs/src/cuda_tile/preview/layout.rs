//! CuTe layouts over expressions: nested extents with a stride for each.

use tilewright_diagnostics::{Code, counted};

use super::expr::Expr;
use super::known::Known;

/// A layout: the offset of each element of a shape. Extents and strides have the same nesting.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The extents.
    pub shape: Vec<Expr>,
    /// The strides.
    pub stride: Vec<Expr>,
}

/// An extent with its stride.
type Leaf<'a> = (&'a Expr, &'a Expr);

impl Layout {
    /// Checks the layout by itself, without the type around it.
    ///
    /// # Errors
    /// The code and the message: extents and strides that are nested differently, an extent that is not positive, a
    /// negative stride.
    pub fn check(&self) -> Result<(), (Code, String)> {
        if self.shape.len() != self.stride.len() {
            let message = format!(
                "a layout has {} and {}, expected as many",
                counted(self.shape.len(), "extent"),
                counted(self.stride.len(), "stride")
            );
            return Err((Code::RankMismatch, message));
        }
        modes(&self.shape, &self.stride, "")
    }

    /// The product of the extents of all modes.
    pub fn size(&self) -> Known {
        size_of(&self.shape)
    }

    /// The product of the extents of one mode.
    pub fn mode_size(&self, mode: usize) -> Known {
        self.shape
            .get(mode)
            .map_or(Known::Open, |extent| size_of(std::slice::from_ref(extent)))
    }

    /// Whether a mode is known to reach more than one offset.
    pub fn moves(&self, mode: usize) -> bool {
        let mut leaves = Vec::new();
        if let (Some(extent), Some(stride)) = (self.shape.get(mode), self.stride.get(mode)) {
            flatten(extent, stride, &mut leaves);
        }
        leaves.into_iter().any(|(extent, stride)| {
            let known = (extent.constant().number(), stride.constant().number());
            matches!(known, (Some(extent), Some(stride)) if extent != 1 && stride != 0)
        })
    }

    /// The number of different offsets that a mode reaches: the product of the extents whose stride is not 0.
    pub fn distinct(&self, mode: usize) -> Known {
        let mut leaves = Vec::new();
        if let (Some(extent), Some(stride)) = (self.shape.get(mode), self.stride.get(mode)) {
            flatten(extent, stride, &mut leaves);
        }
        leaves
            .into_iter()
            .fold(Known::Number(1), |size, (extent, stride)| {
                match stride.constant() {
                    Known::Number(0) => size,
                    Known::Number(_) => size.times(extent.constant()),
                    Known::Open | Known::TooLarge => Known::Open,
                }
            })
    }

    /// Checks that the layout maps `count` elements to `count` offsets without a gap. A layout that is not known
    /// passes.
    ///
    /// # Errors
    /// A message with the number of offsets that it spans instead.
    pub fn fills(&self, count: i64) -> Result<(), String> {
        let mut leaves = Vec::new();
        for (extent, stride) in self.shape.iter().zip(&self.stride) {
            flatten(extent, stride, &mut leaves);
        }
        let mut modes = Vec::new();
        for (extent, stride) in leaves {
            match (extent.constant(), stride.constant()) {
                (Known::Number(1), _) => {}
                (Known::Number(extent), Known::Number(stride)) => modes.push((stride, extent)),
                _ => return Ok(()),
            }
        }
        modes.sort_unstable();
        let span = modes.iter().try_fold(1i64, |span, &(stride, extent)| {
            span.checked_add(stride.checked_mul(extent.checked_sub(1)?)?)
        });
        if span != Some(count) {
            let span = span.map_or_else(
                || "more than 2^63 places".to_owned(),
                |span| counted(span, "place").to_string(),
            );
            return Err(format!("they span {span}"));
        }
        let mut next = Some(1i64);
        for (stride, extent) in modes {
            if next != Some(stride) {
                return Err(format!(
                    "a mode with the stride {stride} overlaps others or leaves gaps"
                ));
            }
            next = stride.checked_mul(extent);
        }
        Ok(())
    }
}

fn size_of(extents: &[Expr]) -> Known {
    extents
        .iter()
        .fold(Known::Number(1), |size, extent| match extent {
            Expr::Tuple(items) => size.times(size_of(items)),
            other => size.times(other.constant()),
        })
}

fn flatten<'a>(extent: &'a Expr, stride: &'a Expr, out: &mut Vec<Leaf<'a>>) {
    match (extent, stride) {
        (Expr::Tuple(extents), Expr::Tuple(strides)) => {
            for (extent, stride) in extents.iter().zip(strides) {
                flatten(extent, stride, out);
            }
        }
        leaf => out.push(leaf),
    }
}

/// Checks modes; `at` is the path of the mode that contains them.
fn modes(extents: &[Expr], strides: &[Expr], at: &str) -> Result<(), (Code, String)> {
    for (i, (extent, stride)) in extents.iter().zip(strides).enumerate() {
        let mode = if at.is_empty() {
            i.to_string()
        } else {
            format!("{at}.{i}")
        };
        match (extent, stride) {
            (Expr::Tuple(extents), Expr::Tuple(strides)) if extents.len() == strides.len() => {
                modes(extents, strides, &mode)?;
            }
            (Expr::Tuple(_), _) | (_, Expr::Tuple(_)) => {
                let message =
                    format!("the extents and the strides of a layout are nested otherwise in mode {mode}");
                return Err((Code::RankMismatch, message));
            }
            (extent, stride) => {
                if let Some(number @ ..=0) = extent.certain().number() {
                    let message = format!(
                        "the extent of mode {mode} of a layout is {number}, expected a positive number"
                    );
                    return Err((Code::BadStride, message));
                }
                if let Some(number @ ..0) = stride.certain().number() {
                    let message = format!(
                        "the stride of mode {mode} of a layout is {number}, expected 0 or a positive number"
                    );
                    return Err((Code::BadStride, message));
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(modes: &[(i64, i64)]) -> Layout {
        Layout {
            shape: modes.iter().map(|&(extent, _)| Expr::Int(extent)).collect(),
            stride: modes.iter().map(|&(_, stride)| Expr::Int(stride)).collect(),
        }
    }

    #[test]
    fn a_permutation_leaves_no_gaps() {
        for modes in [
            &[(8, 1)][..],
            &[(2, 4), (4, 1)],
            &[(1, 5), (8, 1)],
            &[(2, 1), (2, 4), (2, 2)],
        ] {
            assert_eq!(layout(modes).fills(8), Ok(()), "{modes:?}");
        }
        // The second to last spans 8 places, of which it misses some.
        for modes in [
            &[(8, 2)][..],
            &[(8, 0)],
            &[(2, 1), (4, 1)],
            &[(2, 1), (2, 1), (2, 5)],
            &[(4, 1)],
        ] {
            assert!(layout(modes).fills(8).is_err(), "{modes:?}");
        }
        assert!(layout(&[(i64::MAX, i64::MAX)]).fills(8).is_err());
    }

    #[test]
    fn modes_are_nested_alike() {
        let nested = Layout {
            shape: vec![Expr::Tuple(vec![Expr::Int(2), Expr::Int(4)])],
            stride: vec![Expr::Int(1)],
        };
        assert_eq!(nested.check().map_err(|e| e.0), Err(Code::RankMismatch));
        assert_eq!(layout(&[(0, 1)]).check().map_err(|e| e.0), Err(Code::BadStride));
        assert_eq!(layout(&[(2, -1)]).check().map_err(|e| e.0), Err(Code::BadStride));
        assert_eq!(layout(&[(2, 0), (3, 1)]).distinct(0), Known::Number(1));
        assert_eq!(layout(&[(i64::MAX, 1), (2, 1)]).size(), Known::TooLarge);
    }
}
