//! Which operands are kept in shared memory, by its size.
//!
//! A buffer is live from the conversion that it replaces to the last product that reads it; if that is in a loop that
//! does not contain the conversion, to the end of the loop. Another conversion between threads needs shared memory
//! where it is. Where all of these together exceed the memory of a block, the largest operand that is live there is
//! converted as a whole instead.

use tilewright_irs::core::{Body, Flow, OpId, Operation, Region, SideTable, Value, ValueType};
use tilewright_irs::tileas::{TileAs, TileAsDialect, TileAsOp};

use super::Operands;

/// A tile that goes through shared memory, by the result of its conversion.
struct Exchange {
    value: Value,
    bytes: u64,
    /// The position of the conversion, and of the end of the last use.
    begin: usize,
    end: usize,
}

/// The conversions between threads of a body, in textual order.
pub(super) struct Budget {
    exchanges: Vec<Exchange>,
    /// Shared memory of a block, in bytes.
    limit: u64,
}

impl Budget {
    pub(super) fn of(body: &Body<TileAs>, limit: u64) -> Self {
        let mut lives = Lives {
            body,
            place: 0,
            begins: body.value_table(),
            exchanges: Vec::new(),
        };
        lives.region(body.root(), &mut Vec::new());
        Self {
            exchanges: lives.exchanges,
            limit,
        }
    }

    /// Removes operands until the others fit everywhere.
    pub(super) fn restrict(&self, operands: &mut Operands) {
        for at in &self.exchanges {
            loop {
                let live: Vec<&Exchange> = self
                    .exchanges
                    .iter()
                    .filter(|other| {
                        operands.contains_key(&other.value)
                            && other.begin <= at.begin
                            && at.begin <= other.end
                    })
                    .collect();
                let kept: u64 = live.iter().map(|exchange| exchange.bytes).sum();
                let own = match operands.contains_key(&at.value) {
                    true => 0,
                    // A larger one is done in parts.
                    false => at.bytes.min(self.limit),
                };
                if kept + own <= self.limit {
                    break;
                }
                // Of equals the first, which is live for longer.
                let largest = live.iter().rev().max_by_key(|exchange| exchange.bytes);
                match largest {
                    Some(largest) => operands.remove(&largest.value),
                    None => break,
                };
            }
        }
    }
}

struct Lives<'a> {
    body: &'a Body<TileAs>,
    place: usize,
    /// The index in `exchanges` of each converted tile.
    begins: SideTable<Value, usize>,
    exchanges: Vec<Exchange>,
}

impl Lives<'_> {
    /// Visits a region. Adds to `used` the converted tiles that its ops use.
    fn region(&mut self, region: Region, used: &mut Vec<usize>) {
        let body = self.body;
        for &block in &body.region(region).blocks {
            for &id in &body.block(block).ops {
                self.op(id, used);
            }
        }
    }

    fn op(&mut self, id: OpId, used: &mut Vec<usize>) {
        let op = self.body.op(id);
        let begin = self.place;
        self.place += 1;
        let mut own: Vec<usize> = Vec::new();
        op.kind
            .operands(&mut |value| own.extend(self.begins.get(value).copied()));
        let mut inner = Vec::new();
        for region in op.kind.region_list() {
            self.region(region, &mut inner);
        }
        let repeats = op.kind.effects().flow == Flow::Loop;
        for &index in &inner {
            // What a loop uses and does not define is live to its end.
            if let Some(exchange) = self
                .exchanges
                .get_mut(index)
                .filter(|e| repeats && e.begin < begin)
            {
                exchange.end = exchange.end.max(self.place);
            }
        }
        for &index in &own {
            if let Some(exchange) = self.exchanges.get_mut(index) {
                exchange.end = exchange.end.max(begin);
            }
        }
        used.extend(own);
        used.extend(inner);
        if let TileAsOp::TileAs(TileAsDialect::ConvertLayout { source }) = &op.kind
            && let value = op.result(0)
            && let (Some(from), Some(to)) = (self.body.ty(*source).layout(), self.body.ty(value).layout())
            && to.registers_from(from).is_none()
        {
            let bytes = self
                .body
                .ty(value)
                .element()
                .map_or(0, |element| u64::from(element.stored_bytes()));
            self.begins.set(value, self.exchanges.len());
            self.exchanges.push(Exchange {
                value,
                bytes: bytes << to.total_out_bits(),
                begin,
                end: begin,
            });
        }
    }
}
