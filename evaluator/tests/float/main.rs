//! Float arithmetic, conversions and functions against single rules, exact rational numbers, other libraries and
//! recorded results.

mod conversion_rules;
mod dispatch;
mod exact;
mod oracle;
mod peers;
mod recorded;
mod rules;
mod samples;
