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
    about: "The paper has no measurements: it leaves the performance of its practical procedure (end of section 4.2) to future work. We built this procedure (`openveil_lab::covering`). It first makes covers of every value that several people have. It then tries candidates, which depend on quasi-identifiers alone, in the order of their discernability. It releases the first candidate that is diverse and breaks no cover. If there is none, it releases everybody in one group. \
Covers are chosen in one of three ways: at random for each value independently (as `ria` does); at random so that people who cover each other form groups (as `rda` does; in a group of more than l people, random draws choose who covers whom); or as the nearest people with other values. \
In blocks, every cut of the people in the order of their quasi-identifiers is a candidate. Whole tables have too many cuts, so their candidates are Mondrian's boxes of k = l, 2 l, 4 l, … people. \
Adult has age, sex, education and country, with occupation as the sensitive column. The GSS has year, age, gender, education and marital state, with occupation or real incomes (exact, or in 50 classes). Values are means of twenty runs, each with its own random draws, its own samples and its own 200 blocks. Times were taken on a machine that others used as well.",
    figures: &[
        Rebuilt {
            number: "singletons",
            title: "people whose value is theirs alone, in %, by number of rows",
            across: "rows",
            reported: "Values that appear once need no covers. There is no figure.",
            verdict: "**Measured.** The share depends on the value and on the sample. In a sample of 100 people, four in five have an income that nobody else has; in 25,600 people, next to none do. Values from a list, such as occupations, hardly ever belong to one person alone. So the rule about such values matters in blocks and for exact numbers. There it holds (last figure).",
            measure: whole::singletons,
        },
        Rebuilt {
            number: "unsafe groups",
            title: "unsafe groups among boxes of at least l people, in %, by l",
            across: "l",
            reported: "A refused candidate tells that there are groups of l or more people that are not diverse. There is no figure.",
            verdict: "**Measured.** Boxes that look at quasi-identifiers alone (Mondrian's) are unsafe more often than not from l = 5 on, in both tables with occupations. That holds for a bound of 1/l and for the paper's entropy (Adult: from l = 6). A candidate of thousands of boxes is certain to be refused. Only classes of equal size (50 classes of income) make unsafe boxes rare.",
            measure: whole::unsafe_groups,
        },
        Rebuilt {
            number: "admitted",
            title: "blocks in which any candidate is admitted, in %, by people in a block, l = 2",
            across: "people in a block",
            reported: "No figure.",
            verdict: "**Reproduced** in part: a check finds what may be released, without any locally safe set. But if covers are chosen before quasi-identifiers are looked at, few blocks have a candidate that passes. With six people it is a third of the blocks; larger blocks have fewer. With 14 people it is one block in six, and fewer than one in thirty where values choose independently. Near covers let most blocks pass, but they are unsafe and must not be used.",
            measure: blocks::admitted,
        },
        Rebuilt {
            number: "blocks, Adult",
            title: "discernability per person, by people in a block, Adult, l = 2",
            across: "people in a block",
            reported: "No figure. The paper expects \"better\" heuristics.",
            verdict: "**Cannot be reproduced**: this procedure gives no better heuristics. If covers come first, nearly all blocks are released as one group. `rda` and `cover` make their groups *from* the covers, and lose nothing in size.",
            measure: |effort| blocks::blocks(effort, "adult-4"),
        },
        Rebuilt {
            number: "blocks, GSS",
            title: "discernability per person, by people in a block, GSS, l = 2",
            across: "people in a block",
            reported: "No figure.",
            verdict: "The result is as for Adult.",
            measure: |effort| blocks::blocks(effort, "gss"),
        },
        Rebuilt {
            number: "tables",
            title: "discernability per row, by l, the whole of Adult",
            across: "l",
            reported: "No figure.",
            verdict: "**Cannot be reproduced.** With the covers of 45,222 people, every candidate is refused except everybody in one group, because one broken pair is enough. Mondrian shows what candidates could reach without covers. At l = 6, its own test leaves only one group.",
            measure: whole::tables,
        },
        Rebuilt {
            number: "rows",
            title: "discernability per row, by number of rows, Adult, l = 3",
            across: "rows",
            reported: "No figure.",
            verdict: "If values choose their covers independently, the covers tie everybody together from 30 people on (l = 3). The finest grouping that they admit is then one group, as with `ria`. Covers in groups admit groups of l people, as with `rda`. So the way of making covers decides, not the way of checking candidates.",
            measure: whole::by_rows,
        },
        Rebuilt {
            number: "time",
            title: "milliseconds by number of rows, Adult, l = 3",
            across: "rows",
            reported: "No figure. The paper calls the procedure efficient, because nothing is computed twice.",
            verdict: "**Reproduced**: no step is a hard problem. The property as it is defined looks at every pair of a group and a cover, which takes four times as long for twice the rows. Looking only at pairs that a group separates takes less time than making the covers.",
            measure: whole::time,
        },
        Rebuilt {
            number: "reader",
            title: "highest chance of a value to a reader who knows the procedure, l = 2",
            across: "people",
            reported: "Claim 7 promises entropy 2-diversity, which follows from a highest chance of 1/2.",
            verdict: "**Reproduced** for every multiset of so many people, by enumerating tables and random draws. Random covers satisfy the bound, whether or not values that one person alone has are covered, as the paper says. In groups of three, random draws have to choose who covers whom. An earlier version of this figure used row numbers instead, and chances of 3/4 to 6/7 came out. Near covers make values certain. Covers at random are checked for up to six people; more people have too many draws to enumerate.",
            measure: blocks::reader,
        },
    ],
};

/// How covers are made, and the treatment of values that only one person has.
type CoverMaker = (&'static str, (Making, Alone));

const WAYS: [CoverMaker; 4] = [
    ("covers at random", (Making::Independent, Alone::LeftOut)),
    ("covers in groups", (Making::Dependent, Alone::LeftOut)),
    ("covers in groups of single values too", (Making::Dependent, Alone::Covered)),
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
    groups.iter().map(|group| (group.len() * group.len()) as f64).sum::<f64>()
        / groups.row_count() as f64
}

fn mean_of(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / f64::max(count, 1.0)
}
