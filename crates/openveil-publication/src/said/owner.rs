//! Figures that stay with the owner.

use crate::asked::Job;
use crate::checked::CheckedTables;
use crate::made::schema::TablePlans;
use crate::made::table::MadeTable;
use crate::said::association;
use crate::said::utility;
use openveil_core::table::ColumnSet;
use openveil_io::load::Loaded;
use openveil_io::policy::{Policy, Rules};
use openveil_io::release_dir::write::Owner;
use openveil_io::release_dir::write::manifest::MeasuredCorrelations;
use openveil_io::release_dir::write::manifest::{Association, Utility};
use openveil_io::{Error, Location};
use openveil_reader::correlations::{KnownTable, measure};
use openveil_rules::{closure, discovered};
use openveil_text::{Text, text};
use std::collections::BTreeMap;

/// The share of rows in which a column has to determine another one for a warning to the owner.
const NEARLY_ALWAYS: f64 = 0.99;

/// The number of dependencies that are listed for the owner.
const TOLD: usize = 8;

/// The explanation of the certificate beside the owner's report.
const CERTIFICATE_NOTE: &str = "l-cover.csv lists, for every row, rows of the same group with other values that could take its place: exchanging their values leaves the release unchanged. It names who is exchangeable with whom, so it must not be published.";

/// Returns the owner's report; `shown` holds the figures that are also published.
pub(crate) fn owner(release: &CheckedTables, shown: &Utility) -> Result<Owner, Error> {
    let CheckedTables { job, loaded, schema, clock, .. } = release;
    let Job { policy, options, .. } = job;
    let missing = loaded.omitted.missing.iter().map(|count| (count.column.clone(), count.rows));
    let files = policy.input.source.files().unwrap_or_default();
    let measured = if options.measure {
        utility::measured(policy, loaded, schema, release.measured())?
    } else {
        utility::UtilityFigures::default()
    };
    Ok(Owner {
        warning: "Not for publication: this folder was made with knowledge of the true values."
            .to_owned(),
        release: BTreeMap::new(),
        policy: policy.path.display().to_string(),
        input: files.iter().map(|file| file.display().to_string()).collect(),
        input_rows: loaded.omitted.input_rows,
        missing: missing.collect(),
        warnings: warnings(policy, loaded, schema, &association::at_best(schema))?,
        checklist: checklist(loaded, schema),
        timings_ms: clock.timings_ms.clone(),
        test_seed: options.test_seed,
        query_errors: measured.query_errors,
        divergence: measured.divergence,
        association: association::kept(release.measured(), &shown.association, options.measure),
        distributions: Vec::new(),
        correlations: correlations(release)?,
        certificate: release.certificate.is_some().then(|| CERTIFICATE_NOTE.to_owned()),
    })
}

/// Measures the guesses of readers who know correlations, for a single table, if requested.
fn correlations(release: &CheckedTables) -> Result<Option<MeasuredCorrelations>, Error> {
    let Job { policy, options, .. } = &release.job;
    let ([MadeTable::Guarded(made)], true) =
        (&release.tables[..], options.measure || policy.privacy.measures)
    else {
        return Ok(None);
    };
    if policy.history().is_some() || policy.persons().is_some() {
        // Such groups come from slots assigned earlier, and such rows from several rows of a
        // person.
        let why = "works with tables of one row per person that are published once";
        return Ok(Some(MeasuredCorrelations::not(why)));
    }
    let public = KnownTable::new(policy.privacy.public.as_ref());
    let found = measure(policy, release.job.algorithm, &made.view, &public, 0, &|_| {})?;
    Ok(Some(found))
}

