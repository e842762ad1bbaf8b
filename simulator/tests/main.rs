//! What the simulator does, in one program: one for each file would take longer to link than to run.

mod asynchronous;
mod atomics;
mod bulk;
mod clusters;
mod control;
mod conversion;
mod faults;
mod hopper;
mod integer;
mod matrix;
mod multimem;
mod partial_warps;
mod print;
mod rounding;
mod speed;
mod support;
mod tensors;
mod tile;
mod warp;
mod wgmma;
