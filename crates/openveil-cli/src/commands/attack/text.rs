//! Prints the findings of attacks as text.

use crate::table::{TextTable, counted, entry, percent, thousands};
use openveil_io::printable;
use openveil_reader::attack;
use openveil_reader::attack::{
    AttackReport, EachReport, OwnerRows, RulesReport, TiesReport, counted_people,
};

/// Prints the findings for several tables that must satisfy rules together.
pub(super) fn several(report: &RulesReport) {
    let rows = counted(report.rows as u128, "row");
    let tables = counted(report.tables as u128, "table");
    say!("Intersected {tables} of {rows}, for the reader of each rule.\n");
    let mut shown = TextTable::new(["rule", "people", "certain", "highest chance", "values left"]);
    for rule in &report.rules {
        let words = format!("{} → {}", rule.given.join(", "), rule.protect.join(", "));
        let left = rule.mean_values.map(|values| format!("{values:.1}"));
        shown.row([
            words,
            thousands(rule.people as u128),
            thousands(rule.certain as u128),
            rule.highest.clone().unwrap_or_default(),
            left.unwrap_or_default(),
        ]);
    }
    say_on!("{}", shown.render());
    say!("");
    let all_worlds = report.rules.iter().all(|rule| rule.method == "worlds");
    let method = match (all_worlds, report.groups_tell_all) {
        (true, true) => {
            "every table that fits the release was examined, weighted as by a reader who knows the algorithm".to_owned()
        }
        (true, false) => format!(
            "every table that fits the release was examined, weighted by its groups; what the choice of `{}` discloses is not included",
            report.algorithm
        ),
        (false, _) => {
            "values were ruled out person by person; the other attacks work with a single table only and do not apply".to_owned()
        }
    };
    say!("{}", entry("method", &method));
    say_exempt("exempt", report.rules.iter().map(|rule| rule.certain_exempt).sum());
    for rule in report.rules.iter().filter(|rule| !rule.rows.is_empty()) {
        let rows: Vec<String> = rule.rows.iter().map(u32::to_string).collect();
        say!("{}", entry("certain", &format!("rows {}", rows.join(", "))));
    }
}

/// Prints the findings for rows that share their value.
pub(super) fn ties(report: &TiesReport) {
    let ties = counted(report.ties as u128, "tie");
    say!(
        "Intersected the groups of {ties} of two rows or more, by `{}`.\n",
        printable(&report.column)
    );
    let mut table =
        TextTable::new(["rows", "ties", "one value left", "values left", "highest chance"]);
    for size in &report.sizes {
        table.row([
            size.rows.to_string(),
            thousands(size.ties as u128),
            format!(
                "{} ({})",
                thousands(size.certain as u128),
                percent(size.certain as f64 / size.ties as f64)
            ),
            format!("{:.1}", size.mean_values),
            format!("{:.3}", size.mean_highest_posterior),
        ]);
    }
    say_on!("{}", table.render());
    say!("");
    let fewer = format!(
        "{} of them have fewer values left than the group of a single row shows at least",
        thousands(report.fewer_than_a_row as u128)
    );
    say!("{}", entry("fewer", &fewer));
    if let Some(bound) = report.bound {
        let above = format!(
            "{} have a value with a chance above {bound:.3}",
            thousands(report.above_bound as u128)
        );
        say!("{}", entry("above", &above));
    }
    if report.not_found > 0 {
        let ties = thousands(report.not_found as u128);
        let words = format!("for {ties} ties no row can be found in the release with certainty");
        say!("{}", entry("not found", &words));
    }
    if report.differing > 0 {
        let differing = format!(
            "{} ties have rows with different values: nothing is inferred from one row about the others",
            thousands(report.differing as u128)
        );
        say!("{}", entry("differing", &differing));
    }
}

/// Prints the findings about several sensitive columns, one after the other.
pub(super) fn each(report: &EachReport) {
    for (number, (column, found)) in report.columns.iter().enumerate() {
        if number > 0 {
            say!("");
        }
        say!("`{}`:\n", printable(column));
        single(found);
    }
}

/// Prints the findings of attacks on one table.
pub(super) fn single(report: &AttackReport) {
    let (rows, groups) =
        (counted(report.rows as u128, "row"), counted(report.groups as u128, "group"));
    say!(
        "Attacked {rows} in {groups}, made by `{}` (adversary: {}).\n",
        printable(&report.algorithm),
        printable(&report.adversary)
    );
    let mut table = TextTable::new(["attack", "found", "meaning"]);
    report.lines().into_iter().for_each(|line| table.row(line.map(|cell| cell.to_string())));
    say_on!("{}", table.render());
    say!("");
    print_facts(report);
    print_independent(report);
    if let Some(found) = &report.correlations {
        crate::commands::correlations::print(found);
    }
    print_notes(report);
    if let Some(rows) = &report.owner {
        print_rows(rows);
    }
    if let Some(found) = &report.ties {
        say!("");
        ties(found);
    }
}

/// Prints the number of people whose only possible value is exempt. The number of certain people
/// does not include them.
fn say_exempt(attack: &str, people: usize) {
    if people > 0 {
        let people = counted_people(people);
        let text = format!("{people} more with a single value left, which is exempt");
        say!("{}", entry(attack, &text));
    }
}

