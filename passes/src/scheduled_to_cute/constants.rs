//! Lowers constant tiles to the elements of each thread.

use tilewright_irs::core::{OpId, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::{ArithOp, Predicate};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_layouts::{Dim, LinearLayout};

use super::agent::Agent;
use super::emit::{Cx, at, fragment_type, unsupported};
use super::placement::LANE_BITS;

/// Limit of selections; more would require a table in memory.
const MAX_SELECTIONS: usize = 512;

/// Lowers a constant: a uniform one stays a constant; another one is selected by the bits of the thread index on
/// which it depends.
pub(super) fn lower(cx: &mut Cx<'_>, id: OpId, value: &Dense, agent: Agent) -> Translated {
    let result = cx.old(id).result(0);
    let old = cx.from.ty(result);
    let Some(ty) = fragment_type(old) else {
        return Err(unsupported(cx.origin(), "a constant array or token"));
    };
    let new = match (value, old.layout()) {
        (Dense::Elements(element, bits), Some(layout)) => choose(cx, (*element, bits), layout, ty, agent)?,
        (Dense::Elements(element, bits), None) => {
            let literal = Literal::new(*element, bits.first().copied().unwrap_or(0));
            let value = Dense::Splat(literal);
            cx.value(ArithOp::Constant { value }, ty)
        }
        (Dense::Splat(_), _) => {
            let value = value.clone();
            cx.value(ArithOp::Constant { value }, ty)
        }
    };
    cx.bind(result, [new]);
    Ok(())
}

fn choose(
    cx: &mut Cx<'_>,
    (element, table): (ScalarType, &[u64]),
    layout: &LinearLayout,
    ty: DesugaredType,
    agent: Agent,
) -> Result<Value, tilewright_diagnostics::Diagnostic<tilewright_irs::core::Origin>> {
    let registers = layout.in_size(Dim::Register);
    let at_place = |register: u32, thread: u32| {
        let (lane, warp) = (thread & 31, thread >> LANE_BITS);
        let word = layout.word_at(register, lane, warp, 0);
        usize::try_from(word)
            .ok()
            .and_then(|word| table.get(word))
            .copied()
            .unwrap_or(0)
    };
    // The bits of the thread index on which some element depends.
    let moves = |bit: u32| layout.word_at(0, (1 << bit) & 31, (1 << bit) >> LANE_BITS, 0) != 0;
    let bits: Vec<u32> = (0..LANE_BITS + layout.in_bits(Dim::Warp))
        .filter(|&bit| moves(bit))
        .collect();
    let choices = (registers as usize) << bits.len();
    let spread = |choice: u32| {
        bits.iter()
            .zip(0..)
            .fold(0, |thread, (&bit, i)| thread | (choice >> i & 1) << bit)
    };
    // The thread's elements for each combination of those bits, halved bit by bit.
    let mut lists: Vec<Vec<Leaf>> = (0..1u32 << bits.len())
        .map(|choice| {
            (0..registers)
                .map(|r| Leaf::Known(at_place(r, spread(choice))))
                .collect()
        })
        .collect();
    let mut selections = 0;
    let mut emit = at(cx);
    for &bit in &bits {
        let mut condition = None;
        let mut halved = Vec::with_capacity(lists.len() / 2);
        for pair in lists.chunks(2) {
            let [no, yes] = pair else { break };
            let mut list = Vec::with_capacity(no.len());
            for (&no, &yes) in no.iter().zip(yes) {
                if no == yes {
                    list.push(no);
                    continue;
                }
                selections += 1;
                if selections > MAX_SELECTIONS {
                    let message = format!(
                        "a constant tile of {} elements that differ between threads needs a table ({choices} choices), \
                         which is not supported yet",
                        table.len()
                    );
                    return Err(unsupported(cx.origin(), message));
                }
                let condition = *condition.get_or_insert_with(|| {
                    let mask = emit.i32(1 << bit);
                    let set = emit.and(agent.thread, mask);
                    let zero = emit.i32(0);
                    emit.compare(set, Predicate::NotEqual, zero)
                });
                let (yes, no) = (yes.value(&mut emit, element), no.value(&mut emit, element));
                list.push(Leaf::Chosen(emit.select(condition, yes, no)));
            }
            halved.push(list);
        }
        lists = halved;
    }
    let leaves = lists.pop().unwrap_or_default();
    let known: Option<Vec<u64>> = leaves
        .iter()
        .map(|leaf| match leaf {
            Leaf::Known(bits) => Some(*bits),
            Leaf::Chosen(_) => None,
        })
        .collect();
    Ok(match known {
        Some(bits) => {
            let value = Dense::Elements(element, bits);
            emit.0.value(ArithOp::Constant { value }, ty)
        }
        None => {
            let elements: Vec<Value> = leaves.iter().map(|leaf| leaf.value(&mut emit, element)).collect();
            let kind = tilewright_irs::dialects::fragment::FragmentOp::Make { elements };
            emit.0.value(kind, ty)
        }
    })
}

/// An element during the selection: constant, or selected at run time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaf {
    Known(u64),
    Chosen(Value),
}

impl Leaf {
    fn value(self, emit: &mut super::emit::Emit<'_>, element: ScalarType) -> Value {
        match self {
            Self::Known(bits) => {
                let value = Dense::Splat(Literal::new(element, bits));
                let ty = DesugaredType::Scalar(ElementType::Scalar(element));
                emit.0.value(ArithOp::Constant { value }, ty)
            }
            Self::Chosen(value) => value,
        }
    }
}
