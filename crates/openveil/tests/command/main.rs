//! The command as a user runs it: files in, files out, exit codes, messages.

mod attack;
mod audit;
mod certified;
mod classes;
mod compare;
mod composition;
mod correlations;
mod each;
mod errors;
mod evidence;
mod explain;
#[cfg(target_os = "linux")]
mod faults;
mod fits;
mod floors;
mod folders;
mod guarantees;
mod history;
mod hostile;
mod kills;
mod kinds;
mod leaks;
mod looks;
mod meant;
mod memory;
mod metadata;
mod models;
mod persons;
mod pipes;
mod publish;
mod readers;
mod report;
mod rules;
mod schema;
mod serve;
mod strata;
mod styles;
mod support;
mod threads;
mod ties;
mod told;
#[cfg(target_os = "linux")]
mod trace;
mod trials;
mod types;
mod verify;
