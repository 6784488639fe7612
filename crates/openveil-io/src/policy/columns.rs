//! Settings of one column: the sections under `[columns]`.

use super::document::{ColumnSection, Role, ValueType};
use super::written::WrittenPolicy;
use super::{Alike, Coarsening, ColumnPolicy, Floor, Period};
use crate::load::{is_format, period_of};
use crate::spelling::or_meant;
use crate::{Error, Location};
use openveil_core::table::MAX_COLUMNS;
use openveil_text::{Text, text};
use std::collections::BTreeMap;
use toml::Spanned;

impl WrittenPolicy<'_> {
    /// Refuses more columns than a table can have, before it is read.
    pub(super) fn number_of_columns(
        &self,
        columns: &BTreeMap<String, ColumnPolicy>,
    ) -> Result<(), Error> {
        let published = columns.values().filter(|own| own.role.is_published());
        match published.count() {
            0..=MAX_COLUMNS => Ok(()),
            found => Err(self
                .error(format!(
                    "publishes {found} columns, and a table can have {MAX_COLUMNS} at most"
                ))
                .help(text!("give at least {} of them the role `drop`", found - MAX_COLUMNS))),
        }
    }

    pub(super) fn column(&self, name: &str, section: ColumnSection) -> Result<ColumnPolicy, Error> {
        let place = Location::file(self.path).column(name);
        let role = section.role.ok_or_else(|| {
            Error::new(place.clone(), "has no role, and every column needs one, so that nothing is published by accident")
                .help(text!("set `role = \"quasi-identifier\"`, `\"sensitive\"`, `\"identifier\"`, `\"drop\"`, or `\"other\"` for a column that is neither secret nor known; with [[rules]], `\"attribute\"`"))
        })?;
        // An attribute may be known to some readers and secret from others, so it may have the keys
        // of both roles.
        let other = |needed: Role| role != needed && role != Role::Attribute;
        let only = |what: &str, needed: Role, given: bool| {
            if given && other(needed) {
                Err(Error::new(
                    place.clone(),
                    text!("`{what}` is for columns with the role `{}`", needed.name()),
                ))
            } else {
                Ok(())
            }
        };
        only("weight", Role::QuasiIdentifier, section.weight.is_some())?;
        if !role.is_published() {
            only("order", Role::QuasiIdentifier, section.order.is_some())?;
            let given = section.hierarchy.is_some();
            only("hierarchy", Role::QuasiIdentifier, given)?;
        }
        if role == Role::Other {
            only("hierarchy", Role::QuasiIdentifier, section.hierarchy.is_some())?;
        }
        only("exempt", Role::Sensitive, section.exempt.is_some())?;
        // A column that is not published can tell people apart.
        if !matches!(role, Role::Identifier | Role::Drop) {
            only("merge", Role::Sensitive, section.merge)?;
            only("distinct", Role::Sensitive, section.distinct)?;
        }
        only("prefix", Role::Sensitive, section.prefix.is_some())?;
        only("bins", Role::Sensitive, section.bins.is_some())?;
        only("quantiles", Role::Sensitive, section.quantiles.is_some())?;
        if section.floor.is_some() && !role.is_published() {
            let problem = text!(
                "has a `floor`, but its role is `{}`, so its values are never published",
                role.name()
            );
            return Err(Error::new(place, problem).help("leave `floor` out"));
        }
        let floor = self.floor(name, &section)?;
        // A month or a quarter has no day that could be published.
        let coarsest = section.format.as_deref().and_then(period_of);
        let floor = match (floor, coarsest) {
            (None, Some(period)) if role.is_published() => Some(Floor::Period(period)),
            (Some(Floor::Period(Period::Month)), Some(Period::Quarter)) => {
                let problem = "has a `floor` of months, but its dates are quarters";
                return Err(Error::new(place, problem).help("leave `floor` out"));
            }
            (floor, _) => floor,
        };
        let alike = match (section.merge, section.distinct) {
            (false, false) => None,
            (true, false) => Some(Alike::Merge),
            (false, true) => Some(Alike::Distinct),
            (true, true) => {
                let problem = "has both `merge` and `distinct`: values that read alike are either one value or several";
                return Err(Error::new(place, problem).help("remove one of them"));
            }
        };
        let both = section.order.is_some() && section.hierarchy.is_some();
        if both && role != Role::Sensitive {
            return Err(Error::new(place, "has both an `order` and a `hierarchy`; choose one"));
        }
        let related = section.order.is_some() || section.hierarchy.is_some();
        let coarsened =
            section.prefix.is_some() || section.bins.is_some() || section.quantiles.is_some();
        if role == Role::Attribute && related && coarsened {
            let problem = "is coarsened and has an `order` or a `hierarchy`; choose one";
            return Err(Error::new(place, problem));
        }
        let limited = section.top.is_some() || section.bottom.is_some();
        if limited && section.hierarchy.is_some() {
            let problem = "has a `hierarchy` and a `top` or `bottom`: labels would cover other numbers than they state";
            return Err(Error::new(place, problem)
                .help("remove one of them; in your own hierarchy, one label can stand for all numbers beyond a limit"));
        }
        let order = section.order.as_deref().unwrap_or_default();
        if let Some(twice) = (1..order.len()).find(|&i| order[..i].contains(&order[i])) {
            return Err(Error::new(place, text!("`order` names `{}` twice", order[twice])));
        }
        if section.format.is_some() && section.value_type != ValueType::Date {
            return Err(Error::new(place, text!("`format` is for columns with `type = \"date\"`")));
        }
        if let Some(format) = &section.format {
            check_date_format(&place, format)?;
        }
        let thousands = thousands(&place, &section)?;
        // A floor of years turns dates into whole numbers.
        let limited_type = match &floor {
            Some(floor) => floor.published_type(section.value_type),
            None => section.value_type,
        };
        let [top, bottom] = [(section.top, "top"), (section.bottom, "bottom")]
            .map(|(limit, key)| self.limit(limit, key, limited_type));
        let (top, bottom) = (top?, bottom?);
        if let (Some(top), Some(bottom)) = (top, bottom)
            && bottom >= top
        {
            let problem = text!("`bottom = {bottom}` is not below `top = {top}`");
            return Err(Error::new(place, problem));
        }
        let coarsening = coarsening(&place, section.prefix, section.bins, section.quantiles)?;
        let is_number = matches!(limited_type, ValueType::Integer | ValueType::Number);
        let of_numbers = matches!(coarsening, Some(Coarsening::Bins(_) | Coarsening::Quantiles(_)));
        if of_numbers && !is_number {
            let problem = "`bins` and `quantiles` are for numbers";
            return Err(Error::new(place, problem)
                .help(text!("set `type = \"integer\"` or `type = \"number\"`")));
        }
        Ok(ColumnPolicy {
            role,
            value_type: section.value_type,
            date_format: section.format,
            weight: section.weight.unwrap_or(1),
            order: section.order,
            hierarchy: section.hierarchy,
            exempt: section.exempt.unwrap_or_default(),
            missing_values: section.missing_values,
            codes: section.codes,
            alike,
            is_set: false,
            coarsening,
            top,
            bottom,
            floor,
            thousands,
            decimal_comma: false,
            timezone: None,
            is_zoned: false,
            form: None,
            bounds: false,
        })
    }

    /// Returns the column's own l, if it has one.
    pub(super) fn own_l(&self, name: &str, section: &ColumnSection) -> Result<Option<u32>, Error> {
        let Some(l) = &section.l else { return Ok(None) };
        let place = self.start_of(&l.span()).column(name);
        match (*l.get_ref(), section.role) {
            (l @ 2.., Some(Role::Sensitive)) => Ok(Some(l)),
            (2.., _) => {
                Err(Error::new(place, text!("`l` is for columns with the role `sensitive`")))
            }
            (l, _) => {
                let problem = text!("`l = {l}` leaves nothing to protect");
                Err(Error::new(place, problem).help("write 2 or more"))
            }
        }
    }

    /// Returns a limit from which on, or up to which, all numbers count as one value.
    fn limit(
        &self,
        limit: Option<Spanned<f64>>,
        key: &str,
        value_type: ValueType,
    ) -> Result<Option<f64>, Error> {
        let Some(limit) = limit else { return Ok(None) };
        let (place, limit) = (self.start_of(&limit.span()), *limit.get_ref());
        let refuse =
            |problem: Text, help: Text| Err(self.error(problem).at_place(place.clone()).help(help));
        match value_type {
            ValueType::Integer if limit.fract() == 0.0 => Ok(Some(limit)),
            ValueType::Number if limit.is_finite() => Ok(Some(limit)),
            ValueType::Integer | ValueType::Number => refuse(
                text!("`{key} = {limit}` does not fit the type of the column"),
                text!("write a number of the column's type"),
            ),
            ValueType::Text | ValueType::Date | ValueType::Boolean => refuse(
                text!("`{key}` is for numbers"),
                text!("set `type = \"integer\"` or `type = \"number\"`"),
            ),
        }
    }
}

