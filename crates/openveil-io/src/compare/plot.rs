//! Frontiers: l against each error, one line per way of publishing, as SVG.

use super::{Comparison, Figure, Row};
use std::collections::BTreeMap;
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 48.0;
/// Room for a line of the legend, which stands below the axes.
const LEGEND: f64 = 18.0;

/// Colours that people with the usual kinds of colour blindness tell apart (Okabe and
/// Ito, 2008).
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];

/// A plot for each error that was measured, with the name of its file. Empty where no
/// setting has an l.
pub fn plots(comparison: &Comparison) -> Vec<(String, String)> {
    let errors = comparison.figures.iter().filter(|figure| figure.is_error);
    let plot = |figure: &Figure| {
        let svg = plot(comparison, figure)?;
        Some((format!("{}.svg", figure.name), svg))
    };
    errors.filter_map(plot).collect()
}

/// A line: its name, and a median for each l.
type Series = BTreeMap<String, BTreeMap<u32, f64>>;

fn plot(comparison: &Comparison, figure: &Figure) -> Option<String> {
    let mut series = Series::new();
    let point = |row: &Row| Some((row.l?, *row.medians.get(figure.name)?));
    for row in &comparison.rows {
        if let Some((l, value)) = point(row) {
            series.entry(row.series()).or_default().insert(l, value);
        }
    }
    let points = || series.values().flatten();
    let (first, last) = (*points().map(|p| p.0).min()?, *points().map(|p| p.0).max()?);
    let highest = points().map(|p| *p.1).fold(0.0, f64::max);
    let axes = Axes {
        first,
        last,
        step: step(highest),
        highest,
    };
    let height = HEIGHT + LEGEND * series.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    let title = format!("{}: {}", figure.name, figure.meaning);
    text(&mut svg, WIDTH / 2.0, 20.0, "middle", &title);
    axes.draw(&mut svg);
    for (number, (name, points)) in series.iter().enumerate() {
        line(&mut svg, &axes, points, number, name);
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

/// Where numbers lie on the paper.
struct Axes {
    first: u32,
    last: u32,
    step: f64,
    highest: f64,
}

impl Axes {
    fn top(&self) -> f64 {
        (self.highest / self.step).ceil().max(1.0) * self.step
    }

    fn x(&self, l: u32) -> f64 {
        let span = f64::from((self.last - self.first).max(1));
        let share = match self.last == self.first {
            true => 0.5,
            false => f64::from(l - self.first) / span,
        };
        LEFT + share * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - value / self.top() * (HEIGHT - TOP - BOTTOM)
    }

    fn draw(&self, svg: &mut String) {
        let (right, low) = (WIDTH - RIGHT, self.y(0.0));
        let steps = (self.top() / self.step).round() as u32;
        for number in 0..=steps {
            let value = f64::from(number) * self.step;
            let y = self.y(value);
            push(
                svg,
                format_args!(
                    "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\n"
                ),
            );
            text(svg, LEFT - 8.0, y + 4.0, "end", &tick(value, self.step));
        }
        // At most a dozen numbers fit.
        let stride = ((self.last - self.first) / 12 + 1) as usize;
        for l in (self.first..=self.last).step_by(stride) {
            text(svg, self.x(l), low + 18.0, "middle", &l.to_string());
        }
        push(
            svg,
            format_args!(
                "<line x1=\"{LEFT}\" y1=\"{low:.1}\" x2=\"{right}\" y2=\"{low:.1}\" stroke=\"#333\"/>\n"
            ),
        );
        text(svg, f64::midpoint(LEFT, right), low + 38.0, "middle", "l");
    }
}

fn line(svg: &mut String, axes: &Axes, points: &BTreeMap<u32, f64>, number: usize, name: &str) {
    let colour = COLOURS[number % COLOURS.len()];
    // Colours that come again are dashed.
    let dash = match number / COLOURS.len() {
        0 => String::new(),
        times => format!(" stroke-dasharray=\"{} 3\"", 8 / times.min(4)),
    };
    let places = points.iter().map(|(&l, &value)| (axes.x(l), axes.y(value)));
    let path: Vec<String> = places
        .clone()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let path = path.join(" ");
    push(
        svg,
        format_args!(
            "<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>\n"
        ),
    );
    for (x, y) in places {
        push(
            svg,
            format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>\n"),
        );
    }
    let y = HEIGHT + LEGEND * number as f64;
    let (end, middle) = (LEFT + 24.0, y - 4.0);
    push(
        svg,
        format_args!(
            "<line x1=\"{LEFT}\" y1=\"{middle}\" x2=\"{end}\" y2=\"{middle}\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>\n"
        ),
    );
    text(svg, end + 8.0, y, "start", name);
}

/// The distance of marks on an axis up to a value: 1, 2 or 5 times a power of ten, at
/// most ten of them.
fn step(highest: f64) -> f64 {
    if highest <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf((highest / 10.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let fits = |step: &f64| highest / step <= 10.0;
    steps.into_iter().find(fits).unwrap_or(10.0 * power)
}

/// A mark's number, with as many digits as its distance needs.
fn tick(value: f64, step: f64) -> String {
    let digits = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.digits$}")
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, words: &str) {
    let words = words
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    push(
        svg,
        format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>\n"),
    );
}

fn push(svg: &mut String, words: std::fmt::Arguments<'_>) {
    svg.write_fmt(words)
        .expect("writing to a text does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_few() {
        for (highest, expected) in [
            (0.0, 1.0),
            (0.07, 0.01),
            (0.12, 0.02),
            (1.0, 0.1),
            (37.0, 5.0),
        ] {
            let found = step(highest);
            assert!((found - expected).abs() < 1e-12, "{highest}: {found}");
        }
        assert_eq!(tick(0.06, 0.02), "0.06");
        assert_eq!(tick(15.0, 5.0), "15");
    }
}
