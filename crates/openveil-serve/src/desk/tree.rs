//! A generalisation tree that a person edits by making and removing branches. The engine defines
//! trees and decides whether one fits a column.

use openveil_core::hierarchy::{Hierarchy, ROOT};
use openveil_core::table::Domain;
use openveil_io::release_dir::write::quoted;
use openveil_io::{Error, Location};
use toml::{Table, Value};

/// The most levels of a tree, because pages and parsers of policies process trees recursively.
const MOST_LEVELS: usize = 32;

/// A value, or a branch with its children.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeNode {
    pub(crate) label: String,
    /// Empty for a value.
    pub(crate) children: Vec<TreeNode>,
}

/// Nodes right below the root.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TopNodes {
    pub(crate) nodes: Vec<TreeNode>,
}

impl TopNodes {
    /// Returns the tree of a column; if it has none, a tree of separate values.
    ///
    /// # Errors
    /// More levels than a page or a policy can show.
    pub(crate) fn of_domain(domain: &Domain) -> Result<Self, Error> {
        match domain.hierarchy() {
            Some(hierarchy) => Self::of_hierarchy(hierarchy),
            None => {
                let labels = (0..domain.len() as u32).map(|code| domain.label(code).to_string());
                Ok(Self { nodes: labels.map(leaf).collect() })
            }
        }
    }

    fn of_hierarchy(hierarchy: &Hierarchy) -> Result<Self, Error> {
        let mut tree = Self::default();
        for value in 0..hierarchy.leaf_count() as u32 {
            let mut path = Vec::new();
            let mut node = Some(hierarchy.node_of_leaf(value));
            while let Some(own) = node {
                path.push(hierarchy.label(own).to_owned());
                node = hierarchy.parent(own);
            }
            // All paths end in the root.
            path.pop();
            path.reverse();
            // A level that repeats the one above is dropped.
            path.dedup();
            if path.len() > MOST_LEVELS {
                let problem = format!("the tree has more than {MOST_LEVELS} levels");
                return Err(Error::new(Location::default(), problem)
                    .help("name its file in the policy, and publish on the command line"));
            }
            put(&mut tree.nodes, &path);
        }
        Ok(tree)
    }

    /// Returns a line for each value, in ARX's form: the value, its branches, the root.
    pub(crate) fn csv(&self) -> String {
        let mut paths: Vec<Vec<&str>> = Vec::new();
        for node in &self.nodes {
            collect(node, &mut Vec::new(), &mut paths);
        }
        // Every line has the same number of levels: a value is repeated for levels it lacks.
        let most = paths.iter().map(Vec::len).max().unwrap_or(0);
        paths
            .iter()
            .map(|path| {
                let value = path.last().copied().unwrap_or_default();
                let lacking = std::iter::repeat_n(value, most - path.len());
                lacking
                    .chain(path.iter().rev().copied())
                    .chain([ROOT])
                    .map(|field| quoted(field, ';'))
                    .collect::<Vec<_>>()
                    .join(";")
                    + "\n"
            })
            .collect()
    }

    /// Returns the tree in the form of a policy.
    pub(crate) fn value(&self) -> Value {
        let mut hierarchy = Table::new();
        hierarchy.insert("tree".to_owned(), Value::Table(branches(&self.nodes)));
        Value::Table(hierarchy)
    }

    /// Puts nodes under a branch; their places are numbers along the path from the root. An
    /// existing branch of that name accepts nodes from anywhere, a new branch only nodes of one
    /// parent.
    pub(crate) fn group(&mut self, places: &[Vec<usize>], label: &str) -> bool {
        let label = label.trim();
        if label.is_empty() || places.is_empty() {
            return false;
        }
        match find(&self.nodes, label) {
            Some(branch) => self.put_into(places, &branch, label),
            None => self.put_under(places, label),
        }
    }

