//! A paper's page: pictures, tables and data in a folder.

use super::{Paper, Rebuilt};
use openveil_reader::picture::{Line, Lines};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

/// Writes the picture of a figure, and its data into the data of its paper.
///
/// # Errors
/// A folder that cannot be written.
pub fn write_figure(
    folder: &Path,
    paper: &Paper,
    figure: &Rebuilt,
    lines: Vec<Line>,
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let lines = Lines { title: figure.title.to_owned(), across: figure.across.to_owned(), lines };
    let Some(svg) = lines.svg() else {
        return Ok(());
    };
    fs::write(folder.join(format!("{}-{}.svg", paper.name, slug(figure))), svg)?;
    let path = folder.join(format!("{}.csv", paper.name));
    let before = fs::read_to_string(&path).unwrap_or_default();
    let data_of = |own: &Rebuilt| {
        if slug(own) == slug(figure) {
            data(figure, &lines)
        } else {
            rows_of(&before, own).map(|row| format!("{row}\n")).collect()
        }
    };
    let rows: String = paper.figures.iter().map(data_of).collect();
    fs::write(path, format!("{HEADER}\n{rows}"))
}

/// The first line of a paper's data.
const HEADER: &str = "figure,way,at,mean,least,greatest";

/// Returns the lines of a figure in its paper's data.
fn rows_of<'a>(data: &'a str, figure: &Rebuilt) -> impl Iterator<Item = &'a str> {
    let start = format!("{},", slug(figure));
    data.lines().filter(move |row| row.starts_with(&start))
}

/// Writes the page of a paper, which shows every figure with data in the folder.
///
/// # Errors
/// A folder that cannot be written.
pub fn write_page(folder: &Path, paper: &Paper) -> io::Result<()> {
    fs::write(folder.join(format!("{}.md", paper.name)), page(folder, paper)?)
}

/// Returns a figure's number in the form for file names.
fn slug(figure: &Rebuilt) -> String {
    let number = figure.number.to_lowercase().replace(' ', "-");
    number.chars().filter(|c| *c != ',').collect()
}

/// Returns a row for each point.
fn data(figure: &Rebuilt, lines: &Lines) -> String {
    let mut text = String::new();
    for line in &lines.lines {
        for point in &line.points {
            let [least, greatest] = point.spread;
            writeln!(
                text,
                "{},{},{},{:.4},{least:.4},{greatest:.4}",
                slug(figure),
                line.name,
                point.at,
                point.value
            )
            .expect("writing to a text does not fail");
        }
    }
    text
}

fn page(folder: &Path, paper: &Paper) -> io::Result<String> {
    let Paper { name: paper_name, title, about, .. } = paper;
    let mut text = format!(
        "# {title}: the figures, measured again\n\n{about}\n\nWritten by `cargo run --release --manifest-path lab/Cargo.toml --bin openveil-lab -- figures {paper_name}`. [The data]({paper_name}.csv) also give the least and the greatest value over all runs.\n"
    );
    let data = fs::read_to_string(folder.join(format!("{paper_name}.csv"))).unwrap_or_default();
    for figure in paper.figures {
        let rows: Vec<&str> = rows_of(&data, figure).collect();
        if rows.is_empty() {
            continue;
        }
        let table = table(figure, &rows);
        text += &format!(
            "\n## Figure {}: {}\n\n![{}]({paper_name}-{}.svg)\n\n*The paper:* {}\n\n*Here:* {}\n\n{table}",
            figure.number,
            figure.title,
            figure.title,
            slug(figure),
            figure.reported,
            figure.verdict
        );
    }
    Ok(text)
}

/// Returns the table of means: a row for each way, a column for each place.
fn table(figure: &Rebuilt, rows: &[&str]) -> String {
    let cells = |row: &&'_ str| row.split(',').skip(1).map(str::to_owned).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let order = |row: &Vec<String>| (row[1].parse::<f64>().unwrap_or(0.0) * 1e6) as i64;
    let places: BTreeSet<i64> = rows.iter().map(order).collect();
    let mut ways: Vec<&str> = rows.iter().map(|row| &*row[0]).collect();
    ways.dedup();
    let heading: Vec<String> =
        places.iter().map(|&place| (place as f64 / 1e6).to_string()).collect();
    let mut text = format!(
        "| {} | {} |\n|---|{}\n",
        figure.across,
        heading.join(" | "),
        "---:|".repeat(places.len())
    );
    for way in ways {
        let cell = |place: &i64| {
            rows.iter()
                .find(|row| row[0] == way && order(row) == *place)
                .map_or_else(|| "–".to_owned(), |row| rounded(&row[2]))
        };
        let cells: Vec<String> = places.iter().map(cell).collect();
        text += &format!("| {way} | {} |\n", cells.join(" | "));
    }
    text
}

/// Rounds to three significant digits.
fn rounded(text: &str) -> String {
    let value: f64 = text.parse().unwrap_or(0.0);
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 1.0 => format!("{value:.2}"),
        value => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::PAPERS;

    /// No figure of a page is typed by hand, and every figure of a paper is on its page.
    #[test]
    fn pages_are_those_of_the_data_beside_them() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("figures");
        for paper in PAPERS {
            let written = fs::read_to_string(folder.join(format!("{}.md", paper.name))).unwrap();
            assert_eq!(page(&folder, paper).unwrap(), written, "{}", paper.name);
            for figure in paper.figures {
                let name = format!("{}-{}", paper.name, slug(figure));
                assert!(written.contains(&format!("({name}.svg)")), "{name}");
                let svg = fs::read_to_string(folder.join(format!("{name}.svg"))).unwrap();
                assert!(svg.contains(figure.title), "{name}");
            }
        }
    }
}
