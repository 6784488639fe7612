//! Answers as tables to look at, for the command and for pages.

use super::{Cell, CrossTable, Regression, RoundedTable};
use crate::report::ShownTable;
use openveil_text::{Text, text};
use serde_json::Value;

impl CrossTable {
    /// The subject of the table: `count by sex, job`.
    pub fn title(&self) -> Text {
        let statistic = Text::from(self.statistic.clone());
        match &self.by[..] {
            [] => statistic,
            by => text!("{statistic:text} by {}", by.join(", ")),
        }
    }

    /// A row for each cell: its values, the estimate with its interval, and the method.
    pub fn shown(&self) -> ShownTable {
        let figures = [text!("estimate"), text!("from"), text!("to"), text!("method")];
        let rows = self.cells.iter().map(|cell| {
            let figure = match &cell.figure {
                None => ["-", "-", "-", "nobody"].map(Text::from),
                Some(figure) => {
                    let [low, high] = figure.interval;
                    let [estimate, low, high] =
                        [figure.estimate, low, high].map(|own| Text::number(format!("{own:.1}")));
                    [estimate, low, high, figure.method.into()]
                }
            };
            values(&cell.of).chain(figure).collect()
        });
        std::iter::once(header(&self.by, figures)).chain(rows).collect()
    }

    /// The test of independence, if there is one.
    pub fn test(&self) -> Option<Text> {
        let test = self.independence.as_ref()?;
        let [chi2, freedom] =
            [test.chi2, test.freedom].map(|own| Text::number(format!("{own:.1}")));
        let p = format!("{:.2e}", test.p);
        Some(text!("χ² {chi2:text} with {freedom:text} degrees of freedom, p = {p}"))
    }
}

impl RoundedTable {
    /// A row for each cell and each total: its values, and the count.
    pub fn shown(&self) -> ShownTable {
        let rows = self.cells.iter().chain(&self.totals).map(|cell| {
            let count = match cell.count {
                Some(count) => Text::number(count.to_string()),
                None => format!("< {}", self.min).into(),
            };
            values(&cell.of).chain([count]).collect()
        });
        std::iter::once(header(&self.by, [text!("count")])).chain(rows).collect()
    }
}

impl Regression {
    /// The kind of regression, and the value that others are beside.
    pub fn title(&self) -> Text {
        let kind = match self.kind {
            "linear" => text!("linear"),
            _ => text!("multinomial logit"),
        };
        match &self.baseline {
            Some(value) => text!("{}: {kind:text}, beside `{value}`", self.formula),
            None => text!("{}: {kind:text}", self.formula),
        }
    }

    /// The coefficients: a table for each value of the secret, or one for a number.
    pub fn shown(&self) -> Vec<(Option<&str>, ShownTable)> {
        let header = || {
            let figures = [text!("term"), text!("estimate"), text!("std. error"), text!("z")];
            figures.into_iter().chain([text!("from"), text!("to")]).collect()
        };
        let of_value = self.coefficients.chunk_by(|one, next| one.value == next.value);
        of_value
            .map(|own| {
                let rows = own.iter().map(|own| {
                    let figure = &own.figure;
                    let [low, high] = figure.interval;
                    let ratio = figure.estimate / own.std_error;
                    let numbers = [figure.estimate, own.std_error, ratio, low, high];
                    let numbers = numbers.map(|number| Text::number(format!("{number:.3}")));
                    std::iter::once(own.term.clone().into()).chain(numbers).collect()
                });
                (own[0].value.as_deref(), std::iter::once(header()).chain(rows).collect())
            })
            .collect()
    }
}

impl Cell {
    /// A value as text, without quotes.
    pub fn text(value: &Value) -> String {
        value.as_str().map_or_else(|| value.to_string(), str::to_owned)
    }
}

fn values(of: &[(String, Value)]) -> impl Iterator<Item = Text> {
    of.iter().map(|(_, value)| Cell::text(value).into())
}

fn header<const N: usize>(by: &[String], figures: [Text; N]) -> Vec<Text> {
    by.iter().cloned().map(Text::from).chain(figures).collect()
}
