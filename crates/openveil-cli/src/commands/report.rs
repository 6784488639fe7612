use super::print_json;
use crate::Outcome;
use crate::pictures;
use crate::progress::StageBars;
use crate::table::entry;
use openveil_io::Error;
use openveil_io::policy::Policy;
use openveil_io::release_dir::write::{Viewer, write_found};
use openveil_reader::metadata;
use openveil_reader::picture::Picture;
use openveil_reader::query::Reader;
use openveil_reader::report;
use openveil_requests::Report;
use openveil_tools::evidence;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct ReportArguments {
    /// The folder of a release, as `publish` wrote it, or only its `release/`. Exit code 1 if the
    /// release is not as its manifest states.
    folder: PathBuf,
    /// The policy that the release was made with. Attacks the release, for the owner's page.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Read this table instead of the policy's: the table that the release was made from.
    #[arg(long, value_name = "FILE", requires = "policy")]
    input: Option<PathBuf>,
    /// Also write the pictures of the public page into this folder.
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Also write an evidence page for those who sign: the policy's [purpose], the guarantee, risks
    /// before and after, attacks. Some of it needs `--policy`.
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    #[command(flatten)]
    request: Report,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

/// The beginning of an evidence page, and of every other HTML page that this program writes.
const PAGE: &str = "<!DOCTYPE html>";

impl ReportArguments {
    /// Returns whether the result is printed, as JSON. Pages are written to folders.
    pub(crate) fn is_printed(&self) -> bool {
        self.json
    }
}

pub(crate) fn run(arguments: ReportArguments) -> Result<Outcome, Error> {
    let form = arguments.request.form(arguments.evidence.is_some())?;
    let read = |path| Policy::read_with(path, arguments.input.as_deref());
    let policy = arguments.policy.as_deref().map(read).transpose()?;
    if let Some(path) = &arguments.evidence {
        let read = arguments.policy.iter().chain(&arguments.input);
        super::check_found(path, PAGE, read)?;
    }
    let bars = StageBars::new();
    let written = report::write_again(&arguments.folder, policy.as_ref(), &bars);
    bars.finish();
    let written = written?;
    if let Some(folder) = &arguments.plots {
        let shown: &[Picture] = &written.pages[0].pictures;
        pictures::write(folder, shown, Viewer::Everybody)?;
    }
    let metadata = match (&arguments.request.kinds()[..], written.release.parent()) {
        ([], _) | (_, None) => Vec::new(),
        (kinds, Some(release)) => metadata::write(&Reader::open(release)?, kinds)?,
    };
    if let Some(path) = &arguments.evidence {
        let attacked = written.attacked.as_ref();
        let page = evidence::html(&arguments.folder, policy.as_ref(), attacked, form)?;
        write_found(path, page.as_bytes(), Viewer::Owner)?;
    }
    if arguments.json {
        // Converted lossily, as in printed text: paths that are not UTF-8 have no JSON form.
        let release = written.release.to_string_lossy();
        let owner = written.owner.as_ref().map(|path| path.to_string_lossy());
        let metadata: Vec<_> = metadata.iter().map(|path| path.to_string_lossy()).collect();
        let mut paths = serde_json::json!({ "release": release, "owner": owner });
        if !metadata.is_empty() {
            paths["metadata"] = serde_json::json!(metadata);
        }
        if let Some(path) = &arguments.evidence {
            paths["evidence"] = path.to_string_lossy().into();
        }
        print_json(&paths)?;
        return Ok(Outcome::Done);
    }
    say!("{}", entry("release", &written.release.display().to_string()));
    if let Some(owner) = &written.owner {
        let owner = format!("{} (not for publication)", owner.display());
        say!("{}", entry("owner", &owner));
    }
    if let Some(path) = &arguments.evidence {
        let evidence = format!("{} (not for publication)", path.display());
        say!("{}", entry("evidence", &evidence));
    }
    for path in &metadata {
        say!("{}", entry("metadata", &path.display().to_string()));
    }
    for picture in written.pages[0].pictures.iter().filter(|picture| is_summary(&picture.name)) {
        if let Some(bars) = &picture.bars {
            say!("");
            say_on!("{}", bars.text(WIDTH));
        }
    }
    Ok(Outcome::Done)
}

/// The width of printed charts, in characters.
const WIDTH: usize = 80;

/// Returns whether a picture is printed in the terminal. Pictures of single columns are too many.
fn is_summary(name: &str) -> bool {
    ["group-sizes", "highest-shares", "association"].iter().any(|start| name.starts_with(start))
}
