//! What is written beside several tables: for the reader, and for the owner.

use super::schema::Prepared;
use super::sub_table::{Guarded, SubRelease};
use super::{name, refuse_options};
use crate::load::{self, Loaded};
use crate::policy::{Policy, Rules};
use crate::publish::documents::{covered, notes, order, owner as owner_of, style, value_type};
use crate::publish::promise::{chance_in_words, entry, max_posterior};
use crate::publish::{Observer, Options, Plan, Stage};
use crate::release_dir::write::manifest::{
    ColumnEntry, DependencyEntry, Enforced, Guarantee, Model as ModelEntry, OmittedEntry,
    RuleEntry, TableEntry, Utility,
};
use crate::release_dir::write::{Manifest, Owner};
use crate::{Error, Location};
use openveil::algorithm::{Adversary, Algorithm};
use openveil::exact::{Fraction, fraction};
use openveil::schema::discovered;
use openveil::table::ColumnSet;
use openveil::utility::Summary;
use std::collections::{BTreeMap, BTreeSet};

/// Of the rows, the share in which a column has to determine another one for the
/// owner to be told.
const NEARLY_ALWAYS: f64 = 0.99;

/// Dependencies that the owner is told of one by one.
const TOLD: usize = 8;

/// What would happen, from rules and histograms alone.
pub(in crate::publish) fn plan(
    policy: &Policy,
    rules: &Rules,
    options: Options,
    observer: &dyn Observer,
) -> Result<Plan, Error> {
    refuse_options(options)?;
    observer.begin(Stage::Read, policy.source.total_bytes());
    let table = load::load(policy, &|bytes| observer.advance(bytes))?;
    let prepared = Prepared::new(policy, rules, &table)?;
    let entries = rule_entries(policy, &table, &prepared, None);
    let tables = (0..prepared.schema.tables().len())
        .map(|number| table_entry(&table, &prepared, number, None, Vec::new()));
    Ok(Plan {
        rows: table.table.rows(),
        algorithm: policy.algorithm.name().to_owned(),
        guarantee: guarantee(policy, &table, &entries),
        groups: None,
        dm_optimal: 0,
        largest_l: None,
        columns: columns(policy, &table, &[]),
        tables: tables.collect(),
        rules: entries,
        omitted: OmittedEntry::of(&table.omitted),
        warnings: warnings(rules, &table)?,
        out: policy.out.clone(),
    })
}

pub(super) fn manifest(
    policy: &Policy,
    options: Options,
    table: &Loaded,
    prepared: &Prepared,
    tables: &[SubRelease],
    files: &[Vec<String>],
) -> Manifest {
    let rules = rule_entries(policy, table, prepared, Some(tables));
    let entries = files.iter().zip(tables).enumerate();
    let entries = entries.map(|(number, (files, made))| {
        table_entry(table, prepared, number, Some(made), files.clone())
    });
    let entries: Vec<TableEntry> = entries.collect();
    let decomposition = policy.rules.as_ref().map(|rules| rules.decomposition);
    let mut notes = notes(policy, options, &table.omitted);
    notes.push("Each rule holds by itself, against a reader who knows what the rule says is given and every column's histogram.".to_owned());
    Manifest {
        openveil: env!("CARGO_PKG_VERSION").to_owned(),
        rows: table.table.rows(),
        groups: entries.iter().map(|entry| entry.groups).sum(),
        algorithm: policy.algorithm.name().to_owned(),
        model: common_model(&rules),
        style: style(policy).to_owned(),
        guarantee: guarantee(policy, table, &rules),
        utility: utility(prepared, tables),
        columns: columns(policy, table, tables),
        omitted: OmittedEntry::of(&table.omitted),
        files: files.iter().flatten().cloned().collect(),
        delimiter: char::from(policy.output.delimiter),
        decomposition: decomposition.map(|by| by.name().to_owned()),
        tables: entries,
        rules,
        dependencies: dependencies(table, prepared),
        fit_for_publication: options.test_seed.is_none(),
        notes,
    }
}

/// The model, if all rules have the same; otherwise every rule says its own.
fn common_model(rules: &[RuleEntry]) -> ModelEntry {
    match rules {
        [first, others @ ..] if others.iter().all(|rule| rule.model == first.model) => {
            first.model.clone()
        }
        _ => ModelEntry {
            name: "rules".to_owned(),
            ..ModelEntry::default()
        },
    }
}

fn names(table: &Loaded, columns: ColumnSet) -> Vec<String> {
    let names = table.names.names_of(columns).into_iter();
    names.map(str::to_owned).collect()
}

