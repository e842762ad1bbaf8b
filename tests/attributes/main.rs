//! Attributes as data: what languages declare of them, and what kernels have.

mod declared;
mod everywhere;
mod explained;
mod lives;
mod made;
mod parts;
mod places;
mod scenes;
mod table;
mod vary;
mod walk;
