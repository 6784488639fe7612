//! Every text of the page: one file for each language, with the same keys.
//!
//! Texts of the engine (guarantees, warnings, errors) are not repeated here: the engine says them
//! in both languages.

use openveil_io::Error;
use openveil_text::{Language, Text, Voice};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// The texts of one language, by key.
#[derive(Debug)]
pub(crate) struct PageTexts {
    pub(crate) language: Language,
    words: BTreeMap<String, String>,
}

static ENGLISH: LazyLock<PageTexts> =
    LazyLock::new(|| PageTexts::read(Language::English, include_str!("en.toml")));
static GERMAN: LazyLock<PageTexts> =
    LazyLock::new(|| PageTexts::read(Language::German, include_str!("de.toml")));

/// A problem of a request or a work.
#[derive(Debug, Clone)]
pub(crate) enum Problem {
    /// The engine refused it.
    OfEngine(Arc<Error>),
    /// The page or the system did.
    Said(Text),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::OfEngine(Arc::new(error))
    }
}

impl From<String> for Problem {
    fn from(words: String) -> Self {
        Self::Said(words.into())
    }
}

/// The name of a language in the language itself.
pub(crate) fn name(language: Language) -> &'static str {
    match language {
        Language::English => "English",
        Language::German => "Deutsch",
    }
}

/// Returns the first available language that a browser asks for.
pub(crate) fn asked(accepted: &str) -> Language {
    accepted
        .split(',')
        .map(|one| one.trim().get(..2).unwrap_or(""))
        .find_map(Language::from_code)
        .unwrap_or_default()
}

impl PageTexts {
    pub(crate) fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &ENGLISH,
            Language::German => &GERMAN,
        }
    }

    /// Says a problem.
    pub(crate) fn problem(&self, problem: &Problem) -> String {
        match problem {
            Problem::OfEngine(error) => error.say(Voice::Page(self.language)),
            Problem::Said(words) => self.say(words),
        }
    }

    /// Says a message of the engine.
    pub(crate) fn say(&self, message: &Text) -> String {
        message.say(Voice::Page(self.language), None)
    }

    fn read(language: Language, text: &str) -> Self {
        let sections: BTreeMap<String, BTreeMap<String, String>> =
            toml::from_str(text).expect("the file of texts is part of the program");
        let words = sections.into_iter().flat_map(|(section, words)| {
            words.into_iter().map(move |(key, word)| (format!("{section}.{key}"), word))
        });
        Self { language, words: words.collect() }
    }

    /// The words of a key.
    pub(crate) fn t(&self, key: &str) -> &str {
        let found = self.words.get(key).map(String::as_str);
        debug_assert!(found.is_some(), "no words for `{key}`");
        found.unwrap_or_default()
    }

    /// Returns the text of a key, with `{name}`s filled in.
    pub(crate) fn fill(&self, key: &str, with: &[(&str, &str)]) -> String {
        let mut text = self.t(key).to_owned();
        for (name, value) in with {
            text = text.replace(&format!("{{{name}}}"), value);
        }
        text
    }

    /// Formats a whole number.
    pub(crate) fn number(&self, number: u64) -> String {
        let english = openveil_reader::report::thousands(number);
        match self.language {
            Language::English => english,
            Language::German => english.replace(',', "."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    fn holes(text: &str) -> BTreeSet<String> {
        text.split('{')
            .skip(1)
            .filter_map(|part| part.split_once('}'))
            .map(|(name, _)| name.to_owned())
            .collect()
    }

    #[test]
    fn both_languages_say_the_same() {
        let keys = |texts: &PageTexts| texts.words.keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&ENGLISH), keys(&GERMAN));
        for (key, words) in &ENGLISH.words {
            assert!(!words.trim().is_empty(), "{key}");
            assert_eq!(holes(words), holes(&GERMAN.words[key]), "{key}");
        }
    }

    /// Every text is used, and every used text exists.
    #[test]
    fn every_text_is_used() {
        fn sources(folder: &Path, all: &mut String) {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    sources(&path, all);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    all.push_str(&fs::read_to_string(path).unwrap());
                }
            }
        }
        let mut all = String::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut all);
        let unused: Vec<_> = ENGLISH
            .words
            .keys()
            .filter(|key| {
                let (section, _) = key.split_once('.').unwrap();
                // Sections whose keys are composed from names in the program.
                let is_named = all.contains(&format!("\"{section}.{{"));
                !is_named && !all.contains(&format!("\"{key}\""))
            })
            .collect();
        assert!(unused.is_empty(), "{unused:?}");
    }

    #[test]
    fn browsers_get_a_language_that_there_is() {
        assert_eq!(asked("de-AT,de;q=0.9,en;q=0.8"), Language::German);
        assert_eq!(asked("fr, en-GB"), Language::English);
        assert_eq!(asked(""), Language::English);
    }
}
