//! Attributes as data: what languages declare of them, and what kernels have.

mod declared;
mod places;
mod table;
mod walk;
