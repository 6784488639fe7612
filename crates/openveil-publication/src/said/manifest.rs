//! Documents beside the tables for their reader: they depend on the release and on public facts
//! only.

use super::{association, columns};
use crate::asked::Job;
use crate::checked::CheckedTables;
use crate::made::schema::{RuleKeeper, RulePlan, TablePlan, TablePlans};
use crate::made::table::{MadeTable, numbers_classes};
use openveil_analysis::Verdict;
use openveil_core::algorithm::{Algorithm, Halving};
use openveil_core::exact::fraction;
use openveil_core::guarantee::Guarantee;
use openveil_core::release;
use openveil_core::release::Style;
use openveil_core::table::View;
use openveil_io::load::Loaded;
use openveil_io::policy::persons::ROWS;
use openveil_io::policy::{Persons, Policy};
use openveil_io::release_dir::write::Manifest;
use openveil_io::release_dir::write::manifest::{
    DependencyEntry, EachEntry, Enforced, FORMAT, GuaranteeEntry, HistoryEntry, LearnedEntry,
    ModelEntry, OmittedEntry, ParametersEntry, PersonsEntry, ReaderEntry, RuleEntry, SEEDED,
    StrataEntry, TableEntry, TrialsEntry, Utility, accepted,
};
use openveil_io::source::Format;
use openveil_measures::utility::Summary;
use openveil_papers::algorithm::Cover;

/// Returns the manifest; `files` are the names of every table's files.
pub(crate) fn manifest(
    release: &CheckedTables,
    utility: &Utility,
    files: Vec<Vec<String>>,
) -> Manifest {
    let CheckedTables { job, loaded, schema, tables, .. } = release;
    let policy = &job.policy;
    let several = policy.rules().is_some();
    let guarantees = &release.guarantees;
    let rules = rule_entries(schema, loaded, guarantees);
    let entries = table_entries(policy, schema, loaded, Some(tables), &files);
    let groups = tables.iter().filter_map(MadeTable::tally);
    Manifest {
        openveil: env!("CARGO_PKG_VERSION").to_owned(),
        format: FORMAT,
        rows: loaded.table.rows(),
        groups: groups.map(|tally| tally.groups as usize).sum(),
        classes: match &tables[..] {
            [only] if !several => classes(only, &schema.tables[0], policy),
            _ => None,
        },
        algorithm: schema.algorithm(job).to_owned(),
        chosen_by: job.chosen_by.map(str::to_owned),
        parameters: schema
            .has_groups()
            .then(|| {
                // Cohorts of a history may have fewer people than is asked for.
                let mut settings = job.settings.clone();
                settings.smallest_group =
                    settings.smallest_group.filter(|_| release.history.is_none());
                let class = policy.class_size(&policy.privacy.model).get();
                ParametersEntry::new(job.algorithm, &settings, Some(class))
            })
            .flatten(),
        trials: TrialsEntry::new(job.algorithm, &policy.method.trials),
        model: common_model(&rules),
        reader: ReaderEntry::new(&policy.privacy.model, policy.method.inside),
        style: policy.output.style.name().to_owned(),
        guarantee: GuaranteeEntry::new(&release.guarantee),
        unrefused: unrefused(job, tables),
        utility: utility.clone(),
        columns: columns::columns(policy, schema, loaded, tables),
        omitted: OmittedEntry::new(&loaded.omitted),
        persons: policy
            .persons()
            .map(|persons| PersonsEntry { rows: persons.rows, column: ROWS.to_owned() }),
        ties: release.ties.as_ref().map(|ties| ties.entry().clone()),
        each: policy.each().map(|each| EachEntry { l: each.l.clone(), linked: each.linked }),
        history: release.history.as_ref().map(|history| history.entry().clone()),
        strata: match &schema.tables[..] {
            [only] if !several => strata(only),
            _ => None,
        },
        files: files.into_iter().flatten().collect(),
        delimiter: char::from(policy.output.format.delimiter),
        spreadsheet_safe: policy.output.format.format == Format::Csv
            && policy.output.format.spreadsheet_safe,
        decomposition: policy.rules().map(|rules| rules.decomposition.name().to_owned()),
        tables: if several { entries } else { Vec::new() },
        rules: if several { rules } else { Vec::new() },
        dependencies: dependencies(schema, loaded),
        uncovered_outputs: !schema.looks.is_empty(),
        fit_for_publication: job.options.test_seed.is_none(),
        notes: notes(release, utility),
    }
}

