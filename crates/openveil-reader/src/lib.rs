//! Analyses a release from its files: cross-tables and fits ([`query`]), attacks ([`attack`],
//! [`correlations`]), pages ([`report`]) with pictures ([`picture`]), and a check of the release
//! against its own statements ([`certify`]).

pub mod attack;
pub mod certify;
pub mod correlations;
pub mod metadata;
pub mod people;
pub mod picture;
pub mod query;
pub mod report;
pub mod risks;
