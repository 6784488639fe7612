//! How the table is written: the section `[input]`.

use super::document::InputSection;
use super::written::WrittenPolicy;
use super::{ColumnPolicy, resolve};
use crate::Error;
use crate::source::{Encoding, Format, Source, delimiter};
use crate::spelling::or_meant;
use jiff::fmt::temporal::Pieces;
use jiff::tz::{Offset, TimeZone};
use openveil_text::text;
use std::collections::{BTreeMap, HashSet};
use toml::Spanned;

impl WrittenPolicy<'_> {
    pub(super) fn source(&self, input: InputSection) -> Result<Source, Error> {
        let format = match input.format.as_deref() {
            None => None,
            Some("csv") => Some(Format::Csv),
            Some("parquet") => Some(Format::Parquet),
            Some("arrow") => Some(Format::Arrow),
            Some("excel") => Some(Format::Excel),
            Some(other) => {
                let known = ["csv", "parquet", "arrow", "excel"];
                return Err(self.unknown("input format", other, &known));
            }
        };
        Ok(Source {
            path: resolve(self.path, &input.path),
            memory: None,
            format,
            delimiter: self.delimiter(input.delimiter.as_deref())?,
            escape: self.escape(input.escape.as_ref())?,
            encoding: self.encoding(input.encoding.as_ref())?,
            sheet: input.sheet,
            names: self.names(input.names)?,
            trim: input.trim,
            lists: false,
        })
    }

    /// Checks names of columns, each of which tells people apart.
    fn names(&self, names: Option<Spanned<Vec<String>>>) -> Result<Option<Vec<String>>, Error> {
        let Some(names) = names else { return Ok(None) };
        let place = self.start_of(&names.span());
        let names = names.into_inner();
        let mut seen = HashSet::new();
        let problem = match names.iter().find(|name| name.is_empty() || !seen.insert(*name)) {
            None => return Ok(Some(names)),
            Some(name) if name.is_empty() => text!("has an empty name in `names`"),
            Some(twice) => text!("has `{twice}` twice in `names`"),
        };
        let error = self.error(problem).at_place(place);
        Err(error.help("give every column of the file a unique name, in the order of the file"))
    }

    pub(super) fn delimiter(&self, text: Option<&str>) -> Result<u8, Error> {
        let text = text.unwrap_or(",");
        delimiter(text).map_err(|problem| {
            let error = self.error(text!("`delimiter = {text:?}` {problem}"));
            error.help("usual ones are \",\", \";\", \"|\" and \"\\t\"")
        })
    }

    fn escape(&self, sign: Option<&Spanned<String>>) -> Result<Option<u8>, Error> {
        match sign.map(|sign| (sign, sign.get_ref().as_str())) {
            None => Ok(None),
            Some((_, "\\")) => Ok(Some(b'\\')),
            Some((sign, other)) => Err(self
                .error(text!("`escape = {other:?}` is not a backslash"))
                .at_place(self.start_of(&sign.span()))
                .help(text!("write `escape = \"\\\\\"`, or leave it out: doubled quotation marks are read anyway"))),
        }
    }

    fn encoding(&self, name: Option<&Spanned<String>>) -> Result<Option<Encoding>, Error> {
        let Some(name) = name else { return Ok(None) };
        Encoding::named(name.get_ref()).map_err(|problem| {
            let error = self.error(problem).at_place(self.start_of(&name.span()));
            error.help("usual ones are \"utf-8\", \"windows-1252\" (Latin-1), \"utf-16\", \"iso-8859-2\", \"shift_jis\"")
        })
    }

    /// Returns whether numbers are written like `1.234,5`.
    pub(super) fn decimal_comma(&self, input: &InputSection) -> Result<bool, Error> {
        match input.decimal.as_ref().map(|sign| (sign, sign.get_ref().as_str())) {
            None | Some((_, ".")) => Ok(false),
            Some((_, ",")) => Ok(true),
            Some((sign, other)) => Err(self
                .error(text!("`decimal = {other:?}` is neither \".\" nor \",\""))
                .at_place(self.start_of(&sign.span()))
                .help("write the decimal separator: \".\" or \",\"")),
        }
    }

    /// Returns the zone that decides on which day a moment falls: a name, or an offset such as
    /// `-05:00`.
    pub(super) fn timezone(&self, input: &InputSection) -> Result<Option<TimeZone>, Error> {
        let Some(name) = &input.timezone else {
            return Ok(None);
        };
        let moment = format!("2000-01-01T00:00{}", name.get_ref());
        let offset = Pieces::parse(&moment).ok().and_then(|own| own.to_numeric_offset());
        offset.map(Offset::to_time_zone).or_else(|| TimeZone::get(name.get_ref()).ok()).map(Some).ok_or_else(|| {
            let problem = text!("`timezone = {:?}` under [input] is not a time zone that this machine knows", name.get_ref());
            self.error(problem)
                .at_place(self.start_of(&name.span()))
                .help("write a name like \"America/New_York\" (the machine's tzdata has them), \"UTC\", or an offset like \"-05:00\"")
        })
    }

    /// Returns the column that tells people apart.
    pub(super) fn person(
        &self,
        name: Option<&Spanned<String>>,
        columns: &BTreeMap<String, ColumnPolicy>,
    ) -> Result<Option<String>, Error> {
        let Some(name) = name else { return Ok(None) };
        let (place, name) = (self.start_of(&name.span()), name.get_ref());
        if columns.contains_key(name) {
            return Ok(Some(name.clone()));
        }
        let problem = text!("`person` names `{name}`, which is not a column under [columns]");
        let error = self.error(problem).at_place(place);
        Err(or_meant(
            error,
            name,
            columns.keys().map(String::as_str),
            || "give the column a role, usually `identifier`",
        ))
    }
}
