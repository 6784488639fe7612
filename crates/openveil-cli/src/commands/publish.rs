use super::print_json;
use crate::pictures::{self, Viewer};
use crate::progress::Bars;
use crate::table::{Table, counted, entry, thousands};
use crate::{Outcome, interrupt};
use openveil_io::policy::{self, Policy};
use openveil_io::policy::{Part, Sample};
use openveil_io::publish::{self, Options, Plan, Published};
use openveil_io::release_dir::Texts;
use openveil_io::release_dir::write::check_beside;
use openveil_io::release_dir::write::manifest::{
    Association, AssociationKept, CellKind, GuaranteeEntry, HistoryEntry, OmittedEntry, RuleEntry,
    TableEntry, Utility,
};
use openveil_io::{Error, Location, Release, Style, printable, report};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The policy: what each column is and what must hold.
    policy: PathBuf,
    /// Read this table instead of the policy's (`-`: standard input).
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Write `release/` and `owner/` here instead of where the policy says.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Use this algorithm instead of the policy's.
    #[arg(long, value_name = "NAME")]
    algorithm: Option<String>,
    /// Leave out the rows of a sample that `openveil compare --sample FILE` drew.
    #[arg(long, value_name = "FILE")]
    without_sample: Option<PathBuf>,
    /// Write the table to standard output, as a stream in Arrow's IPC format; folders only
    /// where `--out` is given.
    #[arg(long, conflicts_with_all = ["dry_run", "json", "memory"])]
    stdout: bool,
    /// Say what would happen, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Also measure with the true values, for the owner's folder: the error of count
    /// queries, and what readers guess who know how values go with quasi-identifiers.
    #[arg(long)]
    measure: bool,
    /// Write no `report.html` beside the release and for the owner.
    #[arg(long)]
    no_report: bool,
    /// Take about so much memory, such as `2GB`: a table that needs more is published chunk by
    /// chunk, with its rows on disk. Without it: most of what is free.
    #[arg(long, value_name = "SIZE", value_parser = publish::bytes)]
    memory: Option<u64>,
    /// Also write the pictures of the public report into this folder.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["dry_run", "stdout"])]
    plots: Option<PathBuf>,
    /// Also write, for the owner, who could stand for whom in the release (the
    /// l-cover of the table).
    #[arg(long)]
    certify: bool,
    /// Repeatable coins, for tests and experiments; the release is marked unfit
    /// for publication.
    #[arg(long, value_name = "N")]
    test_seed: Option<u64>,
    /// Publish although the algorithm discloses people to a reader who re-runs
    /// it.
    #[arg(long = "i-accept-algorithm-disclosure")]
    accept_algorithm_disclosure: bool,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(serde::Serialize)]
struct Report<'a> {
    release: &'a std::path::Path,
    owner: &'a std::path::Path,
    replaced: bool,
    manifest: &'a openveil_io::release_dir::write::Manifest,
    warnings: &'a [String],
}

pub(crate) fn run(arguments: Arguments) -> Result<Outcome, Error> {
    let policy = policy(&arguments)?;
    let options = Options {
        test_seed: arguments.test_seed,
        accept_algorithm_disclosure: arguments.accept_algorithm_disclosure,
        measure: arguments.measure,
        no_report: arguments.no_report,
        memory: arguments.memory,
        certify: arguments.certify,
    };
    if let Some(folder) = &arguments.plots {
        check_beside(folder)?;
    }
    let bars = Bars::new();
    if arguments.dry_run {
        let plan = publish::plan(&policy, options, &bars);
        bars.finish();
        let plan = plan?;
        match arguments.json {
            true => print_json(&plan)?,
            false => print_plan(&plan),
        }
        return Ok(Outcome::Done);
    }
    if arguments.stdout {
        return stream(&policy, options, arguments.out.is_some(), &bars);
    }
    let published = publish::run(&policy, options, &bars);
    // Who was interrupted says that, and not what could no longer be written because of it.
    interrupt::clean_up(None);
    bars.finish();
    let published = published?;
    if let Some(folder) = &arguments.plots {
        let page = report::public(&published.written.release)?;
        pictures::write(folder, &page.pictures, Viewer::Everybody)?;
    }
    match arguments.json {
        true => print_json(&Report {
            release: &published.written.release,
            owner: &published.written.owner,
            replaced: published.written.replaced,
            manifest: &published.manifest,
            warnings: &published.owner.warnings,
        })?,
        false => print_published(&published),
    }
    Ok(Outcome::Done)
}

