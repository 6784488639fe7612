//! The practical procedure of the L-Cover paper (end of section 4.2): covers of every value that
//! several people have are made in advance, and a candidate is released if it does not break them.
//! It serves measurements; the property itself is [`openveil_papers::verify::l_cover`].

use openveil_core::Error;
use openveil_core::coins::{Coins, shuffle};
use openveil_core::model::RatioDiversity;
use openveil_core::table::{Groups, View};
use openveil_papers::algorithm::streamliner::colours::Colours;
use openveil_papers::algorithm::streamliner::{RiaColours, rda};
use std::collections::{BTreeMap, HashSet};

/// How covers are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Making {
    /// At random, for each value independently of the others, as `ria` chooses.
    Independent,
    /// At random, such that people who cover each other form groups, as `rda` chooses.
    Dependent,
    /// The nearest rows of other values, without random draws. This is unsafe, since which rows are
    /// nearest depends on who has which value.
    Near,
}

/// Treatment of values that only one person has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alone {
    /// They get no covers, since any other members of a diverse group can stand in.
    LeftOut,
    /// They get none, and every group needs more than l different values, as in the paper.
    LeftOutStrictly,
    /// They are covered like other values.
    Covered,
}

/// One cover of one value: each of its rows with the row that stands for it.
type ValueCover = Vec<(u32, u32)>;

/// Covers that were made in advance.
#[derive(Debug, Clone)]
pub struct MadeCovers {
    rows: usize,
    covers: Vec<ValueCover>,
}

impl MadeCovers {
    /// Makes covers for every value of a table, or for the values that several people have. None if
    /// the nearest rows run out; random covers always exist.
    ///
    /// # Errors
    /// Errors of the coins.
    pub fn new(
        table: &View,
        model: RatioDiversity,
        (making, alone): (Making, Alone),
        coins: &mut dyn Coins,
    ) -> Result<Option<Self>, Error> {
        let found = match making {
            Making::Independent => Some(independent(table, model, coins)?),
            Making::Dependent => Some(dependent(table, model, coins)?),
            Making::Near => near(table, model),
        };
        let rows = table.rows();
        let is_kept = |cover: &ValueCover| alone == Alone::Covered || cover.len() > 1;
        Ok(found.map(|covers| Self { rows, covers: covers.into_iter().filter(is_kept).collect() }))
    }

    /// Returns whether a candidate breaks none of the covers, alone or together with the candidates
    /// considered before. Every group holds as many rows of a value as of each of its covers, and
    /// exchanging them gives a group that occurs.
    ///
    /// O(rows · values · l), plus, for groups that a cover leaves, their size.
    pub fn admits(&self, considered: &[&Groups], candidate: &Groups) -> bool {
        let mut group_of = vec![0; self.rows];
        for (group, rows) in (0u32..).zip(candidate.iter()) {
            rows.iter().for_each(|&row| group_of[row as usize] = group);
        }
        let known = || -> HashSet<Vec<u32>> {
            considered
                .iter()
                .copied()
                .chain([candidate])
                .flat_map(|groups| groups.iter().map(sorted))
                .collect()
        };
        let mut lazily = None;
        self.covers.iter().all(|cover| {
            let apart =
                |&&(row, image): &&(u32, u32)| group_of[row as usize] != group_of[image as usize];
            let crossing: Vec<(u32, u32)> = cover.iter().filter(apart).copied().collect();
            if crossing.is_empty() {
                return true; // Exchanged rows stay in their groups.
            }
            is_balanced(&crossing, &group_of) && {
                let known = lazily.get_or_insert_with(known);
                exchanged(&crossing, &group_of, candidate).all(|group| known.contains(&group))
            }
        })
    }

    /// Returns the rows that stand for the rows of each value, cover by cover, rows and values
    /// ascending: the form that [`openveil_papers::verify::l_cover::Covers`] takes.
    pub fn images(&self, codes: &[u32]) -> Vec<Vec<Vec<u32>>> {
        let mut images: BTreeMap<u32, Vec<Vec<u32>>> = BTreeMap::new();
        for cover in &self.covers {
            let mut cover = cover.clone();
            cover.sort_unstable();
            let of_value = images.entry(codes[cover[0].0 as usize]).or_default();
            of_value.push(cover.into_iter().map(|(_, image)| image).collect());
        }
        images.into_values().collect()
    }

    /// Returns all pairs of a row and a row that stands for it.
    pub fn links(&self) -> impl Iterator<Item = (u32, u32)> {
        self.covers.iter().flatten().copied()
    }
}

/// Returns the groups of a table by the procedure: the first candidate that is diverse and breaks
/// no cover, or one group of everybody if there is none.
///
/// # Errors
/// Errors of the coins.
pub fn first_admitted(
    table: &View,
    model: RatioDiversity,
    making: (Making, Alone),
    candidates: &[Groups],
    coins: &mut dyn Coins,
) -> Result<Groups, Error> {
    let everybody = || std::iter::once(0..table.rows() as u32).collect();
    let Some(covering) = MadeCovers::new(table, model, making, coins)? else {
        return Ok(everybody());
    };
    let codes = table.secret().codes();
    let least = model.l() as usize + usize::from(making.1 == Alone::LeftOutStrictly);
    let released = candidates.iter().find(|&candidate| {
        let is_diverse = |group: &[u32]| {
            let (fits, distinct) = diversity(codes, group, model);
            fits && distinct >= least
        };
        candidate.iter().all(is_diverse) && covering.admits(&[], candidate)
    });
    Ok(released.cloned().unwrap_or_else(everybody))
}

