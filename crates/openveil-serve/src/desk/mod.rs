//! The desk of the one person who uses the page: a table, the draft of a policy, the release and
//! measurements. All files are in a folder that is deleted when the program ends.

mod draft;
mod dry;
mod job;
mod root;
mod tree;

pub(crate) use draft::{Draft, DraftRule, typed};
pub(crate) use dry::{BesideItself, FirstRows, run as dry_run};
pub(crate) use job::{DeskWork, End, Leave, WorkKind};
pub(crate) use root::{MOST_FILES, Root};
pub(crate) use tree::{TopNodes, TreeNode};

use crate::texts::Problem;
use crate::{Database, ServeOptions};
use openveil_io::policy::Policy;
use openveil_io::policy::{ReadRows, Sample};
use openveil_io::progress::Nobody;
use openveil_io::source::Source;
use openveil_io::{Error, Location};
use openveil_publication as publish;
use openveil_publication::{Options, Plan, Published};
use openveil_reader::attack::AttackFindings;
use openveil_reader::query::Regression;
use openveil_requests::Answered;
use openveil_text::text;
use openveil_tools::audit;
use openveil_tools::compare::Comparison;
use openveil_tools::inspect::{Inspected, Inspection, Said, StarterWish, inspect};
use openveil_tools::watch::Watch;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// Name of the policy's file in downloads and messages.
pub(crate) const POLICY_FILE: &str = "policy.toml";

/// Name of the file of a sample.
pub(crate) const SAMPLE_FILE: &str = "sample.json";

/// Rows that are shown of a table.
const SHOWN_ROWS: usize = 8;

/// The desk.
#[derive(Debug)]
pub(crate) struct DeskHandle {
    scratch: TempDir,
    runs: AtomicU64,
    /// Files of this machine that may be chosen by their path.
    pub(crate) root: Option<Root>,
    /// Reads from databases, if the calling program can.
    pub(crate) database: Option<Database>,
    /// Repeats the random draws of releases, for tests.
    pub(crate) test_seed: Option<u64>,
    state: Mutex<DeskState>,
    job: Mutex<Option<Arc<DeskWork>>>,
}

/// Contents of the desk.
#[derive(Debug, Default)]
pub(crate) struct DeskState {
    /// The table, when one was brought.
    pub(crate) table: Option<Brought>,
    /// The policy.
    pub(crate) draft: Draft,
    /// Number of changes of the policy: a form of an earlier version is refused.
    pub(crate) version: u64,
    /// The reason, if no policy could be proposed.
    pub(crate) no_start: Option<Problem>,
    /// Roles of columns before there were rules.
    pub(crate) roles_before: BTreeMap<String, String>,
    /// The promise that the engine would make, with the version of the policy that it was made for.
    pub(crate) planned: Option<(u64, Plan)>,
    pub(crate) compared: Option<Comparison>,
    /// The table beside a dry run or the release.
    pub(crate) beside: Option<BesideItself>,
    pub(crate) published: Option<MadeRelease>,
    /// Name of the measured table, if it is not the release, and the findings.
    pub(crate) audited: Option<(Option<String>, audit::AuditReport)>,
    pub(crate) attacked: Option<AttackFindings>,
    pub(crate) answered: Option<ReleaseAnswer>,
}

/// The answer of a release to a question.
#[derive(Debug)]
pub(crate) enum ReleaseAnswer {
    Query(Answered),
    Fit(Regression),
}

/// A release, and the policy that it was made with.
#[derive(Debug)]
pub(crate) struct MadeRelease {
    pub(crate) published: Published,
    pub(crate) policy: Policy,
    /// The policy's version: if it differs by now, settings were changed since.
    pub(crate) version: u64,
}

/// A table that was brought.
#[derive(Debug, Clone)]
pub(crate) struct Brought {
    /// Its name.
    pub(crate) name: String,
    /// Its source.
    pub(crate) source: Source,
    pub(crate) inspection: Inspection,
    /// The first rows.
    pub(crate) rows: Vec<Vec<String>>,
}

impl DeskHandle {
    /// Makes an empty desk that only this user can read.
    pub(crate) fn new(root: Option<Root>, options: &ServeOptions) -> Result<Self, Error> {
        let folder = std::env::temp_dir();
        let mut scratch = tempfile::Builder::new();
        scratch.prefix("openveil-serve-");
        #[cfg(unix)]
        scratch.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let scratch =
            scratch.tempdir().map_err(|cause| Error::io(&folder, "make a folder", &cause))?;
        let desk = Self {
            scratch,
            runs: AtomicU64::new(0),
            root,
            database: options.database.clone(),
            test_seed: options.test_seed,
            state: Mutex::default(),
            job: Mutex::default(),
        };
        for folder in [desk.tables(), desk.hierarchies()] {
            let made = std::fs::create_dir(&folder);
            made.map_err(|cause| Error::io(&folder, "make the folder", &cause))?;
        }
        Ok(desk)
    }

    /// Returns the folder below which tables may be chosen.
    ///
    /// # Errors
    /// No such folder was given to the program.
    pub(crate) fn root(&self) -> Result<&Root, Error> {
        self.root.as_ref().ok_or_else(|| {
            let problem = "no folder was given from which files may be named";
            Error::new(Location::default(), problem).help(text!("start with `--root FOLDER`"))
        })
    }

