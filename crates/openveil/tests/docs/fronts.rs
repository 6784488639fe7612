//! Signatures and documentation of the Python and the R package, written from the requests: an option
//! is stated once. `OPENVEIL_WRITE=1` writes them anew.

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

fn functions() -> [Function; 6] {
    [
        function::<Inspect>(&[]),
        function::<Audit>(&[]),
        function::<Verify>(&[]),
        function::<Explain>(&["sensitive"]),
        function::<Attack>(&[]),
        function::<Compare>(&[]),
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
            // Brackets are links in the documentation of R.
            let default = default.replace("[ties]", &format!("{code}ties{code}"));
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

mod python {
    use super::*;

    const PATH: &str = "str | os.PathLike[str]";

    fn kind(field: &Field, command: &str) -> String {
        if !field.choices.is_empty() {
            let names: Vec<String> =
                field.choices.iter().map(|name| format!("\"{name}\"")).collect();
            return format!("Literal[{}]", names.join(", "));
        }
        let values = matches!(command, "verify" | "explain") && field.name == "sensitive";
        match (field.kind, field.is_list) {
            _ if field.name == "privacy" => "Model | str".to_owned(),
            (Kind::Text, true) if values => "str | Sequence[Any]".to_owned(),
            (Kind::Text, true) => "str | Sequence[str]".to_owned(),
            (Kind::Text, false) if field.may_be_bare => "str | bool".to_owned(),
            (Kind::Text, false) => "str".to_owned(),
            (Kind::Flag, _) => "bool".to_owned(),
            (Kind::Whole, true) => "Sequence[int]".to_owned(),
            (Kind::Whole, false) => "int".to_owned(),
            (Kind::Real, _) => "float".to_owned(),
            (Kind::File, true) => format!("Sequence[{PATH}]"),
            (Kind::File, false) => PATH.to_owned(),
            (Kind::Size, _) => "int | str".to_owned(),
            (Kind::Fraction, _) => "float | str".to_owned(),
            (Kind::FileOfColumn, _) => "Files".to_owned(),
            (Kind::Demands, _) => "Mapping[str, float | str]".to_owned(),
            (Kind::Population, _) => format!("int | {PATH}"),
            (Kind::Range, _) => "str | Sequence[int]".to_owned(),
            (Kind::Vector, _) => "str | Sequence[int] | Sequence[Sequence[int]]".to_owned(),
            (Kind::Layout, _) => "str | Sequence[Sequence[int]]".to_owned(),
        }
    }

    fn argument(field: &Field, command: &str) -> String {
        let kind = kind(field, command);
        let is_sequence =
            field.is_list && !matches!(field.kind, Kind::FileOfColumn | Kind::Demands);
        let (kind, default) = match &field.default {
            _ if field.kind == Kind::Flag => (kind, "False".to_owned()),
            Some(own) if is_sequence => (kind, format!("({})", own.replace(',', ", "))),
            Some(own) if matches!(field.kind, Kind::Whole | Kind::Real) => (kind, own.clone()),
            Some(own) => (kind, format!("\"{own}\"")),
            None if is_sequence => (kind, "()".to_owned()),
            None => (format!("{kind} | None"), "None".to_owned()),
        };
        let note = if field.name == "l" { "  # noqa: E741" } else { "" };
        format!("    {}: {kind} = {default},{note}\n", field.name)
    }

    /// Returns a file with the arguments of a function and their documentation anew.
    pub(super) fn written(text: String, function: &Function) -> String {
        let Function { command, options, by_position } = function;
        let is_option = |name: &str| options.iter().any(|field| field.name == name);
        let begin = format!("\ndef {command}(\n");
        let (before, rest) = text.split_once(&begin).expect("the function");
        let (signature, rest) = rest.split_once("\n) -> ").expect("the signature");
        let (document, after) = rest.split_once("\n    \"\"\"\n").expect("the docstring");
        // Arguments that are not options stay as they are: before the star, and after the options.
        let (first, last) = match signature.split_once("    *,\n") {
            Some((first, last)) => (first, last),
            None => (signature, ""),
        };
        let is_own = |line: &&str| !is_option(line.trim().split(':').next().unwrap());
        let own = |lines: &str| -> String {
            lines.lines().filter(is_own).map(|line| format!("{line}\n")).collect()
        };
        let is_first = |field: &&Field| by_position.contains(&&*field.name);
        let options_at = |first: bool| -> String {
            let options = options.iter().filter(|field| is_first(field) == first);
            let required = |line: String| line.replace(" = ()", "");
            let argument = |field| argument(field, command);
            options
                .map(|field| if first { required(argument(field)) } else { argument(field) })
                .collect()
        };
        let signature =
            format!("{}{}    *,\n{}{}", own(first), options_at(true), options_at(false), own(last));
        // Each block of the docstring begins with `:param`.
        let (summary, blocks) = document.split_once("    :param ").expect("documented arguments");
        let (blocks, end) = match blocks.split_once("    :returns") {
            Some((blocks, end)) => (blocks, format!("    :returns{end}")),
            None => (blocks, String::new()),
        };
        let blocks: Vec<&str> = blocks.split("    :param ").collect();
        let own: Vec<String> = blocks
            .iter()
            .filter(|block| !is_option(block.split(':').next().unwrap()))
            .map(|block| format!("    :param {block}"))
            .collect();
        let (front, back): (Vec<_>, Vec<_>) =
            own.into_iter().partition(|block| !block.starts_with("    :param progress"));
        let generated: String = options
            .iter()
            .map(|field| {
                let text = help(field, "``", str::to_owned).replace('\\', "\\\\");
                wrap(&format!("    :param {}:", field.name), &text, "        ")
            })
            .collect();
        format!(
            "{before}{begin}{}\n) -> {summary}{}{generated}{}{end}\n    \"\"\"\n{after}",
            signature.trim_end_matches('\n'),
            front.concat(),
            back.concat()
        )
    }
}

mod r {
    use super::*;

    /// Columns have one name in all functions.
    fn renamed(name: &str) -> String {
        match name {
            "qi" => "known",
            "sensitive" => "secret",
            other => other,
        }
        .to_owned()
    }

    fn argument(field: &Field) -> String {
        let default = match &field.default {
            _ if field.kind == Kind::Flag => "FALSE".to_owned(),
            Some(own) if field.is_list => format!("c({})", own.replace(',', ", ")),
            Some(own) if matches!(field.kind, Kind::Whole | Kind::Real) => own.clone(),
            Some(own) => format!("\"{own}\""),
            None => "NULL".to_owned(),
        };
        format!("{} = {default}", renamed(&field.name))
    }

    fn name(argument: &str) -> &str {
        argument.split(" = ").next().unwrap().trim()
    }

    /// Returns the arguments of a signature: commas within parentheses do not separate them.
    fn arguments(signature: &str) -> Vec<String> {
        let mut depth = 0;
        let parts = signature.split(|sign| {
            depth += match sign {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            sign == ',' && depth == 0
        });
        parts.map(|own| own.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    /// Returns the arguments of a function in order: its own first ones, options, its other ones.
    fn all(function: &Function, signature: &str) -> Vec<String> {
        let Function { command, options, .. } = function;
        let is_option =
            |argument: &String| options.iter().any(|own| renamed(&own.name) == name(argument));
        let own = arguments(signature).into_iter().filter(|own| !is_option(own) && own != "...");
        let is_first = |own: &String| {
            !own.contains(" = ")
                || name(own) == "data" && *command == "attack"
                || name(own) == "data" && *command == "compare"
        };
        let (first, last): (Vec<_>, Vec<_>) = own.partition(is_first);
        // An option without a default in the command has none here either.
        let required = ["algorithm", "sensitive"];
        let options = options.iter().map(|field| match *command {
            "verify" | "explain" if required.contains(&&*field.name) => renamed(&field.name),
            _ => argument(field),
        });
        first.into_iter().chain(options).chain(last).collect()
    }

    fn parts<'a>(text: &'a str, command: &str) -> (&'a str, String, &'a str, &'a str) {
        let begin = format!("\nov_{command} <- function(");
        let (before, rest) = text.split_once(&begin).expect("the function");
        let (signature, after) = rest.split_once(") {\n").expect("the signature");
        (before, begin, signature, after)
    }

    /// Returns the options' documentation as roxygen reads it.
    fn documented(field: &Field) -> String {
        let text = help(field, "`", renamed);
        wrap(&format!("#' @param {}", renamed(&field.name)), &text, "#'   ")
    }

    /// Returns a file with the arguments of a function and their documentation anew.
    pub(super) fn written(text: String, function: &Function) -> String {
        let (before, begin, signature, after) = parts(&text, function.command);
        let all = all(function, signature);
        let indent = " ".repeat(begin.len() - 1);
        let mut lines = vec![begin.trim_start().to_owned()];
        for (at, argument) in all.iter().enumerate() {
            let ends = if at + 1 == all.len() { "" } else { "," };
            let last = lines.last_mut().unwrap();
            if last.len() + argument.len() + 3 > WIDTH {
                lines.push(format!("{indent}{argument}{ends}"));
            } else {
                let space = if last.ends_with('(') { "" } else { " " };
                *last += &format!("{space}{argument}{ends}");
            }
        }
        let signature = lines.join("\n");
        // The comment directly before the function.
        let at = before.rfind("\n\n").map_or(0, |at| at + 2);
        let (before, comment) = before.split_at(at);
        let mut blocks: Vec<String> = Vec::new();
        for line in comment.lines() {
            match line.starts_with("#'   ") || blocks.is_empty() {
                true if !blocks.is_empty() => *blocks.last_mut().unwrap() += &format!("{line}\n"),
                _ => blocks.push(format!("{line}\n")),
            }
        }
        let of = |block: &String| block.strip_prefix("#' @param ").map(str::to_owned);
        let is_stale = |block: &String| {
            let Some(rest) = of(block) else { return false };
            let names = rest.split(' ').next().unwrap();
            let is_option =
                |name: &str| function.options.iter().any(|own| renamed(&own.name) == name);
            names == "..." || names.split(',').any(is_option)
        };
        let mut blocks: Vec<String> = blocks.into_iter().filter(|block| !is_stale(block)).collect();
        let is_first = |block: &String| {
            let names = of(block).map(|rest| rest.split(' ').next().unwrap().to_owned());
            let first = ["data", "release", "policy", "policies"];
            names.is_some_and(|name| first.contains(&&*name))
        };
        let at = blocks.iter().rposition(is_first).map(|at| at + 1);
        let at = at.or_else(|| blocks.iter().position(|own| own.starts_with("#' @return")));
        let options = function.options.iter().map(documented);
        blocks.splice(at.unwrap()..at.unwrap(), options);
        format!("{before}{}{signature}) {{\n{after}", blocks.concat()).replace("\n\n\n", "\n\n")
    }

    /// Returns Markdown as R's help pages write it.
    fn in_rd(text: &str) -> String {
        let escape = |text: &str| text.replace('\\', "\\\\").replace('%', "\\%");
        let code = |text: &str| escape(text).replace('{', "\\{").replace('}', "\\}");
        let parts = text.split('`').enumerate();
        parts
            .map(|(at, part)| match at % 2 {
                0 => escape(part),
                _ => format!("\\code{{{}}}", code(part)),
            })
            .collect()
    }

    /// Returns a help page with the usage of a function and its arguments anew.
    pub(super) fn page(text: String, function: &Function, code: &str) -> String {
        let all = all(function, parts(code, function.command).2);
        let call = format!("ov_{}", function.command);
        let one = format!("{call}({})", all.join(", "));
        let usage = match one.len() > 90 {
            true => format!("{call}(\n  {}\n)", all.join(",\n  ")),
            false => one,
        };
        let (before, rest) = text.split_once(&format!("{call}(")).expect("the usage");
        let mut depth = 1;
        let end = rest.find(|sign| {
            depth += match sign {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        let after = &rest[end.expect("the usage ends") + 1..];
        let text = format!("{before}{usage}{after}");
        let (before, rest) = text.split_once("\\arguments{\n").expect("arguments");
        let (items, after) = rest.split_once("\n}\n\\value{").expect("a value");
        let is_option = |name: &str| function.options.iter().any(|own| renamed(&own.name) == name);
        let own: Vec<&str> = items
            .split("\n\n")
            .filter(|item| {
                let names = item.trim_start_matches("\\item{").split('}').next().unwrap();
                names != "..." && !names.split(", ").any(is_option)
            })
            .collect();
        let option = |field: &Field| {
            let text = in_rd(&help(field, "`", renamed));
            wrap(&format!("\\item{{{}}}{{", renamed(&field.name)), &text, "")
                .replacen("{ ", "{", 1)
                .trim_end()
                .to_owned()
                + "}"
        };
        let options = function.options.iter().map(option);
        let items: Vec<String> = own
            .into_iter()
            .map(str::to_owned)
            .chain(options)
            .filter(|item| !item.is_empty())
            .collect();
        format!("{before}\\arguments{{\n{}\n}}\n\\value{{{after}", items.join("\n\n"))
    }
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
const ELSEWHERE: [(&str, &str, &str); 12] = [
    ("publish", "algorithm", "the policy's"),
    ("publish", "memory", "tables in memory are published whole"),
    ("publish", "no_report", "pages are made when they are asked for"),
    ("query", "min", "for print: the command"),
    ("query", "round", "for print: the command"),
    ("query", "mean", "`Release.mean`, `ov_query(mean = )`"),
    ("query", "quantile", "`Release.quantile`, `ov_query(quantile = )`"),
    ("complete", "tables", "`m`"),
    ("report", "metadata", "the command"),
    ("report", "template", "the command"),
    ("report", "language", "the command"),
    ("publish", "without_sample", "Python alone"),
];

#[test]
fn other_functions_take_all_options_or_say_why_not() {
    let python = fs::read_to_string(root().join("python/openveil/_release.py")).unwrap();
    let r: String = ["publish.R", "analysis.R"]
        .map(|name| fs::read_to_string(root().join("r/R").join(name)).unwrap())
        .concat();
    let requests = [
        (Publish::COMMAND, fields::<Publish>(), "def publish(", "ov_publish <- function("),
        (Query::COMMAND, fields::<Query>(), "def crosstab(", "ov_query <- function("),
        (Fit::COMMAND, fields::<Fit>(), "def fit(", "ov_fit <- function("),
        (Complete::COMMAND, fields::<Complete>(), "def samples(", "ov_complete <- function("),
        (Report::COMMAND, fields::<Report>(), "def report(", "ov_save <- function("),
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
