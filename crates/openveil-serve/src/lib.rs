//! Openveil in the browser: a local page for people who do not use a terminal.
//!
//! The page is the command line with another face: the same engine ([`openveil_io`]), the same
//! words, the same files. What is promised is said by the engine alone. Nothing leaves the
//! machine: the server listens on the loopback address, answers one browser, loads nothing from
//! elsewhere, and forgets everything when it ends.
//!
//! * `server`: who may ask, and what;
//! * `desk`: the table, the policy as it grows, work in the background;
//! * `pages`: one file for each step;
//! * `texts`: every word, in English and German.

mod desk;
mod pages;
mod server;
mod texts;

pub use server::{Handle, Server};

use openveil_io::source::Batches;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Asks a database: of where it is and a query, its answer, or in words why there is none.
type AskDatabase = dyn Fn(&str, &str) -> Result<Batches, String> + Send + Sync;

/// Something around the program that reads from databases.
#[derive(Clone)]
pub struct Database(Arc<AskDatabase>);

impl Database {
    /// Returns a database that asks a function, which is given where it is, and a query.
    pub fn new(
        ask: impl Fn(&str, &str) -> Result<Batches, String> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(ask))
    }

    fn ask(&self, place: &str, query: &str) -> Result<Batches, String> {
        (self.0)(place, query)
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Database")
    }
}

/// How the page is served.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The port; a free one, if none is asked for.
    pub port: Option<u16>,
    /// The folder of which tables may be chosen by their path.
    pub root: Option<PathBuf>,
    /// Reads from databases, where something around the program can.
    pub database: Option<Database>,
    /// Ends when nobody has asked for so long.
    pub idle: Duration,
}
