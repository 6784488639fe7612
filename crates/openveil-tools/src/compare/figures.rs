//! The figures that are measured on a release.

use super::CompareRequest;
use super::basis::{ComparedTable, ReadyBasis};
use super::setting::Setting;
use openveil_analysis::{Evidence, given_back};
use openveil_core::coins::Coins;
use openveil_core::exact::approximate;
use openveil_core::guarantee::{Guarantee, Keeper};
use openveil_core::model::Criteria;
use openveil_core::release::{Content, check, publish_in_classes};
use openveil_core::table::{Groups, View};
use openveil_io::load::explain;
use openveil_io::{Error, ErrorKind};
use openveil_measures::utility::{Index, QueryKind, Summary, Tally, Workload, kl_divergence};
use openveil_papers::attack::homogeneity;
use openveil_text::{Text, text};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Instant;

/// A figure that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ComparedFigure {
    /// Its name in tables and files.
    pub name: &'static str,
    /// Its description, with its unit; less is better unless it says otherwise.
    pub meaning: &'static str,
    /// Whether it depends on the sensitive column.
    pub reads_values: bool,
    /// Whether it is an error of a reader's answers.
    pub is_error: bool,
}

const fn plain(name: &'static str, meaning: &'static str) -> ComparedFigure {
    ComparedFigure { name, meaning, reads_values: false, is_error: false }
}

const fn error(name: &'static str, meaning: &'static str) -> ComparedFigure {
    ComparedFigure { is_error: true, ..plain(name, meaning) }
}

const fn by_values(figure: ComparedFigure) -> ComparedFigure {
    ComparedFigure { reads_values: true, ..figure }
}

/// All figures, in the order in which they are shown.
pub static FIGURES: [ComparedFigure; 18] = [
    plain("groups", "number of groups; more is better"),
    plain("largest", "rows in the largest group"),
    plain("dm", "discernability: the sum of squared group sizes"),
    plain("cavg", "rows per group over the least size"),
    plain("extent", "mean share of its domain that a cell spans, over the known columns"),
    error("one", "mean relative error of count queries on one known column"),
    error("pairs", "mean relative error of count queries on two known columns"),
    error("triples", "mean relative error of count queries on three known columns"),
    error("all", "mean relative error of count queries on all known columns"),
    by_values(error(
        "one-value",
        "mean relative error of count queries on one known column and the sensitive one",
    )),
    by_values(error(
        "triples-value",
        "mean relative error of count queries on three known columns and the sensitive one",
    )),
    by_values(error("all-value", "mean relative error of count queries on all columns")),
    by_values(error("kl", "Kullback–Leibler divergence from the table, in nats")),
    by_values(error(
        "association",
        "share of the known columns' associations with the sensitive one that a fit does not recover",
    )),
    by_values(plain("share", "highest share of a protected value in a group")),
    by_values(plain("alike", "share of people in groups of one protected value")),
    by_values(plain(
        "learned",
        "share of people whose value a fit of the release guesses right, if groups are known",
    )),
    plain("ms", "milliseconds to form the groups"),
];

/// The results of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The reason if there is no release: the setting asks for more than the table allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Text>,
    /// The reader against whom the release is protected.
    pub adversary: String,
    /// The highest chance of guessing a protected value, as a fraction; none if no bound is
    /// promised.
    pub max_posterior: Option<String>,
    /// Figures by name, without figures that are not meaningful on the basis.
    pub figures: BTreeMap<String, f64>,
}

/// Returns why a setting is refused, without the value that prevents it. The basis may be a sample
/// of the owner's table, and a report is passed on more than an error is.
fn reason(error: &Error) -> Text {
    let Some(refusal) = error.refusal() else {
        return error.problem().clone();
    };
    let too_frequent = refusal.share.map(|share| {
        let share = 100.0 * share;
        text!("one value appears in {share:.1} % of the rows")
    });
    let largest = refusal.largest_l.map(|l| text!("the largest possible l is {l}"));
    let details = too_frequent.into_iter().chain(largest);
    match details.reduce(|one, other| text!("{one:text}; {other:text}")) {
        None => refusal.to_string().into(),
        Some(details) => text!("{refusal}: {details:text}"),
    }
}