/// Returns the model, if all rules have the same; otherwise every rule states its own.
fn common_model(rules: &[RuleEntry]) -> ModelEntry {
    match rules {
        [first, others @ ..] if others.iter().all(|rule| rule.model == first.model) => {
            first.model.clone()
        }
        _ => ModelEntry { name: "rules".to_owned(), ..ModelEntry::default() },
    }
}

pub(crate) fn rule_entries(
    schema: &TablePlans,
    loaded: &Loaded,
    guarantees: &[Guarantee],
) -> Vec<RuleEntry> {
    let entry = |(rule, guarantee): (&RulePlan, &Guarantee)| RuleEntry {
        given: loaded.table.names_of(rule.given),
        protect: loaded.table.names_of(rule.protect),
        model: match schema.tables.first().and_then(|plan| plan.guard.as_ref()) {
            Some(guard) if guard.view.secret().each().is_some() => {
                ModelEntry::new(&rule.model, guard.view.secret())
            }
            _ => ModelEntry::new(&rule.model, loaded.table.view(rule.given, rule.protect).secret()),
        },
        by: match rule.keeper {
            RuleKeeper::Table(number) => schema.tables[number].name.clone(),
            RuleKeeper::Unreachable(_) => "unreachable".to_owned(),
        },
        max_posterior: guarantee.chance.bound().map(|bound| bound.to_string()),
    };
    schema.rules.iter().zip(guarantees).map(entry).collect()
}

pub(crate) fn table_entries(
    policy: &Policy,
    schema: &TablePlans,
    loaded: &Loaded,
    tables: Option<&[MadeTable]>,
    files: &[Vec<String>],
) -> Vec<TableEntry> {
    let table = &loaded.table;
    let entry = |(number, plan): (usize, &TablePlan)| {
        let tally = tables.and_then(|tables| tables[number].tally());
        TableEntry {
            name: plan.name.clone(),
            columns: table.names_of(plan.columns),
            enforces: plan.guard.as_ref().map(|guard| Enforced {
                given: table.names_of(guard.known),
                protect: table.names_of(guard.secret),
                model: guard.model.to_string(),
            }),
            strata: strata(plan),
            rows: table.rows(),
            groups: tally.map_or(0, |tally| tally.groups as usize),
            classes: tables.and_then(|tables| classes(&tables[number], plan, policy)),
            files: files.get(number).cloned().unwrap_or_default(),
        }
    };
    schema.tables.iter().enumerate().map(entry).collect()
}

/// Returns the number of classes, if some group has several, or if the files number them: parts
/// are written before it is known whether any has.
fn classes(made: &MadeTable, plan: &TablePlan, policy: &Policy) -> Option<usize> {
    let tally = made.tally()?;
    let guard = plan.guard.as_ref().filter(|_| made.is_in_parts());
    let is_numbered = guard.is_some_and(|guard| numbers_classes(guard, policy));
    (is_numbered || tally.classes > tally.groups).then_some(tally.classes as usize)
}

fn dependencies(schema: &TablePlans, loaded: &Loaded) -> Vec<DependencyEntry> {
    let known = schema.dependencies.iter();
    known
        .map(|known| DependencyEntry {
            given: loaded.table.names_of(known.given()),
            determines: loaded.table.names_of(known.determines()),
        })
        .collect()
}

