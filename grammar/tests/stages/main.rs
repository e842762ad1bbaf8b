//! The regular syntax, tested with a test language.

#[path = "../support/damage.rs"]
mod damage;
mod errors;
// What the declaration macros make is public.
#[allow(unreachable_pub)]
mod language;
mod mutate;
mod random;
mod round_trip;
