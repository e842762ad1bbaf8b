//! Products of warp groups: the tensor cores do one of each group at a time, and those of several groups side by side.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// The number of a product.
pub(super) type Product = usize;

/// A product under way.
#[derive(Clone, Debug)]
struct Pending {
    number: Product,
    arrival: f64,
    /// Cycles of the tensor cores that it still needs.
    rest: f64,
    begin: Option<f64>,
}

/// The tensor cores.
#[derive(Clone, Debug, Default)]
pub(super) struct Products {
    /// Up to this cycle it is known what they do.
    now: f64,
    count: usize,
    queues: FxHashMap<usize, VecDeque<Pending>>,
    ended: FxHashMap<Product, (u64, u64)>,
}

impl Products {
    /// Adds a product of a group, behind its others.
    pub(super) fn add(&mut self, group: usize, arrival: u64, busy: u64) -> Product {
        let number = self.count;
        self.count += 1;
        self.queues.entry(group).or_default().push_back(Pending {
            number,
            arrival: arrival as f64,
            rest: busy as f64,
            begin: None,
        });
        number
    }

    /// Begin and end of a product, if it is known to have ended.
    pub(super) fn ended(&self, product: Product) -> Option<(u64, u64)> {
        self.ended.get(&product).copied()
    }

    /// Begin and end of a product, if none is added before it ends.
    pub(super) fn expected(&self, product: Product) -> (u64, u64) {
        let mut copy = Self {
            queues: self.queues.clone(),
            ended: self
                .ended(product)
                .map(|ended| (product, ended))
                .into_iter()
                .collect(),
            ..*self
        };
        copy.finish(product)
    }

    /// Lets time pass until a product has ended; its begin and its end.
    pub(super) fn finish(&mut self, product: Product) -> (u64, u64) {
        loop {
            if let Some(ended) = self.ended(product) {
                return ended;
            }
            if !self.advance() {
                return (self.now as u64, self.now as u64);
            }
        }
    }

    /// Lets time pass until a product ends or the next one begins; says whether there is one.
    fn advance(&mut self) -> bool {
        let heads = self.queues.values_mut().filter_map(VecDeque::front_mut);
        let mut heads: Vec<&mut Pending> = heads.collect();
        let Some(next) = heads.iter().map(|head| head.arrival).min_by(f64::total_cmp) else {
            return false;
        };
        let now = self.now.max(next);
        let later = heads
            .iter()
            .map(|head| head.arrival)
            .filter(|arrival| *arrival > now);
        let later = later.fold(f64::INFINITY, f64::min);
        heads.retain(|head| head.arrival <= now);
        let share = heads.len() as f64;
        let least = heads.iter().map(|head| head.rest).fold(f64::INFINITY, f64::min);
        let time = (least * share).min(later - now);
        for head in heads {
            head.begin.get_or_insert(now);
            head.rest -= time / share;
        }
        self.now = now + time;
        for queue in self.queues.values_mut() {
            if queue
                .front()
                .is_some_and(|head| head.begin.is_some() && head.rest < 0.5)
                && let Some(head) = queue.pop_front()
            {
                let begin = head.begin.unwrap_or(self.now);
                self.ended
                    .insert(head.number, (begin.round() as u64, self.now.round() as u64));
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_a_group_follow_each_other_and_those_of_two_share() {
        let mut products = Products::default();
        let [one, two] = [products.add(0, 10, 100), products.add(0, 10, 50)];
        assert_eq!(products.expected(two), (110, 160));
        // At 60, half of the first one is done; then each has half of the tensor cores.
        let other = products.add(1, 60, 20);
        assert_eq!(products.finish(other), (60, 100));
        assert_eq!(products.finish(one), (10, 130));
        assert_eq!(products.finish(two), (130, 180));
        // What arrives in the past begins now.
        let late = products.add(1, 100, 10);
        assert_eq!(products.finish(late), (180, 190));
        assert_eq!(products.ended(one), Some((10, 130)));
    }
}