/// Returns sums and means over the anonymised tables.
pub(crate) fn utility(release: &CheckedTables) -> Utility {
    let CheckedTables { job, schema, tables, .. } = release;
    let mut summaries = Vec::new();
    for (made, plan) in tables.iter().zip(&schema.tables) {
        if let (Some(view), Some(tally), Some(guard)) = (made.view(), made.tally(), &plan.guard) {
            let criteria =
                guard.model.bind_strata(view).expect("the model was bound to the table before");
            summaries.push(Summary::new(tally, view, &criteria));
        }
    }
    let optimal: Option<Vec<u64>> = summaries.iter().map(|summary| summary.dm_optimal).collect();
    let extents = summaries.iter().flat_map(|summary| &summary.mean_extents);
    Utility {
        groups: summaries.iter().map(|summary| summary.groups).sum(),
        smallest_group: summaries.iter().map(|s| s.smallest).min().unwrap_or(0),
        largest_group: summaries.iter().map(|s| s.largest).max().unwrap_or(0),
        dm: summaries.iter().map(|summary| summary.dm).sum(),
        dm_lower_bound: summaries.iter().map(|s| s.dm_lower_bound).sum(),
        dm_optimal: optimal.map(|optimal| optimal.iter().sum()),
        cavg: summaries.iter().map(|s| s.cavg).sum::<f64>() / summaries.len().max(1) as f64,
        mean_extent: extents.map(|extent| (extent.column.clone(), extent.mean)).collect(),
        association: association::shown(release.measured()),
        learned: association::learned(release.measured(), job, release.bound()),
    }
}

/// Returns the notes that every reader of a release should know.
fn notes(release: &CheckedTables, utility: &Utility) -> Vec<String> {
    let CheckedTables { job, loaded, schema, tables, .. } = release;
    let policy = &job.policy;
    let mut notes = match &release.history {
        None => vec!["Another release of the same table is a second release, and the guarantee covers one. Runs that were not published count too: keeping the nicer of two releases can raise a promised posterior of 1/2 to 41/68, keeping the nicest of ten to 0.97.".to_owned()],
        Some(history) => history_notes(history.entry()),
    };
    if let Some(persons) = policy.persons() {
        notes.push(persons_note(persons, tables));
    }
    if let Some(ties) = &release.ties {
        let id = &ties.entry().id;
        notes.push(format!("Rows are tied by `{id}`, and tied rows have the same value and are in one group. `ties.sizes` lists the sizes of ties."));
    }
    if job.options.test_seed.is_some() {
        notes.push(SEEDED.to_owned());
    }
    if !job.algorithm.profile().is_safe() {
        notes.push(accepted(job.algorithm.name()));
    }
    notes.extend(schema.looks.notes());
    if !loaded.omitted.repeated_identifiers.is_empty() {
        notes.push("An identifier that was left out repeats, and the owner states that every row is another person: the guarantee covers rows. A person with several rows is not covered.".to_owned());
    }
    if loaded.omitted.unread_identifiers {
        notes.push("Identifiers were not checked for duplicates because the table is larger than memory: the guarantee covers rows. A person with several rows is not covered.".to_owned());
    }
    if policy.rules().is_some() {
        notes.push("Each rule holds by itself, against a reader who knows the given columns of the rule and every column's histogram.".to_owned());
    }
    notes.extend(engine_notes(job, schema, tables));
    if job.algorithm.profile().is_safe() {
        notes.extend(learned_notes(&utility.learned));
    }
    notes.extend(style_notes(policy, tables));
    for made in tables {
        if let MadeTable::Guarded(made) = made {
            notes.extend(combination_notes(&made.view, &made.release));
        }
    }
    notes
}

/// Number of people in groups above which the engine refused no cut, if it may refuse cuts.
fn unrefused(job: &Job, tables: &[MadeTable]) -> Option<u64> {
    match tables {
        // A history does not remember what was refused when people came.
        [made] if job.algorithm.name() == Halving.name() && job.policy.history().is_none() => {
            made.tally().map(|tally| tally.unrefused)
        }
        _ => None,
    }
}

