//! `wgmma`: for each step along K one instruction for each fragment of the warp group's accumulator, all in one group.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Flag, OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::Signedness;
use tilewright_irs::dialects::copies::CopiesOp;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::warpgroup_mma::{WarpgroupMma, depth};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::tileas::atoms::WgmmaAtom;
use tilewright_irs::tileas::{Buffer, Pending, TileAsDialect, TileAsType};
use tilewright_layouts::descriptor::{MatrixDescriptor, Operand, WgmmaDescriptor};
use tilewright_layouts::{Dim, LinearLayout};

use super::super::agent::Agent;
use super::super::emit::{Cx, I32, I64, at, bug, gathered, unsupported};
use super::super::function::LowerFragments;
use super::{LowerAtom, Site};

/// The bits of a warp's index within its warp group.
const GROUP_BITS: usize = 2;
/// The bits of a thread's index within its warp group.
const GROUP_THREAD_BITS: u32 = 7;

impl LowerAtom for WgmmaAtom {
    fn lower(
        &self,
        cx: &mut Cx<'_>,
        &Site { id, op, agent }: &Site<'_>,
        function: &mut LowerFragments<'_>,
    ) -> Option<Translated> {
        let &TileAsDialect::Dot {
            a,
            b,
            acc,
            signedness_a,
            signedness_b,
            ..
        } = op
        else {
            return None;
        };
        let product = Product {
            operands: [a, b, acc],
            signedness: [signedness_a, signedness_b],
            atom: *self,
            begins: function.is_zero(cx, acc),
        };
        Some(product.begin(cx, id, agent))
    }
}

/// A product of an agent's warp groups.
struct Product {
    /// A, B and the accumulator.
    operands: [Value; 3],
    signedness: [Signedness; 2],
    atom: WgmmaAtom,
    /// Whether the accumulator is zero.
    begins: bool,
}

/// The element type and the layout of an accumulator, under way or not.
fn accumulator(ty: &TileAsType) -> Option<(ScalarType, &LinearLayout)> {
    match ty {
        TileAsType::Tile {
            element: ElementType::Scalar(element),
            layout,
            ..
        } => Some((*element, layout)),
        TileAsType::Pending(Some(what)) => match &**what {
            Pending::Tile(ElementType::Scalar(element), layout) => Some((*element, layout)),
            Pending::Tile(..) | Pending::Buffer(_) => None,
        },
        _ => None,
    }
}

/// An operand in shared memory.
struct Shared<'a> {
    value: Value,
    buffer: &'a Buffer,
    operand: Operand<WgmmaDescriptor>,
}

impl Shared<'_> {
    /// Bytes from the start of the buffer to the instruction's part that begins at these elements.
    fn distance(&self, mn: u32, k: u32, origin: Origin) -> Result<u64, Diagnostic<Origin>> {
        let begin = self.operand.descriptor.start().bytes().0;
        match self.operand.at(mn, k) {
            Ok(Some(descriptor)) => Ok(descriptor.start().bytes().0 - begin),
            Ok(None) => Err(bug(origin, "no part of an operand begins there")),
            Err(range) => Err(unsupported(origin, range.to_string())),
        }
    }

    /// The descriptor of the warp group's first part. `bases` are the elements that each bit of the group's index
    /// adds along M or N.
    fn first(&self, cx: &mut Cx<'_>, bases: &[u32], group: Value) -> Result<Value, Diagnostic<Origin>> {
        let origin = cx.origin();
        let mut pointer = cx.one(self.value);
        let bytes = u64::from((self.buffer.element_bits() / 8).max(1));
        let mut distances = Vec::new();
        for &base in bases {
            let distance = self.distance(base, 0, origin)? / bytes;
            distances.push(i64::try_from(distance).unwrap_or(i64::MAX));
        }
        if distances.iter().any(|&distance| distance != 0) {
            let mut emit = at(cx);
            let offset = emit.linear_index(group, distances, I32);
            pointer = emit.add_offset(pointer, offset);
        }
        let fields = self.operand.descriptor;
        let field = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
        let op = CopiesOp::MakeGmmaSmemDesc {
            pointer,
            leading: field(fields.leading.bytes().0),
            stride: field(fields.stride.bytes().0),
            swizzle: self.operand.mode,
        };
        Ok(cx.value(op, I64))
    }

    /// The descriptor of another part of the same group.
    fn part(&self, cx: &mut Cx<'_>, first: Value, mn: u32, k: u32) -> Result<Value, Diagnostic<Origin>> {
        let distance = self.distance(mn, k, cx.origin())?;
        if distance == 0 {
            return Ok(first);
        }
        let mut emit = at(cx);
        // The field counts units of 16 bytes.
        let units = emit.i64(distance / 16);
        Ok(emit.add(first, units))
    }
}

/// The registers of A for the instruction whose part begins at row `m` and column `k`, as lane 0 of the first warp has
/// them; see [`WgmmaAtom::left_layout`].
fn left_registers(atom: WgmmaAtom, layout: &LinearLayout, packed: u32, [m, k]: [u32; 2]) -> Option<Vec<u32>> {
    let wanted = (0..4 * packed).map(|element| {
        let register = element / packed;
        [
            m + atom.row_step() * (register % 2),
            k + 4 * packed * (register / 2) + element % packed,
        ]
    });
    let find = |place: [u32; 2]| {
        let mut registers = 0..layout.in_size(Dim::Register);
        registers.find(|&register| *layout.at(register, 0, 0, 0) == place)
    };
    wanted.map(find).collect()
}

