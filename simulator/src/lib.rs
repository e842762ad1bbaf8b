//! Runs PTX on the CPU, thread by thread, and checks what hardware does not.
//!
//! This crate knows `irs::ptx` and nothing of how that PTX was made.
//!
//! ```
//! use tilewright_irs::ptx::*;
//! use tilewright_simulator::{Arg, Device, Init};
//! let mut b = Builder::new("store_index");
//! let out = b.parameter(ParameterType::Pointer { space: Some(Space::Global), align: 4 });
//! b.entry().launch.required_threads = Some([32, 1, 1]);
//! let base = b.load_parameter(&out, Type::U64);
//! let thread = b.mov(Type::U32, Special::TidX);
//! let offset = b.mul_wide(Type::U32, thread, 4);
//! let address = b.add(Type::S64, base, offset);
//! b.store(Space::Global, Type::U32, address, &[thread.into()]);
//! b.ret();
//! let mut module = Module::new(Target::sm(80));
//! module.entries.push(b.finish());
//!
//! let mut device = Device::new();
//! let out = device.alloc("out", 128, Init::Poison);
//! device.launch(&module, "store_index", [1, 1, 1], [1, 1, 1], 0, &[Arg::Pointer(out)])?;
//! assert_eq!(device.read(out)[4..8], 1u32.to_le_bytes());
//! # Ok::<(), Box<tilewright_simulator::Fault>>(())
//! ```
//!
//! # What is a fault
//!
//! [`FaultKind`] lists them. Besides accesses out of bounds, misaligned or to what nothing was written to, these are
//! what hardware does not report:
//! - two accesses to a byte of shared memory by different warps that no barrier, atomic access or mbarrier orders, of
//!   which one writes; likewise of global memory by different blocks of a launch;
//! - an access to what an asynchronous copy writes before its thread has waited for it, or has heard of it through an
//!   mbarrier and a barrier; a write to what a copy still reads;
//! - lanes that do not come together at an instruction with `.aligned` or at a collective;
//! - a barrier or an mbarrier used against its protocol: more arrivals than expected, a wait for a phase that its parity
//!   no longer stands for, an mbarrier that is not initialised, initialised twice or touched as data;
//! - a wait that never ends, with who waits for what.
//!
//! # What is modelled
//!
//! Warps of 32 lanes that diverge and come together, shuffles, votes, matches and reductions; barriers with thread
//! counts and reductions; atomics; matrix products (`mma`) and moves (`ldmatrix`, `stmatrix`), see [`matrix`];
//! `cp.async` with groups and mbarriers; mbarriers with phases and transaction counts; `vprintf`, whose output is in
//! [`Device::printed`].
//!
//! Blocks run one after the other, in the order of their indices, so a kernel whose blocks wait for later ones does not
//! end. An asynchronous copy is complete at the wait for it, and no sooner. Arithmetic is exact as IEEE and PTX say; the
//! approximate instructions give the correctly rounded or `f64`-computed result, where hardware may be off by the errors
//! that the manual states. Memory is sequentially consistent: what differs between orders and scopes of accesses is not
//! seen, but that plain accesses race.
//!
//! Not here yet: bulk and tensor copies, `wgmma`, clusters of more than one block, tensor memory.

mod access;
mod block;
mod clock;
mod collective;
mod convert;
mod copies;
mod decode;
mod execute;
mod fault;
mod float;
mod grid_races;
mod integer;
mod launch;
pub mod matrix;
mod mbarrier;
mod memory;
mod printf;
mod program;
mod pure;
mod row;
mod shared;
pub mod soft;
mod special;
mod synchronise;
mod warp;
mod warp_matrix;

pub use block::Stats;
pub use fault::{Fault, FaultKind, Nearest, Party, Waiting, WaitingFor};
pub use launch::Arg;
pub use memory::{Buffer, Device, Init, Memory, Outcome};
