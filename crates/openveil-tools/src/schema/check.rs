//! Turns unchecked sections into a schema, or an error with a remedy.

use super::document::{Name, RuleSection, SchemaDocument};
use super::{SchemaFile, SchemaPeople, place};
use openveil_core::table::ColumnSet;
use openveil_io::spelling::or_meant;
use openveil_io::{Error, Location};
use openveil_rules::normal_form::{Schema, SubTable};
use openveil_rules::{ColumnNames, Dependency, Rule, expansion, refuse_determined};
use openveil_text::{Text, text};
use std::ops::Range;
use std::path::Path;
use toml::{Spanned, Value};

/// The most sets that may determine a rule's protected columns; more are refused.
const MAX_DERIVED: usize = 10_000;

/// Turns unchecked sections into a schema.
pub(super) struct SchemaCheck<'a> {
    pub(super) text: &'a str,
    pub(super) path: &'a Path,
}

impl SchemaCheck<'_> {
    fn error(&self, span: Range<usize>, problem: impl Into<Text>) -> Error {
        Error::new(place(self.path, self.text, span.start), problem)
    }

    pub(super) fn schema(&self, document: &SchemaDocument) -> Result<SchemaFile, Error> {
        let nothing = |key: &str, what: &str, help: Text| {
            let problem = text!("there is no [[{key}]]: {what}");
            Err(Error::new(Location::file(self.path), problem).help(help))
        };
        if document.rules.is_empty() {
            let help = text!("write `[[rules]]`, `given = [\"…\"]`, `protect = \"…\"`");
            return nothing("rules", "no rule has to hold", help);
        }
        if document.tables.is_empty() {
            let help = text!("write `[[tables]]`, `columns = [\"…\"]` for each table");
            return nothing("tables", "nothing is published", help);
        }
        let columns = self.columns(document)?;
        let rules = document
            .rules
            .iter()
            .map(|rule| self.rule(&columns, rule))
            .collect::<Result<Vec<Rule>, Error>>()?;
        let dependencies = self.dependencies(&columns, document)?;
        self.refuse_hopeless(&columns, document, &rules, &dependencies)?;
        Ok(SchemaFile {
            path: self.path.to_owned(),
            rules,
            schema: self.tables(&columns, document)?,
            people: self.people(document)?,
            dependencies,
            columns,
        })
    }

    /// Returns the people and the groups of tables, which go together.
    fn people(&self, document: &SchemaDocument) -> Result<Option<SchemaPeople>, Error> {
        let Some(path) = &document.people else {
            let groups = document.tables.iter().find_map(|table| table.get_ref().groups.as_ref());
            let stray = groups.map(|name| ("groups", name.span()));
            return match stray.or(document.l.as_ref().map(|l| ("l", l.span()))) {
                None => Ok(None),
                Some((key, span)) => Err(self
                    .error(span, text!("`{key}` has no effect without `people`"))
                    .help(text!("name the file with everybody's columns at the top: `people = \"people.csv\"`"))),
            };
        };
        let groups = document.tables.iter().map(|table| {
            let section = table.get_ref();
            match (&section.enforces, &section.groups) {
                (Some(_), Some(name)) => Ok(Some(name.get_ref().clone())),
                (None, None) => Ok(None),
                (Some(_), None) => Err(self
                    .error(table.span(), text!("the groups of the table are missing"))
                    .help(text!(
                        "name the column of `people` that numbers them: `groups = \"…\"`"
                    ))),
                (None, Some(name)) => Err(self
                    .error(
                        name.span(),
                        text!("`groups` has no effect on a table without `enforces`"),
                    )
                    .help(text!("leave it out: the table is published unchanged"))),
            }
        });
        let l = match &document.l {
            None => 2,
            Some(l) if *l.get_ref() >= 2 => *l.get_ref(),
            Some(l) => {
                let problem = text!("`l = {}` is less than 2", l.get_ref());
                return Err(self.error(l.span(), problem).help(text!("write 2 or more")));
            }
        };
        Ok(Some(SchemaPeople {
            path: path.get_ref().into(),
            groups: groups.collect::<Result<_, Error>>()?,
            l,
        }))
    }

    /// Returns all columns: the separately listed ones and the columns of tables.
    fn columns(&self, document: &SchemaDocument) -> Result<ColumnNames, Error> {
        self.refuse_twice(&document.columns)?;
        let mut names: Vec<&str> = document.columns.iter().map(|n| &**n.get_ref()).collect();
        for table in &document.tables {
            let section = table.get_ref();
            self.refuse_twice(&section.columns)?;
            if section.columns.is_empty() {
                return Err(self
                    .error(table.span(), "`columns` of the table is empty")
                    .help("name the table's columns, or remove the table"));
            }
            for name in section.columns.iter().map(|name| &**name.get_ref()) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        ColumnNames::new(names)
            .map_err(|cause| Error::new(Location::file(self.path), cause.to_string()))
    }

    fn refuse_twice(&self, names: &[Name]) -> Result<(), Error> {
        let twice = (1..names.len())
            .find(|&i| names[..i].iter().any(|n| n.get_ref() == names[i].get_ref()));
        match twice {
            None => Ok(()),
            Some(i) => Err(self
                .error(
                    names[i].span(),
                    format!("`{}` is named twice in one list", names[i].get_ref()),
                )
                .help("remove one of them")),
        }
    }

    fn number(
        &self,
        columns: &ColumnNames,
        name: &str,
        span: Range<usize>,
    ) -> Result<usize, Error> {
        columns.number(name).map_err(|cause| {
            let known = columns.names().iter().map(|known| &**known);
            let error = self.error(span, cause.to_string());
            or_meant(error, name, known, || text!(
                    "the tables have {}; a column that is not published must be listed: `columns = [\"{name}\"]` at the top",
                    columns.names().join(", ")
                ))
        })
    }

    fn set(&self, columns: &ColumnNames, names: &[Name]) -> Result<ColumnSet, Error> {
        self.refuse_twice(names)?;
        names.iter().map(|name| self.number(columns, name.get_ref(), name.span())).collect()
    }

    /// Reads one name or a list of names.
    fn one_or_more(
        &self,
        columns: &ColumnNames,
        key: &str,
        value: &Spanned<Value>,
    ) -> Result<ColumnSet, Error> {
        let names: Option<Vec<&str>> = match value.get_ref() {
            Value::String(name) => Some(vec![name]),
            Value::Array(names) => names.iter().map(Value::as_str).collect(),
            _ => None,
        };
        let names = names.ok_or_else(|| {
            self.error(value.span(), format!("`{key}` is not a column's name"))
                .help(text!("write `{key} = \"name\"`, or a list of names"))
        })?;
        names.into_iter().map(|name| self.number(columns, name, value.span())).collect()
    }

    fn rule(&self, columns: &ColumnNames, section: &Spanned<RuleSection>) -> Result<Rule, Error> {
        let rule = section.get_ref();
        let given = self.set(columns, &rule.given)?;
        let protect = self.one_or_more(columns, "protect", &rule.protect)?;
        Rule::new(given, protect).map_err(|cause| match cause {
            openveil_rules::RulesError::BothSides { column } => self
                .error(
                    rule.protect.span(),
                    format!(
                        "`{}` appears in both `given` and `protect` of one rule",
                        columns.name(column)
                    ),
                )
                .help("a reader who knows a column need not infer it; remove it from one side"),
            openveil_rules::RulesError::EmptyGiven => self
                .error(section.span(), "`given` of the rule is empty")
                .help(text!("name the columns that the reader knows about everybody, such as `given = [\"age\"]`")),
            openveil_rules::RulesError::EmptyProtect => self
                .error(rule.protect.span(), "`protect` of the rule is empty")
                .help(text!("name the columns to protect, such as `protect = \"diagnosis\"`")),
            other => self.error(section.span(), other.to_string()),
        })
    }

    fn dependencies(
        &self,
        columns: &ColumnNames,
        document: &SchemaDocument,
    ) -> Result<Vec<Dependency>, Error> {
        document
            .dependencies
            .iter()
            .map(|section| {
                let dependency = section.get_ref();
                let given = self.set(columns, &dependency.given)?;
                let determines = self.one_or_more(columns, "determines", &dependency.determines)?;
                Dependency::new(given, determines).map_err(|_| {
                    self.error(section.span(), "the dependency is empty").help(
                        "name at least one column in `given`, and another one in `determines`",
                    )
                })
            })
            .collect()
    }

    /// Refuses a rule that known dependencies break, because no tables can satisfy it.
    fn refuse_hopeless(
        &self,
        columns: &ColumnNames,
        document: &SchemaDocument,
        rules: &[Rule],
        dependencies: &[Dependency],
    ) -> Result<(), Error> {
        for (section, &rule) in document.rules.iter().zip(rules) {
            refuse_determined(&[rule], dependencies)
                .and_then(|()| expansion(rule, dependencies, MAX_DERIVED).map(drop)).map_err(|cause| match cause {
                openveil_rules::RulesError::Determined { .. } => self
                    .error(
                        section.span(),
                        format!(
                            "the rule `{}` cannot be satisfied: by the dependencies, the given columns determine the protected ones",
                            rule.describe(columns)
                        ),
                    )
                    .help("remove columns from `given`, or drop the protected column from all tables and the rule"),
                other => self.error(section.span(), other.to_string()),
            })?;
        }
        Ok(())
    }

    fn tables(&self, columns: &ColumnNames, document: &SchemaDocument) -> Result<Schema, Error> {
        let tables = document.tables.iter().map(|section| {
            let own = self.set(columns, &section.get_ref().columns)?;
            let table = match &section.get_ref().enforces {
                None => SubTable::open(own),
                Some(rule) => SubTable::enforcing(own, self.rule(columns, rule)?),
            };
            table.map_err(|cause| match cause {
                openveil_rules::RulesError::ForeignColumn { column } => self
                    .error(
                        section.span(),
                        format!(
                            "`enforces` names `{}`, which is not a column of the table",
                            columns.name(column)
                        ),
                    )
                    .help("a table can enforce a rule on its own columns only"),
                other => self.error(section.span(), other.to_string()),
            })
        });
        Ok(Schema::new(tables.collect::<Result<_, _>>()?))
    }
}
