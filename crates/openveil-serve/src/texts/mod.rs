//! Every text of the page: one file for each language, with the same keys.
//!
//! Texts of the engine (guarantees, warnings, errors) are not repeated here: the page shows them
//! unchanged.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A language of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    German,
}

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

impl Language {
    /// All languages.
    pub(crate) const ALL: [Self; 2] = [Self::English, Self::German];

    /// The code in HTML and in cookies.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// The name in the language itself.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "Deutsch",
        }
    }

    /// Returns the language with a code.
    pub(crate) fn of_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.code() == code)
    }

    /// Returns the first available language that a browser asks for.
    pub(crate) fn asked(accepted: &str) -> Self {
        accepted
            .split(',')
            .map(|one| one.trim().get(..2).unwrap_or(""))
            .find_map(Self::of_code)
            .unwrap_or(Self::English)
    }

    pub(crate) fn texts(self) -> &'static PageTexts {
        match self {
            Self::English => &ENGLISH,
            Self::German => &GERMAN,
        }
    }
}

impl PageTexts {
    fn read(language: Language, text: &str) -> Self {
        let sections: BTreeMap<String, BTreeMap<String, String>> =
            toml::from_str(text).expect("the file of texts is part of the program");
        let words = sections.into_iter().flat_map(|(section, words)| {
            let full = move |(key, word)| (format!("{section}.{key}"), word);
            words.into_iter().map(full)
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
        assert_eq!(Language::asked("de-AT,de;q=0.9,en;q=0.8"), Language::German);
        assert_eq!(Language::asked("fr, en-GB"), Language::English);
        assert_eq!(Language::asked(""), Language::English);
    }
}
