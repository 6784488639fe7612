//! What readers make of a release, from its files: cross-tables and fits ([`query`]), guesses
//! ([`attack`], [`correlations`]), pages ([`report`]) with pictures ([`picture`]), and whether it keeps
//! what it says ([`certify`]).

pub mod attack;
pub mod certify;
pub mod correlations;
pub mod metadata;
pub mod picture;
pub mod query;
pub mod report;
pub mod risks;
