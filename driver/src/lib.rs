//! The salsa database, the command line and the launchers: the only crate that does input and output.
