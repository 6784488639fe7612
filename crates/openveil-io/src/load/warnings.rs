//! Things about the input that the owner should know before publishing.

use super::omitted::Omitted;
use crate::policy::Policy;
use openveil::table::{Generalization, Sensitive, Table};
use std::collections::{BTreeMap, HashMap};

/// All warnings about a table that was read.
pub(super) fn warnings(policy: &Policy, table: &Table, omitted: &Omitted) -> Vec<String> {
    let mut warnings = repeated_people(omitted);
    quasi_identifiers(table, &mut warnings);
    for part in 0..table.sensitive().columns().len() {
        near_twins(table.sensitive(), part, &mut warnings);
        if table.sensitive().columns().len() > 1 {
            weak_part(policy, table, part, &mut warnings);
        }
    }
    warnings
}

pub(super) fn repeated_people(omitted: &Omitted) -> Vec<String> {
    let warning = |column: &String| {
        format!(
            "the identifier `{column}` repeats: if its rows are one person's, the guarantee is about rows, not about that person"
        )
    };
    omitted.repeated_identifiers.iter().map(warning).collect()
}

fn quasi_identifiers(table: &Table, warnings: &mut Vec<String>) {
    for column in table.quasi_identifiers() {
        let (name, domain, rows) = (column.name(), column.domain(), table.rows());
        if domain.len() == 1 {
            warnings.push(format!(
                "the column `{name}` has the same value in every row"
            ));
        } else if domain.len() > 20 && domain.len() * 10 > rows * 9 && domain.hierarchy().is_none()
        {
            warnings.push(format!(
                "the column `{name}` has {} values in {rows} rows; is it an identifier?",
                domain.len()
            ));
        }
        let sets = matches!(domain.generalization(), Generalization::Set);
        if let Some(label) = domain
            .labels()
            .find(|label| sets && label.contains(['|', '{', '}']))
        {
            warnings.push(format!(
                "values of `{name}` such as `{label}` make published sets {{a|b}} ambiguous; give the column an `order` or a `hierarchy`"
            ));
        }
    }
}

/// Values that differ in blanks or case only count as different, which may not
/// be meant.
fn near_twins(sensitive: &Sensitive, part: usize, warnings: &mut Vec<String>) {
    let mut seen: HashMap<String, &str> = HashMap::new();
    for value in 0..sensitive.values() as u32 {
        let label = &sensitive.parts(value)[part];
        let folded = label.trim().to_lowercase();
        let twin = *seen.entry(folded).or_insert(label);
        if twin != &**label {
            warnings.push(format!(
                "the sensitive values `{twin}` and `{label}` of `{}` count as different; if they are one, correct the table (`trim = true` cuts blanks)",
                sensitive.columns()[part]
            ));
            return;
        }
    }
}

/// A column of a combination that could not be protected by itself.
fn weak_part(policy: &Policy, table: &Table, part: usize, warnings: &mut Vec<String>) {
    let sensitive = table.sensitive();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (value, &count) in (0..).zip(table.histogram().counts()) {
        *counts.entry(&sensitive.parts(value)[part]).or_default() += u64::from(count);
    }
    let rows = table.rows() as u64;
    let Some(ratio) = policy.model.ratio() else {
        return;
    };
    if let Some((label, count)) = counts
        .iter()
        .find(|(_, count)| **count * u64::from(ratio.l()) > rows)
    {
        warnings.push(format!(
            "only the combination is protected: of `{}` by itself, `{label}` stands in {count} of {rows} rows, more than 1/{}",
            sensitive.columns()[part],
            ratio.l()
        ));
    }
}
