//! All steps at once, for a table in memory.

use super::*;
use crate::algorithm::Settings;
use crate::coins::Coins;
use crate::model::Model;
use crate::table::{Groups, View};

/// The groups of halving in chunks of at most `most_rows` rows, in regions made from a sample
/// drawn by coins, or from everybody.
pub fn in_chunks(
    (table, model): (&View, &Model),
    (most_rows, sample): (u32, Option<usize>),
    coins: &mut dyn Coins,
) -> Result<Groups, crate::Error> {
    let criteria = model.bind_strata(table)?;
    let everybody = 0..table.rows() as u32;
    let drawn: Vec<u32> = match sample {
        None => everybody.collect(),
        Some(many) => (0..many).map(|_| coins.below(everybody.end)).collect(),
    };
    let settings = Settings::default();
    let grid = Grid::new(table, &criteria, &settings, most_rows, |_| {
        Ok(Regions::new(&table.of_rows(&drawn)?, 1))
    })?;
    let mut lots = vec![0; table.rows()];
    for (number, stratum) in table.strata().iter().enumerate() {
        for position in 0..stratum.size(table) as u32 {
            let row = stratum.row(position) as usize;
            lots[row] = grid.lot(number, table.secret().codes()[row], |axis: usize| {
                table.known()[axis].codes()[row]
            });
        }
    }
    let mut rows = vec![0; grid.lots()];
    lots.iter().for_each(|&lot| rows[lot] += 1);
    let chunks = Chunks::cut(&grid, &criteria, &rows, coins);
    let mut urns = Urns::new(chunks.allotment());
    let place = |&lot: &usize| urns.draw(lot, coins).expect("every row has a place");
    let places: Vec<u32> = lots.iter().map(place).collect();
    assert!(urns.are_empty());
    let mut all = Groups::with_capacity(table.rows(), 0);
    let mut first = 0;
    for chunk in chunks.chunks() {
        let own = first..first + chunk.classes;
        first = own.end;
        let rows: Vec<u32> = (0..)
            .zip(&places)
            .filter(|(_, place)| own.contains(place))
            .map(|(row, _)| row)
            .collect();
        let class = |&row: &u32| chunk.class(places[row as usize]);
        let class: Vec<u32> = rows.iter().map(class).collect();
        let part = table.of_rows(&rows)?;
        let criteria = &criteria[chunk.stratum as usize];
        let groups = chunk.groups(&part, &class, criteria, &settings, coins);
        all.append(groups.renumbered(|row| rows[row as usize]));
    }
    Ok(all)
}
