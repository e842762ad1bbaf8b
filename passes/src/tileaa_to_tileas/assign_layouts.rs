//! Assigns a distributed layout to every tile and an atom to every memory op. `tileaa` to `tileas`.
//!
//! In: a function with `num_warps` and `num_ctas` (see [`attach_kernel_spec`](mod@super::attach_kernel_spec)), whose memory
//! ops have their `access` (see [`select_atoms`](mod@crate::tileaa::select_atoms)). Out: the same program, where
//!
//! - all tiles of an elementwise op and of an access through pointers have the same layout; a tiled access may have
//!   any;
//! - of a tile or a scalar that several threads hold, the result of an atomic access and of a load that allows
//!   concurrent stores is the first thread's (`tileas.agree`);
//! - the operand of `tile.reshape` and `tile.permute` has the result's layout, reshaped or permuted back; the operand
//!   of `tile.broadcast` has the result's layout sliced along the broadcast axes, without replicated registers
//!   (`slice`, then `drop_copies(Register)`): none of them moves an element to another thread;
//! - all operands of a reduction have the same layout, and its results that layout without the axis; a scan's operands
//!   and results have one layout;
//! - `tileaa.cat`, `tileaa.extract` and `tileaa.insert` become slices and concatenations of registers (`part_ops.rs`);
//! - the operands and the result of a product have the layouts that its atom takes: `mma_sync` where the target has an
//!   instruction, else `fma`;
//! - a tile that an op needs in another layout than its own is converted right before the op;
//! - registers, and lanes with warps, of every layout act on different bits of the coordinates;
//! - unused tiles computed from scalars alone are removed, and so are all facts.
//!
//! Refused: a route of a load that cannot be taken, with the numbers (`routes.rs`, `shared.rs`); a missing number of warps, or one that is not a power of two up to 32; a tile of more than
//! [`MAX_REGISTERS`] elements per thread (E0703).

mod accesses;
mod folds;
mod groups;
mod homes;
mod own_ops;
mod part_ops;
mod parts;
mod products;
mod rewrite;
mod routes;
mod settle;
mod shared;
mod tiles;

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Body, Func, Operation, Origin, SideTable, Value};
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::{KernelSpec, TileAs, TileAsAttrs};

use accesses::accesses;
use homes::find_layouts;
use rewrite::Rewrite;
use routes::check_routes;
use shared::Shared;

/// Limit of a tile's elements per thread, which bounds the number of instructions for an op.
pub const MAX_REGISTERS: u32 = 4096;

/// Assigns the layouts of a function.
///
/// # Errors
/// See the module.
pub fn assign_layouts(func: &Func<TileAa>) -> Result<Func<TileAs>, Vec<Diagnostic<Origin>>> {
    let (Some(num_warps), Some(num_ctas)) = (func.attrs.num_warps, func.attrs.num_ctas) else {
        let message = "the function lacks `num_warps` or `num_ctas`";
        return Err(vec![
            Diagnostic::error(Code::MissingAttribute, message).at(Origin::FUNCTION, ""),
        ]);
    };
    if !num_warps.is_power_of_two() || num_warps > 32 {
        let message = format!("`num_warps` is a power of two from 1 to 32, not {num_warps}");
        return Err(vec![
            Diagnostic::error(Code::AttributeValue, message).at(Origin::FUNCTION, ""),
        ]);
    }
    let body = &func.body;
    let accesses = accesses(body).map_err(|problem| vec![problem])?;
    let shared = Shared::of(body, &accesses, func.attrs.target, num_warps);
    let shared = shared.map_err(|problem| vec![problem])?;
    check_routes(body, &shared, func.attrs.target).map_err(|problem| vec![problem])?;
    let layouts = find_layouts(body, &accesses, &shared, func.attrs.target, num_warps);
    let layouts = layouts.map_err(|problem| vec![problem])?;
    let mut rewrite = Rewrite {
        from: body,
        layouts: &layouts,
        accesses: &accesses,
        shared: &shared,
        to: Body::default(),
        values: body.value_table(),
        used: used(body),
        definitions: body.definitions(),
        place: None,
        num_warps,
    };
    let root = rewrite.to.root();
    rewrite
        .blocks(body.root(), root)
        .map_err(|problem| vec![problem])?;
    let became = body
        .values()
        .map(|(old, _)| (old, rewrite.values.get(old).copied()));
    rewrite.to.follow(body, became);
    let attrs = TileAsAttrs {
        target: func.attrs.target,
        kernel_spec: KernelSpec {
            num_warps,
            num_ctas,
            occupancy: func.attrs.occupancy,
        },
        shared_bytes: 0,
        shared_align: None,
    };
    Ok(Func {
        name: func.name.clone(),
        attrs,
        body: rewrite.to.renumbered(),
    })
}

/// The values that are operands of some op.
fn used(body: &Body<TileAa>) -> SideTable<Value, ()> {
    let mut used = body.value_table();
    for (_, op) in body.ops() {
        op.kind.operands(&mut |value| used.set(value, ()));
    }
    used
}
