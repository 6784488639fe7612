//! k-jump: its cost, and the usefulness of jump vectors.

mod real;

use super::{ExperimentEffort, FigureLines, Paper, Rebuilt, SEED, point};
use openveil_core::table::Groups;
use openveil_papers::disclosure::jump::{JumpPlan, Strategy, evaluate};
use openveil_papers::disclosure::{ContingencyTables, Functions, RatioBound, TableSpace};
use openveil_reader::picture::{Line, Point};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use real::{Grouping, StrategyMeasure};
use std::time::Instant;

pub(super) const PAPER: Paper = Paper {
    name: "k-jump",
    title: "k-jump",
    about: "The paper's two figures are drawings (taxonomy trees, and how the strategies decide); it measures nothing. Its future work asks for the cost and for an average-case comparison of vectors. \
Made-up people have random values among four. Each point covers twenty multisets and every table of each multiset. The bound is a highest chance of 1/2. Functions are random pairs, then other random pairs, then groups of four, then everybody. Where more functions are asked for, more random pairs come first. \
Real blocks come from Adult and the GSS: a hundred for each of ten runs. Their people follow each other in the order of all quasi-identifiers except age. Their functions are runs of two, three and five people by age, or intervals of 10, 20 and 40 years (a person who is alone joins the next interval), then everybody. All six vectors are measured.",
    figures: &[
        Rebuilt {
            number: "cost by people",
            title: "milliseconds by number of people, four functions",
            across: "people",
            reported: "Exponential in the number of people.",
            verdict: "**Reproduced**, although we count tables by classes that no function tells apart, and a sweep replaces the recursion. Jumping far saves the cost of disclosure sets: the time of the farthest vector comes closest to that of `naive`.",
            measure: cost_by_people,
        },
        Rebuilt {
            number: "cost by functions",
            title: "milliseconds by number of functions, eight people",
            across: "functions",
            reported: "k-jump algorithms save the time that safe ones spend on disclosure sets.",
            verdict: "**Reproduced**, in milliseconds. `safe` takes longest, and jumping far saves a part of that time. Most of the time goes into the classes, which all strategies share.",
            measure: cost_by_functions,
        },
        Rebuilt {
            number: "utility",
            title: "discernability per row, by number of people",
            across: "people",
            reported: "No vector is better than another in general. The paper leaves the average open.",
            verdict: "`safe` and the vector of ones give equal results, as they must. Vectors that jump keep slightly less detail, because nothing is released for more tables (counted as one group). Both vectors that jump give equal results here. Trying the second pairs once more changes nothing on average. A secret choice among the vectors gives their mean.",
            measure: utility,
        },
        Rebuilt {
            number: "Adult, runs",
            title: "discernability per person, real tables, Adult, runs by age",
            across: "people in a block",
            reported: "Future work: the average case.",
            verdict: "The blocks have occupations, people who are alike except for age, and a bound of 1/2 on the highest chance. `safe` costs little compared with `naive`, except for seven and ten people, where the best function is refused more often. Vectors that jump over the second function lose a little with ten people. Otherwise all vectors have equal discernability, which counts a table without a release as one group.",
            measure: |effort| {
                real::figures(effort, "adult-4", Grouping::Runs, StrategyMeasure::Real)
            },
        },
        Rebuilt {
            number: "Adult, runs, silence",
            title: "real tables of which nothing is released, in %, Adult, runs by age",
            across: "people in a block",
            reported: "Future work: the average case.",
            verdict: "Here the vectors differ. The further a vector jumps, the more often nothing is released (seven people: 43 % with 1 3 1 1 instead of 23 %). `safe` and reuse are never worse.",
            measure: |effort| {
                real::figures(effort, "adult-4", Grouping::Runs, StrategyMeasure::Silent)
            },
        },
        Rebuilt {
            number: "GSS, runs",
            title: "discernability per person, real tables, GSS, runs by age",
            across: "people in a block",
            reported: "Future work: the average case.",
            verdict: "The result is as for Adult.",
            measure: |effort| real::figures(effort, "gss", Grouping::Runs, StrategyMeasure::Real),
        },
        Rebuilt {
            number: "GSS, runs, silence",
            title: "real tables of which nothing is released, in %, GSS, runs by age",
            across: "people in a block",
            reported: "Future work: the average case.",
            verdict: "The result is as for Adult.",
            measure: |effort| real::figures(effort, "gss", Grouping::Runs, StrategyMeasure::Silent),
        },
        Rebuilt {
            number: "Adult, intervals",
            title: "discernability per person, real tables, Adult, intervals of age",
            across: "people in a block",
            reported: "Future work: the average case.",
            verdict: "Taxonomy cuts give equal results: `safe` costs one or two per cent, and jumping costs next to nothing.",
            measure: |effort| {
                real::figures(effort, "adult-4", Grouping::Intervals, StrategyMeasure::Real)
            },
        },
        Rebuilt {
            number: "Adult, intervals, silence",
            title: "real tables of which nothing is released, in %, Adult, intervals of age",
            across: "people in a block",
            reported: "Future work: the average case.",
            verdict: "Vectors that can jump past the last function release nothing more often (1 1 2 1, 1 3 1 1 and 1 3 2 1 above all).",
            measure: |effort| {
                real::figures(effort, "adult-4", Grouping::Intervals, StrategyMeasure::Silent)
            },
        },
        Rebuilt {
            number: "GSS, intervals",
            title: "discernability per person, real tables, GSS, intervals of age",
            across: "people in a block",
            reported: "Future work: the average case.",
            verdict: "The result is as for Adult.",
            measure: |effort| {
                real::figures(effort, "gss", Grouping::Intervals, StrategyMeasure::Real)
            },
        },
        Rebuilt {
            number: "GSS, intervals, silence",
            title: "real tables of which nothing is released, in %, GSS, intervals of age",
            across: "people in a block",
            reported: "Future work: the average case.",
            verdict: "The result is as for Adult.",
            measure: |effort| {
                real::figures(effort, "gss", Grouping::Intervals, StrategyMeasure::Silent)
            },
        },
        Rebuilt {
            number: "Adult, intervals, against safe",
            title: "blocks in which a vector keeps more or less than safe, in %, Adult, intervals of age",
            across: "people in a block",
            reported: "Future work: the average case.",
            verdict: "**Reproduced**: neither is better in every case. Averaged over all tables of a block's values, jumping wins in up to 0.5 % of the blocks and loses in up to 2.9 %. They tie everywhere else. So `safe` is the better choice on average.",
            measure: |effort| real::compared(effort, "adult-4", Grouping::Intervals),
        },
        Rebuilt {
            number: "GSS, intervals, against safe",
            title: "blocks in which a vector keeps more or less than safe, in %, GSS, intervals of age",
            across: "people in a block",
            reported: "Future work: the average case.",
            verdict: "The result is as for Adult: jumping wins in up to 0.6 % of the blocks and loses in up to 5.2 %.",
            measure: |effort| real::compared(effort, "gss", Grouping::Intervals),
        },
    ],
};