    /// Puts siblings under a new branch, in the place of the first.
    fn put_under(&mut self, places: &[Vec<usize>], label: &str) -> bool {
        let parent = parent_of(&places[0]).to_vec();
        if !places.iter().all(|place| parent_of(place) == parent) {
            return false;
        }
        let Some(siblings) = self.children_mut(&parent) else {
            return false;
        };
        let chosen = |index: usize| places.iter().any(|place| place.last() == Some(&index));
        let mut branch = TreeNode { label: label.to_owned(), children: Vec::new() };
        let mut at = None;
        let mut others = Vec::new();
        for (index, node) in std::mem::take(siblings).into_iter().enumerate() {
            if chosen(index) {
                at = at.or(Some(others.len()));
                branch.children.push(node);
            } else {
                others.push(node)
            }
        }
        if let Some(at) = at {
            others.insert(at, branch);
        }
        *siblings = others;
        at.is_some()
    }

    /// Puts nodes from anywhere into an existing branch, but not a branch into itself. Nodes
    /// already in it stay, and so do nodes whose parent moves.
    fn put_into(&mut self, places: &[Vec<usize>], branch: &[usize], label: &str) -> bool {
        if places.iter().any(|place| branch.starts_with(place)) {
            return false;
        }
        let moves = |place: &&Vec<usize>| {
            parent_of(place) != branch
                && !places.iter().any(|other| other != *place && place.starts_with(other))
        };
        let mut places: Vec<&Vec<usize>> = places.iter().filter(moves).collect();
        places.sort_unstable();
        // The last one first, so that the places of the others remain valid.
        let moved = places.into_iter().rev().map(|place| self.take(place));
        let Some(mut moved) = moved.collect::<Option<Vec<TreeNode>>>() else {
            return false;
        };
        moved.reverse();
        let place = find(&self.nodes, label).unwrap_or_default();
        let branch = self.children_mut(&place);
        branch.map(|children| children.extend(moved)).is_some()
    }

    /// Removes a node; an empty branch is removed as well.
    fn take(&mut self, place: &[usize]) -> Option<TreeNode> {
        let (&index, parent) = place.split_last()?;
        let siblings = self.children_mut(parent)?;
        let node = (index < siblings.len()).then(|| siblings.remove(index))?;
        if siblings.is_empty() && !parent.is_empty() {
            self.take(parent);
        }
        Some(node)
    }

    /// Replaces a branch by its children.
    pub(crate) fn take_apart(&mut self, place: &[usize]) -> bool {
        let Some((&index, parent)) = place.split_last() else {
            return false;
        };
        match self.children_mut(parent) {
            Some(siblings) if siblings.get(index).is_some_and(|own| !own.children.is_empty()) => {
                let branch = siblings.remove(index);
                siblings.splice(index..index, branch.children);
                true
            }
            _ => false,
        }
    }

    fn children_mut(&mut self, place: &[usize]) -> Option<&mut Vec<TreeNode>> {
        let mut own = &mut self.nodes;
        for &index in place {
            own = &mut own.get_mut(index)?.children;
        }
        Some(own)
    }
}

/// Returns the path of the parent.
fn parent_of(place: &[usize]) -> &[usize] {
    place.split_last().map_or(&[], |(_, parent)| parent)
}

/// Returns the place of the branch with a name.
fn find(nodes: &[TreeNode], label: &str) -> Option<Vec<usize>> {
    nodes.iter().enumerate().find_map(|(index, node)| {
        if node.children.is_empty() {
            return None;
        }
        if node.label == label {
            return Some(vec![index]);
        }
        let below = find(&node.children, label)?;
        Some([vec![index], below].concat())
    })
}

fn leaf(label: String) -> TreeNode {
    TreeNode { label, children: Vec::new() }
}

/// Adds a path from the root to a tree.
fn put(nodes: &mut Vec<TreeNode>, path: &[String]) {
    let Some((label, rest)) = path.split_first() else {
        return;
    };
    // Values come in the order of the tree, so a branch is the last one or new.
    let is_last = !rest.is_empty()
        && nodes.last().is_some_and(|last| last.label == *label && !last.children.is_empty());
    if !is_last {
        nodes.push(leaf(label.clone()));
    }
    if let Some(last) = nodes.last_mut() {
        put(&mut last.children, rest);
    }
}

fn collect<'a>(node: &'a TreeNode, above: &mut Vec<&'a str>, paths: &mut Vec<Vec<&'a str>>) {
    above.push(&node.label);
    if node.children.is_empty() {
        paths.push(above.clone());
    }
    for child in &node.children {
        collect(child, above, paths);
    }
    above.pop();
}

