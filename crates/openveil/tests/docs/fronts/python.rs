//! Signatures and docstrings of the Python package.

use super::*;

const PATH: &str = "str | os.PathLike[str]";

fn kind(field: &Field, command: &str) -> String {
    if !field.choices.is_empty() {
        let names: Vec<String> = field.choices.iter().map(|name| format!("\"{name}\"")).collect();
        let one = format!("Literal[{}]", names.join(", "));
        return if field.is_list { format!("Sequence[{one}]") } else { one };
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
        (Kind::Demands, _) => "str | Mapping[str, float | str]".to_owned(),
        (Kind::Population, _) => format!("int | {PATH}"),
        (Kind::Range, _) => "str | Sequence[int]".to_owned(),
        (Kind::Vector, _) => "str | Sequence[int] | Sequence[Sequence[int]]".to_owned(),
        (Kind::Layout, _) => "str | Sequence[Sequence[int]]".to_owned(),
    }
}

fn argument(field: &Field, command: &str) -> String {
    let kind = kind(field, command);
    let is_sequence = field.is_list && !matches!(field.kind, Kind::FileOfColumn | Kind::Demands);
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
