//! RIA, random and independent (Privacy Streamliner, section 3.1, Table 5).

use super::colours::Colours;
use super::union_find::UnionFind;
use openveil_core::Error;
use openveil_core::coins::{Coins, shuffle};
use openveil_core::model::RatioDiversity;
use openveil_core::table::{Groups, View};

/// The number of times that the choices of one colour may fail before RIA gives up.
const ATTEMPTS: u64 = 10_000;

/// Divides a table into groups by RIA. Every person is linked to l−1 people with different other
/// values, chosen at random and independently for each value, and linked people end up in one
/// group.
///
/// **At scale the groups tend to merge into one giant group**: with l ≥ 3 every person has l−1
/// links of their own and about as many from others, and a random graph of that density is nearly
/// connected. RIA shows how simple a safe algorithm can be; it is not meant for publishing more
/// than a few rows.
///
/// O(l · n) time for the choices, and the merge (union-find). A colour whose choices fail is
/// started again; on histograms with hardly any slack this may take many attempts.
///
/// # Errors
/// [`Error::BeyondLimit`] if one colour failed 10,000 times; [`Error::Abandoned`] with coins that
/// are enumerated.
pub fn ria(table: &View, model: RatioDiversity, coins: &mut dyn Coins) -> Result<Groups, Error> {
    let colours = RiaColours::new(table, model);
    let seated = colours.colours.seated(coins);
    let mut choices = Choices::new(&colours.places);
    let mut sets = UnionFind::new(table.rows());
    let mut links = Vec::new();
    for colour in 0..colours.len() {
        colours.choose(colour, &mut choices, &mut links, coins)?;
        for &(a, b) in &links {
            sets.join(seated[a as usize], seated[b as usize]);
        }
    }
    Ok(sets.into_groups())
}

/// RIA one colour at a time.
///
/// The choices of different colours are independent of one another. The distribution of RIA's
/// groups is therefore the distribution of independent [`RiaColours::links`], one per colour,
/// combined by [`merge`](super::candidates::merge). An integration over all coins can proceed
/// colour by colour.
#[derive(Debug, Clone)]
pub struct RiaColours {
    colours: Colours,
    /// Choices are among places; coins decide which row is in which place.
    places: Colours,
    images: usize,
}

impl RiaColours {
    /// Returns the colours of an eligible table, and the number of images of each row.
    pub fn new(table: &View, model: RatioDiversity) -> Self {
        Self::of_colours(Colours::new(table), model)
    }

    pub(super) fn of_colours(colours: Colours, model: RatioDiversity) -> Self {
        Self { places: colours.places(), colours, images: model.l() as usize - 1 }
    }

    /// Returns the number of colours.
    pub fn len(&self) -> usize {
        self.colours.len()
    }

    /// Returns whether there are no colours, and therefore no rows.
    pub fn is_empty(&self) -> bool {
        self.colours.is_empty()
    }

    /// Returns the colours themselves.
    pub fn colours(&self) -> &Colours {
        &self.colours
    }

    /// Chooses the l-candidate of one colour (Table 5, lines 3–6): l−1 pairs of a row and its image
    /// for each row, in random order. No image occurs twice, and the images of one row have
    /// different colours. O(n) time.
    ///
    /// # Errors
    /// As for [`ria`].
    pub fn links(&self, colour: usize, coins: &mut dyn Coins) -> Result<Vec<(u32, u32)>, Error> {
        // Only the order in which the colour's own rows choose matters: images are uniform.
        let mut seated = self.colours.rows().to_vec();
        shuffle(&mut seated[self.colours.range(colour)], coins);
        Ok(self
            .links_of_places(colour, coins)?
            .into_iter()
            .map(|(a, b)| (seated[a as usize], seated[b as usize]))
            .collect())
    }

