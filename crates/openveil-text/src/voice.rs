//! How fronts write names.

use crate::language::Language;
use crate::names::Name;
use std::borrow::Cow;
use std::cell::Cell;

/// A package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Package {
    /// `ov.publish(missing="keep")`.
    Python,
    /// `ov_publish(missing = "keep")`.
    R,
}

/// A front that speaks: it has its own names for options and for a policy's keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// The command, whose policies are files.
    Command,
    /// A page in a language, with the names of the command.
    Page(Language),
    /// A package: options are arguments.
    Package {
        /// The package.
        package: Package,
        /// Whether the policy was given by arguments too, instead of by a file.
        by_arguments: bool,
    },
}

/// Roles of columns: the argument of a package, and the role in policy files.
pub const ROLES: [(&str, &str); 6] = [
    ("known", "quasi-identifier"),
    ("secret", "sensitive"),
    ("other", "other"),
    ("identifier", "identifier"),
    ("attributes", "attribute"),
    ("drop", "drop"),
];

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

thread_local! {
    /// The voice in which documents are written on this thread.
    static SPOKEN: Cell<Voice> = const { Cell::new(Voice::Command) };
}

impl Voice {
    /// Writes documents and pages in this voice: a [`Text`](crate::Text) that is displayed or
    /// serialised is in its words while `work` runs on this thread.
    pub fn speak<T>(self, work: impl FnOnce() -> T) -> T {
        struct Before(Voice);
        impl Drop for Before {
            fn drop(&mut self) {
                SPOKEN.set(self.0);
            }
        }
        let _before = Before(SPOKEN.replace(self));
        work()
    }

    /// Returns the voice in which documents are written on this thread.
    pub(crate) fn spoken() -> Self {
        SPOKEN.get()
    }

    /// Whether a policy's keys are arguments.
    pub fn has_arguments(self) -> bool {
        matches!(self, Self::Package { by_arguments: true, .. })
    }

    /// The language of its words.
    pub(crate) fn language(self) -> Language {
        match self {
            Self::Page(language) => language,
            Self::Command | Self::Package { .. } => Language::English,
        }
    }

    /// Writes a name; `said` is how the command and policy files write it.
    pub(crate) fn name<'a>(
        self,
        said: &'a str,
        name: &Name<'_>,
        column: Option<&str>,
    ) -> Cow<'a, str> {
        let Self::Package { package, by_arguments } = self else {
            return said.into();
        };
        let is_option = matches!(name, Name::Call { .. } | Name::Option(_));
        if !is_option && !by_arguments {
            return said.into();
        }
        match name {
            Name::Call { command, options } => package.call(command.as_deref(), options).into(),
            Name::Option(option) => {
                format!("`{}`", package.renamed(&option.replace('-', "_"))).into()
            }
            Name::Key { key, section } => match section_argument(section) {
                Some(own) if !ARGUMENTS.contains(&&**key) => format!("`{key}` in `{own}`").into(),
                _ => format!("`{key}`").into(),
            },
            Name::Model { model, parameter } => {
                let model = package.model(&model.replace('-', "_"), parameter);
                format!("`{}`", package.set("model", &model)).into()
            }
            Name::Role(role) => format!("`{}`", role_argument(role)).into(),
            Name::Section(section) => match section_argument(section) {
                Some(own) => format!("`{own}`").into(),
                None => said.into(),
            },
            Name::Under => "".into(),
            Name::Setting { key, value, section } => {
                package.setting(said, key, value, section.as_deref(), column)
            }
        }
    }
}

impl Package {
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
    fn value(self, toml: &str) -> Cow<'_, str> {
        match (self, toml) {
            (Self::Python, "true") => "True".into(),
            (Self::Python, "false") => "False".into(),
            (Self::R, "true") => "TRUE".into(),
            (Self::R, "false") => "FALSE".into(),
            (Self::R, list) if list.starts_with('[') && list.ends_with(']') => {
                format!("c({})", &list[1..list.len() - 1]).into()
            }
            (_, other) => other.into(),
        }
    }

    fn call(
        self,
        command: Option<&str>,
        options: &[(Cow<'_, str>, Option<Cow<'_, str>>)],
    ) -> String {
        // A call takes values; options that are named alone do not.
        let empty = if command.is_some() { self.set("", "…") } else { String::new() };
        let arguments: Vec<String> = options
            .iter()
            .map(|(name, value)| self.argument(&name.replace('-', "_"), value.as_deref(), &empty))
            .collect();
        let arguments = arguments.join(", ");
        let Some(command) = command else {
            return format!("`{arguments}`");
        };
        let method = OF_RELEASES.iter().find(|(own, _)| *own == command);
        let name = match (self, method) {
            (Self::Python, Some((_, method))) => format!("Release.{method}"),
            (Self::Python, None) => format!("ov.{command}"),
            (Self::R, _) => format!("ov_{command}"),
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
                self.set(name, &self.value("true"))
            } else {
                format!("{name}{empty}")
            };
        };
        let plain = value.trim_matches('\'');
        let is_number = plain.chars().all(|c| c.is_ascii_digit() || c == '.');
        // A number, or a word for a value, is not a text.
        if is_number || plain.chars().all(|c| c.is_ascii_uppercase()) {
            self.set(name, plain)
        } else {
            self.set(name, &format!("\"{plain}\""))
        }
    }

    fn setting<'a>(
        self,
        said: &'a str,
        key: &str,
        toml: &str,
        section: Option<&str>,
        column: Option<&str>,
    ) -> Cow<'a, str> {
        let value = self.value(toml);
        let own_role = ROLES
            .iter()
            .map(|(_, role)| *role)
            .find(|role| toml == format!("{{ role = \"{role}\" }}"));
        let role = if key == "role" { Some(toml.trim_matches('"')) } else { own_role };
        let made = if let Some(role) = role {
            let name = if key == "role" { column } else { Some(key.trim_matches('"')) };
            let name = name.map(|own| format!("\"{own}\"")).unwrap_or_default();
            self.set(role_argument(role), &name).trim_end().to_owned()
        } else if key == "all" {
            self.set("model", &self.model("all_of", "…"))
        } else if key == "model" && toml.starts_with('"') {
            let name = toml.trim_matches('"').replace('-', "_");
            self.set("model", &self.model(&name, "…"))
        } else if let ("merge" | "distinct", Some(column)) = (key, column) {
            self.set(key, &format!("\"{column}\""))
        } else if OF_MODELS.contains(&key) || ARGUMENTS.contains(&key) {
            self.set(&key.replace('-', "_"), &value)
        } else if OF_COLUMNS.contains(&key) {
            let own = self.named(key, &value);
            column.map_or_else(|| own.clone(), |column| self.named(column, &own))
        } else {
            let holds = |(_, keys): &&(&str, &[&str])| keys.contains(&key);
            let own = SECTIONS.iter().filter(|(name, _)| Some(*name) == section).find(holds);
            match own.or_else(|| SECTIONS.iter().find(holds)) {
                Some((section, _)) => self.set(section, &self.named(key, &value)),
                // Not an argument of its own: as in the file, without its section.
                None if section.is_some() => format!("{key} = {toml}"),
                None => return said.into(),
            }
        };
        format!("`{made}`").into()
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
