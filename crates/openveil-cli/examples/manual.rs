//! Writes the manual pages and shell completions that packages contain into a folder:
//! `cargo run -p openveil-cli --example manual -- FOLDER`.

use clap_complete::Shell;
use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::args_os().nth(1).ok_or("name a folder")?);
    let (pages, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&pages)?;
    fs::create_dir_all(&completions)?;
    let mut command = openveil_cli::command().disable_help_subcommand(true);
    command.build();
    clap_mangen::generate_to(command.clone(), &pages)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut command, "openveil", &completions)?;
    }
    Ok(())
}
