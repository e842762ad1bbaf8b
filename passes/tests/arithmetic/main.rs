//! Every arithmetic op on every type that the target supports, against exact arithmetic on the host.

mod conversions;
mod exact;
mod floats;
mod integers;
mod run;
mod values;
