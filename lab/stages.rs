//! Times of single stages on the made-up census: `cargo bench`.

use divan::Bencher;
use divan::counter::ItemsCount;
use openveil_core::algorithm::{Algorithm, Halving};
use openveil_core::coins::SecretCoins;
use openveil_core::model::{DistinctDiversity, Model, RatioDiversity, Requirement};
use openveil_core::release::{Style, check, publish};
use openveil_core::table::Histogram;
use openveil_lab::census::census;
use openveil_measures::utility::{QueryKind, Workload};
use openveil_papers::algorithm;
use openveil_papers::algorithm::Cover;
use openveil_papers::algorithm::cover::decompose;

const ROWS: usize = 600_000;
const SEED: u64 = 1;

fn main() {
    divan::main();
}

fn ratio() -> RatioDiversity {
    RatioDiversity::new(8).expect("8 is at least 2")
}

fn model() -> Model {
    ratio().into()
}

fn partition(bencher: Bencher, algorithm: &dyn Algorithm, model: &Model, rows: usize) {
    let table = census(rows, SEED);
    bencher
        .counter(ItemsCount::new(rows))
        .with_inputs(|| SecretCoins::from_test_seed(SEED))
        .bench_values(|mut coins| {
            // A benchmark that only times an error would look fast.
            algorithm.partition(&table, model, &mut coins).expect("the census is eligible")
        });
}

fn of_name(name: &str) -> &'static dyn Algorithm {
    algorithm::named(name).expect("the registry has it")
}

#[divan::bench(args = ["cover", "rda", "gda"], sample_count = 10)]
fn algorithms(bencher: Bencher, algorithm: &str) {
    partition(bencher, of_name(algorithm), &model(), ROWS);
}

#[divan::bench(args = [600_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000], sample_count = 3)]
fn cover_by_rows(bencher: Bencher, rows: usize) {
    partition(bencher, &Cover, &model(), rows);
}

/// Distinct 4-diversity on four quasi-identifiers: n log n.
#[divan::bench(args = [600_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000], sample_count = 3)]
fn halving_by_rows(bencher: Bencher, rows: usize) {
    let model = Requirement::Distinct(DistinctDiversity { l: 4 }).into();
    partition(bencher, &Halving, &model, rows);
}

/// Blocks of 8 with l = 2, where a block has four groupings to try.
#[divan::bench(
    args = ["k-jump", "safe", "naive"],
    consts = [250_000, 1_000_000],
    sample_count = 3
)]
fn blocks<const N: usize>(bencher: Bencher, algorithm: &str) {
    let model = RatioDiversity::new(2).expect("2 is at least 2").into();
    partition(bencher, of_name(algorithm), &model, N);
}

#[divan::bench(sample_count = 10)]
fn publish_and_check(bencher: Bencher) {
    let table = census(ROWS, SEED);
    let mut coins = SecretCoins::from_test_seed(SEED);
    let groups = Cover.partition(&table, &model(), &mut coins).expect("the census is eligible");
    bencher.counter(ItemsCount::new(ROWS)).bench(|| {
        let (release, membership) = publish(&table, &groups, Style::Generalize);
        check::release(&release, &table, &membership, &model(), Style::Generalize)
            .expect("the release is right");
        release
    });
}

/// 1,000 queries on two known columns and the sensitive one, of a million rows: the true counts,
/// and the estimates from the release.
#[divan::bench(sample_count = 5)]
fn a_thousand_queries(bencher: Bencher) {
    let table = census(1_000_000, SEED);
    let mut coins = SecretCoins::from_test_seed(SEED);
    let groups = Cover.partition(&table, &model(), &mut coins).expect("the census is eligible");
    let (release, _) = publish(&table, &groups, Style::Generalize);
    let kind = QueryKind::of_dimension(2).with_sensitive();
    let workload = Workload::random(&table, &kind, 1_000, SEED);
    bencher.bench(|| workload.mean_error(&table, &release));
}

/// Counts rise evenly; the largest is eligible with a margin.
#[divan::bench(args = [50, 5_000])]
fn decompose_values(bencher: Bencher, values: u32) {
    let counts = (1..=values).map(|rank| 200 + 100 * rank).collect();
    let histogram = Histogram::from_counts(counts);
    let exempt = vec![false; values as usize];
    bencher
        .bench(|| decompose(&histogram, &exempt, None, ratio()).expect("no value is too frequent"));
}
