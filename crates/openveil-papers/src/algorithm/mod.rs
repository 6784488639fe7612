//! The algorithms of the papers, and algorithms in common use for comparison. Each has a folder
//! with its code, its tests and its proof.

pub mod baseline;
pub mod blocks;
pub mod streamliner;
mod taxonomy;

pub use baseline::{Anatomy, Incognito, Mondrian, MondrianRelaxed, TopDown};
pub use blocks::{KJump, Naive, Safe};
pub use streamliner::{Gda, Rda, RdaFileOrder, Ria};

pub use openveil_core::algorithm::{Algorithm, ENGINES};

openveil_core::algorithms! {
    /// The algorithms of the papers, then the algorithms that disclose people's values.
    PAPERS: KJump, Safe, Ria, Rda, RdaFileOrder, Gda, Naive, TopDown, Mondrian, MondrianRelaxed,
    Incognito, Anatomy
}

/// Returns all algorithms, the default first: the engine's, and those of this crate. The command
/// line, policies, documentation and tests iterate over this list.
pub fn all() -> impl DoubleEndedIterator<Item = &'static dyn Algorithm> + Clone {
    ENGINES.into_iter().chain(PAPERS)
}

/// The algorithm of a name.
///
/// ```
/// let cover = openveil_papers::algorithm::named("cover").unwrap();
/// assert!(cover.profile().is_safe());
/// ```
pub fn named(name: &str) -> Option<&'static dyn Algorithm> {
    all().find(|algorithm| algorithm.name() == name)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_algorithm_is_documented() {
        let page = include_str!("../../../../docs/reference/policy.md");
        for algorithm in super::all() {
            let name = format!("`{}`", algorithm.name());
            assert!(page.contains(&name), "{name} in docs/reference/policy.md");
        }
    }
}
