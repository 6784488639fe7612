//! Prints the results of a run or of a plan as text.

use crate::table::{TextTable, counted, entry, thousands};
use openveil_io::printable;
use openveil_io::release_dir::write::manifest::{
    Association, AssociationKept, CellKind, GuaranteeEntry, HistoryEntry, LearnedEntry,
    OmittedEntry, RuleEntry, TableEntry, Utility,
};
use openveil_publication as publish;
use openveil_publication::{Plan, Published};
use openveil_reader::query::Verdict;
use openveil_text::Text;

/// Prints the results of a policy with rules.
fn several(published: &Published) {
    let manifest = &published.manifest;
    let rows = counted(manifest.rows as u128, "row");
    let tables = counted(manifest.tables.len() as u128, "table");
    say!("Published {rows} in {tables}, which together satisfy every rule.\n");
    promise(&manifest.guarantee, &manifest.algorithm, &manifest.chosen_by);
    places(published);
    say!("");
    tables_and_rules(&manifest.tables, &manifest.rules);
    association(&published.owner.association);
    notes(published);
}

fn tables_and_rules(tables: &[TableEntry], rules: &[RuleEntry]) {
    let mut shown = TextTable::new(["table", "columns", "guards", "groups"]);
    for table in tables {
        let guards = table.enforces.as_ref().map_or(String::new(), |rule| rule.protect.join(", "));
        let groups = match table.groups {
            0 => String::new(),
            groups => thousands(groups as u128),
        };
        let columns = table.columns.join(", ");
        shown.row([table.name.clone(), columns, guards, groups]);
    }
    say_on!("{}", shown.render());
    say!("");
    let mut shown = TextTable::new(["rule", "kept by", "highest chance"]);
    for rule in rules {
        let words = format!("{} → {}", rule.given.join(", "), rule.protect.join(", "));
        let chance = rule.max_posterior.clone().unwrap_or_default();
        shown.row([words, rule.by.clone(), chance]);
    }
    say_on!("{}", shown.render());
}

/// Prints the results of a run.
pub(super) fn published(published: &Published) {
    let manifest = &published.manifest;
    if !manifest.tables.is_empty() {
        return several(published);
    }
    let utility = &manifest.utility;
    let sizes = match (utility.smallest_group, utility.largest_group) {
        (least, most) if least == most => counted(least, "row"),
        (least, most) => format!("{least} to {}", counted(most, "row")),
    };
    let rows = counted(manifest.rows as u128, "row");
    let groups = counted(manifest.groups as u128, "group");
    say!("Published {rows} in {groups} of {sizes}.\n");
    promise(&manifest.guarantee, &manifest.algorithm, &manifest.chosen_by);
    if let Some(history) = &manifest.history {
        say!("{}", entry("history", &history_in_words(history)));
    }
    say!("{}", entry("utility", &discernability(utility)));
    places(published);
    say!("");
    let mut table =
        TextTable::new(["published column", "role", "mean share of the domain per cell"]);
    for column in &manifest.columns {
        let extent = utility.mean_extent.get(&column.name);
        let share = extent.map_or(String::new(), |share| format!("{:.1} %", 100.0 * share));
        table.row([column.name.clone(), column.role.clone(), share]);
    }
    say_on!("{}", table.render());
    learned(&utility.learned);
    association(&published.owner.association);
    notes(published);
}

/// Prints what analysts and readers can learn from the release alone.
fn learned(learned: &[LearnedEntry]) {
    for learned in learned {
        let sensitive = printable(&learned.sensitive);
        say!("");
        say!(
            "Readers can learn from the release how columns go with `{sensitive}`. `not chance` is the share of the shown association that is not due to the grouping."
        );
        let mut table = TextTable::new(["column", "not chance", "advice"]);
        for column in &learned.columns {
            let advice = Verdict::of(column.recovered).name().to_owned();
            let share = format!("{:.0} %", 100.0 * column.recovered);
            table.row([column.column.clone(), share, advice]);
        }
        say_on!("{}", table.render());
        let words = format!(
            "who learns from the release guesses {}, and is nearly certain about {:.0} % of the people",
            learned.hits(),
            100.0 * learned.nearly_certain
        );
        say!("{}", entry("a reader", &words));
        say!(
            "{}",
            entry(
                "caution",
                "these figures are for users of the release. Do not publish again because of them: choosing between two releases discloses more than the guarantee allows"
            )
        );
    }
}

