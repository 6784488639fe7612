//! Rewrites messages for a language: the engine names the command's options and keys of policy
//! files; a package has functions and arguments.

use crate::policy::ROLES;
use regex_lite::{Captures, Regex};
use std::sync::LazyLock;

/// The language of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `ov.publish(missing="keep")`.
    Python,
    /// `ov_publish(missing = "keep")`.
    R,
}

/// Options of the command that take no value.
const SWITCHES: [&str; 4] =
    ["correlations", "i_accept_algorithm_disclosure", "trim", "true_values"];

/// Commands that query a release, by the names of Python's methods.
const OF_RELEASES: [(&str, &str); 4] =
    [("complete", "samples"), ("fit", "fit"), ("query", "query"), ("report", "report")];

/// Keys of a policy that are arguments; hyphens in their names become underscores.
const ARGUMENTS: [&str; 11] = [
    "cells",
    "combine",
    "decomposition",
    "missing",
    "link",
    "missing_values",
    "protect",
    "rows-are-people",
    "smallest-group",
    "strata",
    "style",
];

/// Keys of a policy by the argument whose named values hold them. `ties` comes before `persons`,
/// because an `id` without a section belongs to `persons`.
const SECTIONS: [(&str, &[&str]); 6] = [
    ("history", &["changes", "episode", "state"]),
    ("input", &["decimal", "delimiter", "encoding", "escape", "names", "person", "sheet", "trim"]),
    ("output", &["dir", "spreadsheet-safe"]),
    ("ties", &["id", "largest"]),
    ("persons", &["id", "rows", "varying"]),
    ("reader", &["inside", "measure", "odds", "people", "public"]),
];

/// Sections that are not arguments with named values.
const OTHER_SECTIONS: [&str; 3] = ["algorithm", "dependencies", "rules"];

/// Keys of a column.
const OF_COLUMNS: [&str; 7] =
    ["exempt", "floor", "format", "hierarchy", "order", "publish", "type"];

/// Arguments of models that messages name.
const OF_MODELS: [&str; 2] = ["distance", "variant"];