/// Publishes to standard output, and to folders if there are to be any.
fn stream(policy: &Policy, options: Options, folders: bool, bars: &Bars) -> Result<Outcome, Error> {
    // Said before a run, which would count.
    let problem = match folders {
        _ if policy.rules.is_some() || policy.style == Style::Anatomy => {
            "`--stdout` takes one table, and the policy makes several"
        }
        _ if policy.history.is_some() => {
            "`--stdout` takes no release with [history]: its state is written with its folder, or neither"
        }
        false if options.certify || options.measure => {
            "`--certify` and `--measure` write to the owner's folder, and with `--stdout` alone there is none"
        }
        _ => "",
    };
    if !problem.is_empty() {
        return Err(Error::new(Location::default(), problem).help("write to a folder: `--out`"));
    }
    let release = Release::of(policy, options, bars);
    let written = release.and_then(|release| {
        let table = release.in_memory(Texts::Plain)?;
        if folders {
            release.write_watched(&policy.out, bars)?;
        }
        Ok((release, table))
    });
    interrupt::clean_up(None);
    bars.finish();
    let (release, table) = written?;
    table.write_stream(std::io::stdout().lock())?;
    note!("{}", printable(&release.guarantee().to_string()));
    Ok(Outcome::Done)
}

/// The policy with what the command line says otherwise. Paths on the command
/// line start where the program runs, paths in a policy in its folder.
fn policy(arguments: &Arguments) -> Result<Policy, Error> {
    let mut policy = Policy::read_with(&arguments.policy, arguments.input.as_deref())?;
    if let Some(sample) = &arguments.without_sample {
        policy.part = Part::Without(Sample::read(sample)?);
    }
    if let Some(out) = &arguments.out {
        policy.out = out.clone();
    }
    if let Some(name) = &arguments.algorithm {
        policy.algorithm = policy::algorithm(name)?;
    }
    Ok(policy)
}

/// What came out of a policy with rules.
fn print_several(published: &Published) {
    let manifest = &published.manifest;
    let rows = counted(manifest.rows as u128, "row");
    let tables = counted(manifest.tables.len() as u128, "table");
    say!("Published {rows} in {tables} that together keep every rule.\n");
    print_promise(
        &manifest.guarantee,
        &manifest.algorithm,
        &manifest.chosen_by,
    );
    print_places(published);
    say!("");
    print_tables(&manifest.tables, &manifest.rules);
    print_association(&published.owner.association);
    print_notes(published);
}

fn print_tables(tables: &[TableEntry], rules: &[RuleEntry]) {
    let mut shown = Table::new(["table", "columns", "guards", "groups"]);
    for table in tables {
        let guards = table.enforces.as_ref();
        let guards = guards.map_or(String::new(), |rule| rule.protect.join(", "));
        let groups = match table.groups {
            0 => String::new(),
            groups => thousands(groups as u128),
        };
        let columns = table.columns.join(", ");
        shown.row([table.name.clone(), columns, guards, groups]);
    }
    say_on!("{}", shown.render());
    say!("");
    let mut shown = Table::new(["rule", "kept by", "highest chance"]);
    for rule in rules {
        let words = format!("{} → {}", rule.given.join(", "), rule.protect.join(", "));
        let chance = rule.max_posterior.clone().unwrap_or_default();
        shown.row([words, rule.by.clone(), chance]);
    }
    say_on!("{}", shown.render());
}

fn print_published(published: &Published) {
    let manifest = &published.manifest;
    if !manifest.tables.is_empty() {
        return print_several(published);
    }
    let utility = &manifest.utility;
    let sizes = match (utility.smallest_group, utility.largest_group) {
        (least, most) if least == most => counted(least, "row"),
        (least, most) => format!("{least} to {}", counted(most, "row")),
    };
    let rows = counted(manifest.rows as u128, "row");
    let groups = counted(manifest.groups as u128, "group");
    say!("Published {rows} in {groups} of {sizes}.\n");
    print_promise(
        &manifest.guarantee,
        &manifest.algorithm,
        &manifest.chosen_by,
    );
    if let Some(history) = &manifest.history {
        say!("{}", entry("history", &history_in_words(history)));
    }
    say!("{}", entry("utility", &discernability(utility)));
    print_places(published);
    say!("");
    let mut table = Table::new([
        "published column",
        "role",
        "mean share of the domain per cell",
    ]);
    for column in &manifest.columns {
        let extent = utility.mean_extent.get(&column.name);
        let share = extent.map_or(String::new(), |share| format!("{:.1} %", 100.0 * share));
        table.row([column.name.clone(), column.role.clone(), share]);
    }
    say_on!("{}", table.render());
    print_association(&published.owner.association);
    print_notes(published);
}

/// Which release of a history it is.
fn history_in_words(history: &HistoryEntry) -> String {
    let people = |count: usize| match count {
        1 => "1 person".to_owned(),
        many => format!("{} people", thousands(many as u128)),
    };
    let mut words = format!(
        "release {} of {}: {}",
        history.release,
        history.id,
        people(history.people)
    );
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
        words += &format!(
            "; {} in {groups} are nobody's",
            counted(fakes.rows as u128, "row")
        );
    }
    if history.waiting > 0 {
        words += &format!("; {} wait for others", people(history.waiting));
    }
    if history.lost {
        words += "; the state of an earlier history was not there";
    }
    words
}

