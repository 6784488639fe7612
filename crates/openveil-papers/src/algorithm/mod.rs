//! The algorithms of the papers, and algorithms in common use for comparison. Each has a folder
//! with its code, its tests and its proof.

pub mod auto;
pub mod baseline;
pub mod blocks;
pub mod cover;
pub mod streamliner;
mod taxonomy;

pub use auto::Auto;
pub use baseline::{Anatomy, Incognito, Mondrian, MondrianRelaxed, TopDown};
pub use blocks::{KJump, Naive, Safe};
pub use cover::Cover;
pub use streamliner::{Gda, Rda, RdaFileOrder, RdaSecondStage, Ria, RiaSecondStage};

pub use openveil_core::algorithm::{Algorithm, ENGINES, Halving};

openveil_core::algorithms! {
    /// The default, which chooses an engine, the algorithms of the papers, then the algorithms that disclose people's values.
    PAPERS: Auto, Cover, KJump, Safe, Ria, RiaSecondStage, Rda, RdaSecondStage, RdaFileOrder, Gda, Naive, TopDown, Mondrian, MondrianRelaxed,
    Incognito, Anatomy
}

/// Returns all algorithms, the default first: the engine's, and those of this crate. The command
/// line, policies, documentation and tests iterate over this list.
pub fn all() -> impl DoubleEndedIterator<Item = &'static dyn Algorithm> + Clone {
    let (default, others) = PAPERS.split_at(1);
    let engines = ENGINES.iter().chain(others);
    default.iter().chain(engines).copied()
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