impl ReadyBasis {
    /// Publishes a table in memory and measures the release.
    ///
    /// # Errors
    /// Problems caused by the setting's policy, and a release that its check refused.
    pub(super) fn trial(
        &self,
        setting: &Setting,
        (table, view): (&ComparedTable, &View),
        request: &CompareRequest,
        trial: u32,
        coins: &mut dyn Coins,
    ) -> Result<Trial, Error> {
        let policy = &setting.made;
        let start = Instant::now();
        // The engine makes the promise.
        let settings = policy.settings();
        let chosen = policy.method.algorithm.chosen(&[(view, &policy.privacy.model)], &settings);
        let algorithm = chosen.map(|engine| engine.unwrap_or(policy.method.algorithm));
        let engine = *algorithm.as_ref().unwrap_or(&policy.method.algorithm);
        let profile = engine.profile();
        let groups = algorithm.and_then(|algorithm| {
            algorithm.partition_with(view, &policy.privacy.model, &settings, coins)
        });
        let elapsed = start.elapsed().as_secs_f64() * 1e3;
        let groups = match groups {
            Ok(groups) => groups,
            Err(cause) => {
                let refused = explain(policy, view, cause);
                return Ok(Trial {
                    refused: Some(reason(&refused)),
                    adversary: profile.adversary.name().to_owned(),
                    max_posterior: None,
                    figures: BTreeMap::new(),
                });
            }
        };
        let least = Some(policy.class_size(&policy.privacy.model));
        let (release, membership) = publish_in_classes(view, &groups, policy.output.style, least);
        let failed = |cause: openveil_core::Error| Error::from(cause).of_kind(ErrorKind::Refused);
        check::release(&release, view, &membership, &policy.privacy.model, policy.output.style)
            .map_err(|violation| failed(violation.into()))?;
        let criteria = policy.privacy.model.bind_strata(view).map_err(failed)?;
        let tally = Tally::new(&release, view);
        let guarantee = Guarantee::of_table(
            view.secret(),
            Keeper::Groups {
                criteria: &criteria,
                strata: &policy.privacy.strata,
                profile: &profile,
                highest: Some(&tally.highest_share()),
                inside: policy.method.inside,
                history: None,
                ties: None,
            },
        );
        let mut figures = of_cells(view, &tally, &criteria);
        figures.insert("ms", elapsed);
        let has_values = self.basis.has_values();
        let queries = (request.queries, trial.into());
        for (number, (view, release)) in table.by_column(view, &release).iter().enumerate() {
            let index = Index::new(release);
            if number == 0 {
                figures.extend(of_known(view, &index, queries));
            }
            if !has_values {
                continue;
            }
            let mut own = of_values(view, &index, queries);
            own.extend(of_secret(view, release, &membership, !profile.is_matching()));
            for (name, value) in own {
                // The worst of several columns: less is better.
                let worst = figures.entry(name).or_insert(value);
                *worst = worst.max(value);
            }
        }
        // The groups of an unsafe algorithm follow the values, which a shuffled table hides.
        let is_forecast = has_values || profile.is_safe();
        figures.retain(|name, _| is_forecast || *name == "ms");
        let finite = figures.into_iter().filter(|(_, value)| value.is_finite());
        Ok(Trial {
            refused: None,
            adversary: guarantee.adversary.name().to_owned(),
            max_posterior: guarantee.chance.bound().map(|bound| bound.to_string()),
            figures: finite.map(|(name, value)| (name.to_owned(), value)).collect(),
        })
    }
}

type FiguresFound = BTreeMap<&'static str, f64>;

/// Returns the figures that the release shows.
fn of_cells(view: &View, tally: &Tally, criteria: &[Criteria]) -> FiguresFound {
    let summary = Summary::new(tally, view, criteria);
    let extents = summary.mean_extents.iter().map(|extent| extent.mean);
    let columns = summary.mean_extents.len().max(1) as f64;
    FiguresFound::from([
        ("groups", summary.groups as f64),
        ("largest", f64::from(summary.largest)),
        ("dm", summary.dm as f64),
        ("cavg", summary.cavg),
        ("extent", extents.sum::<f64>() / columns),
    ])
}

/// Returns errors of count queries on known columns. Within a trial every setting gets the same
/// queries.
fn of_known(view: &View, index: &Index<'_>, queries: (usize, u64)) -> FiguresFound {
    let columns = view.known().len();
    let kinds = [("one", 1), ("pairs", 2), ("triples", 3), ("all", columns)];
    errors(view, index, kinds.map(|(name, own)| (name, QueryKind::of_dimension(own))), queries)
}

/// Returns errors of count queries on known columns and the sensitive one.
fn of_values(view: &View, index: &Index<'_>, queries: (usize, u64)) -> FiguresFound {
    let columns = view.known().len();
    let kinds = [("one-value", 1), ("triples-value", 3), ("all-value", columns)];
    errors(
        view,
        index,
        kinds.map(|(name, own)| (name, QueryKind::of_dimension(own).with_sensitive())),
        queries,
    )
}

fn errors<const N: usize>(
    view: &View,
    index: &Index<'_>,
    kinds: [(&'static str, QueryKind); N],
    (queries, seed): (usize, u64),
) -> FiguresFound {
    kinds
        .into_iter()
        .map(|(name, kind): (&'static str, QueryKind)| {
            (name, Workload::random(view, &kind, queries, seed).errors(view, index).floored)
        })
        .collect()
}

/// Returns the figures that depend on who has which value, with those of a fit if there is one.
fn of_secret(view: &View, release: &Content, membership: &Groups, is_fitted: bool) -> FiguresFound {
    let alike = homogeneity(release, view.secret().exempt());
    let share = approximate(&alike.highest_share);
    let mut found = FiguresFound::from([
        ("kl", kl_divergence(view, release)),
        ("share", share),
        ("alike", alike.rows as f64 / view.rows() as f64),
    ]);
    let fitted = is_fitted.then(|| Evidence::new(release));
    if let Some(back) = fitted.and_then(|evidence| given_back(view, &evidence, membership, SEED)) {
        found.insert("association", (1.0 - back.found).abs());
        found.insert("learned", back.guessed);
    }
    found
}

/// The seed of the random draws of a fit, which need not be secret.
const SEED: u64 = 1;
