use crate::Outcome;
use crate::interrupt::on_interrupt;
use openveil_io::{Error, Location};
use openveil_requests::value::whole;
use openveil_serve::{Database, Handle, ServeOptions, Server};
use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct ServeArguments {
    /// Offer the tables below this folder. Without it, tables are dropped on the page.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// The port on this machine [default: a free one].
    #[arg(long, value_name = "N", value_parser = whole::<u16>)]
    port: Option<u16>,
    /// Stop after this many minutes without use of the page.
    #[arg(long, value_name = "MINUTES", default_value_t = 120,
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    idle: u32,
    /// Print the address, but do not open a browser.
    #[arg(long)]
    no_browser: bool,
    /// Repeat the random draws, for tests. Every release of the page is marked unfit for
    /// publication.
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    test_seed: Option<u64>,
}

pub(crate) fn run(arguments: ServeArguments, database: Option<Database>) -> Result<Outcome, Error> {
    let server = Server::new(&ServeOptions {
        port: arguments.port,
        root: arguments.root,
        database,
        idle: Duration::from_secs(60 * u64::from(arguments.idle)),
        test_seed: arguments.test_seed,
    })?;
    let handle = server.handle();
    let ends = handle.clone();
    on_interrupt(move || ends.stop())
        .map_err(|cause| Error::new(Location::default(), cause.to_string()))?;
    let address = handle.address();
    say!("{address}");
    note!(
        "The address works once, in one browser. Press Enter for a new address. Press Ctrl-C to stop; the program then deletes the files that it made."
    );
    if !arguments.no_browser && has_browser() {
        // Ignore a failure: the user can open the printed address instead.
        drop(open::that_detached(&address));
    }
    follow_terminal(handle);
    server.run()?;
    Ok(Outcome::Done)
}

/// Returns whether the system can show a window.
fn has_browser() -> bool {
    let named = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || named("DISPLAY") || named("WAYLAND_DISPLAY")
}

/// Prints a new address for each line that the user enters, and stops the server when the terminal
/// closes.
fn follow_terminal(handle: Handle) {
    let input = std::io::stdin();
    if !input.is_terminal() || !has_the_terminal(&input) {
        return;
    }
    std::thread::spawn(move || {
        for line in input.lock().lines() {
            match line {
                Ok(_) => say!("{}", handle.address()),
                // Do not stop the server: a read error does not mean that the terminal was closed.
                Err(_) => return,
            }
        }
        handle.stop();
    });
}

/// Returns whether the program is in the foreground of its terminal. A shell stops a background
/// program that reads from the terminal.
#[cfg(target_os = "linux")]
fn has_the_terminal(input: &std::io::Stdin) -> bool {
    rustix::termios::tcgetpgrp(input).is_ok_and(|group| group == rustix::process::getpgrp())
}

#[cfg(not(target_os = "linux"))]
fn has_the_terminal(_: &std::io::Stdin) -> bool {
    true
}
