//! Signatures, comments and help pages of the R package.

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
    // Tables and files follow releases and policies, which have no default.
    let first: &[&str] = match *command {
        "attack" | "compare" => &["data"],
        "report" => &["path", "policy", "data"],
        _ => &[],
    };
    let is_first = |own: &String| !own.contains(" = ") || first.contains(&name(own));
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
        let is_option = |name: &str| function.options.iter().any(|own| renamed(&own.name) == name);
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
    let items: Vec<String> =
        own.into_iter().map(str::to_owned).chain(options).filter(|item| !item.is_empty()).collect();
    format!("{before}\\arguments{{\n{}\n}}\n\\value{{{after}", items.join("\n\n"))
}
