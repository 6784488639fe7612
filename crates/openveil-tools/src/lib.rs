//! Implements the commands other than `publish`: they read files and return reports.

pub mod audit;
pub mod compare;
pub mod evidence;
pub mod explain;
pub mod inspect;
pub mod schema;
pub mod verify;
pub mod watch;
