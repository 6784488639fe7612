//! Tests of the measured data, and of what a choice by them discloses.

use super::*;

#[test]
fn strata_keep_their_histograms_only_where_they_are_published_anyway() {
    let folder = folder();
    let mut request = request(folder.path(), Basis::Shuffled);
    request.policies[0].privacy.strata = vec!["sex".to_owned()];
    let crossing = |request: &CompareRequest| {
        let ground = ReadyBasis::new(request).unwrap();
        let policy = &request.policies[0];
        let view = load::load(policy, &|_| {}).unwrap().view(policy).unwrap();
        let shuffled = ground.view(&view, &mut SecretCoins::from_test_seed(1)).unwrap();
        let women = shuffled.strata()[0].view(&shuffled).histogram().distinct();
        women > 3
    };
    assert!(!crossing(&request), "women have three of the jobs");
    let note = |request: &CompareRequest| ReadyBasis::new(request).unwrap().in_words();
    assert!(note(&request).to_string().contains("as long as the strata stay the same"));
    // With a policy without strata, the histograms of strata may remain unpublished.
    request.policies.push(policy(folder.path()));
    assert!(crossing(&request));
    assert!(!note(&request).to_string().contains("strata"));
}

#[test]
fn other_grounds_leave_the_promise_alone() {
    let folder = folder();
    let other = earlier(folder.path());
    for basis in [Basis::Shuffled, Basis::On(other)] {
        compared(&request(folder.path(), basis));
        // A release of the same table shows the histograms that the comparison used.
        let policy = policy(folder.path());
        let watched = record::watched(&policy).unwrap();
        let loaded = load::load_watched(&policy, &watched, &|_| {}).unwrap();
        let view = loaded.view(&policy).unwrap();
        let looks = record::Looks::new(&policy, &loaded, std::iter::once(&view));
        assert!(looks.unwrap().is_empty());
    }
    // A copy of the policy's table is not another table.
    let copy = folder.path().join("copy.csv");
    fs::copy(folder.path().join("people.csv"), &copy).unwrap();
    for own in ["people.csv", "copy.csv"] {
        let own = request(folder.path(), Basis::On(folder.path().join(own)));
        let refused = run(&own, &Counting::default()).unwrap_err().to_string();
        assert!(refused.contains("is the table that the policy publishes"), "{refused}");
    }
}

/// The policy's table is refused in a file as well as in memory.
#[test]
fn another_table_is_measured_in_the_place_of_any() {
    use arrow_array::{ArrayRef, RecordBatch, StringArray};
    use std::sync::Arc;
    let folder = folder();
    let text = fs::read_to_string(folder.path().join("people.csv")).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let column = |at: usize| {
        let cells = lines[1..].iter().map(|line| line[at]);
        (lines[0][at], Arc::new(StringArray::from_iter_values(cells)) as ArrayRef)
    };
    let batch = RecordBatch::try_from_iter((0..4).map(column)).unwrap();
    let own = Batches::new(batch.schema(), vec![batch]).unwrap();
    let other = folder.path().join("other.csv");
    let half: Vec<&str> = text.lines().take(121).collect();
    fs::write(&other, half.join("\n")).unwrap();
    let groups = |basis: Basis, in_memory: bool| {
        let mut request = request(folder.path(), basis);
        if in_memory {
            request.policies[0].input.source = Source::of_memory("table", own.clone());
        }
        compared(&request).rows[0].medians["groups"]
    };
    assert_eq!([false, true].map(|own| groups(Basis::Shuffled, own)), [120.0; 2]);
    assert_eq!([false, true].map(|own| groups(Basis::On(other.clone()), own)), [60.0; 2]);
}