/// What is kept of how columns go with the sensitive one, for the owner.
fn print_association(kept: &[AssociationKept]) {
    for kept in kept {
        let sensitive = &kept.sensitive;
        say!("");
        say!(
            "For the owner only: how columns go with `{}`, 0 for not at all, 1 for the closest link there is ({}).",
            printable(sensitive),
            kept.measure
        );
        let mut table = Table::new(["column", "in the table", "in the release"]);
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

/// How small the groups are, beside what is possible.
fn discernability(utility: &Utility) -> String {
    let possible = match utility.dm_optimal {
        Some(optimal) => format!("optimum {}", thousands(optimal)),
        None => format!("no release is below {}", thousands(utility.dm_lower_bound)),
    };
    let found = thousands(utility.dm);
    format!(
        "discernability {found} ({possible}), {:.3} × the least size per group",
        utility.cavg
    )
}

/// What was left out, and where everything is.
fn print_places(published: &Published) {
    print_omitted(&published.manifest.omitted);
    let release = published.written.release.display().to_string();
    say!("{}", entry("release", &release));
    let owner = published.written.owner.display();
    say!(
        "{}",
        entry("owner", &format!("{owner} (not for publication)"))
    );
}

fn print_notes(published: &Published) {
    let mut notes: Vec<String> = published.owner.warnings.clone();
    if !published.manifest.fit_for_publication {
        notes.push("made with a test seed: unfit for publication".to_owned());
    }
    if published.written.replaced {
        notes.push("replaced an earlier release in this folder. The guarantee covers one run: if that one went out, this is a second release; and who runs again and keeps the nicest gives values away (of two, a posterior of up to 41/68 where 1/2 is promised; of five 0.82, of ten 0.97). Choose algorithm and parameters before, on other data".to_owned());
    }
    if !published.owner.query_errors.is_empty() {
        notes.push("measured with the true values: see owner.json; choosing among releases by it would give values away".to_owned());
    }
    if published.manifest.rows > publish::MOST_REPORTED {
        notes.push("the table is too large to be described beside its release: `openveil report` does it later".to_owned());
    }
    if !notes.is_empty() {
        say!("");
    }
    for note in notes {
        say!("{}", entry("note", &note));
    }
}

fn print_promise(guarantee: &GuaranteeEntry, algorithm: &str, chosen_by: &Option<String>) {
    say!("{}", entry("guarantee", &guarantee.statement));
    let chosen = match chosen_by {
        Some(name) => format!(", chosen by {name}"),
        None => String::new(),
    };
    let algorithm = format!("{algorithm}{chosen} (adversary: {})", guarantee.adversary);
    say!("{}", entry("algorithm", &algorithm));
}

fn print_omitted(omitted: &OmittedEntry) {
    let columns: Vec<&str> = omitted
        .identifiers
        .iter()
        .chain(&omitted.dropped)
        .map(String::as_str)
        .collect();
    if !columns.is_empty() {
        say!(
            "{}",
            entry("omitted", &format!("columns {}", columns.join(", ")))
        );
    }
    if omitted.rows > 0 {
        let rows = counted(omitted.rows as u128, "row");
        say!(
            "{}",
            entry(
                "omitted",
                &format!("{rows}: {}", omitted.reasons.join("; "))
            )
        );
    }
}

fn print_plan(plan: &Plan) {
    let rows = counted(plan.rows as u128, "row");
    say!("Would publish {rows}; nothing was written.\n");
    print_promise(&plan.guarantee, &plan.algorithm, &plan.chosen_by);
    if let Some(groups) = plan.groups {
        say!("{}", entry("groups", &thousands(groups)));
    }
    if !plan.tables.is_empty() {
        print_omitted(&plan.omitted);
        say!("");
        print_tables(&plan.tables, &plan.rules);
        print_at_best(&plan.association_at_best);
        plan.warnings
            .iter()
            .for_each(|note| say!("{}", entry("note", note)));
        return;
    }
    let least = format!("discernability at least {}", thousands(plan.dm_lower_bound));
    say!("{}", entry("utility", &least));
    if let Some(l) = plan.largest_l {
        say!("{}", entry("largest l", &l.to_string()));
    }
    print_omitted(&plan.omitted);
    say!("{}\n", entry("folder", &plan.out.display().to_string()));
    let mut table = Table::new(["published column", "role", "cells"]);
    for column in &plan.columns {
        let cells = column.cells.map_or("", CellKind::name);
        table.row([&*column.name, &*column.role, cells]);
    }
    say_on!("{}", table.render());
    print_at_best(&plan.association_at_best);
    for warning in &plan.warnings {
        say!("{}", entry("note", warning));
    }
}

/// What can remain of how columns go with the sensitive one.
fn print_at_best(bounds: &[Association]) {
    for best in bounds {
        let sensitive = &best.sensitive;
        say!("");
        say!(
            "How closely columns can go with `{}` in any release of this kind, where 1 is the closest link there is ({}). Most links are weaker in the table itself; this is a bound, not a forecast.",
            printable(sensitive),
            best.measure
        );
        let mut table = Table::new(["column", "at most"]);
        for (name, strength) in &best.strength {
            // Rounded up: a bound must not look less than it is.
            let bound = format!("{:.2}", (100.0 * strength).ceil() / 100.0);
            table.row([name.clone(), bound]);
        }
        say_on!("{}", table.render());
    }
}