/// Says what the engine's groups tell a reader who tells the people of a group apart, and whether
/// nothing was cut.
fn engine_notes(job: &Job, schema: &TablePlans, tables: &[MadeTable]) -> Vec<String> {
    let name = job.algorithm.name();
    if name == Cover.name() {
        return vec!["Groups were made by `cover`, which matches people who are alike, so their order says how values go with known columns: the guarantee holds only for a reader without any idea which people of a group are likelier to have a value. A reader who knows that older people have a value a little more often may guess most of them.".to_owned()];
    }
    if name != Halving.name() {
        return Vec::new();
    }
    let mut notes = vec!["A reader who has an idea which people of a group are likelier to have a value keeps it, and learns from the group which values its people have together. Where the program refused to cut, such a reader learns a little more.".to_owned()];
    if let Some(unrefused) = unrefused(job, tables) {
        notes[0] += &format!(" {unrefused} people are in groups above which it refused nothing.");
        if unrefused > 0
            && schema.tables.iter().any(|plan| {
                let guard = plan.guard.as_ref();
                guard.is_some_and(|guard| guard.model.informed().is_some())
            })
        {
            notes[0] += " For them, the chance that is stated for a reader who takes the groups as given holds for a reader who asks how they were formed, too.";
        }
    }
    let is_whole = tables.iter().any(|made| {
        let strata = made.view().map_or(0, |view| view.strata().len());
        made.tally().is_some_and(|tally| tally.groups as usize <= strata)
    });
    if is_whole {
        notes.push("The model left no cut that could be made: only totals can be shown. A lower l, or distinct l-diversity, leaves more.".to_owned());
    }
    notes
}

/// Describes what a reader can learn from the release itself, and what an analyst cannot.
fn learned_notes(learned: &[LearnedEntry]) -> Vec<String> {
    learned.iter().flat_map(|learned| {
        let sensitive = &learned.sensitive;
        let mut notes = vec![format!(
            "A reader can learn from the release itself how `{sensitive}` goes with the known columns, and so guess with a higher chance than the guarantee states. Such a reader guesses {}, and is nearly certain (above 90 %) about {} of the people.",
            learned.hits(),
            format!("{:.0} %", 100.0 * learned.nearly_certain)
        )];
        let lost: Vec<String> = learned
            .columns
            .iter()
            .filter(|column| Verdict::of(column.recovered) == Verdict::DoNotCross)
            .map(|column| format!("`{}`", column.column))
            .collect();
        if !lost.is_empty() {
            notes.push(format!(
                "Do not cross {} with `{sensitive}` in this release: most of the association that it shows is chance.",
                lost.join(", ")
            ));
        }
        notes
    }).collect()
}

/// Describes what a row is, if people had several.
fn persons_note(persons: &Persons, tables: &[MadeTable]) -> String {
    let names: Vec<&str> =
        tables.iter().filter_map(MadeTable::view).map(|view| view.secret().name()).collect();
    let most = match persons.rows {
        None => String::new(),
        Some(rows) => format!(", of whose rows up to {rows} count, chosen by random draws"),
    };
    format!(
        "A row is a person{most}. `{}` shows the values of those rows as a set; the person has all of them. `{ROWS}` is the number of rows. No value is in more of a group's sets than the guarantee allows, however these rows are related. There is no guarantee for rows that do not count (beyond that number, or with missing values): to a reader who knows how a person's rows go together, the published rows may disclose the others.",
        names.join(", ")
    )
}

