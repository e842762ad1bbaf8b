//! What the lowerings of reductions and scans share: the elements of a thread, the body, and exchanges between lanes.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, OpId, Origin, Translate, Value};
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::dialects::arith::Predicate;
use tilewright_irs::dialects::fold_rules::Fold;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::scheduled::Scheduled;
use tilewright_layouts::{Dim, LinearLayout};

use super::agent::Agent;
use super::emit::{Cx, at, bug};

/// One value for each operand.
pub(super) type Row = Vec<Value>;

/// The elements of a thread that lie in one line along the axis.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// The coordinates along the other axes, in lane 0 of warp 0.
    pub(super) place: Vec<u32>,
    /// The registers in order along the axis, in the order of their coordinates, without replicas.
    pub(super) registers: Vec<u32>,
    /// What became of them: the elements of all operands.
    pub(super) rows: Vec<Row>,
}

/// A reduction or a scan within a warp that is being lowered.
pub(super) struct Folding<'a> {
    pub(super) id: OpId,
    pub(super) origin: Origin,
    pub(super) layout: &'a LinearLayout,
    pub(super) axis: usize,
    pub(super) block: Block,
    /// The position bits along the axis, the smallest step first.
    pub(super) bits: Vec<(Dim, u32)>,
    /// The lane's index.
    pub(super) lane: Value,
}

impl<'a> Folding<'a> {
    pub(super) fn new(
        cx: &mut Cx<'a>,
        id: OpId,
        fold: &Fold<'_>,
        agent: Agent,
    ) -> Result<Self, Diagnostic<Origin>> {
        let (origin, from, axis) = (cx.origin(), cx.from, fold.axis as usize);
        let wrong = || bug(origin, "a reduction of something that is no tile");
        let first = *fold.operands.first().ok_or_else(wrong)?;
        let layout = from.ty(first).layout().ok_or_else(wrong)?;
        let mut emit = at(cx);
        let mask = emit.i32(31);
        let lane = emit.and(agent.thread, mask);
        Ok(Self {
            id,
            origin,
            layout,
            axis,
            block: from.only_block(fold.body).ok_or_else(wrong)?,
            bits: layout.bits_along(axis).ok_or_else(wrong)?,
            lane,
        })
    }

    /// The lines of a thread, with the elements of these operands.
    pub(super) fn lines(&self, cx: &mut Cx<'_>, operands: &[Value]) -> Vec<Line> {
        let copies = self.layout.free_mask(Dim::Register);
        let registers = (0..self.layout.in_size(Dim::Register)).filter(|register| register & copies == 0);
        let mut held: Vec<(u32, u32, Vec<u32>)> = registers
            .map(|register| {
                let mut place = self.layout.at(register, 0, 0, 0).to_vec();
                let along = match self.axis < place.len() {
                    true => place.remove(self.axis),
                    false => 0,
                };
                (along, register, place)
            })
            .collect();
        held.sort_by_key(|(along, _, _)| *along);
        let mut lines: Vec<Line> = Vec::new();
        let mut known: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        for (_, register, place) in held {
            let number = *known.entry(place).or_insert_with_key(|place| {
                lines.push(Line {
                    place: place.clone(),
                    registers: Vec::new(),
                    rows: Vec::new(),
                });
                lines.len() - 1
            });
            if let Some(line) = lines.get_mut(number) {
                line.registers.push(register);
            }
        }
        let fragments: Vec<Value> = operands.iter().map(|&operand| cx.one(operand)).collect();
        for line in &mut lines {
            for &register in &line.registers {
                let row = fragments
                    .iter()
                    .map(|&fragment| at(cx).extract(fragment, register));
                line.rows.push(row.collect());
            }
        }
        lines
    }

    /// What the body makes of accumulated values and elements.
    pub(super) fn combine(
        &self,
        pass: &mut impl Translate<Scheduled, CuteDesugared>,
        cx: &mut Cx<'_>,
        so_far: &Row,
        elements: &Row,
    ) -> Result<Row, Diagnostic<Origin>> {
        let args = so_far.iter().chain(elements).copied();
        let values = cx.inline(self.id, self.block, args, pass)?;
        cx.set_origin(self.origin);
        values.ok_or_else(|| bug(self.origin, "the body of a reduction has no end"))
    }

    /// The same rows of another lane: of the one whose index differs by `mask`.
    pub(super) fn rows_across(&self, cx: &mut Cx<'_>, rows: &[Row], mask: u32) -> Vec<Row> {
        exchanged(cx, rows, |value| GpuOp::ShuffleXor { value, mask })
    }

    /// The same rows of lane `lane`.
    pub(super) fn rows_of(&self, cx: &mut Cx<'_>, rows: &[Row], lane: Value) -> Vec<Row> {
        exchanged(cx, rows, |value| GpuOp::ShuffleIdx { value, lane })
    }

    /// Whether any of these bits of the lane's index is set.
    pub(super) fn is_set(&self, cx: &mut Cx<'_>, mask: u32) -> Value {
        let mut emit = at(cx);
        let (mask, zero) = (emit.i32(mask), emit.i32(0));
        let bits = emit.and(self.lane, mask);
        emit.compare(bits, Predicate::NotEqual, zero)
    }
}

/// Shuffles the rows, all elements of an operand together.
fn exchanged(cx: &mut Cx<'_>, rows: &[Row], shuffle: impl Fn(Value) -> GpuOp) -> Vec<Row> {
    let operands = rows.first().map_or(0, Vec::len);
    let mut moved: Vec<Row> = vec![Vec::with_capacity(operands); rows.len()];
    for operand in 0..operands {
        let elements: Vec<Value> = rows.iter().filter_map(|row| row.get(operand).copied()).collect();
        let whole = match *elements.as_slice() {
            [one] => Some(one),
            _ => at(cx).fragment(elements),
        };
        let Some(whole) = whole else { continue };
        let ty = cx.ty(whole).clone();
        let whole = cx.value(shuffle(whole), ty);
        for (row, index) in moved.iter_mut().zip(0..) {
            row.push(at(cx).extract(whole, index));
        }
    }
    moved
}

/// The rows `yes` where the condition is true, else the rows `no`.
pub(super) fn select(cx: &mut Cx<'_>, condition: Value, yes: &[Row], no: &[Row]) -> Vec<Row> {
    let pairs = yes.iter().zip(no);
    pairs
        .map(|(yes, no)| {
            let pairs = yes.iter().zip(no);
            pairs
                .map(|(&yes, &no)| at(cx).select(condition, yes, no))
                .collect()
        })
        .collect()
}

/// The index of a lane with these bits set, and then those cleared.
pub(super) fn lane_where(cx: &mut Cx<'_>, lane: Value, (set, cleared): (u32, u32)) -> Value {
    let mut emit = at(cx);
    let mut lane = lane;
    if set != 0 {
        let set = emit.i32(set);
        lane = emit.or(lane, set);
    }
    if cleared != 0 {
        let kept = emit.i32(!cleared);
        lane = emit.and(lane, kept);
    }
    lane
}
