//! Ops of `scheduled`.

use crate::core::Region;
use crate::dialects::arith::ArithOp;
use crate::dialects::pipe::PipeOp;
use crate::dialects::scf::ScfOp;
use crate::dialects::tile::TileOp;
use crate::tileas::TileAsDialect;

crate::dialect! {
    /// Agents.
    pub enum ScheduledDialect: "scheduled" {
        /// What the warps from `first_warp` on, `warps` of them, do, with so many registers a thread. They meet at the
        /// named barrier `barrier`, once `assign_barriers` has decided that; all warps of a block meet at barrier 0.
        Agent "agent" {
            name: String, first_warp: u32, warps: u32, registers: Option<u32>, barrier: Option<u32>, body: Region
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
        /// Structured control flow.
        Scf(ScfOp),
        /// Shapes.
        Tile(TileOp),
        /// Memory, layouts, tokens and the grid.
        TileAs(TileAsDialect),
        /// Rings of stages between agents, and mutexes.
        Pipe(PipeOp),
        /// Agents.
        Scheduled(ScheduledDialect),
    }
}
