//! Checks what was made, with code that shares nothing with the engines, and holds what passed.
//!
//! Belongs here: whatever has to hold before a file is written. Does not: how tables are made, and
//! what is said of them.

mod tables;

use crate::asked::Job;
use crate::made::Clock;
use crate::made::history::Continued;
use crate::made::schema::TablePlans;
use crate::made::table::MadeTable;
use crate::made::tables::MadeTables;
use crate::made::ties::TiedTable;
use openveil_core::guarantee::Guarantee;
use openveil_io::load::Loaded;
use openveil_io::progress::{Observer, Stage};
use openveil_io::{Error, Location};
use openveil_papers::verify::l_cover::certificate;
use openveil_papers::verify::l_cover::certificate::Certificate;

/// Tables that passed the independent check, and what is promised of them.
#[derive(Debug)]
pub(crate) struct CheckedTables {
    pub(crate) job: Job,
    pub(crate) loaded: Loaded,
    pub(crate) schema: TablePlans,
    /// One for each table of the schema.
    pub(crate) tables: Vec<MadeTable>,
    /// The one table once per protected column, if each is protected by itself.
    by_column: Vec<MadeTable>,
    pub(crate) clock: Clock,
    /// The guarantee of each rule, and of all tables together.
    pub(crate) guarantees: Vec<Guarantee>,
    pub(crate) guarantee: Guarantee,
    /// The l-cover, if it was asked for.
    pub(crate) certificate: Option<Certificate>,
    /// The history that they belong to, if the policy has one.
    pub(crate) history: Option<Continued>,
    /// Their ties, if the policy has some.
    pub(crate) ties: Option<TiedTable>,
}

impl CheckedTables {
    /// Checks tables that were made in memory.
    ///
    /// # Errors
    /// A table that is not as the policy demands; an l-cover that is asked for and does not exist.
    pub(crate) fn new(made: MadeTables, observer: &dyn Observer) -> Result<Self, Error> {
        let MadeTables { job, loaded, schema, tables, mut clock, history, ties } = made;
        observer.begin(Stage::Verify, None);
        clock.time(Stage::Verify, || {
            schema.verify()?;
            if let (Some(ties), [MadeTable::Guarded(made)]) = (&ties, &tables[..]) {
                ties.verify(&made.membership, &made.view)?;
            }
            tables
                .iter()
                .zip(&schema.tables)
                .try_for_each(|(made, plan)| made.verify(&job.policy, &loaded, plan))
        })?;
        let certify = job.options.certify;
        let parts = Self::from_parts(job, (loaded, schema), tables, clock);
        let mut checked = Self { history, ties, ..parts };
        if certify {
            checked.certificate = Some(checked.certified()?);
        }
        checked.tables.iter_mut().for_each(MadeTable::forget_membership);
        Ok(checked)
    }

    /// Returns tables whose parts were checked one by one.
    pub(crate) fn from_parts(
        job: Job,
        (loaded, schema): (Loaded, TablePlans),
        tables: Vec<MadeTable>,
        clock: Clock,
    ) -> Self {
        let guarantees = schema.guarantees(&job, &loaded, Some(&tables));
        Self {
            by_column: tables.iter().flat_map(|made| made.by_column(&loaded)).collect(),
            guarantee: TablePlans::together(&job.policy, &guarantees),
            guarantees,
            job,
            loaded,
            schema,
            tables,
            clock,
            certificate: None,
            history: None,
            ties: None,
        }
    }

    /// Returns the tables on which association is measured: one per protected column.
    pub(crate) fn measured(&self) -> &[MadeTable] {
        if self.by_column.is_empty() { &self.tables } else { &self.by_column }
    }

    /// Returns the bound of the guarantee about a single table.
    pub(crate) fn bound(&self) -> Option<f64> {
        let bound = self.guarantee.chance.bound();
        let single = self.job.policy.rules().is_none();
        bound.filter(|_| single).map(|bound| openveil_core::exact::approximate(&bound))
    }

    /// Returns the l-cover of a release, checked by independent code.
    fn certified(&self) -> Result<Certificate, Error> {
        let refused =
            |cause: &dyn std::fmt::Display| Error::new(Location::default(), cause.to_string());
        let (Some(ratio), [MadeTable::Guarded(made)]) =
            (self.job.policy.privacy.model.ratio(), &self.tables[..])
        else {
            return Err(refused(&"an l-cover is of one table, for ratio l-diversity"));
        };
        let (view, membership) = (&made.view, &made.membership);
        let certificate =
            Certificate::new(view, membership, ratio).map_err(|cause| refused(&cause))?;
        certificate::check(&certificate, view, membership, ratio)
            .map_err(|cause| refused(&cause))?;
        Ok(certificate)
    }
}
