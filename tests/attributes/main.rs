//! Attributes as data: what languages declare of them, and what kernels have.

mod declared;
mod table;
mod walk;
