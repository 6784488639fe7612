//! Openveil in the browser: a local page for people who do not use a terminal.
//!
//! The page offers the command line's work with the same engine ([`openveil_io`]), the same words
//! and the same files. Only the engine words the promise. Nothing leaves the machine: the server
//! listens on the loopback address, answers one browser, loads nothing from elsewhere, and deletes
//! everything when it ends.
//!
//! * `server`: access, and routes;
//! * `desk`: the table, the draft of the policy, work in the background;
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

/// Queries a database: takes its address and a query, and returns the result or an error message.
type AskDatabase = dyn Fn(&str, &str) -> Result<Batches, String> + Send + Sync;

/// A way to read from databases, provided by the calling program.
#[derive(Clone)]
pub struct Database(Arc<AskDatabase>);

impl Database {
    /// Returns a database that calls a function with the address and a query.
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

/// Options of the server.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The port; by default a free one.
    pub port: Option<u16>,
    /// The folder in which tables may be chosen by path.
    pub root: Option<PathBuf>,
    /// Reads from databases, if the calling program can.
    pub database: Option<Database>,
    /// The server ends after this time without requests.
    pub idle: Duration,
    /// Repeats the random draws of every release, for tests: each is marked unfit for publication.
    pub test_seed: Option<u64>,
}
