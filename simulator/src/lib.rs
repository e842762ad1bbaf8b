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
//! What is a fault is listed by [`FaultKind`]. Blocks run one after the other, in the order of their indices, so a
//! kernel whose blocks wait for later ones does not end. Arithmetic is exact as IEEE and PTX say; the approximate
//! instructions give the correctly rounded or `f64`-computed result, where hardware may be off by the errors that
//! the manual states. Not here: clusters of more than one block, asynchronous copies, matrix instructions.

mod access;
mod block;
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
