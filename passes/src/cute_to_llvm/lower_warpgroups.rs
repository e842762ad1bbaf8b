//! Lowers products of warp groups. Their accumulators stay in registers that nothing else uses from the fence to the
//! wait: `llvm.hold` separates them from what comes before and after.

use tilewright_irs::core::{Flag, OpId, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::product_rules::matrix_type;
use tilewright_irs::dialects::warpgroup_mma::WarpgroupMma;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::isa::{Accumulators, Instruction, Popc, Satfinite, Sources, WgmmaShape};
use tilewright_irs::literal::Literal;
use tilewright_irs::llvm::{LlvmDialect, LlvmType};
use tilewright_layouts::descriptor::Major;

use super::emit::{Cx, I32, constant, unsupported};
use super::lower_warp::Packed;

fn scalar(ty: &DesugaredType) -> ScalarType {
    match ty {
        DesugaredType::Fragment(_, ElementType::Scalar(scalar)) => *scalar,
        _ => ScalarType::I32,
    }
}

/// Holds values in their registers.
fn hold(cx: &mut Cx<'_>, values: Vec<Value>) -> Vec<Value> {
    if values.is_empty() {
        return values;
    }
    let types: Vec<LlvmType> = values.iter().map(|&value| *cx.ty(value)).collect();
    let made = cx.build().op(LlvmDialect::Hold { values }, types);
    cx.new_body().op(made).results().collect()
}

/// Binds each result to the next of these values.
fn bind(cx: &mut Cx<'_>, id: OpId, values: Vec<Value>, counts: &[usize]) {
    let mut values = values.into_iter();
    let results: Vec<Value> = cx.old(id).results().collect();
    for (result, &count) in results.into_iter().zip(counts) {
        let own: Vec<Value> = values.by_ref().take(count).collect();
        cx.bind(result, own);
    }
}

/// The fence: packs narrow elements into registers, and holds these.
pub(super) fn fence(packed: &mut Packed, cx: &mut Cx<'_>, id: OpId, values: &[Value]) -> Translated {
    let (mut held, mut counts) = (Vec::new(), Vec::new());
    for &value in values {
        let elements = cx.all(value).to_vec();
        let scalar = scalar(cx.from.ty(value));
        let registers = packed.pack(cx, &elements, scalar);
        counts.push(registers.len());
        held.extend(registers);
    }
    let held = hold(cx, held);
    cx.build().effect(Instruction::WgmmaFence {});
    bind(cx, id, held, &counts);
    Ok(())
}

/// The wait: unpacks the registers of products that are complete.
pub(super) fn wait(
    packed: &mut Packed,
    cx: &mut Cx<'_>,
    id: OpId,
    values: &[Value],
    groups: u32,
) -> Translated {
    cx.build().effect(Instruction::WgmmaWait { groups });
    let registers: Vec<Value> = values.iter().flat_map(|&value| cx.all(value).to_vec()).collect();
    let mut held = hold(cx, registers).into_iter();
    let results: Vec<Value> = cx.old(id).results().collect();
    for (result, &value) in results.into_iter().zip(values) {
        let own: Vec<Value> = held.by_ref().take(cx.all(value).len()).collect();
        let scalar = scalar(cx.from.ty(result));
        let elements = packed.unpack(cx, &own, scalar);
        cx.bind(result, elements);
    }
    Ok(())
}

/// A product of a warp group, which adds `c` unless it is the first of a sum.
pub(super) fn product(
    cx: &mut Cx<'_>,
    id: OpId,
    [a, b, c]: [Value; 3],
    atom: &WarpgroupMma,
    Flag(first): Flag,
) -> Translated {
    let origin = cx.origin();
    let missing = || unsupported(origin, "a product of a warp group that is not supported yet");
    let types = [0, 1].map(|i| matrix_type(atom.operands[i], atom.signedness[i]));
    let ([Some(a_type), Some(b_type)], Some(d_type)) =
        (types, matrix_type(atom.accumulator, atom.signedness[0]))
    else {
        return Err(missing());
    };
    let number = |n: u32| u16::try_from(n).unwrap_or(u16::MAX);
    let shape = WgmmaShape {
        n: number(atom.n),
        k: number(atom.k()),
    };
    let a_registers = cx.all(a).to_vec();
    let (b, c) = (cx.one(b), cx.all(c).to_vec());
    let ty = match atom.accumulator {
        ScalarType::F32 => LlvmType::Scalar(ScalarType::F32),
        _ => I32,
    };
    let results = vec![ty; c.len()];
    let accumulate = constant(cx, Literal::new(ScalarType::I1, u64::from(!first)));
    let transposed = |major: Major| u32::from(major == Major::Mn);
    let (d, satfinite, popc, bits) = (Accumulators(c), Satfinite(false), Popc(false), None);
    let (scale_a, scale_b) = (1, 1);
    let is_half = atom.operands[0].bits() == 16;
    let instruction = match (atom.a, atom.operands[0].is_int(), a_registers.as_slice()) {
        (Some(major), false, &[a]) => Instruction::Wgmma {
            shape,
            d_type,
            a_type,
            b_type,
            d,
            a,
            b,
            accumulate,
            scale_a,
            scale_b,
            transposed: match is_half {
                true => vec![transposed(major), transposed(atom.b)],
                false => Vec::new(),
            },
        },
        (None, false, registers) => Instruction::WgmmaRegisters {
            shape,
            d_type,
            a_type,
            b_type,
            d,
            a: Sources(registers.to_vec()),
            b,
            accumulate,
            scale_a,
            scale_b,
            transposed: match is_half {
                true => vec![transposed(atom.b)],
                false => Vec::new(),
            },
        },
        (Some(_), true, &[a]) => Instruction::WgmmaInteger {
            shape,
            satfinite,
            d_type,
            a_type,
            b_type,
            bits,
            popc,
            d,
            a,
            b,
            accumulate,
        },
        (None, true, registers) => Instruction::WgmmaIntegerRegisters {
            shape,
            satfinite,
            d_type,
            a_type,
            b_type,
            bits,
            popc,
            d,
            a: Sources(registers.to_vec()),
            b,
            accumulate,
        },
        (Some(_), ..) => return Err(missing()),
    };
    let made = cx.build().op(instruction, results);
    let registers: Vec<Value> = cx.new_body().op(made).results().collect();
    cx.bind(cx.old(id).result(0), registers);
    Ok(())
}
