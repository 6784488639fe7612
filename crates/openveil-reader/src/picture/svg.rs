//! Builds a drawing element by element.

use std::fmt::{Arguments, Write};

/// Which side of a text is at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The left side.
    Start,
    /// The middle.
    Middle,
    /// The right side.
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// A drawing that grows.
#[derive(Debug)]
pub struct Svg(String);

impl Svg {
    /// Starts a drawing of this size. `title` is its text alternative. The background is white;
    /// inside a page the drawing takes the page's colours.
    pub fn new((width, height): (f64, f64), size: u32, title: &str) -> Self {
        let mut svg = Self(String::new());
        svg.push(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"{size}\" fill=\"#222\" role=\"img\">\n<title>{}</title>\n<rect class=\"paper\" width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n",
            escaped(title)
        ));
        svg
    }

    /// A text.
    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, words: &str) {
        let (anchor, words) = (anchor.name(), escaped(words));
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>\n"
        ));
    }

    /// Anything else.
    pub fn push(&mut self, words: Arguments<'_>) {
        self.0.write_fmt(words).expect("writing to a text does not fail");
    }

    /// The whole drawing.
    pub fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }
}

/// Returns a text escaped for XML elements and attributes. Characters that XML does not allow are
/// left out.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            c => escaped.push(c),
        }
    }
    escaped
}
