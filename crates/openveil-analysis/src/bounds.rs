//! Certain bounds on counts, which follow from the release alone, whatever a reader believes.

use crate::evidence::{Evidence, ShownCodes};
use crate::table::Ask;

/// A cell, or a part of one, with the least and the greatest number of its members.
type MemberBound = (usize, f64, f64);

/// Returns the least and the greatest count of each cell that the groups allow. These bounds are
/// certain and do not depend on the fit. O(rows · columns · log, and the cells that groups reach).
pub fn bounds(evidence: &Evidence, ask: &Ask) -> Vec<(f64, f64)> {
    let width = ask.secret_parts as usize;
    let mut bounds = vec![(0.0, 0.0); ask.cells()];
    for group in 0..evidence.groups() {
        let rows = evidence.rows_of(group);
        let m = rows.len() as f64;
        // Any of the rows may be fillers.
        let people = (evidence.weight(group) * m).round();
        let values = &evidence.values()[rows];
        let parts = values.iter().map(|&value| ask.secret[value as usize]);
        let secret = counted(parts.flatten().map(|part| part as usize).collect());
        for (at, least, greatest) in known(evidence, ask, group) {
            for &(part, values) in &secret {
                let bound = &mut bounds[at * width + part];
                bound.0 += (least + values - m - (m - people)).max(0.0);
                bound.1 += greatest.min(values).min(people);
            }
        }
    }
    bounds
}

/// Each number with how often it occurs, ascending.
fn counted(mut numbers: Vec<usize>) -> Vec<(usize, f64)> {
    numbers.sort_unstable();
    let runs = numbers.chunk_by(|a, b| a == b);
    runs.map(|run| (run[0], run.len() as f64)).collect()
}

/// The parts of the known columns that members of a group may be in: the sums over its classes.
fn known(evidence: &Evidence, ask: &Ask, group: usize) -> Vec<MemberBound> {
    let rows = evidence.rows_of(group);
    let classes = evidence.class_of(rows.start)..=evidence.class_of(rows.end - 1);
    let mut found: Vec<MemberBound> = Vec::new();
    for class in classes {
        found.extend(known_of_class(evidence, ask, class));
    }
    found.sort_by_key(|bound| bound.0);
    found
        .chunk_by(|a, b| a.0 == b.0)
        .map(|run| {
            let add =
                |(at, low, high): MemberBound, own: &MemberBound| (at, low + own.1, high + own.2);
            run.iter().fold((run[0].0, 0.0, 0.0), add)
        })
        .collect()
}

/// The parts of the known columns that members of a class may be in.
fn known_of_class(evidence: &Evidence, ask: &Ask, class: usize) -> Vec<MemberBound> {
    let rows = evidence.classes()[class].clone();
    let m = rows.len() as f64;
    // Columns in intact rows are counted together, the others separately.
    let mut together = vec![Some(0); rows.len()];
    let mut beside: Vec<Vec<MemberBound>> = Vec::new();
    let mut stride = ask.rows();
    for ((column, part), &parts) in ask.known.iter().zip(&ask.parts) {
        stride /= (parts as usize).max(1);
        let place = |part: u32| part as usize * stride;
        match &evidence.known()[*column] {
            ShownCodes::Rows(codes) => {
                for (at, &code) in together.iter_mut().zip(&codes[rows.clone()]) {
                    let own = part[code as usize].map(place);
                    *at = at.zip(own).map(|(at, own)| at + own);
                }
            }
            ShownCodes::Shuffled(codes) => {
                let own =
                    codes[rows.clone()].iter().filter_map(|&code| part[code as usize].map(place));
                let own = counted(own.collect()).into_iter();
                beside.push(own.map(|(at, count)| (at, count, count)).collect());
            }
            ShownCodes::Cells { ends, ranges } => {
                let start = if class == 0 { 0 } else { ends[class - 1] };
                let mut parts: Vec<Option<u32>> = ranges[start as usize..ends[class] as usize]
                    .iter()
                    .flat_map(|&(low, high)| part[low as usize..=high as usize].iter().copied())
                    .collect();
                parts.sort_unstable();
                parts.dedup();
                let least = if parts.len() == 1 { m } else { 0.0 };
                let own = parts.into_iter().flatten();
                beside.push(own.map(|part| (place(part), least, m)).collect());
            }
        }
    }
    let together = counted(together.into_iter().flatten().collect())
        .into_iter()
        .map(|(at, count)| (at, count, count));
    beside.iter().fold(together.collect(), |found, own| {
        found
            .iter()
            .flat_map(|found| own.iter().map(move |own| (found, own)))
            .map(|((at, least, greatest), (other, low, high))| {
                (at + other, (least + low - m).max(0.0), f64::min(*greatest, *high))
            })
            .collect()
    })
}

#[cfg(test)]
pub(crate) mod tests;
