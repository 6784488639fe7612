//! Explains TOML errors of a policy in words, with a suggestion of what was probably meant.

use super::{Role, grammar};
use crate::spelling::{did_you_mean, not_here};
use crate::{Error, Location};
use openveil_text::{Text, text};
use std::path::Path;

/// Explains a TOML error with its line and, for unknown keys, a suggestion.
pub fn toml_error(text: &str, path: &Path, cause: &toml::de::Error) -> Error {
    let mut place = Location::file(path);
    if let Some(span) = cause.span() {
        place = place.line(text[..span.start.min(text.len())].matches('\n').count() as u64 + 1);
    }
    let message = cause.message();
    let is_known = message.starts_with("unknown ");
    let at = cause.span().map(|span| span.start.min(text.len()));
    match at.and_then(|at| bare_text(text, at)) {
        Some(word) if !is_known => bare(place, word),
        _ => match at.and_then(|at| grammar::explain(&place, text, at, message)) {
            Some(error) => error,
            None => explain(place, message),
        },
    }
}

/// Explains a text without quotes, or a truth value in the words of another language.
fn bare(place: Location, word: &str) -> Error {
    let error = Error::new(place, text!("`{word}` is a text without quotes"));
    match word.to_lowercase().as_str() {
        "true" | "yes" | "on" | "y" => error.help("for yes, write `true`; put text in quotes"),
        "false" | "no" | "off" | "none" | "null" => {
            error.help("for no, write `false`, or leave the key out; put text in quotes")
        }
        _ => error.help(text!("put it in quotes: `\"{word}\"`")),
    }
}

/// Explains an error of serde about a key or a value, with a suggestion.
pub fn explain(place: Location, message: &str) -> Error {
    // serde lists what it knows: unknown field `x`, expected one of `a`, `b`
    let mut quoted = message.split('`').skip(1).step_by(2);
    let kind = ["field", "variant"]
        .into_iter()
        .find(|kind| message.starts_with(&format!("unknown {kind} ")));
    match (kind, quoted.next()) {
        (Some(kind), Some(found)) => {
            let mut known: Vec<&str> = quoted.collect();
            if known.contains(&Role::QuasiIdentifier.name()) {
                known.push(Role::INSENSITIVE);
            }
            let kind = if kind == "field" { "key" } else { "value" };
            let error = Error::new(place, text!("unknown {kind} `{found}`"));
            if let Some(help) = not_here(found) {
                return error.help(help);
            }
            match did_you_mean(found, known.iter().copied()) {
                Some(name) => error.help(text!("did you mean `{name}`?")),
                None if kind == "key" && known.contains(&"lowest-common-ancestor") => {
                    error.help(text!("known here: {}. A column whose name contains a dot needs quotes: `\"a.b\" = {{ … }}`", known.join(", ")))
                }
                None if known.contains(&Role::QuasiIdentifier.name()) => error.help(roles()),
                None => error.help(text!("known here: {}", known.join(", "))),
            }
        }
        _ => grammar::plain(place, message.trim_end()),
    }
}

fn roles() -> Text {
    text!(
        "roles are `quasi-identifier` (others may know it; published coarsened), `sensitive` (secret; published per group), `identifier` and `drop` (never published), `other` (for analysis: neither secret nor known to others), and with [[rules]] `attribute` (known or secret, as rules say)"
    )
}

/// Returns the unquoted word around a position at which a value is expected.
fn bare_text(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?;
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let value = line + before[line..].rfind('=')? + 1;
    let in_list = before[value..].trim_start().starts_with('[');
    let item = if in_list { value + before[value..].rfind(['[', ','])? + 1 } else { value };
    let item = text[item..].trim_start_matches([' ', '\t']);
    let end = item.find(|c: char| c.is_whitespace() || ",]}#\"'".contains(c));
    let word = &item[..end.unwrap_or(item.len())];
    let is_text = word.starts_with(|c: char| c.is_alphabetic() || "./~".contains(c));
    let is_literal = ["true", "false", "inf", "nan"].contains(&word);
    (is_text && !is_literal).then_some(word)
}

#[cfg(test)]
mod tests {
    use crate::policy::Policy;
    use std::path::Path;

    fn message(text: &str) -> String {
        Policy::parse(text, Path::new("p.toml")).unwrap_err().to_string()
    }

    #[test]
    fn text_without_quotes_is_told_to_have_some() {
        let column = |rest: &str| format!("[input]\npath = \"t\"\n[columns]\na = {{ {rest} }}\n");
        for (text, line, word) in [
            ("[input]\npath = t.csv\n".to_owned(), 2, "t.csv"),
            ("[input]\npath = /data/t.csv # it\n".to_owned(), 2, "/data/t.csv"),
            ("[input]\npath = ../t.csv".to_owned(), 2, "../t.csv"),
            ("[input]\nnames = [\"a\", nb]\n".to_owned(), 2, "nb"),
            (column("role = sensitive"), 4, "sensitive"),
            (column("role = \"drop\", type = integer"), 4, "integer"),
            (column("type = number, role = \"drop\""), 4, "number"),
            (column("type = text"), 4, "text"),
        ] {
            let message = message(&text);
            let expected = format!(
                "p.toml, line {line}: `{word}` is a text without quotes\n  help: put it in quotes: `\"{word}\"`"
            );
            assert_eq!(message, expected, "{text}");
        }
        let number = message(&column("role = \"sensitive\", weight = true"));
        assert!(!number.contains("without quotes"), "{number}");
    }

    #[test]
    fn the_opposite_is_never_suggested() {
        let role = |role: &str| {
            message(&format!("[input]\npath = \"t\"\n[columns]\na = {{ role = \"{role}\" }}\n"))
        };
        let unknown = role("zzz");
        assert!(!unknown.contains("did you mean"), "{unknown}");
        assert!(unknown.contains("`drop` (never published)"), "{unknown}");
        for (wrong, meant) in [
            ("sensitiv", "sensitive"),
            ("unsensitive", "insensitive"),
            ("non-sensitive", "other"),
            ("keep", "other"),
            ("QI", "quasi-identifier"),
        ] {
            let close = role(wrong);
            assert!(close.contains(&format!("did you mean `{meant}`?")), "{close}");
        }
    }

    #[test]
    fn a_table_in_place_of_a_policy_is_told_so() {
        let message = message("age,sex\n31,f\n");
        assert!(message.contains("for a table, `openveil inspect` writes one"), "{message}");
    }
}