/// A strategy's name, and the strategy for so many functions.
type NamedStrategy = (&'static str, fn(usize) -> Strategy);

/// The number of multisets for each point.
const MULTISETS: u64 = 20;

/// The number of different values.
const VALUES: usize = 4;

/// The number of classes of tables that may be enumerated.
const CLASSES: u64 = 2_000_000;

/// Returns functions: random pairs for all but the last two, then fours, then everybody.
fn functions(people: u32, count: usize, seed: u64) -> Result<Functions, openveil_core::Error> {
    let mut generator = StdRng::seed_from_u64(seed);
    let mut cut = |size: usize| -> Groups {
        let mut order: Vec<u32> = (0..people).collect();
        for place in (1..order.len()).rev() {
            order.swap(place, generator.random_range(0..=place));
        }
        order.chunks(size).map(|group| group.iter().copied()).collect()
    };
    let pairs = count.saturating_sub(2);
    let partitions: Vec<Groups> =
        (0..pairs).map(|_| 2).chain([4, people as usize]).map(&mut cut).collect();
    Functions::new(people as usize, partitions)
}

/// Returns the number of people with each value.
fn counts(people: u32, seed: u64) -> Vec<u32> {
    let mut generator = StdRng::seed_from_u64(seed);
    let mut counts = vec![0; VALUES];
    (0..people).for_each(|_| counts[generator.random_range(0..VALUES)] += 1);
    counts
}

/// Returns strategies over four functions; the last one tries the second pairs once more.
fn strategies() -> Vec<(&'static str, Vec<usize>, Strategy)> {
    let all = || vec![0, 1, 2, 3];
    let jump = |vector: &[u32]| Strategy::Jump(vector.to_vec());
    vec![
        ("naive (unsafe)", all(), Strategy::Naive),
        ("safe", all(), Strategy::Safe),
        ("k-jump 1 1 1 1", all(), jump(&[1, 1, 1, 1])),
        ("k-jump 1 2 1 1", all(), jump(&[1, 2, 1, 1])),
        ("k-jump 1 3 2 1", all(), jump(&[1, 3, 2, 1])),
        ("k-jump with reuse", vec![0, 1, 2, 1, 3], jump(&[1; 5])),
    ]
}

fn milliseconds(
    functions: &Functions,
    people: u32,
    plan: &JumpPlan,
    seed: u64,
) -> Result<f64, openveil_core::Error> {
    let start = Instant::now();
    let space = ContingencyTables::new(functions, &counts(people, seed), CLASSES)?;
    evaluate(&space, &RatioBound::new(1, 2)?, plan)?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

fn cost_by_people(_effort: &ExperimentEffort) -> FigureLines {
    let line = |(name, sequence, strategy): (&str, Vec<usize>, Strategy)| -> Option<Line> {
        let plan = JumpPlan::new(sequence, strategy).ok()?;
        let at = |people: u32| {
            point(people.into(), MULTISETS, |set| {
                milliseconds(&functions(people, 4, SEED + set)?, people, &plan, set)
            })
        };
        Some(Line { name: name.to_owned(), points: (4..=12).step_by(2).filter_map(at).collect() })
    };
    Ok(strategies().into_iter().filter_map(line).collect())
}

fn cost_by_functions(_effort: &ExperimentEffort) -> FigureLines {
    let ways: [NamedStrategy; 3] = [
        ("naive (unsafe)", |_| Strategy::Naive),
        ("safe", |_| Strategy::Safe),
        ("k-jump far", |functions| {
            Strategy::Jump((0..functions).map(|step| (functions - step) as u32).collect())
        }),
    ];
    let line = |(name, strategy): NamedStrategy| {
        let at = |functions_asked: usize| {
            let plan =
                JumpPlan::new((0..functions_asked).collect(), strategy(functions_asked)).ok()?;
            point(functions_asked as f64, MULTISETS, |set| {
                milliseconds(&functions(8, functions_asked, SEED + set)?, 8, &plan, set)
            })
        };
        Line { name: name.to_owned(), points: (2..=6).filter_map(at).collect() }
    };
    Ok(ways.into_iter().map(line).collect())
}

fn utility(_effort: &ExperimentEffort) -> FigureLines {
    let mut lines: Vec<Line> = Vec::new();
    for (name, sequence, strategy) in strategies() {
        let plan = JumpPlan::new(sequence, strategy)?;
        let at = |people: u32| {
            point(people.into(), MULTISETS, |set| {
                discernability(&functions(people, 4, SEED + set)?, people, &plan, set)
            })
        };
        lines.push(Line {
            name: name.to_owned(),
            points: (4..=12).step_by(2).filter_map(at).collect(),
        });
    }
    let vectors: Vec<&Line> =
        lines.iter().filter(|line| line.name.starts_with("k-jump 1")).collect();
    let places = vectors[0].points.len();
    let mean = |place: usize| {
        let values = vectors.iter().map(|line| line.points[place].value);
        Point::new(vectors[0].points[place].at, values.sum::<f64>() / vectors.len() as f64)
    };
    let secret = Line {
        name: "secret choice of a vector".to_owned(),
        points: (0..places).map(mean).collect(),
    };
    lines.push(secret);
    Ok(lines)
}

/// Returns the mean over all tables of a multiset; publishing nothing counts as one group.
fn discernability(
    functions: &Functions,
    people: u32,
    plan: &JumpPlan,
    seed: u64,
) -> Result<f64, openveil_core::Error> {
    let space = ContingencyTables::new(functions, &counts(people, seed), CLASSES)?;
    let evaluation = evaluate(&space, &RatioBound::new(1, 2)?, plan)?;
    let released = evaluation.released_tables(&space);
    let people = f64::from(people);
    let of_function = |function: &usize| {
        functions.partitions()[*function]
            .iter()
            .map(|group| (group.len() * group.len()) as f64)
            .sum::<f64>()
            / people
    };
    let costs = plan.sequence().iter().map(of_function).chain([people]);
    let sum: f64 = released.iter().zip(costs).map(|(&tables, cost)| tables as f64 * cost).sum();
    Ok(sum / space.tables() as f64)
}