/// Returns the sign between thousands.
fn thousands(place: &Location, section: &ColumnSection) -> Result<Option<char>, Error> {
    let Some(text) = &section.thousands else { return Ok(None) };
    let error = |problem: Text| Error::new(place.clone(), problem);
    if !matches!(section.value_type, ValueType::Integer | ValueType::Number) {
        let problem =
            text!("`thousands` is for columns with `type = \"integer\"` or `type = \"number\"`");
        return Err(error(problem.to_owned()));
    }
    let mut signs = text.chars();
    match (signs.next(), signs.next()) {
        (Some(sign), None) if !sign.is_alphanumeric() && !"+-".contains(sign) => Ok(Some(sign)),
        _ => Err(error(text!("`thousands = {text:?}` is not a sign"))
            .help("usual ones are \",\", \".\", \" \" and \"’\"")),
    }
}

/// Checks that a date format can read back the dates that it writes.
fn check_date_format(place: &Location, format: &str) -> Result<(), Error> {
    if is_format(format) {
        return Ok(());
    }
    Err(Error::new(place.clone(), text!("`format = {format:?}` is not a date pattern")).help(
        "write for example \"%d.%m.%Y\", or \"unix\", \"unix-ms\", \"excel\", \"spss\", \"quarter\"",
    ))
}

