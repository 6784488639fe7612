//! Tests each condition on guardians.

use super::fixtures::*;
use crate::normal_form::{
    Cause, ColumnLink, RuleVerdict, Schema, SubTable, check, path, reachable,
};
use crate::{Dependency, Rule, RulesError};
use openveil_core::table::ColumnSet;

fn of(columns: &[usize]) -> ColumnSet {
    columns.iter().copied().collect()
}

fn open(columns: &[usize]) -> SubTable {
    SubTable::open(of(columns)).unwrap()
}

fn guarding(columns: &[usize], protect: &[usize]) -> SubTable {
    SubTable::guarding(of(columns), of(protect)).unwrap()
}

fn verdict(tables: &[SubTable], given: &[usize], protect: &[usize]) -> RuleVerdict {
    let rule = Rule::new(of(given), of(protect)).unwrap();
    let report = check(&Schema::new(tables.to_vec()), &[rule], &[]);
    report.verdicts()[0].clone()
}

fn cause(tables: &[SubTable], given: &[usize], protect: &[usize]) -> (Cause, Vec<usize>) {
    match verdict(tables, given, protect) {
        RuleVerdict::Leaks(leak) => (leak.cause, leak.path.columns()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn reachability_goes_over_shared_columns() {
    let schema = Schema::new(vec![open(&[0, 1]), open(&[1, 2]), open(&[3])]);
    assert_eq!(reachable(&schema, &[], of(&[0])), of(&[0, 1, 2]));
    let way = path(&schema, &[], of(&[0]), of(&[2])).unwrap();
    assert_eq!(way.columns(), [0, 1, 2]);
    assert_eq!(way.hops[1].over, ColumnLink::Table(1));
    assert_eq!(path(&schema, &[], of(&[0]), of(&[3])), None);
    let known = [Dependency::new(of(&[2]), of(&[3])).unwrap()];
    let way = path(&schema, &known, of(&[0]), of(&[3])).unwrap();
    assert_eq!(way.hops[2].over, ColumnLink::Dependency(0));
}

#[test]
fn a_guardian_contains_what_it_guards() {
    assert_eq!(cause(&[guarding(&[0, 1], &[0])], &[0], &[1]), (Cause::Unprotected, vec![0, 1]));
    assert_eq!(verdict(&[guarding(&[0, 1], &[1])], &[0], &[1]), RuleVerdict::Guarded { table: 0 });
    assert_eq!(
        verdict(&[open(&[0]), open(&[1])], &[0], &[1]),
        RuleVerdict::Unreachable { columns: of(&[1]) }
    );
}

#[test]
fn a_guardian_counts_as_known_what_is() {
    // The table protects 2 from a reader who knows 1. The reader knows 0.
    let partly = SubTable::enforcing(of(&[0, 1, 2]), Rule::new(of(&[1]), of(&[2])).unwrap());
    let partly = partly.unwrap();
    let more = Cause::KnowsMore { table: 0, columns: of(&[0]) };
    assert_eq!(cause(&[partly], &[0], &[2]), (more, vec![0, 2]));
    assert_eq!(verdict(&[partly], &[1], &[2]), RuleVerdict::Guarded { table: 0 });
    // … or learns 0 from another table.
    assert_eq!(cause(&[partly, open(&[0, 1])], &[1], &[2]), (more, vec![1, 0, 2]));
}

#[test]
fn there_is_no_way_around_a_guardian() {
    let around = Cause::WayAround { table: 0 };
    let tables = [guarding(&[0, 1, 2], &[2]), open(&[1, 2])];
    assert_eq!(cause(&tables, &[0], &[2]), (around, vec![0, 1, 2]));
    // The protected column may be published in an unconnected table.
    let tables = [guarding(&[0, 1, 2], &[2]), open(&[2, 3])];
    assert_eq!(verdict(&tables, &[0], &[2]), RuleVerdict::Guarded { table: 0 });
    assert_eq!(cause(&tables, &[0, 3], &[2]), (around, vec![3, 2]));
}

#[test]
fn combinations_hold_if_a_part_does() {
    let tables = [open(&[0, 1]), open(&[2])];
    let apart = RuleVerdict::Unreachable { columns: of(&[2]) };
    assert_eq!(verdict(&tables, &[0], &[1, 2]), apart);
    let tables = [guarding(&[0, 1, 2], &[1, 2])];
    assert_eq!(verdict(&tables, &[0], &[1, 2]), RuleVerdict::Guarded { table: 0 });
    // Guarding the combination guards none of its parts.
    assert_eq!(cause(&tables, &[0], &[1]).0, Cause::Unprotected);
}

#[test]
fn tables_are_checked() {
    assert_eq!(SubTable::open(of(&[])), Err(RulesError::EmptyTable));
    let rule = rule("age -> race");
    assert_eq!(
        SubTable::enforcing(set("age zipcode"), rule),
        Err(RulesError::ForeignColumn { column: 4 })
    );
    assert_eq!(SubTable::guarding(of(&[1]), of(&[1])), Err(RulesError::EmptyGiven));
}

#[test]
fn dependencies_connect_like_tables() {
    // The zip code is guarded against a reader who knows the gender, but the county, which it
    // determines, is published with the gender.
    let schema = Schema::new(vec![guarding(&[0, 1], &[1]), open(&[0, 2])]);
    let rules = [Rule::new(of(&[0]), of(&[1])).unwrap()];
    let known = [Dependency::new(of(&[1]), of(&[2])).unwrap()];
    assert!(check(&schema, &rules, &[]).normal_form());
    assert!(!check(&schema, &rules, &known).normal_form());
}
