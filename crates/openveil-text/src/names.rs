//! Finds the names in a template.

use crate::{Argument, Text};
use std::borrow::Cow;

/// Sections that a package leaves out: their keys are arguments of their own, or of a column.
const LEFT_OUT: [&str; 2] = ["input", "columns"];

/// Words between a key and its section.
const UNDER: [&str; 2] = [" under ", " unter "];

/// Words before the name of a role.
const ROLE_BEFORE: [&str; 2] = ["role ", "Rolle "];

/// Something that is named differently in a policy file, on the command line and in packages.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Name<'a> {
    /// A command with options, or options: `openveil fit --worlds 0`, `--certify`.
    Call {
        /// The command, if it is named.
        command: Option<Cow<'a, str>>,
        /// The options without hyphens, with their values.
        options: Vec<(Cow<'a, str>, Option<Cow<'a, str>>)>,
    },
    /// An option in running text, without hyphens, as in the place of a problem.
    Option(Cow<'a, str>),
    /// A key of a policy with a value: `missing = "keep"`.
    Setting {
        /// The key; the name of a column if the value is a table with its role.
        key: Cow<'a, str>,
        /// The value, as a policy file writes it.
        value: Cow<'a, str>,
        /// The section, if the message names it.
        section: Option<Cow<'a, str>>,
    },
    /// A key of a section.
    Key { key: Cow<'a, str>, section: Cow<'a, str> },
    /// A model with a parameter: `model = "l-diversity"`, `l = 5`.
    Model {
        /// The model's name in policy files.
        model: Cow<'a, str>,
        /// The parameter's value, or its name if any value is meant.
        parameter: Cow<'a, str>,
    },
    /// A role of columns, by its name in policy files.
    Role(Cow<'a, str>),
    /// A section of a policy, without brackets.
    Section(Cow<'a, str>),
    /// The section of a key that is named later. Packages do not say it.
    Under,
}

/// A piece of a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found<'a> {
    /// Words that all fronts say.
    Words(Cow<'a, str>),
    /// Another message.
    Message(&'a Text),
    /// A name, and how the command and policy files write it.
    Name(Cow<'a, str>, Name<'a>),
}

/// Finds the names of a template, and fills in its arguments. O(length).
pub(crate) fn found<'a>(template: &'a str, arguments: &'a [Argument]) -> Vec<Found<'a>> {
    let mut reader = Reader { template, arguments, start: 0, at: 0, found: Vec::new() };
    while let Some(next) = reader.rest().chars().next() {
        let is_read = match next {
            '{' => reader.message(),
            '`' => reader.quoted(),
            '[' => reader.section(),
            '-' => reader.option(),
            ' ' | 'u' => reader.under(),
            _ => false,
        };
        if !is_read {
            reader.at += next.len_utf8();
        }
    }
    reader.end_words();
    reader.found
}

/// Reads a template from its start to its end.
struct Reader<'a> {
    template: &'a str,
    arguments: &'a [Argument],
    /// Where words start that are not among the found pieces yet.
    start: usize,
    at: usize,
    found: Vec<Found<'a>>,
}

impl<'a> Reader<'a> {
    fn words(&self) -> &'a str {
        &self.template[self.start..self.at]
    }

    fn rest(&self) -> &'a str {
        &self.template[self.at..]
    }

    fn fill(&self, part: &'a str) -> Cow<'a, str> {
        filled(part, self.arguments)
    }

    fn end_words(&mut self) {
        if !self.words().is_empty() {
            self.found.push(Found::Words(self.fill(self.words())));
        }
    }

    /// Adds a piece that is written by the next `length` bytes.
    fn push(&mut self, length: usize, found: Found<'a>) -> bool {
        self.end_words();
        self.found.push(found);
        self.at += length;
        self.start = self.at;
        true
    }

    fn push_name(&mut self, length: usize, name: Name<'a>) -> bool {
        let said = self.fill(&self.rest()[..length]);
        self.push(length, Found::Name(said, name))
    }

    /// Reads what is in quotes, with the section that follows.
    fn quoted(&mut self) -> bool {
        let Some((inside, after)) = self.rest()[1..].split_once('`') else {
            return false;
        };
        let length = inside.len() + 2;
        if let Some(name) = self.call(inside) {
            return self.push_name(length, name);
        }
        if let Some((section, of)) = bracketed(inside)
            && of == inside.len()
        {
            return self.push_name(length, Name::Section(self.fill(section)));
        }
        if ROLE_BEFORE.iter().any(|role| self.words().ends_with(role)) && is_word(inside) {
            return self.push_name(length, Name::Role(self.fill(inside)));
        }
        let section = UNDER.iter().find_map(|under| {
            let (section, of) = bracketed(after.strip_prefix(under)?)?;
            Some((section, length + under.len() + of))
        });
        let whole = section.map_or(length, |(_, whole)| whole);
        let of = section.map(|(section, _)| section);
        let Some((key, value)) = inside.split_once(" = ") else {
            if let Some(section) = of {
                let name = Name::Key { key: self.fill(inside), section: self.fill(section) };
                return self.push_name(whole, name);
            }
            self.at += length;
            return true;
        };
        if key == "model"
            && of.is_none()
            && let Some((parameter, more)) = parameter(after)
        {
            let model = self.fill(value.trim_matches('"'));
            let name = Name::Model { model, parameter: self.fill(parameter) };
            return self.push_name(length + more, name);
        }
        // A section may stand before its key: `[ties] id = "hhid"`.
        let own = bracketed(key).filter(|(_, end)| key[*end..].starts_with(' '));
        let (key, of) = match own {
            Some((section, end)) => (&key[end + 1..], Some(section)),
            None => (key, of),
        };
        let section = of.map(|of| self.fill(of));
        let name = Name::Setting { key: self.fill(key), value: self.fill(value), section };
        self.push_name(whole, name)
    }

    /// Reads a placeholder of a message: `{name:text}`.
    fn message(&mut self) -> bool {
        let Some((inside, _)) = self.rest()[1..].split_once('}') else {
            return false;
        };
        let is_message = inside.ends_with(":text");
        match self.arguments.iter().find(|(name, _)| is_message && *name == inside) {
            Some((_, message)) => self.push(inside.len() + 2, Found::Message(message)),
            None => false,
        }
    }

    fn section(&mut self) -> bool {
        match bracketed(self.rest()) {
            Some((section, length)) => self.push_name(length, Name::Section(self.fill(section))),
            None => false,
        }
    }

    /// Reads an option without quotes, as in the place of a problem.
    fn option(&mut self) -> bool {
        match self.rest().strip_prefix("--") {
            Some(rest) if self.at == 0 || self.words().ends_with([' ', '(']) => {
                let name = word(rest);
                if name.is_empty() {
                    return false;
                }
                self.push_name(2 + name.len(), Name::Option(self.fill(name)))
            }
            _ => false,
        }
    }

    /// Reads a section that belongs to no key.
    fn under(&mut self) -> bool {
        let before = if self.rest().starts_with(' ') { 1 } else { 0 };
        let starts = before == 1 || self.words().is_empty() || self.words().ends_with(' ');
        let Some(rest) = self.rest()[before..].strip_prefix("under ").filter(|_| starts) else {
            return false;
        };
        let Some((_, length)) = bracketed(rest).filter(|own| LEFT_OUT.contains(&own.0)) else {
            return false;
        };
        let length = before + "under ".len() + length;
        // "under [input], set …"
        let comma = if before == 0 && self.rest()[length..].starts_with(", ") { 2 } else { 0 };
        self.push_name(length + comma, Name::Under)
    }

    /// Reads a call of the command, or options.
    fn call(&self, inside: &'a str) -> Option<Name<'a>> {
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
            read.push((self.fill(name), value.map(|own| self.fill(own))));
        }
        match command {
            Some("") => None,
            None if read.is_empty() => None,
            _ => Some(Name::Call { command: command.map(|own| self.fill(own)), options: read }),
        }
    }
}

/// Fills in the arguments of a part of a template. Doubled braces are braces.
fn filled<'a>(part: &'a str, arguments: &[Argument]) -> Cow<'a, str> {
    if !part.contains(['{', '}']) {
        return part.into();
    }
    let (mut made, mut rest) = (String::with_capacity(part.len()), part);
    while let Some(at) = rest.find(['{', '}']) {
        made.push_str(&rest[..at]);
        let inside = rest[at..].strip_prefix('{').and_then(|rest| Some(rest.split_once('}')?.0));
        let argument = arguments.iter().find(|(name, _)| inside == Some(name));
        match argument {
            Some((name, value)) => {
                made.push_str(&value.to_string());
                rest = &rest[at + name.len() + 2..];
            }
            None => {
                made.push_str(&rest[at..=at]);
                let is_doubled = rest[at + 1..].starts_with(&rest[at..=at]);
                rest = &rest[at + if is_doubled { 2 } else { 1 }..];
            }
        }
    }
    made.push_str(rest);
    made.into()
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

#[cfg(test)]
mod tests;