/// Describes the place of a release in its history, and who came, left or is held back.
fn history_in_words(history: &HistoryEntry) -> String {
    let people = |count: usize| match count {
        1 => "1 person".to_owned(),
        many => format!("{} people", thousands(many as u128)),
    };
    let mut words =
        format!("release {} of {}: {}", history.release, history.id, people(history.people));
    words += &format!(", {} came", thousands(history.arrived as u128));
    if history.left > 0 {
        words += &format!(", {} left", thousands(history.left as u128));
    }
    if history.same_groups {
        words += ", in the same groups";
    }
    let fakes = &history.fakes;
    if fakes.rows > 0 {
        let groups = counted(fakes.groups.len() as u128, "group");
        words += &format!("; {} in {groups} are fillers", counted(fakes.rows as u128, "row"));
    }
    if history.waiting > 0 {
        let wait = if history.waiting == 1 { "is held back" } else { "are held back" };
        words += &format!("; {} {wait} until a later release", people(history.waiting));
    }
    if history.refused > 0 {
        words += &format!("; {} refused", counted(history.refused as u128, "run"));
    }
    if history.lost {
        words += "; the state of an earlier history was missing";
    }
    words
}

/// Prints, for the owner, how much association with the sensitive column the release retains.
fn association(kept: &[AssociationKept]) {
    for kept in kept {
        let sensitive = &kept.sensitive;
        say!("");
        say!(
            "For the owner only: how columns go with `{}`, from 0 (no association) to 1 (the closest association), measured by {}.",
            printable(sensitive),
            kept.measure
        );
        let mut table = TextTable::new(["column", "in the table", "in the release"]);
        for link in &kept.columns {
            let digits = |strength: f64| format!("{strength:.3}");
            let name = link.columns.join(" and ");
            table.row([name, digits(link.table), digits(link.release)]);
        }
        say_on!("{}", table.render());
        say!(
            "{}",
            entry(
                "queries",
                &format!(
                    "counts by one column and `{sensitive}` are {:.1} % off on average",
                    100.0 * kept.query_error
                )
            )
        );
        say!("{}", entry("owner only", &kept.note));
    }
}

/// Describes the size of the groups, compared with the smallest that is possible.
fn discernability(utility: &Utility) -> String {
    let possible = match utility.dm_optimal {
        Some(optimal) => format!("optimum {}", thousands(optimal)),
        None => format!("no release is below {}", thousands(utility.dm_lower_bound)),
    };
    let found = thousands(utility.dm);
    format!("discernability {found} ({possible}), {:.3} × the least size per group", utility.cavg)
}

/// Prints the omitted columns and rows, and the folders of the release and of the owner.
fn places(published: &Published) {
    omitted(&published.manifest.omitted);
    let release = published.written.release.display().to_string();
    say!("{}", entry("release", &release));
    let owner = published.written.owner.display();
    say!("{}", entry("owner", &format!("{owner} (not for publication)")));
}

fn notes(published: &Published) {
    say!("");
    for line in &published.owner.checklist {
        say!("{}", entry("check", &line.to_string()));
    }
    let mut notes: Vec<Text> = published.owner.warnings.clone();
    if !published.manifest.fit_for_publication {
        notes.push("made with a test seed: unfit for publication".into());
    }
    if published.written.replaced {
        notes.push("this release replaced an earlier one in the same folder. The guarantee covers one run. If the earlier release was given to anybody, this is a second release. Keeping the nicest of several runs discloses values: it raises a promised posterior of 1/2 to 41/68 with two runs, 0.82 with five, 0.97 with ten. Choose algorithm and parameters before the run, on other data".into());
    }
    if !published.owner.query_errors.is_empty() {
        notes.push("measured with the true values (see owner.json); choosing among releases by these figures would disclose values".into());
    }
    if published.manifest.rows > publish::MOST_REPORTED {
        notes.push(
            "the table is too large for a report at this point: run `openveil report` later".into(),
        );
    }
    if !notes.is_empty() {
        say!("");
    }
    for note in notes {
        say!("{}", entry("note", &note.to_string()));
    }
}

