//! Diagnostics as data, and the renderers that print them.
//!
//! A [`Diagnostic`] says what is wrong ([`Code`], message), where ([`Label`]s), and what to do about it. It is
//! generic over its location: a pass names an op's origin, a parser names a [`Span`], and whoever knows where an
//! origin lies turns one into a [`Location`] with [`Diagnostic::map_location`]. [`render()`] prints
//! diagnostics that hold [`Location`]s, in one of four formats.
//!
//! This crate knows nothing of the compiler: no language, no pass, no database. It does no I/O: [`Files`] is
//! filled by the caller, and a renderer returns its text. No other crate formats a message for the user.

mod code;
mod diagnostic;
mod files;
mod location;
mod render;

pub use code::{Code, UnknownCode};
pub use diagnostic::{Diagnostic, Label, Severity};
pub use files::{Files, Position};
pub use location::{FileId, Location, Span};
pub use render::{Format, render};