/// Prints the disclosure by several independent releases.
fn print_independent(report: &AttackReport) {
    if report.independent.is_empty() {
        return;
    }
    say!("\nIndependent releases, for a reader who knows everybody's group in each:\n");
    let mut table = TextTable::new([
        "releases",
        "certain at least",
        "by groups at most",
        "values left",
        "mean highest chance",
    ]);
    let share = |people: usize| {
        let share = people as f64 / report.rows as f64;
        format!("{} ({})", thousands(people as u128), percent(share))
    };
    for found in &report.independent {
        table.row([
            found.releases.to_string(),
            share(found.certain),
            share(found.certain_at_most),
            format!("{:.2}", found.mean_values),
            percent(found.mean_highest_posterior),
        ]);
    }
    say_on!("{}", table.render());
    say!("");
    let text = "`by groups at most` is for a reader who goes by the groups; a reader who asks how they were formed may know more. If a table is published again, use [history], which keeps the guarantee (docs/steward/people-and-time.md)";
    say!("{}", entry("independent", text));
}

/// Prints, for each number of facts, how many rows need that many.
fn print_facts(report: &AttackReport) {
    const SHOWN: usize = 8;
    let rows = &report.background.rows_by_facts;
    let mut texts: Vec<String> = rows
        .iter()
        .take(SHOWN)
        .map(|(facts, rows)| format!("{facts}: {}", counted(*rows, "row")))
        .collect();
    if rows.len() > SHOWN {
        let more: u64 = rows.values().skip(SHOWN).sum();
        texts.push(format!("more: {}", counted(more, "row")));
    }
    say!("{}", entry("facts", &texts.join("; ")));
}

fn print_notes(report: &AttackReport) {
    say!("{}", entry("re-run", &report.rerun.note.to_string()));
    if report.rerun.undecided > 0 {
        let text = format!(
            "{} more are in groups too large to try every exchange; none of the exchanges tried gave the same release",
            counted_people(report.rerun.undecided)
        );
        say!("{}", entry("re-run", &text));
    }
    if let attack::Measurement::NotMeasured { not_measured } = &report.minimality {
        say!("{}", entry("minimality", &not_measured.to_string()));
    }
    if let attack::Measurement::Measured(found) = &report.learning {
        let people = match &*found.membership {
            "known" => {
                "everybody's group is known, as to a reader who re-runs the algorithm".to_owned()
            }
            _ => format!(
                "people are located by the groups whose cells cover them, {:.1} on average",
                found.mean_groups
            ),
        };
        let text = format!(
            "naive Bayes on the groups alone, {} rounds; {people}. A measured risk: the guarantee does not bound what can be learned about everybody",
            found.rounds
        );
        say!("{}", entry("learning", &text));
        if let Some(known) = &found.members_known {
            let text = format!(
                "if everybody's group were known: {} instead of {} (on another release made with our own random draws)",
                percent(known.accuracy),
                percent(known.majority)
            );
            say!("{}", entry("learning", &text));
        }
    }
    if let attack::Measurement::Measured(found) = &report.intersection {
        let text = format!(
            "{} above the bound {} that is guaranteed for one release; the guarantee does not cover several",
            counted_people(found.above_bound),
            report.max_posterior.as_deref().unwrap_or("no bound")
        );
        say!("{}", entry("together", &text));
        match &found.exact {
            Some(exact) => {
                let text = format!(
                    "every table was weighted by how often it leads to all releases: the highest chance is {}, {} above the bound",
                    exact.max_posterior,
                    counted_people(exact.above_bound)
                );
                say!("{}", entry("together", &text));
            }
            None => {
                let text = "lower count: people with one value left; upper count: people whose value no one else with the same quasi-identifiers has";
                say!("{}", entry("together", text));
            }
        }
        if found.others > 0 {
            let text = format!(
                "{} of them are of other people or from other programs: everybody whom they cover is assumed to be in them",
                found.others
            );
            say!("{}", entry("together", &text));
        }
        say_exempt("together", found.certain_exempt);
        if found.contradicted > 0 {
            let text = format!(
                "the releases contradict each other or the table for {}: at least one release is of another table",
                counted_people(found.contradicted)
            );
            say!("{}", entry("together", &text));
        }
    }
    say!("{}", entry("note", "measured with the true values: for the owner, not for publication"));
    if report.promise_broken {
        let text = match report.rerun.exposed {
            0 => {
                "a group shows a protected value more often than the manifest states: table and manifest are not from one release, or were changed"
            }
            _ => {
                "the release does not satisfy its guarantee: the re-run found people exposed, or a group shows a protected value too often. Do not publish it, and report it to us"
            }
        };
        say!("{}", entry("broken", text));
    }
}

/// Prints the row numbers of the people found, counted from 1 after the omitted rows.
fn print_rows(rows: &OwnerRows) {
    let lists = [
        ("re-run", &rows.rerun),
        ("homogeneity", &rows.homogeneity),
        ("similarity", &rows.similarity),
        ("together", &rows.intersection),
    ];
    say!("\nRows of the table, counted from 1 after the omitted rows:");
    for (attack, rows) in lists {
        let numbers: Vec<String> = rows.iter().map(u64::to_string).collect();
        let text = if numbers.is_empty() { "nobody".to_owned() } else { numbers.join(", ") };
        say!("{}", entry(attack, &text));
    }
}