impl Product {
    /// Begins the product.
    fn begin(&self, cx: &mut Cx<'_>, id: OpId, agent: Agent) -> Translated {
        let origin = cx.origin();
        let [a, b, acc] = self.operands;
        let Some((element, layout)) = accumulator(cx.from.ty(acc)) else {
            return Err(bug(origin, "an accumulator that is no tile"));
        };
        let Some(right) = cx.from.ty(b).buffer() else {
            return Err(bug(origin, "`wgmma` with B outside of shared memory"));
        };
        let left = cx.from.ty(a).buffer();
        let (a_element, a_layout) = match (left, accumulator(cx.from.ty(a))) {
            (Some(buffer), _) => (buffer.element, None),
            (None, Some((element, layout))) => (element, Some(layout)),
            (None, None) => return Err(bug(origin, "`wgmma` of something that is no matrix")),
        };
        let k = depth(a_element);
        let (left_operand, right_operand) = self
            .atom
            .descriptors(left, right, k)
            .map_err(|refusal| Diagnostic::error(refusal.code, refusal.message).at(origin, ""))?;
        let mma = WarpgroupMma {
            n: self.atom.n,
            operands: [a_element, right.element],
            accumulator: element,
            signedness: self.signedness,
            a: left_operand.as_ref().map(|operand| operand.major),
            b: right_operand.major,
        };
        let left = left.zip(left_operand).map(|(buffer, operand)| Shared {
            value: a,
            buffer,
            operand,
        });
        let right = Shared {
            value: b,
            buffer: right,
            operand: right_operand,
        };

        // What is not under way yet is fenced: the accumulator, and A in registers.
        let pending = matches!(cx.from.ty(acc), TileAsType::Pending(_));
        let fenced: Vec<Value> = [(!pending).then_some(acc), a_layout.map(|_| a)]
            .into_iter()
            .flatten()
            .collect();
        let mut held = fence(cx, &fenced)?.into_iter();
        let acc = match pending {
            true => cx.one(acc),
            false => held.next().unwrap_or(acc),
        };
        let a_held = held.next();

        let group = at(cx).shift_right(agent.thread, GROUP_THREAD_BITS);
        let bases = |axis: usize| -> Vec<u32> {
            let bases = layout.bases(Dim::Warp).skip(GROUP_BITS);
            bases.map(|basis| basis.get(axis).copied().unwrap_or(0)).collect()
        };
        let a_first = match &left {
            Some(left) => Some(left.first(cx, &bases(0), group)?),
            None => None,
        };
        let b_first = right.first(cx, &bases(1), group)?;

        let each = mma.accumulator_registers();
        let values = self.atom.n / 2;
        let parts = (layout.in_size(Dim::Register) / values.max(1)).max(1);
        let mut pieces: Vec<Value> = (0..parts)
            .map(|part| at(cx).rearrange(acc, (part * each..(part + 1) * each).collect()))
            .collect();
        let depth = right.buffer.shape.first().copied().unwrap_or(0);
        let piece_type = DesugaredType::Fragment(each, packed_element(element));
        for step in (0..depth).step_by(k as usize) {
            for (part, piece) in (0..).zip(&mut pieces) {
                let place = layout.at(part * values, 0, 0, 0);
                let (row, column) = (
                    place.first().copied().unwrap_or(0),
                    place.get(1).copied().unwrap_or(0),
                );
                let a = match (&left, a_first, a_layout, a_held) {
                    (Some(left), Some(first), ..) => left.part(cx, first, row, step)?,
                    (None, _, Some(layout), Some(held)) => {
                        let packed = 32 / a_element.bits().clamp(1, 32);
                        let registers = left_registers(self.atom, layout, packed, [row, step])
                            .ok_or_else(|| bug(origin, "A in registers that `wgmma` does not take"))?;
                        // Of each packed register, the place of its first element.
                        let words = registers.chunks(packed as usize).filter_map(|word| word.first());
                        let words = words.map(|register| register / packed).collect();
                        at(cx).rearrange(held, words)
                    }
                    _ => return Err(bug(origin, "A is nowhere")),
                };
                let b = right.part(cx, b_first, column, step)?;
                *piece = cx.value(
                    FragmentOp::Wgmma {
                        a,
                        b,
                        c: *piece,
                        atom: mma,
                        first: Flag(self.begins && step == 0),
                    },
                    piece_type.clone(),
                );
            }
        }
        cx.build().effect(FragmentOp::WgmmaCommit {});
        let places: Vec<(Value, u32)> = pieces
            .iter()
            .flat_map(|&piece| (0..each).map(move |register| (piece, register)))
            .collect();
        let whole = gathered(cx, &places).ok_or_else(|| bug(origin, "a product without elements"))?;
        cx.bind(cx.old(id).result(0), [whole]);
        Ok(())
    }
}

fn packed_element(element: ScalarType) -> ElementType {
    match element {
        ScalarType::F32 => ElementType::Scalar(ScalarType::F32),
        _ => ElementType::I32,
    }
}

/// The registers of fragments after a fence. Without any, there is no fence.
fn fence(cx: &mut Cx<'_>, values: &[Value]) -> Result<Vec<Value>, Diagnostic<Origin>> {
    if values.is_empty() {
        return Ok(Vec::new());
    }
    let origin = cx.origin();
    let values: Vec<Value> = values.iter().map(|&value| cx.one(value)).collect();
    let types: Option<Vec<DesugaredType>> = values.iter().map(|&value| cx.ty(value).packed()).collect();
    let types = types.ok_or_else(|| unsupported(origin, "registers that `wgmma` does not read"))?;
    let made = cx.build().op(FragmentOp::WgmmaFence { values }, types);
    Ok(cx.new_body().op(made).results().collect())
}
