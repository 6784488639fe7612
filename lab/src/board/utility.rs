//! Measures the usefulness of releases: errors of counts, divergence, group sizes, regressions.

use super::{Board, BoardCell, BoardRows, CellFormat, Setup};
use crate::health;
use crate::keeps::{KeptMeans, QueriedTable, ReleaseParameters, SEED, given};
use crate::tables::{self, RegressedTable as Table};
use openveil_core::algorithm::{Algorithm, Halving};
use openveil_core::model::{Model, l_diversity};
use openveil_core::release::{Style, publish};
use openveil_io::policy::privacy;
use openveil_measures::utility::{QueryKind, discernability, kl_divergence};
use openveil_papers::algorithm::{Auto, Cover};
use openveil_papers::algorithm::{Gda, Rda, TopDown};
use std::error::Error;
use std::path::Path;

/// The number of queries of each kind, as in the paper.
const QUERIES: usize = 1_000;

const THREE: CellFormat = CellFormat::Digits(3);
const TWO: CellFormat = CellFormat::Digits(2);

pub(super) const ADULT: Board = Board {
    name: "adult",
    columns: &[
        ("l", CellFormat::Text),
        ("algorithm", CellFormat::Text),
        ("DM", CellFormat::Whole),
        ("age", TWO),
        ("sex", TWO),
        ("age ∧ sex", TWO),
        ("all four", TWO),
        ("all four ∧ occupation", TWO),
    ],
    measure: adult,
};

pub(super) const BESIDE_GDA: Board = Board {
    name: "beside-gda",
    columns: &[
        ("table", CellFormat::Text),
        ("l", CellFormat::Text),
        ("algorithm", CellFormat::Text),
        ("pairs", THREE),
        ("all columns", THREE),
        ("all ∧ SA", THREE),
    ],
    measure: beside_gda,
};

pub(super) const L_ALPHA: Board = Board {
    name: "l-alpha",
    columns: &[
        ("model", CellFormat::Text),
        ("l", CellFormat::Text),
        ("algorithm", CellFormat::Text),
        ("ms", CellFormat::Whole),
        ("DM", CellFormat::Whole),
        ("KL", TWO),
    ],
    measure: l_alpha,
};

pub(super) const HALVING: Board = Board {
    name: "halving",
    columns: &[
        ("model", CellFormat::Text),
        ("style", CellFormat::Text),
        ("pairs", THREE),
        ("triples", THREE),
        ("triples ∧ SA", THREE),
        ("all seven", CellFormat::Digits(4)),
    ],
    measure: halving,
};

pub(super) const KEEPS: Board = Board {
    name: "keeps",
    columns: &[
        ("model", CellFormat::Text),
        ("algorithm", CellFormat::Text),
        ("style", CellFormat::Text),
        ("groups", CellFormat::Whole),
        ("KL", TWO),
        ("age", THREE),
        ("pairs", THREE),
        ("triples", THREE),
        ("triples ∧ SA", THREE),
    ],
    measure: keeps,
};

pub(super) const REGRESSIONS: Board = Board {
    name: "regressions",
    columns: &[
        ("wages", CellFormat::Text),
        ("model", CellFormat::Text),
        ("algorithm", CellFormat::Text),
        ("slope", CellFormat::Digits(4)),
        ("R²", THREE),
    ],
    measure: regressions,
};

/// Returns the folder with the data, if it exists and has these folders.
fn data<'a>(setup: &'a Setup, folders: &[&str]) -> Option<&'a Path> {
    let data = setup.data.as_deref()?;
    folders.iter().all(|own| data.join(own).is_dir()).then_some(data)
}

/// Compares the usefulness of several algorithms' releases of a table; GDA gets its own weights.
fn beside(
    table: &Table,
    (algorithms, model): (&[&dyn Algorithm], &Model),
    kinds: &[QueryKind],
) -> Result<Vec<KeptMeans>, Box<dyn Error>> {
    let weighted = Table { view: given(&Gda, &table.view), regression: None };
    let (own, gda) =
        (QueriedTable::new(table, kinds, QUERIES), QueriedTable::new(&weighted, kinds, QUERIES));
    Ok(algorithms
        .iter()
        .map(|&algorithm| {
            let asked = if algorithm.name() == Gda.name() { &gda } else { &own };
            asked.kept(ReleaseParameters::new(algorithm, model), 1)
        })
        .collect::<Result<_, _>>()?)
}

