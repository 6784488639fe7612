//! Unchecked sections become a policy, or an error that says what to do.

use super::document::{ColumnSection, Document, InputSection, Role, ValueType};
use super::forms::{Forms, Wish};
use super::rules::{Rules, Sections};
use super::{
    Coarsening, Column, Compression, OutputFormat, Policy, algorithm, resolve, strata, suggest,
};
use crate::load::Part;
use crate::source::{Format, Source};
use crate::{Error, Location};
use openveil::algorithm::{Algorithm, Auto, Settings};
use openveil::model::TCloseness;
use openveil::model::{GroundDistance, Model, Parameters, Requirement};
use openveil::release::Style;
use std::collections::BTreeMap;
use std::path::Path;
use toml::Spanned;

/// Turns unchecked sections into a policy.
pub(super) struct Check<'a> {
    pub(super) path: &'a Path,
    /// The policy as it is written, for the lines of mistakes.
    pub(super) text: &'a str,
}

impl Check<'_> {
    pub(super) fn error(&self, problem: impl Into<String>) -> Error {
        Error::new(Location::file(self.path), problem)
    }

    pub(super) fn policy(&self, mut document: Document) -> Result<Policy, Error> {
        let (mut columns, mut wishes) = (BTreeMap::new(), BTreeMap::new());
        for (name, mut section) in std::mem::take(&mut document.columns) {
            wishes.insert(name.clone(), Wish::take(&mut section));
            let column = self.column(&name, section)?;
            columns.insert(name, column);
        }
        let sections = Sections {
            check: self,
            columns: &columns,
        };
        let rules = sections.rules(&document)?;
        let asked = document.privacy.as_ref().map(Spanned::span);
        let (model, combine, strata) = self.model(document.privacy, rules.as_ref(), &columns)?;
        let output = document.output.unwrap_or_default();
        let forms = Forms {
            check: self,
            style: self.style(output.style.as_ref(), rules.is_some())?,
            rules: rules.as_ref(),
        };
        forms.apply(&mut columns, wishes, &output)?;
        match (&rules, asked) {
            (Some(rules), _) => {
                let mut rules = rules.rules.iter();
                rules.try_for_each(|rule| forms.fits(&rule.model, &columns, rule.place.clone()))?;
            }
            (None, asked) => {
                let place = asked.map_or(Location::file(self.path), |span| self.start_of(&span));
                forms.fits(&model, &columns, place)?;
            }
        }
        let style = forms.style;
        let section = document.algorithm.unwrap_or_default();
        let algorithm = self.algorithm(section.name)?;
        let out = resolve(self.path, output.dir.as_deref().unwrap_or(Path::new("out")));
        Ok(Policy {
            path: self.path.to_owned(),
            part: Part::default(),
            records: out.join("owner"),
            missing: document.input.missing,
            missing_values: document.input.missing_values.clone(),
            source: self.source(document.input)?,
            columns,
            combine,
            strata,
            model,
            rules,
            effort: self.effort(section.effort, algorithm)?,
            algorithm,
            chosen_by: None,
            style,
            out,
            output: self.output_format(output.format.as_deref(), output.delimiter.as_deref())?,
        })
    }

    /// The model of the one table, or of the first rule, what is combined, and what fixes
    /// strata.
    fn model(
        &self,
        section: Option<Spanned<Parameters>>,
        rules: Option<&Rules>,
        columns: &BTreeMap<String, Column>,
    ) -> Result<(Model, Vec<String>, Vec<String>), Error> {
        if let Some(first) = rules.and_then(|rules| rules.rules.first()) {
            return Ok((first.model.clone(), Vec::new(), Vec::new()));
        }
        let Some(section) = section else {
            let error = self.error("has no section [privacy]");
            return Err(
                error.help("say what must hold, for example `model = \"l-diversity\"`, `l = 5`")
            );
        };
        let model = super::model::model(self, &section)?;
        let combine = self.combine(section.get_ref())?;
        self.sensitive_columns(columns, &combine)?;
        self.relations(columns, &model)?;
        let place = self.place_of(&section.span(), "strata");
        let strata = strata::of_table(place, section.get_ref(), columns)?;
        Ok((model, combine, strata))
    }

    /// The columns that are protected as one.
    fn combine(&self, section: &Parameters) -> Result<Vec<String>, Error> {
        strata::names(section, "combine").map_err(|problem| {
            self.error(format!("{problem} under [privacy]"))
                .help("write `combine = [\"a\", \"b\"]`")
        })
    }

    fn source(&self, input: InputSection) -> Result<Source, Error> {
        let format = match input.format.as_deref() {
            None => None,
            Some("csv") => Some(Format::Csv),
            Some("parquet") => Some(Format::Parquet),
            Some("arrow") => Some(Format::Arrow),
            Some(other) => {
                let known = ["csv", "parquet", "arrow"];
                return Err(self.unknown("input format", other, &known));
            }
        };
        Ok(Source {
            path: resolve(self.path, &input.path),
            memory: None,
            format,
            delimiter: self.delimiter(input.delimiter.as_deref())?,
            names: input.names,
            trim: input.trim,
            lists: false,
        })
    }

    fn delimiter(&self, text: Option<&str>) -> Result<u8, Error> {
        match text.unwrap_or(",").as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
            _ => Err(self
                .error(format!(
                    "`delimiter = {:?}` is not one ASCII character",
                    text.unwrap_or("")
                ))
                .help("usual ones are \",\", \";\", \"|\" and \"\\t\"")),
        }
    }

    fn algorithm(&self, name: Option<String>) -> Result<&'static dyn Algorithm, Error> {
        let Some(name) = name else {
            return Ok(&Auto);
        };
        algorithm(&name).map_err(|error| error.at(self.path))
    }

    /// How often groups are matched anew, by an algorithm that does so.
    fn effort(&self, effort: Option<u32>, algorithm: &dyn Algorithm) -> Result<u32, Error> {
        let Some(effort) = effort else {
            return Ok(Settings::default().effort);
        };
        if !algorithm.profile().takes_effort {
            let problem = format!(
                "`effort` under [algorithm] means nothing to `{}`",
                algorithm.name()
            );
            return Err(self.error(problem).help("leave it out; `cover` takes it"));
        }
        if effort > Settings::MOST_EFFORT {
            let problem = format!(
                "`effort = {effort}` under [algorithm] is above {}",
                Settings::MOST_EFFORT
            );
            return Err(self
                .error(problem)
                .help("0 is fastest, 2 usual, 12 thorough"));
        }
        Ok(effort)
    }

    /// With rules, the anatomy style is the default: what tables share stays exact.
    fn style(&self, name: Option<&Spanned<String>>, with_rules: bool) -> Result<Style, Error> {
        let Some(name) = name else {
            return Ok(if with_rules {
                Style::Anatomy
            } else {
                Style::Generalize
            });
        };
        let mut styles = Style::ALL.into_iter();
        let found = styles.find(|style| style.name() == name.get_ref());
        found.ok_or_else(|| {
            let error = suggest::unknown("style", name.get_ref(), &Style::ALL.map(Style::name));
            error.at_place(self.start_of(&name.span()))
        })
    }

    fn output_format(
        &self,
        name: Option<&str>,
        delimiter: Option<&str>,
    ) -> Result<OutputFormat, Error> {
        let names = ["csv", "csv.gz", "csv.zst", "parquet", "arrow"];
        let (format, compression) = match name.unwrap_or("csv") {
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
            delimiter: self.delimiter(delimiter)?,
        })
    }

    pub(super) fn unknown(&self, what: &str, found: &str, known: &[&str]) -> Error {
        suggest::unknown(what, found, known).at(self.path)
    }

    fn sensitive_columns(
        &self,
        columns: &BTreeMap<String, Column>,
        combine: &[String],
    ) -> Result<(), Error> {
        let sensitive: Vec<&str> = columns
            .iter()
            .filter(|(_, column)| column.role == Role::Sensitive)
            .map(|(name, _)| &**name)
            .collect();
        if let Some(stranger) = combine
            .iter()
            .find(|name| !sensitive.contains(&name.as_str()))
        {
            return Err(self
                .error(format!(
                    "`combine` names `{stranger}`, which is not a sensitive column"
                ))
                .help("give the column `role = \"sensitive\"` under [columns]"));
        }
        match sensitive.len() {
            0 => Err(self
                .error("no column has the role `sensitive`; there is nothing to protect")
                .help("give the column that must stay secret `role = \"sensitive\"`")),
            1 => Ok(()),
            several if combine.len() == several => Ok(()),
            _ => Err(self
                .error(format!("the columns {} are all sensitive", sensitive.join(", ")))
                .help(format!(
                    "to protect them as one, say `combine = [{}]` under [privacy]; the guarantee then bounds the combination, not each column",
                    sensitive.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
                ))),
        }
    }

    /// What is said of how sensitive values are related is what the model asks for.
    fn relations(&self, columns: &BTreeMap<String, Column>, model: &Model) -> Result<(), Error> {
        let asks = |wanted: GroundDistance| {
            model.requirements().iter().any(|requirement| {
                matches!(requirement, Requirement::Closeness(TCloseness { ground, .. }) if *ground == wanted)
            })
        };
        let ordered = asks(GroundDistance::Ordered);
        let hierarchical = asks(GroundDistance::Hierarchical);
        let is_sensitive = |column: &&(&String, &Column)| column.1.role == Role::Sensitive;
        let columns: Vec<_> = columns.iter().collect();
        let sensitive: Vec<_> = columns.iter().filter(is_sensitive).collect();
        if (ordered || hierarchical) && sensitive.len() > 1 {
            let problem = "combinations of values have neither an order nor a hierarchy";
            return Err(self.error(problem).help("use `distance = \"equal\"`"));
        }
        for (name, column) in sensitive {
            let place = Location::file(self.path).column(name);
            let refuse = |problem: &str, help: &str| Err(Error::new(place, problem).help(help));
            let has_order = column.order.is_some() || column.value_type != ValueType::Text;
            match (&column.order, &column.hierarchy) {
                (Some(_), _) if !ordered => {
                    let problem =
                        "is sensitive and has an `order`, which the privacy model does not use";
                    return refuse(
                        problem,
                        "it is for t-closeness with `distance = \"ordered\"`",
                    );
                }
                (_, Some(_)) if !hierarchical => {
                    let problem =
                        "is sensitive and has a `hierarchy`, which the privacy model does not use";
                    let help = "it is for t-closeness with `distance = \"hierarchical\"`";
                    return refuse(problem, help);
                }
                (None, _) if ordered && !has_order => {
                    let problem = "holds text, which has no order to measure a distance with";
                    return refuse(problem, "list its values, least first, as `order = [...]`");
                }
                (_, None) if hierarchical => {
                    let problem = "has no `hierarchy` to measure a distance with";
                    return refuse(problem, "say `hierarchy = ...` as for quasi-identifiers");
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn column(&self, name: &str, section: ColumnSection) -> Result<Column, Error> {
        let place = Location::file(self.path).column(name);
        let role = section.role.ok_or_else(|| {
            Error::new(place.clone(), "has no role; nothing is published by oversight")
                .help("say `role = \"quasi-identifier\"`, `\"sensitive\"`, `\"identifier\"`, `\"drop\"`, or `\"other\"` for a column that is neither secret nor known; with [[rules]], `\"attribute\"`")
        })?;
        // An attribute may be known and secret, so it may have what either has.
        let other = |needed: Role| role != needed && role != Role::Attribute;
        let only = |what: &str, needed: Role, given: bool| match given && other(needed) {
            true => Err(Error::new(
                place.clone(),
                format!("`{what}` is for columns with the role `{}`", needed.name()),
            )),
            false => Ok(()),
        };
        only("weight", Role::QuasiIdentifier, section.weight.is_some())?;
        if !role.is_published() {
            only("order", Role::QuasiIdentifier, section.order.is_some())?;
            let given = section.hierarchy.is_some();
            only("hierarchy", Role::QuasiIdentifier, given)?;
        }
        if role == Role::Other {
            only(
                "hierarchy",
                Role::QuasiIdentifier,
                section.hierarchy.is_some(),
            )?;
        }
        only("exempt", Role::Sensitive, section.exempt.is_some())?;
        only("prefix", Role::Sensitive, section.prefix.is_some())?;
        only("bins", Role::Sensitive, section.bins.is_some())?;
        only("quantiles", Role::Sensitive, section.quantiles.is_some())?;
        let both = section.order.is_some() && section.hierarchy.is_some();
        if both && role != Role::Sensitive {
            return Err(Error::new(
                place,
                "has both an `order` and a `hierarchy`; choose one",
            ));
        }
        let related = section.order.is_some() || section.hierarchy.is_some();
        let coarsened =
            section.prefix.is_some() || section.bins.is_some() || section.quantiles.is_some();
        if role == Role::Attribute && related && coarsened {
            let problem = "is coarsened and has an `order` or a `hierarchy`; choose one";
            return Err(Error::new(place, problem));
        }
        let order = section.order.as_deref().unwrap_or_default();
        if let Some(twice) = (1..order.len()).find(|&i| order[..i].contains(&order[i])) {
            return Err(Error::new(
                place,
                format!("`order` names `{}` twice", order[twice]),
            ));
        }
        if section.format.is_some() && section.value_type != ValueType::Date {
            return Err(Error::new(
                place,
                "`format` is for columns with `type = \"date\"`",
            ));
        }
        if let Some(format) = &section.format {
            check_date_format(&place, format)?;
        }
        Ok(Column {
            role,
            value_type: section.value_type,
            date_format: section.format,
            weight: section.weight.unwrap_or(1),
            order: section.order,
            hierarchy: section.hierarchy,
            exempt: section.exempt.unwrap_or_default(),
            coarsening: coarsening(&place, section.prefix, section.bins, section.quantiles)?,
            form: None,
            bounds: false,
        })
    }
}

/// A date pattern has to be able to read a date from what it writes, whatever else of
/// a timestamp it has.
fn check_date_format(place: &Location, format: &str) -> Result<(), Error> {
    let day = jiff::civil::Date::constant(2020, 3, 14);
    let moment = day.at(9, 30, 0, 0).to_zoned(jiff::tz::TimeZone::UTC);
    let written = moment.and_then(|moment| jiff::fmt::strtime::format(format, &moment));
    match written.and_then(|text| jiff::civil::Date::strptime(format, text)) {
        Ok(read) if read == day => Ok(()),
        _ => Err(Error::new(
            place.clone(),
            format!("`format = {format:?}` is not a pattern of dates"),
        )
        .help("write for example \"%d.%m.%Y\"")),
    }
}

fn coarsening(
    place: &Location,
    prefix: Option<usize>,
    bins: Option<Vec<f64>>,
    quantiles: Option<u32>,
) -> Result<Option<Coarsening>, Error> {
    let error = |problem: &str| Err(Error::new(place.clone(), problem));
    match (prefix, bins, quantiles) {
        (None, None, None) => Ok(None),
        (Some(0), None, None) => error("`prefix = 0` would make all values one"),
        (Some(length), None, None) => Ok(Some(Coarsening::Prefix(length))),
        (None, Some(borders), None) => {
            let ascending = borders.windows(2).all(|pair| pair[0] < pair[1]);
            match ascending && !borders.is_empty() && borders.iter().all(|b| b.is_finite()) {
                true => Ok(Some(Coarsening::Bins(borders))),
                false => error("`bins` needs at least one border, in ascending order"),
            }
        }
        (None, None, Some(0 | 1)) => error("`quantiles` needs at least 2"),
        (None, None, Some(parts)) => Ok(Some(Coarsening::Quantiles(parts))),
        _ => error("has several of `prefix`, `bins` and `quantiles`; choose one"),
    }
}
