//! Classes of rows by their cells, in all known columns or in some of them.

use super::report::ClassReport;
use super::target::AuditTarget;
use super::{AuditRequest, GroupedTable};
use openveil_io::source::RawTable;
use openveil_io::{Error, Location};
use openveil_measures::audit::{CombinedColumns, combine, separation};
use openveil_text::text;
use std::collections::{BTreeMap, HashMap};

/// The most subsets of columns; nobody would read more.
const MOST_SUBSETS: usize = 10_000;

/// The usual texts of suppressed cells.
pub const SUPPRESSED: [&str; 3] = ["*", "NA", ""];

/// Rows that are alike in some columns.
pub(super) struct AlikeRows {
    /// The rows of each class.
    pub(super) rows: Vec<u32>,
    /// For each class, how many rows one of its rows may be confused with: the rows of the class,
    /// and with wildcards all rows that match.
    pub(super) alike: Vec<u32>,
}

impl AlikeRows {
    /// Groups rows with equal cells in some columns. O(rows · columns), with wildcards times the
    /// number of different sets of suppressed columns. `suppressed` has the texts that match every
    /// value, if there are wildcards.
    pub(super) fn new(raw: &RawTable, columns: &[usize], suppressed: Option<&[&str]>) -> Self {
        let coded: Vec<_> = columns.iter().map(|&at| super::column(raw, at)).collect();
        let CombinedColumns { ids, first_rows } = combine(&coded, raw.rows);
        let mut rows = vec![0; first_rows.len()];
        ids.iter().for_each(|&id| rows[id as usize] += 1);
        match suppressed {
            Some(texts) => Self { alike: matching(raw, columns, texts, &first_rows, &rows), rows },
            None => Self::alone(rows),
        }
    }

    /// Makes classes of these sizes, whose rows match no row of another class.
    pub(super) fn alone(rows: Vec<u32>) -> Self {
        Self { alike: rows.clone(), rows }
    }

    fn report(&self, raw: &RawTable, columns: &[usize]) -> ClassReport {
        ClassReport {
            columns: columns.iter().map(|&at| raw.columns[at].name.clone()).collect(),
            groups: self.rows.len(),
            k: self.alike.iter().copied().min().unwrap_or(0),
            uniqueness: self.uniqueness(),
            separation: (self.rows == self.alike).then(|| separation(&self.rows)),
            mixed_groups: None,
        }
    }

    /// The share of rows that match no other row.
    pub(super) fn uniqueness(&self) -> f64 {
        let all: u64 = self.rows.iter().copied().map(u64::from).sum();
        self.rows.iter().zip(&self.alike).filter(|(_, alike)| **alike == 1).count() as f64
            / all.max(1) as f64
    }
}

/// Counts the rows that match a row of each class: in every column their cells are equal, or one of
/// them is suppressed.
fn matching(
    raw: &RawTable,
    columns: &[usize],
    suppressed: &[&str],
    first_rows: &[u32],
    rows: &[u32],
) -> Vec<u32> {
    let hides: Vec<Vec<bool>> = columns
        .iter()
        .map(|&at| raw.columns[at].values.iter().map(|text| suppressed.contains(&text)).collect())
        .collect();
    let code = |class: usize, at: usize| raw.columns[columns[at]].codes[first_rows[class] as usize];
    // Classes by the columns that they do not suppress.
    let mut shown: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for class in 0..rows.len() {
        let own = (0..columns.len()).filter(|at| !hides[*at][code(class, *at) as usize]).collect();
        shown.entry(own).or_default().push(class);
    }
    let mut alike = vec![0; rows.len()];
    for (own, classes) in &shown {
        for (theirs, others) in &shown {
            let both: Vec<usize> = own.iter().copied().filter(|at| theirs.contains(at)).collect();
            let key = |class: usize| both.iter().map(|&at| code(class, at)).collect::<Vec<u32>>();
            let mut of_key: HashMap<Vec<u32>, u32> = HashMap::new();
            for &other in others {
                *of_key.entry(key(other)).or_default() += rows[other];
            }
            for &class in classes {
                alike[class] += of_key.get(&key(class)).copied().unwrap_or(0);
            }
        }
    }
    alike
}

/// Returns the classes of all known columns, for a table with numbered groups. None if rows do not
/// show one person's cells.
pub(super) fn beside(
    request: &AuditRequest,
    target: &AuditTarget,
    grouped: &GroupedTable,
) -> Option<ClassReport> {
    let known = &grouped.roles.quasi_identifiers;
    grouped.roles.group?;
    if known.is_empty() || sliced(target, grouped).is_some() {
        return None;
    }
    let raw = &grouped.raw;
    let differs = |at: usize, a: u32, b: u32| {
        let codes = &raw.columns[at].codes;
        codes[a as usize] != codes[b as usize]
    };
    let is_mixed =
        |rows: &&[u32]| known.iter().any(|&at| rows.iter().any(|&row| differs(at, rows[0], row)));
    Some(ClassReport {
        mixed_groups: Some(grouped.groups.iter().filter(is_mixed).count()),
        ..AlikeRows::new(raw, known, request.wildcards().as_deref()).report(raw, known)
    })
}

/// Returns the classes of every subset of up to so many known columns, small subsets first.
///
/// # Errors
/// No known columns, columns whose rows do not belong to one person, too many subsets.
pub(super) fn subsets(
    request: &AuditRequest,
    target: &AuditTarget,
    grouped: &GroupedTable,
) -> Result<Vec<ClassReport>, Error> {
    let known = &grouped.roles.quasi_identifiers;
    let place = Location::file(&target.path);
    let Some(most) = request.subsets else {
        return Ok(Vec::new());
    };
    if known.is_empty() {
        return Err(Error::new(place, "has no known columns to take subsets of")
            .help(text!("name them with `--qi`; tables in the style anatomy show them exactly")));
    }
    if let Some(name) = sliced(target, grouped).filter(|_| most > 1) {
        let problem = "is sliced: no row has the known values of one person";
        return Err(Error::new(place.column(name), problem).help(text!("ask for `--subsets 1`")));
    }
    let mut all: Vec<Vec<usize>> = Vec::new();
    let mut last: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..most.min(known.len()) {
        last = last
            .iter()
            .flat_map(|own| {
                let next = own.last().map_or(0, |&last| last + 1);
                let own = own.clone();
                (next..known.len()).map(move |at| [&own[..], &[at]].concat())
            })
            .take(MOST_SUBSETS + 1)
            .collect();
        all.extend(last.iter().cloned());
        if all.len() > MOST_SUBSETS {
            let problem = text!(
                "has more than {MOST_SUBSETS} subsets of up to {most} of its {} known columns",
                known.len()
            );
            return Err(Error::new(place, problem).help(text!(
                "ask for smaller ones with `--subsets`, or name fewer columns with `--qi`"
            )));
        }
    }
    Ok(all
        .iter()
        .map(|positions| {
            let columns: Vec<usize> = positions.iter().map(|&at| known[at]).collect();
            let raw = &grouped.raw;
            AlikeRows::new(raw, &columns, request.wildcards().as_deref()).report(raw, &columns)
        })
        .collect())
}

/// Returns a known column whose values are shuffled.
pub(super) fn sliced<'a>(target: &AuditTarget, grouped: &'a GroupedTable) -> Option<&'a str> {
    grouped
        .roles
        .quasi_identifiers
        .iter()
        .map(|&at| &*grouped.raw.columns[at].name)
        .find(|name| target.is_sliced(name))
}
