//! Tables of the reference that are generated from the code. `OPENVEIL_WRITE=1` writes them anew.

use super::fronts::ELSEWHERE;
use super::page::root;
use openveil_requests::{
    Attack, Audit, Compare, Complete, Explain, Fit, Inspect, Publish, Query, Report, Request,
    Verify, fields,
};
use std::fs;

const PAGE: &str = "docs/reference/commands.md";
const BEGIN: &str = "<!-- generated -->\n\n";
const END: &str = "\n<!-- /generated -->";

/// Options that the page asks for, by the name of its field and the source that has it. Its steps
/// make policies; all else has its default there.
const ON_THE_PAGE: [(&str, &str, &str, &str); 14] = [
    ("publish", "dry-run", "\"/dry\"", "pages/publish.rs"),
    ("inspect", "delimiter", "\"delimiter\"", "pages/bring.rs"),
    ("inspect", "encoding", "\"encoding\"", "pages/bring.rs"),
    ("audit", "qi", "\"known\"", "pages/check.rs"),
    ("audit", "sensitive", "\"secret\"", "pages/check.rs"),
    ("compare", "l", "\"l\"", "pages/ahead.rs"),
    ("compare", "style", "\"style\"", "pages/ahead.rs"),
    ("compare", "on", "\"other\"", "pages/ahead.rs"),
    ("compare", "sample", "\"sample\"", "pages/ahead.rs"),
    ("query", "where", "\"where\"", "pages/ask.rs"),
    ("query", "by", "\"by\"", "pages/ask.rs"),
    ("query", "mean", "\"mean\"", "pages/ask.rs"),
    ("query", "min", "\"min\"", "pages/ask.rs"),
    ("report", "evidence", "\"/evidence\"", "pages/publish.rs"),
];

/// Options that the command alone has: pictures, lists for other programs, tables past memory, and
/// samples and tables that are read as files. `serve` is a command only.
const COMMAND_ALONE: [(&str, &str); 10] = [
    ("publish", "memory"),
    ("publish", "plots"),
    ("inspect", "sample"),
    ("inspect", "sample-rows"),
    ("audit", "junit"),
    ("explain", "person"),
    ("explain", "plots"),
    ("compare", "plots"),
    ("attack", "plots"),
    ("report", "plots"),
];

/// The options that Python and R take as arguments of one name, by command.
fn shared() -> Vec<(&'static str, Vec<String>)> {
    fn of<R: Request>() -> (&'static str, Vec<String>) {
        (R::COMMAND, fields::<R>().into_iter().map(|field| field.name.replace('_', "-")).collect())
    }
    vec![
        of::<Attack>(),
        of::<Audit>(),
        of::<Compare>(),
        of::<Complete>(),
        of::<Explain>(),
        of::<Fit>(),
        of::<Inspect>(),
        of::<Publish>(),
        of::<Query>(),
        of::<Report>(),
        of::<Verify>(),
    ]
}

/// Returns the signs of an option: ¹ if Python or R have it in another form, ² if the page asks for
/// it, ³ if the command alone has it.
fn signs(command: &str, option: &str, shared: &[(&str, Vec<String>)]) -> String {
    let is_argument = shared
        .iter()
        .any(|(name, options)| *name == command && options.iter().any(|own| own == option));
    let name = option.replace('-', "_");
    let is_elsewhere = ELSEWHERE.iter().any(|own| (own.0, own.1) == (command, &*name));
    let is_alone = command == "serve" || COMMAND_ALONE.contains(&(command, option));
    let on_the_page = ON_THE_PAGE.iter().any(|own| (own.0, own.1) == (command, option));
    let fronts = match (is_alone, is_argument && !is_elsewhere) {
        (true, _) => "³",
        (false, true) => "",
        (false, false) => "¹",
    };
    format!("{fronts}{}", if on_the_page { "²" } else { "" })
}

/// A row for each command: its purpose, its arguments and options.
fn table() -> String {
    let mut command = openveil_cli::command();
    command.build();
    let shared = shared();
    let mut rows = Vec::new();
    for own in command.get_subcommands().filter(|own| own.get_name() != "help") {
        let nested: Vec<&clap::Command> =
            own.get_subcommands().filter(|own| own.get_name() != "help").collect();
        match nested.is_empty() {
            true => rows.push(row(own.get_name(), own, &shared)),
            false => rows.extend(nested.iter().map(|inner| {
                row(&format!("{} {}", own.get_name(), inner.get_name()), inner, &shared)
            })),
        }
    }
    format!("| command | purpose | options |\n| --- | --- | --- |\n{}", rows.concat())
}

fn row(name: &str, command: &clap::Command, shared: &[(&str, Vec<String>)]) -> String {
    let positional = command
        .get_positionals()
        .map(|argument| format!(" {}", argument.get_id().as_str().to_uppercase()));
    let is_common =
        |option: &str| matches!(option, "help" | "verbose" | "max-memory" | "json" | "version");
    let options: Vec<String> = command
        .get_arguments()
        .filter_map(|argument| argument.get_long().filter(|option| !is_common(option)))
        .map(|option| format!("`--{option}`{}", signs(name, option, shared)))
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

#[test]
fn the_page_asks_for_the_options_that_the_table_says() {
    for (command, option, field, file) in ON_THE_PAGE {
        let text = fs::read_to_string(root().join("crates/openveil-serve/src").join(file)).unwrap();
        assert!(text.contains(field), "{file} does not ask for `{option}` of {command}");
    }
    let table = table();
    for (command, option) in COMMAND_ALONE {
        let row = table.lines().find(|line| line.starts_with(&format!("| `{command}")));
        assert!(row.unwrap().contains(&format!("`--{option}`³")), "{command} has no `--{option}`");
    }
}
