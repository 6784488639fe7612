//! Draws people, groups, and the tables that a reader can rule out.

use super::Scene;
use openveil_core::table::Groups;
use openveil_reader::picture::{Anchor, COLOURS, Picture, Svg};

/// The most tables that are drawn; further ones are counted.
const MOST: usize = 40;

const CELL: f64 = 22.0;
const LEFT: f64 = 10.0;
const TOP: f64 = 58.0;
const LEGEND: f64 = 110.0;

/// Draws the tables that a release alone leaves possible. The ones that a reader who knows the
/// algorithm rules out are crossed out.
pub(super) fn worlds(
    scene: &Scene,
    released: &Groups,
    strategy: &str,
    worlds: Vec<(Vec<u32>, bool)>,
) -> Picture {
    let left = worlds.iter().filter(|(_, is_left)| *is_left).count();
    let title = format!(
        "{strategy} releases {}: {left} of {} tables are left",
        scene.name(released),
        worlds.len()
    );
    let order: Vec<usize> = released.iter().flatten().map(|&person| person as usize).collect();
    let gap = |place: usize| {
        let mut before = 0;
        released
            .iter()
            .map(|group| {
                before += group.len();
                before
            })
            .filter(|&end| end <= place)
            .count() as f64
            * 8.0
    };
    let x = |place: usize| LEFT + place as f64 * CELL + gap(place);
    let width = x(order.len()) + LEGEND;
    let shown = worlds.len().min(MOST);
    let rows = shown.max(scene.labels.len()) as f64;
    let mut svg = Svg::new((width.max(360.0), TOP + rows * CELL + 30.0), 11, &title);
    svg.text((LEFT, 16.0), Anchor::Start, &title);
    for (place, &person) in order.iter().enumerate() {
        svg.text((x(place) + CELL / 2.0, TOP - 8.0), Anchor::Middle, &scene.people[person]);
    }
    // Possible tables come first.
    let mut sorted: Vec<&(Vec<u32>, bool)> = worlds.iter().collect();
    sorted.sort_by_key(|(_, is_left)| !is_left);
    for (row, (world, is_left)) in sorted.into_iter().take(shown).enumerate() {
        let y = TOP + row as f64 * CELL;
        for (place, &person) in order.iter().enumerate() {
            square(&mut svg, (x(place), y), world[person], if *is_left { 1.0 } else { 0.3 });
        }
        if !is_left {
            let (from, to, middle) = (x(0), x(order.len() - 1) + CELL, y + CELL / 2.0);
            svg.push(format_args!(
                "<line x1=\"{from:.1}\" y1=\"{middle:.1}\" x2=\"{to:.1}\" y2=\"{middle:.1}\" stroke=\"#222\"/>\n"
            ));
        }
    }
    if worlds.len() > shown {
        let place = (LEFT, TOP + rows * CELL + 18.0);
        svg.text(place, Anchor::Start, &format!("and {} more", worlds.len() - shown));
    }
    for (code, label) in scene.labels.iter().enumerate() {
        let (x, y) = (x(order.len()) + 8.0, TOP + code as f64 * CELL);
        square(&mut svg, (x, y), code as u32, 1.0);
        svg.text((x + CELL + 4.0, y + 15.0), Anchor::Start, label);
    }
    let file: String = strategy.chars().filter(|c| !"(,)".contains(*c)).collect();
    Picture {
        name: format!("worlds-{}", file.replace(' ', "-")),
        title,
        svg: svg.finish(),
        bars: None,
    }
}

/// Draws a person's value as a colour and a letter, for people who cannot distinguish the colours.
fn square(svg: &mut Svg, (x, y): (f64, f64), code: u32, opacity: f64) {
    let colour = COLOURS[code as usize % COLOURS.len()];
    let size = CELL - 2.0;
    svg.push(format_args!(
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{size}\" height=\"{size}\" fill=\"{colour}\" opacity=\"{opacity}\"/>\n"
    ));
    svg.push(format_args!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"white\">{}</text>\n",
        x + size / 2.0,
        y + 14.5,
        code + 1
    ));
}