    /// Starts a new folder for the next release, so that running downloads of the previous one stay
    /// complete.
    pub(crate) fn next_run(&self) {
        self.runs.fetch_add(1, Ordering::Relaxed);
    }

    /// Deletes everything. Other holders of the desk then hold an empty one.
    pub(crate) fn clear(&self) {
        if let Err(cause) = std::fs::remove_dir_all(self.folder()) {
            log::warn!("{} could not be deleted: {cause}", self.folder().display());
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, DeskState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The folder of everything.
    pub(crate) fn folder(&self) -> &Path {
        self.scratch.path()
    }

    /// The folder for uploaded tables.
    pub(crate) fn tables(&self) -> PathBuf {
        self.folder().join("tables")
    }

    /// The folder of the policy's trees, as the policy names it.
    pub(crate) fn hierarchies(&self) -> PathBuf {
        self.folder().join("hierarchies")
    }

    /// The file of the sample that a comparison was measured on.
    pub(crate) fn sample(&self) -> PathBuf {
        self.folder().join(SAMPLE_FILE)
    }

    /// Returns the policy for the program: with the table's place on the desk, and without the rows
    /// of a measured sample.
    pub(crate) fn policy(&self, draft: &Draft, table: &Source) -> Result<Policy, Error> {
        let mut policy = draft.policy(self.folder())?;
        policy.input.source.path.clone_from(&table.path);
        policy.input.source.memory.clone_from(&table.memory);
        policy.output.dir =
            self.folder().join(format!("out-{}", self.runs.load(Ordering::Relaxed)));
        if self.sample().exists() {
            policy.input.part = ReadRows::Without(vec![Sample::read(&self.sample())?]);
        }
        Ok(policy)
    }

    /// Returns the policy of the desk; none without a table.
    pub(crate) fn current_policy(&self) -> Option<Result<Policy, Error>> {
        let (draft, source) = {
            let state = self.state();
            let table = state.table.as_ref()?;
            (state.draft.clone(), table.source.clone())
        };
        Some(self.policy(&draft, &source))
    }

    /// Returns the promise that the engine would make, or the reason why it cannot; none without a
    /// table. Reads the table, and records that somebody has looked.
    pub(crate) fn plan(&self) -> Option<Result<Plan, Problem>> {
        let version = self.state().version;
        let planned =
            self.current_policy()?.and_then(|own| publish::plan(&own, Options::default(), &Nobody));
        if let Ok(plan) = &planned {
            self.state().planned = Some((version, plan.clone()));
        }
        Some(planned.map_err(Problem::from))
    }

    /// Changes the state; a changed policy gets a new version.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut DeskState) -> T) -> T {
        let mut state = self.state();
        let before = state.draft.clone();
        let changed = change(&mut state);
        if state.draft != before {
            state.version += 1;
        }
        changed
    }

    /// Inspects a table, and proposes a policy for it.
    pub(crate) fn look_at(
        self: &Arc<Self>,
        name: String,
        source: Source,
        said: &Said,
        watch: &Watch,
    ) -> Result<Leave, Error> {
        watch.begin("read", source.total_bytes());
        let names = source.names.clone();
        let inspected = inspect(&source, said, &|bytes| watch.advance(bytes))?;
        let brought = Brought {
            rows: inspected.first_rows(SHOWN_ROWS),
            inspection: inspected.inspection.clone(),
            name: name.clone(),
            source,
        };
        let (mut draft, no_start) = begun(inspected, &name);
        if let Some(names) = names {
            let names: Vec<toml::Value> = names.into_iter().map(toml::Value::from).collect();
            draft.set("input", "names", Some(names.into()));
        }
        let sample = self.sample();
        let checked = Sample::read(&sample).and_then(|sample| sample.check(&brought.source));
        Ok(Box::new(move |state| {
            // A sample belongs to the previous table. If the same rows were only read in another
            // way, it is still left out.
            let before = state.table.as_ref().map(|table| table.inspection.rows);
            if checked.is_err() || before != Some(brought.inspection.rows) {
                drop(std::fs::remove_file(sample));
            }
            *state = DeskState {
                table: Some(brought),
                draft,
                version: state.version + 1,
                no_start,
                ..DeskState::default()
            };
        }))
    }
}

/// Returns a starter policy; if there is none, the guessed roles and the reason.
fn begun(inspected: Inspected, name: &str) -> (Draft, Option<Problem>) {
    let columns = inspected.inspection.columns.clone();
    match inspected.starter_policy(Path::new(name), StarterWish::default()) {
        Ok(text) => (Draft::of_text(&text).expect("a policy of ours is TOML"), None),
        Err(error) => {
            let mut draft = Draft::default();
            draft.set("input", "path", Some(name.into()));
            for column in columns {
                draft.set_of_column(&column.name, "role", Some(column.guessed_role.into()));
            }
            (draft, Some(error.into()))
        }
    }
}

/// Returns the error for a request that needs a table.
pub(crate) fn no_table() -> Error {
    let problem = "there is no table, or no release, to do this with";
    Error::new(Location::default(), problem).help("bring a table first, or publish it")
}
