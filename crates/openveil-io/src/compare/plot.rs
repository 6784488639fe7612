//! Frontiers: l against each error, one line per way of publishing, as SVG.

use super::{Comparison, Figure, Row};
use crate::picture::{Anchor, COLOURS, Picture, Svg, step, tick};
use std::collections::BTreeMap;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 48.0;
/// Room for a line of the legend, which stands below the axes.
const LEGEND: f64 = 18.0;

/// A plot for each error that was measured. Empty where no setting has an l.
pub fn plots(comparison: &Comparison) -> Vec<Picture> {
    let errors = comparison.figures.iter().filter(|figure| figure.is_error);
    let plot = |figure: &Figure| {
        Some(Picture {
            name: figure.name.to_owned(),
            title: title(figure),
            svg: plot(comparison, figure)?,
            bars: None,
        })
    };
    errors.filter_map(plot).collect()
}

fn title(figure: &Figure) -> String {
    format!("{}: {}", figure.name, figure.meaning)
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
    let mut svg = Svg::new((WIDTH, height), 12, &title(figure));
    svg.text((WIDTH / 2.0, 20.0), Anchor::Middle, &title(figure));
    axes.draw(&mut svg);
    for (number, (name, points)) in series.iter().enumerate() {
        line(&mut svg, &axes, points, number, name);
    }
    Some(svg.finish())
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

    fn draw(&self, svg: &mut Svg) {
        let (right, low) = (WIDTH - RIGHT, self.y(0.0));
        let steps = (self.top() / self.step).round() as u32;
        for number in 0..=steps {
            let value = f64::from(number) * self.step;
            let y = self.y(value);
            svg.push(format_args!(
                "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\n"
            ));
            let place = (LEFT - 8.0, y + 4.0);
            svg.text(place, Anchor::End, &tick(value, self.step));
        }
        // At most a dozen numbers fit.
        let stride = ((self.last - self.first) / 12 + 1) as usize;
        for l in (self.first..=self.last).step_by(stride) {
            svg.text((self.x(l), low + 18.0), Anchor::Middle, &l.to_string());
        }
        svg.push(format_args!(
            "<line x1=\"{LEFT}\" y1=\"{low:.1}\" x2=\"{right}\" y2=\"{low:.1}\" stroke=\"#333\"/>\n"
        ));
        let place = (f64::midpoint(LEFT, right), low + 38.0);
        svg.text(place, Anchor::Middle, "l");
    }
}

fn line(svg: &mut Svg, axes: &Axes, points: &BTreeMap<u32, f64>, number: usize, name: &str) {
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
    svg.push(format_args!(
        "<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>\n"
    ));
    for (x, y) in places {
        svg.push(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>\n"
        ));
    }
    let y = HEIGHT + LEGEND * number as f64;
    let (end, middle) = (LEFT + 24.0, y - 4.0);
    svg.push(format_args!(
                "<line x1=\"{LEFT}\" y1=\"{middle}\" x2=\"{end}\" y2=\"{middle}\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>\n"
            ));
    svg.text((end + 8.0, y), Anchor::Start, name);
}
