use super::print_json;
use crate::Outcome;
use crate::pictures;
use crate::progress::StageBars;
use crate::table::{TextTable, counted, entry, thousands};
use openveil_io::policy::Policy;
use openveil_io::release_dir::write::{Viewer, check_beside, check_found, write_found};
use openveil_io::{Error, Location};
use openveil_requests::Compare;
use openveil_text::Text;
use openveil_tools::compare;
use openveil_tools::compare::{Comparison, Row, plot};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct CompareArguments {
    /// The policies to compare.
    #[arg(required = true)]
    policies: Vec<PathBuf>,
    #[command(flatten)]
    request: Compare,
    /// Write one line per trial to this file.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw l against each error as SVG files in this folder.
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: CompareArguments) -> Result<Outcome, Error> {
    let policies: Vec<Policy> =
        arguments.policies.iter().map(|path| Policy::read(path)).collect::<Result<_, _>>()?;
    let mut request = arguments.request.request(policies)?;
    if request.state.is_none() {
        request.state = arguments.policies.first().map(|path| path.with_extension("compare.json"));
    }
    if let Some(folder) = &arguments.plots {
        check_beside(folder)?;
    }
    let check_csv = |file: &PathBuf| {
        let tables = request.policies.iter().map(|policy| &policy.input.source.path);
        let kept = [&arguments.request.on, &arguments.request.sample, &request.state]
            .into_iter()
            .flatten();
        let read = arguments.policies.iter().chain(tables).chain(kept);
        check_found(file, compare::CSV_BEGINS, read)
    };
    arguments.csv.as_ref().map(check_csv).transpose()?;
    let bars = StageBars::new();
    let comparison = compare::run(&request, &bars);
    bars.finish();
    let comparison = comparison?;
    if let Some(file) = &arguments.csv {
        // Check again: another program may have written the file during the trials.
        check_csv(file)?;
        write_found(file, comparison.csv().as_bytes(), Viewer::Owner)?;
    }
    if let Some(folder) = &arguments.plots {
        draw(folder, &comparison)?;
    }
    if arguments.json {
        print_json(&comparison)?
    } else {
        print_text(&comparison, arguments.request.trials)
    }
    Ok(Outcome::Done)
}

fn draw(folder: &Path, comparison: &Comparison) -> Result<(), Error> {
    let plots = plot::plots(comparison);
    if plots.is_empty() {
        let problem = "there is nothing to draw: no model that was published has an `l`";
        return Err(Error::new(Location::default(), problem).help("leave `--plots` out"));
    }
    pictures::write(folder, &plots, Viewer::Owner)
}

/// The figures that fit into one printed table. The JSON and CSV outputs contain all figures.
const SHOWN: [&str; 14] = [
    "groups",
    "largest",
    "one",
    "pairs",
    "triples",
    "all",
    "one-value",
    "triples-value",
    "all-value",
    "kl",
    "association",
    "share",
    "learned",
    "ms",
];

fn print_text(comparison: &Comparison, trials: u32) {
    say!(
        "Compared {}, medians of {}.\n",
        counted(comparison.rows.len() as u128, "setting"),
        counted(trials, "run")
    );
    let figures = comparison.figures.iter();
    let figures: Vec<&str> =
        figures.map(|figure| figure.name).filter(|name| SHOWN.contains(name)).collect();
    let mut header = vec!["policy", "model", "algorithm", "style", "adversary", "at most"];
    header.extend(&figures);
    let mut table = TextTable::new(header);
    for row in &comparison.rows {
        table.row(cells(row, &figures));
    }
    say_on!("{}", table.render());
    say!("");
    for (reason, settings) in refusals(&comparison.rows) {
        say!("{}", entry("refused", &format!("{}: {reason}", settings.join("; "))));
    }
    say!("{}", entry("note", &comparison.note.to_string()));
    if !comparison.without_meaning.is_empty() {
        let names = comparison.without_meaning.join(", ");
        let words = format!(
            "not measured, because it has no meaning here (figures about the sensitive column): {names}"
        );
        say!("{}", entry("note", &words));
    }
    for figure in &comparison.figures {
        if figures.contains(&figure.name) {
            say!("{}", entry(figure.name, figure.meaning));
        }
    }
}

/// Returns each reason for a refusal once, with the settings that were refused for it.
fn refusals(rows: &[Row]) -> Vec<(&Text, Vec<String>)> {
    let mut reasons: Vec<(&Text, Vec<String>)> = Vec::new();
    for row in rows {
        let Some(reason) = &row.refused else {
            continue;
        };
        let setting = format!("{}, {}", row.series(), row.model);
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, settings)) => settings.push(setting),
            None => reasons.push((reason, vec![setting])),
        }
    }
    reasons
}

fn cells(row: &Row, figures: &[&str]) -> Vec<String> {
    let bound = match (&row.refused, &row.max_posterior) {
        (Some(_), _) => "refused".to_owned(),
        (None, Some(bound)) => bound.clone(),
        (None, None) => "below 1".to_owned(),
    };
    let mut cells = vec![
        row.policy.clone(),
        row.model.clone(),
        row.algorithm.clone(),
        row.style.clone(),
        row.adversary.clone(),
        bound,
    ];
    cells.extend(figures.iter().map(|name| match row.medians.get(*name) {
        None => String::new(),
        Some(&value) if ["groups", "largest"].contains(name) => thousands(value as u64),
        Some(&value) if *name == "ms" => format!("{value:.1}"),
        Some(&value) => format!("{value:.3}"),
    }));
    cells
}
