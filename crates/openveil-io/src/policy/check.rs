//! Turns unchecked sections into a policy, or into an error with a remedy.

use super::ReadRows;
use super::document::{AlgorithmSection, Document, OutputSection, Role};
use super::forms::{Forms, Wish};
use super::rules::{Rules, Sections};
use super::written::WrittenPolicy;
use super::{
    ColumnPolicy, Compression, InputPolicy, MethodPolicy, OutputFormat, OutputPolicy, Policy,
    PrivacyPolicy, PublicationKind, algorithm, reader, resolve, strata, trials,
};
use crate::source::Format;
use crate::spelling;
use crate::{Error, Location};
use openveil_core::algorithm::Algorithm;
use openveil_core::model::TCloseness;
use openveil_core::model::{GroundDistance, Model, Parameters, Requirement};
use openveil_core::release::Style;
use openveil_papers::algorithm::Auto;
use openveil_text::{Text, text};
use std::collections::BTreeMap;
use std::path::Path;
use toml::Spanned;

impl WrittenPolicy<'_> {
    pub(super) fn policy(&self, mut document: Document) -> Result<Policy, Error> {
        let decimal_comma = self.decimal_comma(&document.input)?;
        let timezone = self.timezone(&document.input)?;
        let (mut columns, mut wishes) = (BTreeMap::new(), BTreeMap::new());
        let mut own_l = BTreeMap::new();
        for (name, mut section) in std::mem::take(&mut document.columns) {
            wishes.insert(name.clone(), Wish::take(&mut section));
            own_l.extend(self.own_l(&name, &section)?.map(|l| (name.clone(), l)));
            let mut column = self.column(&name, section)?;
            column.decimal_comma = decimal_comma;
            column.timezone.clone_from(&timezone);
            columns.insert(name, column);
        }
        self.all_decided(&columns)?;
        let sections = Sections { check: self, columns: &columns };
        let rules = sections.rules(&document)?;
        let asked = document.privacy.as_ref().map(Spanned::span);
        let privacy = document.privacy.clone();
        let place = asked.clone().map_or(Location::file(self.path), |span| self.start_of(&span));
        let (mut model, combine, mut strata) =
            self.model(document.privacy, rules.as_ref(), &columns)?;
        let each = self.each(
            privacy.as_ref().map(Spanned::get_ref),
            &place,
            &own_l,
            &columns,
            &mut model,
        )?;
        let persons = self.persons(document.persons, &mut columns, &mut strata)?;
        self.number_of_columns(&columns)?;
        let output = document.output.unwrap_or_default();
        let forms = Forms {
            check: self,
            style: self.style(output.style.as_ref(), rules.is_some())?,
            rules: rules.as_ref(),
        };
        forms.apply(&mut columns, wishes, &output)?;
        match &rules {
            Some(rules) => {
                rules
                    .rules
                    .iter()
                    .try_for_each(|rule| forms.fits(&rule.model, &columns, rule.place.clone()))?;
            }
            None => forms.fits(&model, &columns, place)?,
        }
        let style = forms.style;
        let section = document.algorithm.unwrap_or_default();
        let algorithm = self.algorithm(&section)?;
        let readers = reader::readers(self, document.reader.as_ref(), algorithm, rules.is_some())?;
        let rules = rules.map(|rules| rules.against(readers.informed));
        let trials = trials::trials(self, &section, algorithm, &columns)?;
        let dir = resolve(self.path, output.dir.as_deref().unwrap_or(Path::new("out")));
        Ok(Policy {
            path: self.path.to_owned(),
            purpose: self.purpose(document.purpose, &columns)?,
            kind: PublicationKind::new(
                self,
                [
                    rules.map(PublicationKind::Rules),
                    self.history(document.history, &columns)?.map(PublicationKind::History),
                    persons.map(PublicationKind::Persons),
                    self.ties(document.ties, &columns)?.map(PublicationKind::Ties),
                    each.map(PublicationKind::Each),
                ],
            )?,
            input: InputPolicy {
                part: ReadRows::default(),
                missing: document.input.missing,
                missing_values: document.input.missing_values.clone(),
                person: self.person(document.input.person.as_ref(), &columns)?,
                rows_are_people: document.input.rows_are_people,
                source: self.source(document.input)?,
            },
            columns,
            privacy: PrivacyPolicy {
                model: model.against(readers.informed),
                combine,
                strata,
                measures: readers.measures,
                public: readers.public.map(|path| resolve(self.path, &path)),
            },
            method: MethodPolicy {
                algorithm,
                smallest_group: self.smallest_group(privacy.as_ref(), algorithm)?,
                inside: readers.inside,
                trials,
            },
            output: OutputPolicy {
                style,
                class: self.class(output.class.as_ref())?,
                records: dir.join("owner"),
                dir,
                format: self.output_format(&output)?,
            },
        })
    }

    /// Refuses columns whose role the owner has not decided yet.
    fn all_decided(&self, columns: &BTreeMap<String, ColumnPolicy>) -> Result<(), Error> {
        let names: Vec<String> = columns
            .iter()
            .filter(|(_, column)| column.role == Role::Undecided)
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        let problem = match &names[..] {
            [] => return Ok(()),
            [only] => text!(
                "the column {only} is `undecided`: nothing is published before you choose its role"
            ),
            several => text!(
                "{} columns are `undecided`: nothing is published before you choose the role of {}",
                several.len(),
                several.join(", ")
            ),
        };
        let word = format!("\"{}\"", Role::Undecided.name());
        let line = self.text.lines().position(|line| line.contains(&word));
        let place = Location::file(self.path);
        let place = match line {
            Some(line) => place.line(line as u64 + 1),
            None => place,
        };
        let error = Error::new(place, problem);
        Err(error.help("give each a role: `quasi-identifier` if others may know it about a person, `sensitive` if it must stay secret, `other` if it is neither, `drop` if it is not needed"))
    }

    /// Returns the model of the one table or of the first rule, the combined columns, and the
    /// columns that fix strata.
    fn model(
        &self,
        section: Option<Spanned<Parameters>>,
        rules: Option<&Rules>,
        columns: &BTreeMap<String, ColumnPolicy>,
    ) -> Result<(Model, Vec<String>, Vec<String>), Error> {
        if let Some(first) = rules.and_then(|rules| rules.rules.first()) {
            return Ok((first.model.clone(), Vec::new(), Vec::new()));
        }
        let Some(section) = section else {
            let error = self
                .error(text!("has no section [privacy]").or_by_arguments(text!("has no `model`")));
            return Err(error.help(text!(
                "choose a privacy model, for example `model = \"l-diversity\"`, `l = 5`"
            )));
        };
        let model = super::model::model(self, &section)?;
        let combine = self.combine(section.get_ref())?;
        // With `protect = "each"`, the sensitive columns are checked together with that key.
        if section.get_ref().get("protect").is_none() {
            self.sensitive_columns(columns, &combine)?;
        }
        self.relations(columns, &model)?;
        let place = self.place_of(&section.span(), "strata");
        let strata = strata::of_table(place, section.get_ref(), columns)?;
        Ok((model, combine, strata))
    }

    /// Returns the columns that are protected as one.
    fn combine(&self, section: &Parameters) -> Result<Vec<String>, Error> {
        strata::names(section, "combine").map_err(|problem| {
            self.error(text!("{problem} under [privacy]"))
                .help(text!("write `combine = [\"a\", \"b\"]`"))
        })
    }

    fn algorithm(&self, section: &AlgorithmSection) -> Result<&'static dyn Algorithm, Error> {
        match &section.name {
            None => Ok(&Auto),
            Some(name) => algorithm(name).map_err(|error| error.at(self.path)),
        }
    }

    /// With rules, the anatomy style is the default: columns that tables share stay exact.
    fn style(&self, name: Option<&Spanned<String>>, with_rules: bool) -> Result<Style, Error> {
        let Some(name) = name else {
            return Ok(if with_rules { Style::Anatomy } else { Style::Generalize });
        };
        Style::ALL.into_iter().find(|style| style.name() == name.get_ref()).ok_or_else(|| {
            spelling::unknown("style", name.get_ref(), &Style::ALL.map(Style::name))
                .at_place(self.start_of(&name.span()))
        })
    }

    fn output_format(&self, section: &OutputSection) -> Result<OutputFormat, Error> {
        let names = ["csv", "csv.gz", "csv.zst", "parquet", "arrow"];
        let (format, compression) = match section.format.as_deref().unwrap_or("csv") {
            "csv" => (Format::Csv, Compression::Plain),
            "csv.gz" => (Format::Csv, Compression::Gzip),
            "csv.zst" => (Format::Csv, Compression::Zstd),
            "parquet" => (Format::Parquet, Compression::Plain),
            "arrow" => (Format::Arrow, Compression::Plain),
            other => return Err(self.unknown("output format", other, &names)),
        };
        Ok(OutputFormat {
            format,
            compression,
            delimiter: self.delimiter(section.delimiter.as_deref())?,
            spreadsheet_safe: section.spreadsheet_safe.unwrap_or(true),
        })
    }

    fn sensitive_columns(
        &self,
        columns: &BTreeMap<String, ColumnPolicy>,
        combine: &[String],
    ) -> Result<(), Error> {
        let sensitive: Vec<&str> = columns
            .iter()
            .filter(|(_, column)| column.role == Role::Sensitive)
            .map(|(name, _)| &**name)
            .collect();
        if let Some(stranger) = combine.iter().find(|name| !sensitive.contains(&name.as_str())) {
            return Err(self
                .error(format!("`combine` names `{stranger}`, which is not a sensitive column"))
                .help(text!("give the column `role = \"sensitive\"` under [columns]")));
        }
        match sensitive.len() {
            0 => Err(self
                .error(text!("no column has the role `sensitive`; there is nothing to protect"))
                .help(
                    text!("give the column that must stay secret `role = \"sensitive\"`")
                        .or_by_arguments(text!(
                            "name the column that must stay secret: `role = \"sensitive\"`"
                        )),
                )),
            1 => Ok(()),
            several if combine.len() == several => Ok(()),
            _ => Err(self
                .error(format!("several columns are sensitive: {}", sensitive.join(", ")))
                .help(text!(
                    "to protect each column separately, set `protect = \"each\"` under [privacy]; to protect only their combination, set `combine = [{}]`: the guarantee then covers the combination, not each column",
                    sensitive.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
                ))),
        }
    }

    /// Checks that sensitive values have exactly the order or hierarchy that the model needs.
    fn relations(
        &self,
        columns: &BTreeMap<String, ColumnPolicy>,
        model: &Model,
    ) -> Result<(), Error> {
        let asks = |wanted: GroundDistance| {
            model.requirements().iter().any(|requirement| {
                matches!(requirement, Requirement::Closeness(TCloseness { ground, .. }) if *ground == wanted)
            })
        };
        let ordered = asks(GroundDistance::Ordered);
        let hierarchical = asks(GroundDistance::Hierarchical);
        let columns: Vec<_> = columns.iter().collect();
        let sensitive: Vec<_> =
            columns.iter().filter(|column| column.1.role == Role::Sensitive).collect();
        if (ordered || hierarchical) && sensitive.len() > 1 {
            let problem = "combinations of values have neither an order nor a hierarchy";
            return Err(self.error(problem).help(text!("use `distance = \"equal\"`")));
        }
        for (name, column) in sensitive {
            let place = Location::file(self.path).column(name);
            let refuse = |problem: Text, help: Text| Err(Error::new(place, problem).help(help));
            let has_order = column.order.is_some() || column.value_type.is_ordered();
            match (&column.order, &column.hierarchy) {
                (Some(_), _) if !ordered => {
                    let problem =
                        "is sensitive and has an `order`, which the privacy model does not use";
                    return refuse(
                        Text::from(problem),
                        text!("it is for t-closeness with `distance = \"ordered\"`"),
                    );
                }
                (_, Some(_)) if !hierarchical && column.floor.is_none() => {
                    let problem =
                        "is sensitive and has a `hierarchy`, which the privacy model does not use";
                    let help = text!("it is for t-closeness with `distance = \"hierarchical\"`");
                    return refuse(Text::from(problem), help);
                }
                (None, _) if ordered && !has_order => {
                    let problem = "contains text, which has no order for measuring distances";
                    return refuse(
                        Text::from(problem),
                        text!("list its values, lowest first, as `order = [...]`"),
                    );
                }
                (_, None) if hierarchical => {
                    let problem = "has no `hierarchy` for measuring distances";
                    return refuse(
                        Text::from(problem),
                        text!("set `hierarchy = ...` as for quasi-identifiers"),
                    );
                }
                _ => {}
            }
        }
        Ok(())
    }
}
