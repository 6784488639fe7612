//! The data of a comparison. By default they do not contain who has which value.

use super::setting::Setting;
use super::{CompareRequest, refused};
use openveil_core::coins::{Coins, SecretCoins, shuffle};
use openveil_core::release::Content;
use openveil_core::table::View;
use openveil_io::load;
use openveil_io::policy::Policy;
use openveil_io::policy::{HierarchySection, ReadRows, Sample};
use openveil_io::progress::Observer;
use openveil_io::release_dir::record;
use openveil_io::release_dir::write::{check_beside, write_private_new};
use openveil_io::source::Fingerprint;
use openveil_io::{Error, Location, Seen, Sight};
use openveil_publication::check_left_out;
use openveil_text::{Text, text};
use std::path::{Path, PathBuf};

/// The data that a comparison is measured on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Basis {
    /// The table with its sensitive column freshly shuffled in every trial: a function of random
    /// draws, quasi-identifiers and the histogram. It cannot measure anything that involves the
    /// sensitive column. The default, because it needs no other data, and a choice by it discloses
    /// nothing.
    #[default]
    Shuffled,
    /// Another table of the same columns, public or historic.
    On(PathBuf),
    /// A random sample, of which nothing may be published: a later `publish --without-sample`
    /// leaves it out.
    Sample {
        /// The file of the sample; the sample is drawn if the file does not exist.
        file: PathBuf,
        /// Rows to draw.
        rows: Option<usize>,
    },
    /// The table itself. This is recorded beside the owner's report: later releases promise nothing
    /// against a reader who knows how their parameters were chosen.
    TrueValues,
}

impl Basis {
    /// The name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Shuffled => "shuffled",
            Self::On(_) => "other-table",
            Self::Sample { .. } => "sample",
            Self::TrueValues => "true-values",
        }
    }

    /// Whether measures that read the sensitive column are meaningful.
    pub fn has_values(&self) -> bool {
        *self != Self::Shuffled
    }

    /// Explains the consequences of measuring on it; `inside_strata`: the sensitive column was
    /// shuffled in the strata of all policies.
    fn in_words(&self, inside_strata: bool) -> Text {
        match self {
            Self::Shuffled if inside_strata => {
                text!(
                    "measured with the sensitive column freshly shuffled within each stratum. A choice by these figures discloses nothing as long as the strata stay the same. Choosing other strata, or none, because of these figures discloses something about the strata. Real errors are larger: on nine tables, 1.0 to 7.6 times as large for ranges (in half of them above 1.8) and 1.0 to 3.1 times for exact values, because known columns that go with the sensitive one widen cells. A sample that is left out (`--sample`) or another table (`--on`) forecasts better. `halving` is refused more cuts where values go with known columns, and may make fewer groups. For algorithms that are not safe, these figures forecast nothing"
                )
            }
            Self::Shuffled => {
                text!(
                    "measured with the sensitive column freshly shuffled: a choice by these figures discloses nothing. Real errors are larger: on nine tables, 1.0 to 7.6 times as large for ranges (in half of them above 1.8) and 1.0 to 3.1 times for exact values, because known columns that go with the sensitive one widen cells. A sample that is left out (`--sample`) or another table (`--on`) forecasts better. `halving` is refused more cuts where values go with known columns, and may make fewer groups. For algorithms that are not safe, these figures forecast nothing"
                )
            }
            Self::On(_) => {
                text!(
                    "measured on another table: a choice by these figures discloses nothing, if that table is public or older and contains nobody's secret of this one"
                )
            }
            Self::Sample { .. } => {
                text!(
                    "measured on a sample whose rows must not be published: publish with `--without-sample`"
                )
            }
            Self::TrueValues => {
                text!(
                    "measured on the true values, for the owner only: a choice by these figures discloses values, and later releases with this policy say so and have no guarantee against a reader who knows how they were made"
                )
            }
        }
    }
}

/// A policy's table.
#[derive(Debug)]
pub(super) struct ComparedTable {
    pub(super) view: View,
    /// Columns that are protected by themselves have a view each, with this column as the secret.
    columns: Vec<View>,
}

