//! Finds the names in a template, and makes the expression of a message.

use crate::template::{Filled, Part, numbered};
use proc_macro2::TokenStream;
use quote::quote;

/// Sections that a package leaves out: their keys are arguments of their own, or of a column.
const LEFT_OUT: [&str; 2] = ["input", "columns"];

/// A piece of a message.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    Words(Part),
    /// An argument that is a message, by its name or number.
    Message(String),
    /// A name, and how the command and policy files write it.
    Name {
        said: Part,
        name: Name,
    },
}

/// The names of `openveil_text::Name`.
#[derive(Debug, PartialEq, Eq)]
enum Name {
    Call { command: Option<Part>, options: Vec<(Part, Option<Part>)> },
    Option { option: Part },
    Setting { key: Part, value: Part, section: Option<Part> },
    Key { key: Part, section: Part },
    Model { model: Part, parameter: Part },
    Role { role: Part },
    Section { section: Part },
    Under { section: Part },
}

/// Returns the expression that makes the message.
pub fn expression(filled: &Filled) -> syn::Result<TokenStream> {
    let mut made = quote!(::openveil_text::Text::default());
    let mut pieces: Vec<TokenStream> = Vec::new();
    for found in found(&numbered(&filled.template.value())) {
        match found {
            Found::Words(words) => {
                let words = filled.part(&words)?;
                pieces.push(quote!(::openveil_text::Piece::Words(#words)));
            }
            Found::Name { said, name } => {
                let (said, name) = (filled.part(&said)?, name.expression(filled)?);
                pieces.push(
                    quote!(::openveil_text::Piece::Name(#said, ::openveil_text::Name::#name)),
                );
            }
            Found::Message(name) => {
                let message = filled.value(&name)?;
                made = quote!(#made.and(::openveil_text::Text::new(::std::vec![#(#pieces),*])).and((#message).clone()));
                pieces.clear();
            }
        }
    }
    Ok(quote!(#made.and(::openveil_text::Text::new(::std::vec![#(#pieces),*]))))
}

impl Name {
    /// Returns the variant with its fields.
    fn expression(&self, filled: &Filled) -> syn::Result<TokenStream> {
        let optional = |part: &Option<Part>| {
            Ok::<_, syn::Error>(match part {
                None => quote!(::core::option::Option::None),
                Some(part) => {
                    let part = filled.part(part)?;
                    quote!(::core::option::Option::Some(#part))
                }
            })
        };
        Ok(match self {
            Self::Call { command, options } => {
                let command = optional(command)?;
                let options = options
                    .iter()
                    .map(|(option, value)| {
                        let (option, value) = (filled.part(option)?, optional(value)?);
                        Ok(quote!((#option, #value)))
                    })
                    .collect::<syn::Result<Vec<TokenStream>>>()?;
                quote!(Call { command: #command, options: ::std::vec![#(#options),*] })
            }
            Self::Setting { key, value, section } => {
                let (key, value) = (filled.part(key)?, filled.part(value)?);
                let section = optional(section)?;
                quote!(Setting { key: #key, value: #value, section: #section })
            }
            Self::Key { key, section } => {
                let (key, section) = (filled.part(key)?, filled.part(section)?);
                quote!(Key { key: #key, section: #section })
            }
            Self::Model { model, parameter } => {
                let (model, parameter) = (filled.part(model)?, filled.part(parameter)?);
                quote!(Model { model: #model, parameter: #parameter })
            }
            Self::Option { option } => {
                let option = filled.part(option)?;
                quote!(Option { option: #option })
            }
            Self::Role { role } => {
                let role = filled.part(role)?;
                quote!(Role { role: #role })
            }
            Self::Section { section } => {
                let section = filled.part(section)?;
                quote!(Section { section: #section })
            }
            Self::Under { section } => {
                let section = filled.part(section)?;
                quote!(Under { section: #section })
            }
        })
    }
}

/// Finds the names of a template.
fn found(template: &str) -> Vec<Found> {
    let mut reader = Reader { found: Vec::new(), words: String::new(), rest: template };
    while let Some(next) = reader.rest.chars().next() {
        let is_read = match next {
            '{' => reader.message(),
            '`' => reader.quoted(),
            '[' => reader.section(),
            '-' => reader.option(),
            ' ' | 'u' => reader.under(),
            _ => false,
        };
        if !is_read {
            reader.words.push(next);
            reader.rest = &reader.rest[next.len_utf8()..];
        }
    }
    reader.end_words();
    reader.found
}

/// Reads a template from its start to its end.
struct Reader<'a> {
    found: Vec<Found>,
    /// Words that are not among the found pieces yet.
    words: String,
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn end_words(&mut self) {
        if !self.words.is_empty() {
            self.found.push(Found::Words(Part(std::mem::take(&mut self.words))));
        }
    }

    /// Adds a name that is written by the first `length` bytes of the rest.
    fn push(&mut self, length: usize, name: Name) -> bool {
        self.end_words();
        let (said, rest) = self.rest.split_at(length);
        self.found.push(Found::Name { said: part(said), name });
        self.rest = rest;
        true
    }

    /// Reads what is in quotes, with the section that follows.
    fn quoted(&mut self) -> bool {
        let Some((inside, after)) = self.rest[1..].split_once('`') else {
            return false;
        };
        let length = inside.len() + 2;
        if let Some(name) = call(inside) {
            return self.push(length, name);
        }
        if let Some((section, of)) = bracketed(inside)
            && of == inside.len()
        {
            return self.push(length, Name::Section { section: part(section) });
        }
        if self.words.ends_with("role ") && is_word(inside) {
            return self.push(length, Name::Role { role: part(inside) });
        }
        let section = after.strip_prefix(" under ").and_then(bracketed);
        let whole = section.map_or(length, |(_, length_of)| length + " under ".len() + length_of);
        let of = section.map(|(section, _)| section);
        let Some((key, value)) = inside.split_once(" = ") else {
            if let Some(section) = of {
                let name = Name::Key { key: part(inside), section: part(section) };
                return self.push(whole, name);
            }
            self.words.push_str(&self.rest[..length]);
            self.rest = after;
            return true;
        };
        if key == "model"
            && of.is_none()
            && let Some((parameter, more)) = parameter(after)
        {
            let model = part(value.trim_matches('"'));
            let name = Name::Model { model, parameter: part(parameter) };
            return self.push(length + more, name);
        }
        // A section may stand before its key: `[ties] id = "hhid"`.
        let own = bracketed(key).filter(|(_, end)| key[*end..].starts_with(' '));
        let (key, of) = match own {
            Some((section, end)) => (&key[end + 1..], Some(section)),
            None => (key, of),
        };
        let name = Name::Setting { key: part(key), value: part(value), section: of.map(part) };
        self.push(whole, name)
    }

    /// Reads a placeholder of a message: `{name:text}`.
    fn message(&mut self) -> bool {
        let placeholder = self.rest[1..].split_once('}');
        let Some((name, after)) =
            placeholder.and_then(|(inside, after)| Some((inside.strip_suffix(":text")?, after)))
        else {
            return false;
        };
        self.end_words();
        self.found.push(Found::Message(name.to_owned()));
        self.rest = after;
        true
    }

    fn section(&mut self) -> bool {
        match bracketed(self.rest) {
            Some((section, length)) => self.push(length, Name::Section { section: part(section) }),
            None => false,
        }
    }

    /// Reads an option without quotes, as in the place of a problem.
    fn option(&mut self) -> bool {
        let is_start = self.words.is_empty() && self.found.is_empty();
        match self.rest.strip_prefix("--") {
            Some(rest) if is_start || self.words.ends_with([' ', '(']) => {
                let name = word(rest);
                if name.is_empty() {
                    return false;
                }
                self.push(2 + name.len(), Name::Option { option: part(name) })
            }
            _ => false,
        }
    }

    /// Reads a section that belongs to no key.
    fn under(&mut self) -> bool {
        let before = if self.rest.starts_with(' ') { 1 } else { 0 };
        let starts = before == 1 || self.words.is_empty() || self.words.ends_with(' ');
        let Some(rest) = self.rest[before..].strip_prefix("under ").filter(|_| starts) else {
            return false;
        };
        let Some((section, length)) = bracketed(rest).filter(|own| LEFT_OUT.contains(&own.0))
        else {
            return false;
        };
        let length = before + "under ".len() + length;
        // "under [input], set …"
        let comma = if before == 0 && self.rest[length..].starts_with(", ") { 2 } else { 0 };
        self.push(length + comma, Name::Under { section: part(section) })
    }
}

/// Reads `[section]` or `[[section]]` at the start of a text; returns its length too.
fn bracketed(text: &str) -> Option<(&str, usize)> {
    let inside = text.trim_start_matches('[');
    let marks = text.len() - inside.len();
    let name = word(inside);
    let closing = "]".repeat(marks);
    let is_section = (1..=2).contains(&marks) && !name.is_empty();
    (is_section && inside[name.len()..].starts_with(&closing))
        .then_some((name, name.len() + 2 * marks))
}

/// Reads a call of the command, or options.
fn call(inside: &str) -> Option<Name> {
    let (command, options) = match inside.strip_prefix("openveil ") {
        None => (None, inside),
        Some(rest) => {
            let command = word(rest);
            (Some(command), rest[command.len()..].trim_start())
        }
    };
    let mut read = Vec::new();
    let mut words = options.split(' ').filter(|own| !own.is_empty()).peekable();
    while let Some(own) = words.next() {
        let own = own.strip_prefix("--")?;
        let name = word(own);
        let value = match own[name.len()..].strip_prefix('=') {
            Some(value) => Some(value),
            None if name.len() < own.len() || name.is_empty() => return None,
            None => words.next_if(|next| !next.starts_with("--")),
        };
        read.push((part(name), value.map(part)));
    }
    match command {
        Some("") => None,
        None if read.is_empty() => None,
        _ => Some(Name::Call { command: command.map(part), options: read }),
    }
}

/// Reads the parameter of a model after its name: "`, `l = 5`" or "` and `l`".
fn parameter(after: &str) -> Option<(&str, usize)> {
    let (rest, before) = match after.strip_prefix(", `") {
        Some(rest) => (rest, 3),
        None => (after.strip_prefix(" and `")?, 6),
    };
    let (inside, _) = rest.split_once('`')?;
    let shown = inside.split_once(" = ").map_or(inside, |(_, value)| value);
    Some((shown, before + inside.len() + 1))
}

/// Returns the word at the start of a text: letters and hyphens, or one placeholder.
fn word(text: &str) -> &str {
    if text.starts_with('{') && !text.starts_with("{{") {
        return text.find('}').map_or("", |end| &text[..=end]);
    }
    let is_part = |own: char| own.is_ascii_lowercase() || own == '-';
    &text[..text.find(|own| !is_part(own)).unwrap_or(text.len())]
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && word(text).len() == text.len()
}

fn part(text: &str) -> Part {
    Part(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(said: &str, name: Name) -> Found {
        Found::Name { said: part(said), name }
    }

    fn words(text: &str) -> Found {
        Found::Words(part(text))
    }

    #[test]
    fn names_are_found_and_other_words_stay() {
        let setting = Name::Setting {
            key: part("missing"),
            value: part("\"keep\""),
            section: Some(part("input")),
        };
        assert_eq!(
            found("set `missing = \"keep\"` under [input], or leave `{0}` out"),
            [
                words("set "),
                name("`missing = \"keep\"` under [input]", setting),
                words(", or leave `{0}` out"),
            ],
        );
        let call = Name::Call {
            command: Some(part("compare")),
            options: vec![(part("sample"), Some(part("FILE"))), (part("{option}"), None)],
        };
        let text = "`openveil compare --sample FILE --{option}`";
        assert_eq!(found(text), [name(text, call)]);
        let odd = "`openveil publish {0}`, `--`, `a b`, [1, 2), (a--b)";
        assert_eq!(found(odd), [words(odd)]);
    }

    #[test]
    fn sections_roles_and_models_are_names() {
        assert_eq!(
            found("under [input], [[rules]] {what:text}"),
            [
                name("under [input], ", Name::Under { section: part("input") }),
                name("[[rules]]", Name::Section { section: part("rules") }),
                words(" "),
                Found::Message("what".to_owned()),
            ],
        );
        let model = Name::Model { model: part("l-diversity"), parameter: part("5") };
        assert_eq!(
            found("role `{role}`, `model = \"l-diversity\"`, `l = 5`"),
            [
                words("role "),
                name("`{role}`", Name::Role { role: part("{role}") }),
                words(", "),
                name("`model = \"l-diversity\"`, `l = 5`", model),
            ],
        );
        let key = Name::Key { key: part("odds"), section: part("reader") };
        assert_eq!(
            found("(--where) `odds` under [reader]"),
            [
                words("("),
                name("--where", Name::Option { option: part("where") }),
                words(") "),
                name("`odds` under [reader]", key),
            ],
        );
    }
}
