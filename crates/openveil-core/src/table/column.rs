use super::Domain;
use crate::hierarchy::Hierarchy;
use std::sync::Arc;

/// The form in which a known column is published, if the release's style does not decide it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One cell per group: an interval, a set of values or of nodes.
    Range,
    /// Like [`Form::Range`], but with a tree always the one label of the lowest common ancestor.
    Label,
    /// The values themselves.
    Values,
}

/// A column of a table: one code per row, and the domain that codes are positions in.
///
/// It has no role by itself: a [`View`](super::View) decides whether it is known or secret. Codes
/// and domain are shared, so a clone is cheap.
#[derive(Debug, Clone)]
pub struct Column {
    name: Arc<str>,
    codes: Arc<Vec<u32>>,
    domain: Arc<Domain>,
    weight: u32,
    exempt: Arc<[bool]>,
    relations: Option<Arc<Hierarchy>>,
    members: Option<Arc<Members>>,
    form: Option<Form>,
}

/// The members of a column's values, if each value is a set: for example the values of a person
/// with several rows, or of a person's several secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Members {
    labels: Vec<String>,
    exempt: Vec<bool>,
    of_value: Vec<Vec<u32>>,
    /// By member, the l that its column asks for; empty if the model's l applies to all.
    asked: Vec<u32>,
}

impl Members {
    /// Sets of members with these labels: `of_value[value]` lists the members of a value,
    /// ascending. `exempt[member]` says that a member needs no protection.
    ///
    /// # Panics
    /// If a set is empty, not ascending, or names a member that does not exist.
    pub fn new(labels: Vec<String>, exempt: Vec<bool>, of_value: Vec<Vec<u32>>) -> Self {
        assert_eq!(labels.len(), exempt.len(), "one flag per member");
        assert!(
            of_value.iter().all(|set| {
                let ascends = set.windows(2).all(|pair| pair[0] < pair[1]);
                ascends && set.last().is_some_and(|&last| (last as usize) < labels.len())
            }),
            "sets of members"
        );
        Self { labels, exempt, of_value, asked: Vec::new() }
    }

    /// Returns these members, each protected by its own l: `asked[member]`.
    ///
    /// # Panics
    /// If there is not one l per member.
    #[must_use]
    pub fn with_l(mut self, asked: Vec<u32>) -> Self {
        assert_eq!(asked.len(), self.labels.len(), "one l per member");
        self.asked = asked;
        self
    }

    /// The l by which a member is protected, if the model asks for `l`.
    pub fn l_of(&self, member: u32, l: u32) -> u32 {
        self.asked.get(member as usize).copied().unwrap_or(l)
    }

    /// The largest l by which a member is protected, if the model asks for `l`.
    pub fn largest_l(&self, l: u32) -> u32 {
        self.asked.iter().copied().max().unwrap_or(l)
    }

    /// The number of members.
    pub fn count(&self) -> usize {
        self.labels.len()
    }

    /// A member's label.
    ///
    /// # Panics
    /// If there is no such member.
    pub fn label(&self, member: u32) -> &str {
        &self.labels[member as usize]
    }

    /// Which members need no protection.
    pub fn exempt(&self) -> &[bool] {
        &self.exempt
    }

    /// The members of a value, ascending.
    ///
    /// # Panics
    /// If there is no such value.
    pub fn members(&self, value: u32) -> &[u32] {
        &self.of_value[value as usize]
    }
}

impl Column {
    /// A column of weight 1 without exempt values. `codes[row]` is a position in `domain`.
    pub fn new(name: impl Into<Arc<str>>, codes: Vec<u32>, domain: Domain) -> Self {
        Self {
            name: name.into(),
            codes: Arc::new(codes),
            exempt: vec![false; domain.len()].into(),
            domain: Arc::new(domain),
            weight: 1,
            relations: None,
            members: None,
            form: None,
        }
    }

