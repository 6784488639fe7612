//! Whether normal form protects: random schemas and rules, tiny tables, and an exact simulation of
//! the reader.

use super::fixtures::groups;
use crate::decompose::{gd, gd_skeleton, uad};
use crate::normal_form::{Cause, RuleVerdict, Schema, SubTable, check};
use crate::worlds::{Posteriors, PublicationReader, PublishedTable, Weighing};
use crate::*;
use openveil_core::coins::{Coins, SecretCoins, shuffle};
use openveil_core::exact::fraction;
use openveil_core::table::{Groups, PeopleTable};
use proptest::prelude::*;

const LIMIT: usize = 60_000;

fn of(columns: &[usize]) -> ColumnSet {
    columns.iter().copied().collect()
}

/// The rules of one random publication, by outcome.
#[derive(Debug, Default)]
struct CountBuffer {
    guarded: usize,
    unreachable: usize,
    /// Rules without a guardian; `broken` counts the ones that are really broken.
    leaking: usize,
    broken: usize,
    /// Rules that hold although dependencies connect other columns.
    with_dependencies: usize,
}

struct Case {
    coins: SecretCoins,
    records: PeopleTable,
    rules: Vec<Rule>,
    known: Vec<Dependency>,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut coins = SecretCoins::from_test_seed(seed);
        let columns = 3 + coins.below(6) as usize;
        let rows = if columns <= 4 && coins.below(3) == 0 { 6 } else { 4 };
        let domain = if rows == 6 { 3 } else { 2 + coins.below(2) };
        let mut column = || (0..rows).map(|_| coins.below(domain)).collect();
        let records = PeopleTable::of_codes((0..columns).map(|_| column()).collect()).unwrap();
        let mut case = Self { coins, records, rules: Vec::new(), known: Vec::new() };
        for _ in 0..1 + case.coins.below(4) {
            let (given, protect) = (case.some(3), case.some(5));
            case.rules.extend(Rule::new(given - protect, protect));
        }
        if case.coins.below(3) == 0 {
            case.add_dependencies();
        }
        case
    }

    /// A random set that contains each column with a chance of 1 in `one_in`.
    fn some(&mut self, one_in: u32) -> ColumnSet {
        let columns = self.records.all().len();
        let mut set = ColumnSet::one(self.coins.below(columns as u32) as usize);
        for column in 0..columns {
            if self.coins.below(one_in) == 0 {
                set = set | ColumnSet::one(column);
            }
        }
        set
    }

    /// Adds dependencies that hold on the rows.
    fn add_dependencies(&mut self) {
        for _ in 0..6 {
            let (given, determines) = (self.some(8), self.some(20));
            let Ok(known) = Dependency::new(given, determines) else {
                continue;
            };
            let (_, left) = self.records.classes(known.given());
            let (_, both) = self.records.classes(known.columns());
            if left == both {
                self.known.push(known);
            }
        }
    }

    fn schema(&mut self) -> Option<Schema> {
        let all = self.records.all();
        let wide = |schema: &Schema| {
            let widths = schema.tables().iter().map(|table| table.columns().len());
            Ok(-(widths.map(|width| width * width).sum::<usize>() as f64))
        };
        match self.coins.below(4) {
            0 => uad(all, &self.rules, &self.known).ok(),
            1 => gd_skeleton(all, &self.rules, &self.known).ok(),
            2 => gd(all, &self.rules, &self.known, &mut { wide }).ok(),
            _ => Some(self.random_schema()),
        }
    }

    fn random_schema(&mut self) -> Schema {
        let mut tables = Vec::new();
        for _ in 0..1 + self.coins.below(4) {
            let (columns, protect, given) = (self.some(3), self.some(6), self.some(2));
            let (protect, given) = (protect & columns, given & columns);
            let guarding = match self.coins.below(3) {
                0 => SubTable::open(columns),
                1 => SubTable::guarding(columns, protect),
                _ => Rule::new(given - protect, protect)
                    .and_then(|rule| SubTable::enforcing(columns, rule)),
            };
            let table = guarding.or_else(|_| SubTable::open(columns)).unwrap();
            tables.push(table);
            // Another table, with some of the columns that this table does not protect.
            if self.coins.below(3) == 0 {
                let part = self.some(2) & (columns - table.protects());
                tables.extend(SubTable::open(part));
            }
        }
        Schema::new(tables)
    }

    /// Whether no combination occurs in more than half of all rows.
    fn satisfied(&self, columns: ColumnSet, rows: &[u32]) -> bool {
        let (classes, count) = self.records.classes(columns);
        let mut counts = vec![0; count];
        for &row in rows {
            counts[classes[row as usize] as usize] += 1;
        }
        counts.iter().all(|&count| 2 * count <= rows.len())
    }

    fn everybody(&self) -> Vec<u32> {
        (0..self.records.rows() as u32).collect()
    }

    /// Random groups on which `protect` is safe; everybody together is one.
    fn groups(&mut self, protect: ColumnSet) -> Groups {
        for _ in 0..10 {
            let mut rows = self.everybody();
            shuffle(&mut rows, &mut self.coins);
            let size = if rows.len() == 6 && self.coins.below(2) == 0 { 3 } else { 2 };
            let parts: Vec<&[u32]> = rows.chunks(size).collect();
            if parts.iter().all(|part| self.satisfied(protect, part)) {
                return groups(&parts);
            }
        }
        groups(&[&self.everybody()])
    }

    /// Publishes a schema. Tables that cannot be anonymised are published unchanged.
    fn publish(&mut self, schema: &Schema) -> (Schema, Vec<PublishedTable>) {
        let everybody = self.everybody();
        let mut tables = Vec::new();
        let mut published = Vec::new();
        for &table in schema.tables() {
            let columns = table.columns();
            let own = table.enforces();
            match own.filter(|own| self.satisfied(own.protect(), &everybody)) {
                None => {
                    tables.push(SubTable::open(columns).unwrap());
                    published.push(PublishedTable::open(&self.records, columns).unwrap());
                }
                Some(own) => {
                    let groups = self.groups(own.protect());
                    // Columns that are not counted as known are put on the protected side.
                    let known = own.given();
                    let secret = columns - known;
                    let table_as_seen =
                        PublishedTable::bucketised(&self.records, known, secret, &groups);
                    tables.push(table);
                    published.push(table_as_seen.unwrap());
                }
            }
        }
        (Schema::new(tables), published)
    }
}

