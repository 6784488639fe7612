mod text;

use super::print_json;
use crate::pictures;
use crate::progress::StageBars;
use crate::{Outcome, interrupt};
use openveil_core::release::Style;
use openveil_io::policy::{Extra, KindName, Policy};
use openveil_io::release_dir::Texts;
use openveil_io::release_dir::write::{Viewer, check_apart};
use openveil_io::{Error, Location, printable};
use openveil_publication as publish;
use openveil_publication::Options;
use openveil_publication::Release;
use openveil_reader::report;
use openveil_requests::Publish;
use openveil_text::{Language, Text};
use std::borrow::Cow;
use std::path::PathBuf;

/// Returns the extras that each kind of publication refuses, for `--help`.
fn what_goes_with_what() -> String {
    let lines: String = KindName::ALL
        .into_iter()
        .filter_map(|kind: KindName| {
            let lacks: Vec<&str> = kind.lacks().map(Extra::name).collect();
            let section = kind.section();
            (!lacks.is_empty()).then(|| format!("\n  {section}: {}", lacks.join("; ")))
        })
        .collect();
    format!("Not possible with certain policies:{lines}")
}

#[derive(clap::Args)]
#[command(after_long_help = what_goes_with_what())]
pub(crate) struct PublishArguments {
    /// The policy: the role of each column and the privacy model.
    policy: PathBuf,
    /// Read this table instead of the policy's (`-`: standard input).
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Write `release/` and `owner/` here instead of where the policy says.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    request: Publish,
    /// Write the table to standard output, as a stream in Arrow's IPC format. Folders are written
    /// only with `--out`.
    #[arg(long, conflicts_with_all = ["dry_run", "json", "memory"])]
    stdout: bool,
    /// Report what would happen, and write no release. (With `rows` under [persons], the draw of
    /// the rows that count is made once and kept in the owner's folder.)
    #[arg(long)]
    dry_run: bool,
    /// Also write the pictures of the public report into this folder.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["dry_run", "stdout"])]
    plots: Option<PathBuf>,
    /// Print a JSON document instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(serde::Serialize)]
struct PublishedSummary<'a> {
    // Converted lossily, as in printed text: paths that are not UTF-8 have no JSON form.
    release: Cow<'a, str>,
    owner: Cow<'a, str>,
    replaced: bool,
    /// The manifest without the strongest associations, which name values. The manifest in the release's folder has
    /// them.
    manifest: openveil_io::release_dir::write::Manifest,
    warnings: &'a [Text],
}

impl PublishArguments {
    /// Returns whether the result is printed, as JSON or as a plan. A release is written to its
    /// folder instead.
    pub(crate) fn is_printed(&self) -> bool {
        self.json || self.dry_run
    }
}

pub(crate) fn run(arguments: PublishArguments) -> Result<Outcome, Error> {
    let policy = policy(&arguments)?;
    let options = arguments.request.options();
    let plots = arguments.plots.as_deref();
    if let Some(plots) = plots {
        check_apart(plots, &policy.output.dir)?;
    }
    let made = plots.map(pictures::make_folder).transpose()?;
    let bars = StageBars::new();
    if arguments.dry_run {
        let plan = publish::plan(&policy, options, &bars);
        bars.finish();
        let plan = plan?;
        if arguments.json {
            print_json(&plan)?
        } else {
            text::plan(&plan)
        }
        return Ok(Outcome::Done);
    }
    if arguments.stdout {
        return stream(&policy, options, arguments.out.is_some(), &bars);
    }
    let published = publish::run(&policy, options, &bars);
    // After an interrupt, this blocks until the handler exits. Otherwise the run would also report
    // that it cannot write to the folder that the handler deleted.
    interrupt::done();
    bars.finish();
    let published = published.inspect_err(|_| {
        if let Some(folder) = made {
            pictures::forget(folder);
        }
    })?;
    if let Some(folder) = plots {
        let page = report::public(&published.written.release, Language::English);
        let drawn =
            page.and_then(|page| pictures::write(folder, &page.pictures, Viewer::Everybody));
        drawn.map_err(|error| {
            let release = published.written.release.display();
            error.help(format!(
                "only the pictures are missing: the release was written to {release}"
            ))
        })?;
    }
    if arguments.json {
        print_json(&PublishedSummary {
            release: published.written.release.to_string_lossy(),
            owner: published.written.owner.to_string_lossy(),
            replaced: published.written.replaced,
            manifest: published.manifest.without_values(),
            warnings: &published.owner.warnings,
        })?
    } else {
        text::published(&published)
    }
    Ok(Outcome::Done)
}

/// Publishes to standard output, and also to folders if `folders` is set.
fn stream(
    policy: &Policy,
    options: Options,
    folders: bool,
    bars: &StageBars,
) -> Result<Outcome, Error> {
    // Refuse before the run, because a run that was started counts.
    policy.allow(Extra::Stream)?;
    let problem = if policy.output.style == Style::Anatomy {
        Some("`--stdout` writes one table, but the policy makes several")
    } else if !folders && (options.certify || options.measure) {
        Some(
            "`--certify` and `--measure` write to the owner's folder, but with `--stdout` alone there is none",
        )
    } else {
        None
    };
    if let Some(problem) = problem {
        return Err(Error::new(Location::default(), problem).help("write to a folder: `--out`"));
    }
    let release = Release::new(policy, options, bars);
    let written = release.and_then(|release| {
        let table = release.in_memory(Texts::Plain)?;
        if folders {
            release.write_watched(&policy.output.dir, bars)?;
        }
        Ok((release, table))
    });
    interrupt::done();
    bars.finish();
    let (release, table) = written?;
    table.write_stream(std::io::stdout().lock())?;
    note!("{}", printable(&release.guarantee().to_string()));
    Ok(Outcome::Done)
}

/// Returns the policy, changed by the options of the command line. Paths on the command line are
/// relative to the working folder, paths in a policy to the policy's folder.
fn policy(arguments: &PublishArguments) -> Result<Policy, Error> {
    let mut policy = Policy::read_with(&arguments.policy, arguments.input.as_deref())?;
    if let Some(out) = &arguments.out {
        policy.output.dir = out.clone();
    }
    arguments.request.apply(&mut policy)?;
    Ok(policy)
}
