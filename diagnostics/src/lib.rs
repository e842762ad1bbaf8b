//! Diagnostics as data, and the renderers that print them.
//!
//! A [`Diagnostic`] has a [`Code`], a message, locations ([`Label`]s) and help. It is generic over its location: a
//! pass names an op's origin, a parser names a [`Span`], and the driver translates both to a [`Location`] with
//! [`Diagnostic::map_location`]. [`render()`] prints diagnostics with [`Location`]s, in one of four formats.
//!
//! This crate depends on no other part of the compiler. It does no I/O: [`Files`] is filled by the caller, and a
//! renderer returns its text. No other crate formats a message for the user.

mod code;
mod count;
mod diagnostic;
mod files;
mod location;
mod render;

pub use code::{Code, UnknownCode};
pub use count::{Counted, counted, counted_as};
pub use diagnostic::{Diagnostic, Fix, Label, Severity};
pub use files::{Files, Position};
pub use location::{FileId, Location, Span};
pub use render::{Format, SourcePosition, render, render_within};
