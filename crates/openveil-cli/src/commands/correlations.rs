//! Prints the guesses of readers who know correlations as a table.

use crate::table::{TextTable, counted, entry, percent, thousands};
use openveil_io::release_dir::write::manifest::{Correlations, MeasuredCorrelations, ReadingEntry};

/// Prints the guesses, below the findings of the other attacks.
pub(super) fn print(measured: &MeasuredCorrelations) {
    match measured {
        MeasuredCorrelations::Found(found) => print_found(found),
        MeasuredCorrelations::Not(why) => {
            say!("{}", entry("guesses", &format!("not measured: {}", why.not_measured)))
        }
    }
}

fn print_found(found: &Correlations) {
    let (people, source) = (thousands(found.people as u128), &found.public.source);
    let rows = counted(found.public.rows as u128, "row");
    say!(
        "\nReaders who know the values of {rows} ({source}) and everybody's group guess the values of {people} people:\n"
    );
    let beyond = match &found.bound {
        Some(bound) => format!("beyond {bound}"),
        None => "beyond the bound".to_owned(),
    };
    let mut table = TextTable::new([
        "reader",
        "guesses right",
        "gain of 100",
        &beyond,
        "beyond 0.9",
        "believes",
    ]);
    for (number, (name, reading)) in found.readers().into_iter().enumerate() {
        table.row(row(name, reading, number > 0));
    }
    say_on!("{}", table.render());
    say!("");
    let texts = [
        "`beyond` columns: share of people about whom the reader believes a protected value with a chance above that number; `believes`: the reader's mean confidence in its guesses, which equals the share of right guesses if the reader is calibrated",
        "the simulating reader runs the algorithm on the public table and learns what groups disclose; the best reader may learn more. For readers who know correlations about everybody and ask how groups were formed, a bound exists only if groups are formed by random draws, and then for the odds of the guarantee (docs/theory/readers.md)",
    ];
    for text in texts {
        say!("{}", entry("guesses", text));
    }
    if found.public.matched < found.public.rows {
        let text = format!(
            "{} of the public table have values that are not in the table, and were not used",
            counted((found.public.rows - found.public.matched) as u128, "row")
        );
        say!("{}", entry("guesses", &text));
    }
    if found.simulating.is_none() {
        let text = "the algorithm refuses the public table, so there is nothing to simulate";
        say!("{}", entry("guesses", text));
    }
}

fn row(name: &str, reading: &ReadingEntry, has_gain: bool) -> [String; 6] {
    [
        name.to_owned(),
        percent(reading.accuracy),
        if has_gain { format!("{:+.1}", reading.gain) } else { String::new() },
        reading.above_bound.map(percent).unwrap_or_default(),
        percent(reading.nearly_certain),
        percent(reading.mean_belief),
    ]
}
