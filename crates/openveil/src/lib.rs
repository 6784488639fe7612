//! The algorithms of Openveil: publish a table of people so that nobody learns
//! a person's sensitive value, *even knowing the algorithm, its parameters and
//! its source*. Only the coins it tosses stay secret.
//!
//! The crate knows no files, no network and no clock; randomness is passed in
//! as [`coins::Coins`]. The path of the data:
//!
//! 1. a [`table::Table`] of dictionary-coded columns,
//! 2. an [`algorithm::Algorithm`] that cuts its rows into [`table::Groups`],
//! 3. a [`release::Release`]: what leaves the building, checked by
//!    [`release::check`], which shares no code with the algorithms.
//!
//! [`adversary`] is the project's conscience: it enumerates small worlds
//! completely and computes what a reader who knows everything but the coins
//! may conclude.
//!
//! ```
//! use openveil::algorithm::Algorithm;
//! use openveil::coins::SecretCoins;
//! use openveil::privacy::{Model, RatioDiversity};
//! use openveil::release::{Style, check, publish};
//! use openveil::table::{Domain, QuasiIdentifier, Sensitive, Table};
//!
//! let ages = QuasiIdentifier::new("age", vec![0, 1, 2, 3], Domain::integers([31, 34, 52, 58]));
//! let jobs = Sensitive::new("job", vec![0, 1, 0, 1], ["clerk", "nurse"]);
//! let table = Table::new(vec![ages], jobs)?;
//! let model = Model::from(RatioDiversity::new(2)?);
//!
//! let groups = Algorithm::Cover.partition(&table, &model, &mut SecretCoins::from_os())?;
//! let (release, groups) = publish(&table, &groups, Style::Generalize);
//! check::release(&release, &table, &groups, &model, Style::Generalize)
//!     .map_err(openveil::Error::from)?;
//! assert_eq!(release.group_count(), 2);
//! # Ok::<(), openveil::Error>(())
//! ```

pub mod adversary;
pub mod algorithm;
pub mod attack;
pub mod audit;
pub mod baseline;
pub mod blocks;
pub mod coins;
pub mod cover;
mod error;
pub mod exact;
pub mod halving;
pub mod hierarchy;
pub mod histogram;
pub mod privacy;
pub mod release;
pub mod streamliner;
pub mod table;
pub mod utility;
pub mod versatile;

pub use error::Error;
