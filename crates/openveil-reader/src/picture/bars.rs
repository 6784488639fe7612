//! Bars with their names: counts and shares.

use super::COLOURS;
use super::svg::{Anchor, Svg, escaped};
use openveil_io::printable;

/// Width in units of the drawing: as many as a small screen has points, so that texts stay readable
/// there.
const WIDTH: f64 = 360.0;
const LEFT: f64 = 118.0;
const RIGHT: f64 = 58.0;
const BAR: f64 = 13.0;
const GAP: f64 = 7.0;
const LEGEND: f64 = 18.0;
/// Characters of a name that fit.
const NAME: usize = 18;

/// Horizontal bars, one per name and series.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// A sentence on the content of the picture.
    pub title: String,
    /// Names of the bars.
    pub names: Vec<String>,
    /// One or two lists of as many values; none of them is negative.
    pub series: Vec<Series>,
    /// The value of a full-length bar; none for the largest value.
    pub most: Option<f64>,
}

/// Values of the same kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name of the series.
    pub name: String,
    /// One per name.
    pub values: Vec<f64>,
    /// The values as they are written.
    pub texts: Vec<String>,
}

impl Bars {
    /// The picture. O(names · series).
    pub fn svg(&self) -> String {
        let count = self.series.len().max(1) as f64;
        let legend = if self.series.len() > 1 { LEGEND } else { 0.0 };
        let row = BAR * count + GAP;
        let height = legend + row * self.names.len() as f64 + GAP;
        let mut svg = Svg::new((WIDTH, height), 11, &self.title);
        if self.series.len() > 1 {
            self.legend(&mut svg);
        }
        let values = self.series.iter().flat_map(|series| &series.values);
        let longest = self.most.unwrap_or(values.copied().fold(0.0, f64::max));
        for (number, name) in self.names.iter().enumerate() {
            let top = legend + GAP + row * number as f64;
            label(&mut svg, top + BAR * count / 2.0 + 4.0, name);
            for (index, series) in self.series.iter().enumerate() {
                let y = top + BAR * index as f64;
                let share = if longest > 0.0 {
                    (series.values[number] / longest).clamp(0.0, 1.0)
                } else {
                    0.0
                };
                let (length, colour) = (share * (WIDTH - LEFT - RIGHT), COLOURS[index]);
                let thickness = BAR - 2.0;
                svg.push(format_args!(
                    "<rect x=\"{LEFT}\" y=\"{y:.1}\" width=\"{length:.1}\" height=\"{thickness}\" fill=\"{colour}\"/>\n"
                ));
                let place = (LEFT + length + 4.0, y + BAR - 3.5);
                svg.text(place, Anchor::Start, &series.texts[number]);
            }
        }
        svg.finish()
    }

    /// Draws the bars for a terminal of `width` characters. O(names · series).
    pub fn text(&self, width: usize) -> String {
        let name_width =
            self.names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(width / 3);
        let text_width = self
            .series
            .iter()
            .flat_map(|series| &series.texts)
            .map(|text| text.chars().count())
            .max()
            .unwrap_or(0);
        let room = width.saturating_sub(name_width + text_width + 4).max(8);
        let values = self.series.iter().flat_map(|series| &series.values);
        let longest = self.most.unwrap_or(values.copied().fold(0.0, f64::max));
        let mut lines = format!("  {}\n", printable(&self.title));
        for (number, name) in self.names.iter().enumerate() {
            for (index, series) in self.series.iter().enumerate() {
                let name: String = match index {
                    0 => printable(name).chars().take(name_width).collect(),
                    _ => String::new(),
                };
                let eighths = if longest > 0.0 {
                    (series.values[number] / longest).clamp(0.0, 1.0) * 8.0 * room as f64
                } else {
                    0.0
                };
                let bar = blocks(eighths.round() as usize);
                let text = &series.texts[number];
                lines.push_str(&format!("  {name:>name_width$} {bar} {text}\n"));
            }
        }
        lines
    }

    fn legend(&self, svg: &mut Svg) {
        let mut x = 4.0;
        for (series, colour) in self.series.iter().zip(COLOURS) {
            svg.push(format_args!(
                "<rect x=\"{x:.1}\" y=\"5\" width=\"10\" height=\"10\" fill=\"{colour}\"/>\n"
            ));
            svg.text((x + 14.0, 14.0), Anchor::Start, &series.name);
            x += 30.0 + 6.5 * series.name.chars().count() as f64;
        }
    }
}

/// A bar of so many eighths of a character.
fn blocks(eighths: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}

/// Adds a name on the left, cut if it is too long; the full name is in the tooltip.
fn label(svg: &mut Svg, y: f64, name: &str) {
    let is_long = name.chars().count() > NAME;
    if !is_long {
        return svg.text((LEFT - 6.0, y), Anchor::End, name);
    }
    let short: String = name.chars().take(NAME - 1).collect();
    let (whole, short, x) = (escaped(name), escaped(&short), LEFT - 6.0);
    svg.push(format_args!(
        "<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\"><title>{whole}</title>{short}…</text>\n"
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_values() {
        let series = |name: &str, values: [f64; 2]| Series {
            name: name.to_owned(),
            values: values.to_vec(),
            texts: values.map(|value| value.to_string()).to_vec(),
        };
        let bars = Bars {
            title: "a < b".to_owned(),
            names: vec!["f".to_owned(), "a name of many characters & signs".to_owned()],
            series: vec![series("table", [1.0, 2.0]), series("release", [2.0, 0.0])],
            most: Some(2.0),
        };
        let svg = bars.svg();
        let widths: Vec<&str> = svg
            .lines()
            .filter(|line| line.contains("height=\"11\""))
            .map(|line| line.split("width=\"").nth(1).unwrap().split('"').next().unwrap())
            .collect();
        assert_eq!(widths, ["92.0", "184.0", "184.0", "0.0"]);
        assert!(svg.contains("<title>a &lt; b</title>"));
        assert!(
            svg.contains("<title>a name of many characters &amp; signs</title>a name of many ch…")
        );
        let shown = bars.text(40);
        let lengths: Vec<usize> = shown.lines().map(|line| line.matches('█').count()).collect();
        assert_eq!(lengths.len(), 5, "{shown}");
        assert!(lengths[2] == 2 * lengths[1] && lengths[4] == 0, "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= 40), "{shown}");
        let alone = Bars { series: bars.series[..1].to_vec(), most: None, ..bars };
        assert!(!alone.svg().contains(">table<"));
    }
}