    /// Returns this column with other rows: `codes[row]` is a position in its domain.
    #[must_use]
    pub fn with_codes(mut self, codes: Vec<u32>) -> Self {
        self.codes = Arc::new(codes);
        self
    }

    /// Reduces the domain to the values that the rows have and the values that are public anyway
    /// (`is_given`). The published facts about the domain (its size, its order, whether a value can
    /// be missing) then disclose nothing about people who are not in these rows. O(rows + values).
    ///
    /// # Panics
    /// If the values are sets.
    #[must_use]
    pub fn with_domain_of_rows(mut self, is_given: impl Fn(&str) -> bool) -> Self {
        assert!(self.members.is_none(), "values are no sets");
        let mut kept: Vec<bool> = self.domain.labels().map(is_given).collect();
        self.codes.iter().for_each(|&code| kept[code as usize] = true);
        if kept.iter().all(|&kept| kept) || self.codes.is_empty() {
            return self;
        }
        let mut next = 0;
        let number = |&kept: &bool| {
            next += u32::from(kept);
            next.saturating_sub(1)
        };
        let code_of: Vec<u32> = kept.iter().map(number).collect();
        let codes = self.codes.iter().map(|&code| code_of[code as usize]);
        self.codes = Arc::new(codes.collect());
        let exempt = self.exempt.iter().zip(&kept).filter(|(_, kept)| **kept);
        self.exempt = exempt.map(|(&exempt, _)| exempt).collect();
        self.domain = Arc::new(self.domain.pruned(&kept));
        self
    }

    /// Sets how much the column's precision matters compared with other columns, if it is known.
    #[must_use]
    pub fn with_weight(mut self, weight: u32) -> Self {
        self.weight = weight;
        self
    }

    /// Sets which values need no protection if the column is secret: `exempt[value]`.
    ///
    /// # Panics
    /// If `exempt` does not have one entry per value.
    #[must_use]
    pub fn with_exempt(mut self, exempt: Vec<bool>) -> Self {
        assert_eq!(exempt.len(), self.domain.len(), "one flag per value");
        self.exempt = exempt.into();
        self
    }

    /// Sets how the values are related if the column is secret: a tree over their labels. Without
    /// it, the tree of the domain is used, if there is one.
    #[must_use]
    pub fn with_relations(mut self, relations: Hierarchy) -> Self {
        self.relations = Some(Arc::new(relations));
        self
    }

    /// Declares that the values are sets with these members. If the column is secret, its members
    /// are protected.
    ///
    /// # Panics
    /// If there is not one set per value.
    #[must_use]
    pub fn with_members(mut self, members: Members) -> Self {
        assert_eq!(members.of_value.len(), self.domain.len(), "one set per value");
        self.members = Some(Arc::new(members));
        self
    }

    /// The members of the values, if they are sets.
    pub(super) fn shared_members(&self) -> Option<Arc<Members>> {
        self.members.clone()
    }

    /// Sets how the column is published if it is known, overriding the style.
    #[must_use]
    pub fn with_form(mut self, form: Form) -> Self {
        self.form = Some(form);
        self
    }

    /// How the column is published if it is known; `None` if the style decides.
    pub fn form(&self) -> Option<Form> {
        self.form
    }

    /// The column's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One code per row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The codes, for sharing.
    pub(super) fn shared_codes(&self) -> Arc<Vec<u32>> {
        Arc::clone(&self.codes)
    }

    /// The values that codes stand for.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The domain, for sharing.
    pub(super) fn shared_domain(&self) -> Arc<Domain> {
        Arc::clone(&self.domain)
    }

    /// How much the column's precision matters compared with other columns.
    pub fn weight(&self) -> u32 {
        self.weight
    }

    /// Which values need no protection if the column is secret.
    pub fn exempt(&self) -> &[bool] {
        &self.exempt
    }

    /// How the values are related, if declared.
    pub fn relations(&self) -> Option<&Hierarchy> {
        self.relations.as_deref().or(self.domain.hierarchy())
    }
}
