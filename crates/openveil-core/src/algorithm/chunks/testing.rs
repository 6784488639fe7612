//! All steps at once, for a table in memory.

use super::*;
use crate::model::Model;

/// The groups of an engine in chunks of at most `most_rows` rows, in regions made from a sample
/// drawn by coins, or from everybody.
pub fn in_chunks(
    engine: &dyn Chunked,
    (table, model): (&View, &Model),
    (most_rows, sample): (u32, Option<usize>),
    coins: &mut dyn Coins,
) -> Result<Groups, Error> {
    let criteria = model.bind_strata(table)?;
    let layout = engine.layout(table, &criteria, &Settings::default(), coins)?;
    of_layout(
        engine,
        (table, &criteria, &layout),
        (most_rows, sample),
        coins,
    )
}

/// Like [`in_chunks`], but with a given layout.
pub fn of_layout(
    engine: &dyn Chunked,
    (table, criteria, layout): (&View, &[Criteria], &ChunkLayout),
    (most_rows, sample): (u32, Option<usize>),
    coins: &mut dyn Coins,
) -> Result<Groups, Error> {
    let everybody = 0..table.rows() as u32;
    let drawn: Vec<u32> = match sample {
        None => everybody.collect(),
        Some(many) => (0..many).map(|_| coins.below(everybody.end)).collect(),
    };
    let regions = Regions::of(&table.of_rows(&drawn)?, 1);
    let grid = Grid::new(layout, most_rows, &regions);
    let columns = dealt(table, layout, coins);
    let code = |row: usize| move |axis: usize| table.known()[axis].codes()[row];
    let lot = |(row, &column): (usize, &u32)| grid.lot(column, regions.region(code(row)));
    let lots: Vec<usize> = columns.iter().enumerate().map(lot).collect();
    let mut rows = vec![0; grid.lots()];
    lots.iter().for_each(|&lot| rows[lot] += 1);
    let counted = Counted {
        table,
        criteria,
        layout,
        regions: &regions,
        grid: &grid,
    };
    let chunks = engine.cut(&counted, &rows, coins)?;
    let mut urns = Urns::of(chunks.allotment());
    let place = |&lot: &usize| urns.draw(lot, coins).expect("every row has a place");
    let places: Vec<u32> = lots.iter().map(place).collect();
    assert!(urns.are_empty());
    let mut all = Groups::with_capacity(table.rows(), 0);
    let mut first = 0;
    for chunk in chunks.chunks() {
        let own = first..first + chunk.classes;
        first = own.end;
        let rows = (0..).zip(&places).filter(|(_, place)| own.contains(place));
        let rows: Vec<u32> = rows.map(|(row, _)| row).collect();
        let class = |&row: &u32| chunk.class(places[row as usize]);
        let class: Vec<u32> = rows.iter().map(class).collect();
        let part = table.of_rows(&rows)?;
        let criteria = &criteria[chunk.stratum as usize];
        let settings = &Settings::default();
        let groups = engine.groups(chunk, &part, &class, criteria, settings, coins)?;
        all.append(groups.renumbered(|row| rows[row as usize]));
    }
    Ok(all)
}

/// The column of every row.
fn dealt(table: &View, layout: &ChunkLayout, coins: &mut dyn Coins) -> Vec<u32> {
    let mut stratum_of = vec![0; table.rows()];
    for (number, stratum) in table.strata().iter().enumerate() {
        (0..stratum.size(table) as u32)
            .for_each(|position| stratum_of[stratum.row(position) as usize] = number);
    }
    let mut urns = Urns::of(layout.values());
    let values = table.secret().codes().iter().zip(stratum_of);
    let columns = values.map(|(&value, stratum)| {
        let column = urns.draw(layout.lot(stratum, value), coins);
        column.expect("there is a column for every row")
    });
    let columns = columns.collect();
    assert!(urns.are_empty());
    columns
}