fn promise(guarantee: &GuaranteeEntry, algorithm: &str, chosen_by: &Option<String>) {
    say!("{}", entry("guarantee", &guarantee.statement));
    let chosen = match chosen_by {
        Some(name) => format!(", chosen by {name}"),
        None => String::new(),
    };
    let algorithm = format!("{algorithm}{chosen} (adversary: {})", guarantee.adversary);
    say!("{}", entry("algorithm", &algorithm));
}

fn omitted(omitted: &OmittedEntry) {
    let columns: Vec<&str> =
        omitted.identifiers.iter().chain(&omitted.dropped).map(String::as_str).collect();
    if !columns.is_empty() {
        say!("{}", entry("omitted", &format!("columns {}", columns.join(", "))));
    }
    if omitted.rows > 0 {
        let rows = counted(omitted.rows as u128, "row");
        say!("{}", entry("omitted", &format!("{rows}: {}", omitted.reasons.join("; "))));
    }
}

/// Prints a plan: what a run would do.
pub(super) fn plan(plan: &Plan) {
    let rows = counted(plan.rows as u128, "row");
    say!("Would publish {rows}; no release was written.\n");
    promise(&plan.guarantee, &plan.algorithm, &plan.chosen_by);
    if let Some(groups) = plan.groups {
        say!("{}", entry("groups", &thousands(groups)));
    }
    if let [forecast, ..] = &plan.groups_forecast[..] {
        let groups = thousands(forecast.groups as u64);
        let words = format!(
            "about {groups} if values were shuffled; fewer where they go with known columns"
        );
        say!("{}", entry("groups", &words));
    }
    if !plan.tables.is_empty() {
        omitted(&plan.omitted);
        say!("");
        tables_and_rules(&plan.tables, &plan.rules);
        at_best(&plan.association_at_best);
        plan_notes(plan);
        return;
    }
    let least = format!("discernability at least {}", thousands(plan.dm_lower_bound));
    say!("{}", entry("utility", &least));
    if let Some(l) = plan.largest_l {
        say!("{}", entry("largest l", &l.to_string()));
    }
    if let Some(alone) = plan.alone {
        let words =
            format!("{:.1} % of the rows have known values that no other row has", 100.0 * alone);
        say!("{}", entry("alone", &words));
    }
    omitted(&plan.omitted);
    say!("{}\n", entry("folder", &plan.out.display().to_string()));
    let mut table = TextTable::new(["published column", "role", "cells"]);
    for column in &plan.columns {
        let cells = column.cells.map_or("", CellKind::name);
        table.row([&*column.name, &*column.role, cells]);
    }
    say_on!("{}", table.render());
    at_best(&plan.association_at_best);
    say!("");
    say!("Which style suits which study:");
    let mut styles = TextTable::new(["style", "suits", "in return"]);
    for advice in &plan.styles {
        let style = if advice.chosen {
            format!("{} (chosen)", advice.style)
        } else {
            advice.style.to_owned()
        };
        styles.row([style, advice.suits.to_owned(), advice.costs.to_owned()]);
    }
    say_on!("{}", styles.render());
    plan_notes(plan);
}

fn plan_notes(plan: &Plan) {
    for (what, line) in plan
        .warnings
        .iter()
        .map(|note| ("note", note.to_string()))
        .chain(plan.checklist.iter().map(|line| ("check", line.to_string())))
    {
        say!("{}", entry(what, &line));
    }
}

/// Prints an upper bound on the association with the sensitive column that can remain.
fn at_best(bounds: &[Association]) {
    for best in bounds {
        let sensitive = &best.sensitive;
        say!("");
        say!(
            "How closely columns can go with `{}` in any release of this kind, from 0 to 1 (the closest association), by {}. This is a bound, not a forecast: most associations are weaker in the table itself.",
            printable(sensitive),
            best.measure
        );
        let mut table = TextTable::new(["column", "at most"]);
        for (name, strength) in &best.strength {
            // Round up, so that the printed bound is never below the real one.
            let bound = format!("{:.2}", (100.0 * strength).ceil() / 100.0);
            table.row([name.clone(), bound]);
        }
        say_on!("{}", table.render());
    }
}
