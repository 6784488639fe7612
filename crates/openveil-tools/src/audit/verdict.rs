//! Decides exactly whether every group satisfies a policy's model.

use super::GroupedTable;
use super::report::{AuditVerdict, FailedGroup, RequirementReport};
use super::subject::AuditedSecret;
use openveil_core::model::{CountBuffer, Criteria, Failure, Property};
use openveil_core::table::{Secret, View};
use openveil_io::policy::{Extra, Policy};
use openveil_io::{Error, Location};
use openveil_measures::audit::GroupCounts;
use openveil_measures::audit::{CombinedColumns, combine};
use openveil_reader::certify::with_named_values;
use openveil_text::text;
use rayon::prelude::*;

/// Groups that one thread decides at a time.
const STRETCH: usize = 1 << 12;

pub(super) fn decide(
    policy: &Policy,
    subject: &AuditedSecret,
    counts: &GroupCounts,
    grouped: &GroupedTable,
) -> Result<AuditVerdict, Error> {
    policy.allow(Extra::AuditModel)?;
    let strata = Strata::new(policy, subject, grouped)?;
    let properties: Vec<Vec<&dyn Property>> =
        strata.criteria.iter().map(|criteria| criteria.properties().collect()).collect();
    let none = || vec![Broken::default(); properties[0].len()];
    let see = |(mut broken, mut tally): (Vec<Broken>, CountBuffer), group: usize| {
        let values = tally.of_entries(counts.group(group).entries().iter().copied());
        let own = &properties[strata.of_group[group] as usize];
        for (broken, property) in broken.iter_mut().zip(own) {
            if !property.holds(&values) {
                broken.see(group, counts.sizes()[group], property.explain(&values));
            }
        }
        (broken, tally)
    };
    let groups = (0..counts.len()).into_par_iter().with_min_len(STRETCH);
    let broken = groups
        .fold(|| (none(), CountBuffer::default()), see)
        .map(|(broken, _)| broken)
        .reduce(none, |one, other| {
            one.into_iter().zip(other).map(|(one, other)| one.or(other)).collect()
        });
    let mut found: Vec<(String, Broken)> =
        properties[0].iter().map(|property| property.name()).zip(broken).collect();
    if !policy.privacy.strata.is_empty() {
        let name = format!("no group of several strata by {}", policy.privacy.strata.join(", "));
        let mut broken = Broken::default();
        for &group in &strata.crossed {
            broken.see(group, counts.sizes()[group], None);
        }
        found.push((name, broken));
    }
    let requirements: Vec<RequirementReport> = found
        .into_iter()
        .map(|(requirement, broken)| RequirementReport {
            requirement,
            satisfied: broken.groups == 0,
            groups_failing: broken.groups,
            rows_failing: broken.rows,
            worst: broken
                .worst
                .map(|(group, shortfall)| failure(subject, counts, grouped, group, shortfall)),
        })
        .collect();
    Ok(AuditVerdict {
        model: policy.privacy.model.to_string(),
        satisfied: requirements.iter().all(|r| r.satisfied),
        requirements,
    })
}

/// The policy's strata, as the audited table shows them; without strata the whole table.
struct Strata {
    /// The model's criteria in each stratum.
    criteria: Vec<Criteria>,
    /// The stratum of each group, by its first row.
    of_group: Vec<u32>,
    /// Groups with people of several strata.
    crossed: Vec<usize>,
}

impl Strata {
    fn new(
        policy: &Policy,
        subject: &AuditedSecret,
        grouped: &GroupedTable,
    ) -> Result<Self, Error> {
        let columns: Vec<_> =
            grouped.roles.strata.iter().map(|&index| super::column(&grouped.raw, index)).collect();
        let CombinedColumns { ids, first_rows } = combine(&columns, grouped.raw.rows);
        let secret = with_named_values(&policy.privacy.model, &subject.sensitive);
        let mut rows_of = vec![Vec::new(); first_rows.len().max(1)];
        for (&stratum, &code) in ids.iter().zip(secret.codes()) {
            rows_of[stratum as usize].push(code);
        }
        let criteria =
            rows_of.into_iter().map(|codes| bind(policy, secret.clone().with_codes(codes)));
        let stratum = |rows: &[u32]| ids[rows[0] as usize];
        let shows_several = |row: u32| {
            grouped.roles.strata.iter().any(|&index| {
                let column = &grouped.raw.columns[index];
                // A set or an interval of a release is not a single value.
                let text = column.values.get(column.codes[row as usize]);
                text.starts_with(['{', '['])
            })
        };
        let crosses = |rows: &[u32]| {
            rows.iter().any(|&row| ids[row as usize] != stratum(rows)) || shows_several(rows[0])
        };
        let groups = grouped.groups.iter().enumerate();
        Ok(Self {
            criteria: criteria.collect::<Result<_, Error>>()?,
            of_group: grouped.groups.iter().map(stratum).collect(),
            crossed: groups.filter(|(_, rows)| crosses(rows)).map(|(group, _)| group).collect(),
        })
    }
}

/// The groups that break one requirement.
#[derive(Debug, Clone, Default)]
struct Broken {
    groups: usize,
    rows: u64,
    worst: Option<(usize, Failure)>,
}

impl Broken {
    fn see(&mut self, group: usize, size: u32, shortfall: Option<Failure>) {
        self.groups += 1;
        self.rows += u64::from(size);
        if let Some(shortfall) = shortfall {
            self.offer(group, shortfall);
        }
    }

    /// Keeps the first group that exceeds the bound most.
    fn offer(&mut self, group: usize, shortfall: Failure) {
        let gap = |shortfall: &Failure| (shortfall.measured.found - shortfall.measured.bound).abs();
        let is_worse = self.worst.as_ref().is_none_or(|(first, worst)| {
            let order = gap(&shortfall).total_cmp(&gap(worst));
            order.is_gt() || order.is_eq() && group < *first
        });
        if is_worse {
            self.worst = Some((group, shortfall));
        }
    }

    fn or(mut self, other: Self) -> Self {
        self.groups += other.groups;
        self.rows += other.rows;
        if let Some((group, shortfall)) = other.worst {
            self.offer(group, shortfall);
        }
        self
    }
}

fn bind(policy: &Policy, secret: Secret) -> Result<Criteria, Error> {
    let misfit = |cause: openveil_core::Error| {
        Error::new(Location::file(&policy.path), cause.in_words())
            .help(text!("the model does not fit the values of the audited table; a hierarchical distance needs a `hierarchy` of the column, or `--hierarchy FILE`"))
    };
    let table = View::new(Vec::new(), secret).map_err(misfit)?;
    policy.privacy.model.bind(&table).map_err(misfit)
}

fn failure(
    subject: &AuditedSecret,
    counts: &GroupCounts,
    grouped: &GroupedTable,
    group: usize,
    shortfall: Failure,
) -> FailedGroup {
    let finite = |number: f64| number.is_finite().then_some(number);
    FailedGroup {
        group: grouped.describe(group),
        rows: counts.sizes()[group],
        value: shortfall.measured.value.map(|value| subject.sensitive.label(value)),
        measure: shortfall.measured.what,
        found: finite(shortfall.measured.found),
        bound: finite(shortfall.measured.bound),
    }
}
