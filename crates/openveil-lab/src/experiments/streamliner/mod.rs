//! Privacy Streamliner: time, discernability and query errors of RIA, RDA and GDA.

mod stage_two;
mod sweep;

use super::{ExperimentEffort, Paper, Rebuilt, SEED, point, release};
use crate::census;
use crate::keeps::given;
use openveil_core::algorithm::{Algorithm, Cover, Halving};
use openveil_core::model::{Model, l_diversity};
use openveil_core::release::Style;
use openveil_core::table::View;
use openveil_papers::algorithm::{Gda, Rda, Ria};
use openveil_reader::picture::{Line, Point};
use std::error::Error;
use sweep::{ReleaseMeasure, SweepTable};

pub(super) const PAPER: Paper = Paper {
    name: "streamliner",
    title: "Privacy Streamliner",
    about: "The paper's tables (OCC, SAL: 600,000 people of a census; age 79 values, gender 2, education 17, birthplace 57, occupation or income 50) may not be had; ours is a made-up census with the same \
domains, 30 people of one gender to 70 of the other unless said otherwise (`openveil_lab::census`). Times are of the groups alone, on two cores, in ms, and of three coins; errors are of twenty. Beside the paper's algorithms stand `cover` and `halving`, which are safe \
as RIA and RDA are; GDA is not (docs/papers.md), and has the paper's weight of 10,000 for gender. SAL is the same people with a made-up income (50 classes that follow education, age and gender), of five coins; GSS the General Social Survey's incomes in 50 classes of equal size with age, gender, education and marital state. \
The second stage is measured on 20,000 rows, five coins (`openveil_lab::family`).",
    figures: &[
        Rebuilt {
            number: "1",
            title: "milliseconds by number of rows, l = 8",
            across: "rows",
            reported: "time increases slowly with n; RDA is slightly faster than GDA, and both are practical.",
            verdict: "**reproduced with differences**: RDA comes first, as it should. GDA takes between half a second and twenty: on some tables many left-overs look for a group, and that search is not linear at worst.",
            measure: time_by_rows,
        },
        Rebuilt {
            number: "1 by l",
            title: "milliseconds by l",
            across: "l",
            reported: "no figure; asked for beside Figure 1.",
            verdict: "RDA does not depend on l; RIA and GDA take longer for a larger one (colours that are started again, left-overs), `cover` a little longer, and `halving` less, since its cuts end earlier.",
            measure: time_by_l,
        },
        Rebuilt {
            number: "1 by columns",
            title: "milliseconds by number of quasi-identifiers, l = 8",
            across: "quasi-identifiers",
            reported: "no figure; asked for beside Figure 1.",
            verdict: "RIA and RDA do not look at them, `cover` takes longer with each of them; GDA and `halving` do not follow their number.",
            measure: time_by_columns,
        },
        Rebuilt {
            number: "2",
            title: "discernability by l, per row",
            across: "l",
            reported: "RDA is very close to the optimum, GDA slightly above.",
            verdict: "**reproduced**; `cover` is at the optimum. RIA's groups merge at this size, as its documentation says: its line is left out where it is above 100.",
            measure: |effort| {
                sweep::of(
                    effort,
                    SweepTable::Occupations,
                    ReleaseMeasure::Discernability,
                )
            },
        },
        Rebuilt {
            number: "3 to 7, age",
            title: "mean error of counts by age",
            across: "l",
            reported: "one figure for each l from 6 to 10, by predicate; GDA is the better one.",
            verdict: "**reproduced with differences**: here one figure for each predicate, by l. GDA beats RDA; `cover` beats GDA by factors of 5 to 13, since its columns follow the quasi-identifiers. RIA's one large group shows nothing of ages; `halving` has little room here.",
            measure: |effort| sweep::of(effort, SweepTable::Occupations, ReleaseMeasure::Age),
        },
        Rebuilt {
            number: "3 to 7, gender",
            title: "mean error of counts by gender",
            across: "l",
            reported: "at l = 8 the error falls from 64 % and 69 % (RDA; SAL, OCC) to 10 % and 18 % (GDA).",
            verdict: "**reproduced with differences** in size: at l = 8 from 43 % to 5 %; GDA's weight for gender pays.",
            measure: |effort| sweep::of(effort, SweepTable::Occupations, ReleaseMeasure::Gender),
        },
        Rebuilt {
            number: "3 to 7, gender even",
            title: "mean error of counts by gender, 50 : 50",
            across: "l",
            reported: "not told apart: the paper does not say how its genders are mixed.",
            verdict: "the paper's headline reverses: where both genders are as frequent, random groups show both evenly and RDA has next to no error, while GDA errs by 7 to 17 %.",
            measure: |effort| sweep::of(effort, SweepTable::Even, ReleaseMeasure::Gender),
        },
        Rebuilt {
            number: "3 to 7, age and gender",
            title: "mean error of counts by age and gender",
            across: "l",
            reported: "as by age.",
            verdict: "**reproduced with differences**, as by age; `cover` beats GDA by factors of 1.6 to 4.",
            measure: |effort| {
                sweep::of(
                    effort,
                    SweepTable::Occupations,
                    ReleaseMeasure::AgeAndGender,
                )
            },
        },
        Rebuilt {
            number: "3 to 7, all",
            title: "mean error of counts by all quasi-identifiers",
            across: "l",
            reported: "as by age.",
            verdict: "**reproduced with differences**: GDA beats RDA by a tenth; `cover` beats both by factors of 25 and more.",
            measure: |effort| sweep::of(effort, SweepTable::Occupations, ReleaseMeasure::All),
        },
        Rebuilt {
            number: "2, SAL",
            title: "discernability by l, per row, census with incomes",
            across: "l",
            reported: "as for occupations.",
            verdict: "**reproduced** on a made-up income of 50 classes: RDA and `cover` at the optimum, GDA up to an eighth above. `halving` leaves large groups where l has little slack.",
            measure: |effort| {
                sweep::of(effort, SweepTable::Incomes, ReleaseMeasure::Discernability)
            },
        },
        Rebuilt {
            number: "3 to 7, SAL, age",
            title: "mean error of counts by age, census with incomes",
            across: "l",
            reported: "GDA is better than RDA.",
            verdict: "**reproduced with differences**: GDA beats RDA by a sixth to a third; `cover` beats GDA by factors of 5 to 11, and `halving`, whose groups follow ages as far as l allows, all of them.",
            measure: |effort| sweep::of(effort, SweepTable::Incomes, ReleaseMeasure::Age),
        },
        Rebuilt {
            number: "3 to 7, SAL, gender",
            title: "mean error of counts by gender, census with incomes",
            across: "l",
            reported: "at l = 8 from 64 % (RDA) to 10 % (GDA).",
            verdict: "**reproduced with differences** in size: at l = 8 from 42 % (RDA) to 4 % (GDA), as for occupations.",
            measure: |effort| sweep::of(effort, SweepTable::Incomes, ReleaseMeasure::Gender),
        },
        Rebuilt {
            number: "3 to 7, SAL, age and gender",
            title: "mean error of counts by age and gender, census with incomes",
            across: "l",
            reported: "GDA is better than RDA.",
            verdict: "**reproduced with differences**, as by age.",
            measure: |effort| sweep::of(effort, SweepTable::Incomes, ReleaseMeasure::AgeAndGender),
        },
        Rebuilt {
            number: "3 to 7, SAL, all",
            title: "mean error of counts by all quasi-identifiers, census with incomes",
            across: "l",
            reported: "GDA is better than RDA.",
            verdict: "**reproduced with differences**: GDA beats RDA by a tenth; `cover` and `halving` beat both by factors of 30 and more.",
            measure: |effort| sweep::of(effort, SweepTable::Incomes, ReleaseMeasure::All),
        },
        Rebuilt {
            number: "2, GSS",
            title: "discernability by l, per row, GSS, incomes",
            across: "l",
            reported: "as for occupations.",
            verdict: "**reproduced** on 37,780 real incomes in 50 classes of equal size.",
            measure: |effort| sweep::of(effort, SweepTable::Survey, ReleaseMeasure::Discernability),
        },
        Rebuilt {
            number: "3 to 7, GSS, age",
            title: "mean error of counts by age, GSS, incomes",
            across: "l",
            reported: "not measured there.",
            verdict: "as on the census: GDA beats RDA by factors of three and more (its ranks follow age here, beside gender), `cover` beats GDA by two and more.",
            measure: |effort| sweep::of(effort, SweepTable::Survey, ReleaseMeasure::Age),
        },
        Rebuilt {
            number: "3 to 7, GSS, gender",
            title: "mean error of counts by gender, GSS, incomes",
            across: "l",
            reported: "not measured there.",
            verdict: "nothing to win: as many women as men, and no way errs by more than 4 %.",
            measure: |effort| sweep::of(effort, SweepTable::Survey, ReleaseMeasure::Gender),
        },
        Rebuilt {
            number: "3 to 7, GSS, age and gender",
            title: "mean error of counts by age and gender, GSS, incomes",
            across: "l",
            reported: "not measured there.",
            verdict: "as by age.",
            measure: |effort| sweep::of(effort, SweepTable::Survey, ReleaseMeasure::AgeAndGender),
        },
        Rebuilt {
            number: "3 to 7, GSS, all",
            title: "mean error of counts by all quasi-identifiers, GSS, incomes",
            across: "l",
            reported: "not measured there.",
            verdict: "GDA beats RDA by a quarter, `cover` beats both by factors of five and more.",
            measure: |effort| sweep::of(effort, SweepTable::Survey, ReleaseMeasure::All),
        },
        Rebuilt {
            number: "stage 2, age",
            title: "mean error of counts by age, best of the family",
            across: "l",
            reported: "no figure; utility \"may be increased … by optimizing among the family set\" (section 5: its measures stop at the minimal partition).",
            verdict: "**reproduced**: to merge groups where that lowers the error of counts (100 of each kind, others than those shown) pays for RDA: from 20 % to 2 % with l = 2, less with a larger l; over- and underestimates even out. RIA has one group, and no choice. It is **safe** for RDA and RIA, whatever is chosen by quasi-identifiers or by the groups as they would be published: the release is then a function of one that is safe (enumerated in `family::tests`, with a choice by true values as the control, which is not). GDA's family stays as unsafe as GDA. `cover` does better without a second stage: it chooses who is together, not which groups are.",
            measure: |effort| stage_two::of(effort, stage_two::PartitionMeasure::Age),
        },
        Rebuilt {
            number: "stage 2, gender",
            title: "mean error of counts by gender, best of the family",
            across: "l",
            reported: "no figure; utility \"may be increased … by optimizing among the family set\" (section 5: its measures stop at the minimal partition).",
            verdict: "next to nothing for RDA: nearly every one of its groups has both genders, and merged ones do, too. GDA's groups of one gender can be kept, and the rest evened out.",
            measure: |effort| stage_two::of(effort, stage_two::PartitionMeasure::Gender),
        },
        Rebuilt {
            number: "stage 2, all",
            title: "mean error of counts by all quasi-identifiers, best of the family",
            across: "l",
            reported: "no figure; utility \"may be increased … by optimizing among the family set\" (section 5: its measures stop at the minimal partition).",
            verdict: "**cannot be** for RDA and GDA: counts on all quasi-identifiers get hardly better for a large l and worse for a small one; what is merged has larger cells.",
            measure: |effort| stage_two::of(effort, stage_two::PartitionMeasure::All),
        },
        Rebuilt {
            number: "stage 2, discernability",
            title: "discernability per row, best of the family",
            across: "l",
            reported: "no figure; utility \"may be increased … by optimizing among the family set\" (section 5: its measures stop at the minimal partition).",
            verdict: "what it costs: RDA's groups of l grow to 16 to 21 people on average over rows. For discernability the minimal partition is the best of its family.",
            measure: |effort| stage_two::of(effort, stage_two::PartitionMeasure::Discernability),
        },
    ],
};

