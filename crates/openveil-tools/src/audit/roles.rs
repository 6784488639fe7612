//! The roles of columns: from the command line, or the policy, or the release.

use super::cells::SUPPRESSED;
use super::target::AuditTarget;
use super::{AuditRequest, GroupedTable};
use openveil_io::load::CLASS_COLUMN;
use openveil_io::policy::{Policy, Role};
use openveil_io::spelling::or_meant;
use openveil_io::{Error, Location};
use openveil_text::{Text, text};
use std::collections::BTreeSet;

/// The columns that matter, by position.
#[derive(Debug, Default)]
pub(super) struct Roles {
    pub(super) sensitive: Vec<usize>,
    pub(super) quasi_identifiers: Vec<usize>,
    pub(super) group: Option<usize>,
    /// Columns that define the strata in which the policy's model must hold.
    pub(super) strata: Vec<usize>,
    /// The columns of weights and of households.
    beside: Vec<usize>,
}

/// The column that a release by openveil adds.
pub(super) const GROUP: &str = "group";

impl Roles {
    pub(super) fn find(
        request: &AuditRequest,
        target: &AuditTarget,
        names: &[String],
    ) -> Result<Self, Error> {
        let header = AuditedHeader { names, target, request };
        let sensitive = header.sensitive()?;
        let group = header.group(&sensitive)?;
        let quasi_identifiers = header.quasi_identifiers(&sensitive, group)?;
        let policy = request.policy.as_ref();
        let asked = &request.disclosure;
        let beside: Vec<String> = asked.weight.iter().chain(&asked.household).cloned().collect();
        let beside = header.positions(&beside)?;
        // A weight identifies people only if it is named as a known column.
        let quasi_identifiers: Vec<usize> = match request.quasi_identifiers.is_empty() {
            true => quasi_identifiers.into_iter().filter(|at| !beside.contains(at)).collect(),
            false => quasi_identifiers,
        };
        let roles = Self {
            beside,
            strata: header.positions(policy.map_or(&[], |policy| &policy.privacy.strata))?,
            sensitive,
            quasi_identifiers,
            group,
        };
        roles.check_disjoint(&header)?;
        Ok(roles)
    }

    /// One flag per column: whether it has to be read.
    pub(super) fn wanted(&self, columns: usize) -> Vec<bool> {
        let mut wanted = vec![false; columns];
        let read = self.sensitive.iter().chain(self.key());
        // In a table with numbered groups the quasi-identifiers show which rows look alike.
        read.chain(&self.quasi_identifiers)
            .chain(&self.strata)
            .chain(&self.beside)
            .for_each(|&index| wanted[index] = true);
        wanted
    }

    /// The columns whose values a group shares.
    pub(super) fn key(&self) -> &[usize] {
        match &self.group {
            Some(group) => std::slice::from_ref(group),
            None => &self.quasi_identifiers,
        }
    }

    fn check_disjoint(&self, header: &AuditedHeader<'_>) -> Result<(), Error> {
        let twice =
            |index: &&usize| self.key().contains(index) || self.quasi_identifiers.contains(index);
        match self.sensitive.iter().find(twice) {
            None => Ok(()),
            Some(&index) => Err(Error::new(
                Location::file(&header.target.path).column(&header.names[index]),
                "cannot be both sensitive and known",
            )
            .help(text!("name it with only one of `--sensitive`, `--qi` and `--group`"))),
        }
    }
}

/// A table's column names, and the sources of their roles.
struct AuditedHeader<'a> {
    names: &'a [String],
    target: &'a AuditTarget,
    request: &'a AuditRequest,
}

