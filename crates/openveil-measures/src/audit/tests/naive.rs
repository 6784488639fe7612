//! Every measure by its definition, on shares of single values.

use openveil_core::hierarchy::Hierarchy;

pub(super) struct Table {
    /// Per group, how often each value occurs.
    counts: Vec<Vec<u128>>,
    whole: Vec<u128>,
}

/// The weight of a category, by adding up the steps of Equation (1).
pub(super) fn weight(category: u32, categories: usize, beta: u32) -> f64 {
    let steps = |to: usize| -> f64 { (1..to).map(|i| 1.0 / (i.pow(beta) as f64)).sum() };
    match categories {
        1 => 0.0,
        _ => steps(category as usize + 1) / steps(categories),
    }
}

impl Table {
    pub(super) fn new(groups: &[Vec<u32>], values: usize) -> Self {
        let count = |group: &Vec<u32>| -> Vec<u128> {
            let of = |value: u32| group.iter().filter(|&&found| found == value).count() as u128;
            (0..values as u32).map(of).collect()
        };
        let counts: Vec<Vec<u128>> = groups.iter().map(count).collect();
        let whole = (0..values).map(|value| counts.iter().map(|group| group[value]).sum());
        Self { whole: whole.collect(), counts }
    }

    fn p(&self) -> Vec<f64> {
        shares(&self.whole)
    }

    fn worst(&self, measure: impl Fn(&[f64], &[f64]) -> f64) -> f64 {
        let p = self.p();
        self.counts.iter().map(|group| measure(&shares(group), &p)).fold(0.0, f64::max)
    }

    pub(super) fn distinct(&self) -> usize {
        let distinct = |group: &Vec<u128>| group.iter().filter(|&&count| count > 0).count();
        self.counts.iter().map(distinct).min().unwrap()
    }

    pub(super) fn entropy(&self) -> f64 {
        let l = |group: &Vec<u128>| {
            shares(group).into_iter().filter(|&q| q > 0.0).map(|q| -q * q.ln()).sum::<f64>().exp()
        };
        self.counts.iter().map(l).fold(f64::INFINITY, f64::min)
    }

    /// Count and size of the value with the highest share.
    pub(super) fn highest_share(&self) -> (u128, u128) {
        let top = |group: &Vec<u128>| (*group.iter().max().unwrap(), group.iter().sum::<u128>());
        let by_share = |a: &(u128, u128), b: &(u128, u128)| (a.0 * b.1).cmp(&(b.0 * a.1));
        self.counts.iter().map(top).max_by(by_share).unwrap()
    }

    pub(super) fn recursive(&self, l: usize) -> Option<f64> {
        let c = |group: &Vec<u128>| {
            let mut sorted: Vec<u128> = group.iter().copied().filter(|&count| count > 0).collect();
            sorted.sort_unstable();
            sorted.reverse();
            let tail: u128 = sorted.iter().skip(l - 1).sum();
            sorted[0] as f64 / tail as f64
        };
        let worst = self.counts.iter().map(c).fold(0.0, f64::max);
        worst.is_finite().then_some(worst)
    }

    pub(super) fn total_variation(&self) -> f64 {
        self.worst(|q, p| q.iter().zip(p).map(|(q, p)| (q - p).abs()).sum::<f64>() / 2.0)
    }

    pub(super) fn ordered(&self) -> f64 {
        self.worst(|q, p| {
            let mut carried: f64 = 0.0;
            let mut work = 0.0;
            for (q, p) in q.iter().zip(p) {
                carried += q - p;
                work += carried.abs();
            }
            work / (q.len().max(2) - 1) as f64
        })
    }

    /// The formula of the t-closeness paper: at every inner node, the amount that must move between
    /// its children, times its height.
    pub(super) fn hierarchical(&self, hierarchy: &Hierarchy) -> f64 {
        let nodes = hierarchy.node_count() as u32;
        let children = |node: u32| (1..nodes).filter(move |&n| hierarchy.parent(n) == Some(node));
        let heights: Vec<f64> = (0..nodes).map(|node| height(hierarchy, node)).collect();
        self.worst(|q, p| {
            let extra = |leaf: u32| {
                let label = hierarchy.label(hierarchy.common_ancestor(leaf, leaf));
                let value: usize = label[1..].parse().unwrap();
                q.get(value).unwrap_or(&0.0) - p.get(value).unwrap_or(&0.0)
            };
            let below = |node: u32| -> f64 {
                let (first, last) = hierarchy.leaf_range(node);
                (first..=last).map(extra).sum()
            };
            let cost = |node: u32| {
                let mut parts: Vec<f64> = children(node).map(below).collect();
                // The rest is the node's own share, if it is a value above others.
                parts.push(below(node) - parts.iter().sum::<f64>());
                let up: f64 = parts.iter().filter(|&&part| part > 0.0).sum();
                let down: f64 = -parts.iter().filter(|&&part| part < 0.0).sum::<f64>();
                heights[node as usize] / heights[0] * up.min(down)
            };
            (0..nodes).filter(|&node| children(node).next().is_some()).map(cost).sum()
        })
    }

    pub(super) fn beta_basic(&self) -> f64 {
        self.worst(|q, p| q.iter().zip(p).map(|(q, p)| (q - p) / p).fold(0.0, f64::max))
    }

    pub(super) fn enhanced_holds(&self) -> bool {
        let p = self.p();
        let holds = |(q, p): (f64, &f64)| q <= *p || (q - p) / p <= -p.ln();
        let group = |group: &Vec<u128>| shares(group).into_iter().zip(&p).all(holds);
        self.counts.iter().all(group)
    }

    pub(super) fn delta(&self) -> f64 {
        self.worst(|q, p| q.iter().zip(p).map(|(q, p)| (q / p).ln().abs()).fold(0.0, f64::max))
    }
}

fn shares(counts: &[u128]) -> Vec<f64> {
    let total: u128 = counts.iter().sum();
    counts.iter().map(|&count| count as f64 / total as f64).collect()
}

fn height(hierarchy: &Hierarchy, node: u32) -> f64 {
    (1..hierarchy.node_count() as u32)
        .filter(|&n| hierarchy.parent(n) == Some(node))
        .map(|child| height(hierarchy, child) + 1.0)
        .fold(0.0, f64::max)
}
