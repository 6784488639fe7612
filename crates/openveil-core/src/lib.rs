//! The engine of Openveil: publish a table of people so that nobody learns
//! a person's sensitive value, *even knowing the algorithm, its parameters and
//! its source*. Only the coins it tosses stay secret.
//!
//! The crate knows no files, no network and no clock; randomness is passed in
//! as [`coins::Coins`]. The path of the data:
//!
//! 1. a [`table::View`] of dictionary-coded columns,
//! 2. an [`algorithm::Algorithm`] that cuts its rows into [`table::Groups`],
//! 3. a [`release::Content`]: what leaves the building, checked by
//!    [`release::check`], which shares no code with the algorithms.
//!
//! [`guarantee`] says in words and numbers what is proved of it.
//!
//! ```
//! use openveil_core::algorithm::{Algorithm, Cover};
//! use openveil_core::coins::SecretCoins;
//! use openveil_core::model::{Model, RatioDiversity};
//! use openveil_core::release::{Style, check, publish};
//! use openveil_core::table::{Domain, Column, Secret, View};
//!
//! let ages = Column::new("age", vec![0, 1, 2, 3], Domain::integers([31, 34, 52, 58]));
//! let jobs = Secret::new("job", vec![0, 1, 0, 1], ["clerk", "nurse"]);
//! let table = View::new(vec![ages], jobs)?;
//! let model = Model::from(RatioDiversity::new(2)?);
//!
//! let groups = Cover.partition(&table, &model, &mut SecretCoins::from_os())?;
//! let (release, groups) = publish(&table, &groups, Style::Generalize);
//! check::release(&release, &table, &groups, &model, Style::Generalize)
//!     .map_err(openveil_core::Error::from)?;
//! assert_eq!(release.group_count(), 2);
//! # Ok::<(), openveil_core::Error>(())
//! ```

pub mod algorithm;
pub mod coins;
mod error;
pub mod exact;
pub mod guarantee;
pub mod hierarchy;
pub mod history;
pub mod model;
pub mod release;
pub mod table;
pub mod ties;

pub use error::{Error, RefusedStratum};
