mod history;
mod strategy;
mod sweep;

use super::print_json;
use crate::Outcome;
use crate::progress::StageBars;
use crate::table::{TextTable, thousands};
use openveil_io::Error;
use openveil_requests::{Found, Verify};
use openveil_tools::verify::{Example, VerifyReport};

#[derive(clap::Args)]
pub(crate) struct VerifyArguments {
    #[command(flatten)]
    request: Verify,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: VerifyArguments) -> Result<Outcome, Error> {
    let request = &arguments.request;
    let bars = StageBars::new();
    if request.rows_up_to.is_none() {
        bars.wait("enumerate");
    }
    let found = request.run(&bars);
    bars.finish();
    let found = found?;
    match (&found, arguments.json) {
        (_, true) => print_json(&found)?,
        (Found::Values(report), false) => print_text(report),
        (Found::Sizes(found), false) => sweep::print(request, found),
        (Found::Functions(report), false) => strategy::print(report),
        (Found::History(report), false) => history::print(report),
    }
    Ok(outcome(found.is_safe()))
}

fn outcome(safe: bool) -> Outcome {
    if safe { Outcome::Done } else { Outcome::PromiseBroken }
}

fn print_text(report: &VerifyReport) {
    let (model, figures) = (&report.model, &report.figures);
    let name = match report.chosen {
        None => format!("`{}`", report.algorithm),
        Some(engine) => format!("`{}`, which chose `{engine}`,", report.algorithm),
    };
    if report.safe {
        say!(
            "{name} is safe for this table: over all assignments of the values, everybody's posterior satisfies {model}."
        );
    } else if let (0, Some(informed)) = (figures.unsafe_releases, &figures.informed) {
        let reader = &informed.reader;
        say!("{name} satisfies {model}, but not for readers with {reader}.");
    } else {
        say!("{name} discloses values: somebody's posterior violates {model}.");
    }
    say!("");
    let mut table = TextTable::new(["", "count"]);
    table.row(["tables of this multiset", &thousands(figures.tables)]);
    table.row(["releases they can lead to", &thousands(figures.releases)]);
    table.row(["unsafe releases", &thousands(figures.unsafe_releases)]);
    table.row(["tables that can lead to one", &thousands(figures.unsafe_tables)]);
    table.row(["tables with a certain value", &thousands(figures.certain_tables)]);
    table.row(["highest posterior", &figures.max_posterior.to_string()]);
    if let Some(informed) = &figures.informed {
        table.row(["most informed readers", &thousands(informed.readers)]);
        table.row(["releases unsafe to one of them", &thousands(informed.unsafe_releases)]);
        table.row(["highest posterior to any of them", &informed.max_posterior.to_string()]);
    }
    if let Some(told) = &report.exchanges {
        let of = |part: u64, all: u64| format!("{} of {}", thousands(part), thousands(all));
        table.row([
            "exchanges inside groups that change no chance",
            &of(told.unchanged, told.pairs),
        ]);
        let [pairs, unchanged] = told.unrefused;
        if pairs > 0 {
            table.row(["… where no cut was refused", &of(unchanged, pairs)]);
        }
        table.row([
            "mean gap to a belief given the group's values",
            &format!("{:.4}", told.mean_gap),
        ]);
        table.row(["greatest gap", &format!("{:.4}", told.greatest_gap)]);
        table.row(["more guesses right", &format!("{:.4}", told.gain)]);
    }
    say_on!("{}", table.render());
    if let Some(example) = &report.counterexample {
        print_example(example);
    }
}

fn print_example(example: &Example) {
    let people = |people: &[u32]| -> String {
        let numbers: Vec<String> = people.iter().map(u32::to_string).collect();
        format!("people {}", numbers.join(", "))
    };
    say!("");
    say!("A worked example. The table: people 0, 1, 2, … have {}.", example.table.join(", "));
    say!("It is released as:");
    for (members, values) in &example.groups {
        let who = if members.is_empty() { "a group".to_owned() } else { people(members) };
        say!("  {who}: {}", values.join(", "));
    }
    say!(
        "A reader who tries every table finds {} that lead to this release:",
        thousands(example.surviving_tables)
    );
    for survivor in &example.survivors {
        say!("  {}", survivor.join(", "));
    }
    if (example.survivors.len() as u64) < example.surviving_tables {
        say!("  …");
    }
    say!(
        "so person {} has the value {} with probability {}.",
        example.person,
        example.value,
        example.posterior
    );
}
