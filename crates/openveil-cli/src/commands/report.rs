use super::print_json;
use crate::Outcome;
use crate::pictures;
use crate::progress::StageBars;
use crate::table::entry;
use openveil_io::Error;
use openveil_io::policy::Policy;
use openveil_io::release_dir::write::Viewer;
use openveil_reader::picture::Picture;
use openveil_requests::Report;
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

impl ReportArguments {
    /// Returns whether the result is printed, as JSON. Pages are written to folders.
    pub(crate) fn is_printed(&self) -> bool {
        self.json
    }
}

pub(crate) fn run(arguments: ReportArguments) -> Result<Outcome, Error> {
    let read = |path| Policy::read_with(path, arguments.input.as_deref());
    let policy = arguments.policy.as_deref().map(read).transpose()?;
    let inputs: Vec<PathBuf> = arguments.policy.iter().chain(&arguments.input).cloned().collect();
    let evidence = arguments.evidence.as_deref();
    let bars = StageBars::new();
    let (folder, request) = (&arguments.folder, &arguments.request);
    let written = request.run(folder, policy.as_ref(), (evidence, &inputs), &bars);
    bars.finish();
    let found = written?;
    if let Some(folder) = &arguments.plots {
        let shown: &[Picture] = &found.pages.pages[0].pictures;
        pictures::write(folder, shown, Viewer::Everybody)?;
    }
    if arguments.json {
        print_json(&found.document(evidence))?;
        return Ok(Outcome::Done);
    }
    let (written, metadata) = (found.pages, found.metadata);
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
