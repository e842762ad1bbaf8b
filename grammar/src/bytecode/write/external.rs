//! Writes the entries of external functions.

use tilewright_irs::cuda_tile::preview::{ConstParam, ExternFunc, ExternImpl, External, ExternalKind};
use tilewright_irs::cuda_tile::{Attr, Dict, Signature};

use super::super::container::attr_tag;
use super::super::sink::Sink;
use super::pools::{Pools, Written};

/// The flag of a function that is hidden from the host.
const PRIVATE: u8 = 0b1;
/// The flag of an implementation; an external function does not have it.
const IMPLEMENTATION: u8 = 0b100;

/// Writes the entry of a function; `row` is the index of its debug information.
pub(super) fn write_external(
    sink: &mut Sink,
    external: &External,
    row: u64,
    pools: &mut Pools,
) -> Written<()> {
    pools.is_preview(|| format!("`cuda_tile.{}`, the op of `@{}`,", external.op(), external.name()))?;
    match &external.kind {
        ExternalKind::Func(func) => write_func(sink, func, row, pools),
        ExternalKind::Impl(implementation) => write_impl(sink, implementation, row, pools),
    }
}

fn write_func(sink: &mut Sink, func: &ExternFunc, row: u64, pools: &mut Pools) -> Written<()> {
    sink.varint(pools.string(&func.name));
    sink.varint(pools.signature(&Signature {
        inputs: func.inputs.clone(),
        results: func.results.clone(),
    })?);
    sink.u8(PRIVATE);
    sink.varint(row);
    sink.varint(attr_tag::ARRAY);
    dicts(sink, &func.arg_attrs, pools)?;
    // The length of the body.
    sink.len(0);
    sink.varint(attr_tag::ARRAY);
    const_params(sink, &func.const_params, pools)
}

fn write_impl(sink: &mut Sink, it: &ExternImpl, row: u64, pools: &mut Pools) -> Written<()> {
    let name = pools.string(&it.name);
    let signature = pools.signature(&Signature {
        inputs: it.inputs.clone(),
        results: it.results.clone(),
    })?;
    sink.varint(name);
    sink.varint(signature);
    sink.u8(PRIVATE | IMPLEMENTATION);
    sink.varint(row);
    let parts = [
        it.const_params.is_some(),
        it.const_args.is_some(),
        it.arg_attrs.is_some(),
        it.res_attrs.is_some(),
        it.scratch_smem.is_some(),
        it.config.is_some(),
        it.arch.is_some(),
        it.frontend_abi.is_some(),
        it.synchronization.is_some(),
        it.provider_score.is_some(),
    ];
    let flags = parts
        .iter()
        .rev()
        .fold(0, |flags, &set| flags << 1 | u64::from(set));
    sink.varint(flags);
    sink.varint(name);
    sink.varint(pools.string(&it.implements));
    if let Some(params) = &it.const_params {
        const_params(sink, params, pools)?;
    }
    if let Some(args) = &it.const_args {
        pools.exprs(sink, args)?;
    }
    sink.varint(signature);
    for list in [&it.arg_attrs, &it.res_attrs].into_iter().flatten() {
        dicts(sink, list, pools)?;
    }
    if let Some(scratch) = &it.scratch_smem {
        pools.scratch(sink, scratch)?;
    }
    if let Some(config) = &it.config {
        pools.dict(sink, config)?;
    }
    if let Some(arch) = &it.arch {
        let names: Vec<_> = arch.iter().cloned().map(Attr::String).collect();
        pools.attrs(sink, &names)?;
    }
    if let Some(dict) = &it.frontend_abi {
        pools.dict(sink, dict)?;
    }
    if let Some(level) = it.synchronization {
        sink.varint(level.code().into());
    }
    if let Some(score) = it.provider_score {
        sink.varint(score.cast_unsigned());
    }
    // One region of no blocks, and the length of the body.
    [1, 0, 0].into_iter().for_each(|number| sink.varint(number));
    Ok(())
}

fn dicts(sink: &mut Sink, list: &[Dict], pools: &mut Pools) -> Written<()> {
    sink.len(list.len());
    for dict in list {
        sink.varint(attr_tag::DICT);
        pools.dict(sink, dict)?;
    }
    Ok(())
}

fn const_params(sink: &mut Sink, params: &[ConstParam], pools: &mut Pools) -> Written<()> {
    sink.len(params.len());
    params.iter().try_for_each(|param| pools.const_param(sink, param))
}
