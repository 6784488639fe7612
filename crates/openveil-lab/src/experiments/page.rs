//! A paper's page: pictures, tables and data in a folder.

use super::{Paper, Rebuilt};
use openveil_reader::picture::{Line, Lines};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

/// Writes the picture and the data of a figure.
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
    let lines = Lines {
        title: figure.title.to_owned(),
        across: figure.across.to_owned(),
        lines,
    };
    let Some(svg) = lines.svg() else {
        return Ok(());
    };
    let name = name(paper, figure);
    fs::write(folder.join(format!("{name}.svg")), svg)?;
    fs::write(folder.join(format!("{name}.csv")), data(figure, &lines))
}

/// Writes the page of a paper, which shows every figure whose data lie in the folder.
///
/// # Errors
/// A folder that cannot be written.
pub fn write_page(folder: &Path, paper: &Paper) -> io::Result<()> {
    fs::write(
        folder.join(format!("{}.md", paper.name)),
        page(folder, paper)?,
    )
}

/// Returns the name of a figure's files.
fn name(paper: &Paper, figure: &Rebuilt) -> String {
    let number = figure.number.to_lowercase().replace(' ', "-");
    let number: String = number.chars().filter(|c| *c != ',').collect();
    format!("{}-{number}", paper.name)
}

/// A row for each point.
fn data(figure: &Rebuilt, lines: &Lines) -> String {
    let mut text = format!("way,{},mean,least,greatest\n", figure.across);
    for line in &lines.lines {
        for point in &line.points {
            let [least, greatest] = point.spread;
            writeln!(
                text,
                "{},{},{:.4},{least:.4},{greatest:.4}",
                line.name, point.at, point.value
            )
            .expect("writing to a text does not fail");
        }
    }
    text
}

fn page(folder: &Path, paper: &Paper) -> io::Result<String> {
    let Paper {
        name: paper_name,
        title,
        about,
        ..
    } = paper;
    let mut text = format!(
        "# {title}: the figures, measured anew\n\n{about}\n\nWritten by `cargo run --release -p openveil-lab --bin openveil-lab -- figures {paper_name}`.\n"
    );
    for figure in paper.figures {
        let name = name(paper, figure);
        let Ok(data) = fs::read_to_string(folder.join(format!("{name}.csv"))) else {
            continue;
        };
        let table = table(figure, &data);
        text += &format!(
            "\n## Figure {}: {}\n\n![{}]({name}.svg)\n\n*The paper:* {}\n\n*Here:* {}\n\n{table}\n[Data]({name}.csv), with the least and the greatest of all coins.\n",
            figure.number, figure.title, figure.title, figure.reported, figure.verdict
        );
    }
    Ok(text)
}

/// The means: a row for each way, a column for each place.
fn table(figure: &Rebuilt, data: &str) -> String {
    let rows: Vec<Vec<&str>> = data
        .lines()
        .skip(1)
        .map(|row| row.split(',').collect())
        .collect();
    let order = |row: &Vec<&str>| (row[1].parse::<f64>().unwrap_or(0.0) * 1e6) as i64;
    let places: BTreeSet<i64> = rows.iter().map(order).collect();
    let mut ways: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    ways.dedup();
    let heading: Vec<String> = places
        .iter()
        .map(|&place| (place as f64 / 1e6).to_string())
        .collect();
    let mut text = format!(
        "| {} | {} |\n|---|{}\n",
        figure.across,
        heading.join(" | "),
        "---:|".repeat(places.len())
    );
    for way in ways {
        let cell = |place: &i64| {
            let found = rows
                .iter()
                .find(|row| row[0] == way && order(row) == *place);
            found.map_or_else(|| "–".to_owned(), |row| rounded(row[2]))
        };
        let cells: Vec<String> = places.iter().map(cell).collect();
        text += &format!("| {way} | {} |\n", cells.join(" | "));
    }
    text
}

/// Three digits that count.
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
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/experiments");
        for paper in PAPERS {
            let written = fs::read_to_string(folder.join(format!("{}.md", paper.name))).unwrap();
            assert_eq!(page(&folder, paper).unwrap(), written, "{}", paper.name);
            for figure in paper.figures {
                let name = name(paper, figure);
                assert!(written.contains(&format!("({name}.svg)")), "{name}");
                let svg = fs::read_to_string(folder.join(format!("{name}.svg"))).unwrap();
                assert!(svg.contains(figure.title), "{name}");
            }
        }
    }
}