/// Returns branches as tables. A branch of values only becomes a list; a value among branches
/// becomes a branch of itself.
fn branches(nodes: &[TreeNode]) -> Table {
    let value = |node: &TreeNode| match node.children.iter().all(|child| child.children.is_empty())
    {
        true if node.children.is_empty() => Value::Array(vec![node.label.as_str().into()]),
        true => Value::Array(node.children.iter().map(|own| own.label.as_str().into()).collect()),
        false => Value::Table(branches(&node.children)),
    };
    nodes.iter().map(|node| (node.label.clone(), value(node))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_no_deeper_than_pages_and_policies_go() {
        let deep = |levels: usize| {
            let path = |value: &str| {
                let above = (1..levels).map(|level| format!("{value}{level}"));
                [value.to_owned()].into_iter().chain(above).collect()
            };
            let hierarchy = Hierarchy::from_paths([path("a"), path("b")]);
            TopNodes::of_hierarchy(&hierarchy.unwrap())
        };
        assert!(deep(MOST_LEVELS).is_ok());
        let refused = deep(3_000).unwrap_err().to_string();
        assert!(refused.contains("more than 32 levels"), "{refused}");
    }

    fn countries() -> TopNodes {
        let names = ["France", "Spain", "Japan", "Chile"];
        TopNodes { nodes: names.map(|name| leaf(name.to_owned())).to_vec() }
    }

    #[test]
    fn branches_are_made_and_taken_apart() {
        let mut tree = countries();
        assert!(tree.group(&[vec![0], vec![1]], " Europe "));
        assert!(tree.group(&[vec![0], vec![1]], "Old World"));
        assert_eq!(
            tree.csv(),
            "France;Europe;Old World;*\nSpain;Europe;Old World;*\nJapan;Japan;Old World;*\nChile;Chile;Chile;*\n"
        );
        // Nodes of two parents are not siblings.
        assert!(!tree.group(&[vec![0, 0], vec![1]], "x"));
        assert!(!tree.group(&[vec![0]], "  ") && !tree.group(&[], "x"));
        // Nodes go into an existing branch of that name, from anywhere; never a branch into itself.
        assert!(tree.group(&[vec![1]], "Europe"));
        assert!(tree.group(&[vec![0, 1], vec![0, 0, 0]], "Europe"));
        assert!(!tree.group(&[vec![0]], "Europe"));
        let lines = tree.csv();
        assert_eq!(
            lines,
            "France;Europe;Old World;*\nSpain;Europe;Old World;*\nChile;Europe;Old World;*\nJapan;Europe;Old World;*\n"
        );
        assert!(
            tree.group(&[vec![0, 0, 2]], "Old World") && tree.group(&[vec![0, 0, 2]], "Old World")
        );
        // An empty branch is removed.
        assert!(tree.group(&[vec![0, 0]], "Old World") && tree.group(&[vec![0, 1]], "New World"));
        assert!(tree.group(&[vec![0, 1, 0]], "Europe"));
        assert!(!tree.csv().contains("New World"));
        while tree.take_apart(&[0]) {}
        let mut left: Vec<&str> = tree.nodes.iter().map(|node| node.label.as_str()).collect();
        left.sort_unstable();
        assert_eq!(left, ["Chile", "France", "Japan", "Spain"]);
        assert!(!tree.take_apart(&[0]) && !tree.take_apart(&[9]) && !tree.take_apart(&[]));
    }

    #[test]
    fn a_tree_comes_back_from_the_engine_as_it_was() {
        let mut tree = countries();
        tree.group(&[vec![0], vec![1]], "Europe");
        tree.group(&[vec![0], vec![1]], "Old World");
        let csv = tree.csv();
        let lines = csv.lines().map(|line| line.split(';').map(str::to_owned).collect::<Vec<_>>());
        let hierarchy = Hierarchy::from_paths(lines.collect::<Vec<_>>()).unwrap();
        assert_eq!(TopNodes::of_hierarchy(&hierarchy).unwrap(), tree);
        assert!(tree.value().to_string().contains("Chile = [\"Chile\"]"));
    }
}