static COMMAND: LazyLock<Regex> = LazyLock::new(|| regex(r"`(?:openveil ([a-z]+))? ?(--[^`]+)?`"));
/// An option without quotes, as in the location of a problem.
static PLACE: LazyLock<Regex> = LazyLock::new(|| regex(r"(^|[\s(])--([a-z][a-z-]*)"));
static OPTION: LazyLock<Regex> = LazyLock::new(|| regex(r"--([a-z][a-z-]*)(?:[ =]([^ ]+))?"));
static NUMBER: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:[\d.]+|[A-Z]+)$"));
static ROLE: LazyLock<Regex> = LazyLock::new(|| regex(r"role `([a-z-]+)`"));
static KEY: LazyLock<Regex> = LazyLock::new(|| regex(r"`([^`\n]+)`(?: under \[([a-z]+)\])?"));
static SECTION: LazyLock<Regex> = LazyLock::new(|| regex(r"\[?\[([a-z]+)\]\]?"));
static SET_ROLE: LazyLock<Regex> = LazyLock::new(|| regex(r#"^\{ role = "([a-z-]+)" \}$"#));
static LIST: LazyLock<Regex> = LazyLock::new(|| regex(r"^\[(.*)\]$"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("patterns of this file are well-formed")
}

impl Language {
    /// Returns a message with the command and its options replaced by functions and arguments.
    pub fn of_options(self, text: &str) -> String {
        let text = COMMAND.replace_all(text, |found: &Captures| self.call(found));
        PLACE
            .replace_all(&text, |found: &Captures| {
                let name = found[2].replace('-', "_");
                format!("{}`{}`", &found[1], self.renamed(&name))
            })
            .into_owned()
    }

    /// Returns a message with the keys of a policy file replaced by arguments; `column` is the
    /// column that the message is about.
    pub fn of_keys(self, text: &str, column: Option<&str>) -> String {
        let mut text = text.to_owned();
        for (said, ours) in self.phrases() {
            text = text.replace(said, &ours);
        }
        let text = ROLE
            .replace_all(&text, |found: &Captures| format!("role `{}`", role_argument(&found[1])));
        let text = KEY.replace_all(&text, |found: &Captures| self.key(found, column));
        let text = text.replace("under [input], ", "");
        SECTION
            .replace_all(&text, |found: &Captures| match section_argument(&found[1]) {
                Some(name) => format!("`{name}`"),
                None => found[0].to_owned(),
            })
            .into_owned()
    }

    /// Phrases that cannot be translated word by word.
    fn phrases(self) -> [(&'static str, String); 9] {
        let model = |given: &str| self.set("model", &self.model("l_diversity", given));
        let several = self.model("all_of", &format!("…, {}", self.model("l_diversity", "…")));
        [
            ("has no section [privacy]", "has no `model`".to_owned()),
            ("`model = \"l-diversity\"`, `l = 5`", format!("`{}`", model("5"))),
            ("`model = \"l-diversity\"` and `l`, without", format!("`{}`, without", model("l"))),
            (
                "give the column that must stay secret `role = \"sensitive\"`",
                format!(
                    "name the column that must stay secret: `{}`",
                    self.set("secret", "").trim_end()
                ),
            ),
            (
                "`all = [ { … }, { model = \"l-diversity\", l = … } ]`",
                format!("`{}`", self.set("model", &several)),
            ),
            (
                " or another role under [columns]",
                ", or name it in `known`, `secret`, `other` or `identifier`".to_owned(),
            ),
            (" under [columns]", String::new()),
            (" under [input] as ", " as ".to_owned()),
            ("(under [", "(in [".to_owned()),
        ]
    }

    /// Formats an argument with its value.
    fn set(self, name: &str, value: &str) -> String {
        match self {
            Self::Python => format!("{name}={value}"),
            Self::R => format!("{name} = {value}"),
        }
    }

    fn model(self, name: &str, arguments: &str) -> String {
        match self {
            Self::Python => format!("ov.{name}({arguments})"),
            Self::R => format!("ov_{name}({arguments})"),
        }
    }

    fn yes(self) -> &'static str {
        match self {
            Self::Python => "True",
            Self::R => "TRUE",
        }
    }

    /// Formats an argument with a single named value. Names of columns are quoted in both
    /// languages.
    fn named(self, name: &str, value: &str) -> String {
        match self {
            Self::Python => format!("{{\"{name}\": {value}}}"),
            Self::R if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
                format!("list({name} = {value})")
            }
            Self::R => format!("list(\"{name}\" = {value})"),
        }
    }

    /// Formats a value of a policy file.
    fn value(self, toml: &str) -> String {
        match (self, toml) {
            (Self::Python, "true") => "True".to_owned(),
            (Self::Python, "false") => "False".to_owned(),
            (Self::Python, other) => other.to_owned(),
            (Self::R, "true") => "TRUE".to_owned(),
            (Self::R, "false") => "FALSE".to_owned(),
            (Self::R, other) => LIST.replace(other, "c($1)").into_owned(),
        }
    }

    fn call(self, found: &Captures) -> String {
        let (command, options) = (found.get(1), found.get(2));
        if command.is_none() && options.is_none() {
            return found[0].to_owned();
        }
        let empty = if command.is_some() { self.set("", "…") } else { String::new() };
        let options = options.map_or("", |own| own.as_str());
        let arguments: Vec<String> = OPTION
            .captures_iter(options)
            .map(|option| {
                let name = option[1].replace('-', "_");
                self.argument(&name, option.get(2).map(|own| own.as_str()), &empty)
            })
            .collect();
        let arguments = arguments.join(", ");
        let Some(command) = command else {
            return format!("`{arguments}`");
        };
        let method = OF_RELEASES.iter().find(|(own, _)| *own == command.as_str());
        let name = match (self, method) {
            (Self::Python, Some((_, method))) => format!("Release.{method}"),
            (Self::Python, None) => format!("ov.{}", command.as_str()),
            (Self::R, _) => format!("ov_{}", command.as_str()),
        };
        if arguments.is_empty() { format!("`{name}`") } else { format!("`{name}({arguments})`") }
    }

    /// Returns the name of an option; some differ in R, where columns have one name in all
    /// functions.
    fn renamed(self, name: &str) -> &str {
        match (self, name) {
            (Self::R, "qi") => "known",
            (Self::R, "sensitive") => "secret",
            _ => name,
        }
    }

    fn argument(self, name: &str, value: Option<&str>, empty: &str) -> String {
        let name = self.renamed(name);
        let Some(value) = value else {
            return if SWITCHES.contains(&name) {
                self.set(name, self.yes())
            } else {
                format!("{name}{empty}")
            };
        };
        let plain = value.trim_matches('\'');
        // A number, or a word for a value, is not a text.
        if NUMBER.is_match(plain) {
            self.set(name, plain)
        } else {
            self.set(name, &format!("\"{plain}\""))
        }
    }

    fn key(self, found: &Captures, column: Option<&str>) -> String {
        let said = &found[1];
        let section = found.get(2).map(|own| own.as_str());
        let Some((key, toml)) = said.split_once(" = ") else {
            let argument = section.and_then(section_argument);
            return match argument {
                Some(argument) if !ARGUMENTS.contains(&said) => format!("`{said}` in `{argument}`"),
                _ => format!("`{said}`"),
            };
        };
        let value = self.value(toml);
        let role = if key == "role" {
            Some(toml.trim_matches('"'))
        } else {
            SET_ROLE.captures(toml).and_then(|role| role.get(1)).map(|own| own.as_str())
        };
        if let Some(role) = role {
            let name = if key == "role" { column } else { Some(key.trim_matches('"')) };
            let name = name.map(|own| format!("\"{own}\"")).unwrap_or_default();
            return format!("`{}`", self.set(role_argument(role), &name).trim_end());
        }
        if key == "model" && toml.starts_with('"') {
            let name = toml.trim_matches('"').replace('-', "_");
            return format!("`{}`", self.set("model", &self.model(&name, "…")));
        }
        if let ("merge" | "distinct", Some(column)) = (key, column) {
            return format!("`{}`", self.set(key, &format!("\"{column}\"")));
        }
        if OF_MODELS.contains(&key) || ARGUMENTS.contains(&key) {
            return format!("`{}`", self.set(&key.replace('-', "_"), &value));
        }
        if OF_COLUMNS.contains(&key) {
            let own = self.named(key, &value);
            return match column {
                Some(column) => format!("`{}`", self.named(column, &own)),
                None => format!("`{own}`"),
            };
        }
        let holds = |(_, keys): &&(&str, &[&str])| keys.contains(&key);
        let own = SECTIONS.iter().filter(|(name, _)| Some(*name) == section).find(holds);
        match own.or_else(|| SECTIONS.iter().find(holds)) {
            Some((section, _)) => format!("`{}`", self.set(section, &self.named(key, &value))),
            // Other words are not keys, but may be values of the table.
            None => format!("`{said}`"),
        }
    }
}

fn role_argument(role: &str) -> &str {
    ROLES.iter().find(|(_, own)| *own == role).map_or(role, |(argument, _)| argument)
}

fn section_argument(name: &str) -> Option<&'static str> {
    if name == "privacy" {
        return Some("model");
    }
    SECTIONS.iter().map(|(own, _)| *own).chain(OTHER_SECTIONS).find(|own| *own == name)
}

#[cfg(test)]
mod tests;