/// Returns an algorithm's name, and marks it if it discloses people's values.
fn name(algorithm: &dyn Algorithm) -> String {
    if algorithm.profile().is_safe() {
        algorithm.name().to_owned()
    } else {
        format!("{} (unsafe)", algorithm.name())
    }
}

fn adult(setup: &Setup) -> BoardRows {
    let Some(data) = data(setup, &["adult"]) else {
        return Ok(None);
    };
    let table = tables::read("adult-4", data, SEED)?;
    let all: Vec<usize> = (0..table.view.known().len()).collect();
    let of = |names: &[&str]| {
        let is_named = |&axis: &usize| names.contains(&table.view.known()[axis].name());
        QueryKind::on(all.iter().copied().filter(is_named).collect::<Vec<usize>>())
    };
    let kinds = [
        of(&["age"]),
        of(&["sex"]),
        of(&["age", "sex"]),
        QueryKind::on(&all[..]),
        QueryKind::on(all).with_sensitive(),
    ];
    let algorithms: [&dyn Algorithm; 3] = [&Rda, &Gda, &Cover];
    let mut rows = Vec::new();
    for l in [4, 6] {
        let kept = beside(&table, (&algorithms, &l_diversity(l)?), &kinds)?;
        for (algorithm, kept) in algorithms.iter().zip(kept) {
            let mut row = vec![
                BoardCell::Text(l.to_string()),
                BoardCell::Text(name(*algorithm)),
                kept.dm.into(),
            ];
            row.extend(kept.errors.into_iter().map(BoardCell::Number));
            rows.push(row);
        }
    }
    Ok(Some(rows))
}

fn beside_gda(setup: &Setup) -> BoardRows {
    let Some(data) = data(setup, &["adult", "gss"]) else {
        return Ok(None);
    };
    let mut rows = Vec::new();
    for (shown, name_of_table, l) in [
        ("Adult, 4 columns", "adult-4", 4),
        ("Adult, 4 columns", "adult-4", 6),
        ("GSS, 5 columns", "gss", 4),
        ("census, genders 30:70", "census-skewed", 4),
        ("census, genders 30:70", "census-skewed", 6),
        ("census, genders 30:70", "census-skewed", 10),
        ("census, genders 50:50", "census", 4),
    ] {
        let table = tables::read(name_of_table, data, SEED)?;
        let all: Vec<usize> = (0..table.view.known().len()).collect();
        let kinds = [
            QueryKind::of_dimension(2),
            QueryKind::on(&all[..]),
            QueryKind::on(all).with_sensitive(),
        ];
        let algorithms: [&dyn Algorithm; 3] = [&Gda, &Cover, &Auto];
        let kept = beside(&table, (&algorithms, &l_diversity(l)?), &kinds)?;
        for (algorithm, kept) in algorithms.iter().zip(kept) {
            let mut row = vec![
                shown.into(),
                BoardCell::Text(l.to_string()),
                BoardCell::Text(name(*algorithm)),
            ];
            row.extend(kept.errors.into_iter().map(BoardCell::Number));
            rows.push(row);
        }
    }
    Ok(Some(rows))
}

fn l_alpha(setup: &Setup) -> BoardRows {
    let Some(data) = data(setup, &["adult", "arx-hierarchies"]) else {
        return Ok(None);
    };
    let view = health::read(data, SEED)?;
    let regression = None;
    let table = Table { view, regression };
    let asked = QueriedTable::new(&table, &[], 0);
    let everybody = std::iter::once(0..table.view.rows() as u32).collect();
    let (nothing, _) = publish(&table.view, &everybody, Style::Generalize);
    let mut rows = vec![vec![
        "one group of all".into(),
        "".into(),
        "".into(),
        "".into(),
        (discernability(&nothing) as f64).into(),
        kl_divergence(&table.view, &nothing).into(),
    ]];
    for (index, l) in [(0, 2), (0, 4), (0, 6), (0, 8), (1, 4), (1, 8), (2, 3), (3, 4)] {
        let (model_name, model) = &health::models(l)[index];
        for algorithm in [&TopDown as &dyn Algorithm, &Cover, &Halving] {
            let kept = asked.kept(ReleaseParameters::new(algorithm, model), 1)?;
            rows.push(vec![
                (*model_name).into(),
                BoardCell::Text(l.to_string()),
                BoardCell::Text(name(algorithm)),
                kept.milliseconds.into(),
                kept.dm.into(),
                kept.kl.into(),
            ]);
        }
    }
    Ok(Some(rows))
}

