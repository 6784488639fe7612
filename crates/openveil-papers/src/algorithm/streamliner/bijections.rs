//! Finds the one-to-one mappings behind candidates.

use super::colours::Colours;

/// Returns a bijection between two sets of rows that maps every row to one of another colour, as
/// pairs; none if there is no such bijection. O(m log m) for m rows.
///
/// With one side in ascending and the other in descending order of colour, only one colour can meet
/// itself. Each such pair then exchanges partners with a pair that does not have this colour.
pub(super) fn between(colours: &Colours, a: &[u32], b: &[u32]) -> Option<Vec<(u32, u32)>> {
    if a.len() != b.len() {
        return None;
    }
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    a.sort_by_key(|&row| colours.colour_of(row));
    b.sort_by_key(|&row| std::cmp::Reverse(colours.colour_of(row)));
    let meets = |i: usize, b: &[u32]| colours.colour_of(a[i]) == colours.colour_of(b[i]);
    if let Some(first) = (0..a.len()).find(|&i| meets(i, &b)) {
        let colour = colours.colour_of(a[first]);
        let is_free =
            |i: usize| colours.colour_of(a[i]) != colour && colours.colour_of(b[i]) != colour;
        let free: Vec<usize> = (0..a.len()).filter(|&i| is_free(i)).collect();
        let met: Vec<usize> = (0..a.len()).filter(|&i| meets(i, &b)).collect();
        if met.len() > free.len() {
            return None;
        }
        for (met, free) in met.into_iter().zip(free) {
            b.swap(met, free);
        }
    }
    Some(a.into_iter().zip(b).collect())
}

/// Orders each of several sets of `columns` rows, such that the rows in one column (the first of
/// every set, the second of every set, …) have different colours. None if some colour has more than
/// `columns` rows in all sets together.
///
/// Rows are the edges of a bipartite graph between sets and colours, in which no vertex has more
/// than `columns` edges. By Kőnig's theorem its edges can be coloured with `columns` colours: the
/// columns. O(rows · sets) time.
pub(super) fn in_columns(
    colours: &Colours,
    sets: &[Vec<u32>],
    columns: usize,
) -> Option<Vec<Vec<u32>>> {
    let mut counts = vec![0; colours.len()];
    for &row in sets.iter().flatten() {
        let count = &mut counts[colours.colour_of(row) as usize];
        *count += 1;
        if *count > columns {
            return None;
        }
    }
    let mut board = PlacedRows::new(colours, sets.len(), columns);
    for (set, rows) in sets.iter().enumerate() {
        rows.iter().for_each(|&row| board.place(set, row));
    }
    Some(board.row_at.chunks(columns).map(<[u32]>::to_vec).collect())
}

const NOBODY: u32 = u32::MAX;

/// The rows placed into columns so far.
struct PlacedRows<'a> {
    colours: &'a Colours,
    columns: usize,
    /// The row of a set in a column.
    row_at: Vec<u32>,
    /// The set whose row in a column is of a colour.
    set_at: Vec<u32>,
}

impl<'a> PlacedRows<'a> {
    fn new(colours: &'a Colours, sets: usize, columns: usize) -> Self {
        Self {
            colours,
            columns,
            row_at: vec![NOBODY; sets * columns],
            set_at: vec![NOBODY; colours.len() * columns],
        }
    }

    /// Places one more row of a set; moves others if necessary.
    fn place(&mut self, set: usize, row: u32) {
        let colour = self.colours.colour_of(row) as usize;
        let open_in_set = self.first_open(&self.row_at, set);
        if self.set_at[colour * self.columns + open_in_set] != NOBODY {
            let open_in_colour = self.first_open(&self.set_at, colour);
            self.exchange_along(colour, open_in_set, open_in_colour);
        }
        self.put(set, row, open_in_set);
    }

    /// Returns the first column in which a set has no row, or in which no set has a colour.
    fn first_open(&self, taken: &[u32], vertex: usize) -> usize {
        let places = &taken[vertex * self.columns..(vertex + 1) * self.columns];
        places
            .iter()
            .position(|&place| place == NOBODY)
            .expect("no set and no colour has more rows than there are columns")
    }

    /// Exchanges two columns along the path of rows that starts with the colour's row in the first
    /// of them. The path never reaches a set that has no row in the first column.
    fn exchange_along(&mut self, mut colour: usize, first: usize, second: usize) {
        let mut moved = Vec::new();
        loop {
            let set = self.set_at[colour * self.columns + first];
            if set == NOBODY {
                break;
            }
            let set = set as usize;
            moved.push((set, self.row_at[set * self.columns + first], second));
            let row = self.row_at[set * self.columns + second];
            if row == NOBODY {
                break;
            }
            moved.push((set, row, first));
            colour = self.colours.colour_of(row) as usize;
        }
        for &(set, row, column) in &moved {
            self.clear(set, row, first + second - column);
        }
        for (set, row, column) in moved {
            self.put(set, row, column);
        }
    }

    fn put(&mut self, set: usize, row: u32, column: usize) {
        let colour = self.colours.colour_of(row) as usize;
        self.row_at[set * self.columns + column] = row;
        self.set_at[colour * self.columns + column] = set as u32;
    }

    fn clear(&mut self, set: usize, row: u32, column: usize) {
        let colour = self.colours.colour_of(row) as usize;
        self.row_at[set * self.columns + column] = NOBODY;
        self.set_at[colour * self.columns + column] = NOBODY;
    }
}
