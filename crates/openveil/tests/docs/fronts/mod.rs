//! Signatures and documentation of the Python and the R package, written from the requests: an option
//! is stated once. `OPENVEIL_WRITE=1` writes them anew.

mod python;
mod r;

use super::page::root;
use openveil_requests::{
    Attack, Audit, Compare, Complete, Explain, Field, Fit, Inspect, Kind, Publish, Query, Report,
    Request, Verify, fields,
};
use std::fs;

/// A function of a package whose arguments are the options of a command.
struct Function {
    command: &'static str,
    options: Vec<Field>,
    /// Options that Python takes by position.
    by_position: &'static [&'static str],
}

fn function<R: Request>(by_position: &'static [&'static str]) -> Function {
    Function { command: R::COMMAND, options: fields::<R>(), by_position }
}

fn functions() -> [Function; 7] {
    [
        function::<Inspect>(&[]),
        function::<Audit>(&[]),
        function::<Verify>(&[]),
        function::<Explain>(&["sensitive"]),
        function::<Attack>(&[]),
        function::<Compare>(&[]),
        function::<Report>(&[]),
    ]
}

/// The widest line of a signature or of documentation.
const WIDTH: usize = 100;

/// Compares a file with its text as it should be, or writes it.
fn check(path: &str, should: impl Fn(String) -> String) {
    let file = root().join(path);
    let text = fs::read_to_string(&file).unwrap();
    let due = should(text.clone());
    if std::env::var_os("OPENVEIL_WRITE").is_some() {
        fs::write(&file, due).unwrap();
    } else {
        let line = text.lines().zip(due.lines()).find(|(own, due)| own != due);
        assert!(text == due, "{path}: run the test with OPENVEIL_WRITE=1: {line:?}");
    }
}

/// Returns the documentation of an option, with `code` around names.
fn help(field: &Field, code: &str, renamed: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    for (at, part) in field.help.split('`').enumerate() {
        if at % 2 == 0 {
            text += part;
            continue;
        }
        let name = match part.strip_prefix("--") {
            Some(option) if !option.contains(' ') => renamed(&option.replace('-', "_")),
            _ => part.to_owned(),
        };
        text += &format!("{code}{name}{code}");
    }
    let text = match text.split_once(" [default: ") {
        Some((before, rest)) => {
            let mut depth = 1;
            let end = rest.find(|sign| {
                depth += i32::from(sign == '[') - i32::from(sign == ']');
                depth == 0
            });
            let (default, after) = rest.split_at(end.expect("the bracket is closed"));
            format!("{before} (default: {default}){}", &after[1..])
        }
        None => text,
    };
    if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}

/// Wraps a text after its beginning; further lines are indented.
fn wrap(first: &str, text: &str, indent: &str) -> String {
    let mut lines = vec![first.to_owned()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().unwrap();
        if last.chars().count() + 1 + word.chars().count() > WIDTH && last.trim() != "" {
            lines.push(format!("{indent}{word}"));
        } else {
            *last += &format!("{}{word}", if last.ends_with(' ') { "" } else { " " });
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn functions_of_python_take_all_options() {
    check("python/openveil/_commands.py", |text| functions().iter().fold(text, python::written));
}

#[test]
fn functions_of_r_take_all_options() {
    check("r/R/commands.R", |text| functions().iter().fold(text, r::written));
    let code = fs::read_to_string(root().join("r/R/commands.R")).unwrap();
    for function in functions() {
        check(&format!("r/man/ov_{}.Rd", function.command), |text| r::page(text, &function, &code));
    }
}

/// Options that a package has otherwise, or cannot have, and why.
pub(super) const ELSEWHERE: [(&str, &str, &str); 6] = [
    ("publish", "algorithm", "the policy's"),
    ("publish", "memory", "tables in memory are published whole"),
    ("publish", "no_report", "pages are made when they are asked for"),
    ("query", "mean", "`Release.mean`, `ov_query(mean = )`"),
    ("query", "quantile", "`Release.quantile`, `ov_query(quantile = )`"),
    ("complete", "tables", "`m`"),
];

#[test]
fn other_functions_take_all_options_or_say_why_not() {
    let python: String = ["_publish.py", "_release.py"]
        .map(|name| fs::read_to_string(root().join("python/openveil").join(name)).unwrap())
        .concat();
    let r: String = ["publish.R", "analysis.R"]
        .map(|name| fs::read_to_string(root().join("r/R").join(name)).unwrap())
        .concat();
    let requests = [
        (Publish::COMMAND, fields::<Publish>(), "def publish(", "ov_publish <- function("),
        (Query::COMMAND, fields::<Query>(), "def crosstab(", "ov_query <- function("),
        (Fit::COMMAND, fields::<Fit>(), "def fit(", "ov_fit <- function("),
        (Complete::COMMAND, fields::<Complete>(), "def samples(", "ov_complete <- function("),
    ];
    for (command, options, in_python, in_r) in requests {
        for (text, begin) in [(&python, in_python), (&r, in_r)] {
            let (_, rest) = text.split_once(begin).expect(begin);
            let signature = rest.split([')', '{']).next().unwrap();
            for option in &options {
                let is_there = signature.contains(&format!("{}:", option.name))
                    || signature.contains(&format!("{} =", option.name));
                let elsewhere =
                    ELSEWHERE.iter().any(|own| (own.0, own.1) == (command, &option.name));
                assert!(is_there || elsewhere, "{begin} lacks `{}` of {command}", option.name);
            }
        }
    }
}
