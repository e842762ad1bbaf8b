//! Modulo scheduling. Iterations of a loop begin at a fixed interval, and each op of an iteration at a fixed time from its begin, so
//! that all dependences hold, and no resource is claimed by two ops at a time. Times are searched for by iterative modulo scheduling:
//! an op takes the earliest time at which its resources are free, and where there is none, it takes the place of other ops, which
//! look for another. (Rau, "Iterative Modulo Scheduling", MICRO-27, 1994; IJPP 24, 1996.) Where that does not end within its budget,
//! ops are placed side by side instead, without a gap between claims to a resource.

/// A dependence between two ops, by their numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dependence {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Cycles from the begin of `from` to that of `to`.
    pub(super) latency: u64,
    /// The number of iterations from `from` to `to`. If it is 0, `from` is the lower number.
    pub(super) distance: u64,
}

/// An op's claim to a resource, from its begin on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    /// The number of the resource.
    pub(super) resource: usize,
    pub(super) cycles: u64,
}

/// How often an op is placed, on average, before the search gives up. (Rau finds that six times suffice nearly always.)
const PLACEMENTS: usize = 6;

/// The ops of an iteration, by numbers.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    /// What each op claims.
    claims: Vec<Vec<Claim>>,
    dependences: Vec<Dependence>,
    resources: usize,
    /// The dependences from each op, and those to it, by number.
    leaving: Vec<Vec<usize>>,
    entering: Vec<Vec<usize>>,
}

impl Problem {
    /// Each op claims each resource once.
    pub(super) fn new(mut claims: Vec<Vec<Claim>>, dependences: Vec<Dependence>) -> Self {
        for claims in &mut claims {
            claims.retain(|claim| claim.cycles > 0);
        }
        let mut leaving = vec![Vec::new(); claims.len()];
        let mut entering = vec![Vec::new(); claims.len()];
        for (number, dependence) in dependences.iter().enumerate() {
            leaving[dependence.from].push(number);
            entering[dependence.to].push(number);
        }
        let resources = claims.iter().flatten().map(|claim| claim.resource + 1);
        Self {
            resources: resources.max().unwrap_or(0),
            claims,
            dependences,
            leaving,
            entering,
        }
    }

    /// An interval that no schedule is below: none of the resources is claimed for longer, and what an op of an iteration needs of an
    /// iteration before is there in time.
    pub(super) fn least_interval(&self) -> u64 {
        self.by_resources().max(self.by_recurrences()).max(1)
    }

    /// The cycles for which the busiest resource is claimed.
    fn by_resources(&self) -> u64 {
        let mut sums = vec![0; self.resources];
        for claim in self.claims.iter().flatten() {
            sums[claim.resource] += claim.cycles;
        }
        sums.into_iter().max().unwrap_or(0)
    }

    /// The least interval for which no circle of dependences takes longer than the iterations that it spans.
    fn by_recurrences(&self) -> u64 {
        let (mut least, mut enough) = (0, self.dependences.iter().map(|one| one.latency).sum());
        while least < enough {
            let middle = least + (enough - least) / 2;
            match self.heights(middle) {
                Some(_) => enough = middle,
                None => least = middle + 1,
            }
        }
        enough
    }

    /// The cycles from the begin of each op to that of the last one that depends on it. `None` if an op depends on itself for longer
    /// than the iterations in between.
    fn heights(&self, interval: u64) -> Option<Vec<i64>> {
        let mut heights = vec![0; self.claims.len()];
        for _ in 0..=self.claims.len() {
            let before = heights.clone();
            // A dependence within an iteration leads to a higher number.
            for op in (0..self.claims.len()).rev() {
                let leaving = self.leaving[op].iter().map(|&number| &self.dependences[number]);
                let after = leaving.map(|one| heights[one.to] + delay(one, interval));
                heights[op] = after.fold(heights[op], i64::max);
            }
            if heights == before {
                return Some(heights);
            }
        }
        None
    }

    /// Begins of all ops of an iteration, if one is found.
    pub(super) fn place(&self, interval: u64) -> Option<Vec<u64>> {
        if interval == 0 || self.by_resources() > interval {
            return None;
        }
        let heights = self.heights(interval)?;
        let search = |is_dense: bool| Search::new(self, interval, is_dense).run(&heights);
        search(false).or_else(|| search(true))
    }
}