impl ComparedTable {
    /// Returns a trial's table and its release, column by column.
    pub(super) fn by_column(&self, trial: &View, release: &Content) -> Vec<(View, Content)> {
        if self.columns.is_empty() {
            return vec![(trial.clone(), release.clone())];
        }
        self.columns
            .iter()
            .enumerate()
            .map(|(number, column)| {
                let codes = trial.secret().codes_in(number);
                let own =
                    trial.secret().codes().iter().map(|&value| codes[value as usize]).collect();
                let view = column.with_secret_codes(own).expect("the codes are those of the table");
                (view, release.of_part(&codes))
            })
            .collect()
    }
}

/// A basis, prepared for measuring.
#[derive(Debug)]
pub(super) struct ReadyBasis {
    pub(super) basis: Basis,
    sample: Option<Sample>,
    /// Whether the sensitive column is shuffled inside the policies' strata. Their histograms are
    /// published whichever of these policies is chosen.
    inside_strata: bool,
}

impl ReadyBasis {
    /// Draws or reads a sample. Records the use of true values before they are used.
    pub(super) fn new(request: &CompareRequest) -> Result<Self, Error> {
        let basis = request.basis.clone();
        let sample = match &basis {
            Basis::Sample { file, rows } => {
                let sample = sample(request, file, *rows)?;
                request
                    .policies
                    .iter()
                    .try_for_each(|policy| record::remember_sample(policy, &sample))?;
                Some(sample)
            }
            _ => None,
        };
        if let Basis::On(path) = &basis {
            request.policies.iter().try_for_each(|policy| refuse_own(policy, path))?;
        }
        if basis == Basis::TrueValues {
            request.policies.iter().try_for_each(record::remember_true_values)?;
        }
        let mut policies = request.policies.iter().map(|policy| {
            let mut strata = policy.privacy.strata.clone();
            strata.sort_unstable();
            strata
        });
        let first = policies.next().unwrap_or_default();
        Ok(Self {
            inside_strata: !first.is_empty() && policies.all(|strata| strata == first),
            basis,
            sample,
        })
    }

    /// Returns the table of a policy. Records that the comparison depends on its true histograms,
    /// before it is measured; also returns this, if it does.
    pub(super) fn read(
        &self,
        policy: &Policy,
        observer: &dyn Observer,
        coins: &mut dyn Coins,
    ) -> Result<(ComparedTable, Option<Seen>), Error> {
        let own = self.policy(policy);
        let watched = record::watched(policy)?;
        let read = load::load_watched(&own, &watched, &|bytes| observer.advance(bytes))
            .and_then(|loaded| load::by_person(&own, loaded, coins))
            .and_then(|loaded| {
                let view = loaded.view(&own).map_err(|error| error.with_prints(&loaded.prints))?;
                let columns = loaded.by_column(&view);
                Ok((ComparedTable { view, columns }, loaded.prints))
            });
        if matches!(self.basis, Basis::On(_) | Basis::Sample { .. }) {
            return Ok((read?.0, None));
        }
        let (table, prints) = read.map_err(|error| record::recorded(policy, error))?;
        let mut seen = Seen::of_histograms(Sight::Comparison, &table.view);
        // If values are shuffled over all strata, they disclose nothing about any stratum.
        if self.basis == Basis::Shuffled && !self.inside_strata {
            seen.strata.clear();
        }
        seen.prints = Some(prints);
        record::look_at(policy, &seen)?;
        Ok((table, Some(seen)))
    }

    /// Explains the consequences of measuring on it.
    pub(super) fn in_words(&self) -> Text {
        self.basis.in_words(self.inside_strata)
    }

    /// Returns the policy for the table that is measured.
    pub(super) fn policy(&self, policy: &Policy) -> Policy {
        let mut policy = policy.clone();
        if let Basis::On(path) = &self.basis {
            // A file that cannot be read is reported when its rows are.
            let _ = policy.input.source.turn_to_others(path);
        }
        if let Some(sample) = &self.sample {
            policy.input.part = ReadRows::Only(vec![sample.clone()]);
        }
        policy
    }

    /// Returns the table of one trial.
    pub(super) fn view(&self, view: &View, coins: &mut dyn Coins) -> Result<View, Error> {
        if self.basis.has_values() {
            return Ok(view.clone());
        }
        let mut codes = view.secret().codes().to_vec();
        if self.inside_strata {
            for stratum in view.strata() {
                let rows: Vec<u32> = match stratum.rows() {
                    Some(rows) => rows.to_vec(),
                    None => (0..view.rows() as u32).collect(),
                };
                let mut own: Vec<u32> = rows.iter().map(|&row| codes[row as usize]).collect();
                shuffle(&mut own, coins);
                for (&row, code) in rows.iter().zip(own) {
                    codes[row as usize] = code;
                }
            }
        } else {
            shuffle(&mut codes, coins)
        }
        let shuffled = view.with_secret_codes(codes);
        Ok(shuffled.expect("the codes are those of the table"))
    }

