//! Colouring graphs with few colours.

use openveil_core::table::ColumnSet;

/// Colours the vertices of an undirected graph so that neighbours differ:
/// DSATUR (Brélaz 1979). `neighbours[v]` are the neighbours of vertex v.
///
/// Next comes always the vertex whose neighbours have the most different colours; ties go to the
/// most uncoloured neighbours, then to the first vertex. It gets the least colour possible. Exact
/// on bipartite graphs; otherwise at most one colour more than the largest degree. O(vertices³).
pub fn dsatur(neighbours: &[ColumnSet]) -> Vec<usize> {
    let vertices = neighbours.len();
    let mut colours: Vec<Option<usize>> = vec![None; vertices];
    let mut uncoloured = ColumnSet::first(vertices);
    let seen = |vertex: usize, colours: &[Option<usize>]| -> ColumnSet {
        neighbours[vertex].iter().filter_map(|neighbour| colours[neighbour]).collect()
    };
    while let Some(vertex) = uncoloured.iter().max_by_key(|&vertex| {
        let saturation = seen(vertex, &colours).len();
        let degree = (neighbours[vertex] & uncoloured).len();
        (saturation, degree, std::cmp::Reverse(vertex))
    }) {
        let taken = seen(vertex, &colours);
        colours[vertex] = (0..vertices).find(|&colour| !taken.contains(colour));
        uncoloured = uncoloured - ColumnSet::one(vertex);
    }
    colours.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph(vertices: usize, edges: &[(usize, usize)]) -> Vec<ColumnSet> {
        let mut neighbours = vec![ColumnSet::EMPTY; vertices];
        for &(a, b) in edges.iter().filter(|(a, b)| a != b) {
            neighbours[a] = neighbours[a] | ColumnSet::one(b);
            neighbours[b] = neighbours[b] | ColumnSet::one(a);
        }
        neighbours
    }

    fn count(colours: &[usize]) -> usize {
        colours.iter().max().map_or(0, |most| most + 1)
    }

    /// The least number of colours, by trying all colourings.
    pub(crate) fn chromatic_number(neighbours: &[ColumnSet]) -> usize {
        fn fits(neighbours: &[ColumnSet], colours: &mut Vec<usize>, most: usize) -> bool {
            let vertex = colours.len();
            if vertex == neighbours.len() {
                return true;
            }
            (0..most).any(|colour| {
                let clash = |&other: &usize| other < vertex && colours[other] == colour;
                if neighbours[vertex].iter().any(|other| clash(&other)) {
                    return false;
                }
                colours.push(colour);
                let found = fits(neighbours, colours, most);
                colours.pop();
                found
            })
        }
        (0..).find(|&most| fits(neighbours, &mut Vec::new(), most)).unwrap()
    }

    #[test]
    fn known_graphs() {
        let cycle = |n: usize| graph(n, &(0..n).map(|i| (i, (i + 1) % n)).collect::<Vec<_>>());
        assert_eq!(count(&dsatur(&cycle(6))), 2);
        assert_eq!(count(&dsatur(&cycle(7))), 3);
        assert_eq!(count(&dsatur(&graph(5, &[]))), 1);
        assert_eq!(dsatur(&[]), Vec::<usize>::new());
        let complete: Vec<_> = (0..5).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        assert_eq!(count(&dsatur(&graph(5, &complete))), 5);
    }

    proptest! {
        #[test]
        fn colourings_are_proper_and_close_to_exact(
            vertices in 1usize..9,
            edges in prop::collection::vec((0usize..8, 0usize..8), 0..20),
        ) {
            let edges: Vec<_> = edges.iter().map(|(a, b)| (a % vertices, b % vertices)).collect();
            let neighbours = graph(vertices, &edges);
            let colours = dsatur(&neighbours);
            for (vertex, around) in neighbours.iter().enumerate() {
                prop_assert!(around.iter().all(|other| colours[other] != colours[vertex]));
            }
            let (used, least) = (count(&colours), chromatic_number(&neighbours));
            let degree = neighbours.iter().map(|around| around.len()).max().unwrap_or(0);
            prop_assert!(used >= least && used <= degree + 1);
            prop_assert!(least > 2 || used == least, "exact on bipartite graphs");
            prop_assert!(used <= least + 1, "{used} colours where {least} suffice");
        }
    }
}
