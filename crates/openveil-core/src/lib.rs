//! The engine of Openveil. It publishes a table of people so that a reader's chance of guessing a
//! person's sensitive value stays within the model, *even if the reader knows the algorithm, its
//! parameters and its source*. Only the coins that it tosses stay secret.
//!
//! The crate uses no files, no network and no clock. Randomness is passed in as [`coins::Coins`].
//! The data go through three steps:
//!
//! 1. a [`table::View`] of dictionary-coded columns,
//! 2. an [`algorithm::Algorithm`] that cuts its rows into [`table::Groups`],
//! 3. a [`release::Content`], which is published after [`release::check`] has accepted it. The
//!    check shares no code with the algorithms.
//!
//! [`guarantee`] states in words and numbers what is proved about a release.
//!
//! ```
//! use openveil_core::algorithm::{Algorithm, Halving};
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
//! let groups = Halving.partition(&table, &model, &mut SecretCoins::from_os())?;
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