fn coarsening(
    place: &Location,
    prefix: Option<usize>,
    bins: Option<Vec<f64>>,
    quantiles: Option<u32>,
) -> Result<Option<Coarsening>, Error> {
    let error = |problem: Text| Err(Error::new(place.clone(), problem));
    match (prefix, bins, quantiles) {
        (None, None, None) => Ok(None),
        (Some(0), None, None) => error(text!("`prefix = 0` would make all values equal")),
        (Some(length), None, None) => Ok(Some(Coarsening::Prefix(length))),
        (None, Some(borders), None) => {
            let ascending = borders.windows(2).all(|pair| pair[0] < pair[1]);
            if ascending && !borders.is_empty() && borders.iter().all(|b| b.is_finite()) {
                Ok(Some(Coarsening::Bins(borders)))
            } else {
                error(text!("`bins` needs at least one border, in ascending order"))
            }
        }
        (None, None, Some(0 | 1)) => error(text!("`quantiles` needs at least 2")),
        (None, None, Some(parts)) => Ok(Some(Coarsening::Quantiles(parts))),
        _ => error(text!("has several of `prefix`, `bins` and `quantiles`; choose one")),
    }
}

impl WrittenPolicy<'_> {
    /// Checks a column that tells people or their episodes apart: it is read, but never published.
    /// `key` names the column in messages, up to the quotation mark.
    pub(super) fn identity(
        &self,
        columns: &BTreeMap<String, ColumnPolicy>,
        key: Text,
        name: Spanned<String>,
    ) -> Result<String, Error> {
        let (place, name) = (self.start_of(&name.span()), name.into_inner());
        let Some(column) = columns.get(&name) else {
            let problem = text!("{key:text} names `{name}`, which is not a column under [columns]");
            let error = Error::new(place, problem);
            return Err(or_meant(error, &name, columns.keys().map(String::as_str), || {
                text!("give the column the role `identifier`")
            }));
        };
        if column.role != Role::Identifier {
            let problem = text!(
                "{key:text} names `{name}`, which has the role `{}`: a column that identifies people is read, but must not be published",
                column.role.name()
            );
            return Err(
                Error::new(place, problem).help(text!("give the column the role `identifier`"))
            );
        }
        Ok(name)
    }
}
