//! Float arithmetic, conversions and functions: single rules, exact rational numbers, other people's libraries, and
//! recorded results of others still.

mod conversion_rules;
mod dispatch;
mod exact;
mod oracle;
mod peers;
mod recorded;
mod rules;
mod samples;
