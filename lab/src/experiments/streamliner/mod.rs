//! Privacy Streamliner: time, discernability and query errors of RIA, RDA and GDA.

mod stage_two;
mod sweep;

use super::{ExperimentEffort, Paper, Rebuilt, SEED, point, release};
use crate::census;
use crate::keeps::given;
use openveil_core::algorithm::{Algorithm, Halving};
use openveil_core::model::{Model, l_diversity};
use openveil_core::release::Style;
use openveil_core::table::View;
use openveil_papers::algorithm::Cover;
use openveil_papers::algorithm::{Gda, Rda, Ria};
use openveil_reader::picture::{Line, Point};
use std::error::Error;
use sweep::{ReleaseMeasure, SweepTable};

pub(super) const PAPER: Paper = Paper {
    name: "streamliner",
    title: "Privacy Streamliner",
    about: "The paper's tables (OCC and SAL: 600,000 people of a census; age 79 values, gender 2, education 17, birthplace 57, occupation or income 50) are not available to us. We use a made-up census with the same domains (`openveil_lab::census`). It has 30 people of one gender to 70 of the other, unless a figure says otherwise. \
Times cover the grouping alone, in milliseconds on two cores, as means of three runs with different random draws. Errors are means of twenty runs. \
The figures also show `cover` and `halving`, which are safe like RIA and RDA. GDA is not safe (docs/theory/papers.md); it has the paper's weight of 10,000 for gender. \
SAL stands for the same made-up people with an income (50 classes that follow education, age and gender), over five runs. GSS is the General Social Survey: incomes in 50 classes of equal size, with age, gender, education and marital state. The second stage is measured on 20,000 rows, over five runs (the algorithms `rda-second-stage` and `ria-second-stage`).",
    figures: &[
        Rebuilt {
            number: "1",
            title: "milliseconds by number of rows, l = 8",
            across: "rows",
            reported: "Time grows slowly with n. RDA is slightly faster than GDA, and both are practical.",
            verdict: "**Reproduced with differences.** RDA is the fastest, as in the paper. GDA takes between half a second and twenty seconds: on some tables many left-over rows look for a group, and that search is not linear in the worst case.",
            measure: time_by_rows,
        },
        Rebuilt {
            number: "1 by l",
            title: "milliseconds by l",
            across: "l",
            reported: "No figure. We add this one to Figure 1.",
            verdict: "RDA's time does not depend on l. RIA takes longer for a larger l because it starts colours again, and GDA because it has more left-over rows. The time of `cover` grows less steeply. `halving` takes less time, because its cuts end earlier.",
            measure: time_by_l,
        },
        Rebuilt {
            number: "1 by columns",
            title: "milliseconds by number of quasi-identifiers, l = 8",
            across: "quasi-identifiers",
            reported: "No figure. We add this one to Figure 1.",
            verdict: "RIA and RDA do not look at quasi-identifiers. `cover` takes longer with each of them. The times of GDA and `halving` do not follow their number.",
            measure: time_by_columns,
        },
        Rebuilt {
            number: "2",
            title: "discernability by l, per row",
            across: "l",
            reported: "RDA is very close to the optimum, and GDA slightly above it.",
            verdict: "**Reproduced.** `cover` is at the optimum. RIA's groups merge at this size, as its documentation says. Points above 100 are left out, and so RIA has no line.",
            measure: |effort| {
                sweep::figures(effort, SweepTable::Occupations, ReleaseMeasure::Discernability)
            },
        },
        Rebuilt {
            number: "3 to 7, age",
            title: "mean error of counts by age",
            across: "l",
            reported: "One figure for each l from 6 to 10, by predicate. GDA is better than RDA.",
            verdict: "**Reproduced with differences.** We draw one figure for each predicate, over l. GDA beats RDA. `cover` beats GDA by factors of 5 to 13, because its columns follow the quasi-identifiers. RIA makes one large group, which shows nothing about ages. These l leave `halving` little room for cuts.",
            measure: |effort| sweep::figures(effort, SweepTable::Occupations, ReleaseMeasure::Age),
        },
        Rebuilt {
            number: "3 to 7, gender",
            title: "mean error of counts by gender",
            across: "l",
            reported: "At l = 8 the error falls from 64 % and 69 % (RDA; SAL, OCC) to 10 % and 18 % (GDA).",
            verdict: "**Reproduced with differences** in size. At l = 8 the error falls from 43 % (RDA) to 5 % (GDA). GDA's weight for gender pays off.",
            measure: |effort| {
                sweep::figures(effort, SweepTable::Occupations, ReleaseMeasure::Gender)
            },
        },
        Rebuilt {
            number: "3 to 7, gender even",
            title: "mean error of counts by gender, 50 : 50",
            across: "l",
            reported: "Not distinguished: the paper does not say in which proportion its genders are mixed.",
            verdict: "The paper's main result reverses. If both genders are equally frequent, random groups contain both evenly. RDA then has next to no error, while GDA errs by 7 to 17 %.",
            measure: |effort| sweep::figures(effort, SweepTable::Even, ReleaseMeasure::Gender),
        },
        Rebuilt {
            number: "3 to 7, age and gender",
            title: "mean error of counts by age and gender",
            across: "l",
            reported: "As by age.",
            verdict: "**Reproduced with differences**, as by age. `cover` beats GDA by factors of 1.6 to 4.",
            measure: |effort| {
                sweep::figures(effort, SweepTable::Occupations, ReleaseMeasure::AgeAndGender)
            },
        },
        Rebuilt {
            number: "3 to 7, all",
            title: "mean error of counts by all quasi-identifiers",
            across: "l",
            reported: "As by age.",
            verdict: "**Reproduced with differences.** GDA beats RDA by a tenth. `cover` beats both by factors of 25 and more.",
            measure: |effort| sweep::figures(effort, SweepTable::Occupations, ReleaseMeasure::All),
        },
        Rebuilt {
            number: "2, SAL",
            title: "discernability by l, per row, census with incomes",
            across: "l",
            reported: "As for occupations.",
            verdict: "**Reproduced** on a made-up income of 50 classes. RDA and `cover` are at the optimum, and GDA is up to an eighth above it. `halving` leaves large groups where l has little slack.",
            measure: |effort| {
                sweep::figures(effort, SweepTable::Incomes, ReleaseMeasure::Discernability)
            },
        },
        Rebuilt {
            number: "3 to 7, SAL, age",
            title: "mean error of counts by age, census with incomes",
            across: "l",
            reported: "GDA is better than RDA.",
            verdict: "**Reproduced with differences.** GDA beats RDA by a sixth to a third. `cover` beats GDA by factors of 5 to 11. `halving` beats all of them, because its groups follow age as far as l allows.",
            measure: |effort| sweep::figures(effort, SweepTable::Incomes, ReleaseMeasure::Age),
        },
        Rebuilt {
            number: "3 to 7, SAL, gender",
            title: "mean error of counts by gender, census with incomes",
            across: "l",
            reported: "At l = 8 the error falls from 64 % (RDA) to 10 % (GDA).",
            verdict: "**Reproduced with differences** in size. At l = 8 the error falls from 42 % (RDA) to 4 % (GDA), as for occupations.",
            measure: |effort| sweep::figures(effort, SweepTable::Incomes, ReleaseMeasure::Gender),
        },
        Rebuilt {
            number: "3 to 7, SAL, age and gender",
            title: "mean error of counts by age and gender, census with incomes",
            across: "l",
            reported: "GDA is better than RDA.",
            verdict: "**Reproduced with differences**, as by age.",
            measure: |effort| {
                sweep::figures(effort, SweepTable::Incomes, ReleaseMeasure::AgeAndGender)
            },
        },
        Rebuilt {
            number: "3 to 7, SAL, all",
            title: "mean error of counts by all quasi-identifiers, census with incomes",
            across: "l",
            reported: "GDA is better than RDA.",
            verdict: "**Reproduced with differences.** GDA beats RDA by a tenth. `cover` and `halving` beat both by factors of 30 and more.",
            measure: |effort| sweep::figures(effort, SweepTable::Incomes, ReleaseMeasure::All),
        },
        Rebuilt {
            number: "2, GSS",
            title: "discernability by l, per row, GSS, incomes",
            across: "l",
            reported: "As for occupations.",
            verdict: "**Reproduced** on 37,780 real incomes in 50 classes of equal size.",
            measure: |effort| {
                sweep::figures(effort, SweepTable::Survey, ReleaseMeasure::Discernability)
            },
        },
        Rebuilt {
            number: "3 to 7, GSS, age",
            title: "mean error of counts by age, GSS, incomes",
            across: "l",
            reported: "Not measured.",
            verdict: "The result is as on the census. GDA beats RDA by factors of about three and more, because its ranks follow age here beside gender. `cover` beats GDA by factors of two and more.",
            measure: |effort| sweep::figures(effort, SweepTable::Survey, ReleaseMeasure::Age),
        },
        Rebuilt {
            number: "3 to 7, GSS, gender",
            title: "mean error of counts by gender, GSS, incomes",
            across: "l",
            reported: "Not measured.",
            verdict: "There is nothing to gain: the survey has as many women as men, and no algorithm errs by more than 4 %.",
            measure: |effort| sweep::figures(effort, SweepTable::Survey, ReleaseMeasure::Gender),
        },
        Rebuilt {
            number: "3 to 7, GSS, age and gender",
            title: "mean error of counts by age and gender, GSS, incomes",
            across: "l",
            reported: "Not measured.",
            verdict: "The result is as by age.",
            measure: |effort| {
                sweep::figures(effort, SweepTable::Survey, ReleaseMeasure::AgeAndGender)
            },
        },
        Rebuilt {
            number: "3 to 7, GSS, all",
            title: "mean error of counts by all quasi-identifiers, GSS, incomes",
            across: "l",
            reported: "Not measured.",
            verdict: "GDA beats RDA by a quarter. `cover` beats both by factors of five and more.",
            measure: |effort| sweep::figures(effort, SweepTable::Survey, ReleaseMeasure::All),
        },
        Rebuilt {
            number: "stage 2, age",
            title: "mean error of counts by age, best of the family",
            across: "l",
            reported: "No figure. Section 5 says that utility \"may be increased … by optimizing among the family set\"; the paper measures only the minimal partition.",
            verdict: "**Reproduced.** The second stage joins groups where that lowers the error of counts on age and gender, or on all columns; the counts shown here are other ones. It pays for RDA, because over- and underestimates cancel out: with l = 2 the error falls from 20 % to 0.2 %, by all columns to 1.8 %, and by less with a larger l. RIA has one group and so no choice. The stage is **safe** for RDA and RIA, as it chooses by quasi-identifiers and the minimal partition: the release is a function of a safe release. The model checker enumerates this (`verify::tests::second_stage`); its control chooses by true values and is not safe. GDA's family stays as unsafe as GDA. From l = 6 on, `cover` errs less than either: it chooses which people are together, not which groups.",
            measure: |effort| stage_two::figures(effort, stage_two::PartitionMeasure::Age),
        },
        Rebuilt {
            number: "stage 2, gender",
            title: "mean error of counts by gender, best of the family",
            across: "l",
            reported: "No figure. Section 5 says that utility \"may be increased … by optimizing among the family set\"; the paper measures only the minimal partition.",
            verdict: "The stage gains next to nothing for RDA from l = 4 on: nearly every group has both genders, and so do joined groups. GDA can keep its groups of one gender and even out the rest.",
            measure: |effort| stage_two::figures(effort, stage_two::PartitionMeasure::Gender),
        },
        Rebuilt {
            number: "stage 2, all",
            title: "mean error of counts by all quasi-identifiers, best of the family",
            across: "l",
            reported: "No figure. Section 5 says that utility \"may be increased … by optimizing among the family set\"; the paper measures only the minimal partition.",
            verdict: "**Reproduced** if all columns decide: RDA's error falls by 14 to 23 %. If age and gender decide alone, these counts get worse, because joined groups have larger cells.",
            measure: |effort| stage_two::figures(effort, stage_two::PartitionMeasure::All),
        },
        Rebuilt {
            number: "stage 2, discernability",
            title: "discernability per row, best of the family",
            across: "l",
            reported: "No figure. Section 5 says that utility \"may be increased … by optimizing among the family set\"; the paper measures only the minimal partition.",
            verdict: "This is the cost of the second stage. Averaged over rows, RDA's groups of l people grow to 10 to 18 people by all columns, and to 40 to 221 by age and gender. For discernability, the minimal partition is the best of its family.",
            measure: |effort| {
                stage_two::figures(effort, stage_two::PartitionMeasure::Discernability)
            },
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
    WAYS.into_iter().map(line).filter(|line| !line.points.is_empty()).collect()
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
    Ok(lines(&places, |way, l| time(way, &table, l as u32, l, effort.seeds)))
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