/// Describes a release in its history.
fn history_notes(entry: &HistoryEntry) -> Vec<String> {
    let mut notes = vec![format!(
        "Release {} of the history {}: it may be read together with the other releases of this history, but with no other release of the same people. Every run counts that changed the state.",
        entry.release, entry.id
    )];
    if entry.fakes.rows > 0 {
        notes.push(format!(
            "{} rows are fillers: they show values of people who were in a slot of the group before. `history.fakes` lists how many each group has, and no one can tell which rows they are; weight each row of such a group by people / rows of the group.",
            entry.fakes.rows
        ));
    }
    if entry.waiting > 0 {
        let who = match entry.waiting {
            1 => "One person of the table is not in this release".to_owned(),
            more => format!("{more} people of the table are not in this release"),
        };
        notes.push(format!(
            "{who}: those who are new since the last release allow no release by themselves, and are held back until a later release."
        ));
    }
    if entry.lost {
        notes.push("The state of an earlier history was missing, and this one begins anew: there is no guarantee for this release together with releases of the earlier history.".to_owned());
    }
    notes
}

/// Describes what exact values of known columns mean to a reader.
fn style_notes(policy: &Policy, tables: &[MadeTable]) -> Vec<String> {
    let exact = tables
        .iter()
        .filter_map(MadeTable::view)
        .flat_map(|view| view.known())
        .filter(|column| !policy.output.style.is_range(column.form()))
        .map(|column| column.name().to_owned());
    // Readers of other rules may know a column that this rule protects.
    let protected = |name: &String| {
        policy
            .rules()
            .into_iter()
            .flat_map(|rules| &rules.rules)
            .map(|rule| &rule.protect)
            .any(|protect| protect.contains(name))
    };
    let mut exact: Vec<String> = exact.filter(|name| !protected(name)).collect();
    exact.sort();
    exact.dedup();
    let mut notes = Vec::new();
    if !exact.is_empty() {
        notes.push(format!(
            "Exact values of known columns are published ({}): they count as known and are not hidden. A reader sees more precisely than with ranges who is in which group, which helps a reader who knows how columns go together.",
            exact.join(", ")
        ));
    }
    let others: Vec<&str> = tables
        .iter()
        .filter_map(MadeTable::view)
        .flat_map(View::other)
        .map(openveil_core::table::Column::name)
        .collect();
    if !others.is_empty() {
        notes.push(format!(
            "Values of {} are published for analysis, shuffled within each group. They are not protected: the guarantee holds against a reader who knows them, but says nothing about them.",
            others.join(", ")
        ));
    }
    if exact.is_empty() && others.is_empty()
        || policy.output.style == Style::Anatomy && others.is_empty()
    {
        return notes;
    }
    notes.push("Columns whose cells are `sliced` are shuffled within each group, each column by itself: a row of the file is not a person's row, and only questions about single columns are answered as by the table. For several columns, ask group by group.".to_owned());
    notes
}

/// For each of several columns protected as one, states the highest share of one of its values in a
/// group: a fact about the release, not a guarantee.
fn combination_notes(view: &View, release: &release::Content) -> Vec<String> {
    let secret = view.secret();
    if secret.columns().len() < 2 || secret.each().is_some() {
        return Vec::new();
    }
    let highest = |part: usize| {
        (0..release.group_count())
            .map(|group: usize| {
                let mut labels: Vec<&str> =
                    release.values(group).iter().map(|&value| secret.part(value, part)).collect();
                labels.sort_unstable();
                let runs = labels.chunk_by(|a, b| a == b).map(<[&str]>::len);
                fraction(runs.max().unwrap_or(0) as u128, labels.len() as u128)
            })
            .max()
            .unwrap_or_else(|| fraction(0, 1))
    };
    secret.columns().iter().enumerate().map(|(part, column)| {
        format!(
            "The combination is protected, not each column: there is no guarantee for `{column}` by itself, one value of which makes up {} of some group.",
            highest(part)
        )
    }).collect()
}

/// Returns the strata of a table with their histograms, if it is guarded and has strata.
fn strata(plan: &TablePlan) -> Option<StrataEntry> {
    StrataEntry::new(&plan.guard.as_ref()?.view)
}
