//! The languages of pages, and the German words of messages.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The German templates. Lines alternate: an English template, and the German one with the same
/// placeholders; empty lines and lines that start with `#` separate them.
const GERMAN: &str = include_str!("german.txt");

static IN_GERMAN: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| pairs().collect());

/// A language of pages and documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// German.
    German,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 2] = [Self::English, Self::German];

    /// The code of a page in this language.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// Returns the language with a code.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.code() == code)
    }

    /// Returns the words in this language.
    pub fn choose<'a>(self, english: &'a str, german: &'a str) -> &'a str {
        match self {
            Self::English => english,
            Self::German => german,
        }
    }

    /// Returns a number that is written as in English.
    pub fn number(self, written: &str) -> Cow<'_, str> {
        match self {
            Self::English => written.into(),
            Self::German => {
                let exchanged = |sign| match sign {
                    ',' => '.',
                    '.' => ',',
                    other => other,
                };
                written.chars().map(exchanged).collect::<String>().into()
            }
        }
    }

    /// Returns a template in this language; as it is, where there is no translation. O(1).
    pub fn say(self, template: &'static str) -> &'static str {
        match self {
            Self::English => template,
            Self::German => IN_GERMAN.get(template).copied().unwrap_or(template),
        }
    }
}

/// The English templates with the German ones.
pub fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut lines = GERMAN.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    std::iter::from_fn(move || lines.next().zip(lines.next()))
}