    /// Like [`RiaColours::links`], but between places.
    pub(super) fn links_of_places(
        &self,
        colour: usize,
        coins: &mut dyn Coins,
    ) -> Result<Vec<(u32, u32)>, Error> {
        let mut links = Vec::new();
        let mut choices = Choices::new(&self.places);
        self.choose(colour, &mut choices, &mut links, coins)?;
        Ok(links)
    }

    /// Like [`RiaColours::links_of_places`], without its O(n): reuses `choices` and `links`.
    fn choose(
        &self,
        colour: usize,
        choices: &mut Choices<'_>,
        links: &mut Vec<(u32, u32)>,
        coins: &mut dyn Coins,
    ) -> Result<(), Error> {
        for _ in 0..ATTEMPTS {
            if choices.try_colour(colour, self.images, links, coins) {
                return Ok(());
            }
            coins.retry()?;
        }
        Err(Error::BeyondLimit {
            what: "attempts of `ria` to find images for one sensitive value",
            needed: "more".to_owned(),
            limit: ATTEMPTS,
        })
    }
}

/// Colours and places that are unused with respect to the current colour.
///
/// Both lists are only ever reordered, so that nothing has to be restored between colours; a
/// uniform choice does not depend on the order.
struct Choices<'a> {
    colours: &'a Colours,
    /// Places by colour; used places come first.
    places: Vec<u32>,
    /// The number of used places of each colour.
    used: Vec<u32>,
    /// All colours; colours with unused places come first.
    order: Vec<u32>,
    /// The position of each colour in `order`.
    position: Vec<u32>,
}

impl<'a> Choices<'a> {
    fn new(places: &'a Colours) -> Self {
        let order: Vec<u32> = (0..places.len() as u32).collect();
        Self {
            colours: places,
            places: places.rows().to_vec(),
            used: vec![0; places.len()],
            position: order.clone(),
            order,
        }
    }

    /// Chooses images for all places of a colour; returns false if the choices fail.
    fn try_colour(
        &mut self,
        colour: usize,
        images: usize,
        links: &mut Vec<(u32, u32)>,
        coins: &mut dyn Coins,
    ) -> bool {
        links.clear();
        let mut open = self.order.len() - 1;
        self.swap(self.position[colour] as usize, open);
        let colours = self.colours;
        let mut stuck = false;
        // The places that choose first have more to choose from: coins decide who is in them.
        for place in colours.range(colour) {
            if open < images {
                stuck = true;
                break;
            }
            for image in 0..images {
                let chosen = image + below(coins, open - image);
                self.swap(image, chosen);
                let of_colour = self.order[image] as usize;
                links.push((place as u32, self.take(of_colour, coins)));
            }
            open = self.close_used_up(images, open);
        }
        for &(_, image) in links.iter() {
            self.used[colours.colour_of(image) as usize] = 0;
        }
        !stuck
    }

    /// Chooses uniformly among the unused places of a colour.
    fn take(&mut self, colour: usize, coins: &mut dyn Coins) -> u32 {
        let places = &mut self.places[self.colours.range(colour)];
        let used = self.used[colour] as usize;
        let chosen = used + below(coins, places.len() - used);
        places.swap(used, chosen);
        self.used[colour] += 1;
        places[used]
    }

    /// Moves those of the first `touched` colours that are used up behind the open ones; returns
    /// the number of open colours.
    fn close_used_up(&mut self, touched: usize, mut open: usize) -> usize {
        for place in (0..touched).rev() {
            let colour = self.order[place] as usize;
            if self.used[colour] as usize == self.colours.get(colour).len() {
                open -= 1;
                self.swap(place, open);
            }
        }
        open
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.order.swap(a, b);
        self.position[self.order[a] as usize] = a as u32;
        self.position[self.order[b] as usize] = b as u32;
    }
}

/// Chooses uniformly from `0..n`; a choice of one uses no coins.
fn below(coins: &mut dyn Coins, n: usize) -> usize {
    match n {
        1 => 0,
        _ => coins.below(n as u32) as usize,
    }
}

#[cfg(test)]
mod tests;