/// The number of random queries of each kind.
const QUERIES: usize = 1_000;

/// The discernability per row above which groups have merged into few.
const MERGED: f64 = 100.0;

const WAYS: [&dyn Algorithm; 5] = [&Ria, &Rda, &Gda, &Cover, &Halving];

/// Returns a line for each algorithm.
fn lines(
    places: &[f64],
    measure: impl Fn(&'static dyn Algorithm, f64) -> Option<Point>,
) -> Vec<Line> {
    let line = |way: &'static dyn Algorithm| Line {
        name: way.name().to_owned(),
        points: places.iter().filter_map(|&at| measure(way, at)).collect(),
    };
    let lines = WAYS.into_iter().map(line);
    lines.filter(|line| !line.points.is_empty()).collect()
}

/// Returns the milliseconds for the groups of a table.
fn time(way: &dyn Algorithm, table: &View, l: u32, at: f64, seeds: u64) -> Option<Point> {
    let (table, model) = (given(way, table), model(l)?);
    point(at, coins(way, seeds), |seed| {
        release(way, (&table, &model), Style::Generalize, seed).map(|(_, time)| time)
    })
}

/// Returns the number of seeds: GDA draws nothing at random, so one is enough.
fn coins(way: &dyn Algorithm, seeds: u64) -> u64 {
    if way.name() == Gda.name() { 1 } else { seeds }
}