    /// Returns a key that is equal for interchangeable trials.
    pub(super) fn key(&self, setting: &Setting, request: &CompareRequest) -> Result<String, Error> {
        let policy = self.policy(&setting.made);
        let mut described = Fingerprint::default();
        // The whole policy, and the rows of a sample.
        let all = (&policy, self.inside_strata, request.test_seed, request.queries);
        described.add(format!("{all:?} {}", env!("CARGO_PKG_VERSION")).as_bytes());
        for (file, _) in policy
            .columns
            .values()
            .filter_map(|own| own.hierarchy.as_ref())
            .filter_map(HierarchySection::file)
        {
            // A missing file is reported when it is used.
            described.add(&std::fs::read(policy.resolve(file)).unwrap_or_default());
        }
        Ok(format!(
            "{} {} {}",
            self.basis.name(),
            policy.input.source.fingerprint()?,
            described.text()
        ))
    }
}

/// Refuses a file with the same bytes as the policy's table: its true values would be measured
/// without a record.
fn refuse_own(policy: &Policy, path: &Path) -> Result<(), Error> {
    let mut other = policy.input.source.clone();
    other.turn_to(path);
    // Pipes have no fingerprint, and a missing file is reported when it is read.
    let (Ok(own), Ok(other)) = (policy.input.source.fingerprint(), other.fingerprint()) else {
        return Ok(());
    };
    if own == other {
        Err(Error::new(
            Location::file(path),
            "is the table that the policy publishes, so this would measure its true values",
        )
        .help("leave `--on` out to measure a shuffled copy; or use `--true-values`, which is recorded"))
    } else {
        Ok(())
    }
}

/// Returns the sample in a file, or draws one if the file does not exist.
fn sample(request: &CompareRequest, file: &Path, rows: Option<usize>) -> Result<Sample, Error> {
    let [first, others @ ..] = &request.policies[..] else {
        return Err(refused("there is nothing to compare", "name a policy"));
    };
    if !others.iter().all(|other| other.input.source.path == first.input.source.path) {
        return Err(refused(
            "the policies read different tables, but a sample belongs to one",
            "compare policies of the same table",
        ));
    }
    if file.exists() {
        return known(file, first, rows);
    }
    check_beside(file)?;
    let Some(rows) = rows else {
        let problem = text!("there is no sample in {} yet", file.display());
        return Err(refused(problem, "give the number of rows to draw with `--sample-rows`"));
    };
    let mut coins = match request.test_seed {
        None => SecretCoins::from_os(),
        Some(seed) => SecretCoins::from_test_seed(seed),
    };
    let sample = Sample::draw(first, rows, &mut coins)?;
    for policy in &request.policies {
        // At this point nobody knows the rows, so a refusal discloses nothing.
        let mut policy = policy.clone();
        policy.input.part = ReadRows::Without(vec![sample.clone()]);
        check_left_out(&policy).map_err(|error| match error.seen() {
            Some(_) => error.help("draw a larger sample with `--sample-rows`: this one was forgotten, and no file was written"),
            None => error,
        })?;
    }
    match write_private_new(file, &sample)? {
        true => Ok(sample),
        // Another run has drawn a sample meanwhile. With two samples and one file, people of the
        // lost sample could be published.
        false => known(file, first, Some(rows)),
    }
}

/// Returns a sample that was drawn before.
fn known(file: &Path, policy: &Policy, rows: Option<usize>) -> Result<Sample, Error> {
    let sample = Sample::read(file)?;
    sample.check(&policy.input.source)?;
    let drawn = sample.rows();
    if rows.is_none_or(|wanted| wanted == drawn) {
        Ok(sample)
    } else {
        Err(Error::new(
            Location::file(file),
            text!("is a sample of {drawn} rows, but `--sample-rows` requests another number"),
        )
        .help("leave `--sample-rows` out to measure it, or name another file"))
    }
}
