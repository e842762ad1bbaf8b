//! Ops of `scheduled`.

use crate::core::Region;
use crate::dialects::arith::ArithOp;
use crate::dialects::fast_math::language_has_fast_math;
use crate::dialects::gpu::GridOp;
use crate::dialects::math::MathOp;
use crate::dialects::pipe::PipeOp;
use crate::dialects::scf::ScfOp;
use crate::dialects::tile::TileOp;
use crate::tileas::TileAsDialect;

crate::dialect! {
    /// Agents.
    pub enum ScheduledDialect: "scheduled" {
        /// The code of `warps` consecutive warps from `first_warp` on, with a register count per thread. They
        /// synchronise at the named barrier `barrier`, set by `assign_barriers`; all warps of a block synchronise at
        /// barrier 0.
        Agent "agent" {
            name in Staging: String, first_warp in KernelSpec: u32, warps in KernelSpec: u32,
            registers in LaunchShape: Option<u32>, barrier in Staging: Option<u32>, body: Region
        } -> 0, Regions, Free;
        /// Ends an agent's body.
        End "end" {} -> 0, Terminator, Free;
    }
}

crate::language_ops! {
    /// The ops of `scheduled`.
    pub enum ScheduledOp {
        /// Arithmetic.
        Arith(ArithOp),
        /// Elementary functions.
        Math(MathOp),
        /// Structured control flow.
        Scf(ScfOp),
        /// Shapes.
        Tile(TileOp),
        /// Memory, layouts, tokens and the grid.
        TileAs(TileAsDialect),
        /// Rings of stages between agents, and mutexes.
        Pipe(PipeOp),
        /// Grids before and after.
        Grid(GridOp),
        /// Agents.
        Scheduled(ScheduledDialect),
    }
}

language_has_fast_math!(ScheduledOp: Arith | Math);
