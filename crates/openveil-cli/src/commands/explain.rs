use super::print_json;
use crate::Outcome;
use crate::pictures;
use crate::table::{TextTable, entry, thousands};
use openveil_io::release_dir::write::Viewer;
use openveil_io::{Error, printable};
use openveil_requests::Explain;
use openveil_tools::explain::{
    CoversOutcome, CoversReport, Explanation, FunctionReport, Known, PaperSets, SetReport,
    StrategyReport,
};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct ExplainArguments {
    /// A small table. Without it, give the values with `--sensitive`.
    table: Option<PathBuf>,
    #[command(flatten)]
    request: Explain,
    /// The column of the table with the names.
    #[arg(long, value_name = "COLUMN", requires = "table")]
    person: Option<String>,
    /// Draw the tables that readers can rule out, as SVG files in this folder.
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: ExplainArguments) -> Result<Outcome, Error> {
    let person = arguments.person.as_deref();
    let found = arguments.request.run(arguments.table.as_deref().map(|path| (path, person)))?;
    if let Some(folder) = &arguments.plots {
        pictures::write(folder, &found.pictures, Viewer::Everybody)?;
    }
    if arguments.json {
        print_json(&found)?
    } else {
        print_text(&found)
    }
    Ok(Outcome::Done)
}

fn print_text(found: &Explanation) {
    let people: Vec<String> = found
        .people
        .iter()
        .zip(&found.values)
        .map(|(person, value)| format!("{person} {value}"))
        .collect();
    say!("{}", printable(&people.join(", ")));
    let tables = match found.tables {
        1 => "1 table has".to_owned(),
        tables => format!("{} tables have", thousands(tables)),
    };
    say!("{tables} these values; {}.", printable(&found.property));
    for (number, function) in found.functions.iter().enumerate() {
        print_function(found, number + 1, function);
    }
    if let Some(together) = &found.together {
        say!("");
        say!("If all of this is published: {}", printable(&together.of.join(" and ")));
        print_known(found, &together.known);
    }
    print_strategies(found);
    if let Some(sets) = &found.sets {
        print_sets(sets);
    }
    found.covers.iter().for_each(print_covers);
}

fn print_function(found: &Explanation, number: usize, function: &FunctionReport) {
    let released: Vec<String> = function.released.iter().map(|group| group.join(", ")).collect();
    say!("");
    say!(
        "Function {number}: {} shows {}",
        printable(&function.groups),
        printable(&released.join(" | "))
    );
    print_known(found, &function.known);
}

/// Returns the words for a property that holds and for one that does not.
fn verdicts(found: &Explanation) -> [&'static str; 2] {
    match found.bound {
        Some(_) => ["within the bound", "beyond the bound"],
        None => ["satisfies the model", "violates the model"],
    }
}

/// Prints the number of tables left, the highest chance, and everybody's chances.
fn print_known(found: &Explanation, known: &Known) {
    let [within, beyond] = verdicts(found);
    let verdict = if known.within { within } else { beyond };
    say!(
        "  leaves {} of them; the highest chance is {}, {verdict}",
        thousands(known.tables),
        known.highest
    );
    let mut table = TextTable::new(["", "chances"]);
    for person in &found.people {
        let chances = &known.posteriors[person];
        let chances: Vec<String> =
            chances.iter().map(|(value, chance)| format!("{value} {chance}")).collect();
        table.row([person.as_str(), &chances.join(", ")]);
    }
    say_on!("{}", table.render());
}

