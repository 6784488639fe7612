//! Pictures as SVG: bars for reports, lines for comparisons.

mod bars;
mod lines;
mod scale;
mod svg;

pub use bars::{Bars, Series};
pub use lines::{Line, Lines, Point};
pub(crate) use scale::step;
pub use svg::escaped;
pub use svg::{Anchor, Svg};

/// Colours that people with the usual kinds of colour blindness tell apart (Okabe and
/// Ito, 2008).
pub const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// A picture with the name of its file, without ending.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Name of its files.
    pub name: String,
    /// Its content, in a few words.
    pub title: String,
    /// The picture, as a document that stands by itself.
    pub svg: String,
    /// The bars that it shows, if it shows bars.
    pub bars: Option<Bars>,
}

impl From<(&str, Bars)> for Picture {
    fn from((name, bars): (&str, Bars)) -> Self {
        Self { name: name.to_owned(), title: bars.title.clone(), svg: bars.svg(), bars: Some(bars) }
    }
}