/// The least cycles from the begin of one op to that of another, of the same iteration, that follow from a dependence.
fn delay(dependence: &Dependence, interval: u64) -> i64 {
    dependence.latency as i64 - (interval * dependence.distance) as i64
}

/// A search for the begins of ops.
struct Search<'a> {
    problem: &'a Problem,
    interval: u64,
    /// Whether each claim begins where another one to the same resource ends.
    is_dense: bool,
    begins: Vec<Option<u64>>,
    /// When each op began last.
    last: Vec<Option<u64>>,
    /// The claims to each resource: when they begin, of the cycles of an interval, how long they are, and by which op.
    taken: Vec<Vec<(u64, u64, usize)>>,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, interval: u64, is_dense: bool) -> Self {
        let count = problem.claims.len();
        Self {
            problem,
            interval,
            is_dense,
            begins: vec![None; count],
            last: vec![None; count],
            taken: vec![Vec::new(); problem.resources],
        }
    }

    fn run(mut self, heights: &[i64]) -> Option<Vec<u64>> {
        let count = self.begins.len();
        for _ in 0..=PLACEMENTS * count {
            let open = (0..count).filter(|&op| self.begins[op].is_none());
            let Some(op) = open.max_by_key(|&op| (heights[op], std::cmp::Reverse(op))) else {
                return self.begins.into_iter().collect();
            };
            let earliest = self.earliest(op);
            let begin = match self.free(op, earliest) {
                Some(begin) => begin,
                None => self.last[op].map_or(earliest, |last| earliest.max(last + 1)),
            };
            self.put(op, begin);
        }
        None
    }

    /// The earliest begin of an op that the placed ones allow that it depends on.
    fn earliest(&self, op: usize) -> u64 {
        let entering = self.problem.entering[op].iter();
        let entering = entering.map(|&number| &self.problem.dependences[number]);
        let begins = entering.filter_map(|one| {
            let from = self.begins[one.from]?;
            Some(from as i64 + delay(one, self.interval))
        });
        begins.fold(0, i64::max) as u64
    }

    /// The first begin, from this time on, at which all resources of an op are free.
    fn free(&self, op: usize, earliest: u64) -> Option<u64> {
        let claims = &self.problem.claims[op];
        let after = |at: u64| earliest + (at + self.interval - earliest % self.interval) % self.interval;
        let taken = claims.iter().flat_map(|claim| &self.taken[claim.resource]);
        let mut begins: Vec<u64> = taken
            .map(|&(at, cycles, _)| after((at + cycles) % self.interval))
            .collect();
        if begins.is_empty() || !self.is_dense {
            begins.push(earliest);
        }
        begins.sort_unstable();
        let is_free = |begin: &u64| {
            claims
                .iter()
                .all(|claim| self.conflicts(claim, *begin).next().is_none())
        };
        begins.into_iter().find(is_free)
    }

    /// The ops whose claims overlap with one that begins at this time.
    fn conflicts(&self, claim: &Claim, begin: u64) -> impl Iterator<Item = usize> + '_ {
        let (interval, cycles) = (self.interval, claim.cycles);
        let begin = begin % interval;
        let overlaps = move |&&(at, others, _): &&(u64, u64, usize)| {
            (at + interval - begin) % interval < cycles || (begin + interval - at) % interval < others
        };
        let taken = self.taken[claim.resource].iter();
        taken.filter(overlaps).map(|&(_, _, op)| op)
    }

    /// Places an op, in the place of those that claim the same resources or come too early then.
    fn put(&mut self, op: usize, begin: u64) {
        let problem = self.problem;
        let claims = &problem.claims[op];
        let mut evicted: Vec<usize> = claims
            .iter()
            .flat_map(|claim| self.conflicts(claim, begin))
            .collect();
        let leaving = problem.leaving[op]
            .iter()
            .map(|&number| &problem.dependences[number]);
        let too_early = leaving.filter(|one| {
            let to = self.begins[one.to];
            one.to != op && to.is_some_and(|to| (to as i64) < begin as i64 + delay(one, self.interval))
        });
        evicted.extend(too_early.map(|one| one.to));
        for other in evicted {
            self.begins[other] = None;
            for claim in &problem.claims[other] {
                self.taken[claim.resource].retain(|&(_, _, by)| by != other);
            }
        }
        self.begins[op] = Some(begin);
        self.last[op] = Some(begin);
        for claim in claims {
            self.taken[claim.resource].push((begin % self.interval, claim.cycles, op));
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// A random problem; `recurs` allows dependences on earlier iterations.
    fn random(rng: &mut ChaCha8Rng, resources: usize, recurs: bool) -> Problem {
        let count = rng.random_range(1..24);
        let claim = |rng: &mut ChaCha8Rng| Claim {
            resource: rng.random_range(0..resources),
            cycles: rng.random_range(0..40),
        };
        let claims: Vec<Vec<Claim>> = (0..count)
            .map(|_| {
                let mut claims = vec![claim(rng)];
                let second = claim(rng);
                if rng.random_bool(0.2) && second.resource != claims[0].resource {
                    claims.push(second);
                }
                claims
            })
            .collect();
        let dependences = (0..rng.random_range(0..2 * count))
            .filter_map(|_| {
                let (from, to) = (rng.random_range(0..count), rng.random_range(0..count));
                let latency = rng.random_range(0..60);
                let back = from >= to;
                (!back || recurs).then(|| Dependence {
                    from,
                    to,
                    latency,
                    distance: u64::from(back) * rng.random_range(1..3),
                })
            })
            .collect();
        Problem::new(claims, dependences)
    }

    /// Checks a schedule, cycle by cycle.
    fn check(problem: &Problem, interval: u64, begins: &[u64]) {
        for one in &problem.dependences {
            let end = begins[one.to] + one.distance * interval;
            assert!(end >= begins[one.from] + one.latency, "{one:?}\n{begins:?}");
        }
        let mut busy = vec![vec![false; interval as usize]; problem.resources];
        for (claims, &begin) in problem.claims.iter().zip(begins) {
            for claim in claims {
                for cycle in begin..begin + claim.cycles {
                    let cell = &mut busy[claim.resource][(cycle % interval) as usize];
                    assert!(!*cell, "resource {} is claimed twice: {begins:?}", claim.resource);
                    *cell = true;
                }
            }
        }
    }

    #[test]
    fn schedules_meet_dependences_and_claim_no_resource_twice() {
        let mut at_the_least = 0;
        for seed in 0..2000 {
            let rng = &mut ChaCha8Rng::seed_from_u64(seed);
            let resources = rng.random_range(1..5);
            let problem = random(rng, resources, true);
            let least = problem.least_interval();
            assert_eq!(problem.place(least - 1), None, "seed {seed}: {problem:?}");
            let found = (least..).find_map(|interval| Some((interval, problem.place(interval)?)));
            let (interval, begins) = found.expect("a schedule");
            check(&problem, interval, &begins);
            at_the_least += u32::from(interval == least);
        }
        // Claims of many cycles leave gaps that others do not fit into.
        assert!(
            at_the_least > 1600,
            "{at_the_least} of 2000 schedules have the least interval"
        );
    }

    #[test]
    fn one_resource_without_recurrences_is_always_busy() {
        for seed in 0..2000 {
            let rng = &mut ChaCha8Rng::seed_from_u64(seed);
            let problem = random(rng, 1, false);
            let least = problem.least_interval();
            let claimed: u64 = problem.claims.iter().flatten().map(|claim| claim.cycles).sum();
            assert_eq!(least, claimed.max(1));
            let begins = problem.place(least);
            check(
                &problem,
                least,
                &begins.unwrap_or_else(|| panic!("seed {seed}: {problem:?}")),
            );
        }
    }

    #[test]
    fn a_recurrence_bounds_the_interval() {
        let claim = |cycles| vec![Claim { resource: 0, cycles }];
        let dependence = |from, to, latency, distance| Dependence {
            from,
            to,
            latency,
            distance,
        };
        let dependences = vec![dependence(0, 1, 70, 0), dependence(1, 0, 31, 2)];
        let problem = Problem::new(vec![claim(10), claim(20)], dependences);
        // 101 cycles in two iterations.
        assert_eq!(problem.least_interval(), 51);
        check(&problem, 51, &problem.place(51).expect("a schedule"));
    }
}