impl AuditedHeader<'_> {
    fn find(&self, name: &str) -> Option<usize> {
        // A list of names on a command line may have blanks after its commas.
        let place = |name: &str| self.names.iter().position(|known| known == name);
        place(name).or_else(|| place(name.trim()))
    }

    fn position(&self, name: &str) -> Result<usize, Error> {
        self.find(name).ok_or_else(|| {
            let error =
                Error::new(Location::file(&self.target.path), text!("has no column `{name}`"));
            let known = self.names.iter().map(String::as_str);
            or_meant(error, name, known, || self.columns())
        })
    }

    fn columns(&self) -> Text {
        match self.names {
            [only] => text!(
                "the table has one column only, `{only}`; does it have another delimiter? (`--delimiter`)"
            ),
            names => text!("the table has {}", names.join(", ")),
        }
    }

    fn positions(&self, names: &[String]) -> Result<Vec<usize>, Error> {
        let mut positions = Vec::new();
        for name in names {
            let position = self.position(name)?;
            if !positions.contains(&position) {
                positions.push(position);
            }
        }
        Ok(positions)
    }

    /// Returns the columns with a role in the policy, or else in the release's manifest.
    fn described(&self, role: Role) -> Vec<String> {
        if let Some(policy) = &self.request.policy {
            return of_role(policy, role);
        }
        self.target
            .release
            .iter()
            .flat_map(|r| &r.manifest.columns)
            .filter(|column| column.role == role.name())
            .map(|column| column.name.clone())
            .collect()
    }

    fn sensitive(&self) -> Result<Vec<usize>, Error> {
        if !self.request.sensitive.is_empty() {
            return self.positions(&self.request.sensitive);
        }
        if let Some(guarded) = self.target.release.as_ref().map(|r| &r.guarded)
            && !guarded.is_empty()
        {
            return self.positions(guarded);
        }
        match self.described(Role::Sensitive) {
            names if !names.is_empty() => self.positions(&names),
            // Known columns have a risk even if no column is sensitive.
            _ if !self.request.quasi_identifiers.is_empty() => Ok(Vec::new()),
            _ => Err(Error::new(
                Location::file(&self.target.path),
                "no sensitive column is named",
            )
            .help(text!(
                "use `--sensitive COLUMN` or `--policy FILE`, or `--qi COLUMNS` for the re-identification risk alone; {}",
                self.columns()
            ))),
        }
    }

    fn group(&self, sensitive: &[usize]) -> Result<Option<usize>, Error> {
        match &self.request.group {
            Some(name) => self.position(name).map(Some),
            // If quasi-identifiers are named, rows are to be compared by them.
            None if !self.request.quasi_identifiers.is_empty() => Ok(None),
            None => Ok(self.find(GROUP).filter(|index| !sensitive.contains(index))),
        }
    }

    fn quasi_identifiers(
        &self,
        sensitive: &[usize],
        group: Option<usize>,
    ) -> Result<Vec<usize>, Error> {
        if !self.request.quasi_identifiers.is_empty() {
            return self.positions(&self.request.quasi_identifiers);
        }
        let described = self.described(Role::QuasiIdentifier);
        match (group, described.is_empty()) {
            // In addition to the groups, if the columns exist.
            (Some(_), false) => Ok(described
                .iter()
                .filter_map(|name| self.find(name))
                .filter(|index| !sensitive.contains(index))
                .collect()),
            (None, false) => self.positions(&described),
            (_, true) => Ok((0..self.names.len())
                .filter(|index| !sensitive.contains(index))
                .filter(|&index| group != Some(index))
                .collect()),
        }
    }
}

fn of_role(policy: &Policy, role: Role) -> Vec<String> {
    policy
        .columns
        .iter()
        .filter(|(_, column)| column.role == role)
        .map(|(name, _)| name.clone())
        .collect()
}

/// Returns notes for the owner of a table, besides its measures.
pub(super) fn notes(
    request: &AuditRequest,
    target: &AuditTarget,
    grouped: &GroupedTable,
) -> Vec<Text> {
    let mut notes = Vec::new();
    if let Some(encoding) = target.source.encoding {
        notes.push(text!("the file is not UTF-8: read as {}", encoding.name()));
    }
    if let Some(strata) = target.release.as_ref().and_then(|released| released.strata()) {
        notes.push(text!(
            "the release has strata by {}: its model compares with the histogram of each stratum, the measures here with the histogram of the whole table",
            strata.columns.join(", ")
        ));
    }
    notes.extend(suppressed(request, target, grouped));
    let columns = request.policy.as_ref().map(|policy| &policy.columns);
    let is_identifier = |name: &String| {
        let own = columns.and_then(|columns| columns.get(name));
        own.is_some_and(|column| column.role == Role::Identifier)
    };
    notes.extend(
        unpublished(request, grouped)
            .into_iter()
            .filter(is_identifier)
            .map(|name| text!("the table still has the column `{name}`, which identifies people")),
    );
    notes
}

/// Returns the columns of the table that the policy does not publish, without those that a release
/// adds: a policy that drops all other columns names them, too.
pub(super) fn unpublished(request: &AuditRequest, grouped: &GroupedTable) -> Vec<String> {
    let Some(policy) = &request.policy else {
        return Vec::new();
    };
    let published = policy.columns.iter().filter(|(_, column)| column.role.is_published());
    let shown: BTreeSet<String> = published
        .flat_map(|(name, column)| {
            column.shape(name).bound_names().into_iter().chain([name.clone()])
        })
        .chain([GROUP, CLASS_COLUMN].map(str::to_owned))
        .collect();
    let columns = grouped.raw.columns.iter().map(|column| &column.name);
    columns.filter(|name| !shown.contains(*name)).cloned().collect()
}

/// Returns a note if known columns of another program's table have cells that usually stand for
/// suppressed values: their rows are rarer here than for a reader who takes such a cell for any
/// value.
fn suppressed(
    request: &AuditRequest,
    target: &AuditTarget,
    grouped: &GroupedTable,
) -> Option<Text> {
    if request.wildcard || target.release.is_some() || grouped.roles.group.is_some() {
        return None;
    }
    let columns = grouped.roles.quasi_identifiers.iter().map(|&at| &grouped.raw.columns[at]);
    let names: Vec<String> = columns
        .filter(|own| own.values.iter().any(|text| SUPPRESSED.contains(&text)))
        .map(|own| format!("`{}`", own.name))
        .collect();
    (!names.is_empty()).then(|| {
        text!("cells with `*`, `NA` or nothing in {} count as a value of their own; if they were suppressed, measure with `--wildcard`, by which they match every value", names.join(", "))
    })
}
