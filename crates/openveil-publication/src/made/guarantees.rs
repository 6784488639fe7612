//! Guarantees of a schema.

use super::schema::{RuleKeeper, RulePlan, TablePlans};
use crate::asked::Job;
use crate::made::table::MadeTable;
use openveil_core::guarantee::{Guarantee, Keeper};
use openveil_core::table::{ColumnSet, View};
use openveil_io::load::Loaded;
use openveil_io::policy::Policy;
use openveil_measures::utility::Tally;

impl TablePlans {
    /// Returns the guarantee of each rule; `tables` is given once they are made.
    pub(crate) fn guarantees(
        &self,
        job: &Job,
        loaded: &Loaded,
        tables: Option<&[MadeTable]>,
    ) -> Vec<Guarantee> {
        self.rules.iter().map(|rule| self.guarantee_of(rule, job, loaded, tables)).collect()
    }

    /// Returns the guarantee of all tables together.
    pub(crate) fn together(policy: &Policy, rules: &[Guarantee]) -> Guarantee {
        match policy.rules() {
            None => rules[0].clone(),
            Some(_) => Guarantee::of_rules(rules),
        }
    }

    fn guarantee_of(
        &self,
        rule: &RulePlan,
        job: &Job,
        loaded: &Loaded,
        tables: Option<&[MadeTable]>,
    ) -> Guarantee {
        let table = &loaded.table;
        let policy = &job.policy;
        let profile = job.algorithm.profile();
        let profile = &if self.looks.is_empty() { profile } else { profile.after_looks() };
        let given = table.names_of(rule.given);
        let bind = |view: &View| {
            let bound = rule.model.bind_strata(view);
            bound.expect("the model was bound to the table before")
        };
        match rule.keeper {
            RuleKeeper::Table(number) => {
                // The table protects a column of the rule, which protects the rule's combination.
                let guard = self.tables[number].guard.as_ref();
                let view = &guard.expect("a guardian guards").view;
                let strata: Vec<String> =
                    view.strata_columns().map(|c| c.name().to_owned()).collect();
                let highest = tables
                    .map(|tables| &tables[number])
                    .and_then(MadeTable::tally)
                    .map(Tally::highest_share);
                let keeper = Keeper::Groups {
                    criteria: &bind(view),
                    strata: &strata,
                    profile,
                    highest: highest.as_ref(),
                    inside: policy.method.inside,
                    history: self.history,
                    ties: policy.ties().map(|ties| &*ties.id),
                };
                match policy.rules() {
                    None => Guarantee::of_table(view.secret(), keeper),
                    Some(_) => Guarantee::of_rule(&given, view.secret(), keeper),
                }
            }
            RuleKeeper::Unreachable(columns) => {
                // It is enough that one column cannot be reached, so the best guarantee counts.
                columns
                    .iter()
                    .map(|column| {
                        let view = table.view(ColumnSet::EMPTY, ColumnSet::one(column));
                        let keeper = Keeper::Histogram {
                            criteria: &bind(&view)[0],
                            profile,
                            histogram: &view.histogram(),
                        };
                        Guarantee::of_rule(&given, view.secret(), keeper)
                    })
                    .min_by_key(|promise| promise.chance.bound())
                    .expect("an unreachable rule protects some column")
            }
        }
    }
}