/// Publishes one random table and tests every rule against its reader.
fn run(seed: u64) -> CountBuffer {
    let mut case = Case::new(seed);
    let mut tally = CountBuffer::default();
    let Some(schema) = case.schema() else {
        return tally;
    };
    let (schema, published) = case.publish(&schema);
    let report = check(&schema, &case.rules, &case.known);
    let everybody = case.everybody();
    for (rule, verdict) in case.rules.iter().zip(report.verdicts()) {
        if let RuleVerdict::Unreachable { columns } = verdict {
            // Lemma 1 needs the histogram of the column that cannot be reached.
            let alone = |column| case.satisfied(ColumnSet::one(column), &everybody);
            if !columns.iter().any(alone) {
                continue;
            }
        }
        let reader = PublicationReader::new(&case.records, &published, rule.given()).unwrap();
        let reader = reader.knowing(&case.known);
        let posteriors = match Posteriors::new(&reader, rule.protect(), LIMIT) {
            Err(RulesError::BeyondLimit { .. }) => continue,
            found => found.unwrap(),
        };
        let exceeded = posteriors.highest() > fraction(1, 2);
        assert!(
            !(verdict.holds() && exceeded),
            "seed {seed}: {rule:?} is broken though {verdict:?}: {schema:?}, {:?}, {:?}",
            case.records,
            case.known
        );
        match verdict {
            RuleVerdict::Guarded { .. } => tally.guarded += 1,
            RuleVerdict::Unreachable { .. } => tally.unreachable += 1,
            RuleVerdict::Leaks(_) => {
                tally.leaking += 1;
                tally.broken += usize::from(exceeded);
            }
        }
        tally.with_dependencies += usize::from(verdict.holds() && !case.known.is_empty());
    }
    tally
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn normal_form_protects(seed: u64) {
        run(seed);
    }
}

#[test]
fn the_cross_check_can_fail() {
    let mut sum = CountBuffer::default();
    for seed in 0..600 {
        let tally = run(seed);
        sum.guarded += tally.guarded;
        sum.unreachable += tally.unreachable;
        sum.leaking += tally.leaking;
        sum.broken += tally.broken;
        sum.with_dependencies += tally.with_dependencies;
    }
    eprintln!("TALLY {sum:?}");
    assert!(sum.guarded > 100 && sum.unreachable > 100, "{sum:?}");
    assert!(sum.with_dependencies > 20, "{sum:?}");
    assert!(sum.broken > 50 && sum.broken <= sum.leaking, "{sum:?}");
}