fn print_strategies(found: &Explanation) {
    if found.strategies.is_empty() {
        return;
    }
    say!("");
    say!("Algorithms that try the functions one after the other:");
    let mut table = TextTable::new([
        "algorithm",
        "looks at",
        "releases",
        "tables left",
        "highest",
        "unsafe tables",
        "silent tables",
    ]);
    for strategy in &found.strategies {
        table.row([
            strategy.strategy.clone(),
            path(strategy),
            strategy.released.clone().unwrap_or_else(|| "nothing".to_owned()),
            thousands(strategy.known.tables),
            strategy.known.highest.clone(),
            thousands(strategy.unsafe_tables),
            thousands(strategy.silent_tables),
        ]);
    }
    say_on!("{}", table.render());
    say!(
        "  looks at: a function, the number of tables that its release alone would leave, and the number"
    );
    let signs = match found.bound {
        Some(_) => "+ within the bound, - beyond",
        None => "+ satisfies the model, - violates it",
    };
    say!("  left to a reader who knows that it was reached; {signs}");
    let choices = [
        ("jump vectors", &found.secret_choice),
        ("subsets of the functions, tried by naive", &found.secret_functions),
    ];
    for (what, choice) in choices {
        let Some(choice) = choice else {
            continue;
        };
        say!("");
        say!(
            "One of the {} {what}, chosen by a secret random draw: {} of {} cases disclose somebody's value; the highest chance is {}.",
            choice.strategies,
            thousands(choice.unsafe_cases),
            thousands(choice.cases),
            choice.highest
        );
        if let Some(here) = &choice.highest_here {
            say!("  On this table, the highest chance after a release is {here}.");
        }
    }
}

fn path(strategy: &StrategyReport) -> String {
    let sign = |within: bool| if within { '+' } else { '-' };
    strategy
        .path
        .iter()
        .map(|step| {
            let per = format!(
                "{}: {}{}",
                step.function,
                step.permutation_set,
                sign(step.permutations_within)
            );
            match step.disclosure_set.zip(step.disclosures_within) {
                None => per,
                Some((tables, within)) => format!("{per} {tables}{}", sign(within)),
            }
        })
        .collect::<Vec<_>>()
        .join("; ")
}

fn print_sets(sets: &PaperSets) {
    say!("");
    say!("Sets of partitions:");
    let mut table = TextTable::new([
        "set",
        "partitions",
        "tables",
        "highest",
        "may be known",
        "and one released",
    ]);
    let mut row = |name: &str, set: &SetReport| {
        let yes = |it: bool| if it { "yes" } else { "no" };
        table.row([
            name.to_owned(),
            set.partitions.len().to_string(),
            set.tables.to_string(),
            set.highest.clone(),
            yes(set.globally_safe).to_owned(),
            yes(set.strongly_globally_safe).to_owned(),
        ]);
    };
    row("all that are safe (LSS)", &sets.locally_safe);
    if let Some(given) = &sets.given {
        row("the functions", given);
    }
    say_on!("{}", table.render());
    say!("{}", entry("LSS", &sets.locally_safe.partitions.join("; ")));
    let maximal = |name: &str, found: &Option<Vec<Vec<String>>>| match found {
        None => say!("{}", entry(name, "not listed: more than twelve partitions are safe")),
        Some(found) => found.iter().for_each(|set| say!("{}", entry(name, &set.join("; ")))),
    };
    maximal("GSS", &sets.globally_safe);
    maximal("SGSS", &sets.strongly_globally_safe);
}

fn print_covers(covers: &CoversReport) {
    let CoversReport { property, l, outcome } = covers;
    say!("");
    match outcome {
        CoversOutcome::NotSearched(why) => say!("{property}, l = {l}: not searched: {why}"),
        CoversOutcome::Uncovered(value) => {
            let needed = match l {
                2 => "has no cover".to_owned(),
                _ => format!("does not have the {} covers that it needs", l - 1),
            };
            say!("{property}, l = {l}: no: {} {needed}", printable(value));
        }
        CoversOutcome::Covers { values, candidate } => {
            say!("{property}, l = {l}: yes");
            let mut table = TextTable::new(["value", "who could stand for whom"]);
            for colour in values {
                for cover in &colour.covers {
                    let pairs: Vec<String> =
                        cover.iter().map(|(own, other)| format!("{own} by {other}")).collect();
                    table.row([colour.value.clone(), pairs.join(", ")]);
                }
            }
            say_on!("{}", table.render());
            if let Some(candidate) = candidate {
                say!("  the candidate {}", printable(candidate));
            }
        }
    }
}
