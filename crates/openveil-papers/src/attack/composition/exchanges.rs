use crate::attack::beliefs::kinds;
use openveil_core::table::{Groups, View};

/// The people who could have another value although everybody's group is known in every release.
/// All other people are an upper bound of those who are certain to a reader who uses the groups
/// only. A reader who knows the algorithm can rule out exchanges that the groups allow, and be
/// certain about more people; the bound for that reader is [`twins`].
///
/// Take two values a and b. If a person with a is to have b instead, somebody with b in the same
/// group has to take a, in every release, and these people need partners in turn. If this process
/// closes, the linked people can exchange a and b, and every group of every release has the same
/// values as before. If it reaches a group in which somebody has no partner, they cannot. In groups
/// with several people of both values, people are paired in the order of rows. Other pairings, and
/// exchanges of more than two values, are not tried, so the result is only a bound.
#[derive(Debug, Clone)]
pub struct Exchanges<'a> {
    table: &'a View,
    /// By person and other value: the pairs that have to be exchanged together.
    links: NodeUnions,
}

impl<'a> Exchanges<'a> {
    /// Starts without releases, when everybody could have every value.
    ///
    /// None if there are too many pairs of people and values: 2³² or more.
    pub fn new(table: &'a View) -> Option<Self> {
        let nodes = table.rows().checked_mul(table.secret().values())?;
        let nodes = u32::try_from(nodes).ok()?;
        Some(Self { table, links: NodeUnions::new(nodes as usize) })
    }

    /// Adds a release, by the rows of its groups. O(rows · largest group).
    ///
    /// # Panics
    /// If the groups are of other rows.
    pub fn add(&mut self, groups: &Groups) {
        let codes = self.table.secret().codes();
        let values = self.table.secret().values();
        let node = |row: u32, value: u32| row as usize * values + value as usize;
        let mut rows_of: Vec<(u32, Vec<u32>)> = Vec::new();
        for group in groups.iter() {
            rows_of.clear();
            for &row in group {
                let value = codes[row as usize];
                match rows_of.iter_mut().find(|(known, _)| *known == value) {
                    Some((_, rows)) => rows.push(row),
                    None => rows_of.push((value, vec![row])),
                }
            }
            for (value, rows) in &rows_of {
                for other in 0..values as u32 {
                    if other == *value {
                        continue;
                    }
                    let partners = rows_of
                        .iter()
                        .find(|(known, _)| *known == other)
                        .map_or(&[][..], |(_, rows)| rows);
                    for (at, &row) in rows.iter().enumerate() {
                        match partners.get(at) {
                            Some(&partner) => {
                                self.links.join(node(row, other), node(partner, *value));
                            }
                            None => self.links.block(node(row, other)),
                        }
                    }
                }
            }
        }
    }

    /// Returns people for whom no exchange was found. O(rows · values).
    pub fn stuck(&mut self) -> Vec<u32> {
        let codes = self.table.secret().codes();
        let values = self.table.secret().values() as u32;
        let free = |row: u32, links: &mut NodeUnions| {
            (0..values)
                .filter(|&value| value != codes[row as usize])
                .any(|value| links.is_free(row as usize * values as usize + value as usize))
        };
        let rows = 0..self.table.rows() as u32;
        rows.filter(|&row| !free(row, &mut self.links)).collect()
    }
}

/// Sets of nodes, each of which is possible or impossible as a whole (union by size, path halving).
#[derive(Debug, Clone)]
struct NodeUnions {
    parent: Vec<u32>,
    size: Vec<u32>,
    is_blocked: Vec<bool>,
}

impl NodeUnions {
    fn new(nodes: usize) -> Self {
        Self {
            parent: (0..nodes as u32).collect(),
            size: vec![1; nodes],
            is_blocked: vec![false; nodes],
        }
    }

    fn root(&mut self, node: usize) -> usize {
        let mut node = node;
        while self.parent[node] as usize != node {
            self.parent[node] = self.parent[self.parent[node] as usize];
            node = self.parent[node] as usize;
        }
        node
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (small, large) = if self.size[a] < self.size[b] { (a, b) } else { (b, a) };
        self.parent[small] = large as u32;
        self.size[large] += self.size[small];
        self.is_blocked[large] |= self.is_blocked[small];
    }

    fn block(&mut self, node: usize) {
        let root = self.root(node);
        self.is_blocked[root] = true;
    }

    fn is_free(&mut self, node: usize) -> bool {
        let root = self.root(node);
        !self.is_blocked[root]
    }
}

/// Returns the people who share their value with everybody who has the same quasi-identifiers.
/// Among all other people, it stays open which of those with the same quasi-identifiers has which
/// value, whatever is published. This holds for releases that name nobody, and that treat people
/// alike who are alike, in whatever order they are in the table. O(rows · columns).
pub fn twins(table: &View) -> Vec<u32> {
    let kinds = kinds(table).0;
    let codes = table.secret().codes();
    let mut value_of: Vec<Option<u32>> = vec![None; kinds.len()];
    let mut is_mixed = vec![false; kinds.len()];
    for (&kind, &code) in kinds.iter().zip(codes) {
        let value = value_of[kind as usize].get_or_insert(code);
        is_mixed[kind as usize] |= *value != code;
    }
    (0..).zip(&kinds).filter(|&(_, &kind)| !is_mixed[kind as usize]).map(|(row, _)| row).collect()
}