/// The names of models in tables, and the models as policies write them.
const MODELS: [(&str, &str); 4] = [
    ("ratio 4", "model = \"l-diversity\", l = 4"),
    ("distinct 4", "model = \"l-diversity\", variant = \"distinct\", l = 4"),
    ("entropy 4", "model = \"l-diversity\", variant = \"entropy\", l = 4"),
    ("0.15-closeness (equal)", "model = \"t-closeness\", t = 0.15, distance = \"equal\""),
];

fn halving(setup: &Setup) -> BoardRows {
    let Some(data) = data(setup, &["adult"]) else {
        return Ok(None);
    };
    let table = tables::read("adult-7", data, SEED)?;
    let all: Vec<usize> = (0..table.view.known().len()).collect();
    let triples = QueryKind::of_dimension(3);
    let kinds =
        [QueryKind::of_dimension(2), triples.clone(), triples.with_sensitive(), QueryKind::on(all)];
    let asked = QueriedTable::new(&table, &kinds, QUERIES);
    let mut rows = Vec::new();
    for (shown, text) in [MODELS[1], MODELS[2], MODELS[0]] {
        let model = privacy(text)?;
        for style in [Style::Slice, Style::Generalize] {
            let way = ReleaseParameters { style, ..ReleaseParameters::new(&Halving, &model) };
            let mut row = vec![shown.into(), BoardCell::Text(format!("`{}`", style.name()))];
            row.extend(asked.kept(way, 3)?.errors.into_iter().map(BoardCell::Number));
            rows.push(row);
        }
    }
    Ok(Some(rows))
}

fn keeps(setup: &Setup) -> BoardRows {
    let Some(data) = data(setup, &["adult"]) else {
        return Ok(None);
    };
    let table = tables::read("adult-7", data, SEED)?;
    let triples = QueryKind::of_dimension(3);
    let kinds =
        [QueryKind::on([0]), QueryKind::of_dimension(2), triples.clone(), triples.with_sensitive()];
    let asked = QueriedTable::new(&table, &kinds, QUERIES);
    let mut rows = Vec::new();
    for (shown, text) in MODELS {
        let model = privacy(text)?;
        for algorithm in [&Cover as &dyn Algorithm, &Halving] {
            for style in [Style::Generalize, Style::Slice] {
                let way = ReleaseParameters { style, ..ReleaseParameters::new(algorithm, &model) };
                let kept = asked.kept(way, 3)?;
                let mut row = vec![
                    shown.into(),
                    BoardCell::Text(format!("`{}`", algorithm.name())),
                    BoardCell::Text(format!("`{}`", style.name())),
                    kept.groups.into(),
                    kept.kl.into(),
                ];
                row.extend(kept.errors.into_iter().map(BoardCell::Number));
                rows.push(row);
            }
        }
    }
    Ok(Some(rows))
}

fn regressions(setup: &Setup) -> BoardRows {
    let data = setup.data.as_deref().unwrap_or(Path::new("."));
    let mut rows = Vec::new();
    for (wages, name_of_table) in [("exact", "wages"), ("deciles", "wages-deciles")] {
        let table = tables::read(name_of_table, data, SEED)?;
        let own = table.regression.as_ref().and_then(|own| own.on_table(&table.view));
        let own = own.ok_or("the wages have a regression")?;
        rows.push(vec![
            wages.into(),
            "".into(),
            "the table itself".into(),
            own.slopes[0].into(),
            own.r_squared.into(),
        ]);
        let asked = QueriedTable::new(&table, &[], 0);
        for (shown, text) in [
            ("ratio 5", "model = \"l-diversity\", l = 5"),
            ("distinct 5", "model = \"l-diversity\", variant = \"distinct\", l = 5"),
        ] {
            let model = privacy(text)?;
            for algorithm in [&Cover as &dyn Algorithm, &Halving] {
                let [slope, fit] =
                    asked.kept(ReleaseParameters::new(algorithm, &model), 3)?.regression;
                let algorithm = BoardCell::Text(format!("`{}`", algorithm.name()));
                rows.push(vec![wages.into(), shown.into(), algorithm, slope.into(), fit.into()]);
            }
        }
    }
    Ok(Some(rows))
}