fn model(l: u32) -> Option<Model> {
    l_diversity(l).ok()
}

fn time_by_rows(effort: &ExperimentEffort) -> Result<Vec<Line>, Box<dyn Error>> {
    let places: Vec<f64> = (1..=4).map(|times| (times * effort.rows) as f64).collect();
    Ok(lines(&places, |way, rows| {
        let table = census::skewed(rows as usize, SEED);
        time(way, &table, 8, rows, effort.seeds)
    }))
}

fn time_by_l(effort: &ExperimentEffort) -> Result<Vec<Line>, Box<dyn Error>> {
    let table = census::skewed(effort.rows, SEED);
    let places: Vec<f64> = (2..=10).step_by(2).map(f64::from).collect();
    Ok(lines(&places, |way, l| {
        time(way, &table, l as u32, l, effort.seeds)
    }))
}

fn time_by_columns(effort: &ExperimentEffort) -> Result<Vec<Line>, Box<dyn Error>> {
    let table = census::skewed(effort.rows, SEED);
    let places: Vec<f64> = (1..=4).map(f64::from).collect();
    Ok(lines(&places, |way, columns| {
        let known = table.known()[..columns as usize].to_vec();
        let table = table.clone().with_known(known).ok()?;
        time(way, &table, 8, columns, effort.seeds)
    }))
}
