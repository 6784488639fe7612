//! Reads a cell as a day or a point in time, as people write them.

use jiff::civil::{Date, Time};
use jiff::fmt::temporal::{Pieces, PiecesOffset};

/// Returns the moments that a folded cell can be read as. A day is its midnight; a moment of a
/// known zone is told in Greenwich's time. `03/04/2020` is two days.
pub(super) fn readings(cell: &str) -> Vec<String> {
    let is_long = (6..=40).contains(&cell.len());
    if !is_long || !cell.starts_with(|first: char| first.is_ascii_digit()) {
        return Vec::new();
    }
    if let Some(pieces) = pieces(cell) {
        return readings_at(pieces.date(), &pieces);
    }
    let (day, clock) = cell.split_once([' ', 't']).unwrap_or((cell, "00:00"));
    let Some(clock) = pieces(&format!("2000-01-01T{clock}")) else {
        return Vec::new();
    };
    days(day).into_iter().flat_map(|day| readings_at(day, &clock)).collect()
}

fn pieces(text: &str) -> Option<Pieces<'static>> {
    // The names of zones are not compared, only the clocks.
    let text = text.split_once('[').map_or(text, |(before, _)| before);
    Some(Pieces::parse(text).ok()?.into_owned())
}

/// Returns the readings of a day at the time of some pieces.
fn readings_at(day: Date, clock: &Pieces<'_>) -> Vec<String> {
    let local = day.to_datetime(clock.time().unwrap_or(Time::midnight()));
    let here = format!("@{local}");
    match clock.offset() {
        None => vec![here],
        // Files often leave the Z out.
        Some(PiecesOffset::Zulu) => vec![here, format!("@{local}Z")],
        Some(PiecesOffset::Numeric(own)) => {
            let moment = own.offset().to_timestamp(local).ok();
            moment.map_or(Vec::new(), |moment| vec![format!("@{moment}")])
        }
        Some(_) => Vec::new(),
    }
}

/// Returns the days that three numbers can mean: with the year first, or with the year last and
/// the day or the month first.
fn days(text: &str) -> Vec<Date> {
    let parts: Vec<&str> = text.split(['.', '/', '-']).collect();
    let [first, second, third] = parts[..] else {
        return Vec::new();
    };
    let day = |year: &str, month: &str, day: &str| {
        let is_year = year.len() == 4;
        is_year
            .then(|| Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok())
            .flatten()
    };
    let mut days: Vec<Date> =
        [day(first, second, third), day(third, second, first), day(third, first, second)]
            .into_iter()
            .flatten()
            .collect();
    days.dedup();
    days
}