#[test]
fn the_papers_three_conditions_do_not_suffice() {
    // Column 0 is known. The first table's groups keep (0, 1) and (2, 3) apart; the second table
    // publishes (1, 2).
    let column = |codes: [u32; 4]| codes.to_vec();
    let records = PeopleTable::of_codes(vec![
        column([0, 1, 2, 3]),
        column([0, 1, 0, 1]),
        column([0, 1, 0, 1]),
        column([0, 1, 0, 1]),
    ]);
    let records = records.unwrap();
    let pairs = groups(&[&[0, 1], &[2, 3]]);
    let guardian = PublishedTable::bucketised(&records, of(&[0, 1]), of(&[2, 3]), &pairs).unwrap();
    let other = PublishedTable::open(&records, of(&[1, 2])).unwrap();
    let knows = |columns: &[usize], tables: &[PublishedTable]| {
        let reader = PublicationReader::new(&records, tables, of(columns)).unwrap();
        Posteriors::new(&reader, of(&[3]), LIMIT).unwrap().highest()
    };
    // By itself the guardian protects 3 from a reader who knows 0 and 1 …
    assert_eq!(knows(&[0, 1], std::slice::from_ref(&guardian)), fraction(1, 2));
    // … but together with the other table it does not protect 3 from a reader who knows 0 alone.
    assert_eq!(knows(&[0], &[guardian, other]), fraction(1, 1));
    let own = Rule::new(of(&[0, 1]), of(&[3])).unwrap();
    let schema = Schema::new(vec![
        SubTable::enforcing(of(&[0, 1, 2, 3]), own).unwrap(),
        SubTable::open(of(&[1, 2])).unwrap(),
    ]);
    let rule = Rule::new(of(&[0]), of(&[3])).unwrap();
    let report = check(&schema, &[rule], &[]);
    let RuleVerdict::Leaks(leak) = &report.verdicts()[0] else {
        panic!("{report:?}");
    };
    let entangled = Cause::Entangled { table: 0, columns: of(&[2]) };
    assert_eq!((leak.cause, leak.path.columns()), (entangled, vec![0, 2, 3]));
}

#[test]
fn equally_likely_worlds_are_not_what_a_reader_sees() {
    // Column 0 is known. Two people share a value, so it is not shown which of them is in which
    // group. Groups: {1, 3} has values 1, 2; {2, 4} has 1, 3.
    let records = PeopleTable::of_codes(vec![vec![1, 1, 2, 3], vec![1, 1, 2, 3]]).unwrap();
    let grouped = groups(&[&[0, 2], &[1, 3]]);
    let table = PublishedTable::bucketised(&records, of(&[0]), of(&[1]), &grouped).unwrap();
    let tables = [table];
    let reader = PublicationReader::new(&records, &tables, of(&[0])).unwrap();
    let posteriors = Posteriors::new(&reader, of(&[1]), LIMIT).unwrap();
    assert_eq!(posteriors.highest(), fraction(1, 2));
    // Seven tables fit. The one in which both groups could be either way round is published like
    // this twice as often; a reader who ignores that sees 4/7.
    let forgetful = reader.weighing(Weighing::Uniform);
    let posteriors = Posteriors::new(&forgetful, of(&[1]), LIMIT).unwrap();
    assert_eq!(posteriors.worlds(), 7);
    assert_eq!(posteriors.chance(2, &[1]), fraction(4, 7));
}

#[test]
fn expanding_rules_does_not_protect_from_known_dependencies() {
    // The reader knows 1 → 2. Column 2, and so column 1 (Theorem 3.2), is protected from a reader
    // who knows 0.
    let rule = Rule::new(of(&[0]), of(&[2])).unwrap();
    let known = [Dependency::new(of(&[1]), of(&[2])).unwrap()];
    let mut rules = vec![rule];
    rules.extend(expansion(rule, &known, 10).unwrap());
    assert_eq!(rules[1], Rule::new(of(&[0]), of(&[1])).unwrap());
    let schema = Schema::new(vec![
        SubTable::guarding(of(&[0, 1]), of(&[1])).unwrap(),
        SubTable::guarding(of(&[0, 2]), of(&[2])).unwrap(),
    ]);
    assert!(check(&schema, &rules, &[]).normal_form());
    assert!(!check(&schema, &rules, &known).normal_form());
    let highest = (0..300).map(|seed| {
        let mut coins = SecretCoins::from_test_seed(seed);
        let determined: Vec<u32> = vec![0, 0, 1, 1, 2, 2];
        let determines = (0..6).map(|row| 2 * determined[row] + coins.below(2)).collect();
        let columns = vec![(0..6).collect(), determines, determined];
        let mut case = Case {
            coins,
            records: PeopleTable::of_codes(columns).unwrap(),
            rules: rules.clone(),
            known: known.to_vec(),
        };
        let (_, published) = case.publish(&schema);
        let reader = PublicationReader::new(&case.records, &published, of(&[0])).unwrap();
        let of_rules = |reader: &PublicationReader| {
            rules
                .iter()
                .map(|rule| {
                    let posteriors = Posteriors::new(reader, rule.protect(), 1_000_000);
                    posteriors.unwrap().highest()
                })
                .max()
                .unwrap()
        };
        assert!(of_rules(&reader) <= fraction(1, 2), "safe from who knows of no dependency");
        of_rules(&reader.knowing(&known))
    });
    assert!(highest.max().unwrap() > fraction(1, 2));
}