/// Returns warnings for the owner before a release is made. They depend on the input, the policy
/// and the histograms, never on a run.
pub(crate) fn warnings(
    policy: &Policy,
    loaded: &Loaded,
    schema: &TablePlans,
    at_best: &[Association],
) -> Result<Vec<Text>, Error> {
    let mut warnings = loaded.warnings.clone();
    warnings.extend(association::warnings(at_best));
    warnings.extend(schema.looks.warnings(policy));
    match policy.rules() {
        Some(rules) => {
            warnings.extend(columns_in_no_rule(rules, loaded));
            warnings.extend(unnamed_dependencies(rules, loaded)?);
        }
        None => warnings.extend(allows_certainty(schema)),
    }
    Ok(warnings)
}

/// Returns a question for each protected column about known columns that say the same in other
/// words. It names columns and depends on no value: a hint that depends on values would disclose
/// something about them.
pub(crate) fn checklist(loaded: &Loaded, schema: &TablePlans) -> Vec<Text> {
    let names = |columns: ColumnSet| {
        loaded
            .table
            .names_of(columns)
            .into_iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<String>>()
            .join(", ")
    };
    schema.rules.iter().map(|rule| {
        text!(
            "drop columns that were computed from {}, and columns that determine it, such as a flag, a code, a total or a diagnosis group. The known columns are: {}",
            names(rule.protect),
            names(rule.given)
        )
    }).collect()
}

/// Warns of columns in no rule: they are published unchanged, beside others.
fn columns_in_no_rule(rules: &Rules, loaded: &Loaded) -> Option<Text> {
    let spoken_of = |name: &String| {
        rules.rules.iter().any(|rule| rule.given.contains(name) || rule.protect.contains(name))
    };
    let names: Vec<String> = loaded
        .names
        .names()
        .iter()
        .filter(|name| !spoken_of(name))
        .map(|name| format!("`{name}`"))
        .collect();
    (!names.is_empty()).then(|| {
        text!(
            "no rule mentions {}: they are published exactly, beside other columns. If they are not needed, set `role = \"drop\"`",
            names.join(", ")
        )
    })
}

/// Warns of a model that allows values to become certain, whatever the release is.
fn allows_certainty(schema: &TablePlans) -> Option<Text> {
    let guard = schema.tables.first()?.guard.as_ref()?;
    let criteria = guard.model.bind_strata(&guard.view).ok()?;
    let exempt = guard.view.secret().exempt();
    criteria.iter().any(|own| !own.excludes_certainty(exempt)).then(|| text!("the privacy model allows values to become certain; to rule that out, require l-diversity as well: `all = [ {{ … }}, {{ model = \"l-diversity\", l = … }} ]`"))
}

/// Warns of dependencies in the data that the policy does not name: a reader who knows them learns
/// more. Considers only columns that no rule protects, since a warning about a protected column
/// would disclose its values.
fn unnamed_dependencies(rules: &Rules, table: &Loaded) -> Result<Vec<Text>, Error> {
    let failed =
        |cause: openveil_rules::RulesError| Error::new(Location::default(), cause.to_string());
    let known = rules.known(&table.names).map_err(failed)?;
    let protected = |column: usize| {
        let name = table.names.name(column);
        rules.rules.iter().any(|rule| rule.protect.iter().any(|own| own == name))
    };
    let found = discovered(&table.table, NEARLY_ALWAYS);
    let words: Vec<Text> = found.iter().filter(|found| {
        let one = ColumnSet::one(found.given);
        !protected(found.given)
            && !protected(found.determines)
            && !closure(one, &known).contains(found.determines)
    }).map(|found| {
        let (given, determines) = (
            table.names.name(found.given),
            table.names.name(found.determines),
        );
        let how = match found.share {
            share if share >= 1.0 => "always".to_owned(),
            share => format!("in {:.1} % of the rows", (1_000.0 * share).floor() / 10.0),
        };
        text!("in the data, `{given}` determines `{determines}` {how}; if readers know this, write it under [[dependencies]] (given = {given:?}, determines = {determines:?})")
    }).collect();
    let more = words.len().saturating_sub(TOLD);
    let mut warnings: Vec<Text> = words.into_iter().take(TOLD).collect();
    if more > 0 {
        warnings.push(text!("{more} more columns nearly always determine another one in the data"));
    }
    Ok(warnings)
}
