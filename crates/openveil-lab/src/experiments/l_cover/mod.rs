//! L-Cover: the cost of its practical procedure on real tables, and what the procedure may release.

mod blocks;
mod whole;

use super::{ExperimentEffort, Paper, Rebuilt, SEED, folder};
use crate::covering::{Alone, Making};
use crate::tables;
use openveil_core::model::RatioDiversity;
use openveil_core::table::{Groups, View};
use openveil_papers::attack::sample;
use std::error::Error;

pub(super) const PAPER: Paper = Paper {
    name: "l-cover",
    title: "L-Cover",
    about: "The paper has no measures: the performance of its practical procedure (end of section 4.2) is left to its future work. Here the procedure is built for what it is (`openveil_lab::covering`): covers of every value that several people have are made in advance; candidates, which depend on \
quasi-identifiers alone, are tried in the order of their discernability; the first one that is diverse and breaks no cover is released, and everybody in one group if there is none. Covers are chosen by coins for each value independently (as `ria` does), by coins such that people who cover each other form \
groups (as `rda` does; in a group of more than l, coins choose who covers whom), or as the nearest people of other values. In blocks, all cuts of people in the order of their quasi-identifiers are candidates; whole tables have too many, and Mondrian's boxes of k = l, 2 l, 4 l, … people stand for them. Adult: age, sex, education, country; occupation. \
GSS: year, age, gender, education, marital state; occupation; or real incomes, exact or in 50 classes. \
Means of twenty coins, each with other samples and 200 other blocks; times on a machine that others used as well.",
    figures: &[
        Rebuilt {
            number: "singletons",
            title: "people whose value is theirs alone, in %, by number of rows",
            across: "rows",
            reported: "values that appear once need no covers; there is no figure.",
            verdict: "measured: it depends on the value and the sample. Of 100 people four in five have an income of their own, of 25,600 next to none; values that come from a list, as occupations do, are hardly ever one person's alone. So the rule about them matters in blocks and for exact numbers; there it holds (last figure).",
            measure: whole::singletons,
        },
        Rebuilt {
            number: "unsafe groups",
            title: "unsafe groups among boxes of at least l people, in %, by l",
            across: "l",
            reported: "groups of l or more people that are not diverse are what a refused candidate tells of; there is no figure.",
            verdict: "measured: boxes that look at quasi-identifiers alone (Mondrian's) are unsafe more often than not from l = 5 on in both tables, for a bound of 1/l as well as for the paper's entropy where values are occupations (Adult: from l = 6). A candidate of thousands of boxes is refused for certain; only classes of equal size (50 of income) make unsafe boxes rare.",
            measure: whole::unsafe_groups,
        },
        Rebuilt {
            number: "admitted",
            title: "blocks in which any candidate is admitted, in %, by people in a block, l = 2",
            across: "people in a block",
            reported: "no figure.",
            verdict: "**reproduced** as far as it goes: a check finds, without any locally safe set, what may be released. But covers that are chosen before quasi-identifiers are looked at let a candidate through in a third of the blocks of six people and in ever fewer of larger ones: of 14 in one of six, and where values choose independently in less than one of thirty. Near covers let most blocks through, and are what must not be done.",
            measure: blocks::admitted,
        },
        Rebuilt {
            number: "blocks, Adult",
            title: "discernability per person, by people in a block, Adult, l = 2",
            across: "people in a block",
            reported: "no figure; \"better\" heuristics are expected.",
            verdict: "**cannot be** (better heuristics by this procedure): where covers come first, nearly all blocks are released as one group. `rda` and `cover` make their groups *of* the covers, and lose nothing of the size.",
            measure: |effort| blocks::blocks(effort, "adult-4"),
        },
        Rebuilt {
            number: "blocks, GSS",
            title: "discernability per person, by people in a block, GSS, l = 2",
            across: "people in a block",
            reported: "no figure.",
            verdict: "as Adult.",
            measure: |effort| blocks::blocks(effort, "gss"),
        },
        Rebuilt {
            number: "tables",
            title: "discernability per row, by l, the whole of Adult",
            across: "l",
            reported: "no figure.",
            verdict: "**cannot be**: with the covers of 45,222 people every candidate but everybody is refused, because one broken pair is enough. Mondrian is the candidate's ideal without covers; at l = 6 one group is all that its test leaves.",
            measure: whole::tables,
        },
        Rebuilt {
            number: "rows",
            title: "discernability per row, by number of rows, Adult, l = 3",
            across: "rows",
            reported: "no figure.",
            verdict: "covers that values choose independently tie everybody together from 30 people on (l = 3): the finest grouping that they admit is one group, as `ria`'s. Covers in groups admit groups of l: that is `rda`. So what decides is how covers are made, not how candidates are checked.",
            measure: whole::by_rows,
        },
        Rebuilt {
            number: "time",
            title: "milliseconds by number of rows, Adult, l = 3",
            across: "rows",
            reported: "no figure; efficient, since nothing is computed twice.",
            verdict: "**reproduced**: no problem that would be hard. The property as it is defined looks at every pair of a group and a cover, which takes four times as long for twice the rows; to look at pairs that a group separates takes less than making the covers.",
            measure: whole::time,
        },
        Rebuilt {
            number: "reader",
            title: "highest chance of a value to a reader who knows the procedure, l = 2",
            across: "people",
            reported: "Claim 7: entropy 2-diversity, which a highest chance of 1/2 implies.",
            verdict: "**reproduced**, for every multiset of so many people, by enumeration of tables and coins: covers by coins keep the promise, whether or not values that one person alone has are covered, as the paper says. Coins have to choose who covers whom in groups of three: by row numbers, as this figure once had it, chances of 3/4 to 6/7 come out. Near covers make values certain. Covers at random held up to six people; more have too many coins to enumerate.",
            measure: blocks::reader,
        },
    ],
};

/// How covers are made, and the treatment of values that only one person has.
type CoverMaker = (&'static str, (Making, Alone));

const WAYS: [CoverMaker; 4] = [
    ("covers at random", (Making::Independent, Alone::LeftOut)),
    ("covers in groups", (Making::Dependent, Alone::LeftOut)),
    (
        "covers in groups of single values too",
        (Making::Dependent, Alone::Covered),
    ),
    ("near covers (unsafe)", (Making::Near, Alone::LeftOut)),
];

fn table(effort: &ExperimentEffort, name: &str) -> Result<View, Box<dyn Error>> {
    Ok(tables::read(name, folder(effort)?, SEED)?.view)
}

fn ratio(l: u32) -> Result<RatioDiversity, openveil_core::Error> {
    RatioDiversity::new(l)
}

fn some_rows(table: &View, rows: usize, seed: u64) -> Result<View, openveil_core::Error> {
    table.of_rows(&sample(table.rows(), rows, seed))
}

/// Returns the sum of squared sizes, per person.
fn per_person(groups: &Groups) -> f64 {
    let squares = groups
        .iter()
        .map(|group| (group.len() * group.len()) as f64);
    squares.sum::<f64>() / groups.row_count() as f64
}

fn mean_of(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / f64::max(count, 1.0)
}