/// Returns whether no value has more than 1/l of a group, and the number of its values.
pub fn diversity(codes: &[u32], group: &[u32], model: RatioDiversity) -> (bool, usize) {
    let mut values: Vec<u32> = group.iter().map(|&row| codes[row as usize]).collect();
    values.sort_unstable();
    let runs = values.chunk_by(|a, b| a == b).map(<[u32]>::len);
    let (most, distinct) = runs.fold((0, 0), |(most, distinct), run| (run.max(most), distinct + 1));
    (model.allows(most as u64, values.len() as u64), distinct)
}

/// Returns all divisions of `rows` rows into runs of at least `least`, the least discernability
/// first. Their number is exponential.
pub fn runs(rows: u32, least: u32) -> Vec<Groups> {
    let mut cuts: Vec<Vec<u32>> = Vec::new();
    collect_cuts(rows, least, &mut Vec::new(), &mut cuts);
    let cost = |sizes: &Vec<u32>| sizes.iter().map(|size| size * size).sum::<u32>();
    cuts.sort_by_key(cost);
    let groups = |sizes: &Vec<u32>| -> Groups {
        let mut first = 0;
        let run = |&size: &u32| {
            first += size;
            first - size..first
        };
        sizes.iter().map(run).collect()
    };
    cuts.iter().map(groups).collect()
}

fn collect_cuts(rows: u32, least: u32, sizes: &mut Vec<u32>, cuts: &mut Vec<Vec<u32>>) {
    if rows == 0 {
        return cuts.push(sizes.clone());
    }
    for size in least..=rows {
        sizes.push(size);
        collect_cuts(rows - size, least, sizes, cuts);
        sizes.pop();
    }
}

fn independent(
    table: &View,
    model: RatioDiversity,
    coins: &mut dyn Coins,
) -> Result<Vec<ValueCover>, Error> {
    let colours = RiaColours::new(table, model);
    let mut covers = Vec::new();
    for colour in 0..colours.len() {
        let links = colours.links(colour, coins)?;
        covers.extend(by_place(&links, model.l() as usize - 1));
    }
    Ok(covers)
}

/// Returns the pairs of each place, from pairs that are listed with `places` consecutive ones per
/// row.
fn by_place(links: &[(u32, u32)], places: usize) -> impl Iterator<Item = ValueCover> {
    (0..places).map(move |place| links.iter().skip(place).step_by(places).copied().collect())
}

/// Covers people by others of their group in `rda`, who all have different values: each by the next
/// ones on a circle, in random order. An order by row numbers would disclose something: in a group
/// of three, a person's image would show which other member has an unshared value.
fn dependent(
    table: &View,
    model: RatioDiversity,
    coins: &mut dyn Coins,
) -> Result<Vec<ValueCover>, Error> {
    let groups = rda(table, model, coins)?;
    let colours = Colours::new(table);
    let places = model.l() as usize - 1;
    let mut covers: Vec<ValueCover> = vec![Vec::new(); colours.len() * places];
    for group in groups.iter() {
        let mut group = group.to_vec();
        shuffle(&mut group[1..], coins); // The circle may be rotated, so one member can stay first.
        for (at, &row) in group.iter().enumerate() {
            let colour = colours.colour_of(row) as usize;
            for place in 0..places {
                let image = group[(at + place + 1) % group.len()];
                covers[colour * places + place].push((row, image));
            }
        }
    }
    Ok(covers)
}

/// Returns the nearest unused rows of other values, each of a different value; rows are in the
/// order of their known columns. O(rows² · log rows).
fn near(table: &View, model: RatioDiversity) -> Option<Vec<ValueCover>> {
    let (colours, rows) = (Colours::new(table), table.rows() as u32);
    let places = model.l() as usize - 1;
    let mut covers = Vec::new();
    for colour in colours.iter() {
        let mut used: HashSet<u32> = colour.iter().copied().collect();
        let mut links = Vec::new();
        for &row in colour {
            let mut order: Vec<u32> = (0..rows).filter(|other| !used.contains(other)).collect();
            order.sort_by_key(|&other| (other.abs_diff(row), other));
            let mut met = BTreeMap::new();
            for other in order {
                if met.len() < places {
                    met.entry(colours.colour_of(other)).or_insert(other);
                }
            }
            if met.len() < places {
                return None;
            }
            used.extend(met.values());
            links.extend(met.into_values().map(|image| (row, image)));
        }
        covers.extend(by_place(&links, places));
    }
    Some(covers)
}

