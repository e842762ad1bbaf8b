//! The regular syntax, by a language made for its tests.

// What the declaration macros make is public.
mod errors;
#[allow(unreachable_pub)]
mod language;
mod mutate;
mod random;
mod round_trip;
