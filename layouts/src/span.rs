//! Gaussian elimination over GF(2), one machine word to a vector.

/// The span of vectors that were added one by one, which can express a vector in terms of them.
///
/// Only vectors that are independent of the earlier ones are used, so a solution never uses a later
/// vector where earlier ones suffice: it is the smallest number among all solutions. (A vector that
/// depends on earlier ones is the leading bit of an element of the kernel, every leading bit of a
/// kernel element is such a vector, and the smallest member of a coset has no leading bit of the
/// kernel set.)
#[derive(Clone, Debug)]
pub struct Span {
    /// For each leading bit, the reduced vector with that bit and the set of vectors whose sum it is.
    rows: [Option<(u64, u64)>; 64],
    rank: usize,
}

impl Span {
    /// The span of `vectors`, at most 64 of them.
    pub fn of(vectors: impl IntoIterator<Item = u64>) -> Span {
        let mut span = Span {
            rows: [None; 64],
            rank: 0,
        };
        for (index, vector) in vectors.into_iter().enumerate() {
            span.add(vector, index);
        }
        span
    }

    /// Adds vector number `index`, below 64; returns whether it was independent of the earlier ones.
    pub fn add(&mut self, vector: u64, index: usize) -> bool {
        let (rest, combination) = self.reduce(vector);
        if rest == 0 {
            return false;
        }
        let lead = rest.ilog2() as usize;
        self.rows[lead] = Some((rest, combination ^ (1 << index)));
        self.rank += 1;
        true
    }

    /// The dimension of the span.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The set of vectors whose sum is `vector`, as a bit set; `None` outside the span.
    pub fn solve(&self, vector: u64) -> Option<u64> {
        match self.reduce(vector) {
            (0, combination) => Some(combination),
            _ => None,
        }
    }

    /// Like [`Span::solve`], without the part of `vector` outside the span: the projection whose
    /// kernel is spanned by the unit vectors that are not leading bits.
    pub fn project(&self, vector: u64) -> u64 {
        let (mut rest, mut combination) = (vector, 0);
        while rest != 0 {
            let lead = rest.ilog2();
            match self.rows[lead as usize] {
                Some((row, sum)) => {
                    rest ^= row;
                    combination ^= sum;
                }
                None => rest ^= 1 << lead,
            }
        }
        combination
    }

    fn reduce(&self, vector: u64) -> (u64, u64) {
        let (mut rest, mut combination) = (vector, 0);
        while rest != 0 {
            let Some((row, sum)) = self.rows[rest.ilog2() as usize] else {
                break;
            };
            rest ^= row;
            combination ^= sum;
        }
        (rest, combination)
    }
}

/// The sum of the columns selected by the bits of `input`. Time: one step for each bit that is set.
pub(crate) fn multiply(columns: &[u64], mut input: u64) -> u64 {
    let mut sum = 0;
    while input != 0 {
        sum ^= columns.get(input.trailing_zeros() as usize).copied().unwrap_or(0);
        input &= input - 1;
    }
    sum
}