fn dependencies(table: &Loaded, prepared: &Prepared) -> Vec<DependencyEntry> {
    let known = prepared.dependencies.iter();
    let entry = |known: &openveil::schema::Dependency| DependencyEntry {
        given: names(table, known.given()),
        determines: names(table, known.determines()),
    };
    known.map(entry).collect()
}

fn table_entry(
    table: &Loaded,
    prepared: &Prepared,
    number: usize,
    made: Option<&SubRelease>,
    files: Vec<String>,
) -> TableEntry {
    let shape = prepared.schema.tables()[number];
    let enforces = shape.enforces().map(|rule| Enforced {
        given: names(table, rule.given()),
        protect: names(table, rule.protect()),
        model: prepared
            .model(number)
            .map_or(String::new(), |model| model.to_string()),
    });
    TableEntry {
        name: name(number),
        columns: names(table, shape.columns()),
        enforces,
        rows: table.table.rows(),
        groups: made.map_or(0, |made| match made {
            SubRelease::Open { .. } => 0,
            SubRelease::Guarded(made) => made.release.group_count(),
        }),
        files,
    }
}

fn rule_entries(
    policy: &Policy,
    table: &Loaded,
    prepared: &Prepared,
    tables: Option<&[SubRelease]>,
) -> Vec<RuleEntry> {
    let rules = prepared.rules.iter().enumerate();
    let rules = rules.map(|(index, rule)| {
        let guardian = prepared.guardian(index);
        let made = guardian
            .zip(tables)
            .and_then(|(number, tables)| match &tables[number] {
                SubRelease::Guarded(made) => Some(&**made),
                SubRelease::Open { .. } => None,
            });
        let bound = bound(policy.algorithm, table, prepared, index, made);
        RuleEntry {
            given: names(table, rule.given()),
            protect: names(table, rule.protect()),
            model: entry(&prepared.models[index]),
            by: guardian.map_or_else(|| "unreachable".to_owned(), name),
            max_posterior: bound.map(|bound| bound.to_string()),
        }
    });
    rules.collect()
}

/// The highest chance with which what a rule protects can be guessed.
fn bound(
    algorithm: Algorithm,
    table: &Loaded,
    prepared: &Prepared,
    rule: usize,
    made: Option<&Guarded>,
) -> Option<Fraction> {
    let model = &prepared.models[rule];
    if let Some(made) = made {
        return max_posterior(algorithm, model, &made.table, Some(&made.release));
    }
    let columns = prepared.rules[rule].protect().iter();
    let bounds = columns.filter_map(|column| {
        let alone = table.table.view(ColumnSet::EMPTY, ColumnSet::one(column));
        max_posterior(algorithm, model, &alone, None).or_else(|| {
            let histogram = alone.histogram();
            let counts = histogram.counts().iter().zip(alone.secret().exempt());
            let protected = counts.filter(|(_, exempt)| !**exempt);
            let most = protected.map(|(count, _)| *count).max()?;
            Some(fraction(most.into(), histogram.rows().into()))
        })
    });
    bounds.max()
}

fn guarantee(policy: &Policy, table: &Loaded, rules: &[RuleEntry]) -> Guarantee {
    let reader = match policy.algorithm.adversary() {
        Adversary::KnowsAlgorithm => {
            "who also knows every column's histogram, all tables, this program and its parameters, but not its coins"
        }
        Adversary::SeesRelease => {
            "who also sees all tables and does not know how they were made; one who re-runs the algorithm learns more"
        }
    };
    let parse = |bound: &String| {
        let (numerator, denominator) = bound.split_once('/')?;
        Some(fraction(numerator.parse().ok()?, denominator.parse().ok()?))
    };
    let bounds = rules
        .iter()
        .map(|rule| rule.max_posterior.as_ref().and_then(parse));
    let bounds: Option<Vec<Fraction>> = bounds.collect();
    let highest = bounds.and_then(|bounds| bounds.into_iter().max());
    let promised = rules.iter().map(|rule| {
        let bound = rule.max_posterior.as_ref().and_then(parse);
        let chance = bound.map_or(String::new(), |bound| {
            format!(" with a chance above {}", chance_in_words(&bound))
        });
        format!(
            "`{}` from {}{chance}",
            rule.protect.join(" + "),
            rule.given.join(", ")
        )
    });
    let promised: Vec<String> = promised.collect();
    let protects: BTreeSet<&String> = rules.iter().flat_map(|rule| &rule.protect).collect();
    let in_order = table.names.names().iter();
    Guarantee {
        adversary: policy.algorithm.adversary().name().to_owned(),
        max_posterior: highest.map(|bound| bound.to_string()),
        protects: in_order
            .filter(|name| protects.contains(name))
            .cloned()
            .collect(),
        statement: format!(
            "by a reader {reader}, nobody's value can be guessed: {}",
            promised.join("; ")
        ),
    }
}

