//! The work of the commands beside `publish`: files in, reports out.

pub mod audit;
pub mod compare;
pub mod evidence;
pub mod explain;
pub mod inspect;
pub mod schema;
pub mod verify;
pub mod watch;
