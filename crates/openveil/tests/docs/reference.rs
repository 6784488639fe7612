//! Tables of the reference that are generated from the code. `OPENVEIL_WRITE=1` writes them anew.

use super::page::root;
use std::fs;

const PAGE: &str = "docs/reference/commands.md";
const BEGIN: &str = "<!-- generated -->\n\n";
const END: &str = "\n<!-- /generated -->";

/// A row for each command: its purpose, its arguments and options.
fn table() -> String {
    let mut command = openveil_cli::command();
    command.build();
    let mut rows = Vec::new();
    for own in command.get_subcommands().filter(|own| own.get_name() != "help") {
        let nested: Vec<&clap::Command> =
            own.get_subcommands().filter(|own| own.get_name() != "help").collect();
        match nested.is_empty() {
            true => rows.push(row(own.get_name(), own)),
            false => rows.extend(
                nested
                    .iter()
                    .map(|inner| row(&format!("{} {}", own.get_name(), inner.get_name()), inner)),
            ),
        }
    }
    format!("| command | purpose | options |\n| --- | --- | --- |\n{}", rows.concat())
}

fn row(name: &str, command: &clap::Command) -> String {
    let positional = command
        .get_positionals()
        .map(|argument| format!(" {}", argument.get_id().as_str().to_uppercase()));
    let is_common =
        |option: &str| matches!(option, "help" | "verbose" | "max-memory" | "json" | "version");
    let options: Vec<String> = command
        .get_arguments()
        .filter_map(|argument| argument.get_long().filter(|option| !is_common(option)))
        .map(|option| format!("`--{option}`"))
        .collect();
    let purpose = command.get_about().map(ToString::to_string).unwrap_or_default();
    format!("| `{name}{}` | {purpose} | {} |\n", positional.collect::<String>(), options.join(", "))
}

#[test]
fn the_table_of_commands_is_that_of_the_program() {
    let path = root().join(PAGE);
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the table begins");
    let (shown, after) = rest.split_once(END).expect("the table ends");
    let table = table();
    if std::env::var_os("OPENVEIL_WRITE").is_some() {
        fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
    } else {
        assert_eq!(shown, table, "run the test with OPENVEIL_WRITE=1");
    }
}