/// Sums and means over the anonymised tables.
fn utility(prepared: &Prepared, tables: &[SubRelease]) -> Utility {
    let mut all = Utility {
        groups: 0,
        smallest_group: 0,
        largest_group: 0,
        dm: 0,
        dm_optimal: 0,
        cavg: 0.0,
        mean_extent: BTreeMap::new(),
    };
    let guarded = tables.iter().enumerate();
    let guarded = guarded.filter_map(|(number, made)| match made {
        SubRelease::Guarded(made) => Some((number, made)),
        SubRelease::Open { .. } => None,
    });
    let mut count = 0.0;
    for (number, made) in guarded {
        let model = prepared.model(number).ok();
        let criteria = model.and_then(|model| model.bind(&made.table).ok());
        let least = criteria.map_or(1, |criteria| criteria.least_size());
        let summary = Summary::of(&made.release, &made.table, least);
        all.smallest_group = match all.groups {
            0 => summary.smallest,
            _ => all.smallest_group.min(summary.smallest),
        };
        all.groups += summary.groups;
        all.largest_group = all.largest_group.max(summary.largest);
        all.dm += summary.dm;
        all.dm_optimal += summary.dm_optimal;
        count += 1.0;
        all.cavg += (summary.cavg - all.cavg) / count;
        let extents = summary.mean_extents.into_iter();
        all.mean_extent
            .extend(extents.map(|extent| (extent.column, extent.mean)));
    }
    all
}

fn columns(policy: &Policy, table: &Loaded, tables: &[SubRelease]) -> Vec<ColumnEntry> {
    let shown = |name: &str| {
        let mut covers = BTreeMap::new();
        for made in tables {
            let SubRelease::Guarded(made) = made else {
                continue;
            };
            let known = made.table.known().iter();
            for (column, cells) in known.zip(made.release.cells()) {
                if column.name() == name {
                    covers.extend(covered(column.domain(), cells));
                }
            }
        }
        covers
    };
    let entry = |known: &openveil::table::Column| {
        let name = known.name();
        let column = &policy.columns[name];
        ColumnEntry {
            name: name.to_owned(),
            role: column.role.name().to_owned(),
            value_type: value_type(column),
            order: order(column, known.domain()),
            covers: shown(name),
        }
    };
    table.table.columns().iter().map(entry).collect()
}

pub(super) fn owner(
    policy: &Policy,
    rules: &Rules,
    options: Options,
    table: &Loaded,
    timings_ms: BTreeMap<String, f64>,
) -> Result<Owner, Error> {
    let warnings = warnings(rules, table)?;
    Ok(owner_of(
        policy,
        options,
        &table.omitted,
        warnings,
        timings_ms,
    ))
}

/// Things that the owner should know: above all, dependencies that the data show
/// and the policy does not name. A reader who knows them learns more.
fn warnings(rules: &Rules, table: &Loaded) -> Result<Vec<String>, Error> {
    let mut warnings = table.warnings.clone();
    let failed =
        |cause: openveil::schema::Error| Error::new(Location::default(), cause.to_string());
    let known = rules.known(&table.names).map_err(failed)?;
    let found = discovered(&table.table, NEARLY_ALWAYS);
    let unknown = found.iter().filter(|found| {
        let one = ColumnSet::one(found.given);
        !openveil::schema::closure(one, &known).contains(found.determines)
    });
    let words = unknown.map(|found| {
        let (given, determines) = (
            table.names.name(found.given),
            table.names.name(found.determines),
        );
        let how = match found.share {
            share if share >= 1.0 => "always".to_owned(),
            share => format!("in {:.1} % of the rows", (1_000.0 * share).floor() / 10.0),
        };
        format!("in the data, `{given}` determines `{determines}` {how}; if readers know that, say so in [[dependencies]] (given = {given:?}, determines = {determines:?})")
    });
    let words: Vec<String> = words.collect();
    let more = words.len().saturating_sub(TOLD);
    warnings.extend(words.into_iter().take(TOLD));
    if more > 0 {
        warnings.push(format!(
            "{more} more columns nearly always determine another one in the data"
        ));
    }
    Ok(warnings)
}