/// Returns whether every group loses as many rows of the value as it gains.
fn is_balanced(crossing: &[(u32, u32)], group_of: &[u32]) -> bool {
    let mut surplus: BTreeMap<u32, i64> = BTreeMap::new();
    for &(row, image) in crossing {
        *surplus.entry(group_of[row as usize]).or_default() += 1;
        *surplus.entry(group_of[image as usize]).or_default() -= 1;
    }
    surplus.values().all(|&surplus| surplus == 0)
}

/// Returns the groups that an exchange changes, as they are after it.
fn exchanged<'a>(
    crossing: &[(u32, u32)],
    group_of: &[u32],
    candidate: &'a Groups,
) -> impl Iterator<Item = Vec<u32>> + use<'a> {
    let mut moves: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
    for &(row, image) in crossing {
        for (from, to) in [(row, image), (image, row)] {
            let own = moves.entry(group_of[from as usize]).or_default();
            own.insert(from, to);
        }
    }
    moves.into_iter().map(move |(group, moves)| {
        let rows: Vec<u32> = candidate
            .get(group as usize)
            .iter()
            .map(|row| *moves.get(row).unwrap_or(row))
            .collect();
        sorted(&rows)
    })
}

fn sorted(rows: &[u32]) -> Vec<u32> {
    let mut rows = rows.to_vec();
    rows.sort_unstable();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::coins::SecretCoins;
    use openveil_core::exact::{Fraction, fraction};
    use openveil_core::model::Model;
    use openveil_core::table::Secret;
    use openveil_papers::verify::l_cover::{CoverColours, CoverCondition, CoverStrength, Covers};
    use openveil_papers::verify::{Scenario, verify};

    fn table(codes: &[u32]) -> View {
        let labels = (0..=*codes.iter().max().unwrap()).map(|value| value.to_string());
        View::new(Vec::new(), Secret::new("value", codes.to_vec(), labels)).unwrap()
    }

    /// If every value is shared, the check agrees with the check of the property.
    #[test]
    fn admits_what_the_property_admits() {
        let codes = [0, 1, 2, 0, 1, 2, 0, 1];
        let (table, model) = (table(&codes), RatioDiversity::new(2).unwrap());
        let condition = CoverCondition {
            model,
            strength: CoverStrength::Full,
            reading: CoverColours::Streamliner,
        };
        let mut admitted = [0, 0];
        for seed in 0..40 {
            for making in [Making::Independent, Making::Dependent, Making::Near] {
                let coins = &mut SecretCoins::from_test_seed(seed);
                let Some(own) =
                    MadeCovers::new(&table, model, (making, Alone::Covered), coins).unwrap()
                else {
                    continue;
                };
                let property = Covers::new(&codes, condition, own.images(&codes)).unwrap();
                for candidate in runs(8, 2) {
                    let expected = property.admit(&[], &candidate).is_ok();
                    assert_eq!(own.admits(&[], &candidate), expected);
                    admitted[usize::from(expected)] += 1;
                }
            }
        }
        assert!(admitted.iter().all(|&count| count > 10), "{admitted:?}");
    }

    #[test]
    fn runs_are_all_cuts_with_the_best_first() {
        let cuts = runs(6, 2);
        let sizes = |groups: &Groups| groups.iter().map(<[u32]>::len).collect::<Vec<_>>();
        let sizes: Vec<_> = cuts.iter().map(sizes).collect();
        assert_eq!(sizes, [vec![2, 2, 2], vec![3, 3], vec![2, 4], vec![4, 2], vec![6]]);
    }

    /// Returns the greatest chance of a value over all coins and all tables of a multiset.
    fn greatest(making: Making, alone: Alone, values: &[u32]) -> Fraction {
        let model = RatioDiversity::new(2).unwrap();
        let scenario = Scenario::of_values(values.to_vec(), model).unwrap();
        let candidates = runs(values.len() as u32, 2);
        let mechanism = |view: &View, _: &Model, coins: &mut dyn Coins| {
            first_admitted(view, model, (making, alone), &candidates, coins)
        };
        verify(&mechanism, &scenario).unwrap().max_posterior
    }

    #[test]
    fn covers_by_coins_are_safe_and_near_ones_are_not() {
        let (three_pairs, half) = ([1, 1, 2, 2, 3, 3], fraction(1, 2));
        for making in [Making::Independent, Making::Dependent] {
            assert_eq!(greatest(making, Alone::Covered, &three_pairs), half);
        }
        let near = greatest(Making::Near, Alone::Covered, &three_pairs);
        assert_eq!(near, fraction(1, 1));
    }

    /// Values that occur once get no covers here, as in the paper. No chance exceeds 1/2 if the
    /// images of other values are chosen at random.
    #[test]
    fn values_that_occur_once_need_no_covers() {
        for (alone, values) in [
            (Alone::LeftOut, &[1, 1, 2, 3, 4][..]),
            (Alone::LeftOutStrictly, &[1, 1, 2, 3, 4, 5, 6]),
        ] {
            let found = greatest(Making::Dependent, alone, values);
            assert_eq!(found, fraction(1, 2), "{values:?}");
        }
    }
}
