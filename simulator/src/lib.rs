//! Runs PTX on the CPU, thread by thread, and checks what hardware does not.
//!
//! This crate depends on `irs::ptx` but not on the passes that generate PTX.
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
//! # Faults
//!
//! [`FaultKind`] lists them. Besides accesses out of bounds, misaligned or to uninitialised bytes, these are faults
//! that hardware does not report:
//! - two accesses to a byte of shared memory by different warps that no barrier, atomic access or mbarrier orders, of
//!   which one writes; likewise of global memory by different blocks of a launch;
//! - an access to the destination of an asynchronous copy before its thread has waited for it, or has synchronised
//!   with it through an mbarrier and a barrier; a write to the source of a pending copy;
//! - an access through the async proxy to shared memory that was written through the generic one, with no fence between; a
//!   write through the async proxy to what a warp read through the generic one, with no fence of this warp between;
//! - a write to an operand of a pending matrix product of a warp group, an access to its registers before the wait, and
//!   such a product of registers that were accessed since the last `wgmma.fence`;
//! - an access to the shared memory of a block of the cluster that has ended or may not have begun; a block that ends
//!   while a copy uses its shared memory, or another block may;
//! - a tensor map that is not valid, that is changed or acquired while a copy may read it, or that was changed and is used
//!   without the fence that acquires it, unless it was changed once only and a block has acquired it since: then no cache has
//!   an older version; a tensor copy whose rows do not begin at a unit of 16 bytes;
//! - lanes that do not converge at an instruction with `.aligned` or at a collective; warps of a warp group that do not
//!   execute the same;
//! - a barrier or an mbarrier used against its protocol: more arrivals than expected, a wait for a phase whose parity
//!   is ambiguous, an mbarrier that is not initialised, initialised twice or accessed as data, or that counts the bytes
//!   of a copy with no fence since its initialisation;
//! - a deadlock, with the waiting threads: at a barrier of the cluster that not all reach, or at an mbarrier whose
//!   transaction bytes do not add up, for instance.
//!
//! # Execution model
//!
//! Warps of 32 lanes with divergence and reconvergence, shuffles, votes, matches and reductions; barriers with thread
//! counts and reductions; atomics; matrix products (`mma`) and moves (`ldmatrix`, `stmatrix`), see [`matrix`];
//! `cp.async` with groups and mbarriers; mbarriers with phases and transaction counts; `vprintf`, whose output is in
//! [`Device::printed`]. Of Hopper: clusters with distributed shared memory and their barrier; bulk copies, and copies
//! of boxes, pixels and rows of tensors (see [`TensorMap`]), with mbarriers, groups, multicast and reductions; `wgmma`; `setmaxnreg` with
//! the registers of the block.
//!
//! The blocks of a cluster run together, and clusters one after the other, in the order of their indices, so a kernel
//! whose blocks wait for later clusters does not terminate. An asynchronous copy completes at the wait for it, and no
//! sooner, unless [`Device::timing`] says otherwise for bulk copies. Arithmetic is exact as IEEE and
//! PTX define it; the approximate instructions return the result correctly rounded or computed in `f64`, where
//! hardware may differ by the errors that the manual states. Memory is sequentially consistent: memory orders and
//! scopes have no effect, except that plain accesses race, and those in the scope of a block with others of the cluster. Races of
//! plain accesses to global memory are found between clusters, and with pending copies; proxies are told apart in shared memory only.
//!
//! Not supported: sparse matrix products, asynchronous reductions in another block's shared memory, tensor maps with
//! interleaving or with elements that are converted as they are copied, tensor memory. A launch with an instruction that
//! is not supported is refused.

mod access;
mod block;
mod bulk;
mod clock;
mod cluster;
mod cluster_barrier;
mod collective;
mod convert;
mod copies;
mod decode;
mod execute;
mod fault;
mod float;
mod grid_races;
mod holds;
mod integer;
mod launch;
mod map_uses;
pub mod matrix;
mod mbarrier;
mod memory;
mod printf;
mod program;
mod pure;
mod register_pool;
mod registers;
mod row;
mod scope_races;
mod shared;
mod shared_address;
pub mod soft;
mod special;
mod synchronise;
mod tensor_copies;
mod tensor_map;
mod tensor_rows;
mod transfers;
mod warp;
mod warp_group;
mod warp_matrix;
mod wgmma;

pub use block::Stats;
pub use fault::{Fault, FaultKind, Nearest, Party, Waiting, WaitingFor};
pub use launch::Arg;
pub use memory::{Buffer, Device, Init, Memory, Outcome};
pub use tensor_map::{PixelColumn, TENSOR_MAP_BYTES, TensorBox, TensorMap, TensorSwizzle};
pub use transfers::Timing;
