//! RDA, random and dependent (Privacy Streamliner, sections 3.2 and 3.4,
//! Table 6).

use super::blocks::ItemBlocks;
use super::colours::Colours;
use super::largest_first::LargestFirst;
use openveil_core::Error;
use openveil_core::coins::Coins;
use openveil_core::model::RatioDiversity;
use openveil_core::table::{Groups, View};

/// Divides a table into groups by RDA. Every choice that the paper leaves open is made by coins or
/// by value label.
///
/// The colour with the most incomplete rows (ties: the least value code) is finished row by row.
/// Each row takes one row from each of the l−1 other colours with the most incomplete rows, ties by
/// coins. Coins decide which row of a colour is taken. The fewer than l colours that are left over
/// at the end go, largest first, to a group of least cardinality without their value, by coins;
/// there always is one (see the [module](super)).
///
/// The result is close to the least possible discernability, but not always equal to it: counts 2,
/// 2, 2, 1, 1 with l = 3 can end in groups of 3 and 5, although 4 and 4 is best.
///
/// O(n) time, plus O(log values) per colour that is finished.
///
/// # Errors
/// None, if the table is eligible.
pub fn rda(table: &View, model: RatioDiversity, coins: &mut dyn Coins) -> Result<Groups, Error> {
    let colours = Colours::new(table);
    let seated = colours.seated(coins);
    let formation = form(&colours, model, &mut ByCoins(coins));
    Ok(formation.groups(&seated))
}

/// Groups places as [`rda`] does, whoever is in them. O(places), as [`rda`].
pub(super) fn groups_of_places(
    places: &Colours,
    model: RatioDiversity,
    coins: &mut dyn Coins,
) -> Groups {
    form(places, model, &mut ByCoins(coins)).groups(places.rows())
}

/// Divides a table into groups by RDA without random draws: ties by value code, rows in file order,
/// left-overs to the first group formed. Table 6 of the paper draws at random; this order is ours,
/// for comparison. **Unsafe**: a reader who runs it on the possible tables may learn a person's
/// value with certainty.
///
/// O(n · values) time, and O(groups) per left-over.
///
/// # Errors
/// None, if the table is eligible.
pub fn rda_file_order(table: &View, model: RatioDiversity) -> Result<Groups, Error> {
    let colours = Colours::new(table);
    let formation = form(&colours, model, &mut InFileOrder);
    Ok(formation.groups(colours.rows()))
}

/// The choices that the paper leaves open to RDA.
trait RdaChoice {
    /// Returns the position of one of at least two colours or groups.
    fn choose(&mut self, items: &[u32]) -> usize;
}

/// Makes every open choice uniformly at random.
struct ByCoins<'a>(&'a mut dyn Coins);

impl RdaChoice for ByCoins<'_> {
    fn choose(&mut self, items: &[u32]) -> usize {
        self.0.below(items.len() as u32) as usize
    }
}

/// Chooses the least value code, and the group formed first.
struct InFileOrder;

impl RdaChoice for InFileOrder {
    fn choose(&mut self, items: &[u32]) -> usize {
        let least = (0..items.len()).min_by_key(|&place| items[place]);
        least.expect("a choice is among at least two")
    }
}

/// Forms all groups of places. It uses only the number of rows of each colour.
fn form<'a>(
    colours: &'a Colours,
    model: RatioDiversity,
    choice: &mut impl RdaChoice,
) -> Formation<'a> {
    let mut formation = Formation::new(colours);
    formation.form(model.l() as usize - 1, choice);
    formation.append_left_overs(choice);
    formation
}

/// Groups formed so far, and the places that are still incomplete.
struct Formation<'a> {
    colours: &'a Colours,
    /// The first incomplete place of each colour: they are taken in order.
    next: Vec<usize>,
    /// The group of each complete place.
    group_of: Vec<u32>,
    /// The number of groups.
    formed: u32,
}

impl<'a> Formation<'a> {
    /// Returns the groups of the rows in the places; rows ascending. O(n).
    fn groups(&self, seated: &[u32]) -> Groups {
        let mut group_of = vec![0; seated.len()];
        for (&row, &group) in seated.iter().zip(&self.group_of) {
            group_of[row as usize] = group;
        }
        Groups::from_labels(&group_of, self.formed as usize)
    }

    fn new(colours: &'a Colours) -> Self {
        Self {
            colours,
            group_of: vec![0; colours.row_count()],
            next: (0..colours.len()).map(|c| colours.range(c).start).collect(),
            formed: 0,
        }
    }

    /// Table 6, lines 4–13: forms groups of one place from each of 1 + `others` colours, until
    /// fewer colours than that are incomplete.
    fn form(&mut self, others: usize, choice: &mut impl RdaChoice) {
        let mut incomplete = ItemBlocks::new(self.colours.sizes());
        let size_and_label = |blocks: &ItemBlocks, colour| match blocks.count(colour) {
            0 => None,
            count => Some((count, colour)),
        };
        let mut waiting =
            LargestFirst::new(self.colours.len(), |colour| size_and_label(&incomplete, colour));
        let mut chosen = Vec::with_capacity(others);
        while let Some(current) = waiting.pop(|colour| size_and_label(&incomplete, colour)) {
            let places = incomplete.count(current);
            incomplete.use_up(current);
            for _ in 0..places {
                if incomplete.open() < others {
                    return;
                }
                chosen.clear();
                chosen.extend_from_slice(incomplete.leaders(others, |items| choice.choose(items)));
                self.take(current, self.formed);
                for &colour in &chosen {
                    incomplete.decrement(colour);
                    self.take(colour, self.formed);
                }
                self.formed += 1;
            }
        }
    }

    /// Puts the next place of a colour into a group.
    fn take(&mut self, colour: u32, group: u32) {
        let next = &mut self.next[colour as usize];
        self.group_of[*next] = group;
        *next += 1;
    }

    fn left_over(&self, colour: u32) -> usize {
        self.colours.range(colour as usize).end - self.next[colour as usize]
    }

    /// Table 6, lines 14–18 in the reading of section 3.4: appends each left-over to a group
    /// without its colour that is as small as possible.
    fn append_left_overs(&mut self, choice: &mut impl RdaChoice) {
        let mut waiting: Vec<u32> =
            (0..self.colours.len() as u32).filter(|&colour| self.left_over(colour) > 0).collect();
        let mut open: Vec<ItemBlocks> = waiting
            .iter()
            .map(|&colour| self.compatible_groups(colour, waiting.len() as u32))
            .collect();
        while let Some(at) = (0..waiting.len())
            .max_by_key(|&at| (self.left_over(waiting[at]), std::cmp::Reverse(waiting[at])))
        {
            let group = open[at].leaders(1, |groups| choice.choose(groups))[0];
            self.take(waiting[at], group);
            open[at].use_up(group);
            for compatible in &mut open {
                if compatible.count(group) > 0 {
                    compatible.decrement(group);
                }
            }
            if self.left_over(waiting[at]) == 0 {
                waiting.remove(at);
                open.remove(at);
            }
        }
    }

    /// Returns the groups without a colour, smallest first. A group's count is how many more
    /// left-overs it could take if it took one of each of `colours` colours; the count is 0 for a
    /// group with the colour.
    fn compatible_groups(&self, colour: u32, colours: u32) -> ItemBlocks {
        let mut room = vec![colours; self.formed as usize];
        let taken = self.colours.range(colour as usize).start..self.next[colour as usize];
        for &group in &self.group_of[taken] {
            room[group as usize] = 0;
        }
        ItemBlocks::new(room)
    }
}

#[cfg(test)]
mod tests;
