//! Lines over an axis: how measures change with a parameter.

use super::COLOURS;
use super::scale::{step, tick};
use super::svg::{Anchor, Svg};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 48.0;
/// Height of a line of the legend, which is below the axes.
const LEGEND: f64 = 18.0;
/// Numbers that fit below the axis.
const MARKS: usize = 12;

/// Lines, one per way of doing something.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    /// Content of the picture.
    pub title: String,
    /// Text below the horizontal axis.
    pub across: String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line through points, from the left to the right.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Name of the line.
    pub name: String,
    /// Its points.
    pub points: Vec<Point>,
}

/// A measure at a place; none is negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The parameter.
    pub at: f64,
    /// The measure.
    pub value: f64,
    /// The least and the greatest of several measures; the same as `value` if there is one.
    pub spread: [f64; 2],
}

impl Point {
    /// Returns a point without a range.
    pub fn new(at: f64, value: f64) -> Self {
        Self { at, value, spread: [value; 2] }
    }
}

impl Lines {
    /// The picture; none without points. O(points · log points).
    pub fn svg(&self) -> Option<String> {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let mut marks: Vec<f64> = points().map(|point| point.at).collect();
        marks.sort_by(f64::total_cmp);
        marks.dedup();
        let (&first, &last) = (marks.first()?, marks.last()?);
        let highest = points().map(|point| point.spread[1]).fold(0.0, f64::max);
        let axes = PaperAxes { first, last, step: step(highest), highest };
        let height = HEIGHT + LEGEND * self.lines.len() as f64;
        let mut svg = Svg::new((WIDTH, height), 12, &self.title);
        svg.text((WIDTH / 2.0, 20.0), Anchor::Middle, &self.title);
        axes.draw(&mut svg, &marks, &self.across);
        for (number, line) in self.lines.iter().enumerate() {
            draw(&mut svg, &axes, line, number);
        }
        Some(svg.finish())
    }
}

/// Maps numbers to positions in the drawing.
struct PaperAxes {
    first: f64,
    last: f64,
    step: f64,
    highest: f64,
}

impl PaperAxes {
    fn top(&self) -> f64 {
        (self.highest / self.step).ceil().max(1.0) * self.step
    }

    fn x(&self, at: f64) -> f64 {
        let share =
            if self.last > self.first { (at - self.first) / (self.last - self.first) } else { 0.5 };
        LEFT + share * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - value / self.top() * (HEIGHT - TOP - BOTTOM)
    }

    fn draw(&self, svg: &mut Svg, marks: &[f64], across: &str) {
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
        for &mark in marks.iter().step_by(marks.len() / (MARKS + 1) + 1) {
            svg.text((self.x(mark), low + 18.0), Anchor::Middle, &mark.to_string());
        }
        svg.push(format_args!(
            "<line x1=\"{LEFT}\" y1=\"{low:.1}\" x2=\"{right}\" y2=\"{low:.1}\" stroke=\"#333\"/>\n"
        ));
        let place = (f64::midpoint(LEFT, right), low + 38.0);
        svg.text(place, Anchor::Middle, across);
    }
}

fn draw(svg: &mut Svg, axes: &PaperAxes, line: &Line, number: usize) {
    let colour = COLOURS[number % COLOURS.len()];
    // Repeated colours are dashed.
    let dash = match number / COLOURS.len() {
        0 => String::new(),
        times => format!(" stroke-dasharray=\"{} 3\"", 8 / times.min(4)),
    };
    let places = || line.points.iter().map(|point| (axes.x(point.at), axes.y(point.value), point));
    let path: Vec<String> = places().map(|(x, y, _)| format!("{x:.1},{y:.1}")).collect();
    let path = path.join(" ");
    svg.push(format_args!(
        "<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>\n"
    ));
    for (x, y, point) in places() {
        svg.push(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>\n"));
        let [low, high] = point.spread.map(|value| axes.y(value));
        if high < low {
            svg.push(format_args!(
                "<line x1=\"{x:.1}\" y1=\"{low:.1}\" x2=\"{x:.1}\" y2=\"{high:.1}\" stroke=\"{colour}\"/>\n"
            ));
        }
    }
    let y = HEIGHT + LEGEND * number as f64;
    let (end, middle) = (LEFT + 24.0, y - 4.0);
    svg.push(format_args!(
        "<line x1=\"{LEFT}\" y1=\"{middle}\" x2=\"{end}\" y2=\"{middle}\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>\n"
    ));
    svg.text((end + 8.0, y), Anchor::Start, &line.name);
}
