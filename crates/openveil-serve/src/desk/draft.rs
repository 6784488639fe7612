//! The draft of a policy: the content of its file, changed answer by answer.

use openveil_io::Error;
use openveil_io::policy::{Policy, Role};
use std::path::Path;
use toml::{Table, Value};

/// A policy that may not be complete yet: the parsed text of a policy's file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Draft {
    document: Table,
}

impl Draft {
    /// Parses a draft from a policy's text.
    ///
    /// # Errors
    /// A message, if the text is not TOML.
    pub(crate) fn of_text(text: &str) -> Result<Self, String> {
        let document = text.parse().map_err(|cause| format!("{cause}"))?;
        Ok(Self { document })
    }

    /// Returns the text of the policy's file.
    pub(crate) fn text(&self) -> String {
        toml::to_string(&self.document).expect("a table of texts, numbers and tables")
    }

    /// Reads the policy from the draft; `folder` is its folder.
    pub(crate) fn policy(&self, folder: &Path) -> Result<Policy, Error> {
        Policy::parse(&self.text(), &folder.join(super::POLICY_FILE))
    }

    /// A value by its section and key.
    pub(crate) fn get(&self, section: &str, key: &str) -> Option<&Value> {
        self.document.get(section)?.as_table()?.get(key)
    }

    /// Returns a value by its section and key, in the form in which a person would type it.
    pub(crate) fn shown(&self, section: &str, key: &str) -> Option<String> {
        self.get(section, key).map(shown)
    }

    /// Returns the texts of a list.
    pub(crate) fn list(&self, section: &str, key: &str) -> Vec<String> {
        let list = self.get(section, key).and_then(Value::as_array);
        list.map_or_else(Vec::new, |list| list.iter().map(shown).collect())
    }

    /// Sets or removes a value; an empty section is removed as well.
    pub(crate) fn set(&mut self, section: &str, key: &str, value: Option<Value>) {
        let own = self.document.entry(section).or_insert_with(table);
        let Value::Table(own) = own else { return };
        match value {
            Some(value) => drop(own.insert(key.to_owned(), value)),
            None => drop(own.remove(key)),
        }
        if own.is_empty() {
            self.document.remove(section);
        }
    }

    /// Replaces a whole section.
    pub(crate) fn set_section(&mut self, section: &str, value: Option<Value>) {
        match value {
            Some(value) => drop(self.document.insert(section.to_owned(), value)),
            None => drop(self.document.remove(section)),
        }
    }

    /// Returns a setting of a column.
    pub(crate) fn of_column(&self, column: &str, key: &str) -> Option<&Value> {
        self.get("columns", column)?.as_table()?.get(key)
    }

    /// Sets or removes a setting of a column.
    pub(crate) fn set_of_column(&mut self, column: &str, key: &str, value: Option<Value>) {
        let columns = self.document.entry("columns").or_insert_with(table);
        let Value::Table(columns) = columns else {
            return;
        };
        let own = columns.entry(column).or_insert_with(table);
        let Value::Table(own) = own else { return };
        match value {
            Some(value) => drop(own.insert(key.to_owned(), value)),
            None => drop(own.remove(key)),
        }
    }

    /// Returns the columns with a role.
    pub(crate) fn columns_with(&self, role: Role) -> Vec<String> {
        let columns = self.document.get("columns").and_then(Value::as_table).into_iter().flatten();
        let has = |own: &Value| own.get("role").and_then(Value::as_str) == Some(role.name());
        columns.filter(|(_, own)| has(own)).map(|(name, _)| name.clone()).collect()
    }

    /// Returns the rules, if there are any.
    pub(crate) fn rules(&self) -> Vec<DraftRule> {
        let rules = self.document.get("rules").and_then(Value::as_array);
        rules.into_iter().flatten().filter_map(Value::as_table).map(DraftRule::new).collect()
    }

    /// Sets the rules; without rules, the section is removed.
    pub(crate) fn set_rules(&mut self, rules: &[DraftRule]) {
        let rules: Vec<Value> = rules.iter().map(DraftRule::value).collect();
        let has = !rules.is_empty();
        self.set_section("rules", has.then_some(Value::Array(rules)));
    }
}

fn table() -> Value {
    Value::Table(Table::new())
}

/// One question that a release must not answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DraftRule {
    /// Columns that a reader knows.
    pub(crate) given: Vec<String>,
    /// Columns that must not be inferred.
    pub(crate) protect: Vec<String>,
    /// Its other keys, such as parameters of its own model.
    pub(crate) more: Table,
}

impl DraftRule {
    fn new(rule: &Table) -> Self {
        let names = |key: &str| match rule.get(key) {
            Some(Value::Array(names)) => names.iter().map(shown).collect(),
            Some(name) => vec![shown(name)],
            None => Vec::new(),
        };
        let more = rule.iter().filter(|(key, _)| !["given", "protect"].contains(&key.as_str()));
        Self {
            given: names("given"),
            protect: names("protect"),
            more: more.map(|(key, value)| (key.clone(), value.clone())).collect(),
        }
    }

    fn value(&self) -> Value {
        let names =
            |names: &[String]| Value::Array(names.iter().cloned().map(Value::from).collect());
        let mut rule = self.more.clone();
        rule.insert("given".to_owned(), names(&self.given));
        rule.insert("protect".to_owned(), names(&self.protect));
        Value::Table(rule)
    }
}

/// Parses a person's input as a TOML value: a whole number, a number, or a text.
pub(crate) fn typed(text: &str) -> Option<Value> {
    let text = text.trim();
    let read =
        text.parse::<i64>().map(Value::from).ok().or_else(|| {
            text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from)
        });
    (!text.is_empty()).then(|| read.unwrap_or_else(|| Value::from(text)))
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_a_policy_taken_apart() {
        let mut draft = Draft::of_text("[input]\npath = \"a.csv\"\n").unwrap();
        draft.set_of_column("age", "role", Some("quasi-identifier".into()));
        draft.set_of_column("age", "type", Some("integer".into()));
        draft.set_of_column("job", "role", Some("sensitive".into()));
        draft.set("privacy", "model", Some("l-diversity".into()));
        draft.set("privacy", "l", typed(" 4 "));
        let policy = draft.policy(Path::new("")).unwrap();
        assert_eq!(policy.columns.len(), 2);
        assert_eq!(draft.columns_with(Role::Sensitive), ["job"]);
        draft.set("privacy", "l", None);
        draft.set("privacy", "model", None);
        assert!(!draft.text().contains("privacy"));
    }

    #[test]
    fn what_is_typed_is_what_it_looks_like() {
        assert_eq!(typed("4"), Some(Value::Integer(4)));
        assert_eq!(typed("0.5"), Some(Value::Float(0.5)));
        assert_eq!(typed("1/3"), Some(Value::from("1/3")));
        assert_eq!(typed(" "), None);
        assert_eq!(typed("inf"), Some(Value::from("inf")));
    }

    #[test]
    fn rules_keep_what_nobody_asked_about() {
        let text = "[[rules]]\ngiven = \"a\"\nprotect = [\"b\", \"c\"]\nl = 3\n";
        let mut draft = Draft::of_text(text).unwrap();
        let rules = draft.rules();
        assert_eq!((rules[0].given.len(), rules[0].protect.len()), (1, 2));
        draft.set_rules(&rules);
        assert_eq!(draft.rules(), rules);
        assert_eq!(draft.rules()[0].more.get("l"), Some(&Value::Integer(3)));
        draft.set_rules(&[]);
        assert_eq!(draft, Draft::default());
    }
}
