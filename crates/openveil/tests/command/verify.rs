//! `openveil verify`: exact figures, sweeps, models.

use super::support::*;
use serde_json::Value;

#[test]
fn verifying_reports_exact_figures() {
    let folder = folder();
    let verify = |algorithm: &str| {
        let arguments = [
            "verify",
            "--algorithm",
            algorithm,
            "--sensitive",
            "1,1,2,2,3,3",
            "--l",
            "2",
            "--json",
        ];
        let output = openveil(folder.path(), &arguments);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), report)
    };
    let (code, report) = verify("cover");
    assert_eq!(
        (code, &report["tables"], &report["unsafe_releases"]),
        (Some(0), &90.into(), &0.into())
    );
    assert_eq!(report["max_posterior"], "1/2");
    let (code, report) = verify("auto");
    assert_eq!((code, &report["chosen"]), (Some(0), &"halving".into()));
    let (code, report) = verify("gda");
    assert_eq!((code, &report["certain_tables"]), (Some(1), &48.into()));
    assert_eq!(report["max_posterior"], "1");
    let told = openveil(
        folder.path(),
        &["verify", "--algorithm", "gda", "--sensitive", "1,1,2,2,3,3", "--l", "2"],
    );
    assert!(text(&told.stdout).contains("with probability 1."), "{}", text(&told.stdout));
    let large = openveil(
        folder.path(),
        &["verify", "--algorithm", "gda", "--sensitive", "1,2,3,4,5,6,7,8,9,10,11,12", "--l", "2"],
    );
    assert_eq!(large.status.code(), Some(2));
    assert!(text(&large.stderr).contains("beyond the limit"));
}

#[test]
fn verifying_walks_all_multisets() {
    let folder = folder();
    let sweep = |algorithm: &str, more: &[&str]| {
        let arguments = ["verify", "--algorithm", algorithm, "--rows-up-to", "6", "--l", "2"];
        openveil(folder.path(), &[&arguments[..], more].concat())
    };
    let safe = sweep("cover", &["--json"]);
    assert_eq!(safe.status.code(), Some(0));
    let sizes: Value = serde_json::from_slice(&safe.stdout).unwrap();
    // For four people: 1+1+1+1, 2+1+1 in three orders, 2+2.
    assert_eq!((&sizes[2]["rows"], &sizes[2]["multisets"]), (&4.into(), &5.into()));
    assert!(sizes.as_array().unwrap().iter().all(|size| size["unsafe_releases"] == 0));
    let leaky = sweep("gda", &[]);
    assert_eq!(leaky.status.code(), Some(1));
    assert!(text(&leaky.stdout).contains("`gda` discloses values on some multisets"));
}

#[test]
fn multisets_are_crossed_with_strata_and_exempt_values() {
    let folder = folder();
    let sweep = |more: &[&str]| {
        let arguments = ["verify", "--rows-up-to", "4", "--l", "2", "--json"];
        openveil(folder.path(), &[&arguments[..], more].concat())
    };
    let sizes = |more: &[&str]| -> Value {
        let found = sweep(more);
        assert_eq!(found.status.code(), Some(0), "{}", text(&found.stderr));
        serde_json::from_slice(&found.stdout).unwrap()
    };
    let of_four = |sizes: &Value| sizes.as_array().unwrap().last().unwrap()["multisets"].clone();
    // Two strata of two people: each has two values; the pairs are equal, disjoint, or share one
    // value.
    let strata = sizes(&["--algorithm", "cover", "--crossed-with", "strata"]);
    assert_eq!(of_four(&strata), 13);
    // With an exempt value, each of the others may have at most half of the rows.
    let exempt = sizes(&["--algorithm", "cover", "--crossed-with", "exempt"]);
    assert!(of_four(&exempt).as_u64().unwrap() > 5, "{exempt}");
    // An algorithm that does not take exempt values has nothing to check, and says so.
    let nothing = sweep(&["--algorithm", "ria", "--crossed-with", "exempt"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(text(&nothing.stderr).contains("allows no multiset"), "{}", text(&nothing.stderr));
}

#[test]
fn a_walk_goes_on_where_it_was_stopped() {
    let folder = folder();
    let sweep = |rows: &str, l: &str| {
        let arguments = ["verify", "--algorithm", "cover", "--resume", "walk.jsonl", "--json"];
        openveil(folder.path(), &[&arguments[..], &["--rows-up-to", rows, "--l", l]].concat())
    };
    let journal = folder.path().join("walk.jsonl");
    assert_eq!(sweep("4", "2").status.code(), Some(0));
    let first = std::fs::read_to_string(&journal).unwrap();
    let whole = sweep("5", "2");
    let second = std::fs::read_to_string(&journal).unwrap();
    assert!(second.starts_with(&first) && second.len() > first.len());
    // Killed while writing: the last line is computed again, and all figures are equal.
    std::fs::write(&journal, &second[..second.len() - 5]).unwrap();
    let again = sweep("5", "2");
    assert_eq!(text(&again.stdout), text(&whole.stdout));
    assert_eq!(std::fs::read_to_string(&journal).unwrap(), second);
    // Figures in the journal are not computed again.
    let forged = second.replacen("\"releases\":1,", "\"releases\":1000,", 1);
    assert_ne!(forged, second);
    std::fs::write(&journal, forged).unwrap();
    assert_ne!(text(&sweep("5", "2").stdout), text(&whole.stdout));
    // A journal of another question, or a file that is not a journal, is not changed.
    for (content, said) in [
        (second.as_str(), "another question"),
        ("notes", "not a journal"),
        ("a\nb\n", "not a journal"),
    ] {
        std::fs::write(&journal, content).unwrap();
        let refused = sweep("5", "3");
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains(said), "{}", text(&refused.stderr));
        assert_eq!(std::fs::read_to_string(&journal).unwrap(), content);
    }
}

#[test]
fn verifying_takes_any_model() {
    let folder = folder();
    let check = |algorithm: &str, privacy: &str| {
        let arguments = ["verify", "--algorithm", algorithm, "--json", "--privacy"];
        let values = [privacy, "--sensitive", "1,1,2,2,3,3"];
        openveil(folder.path(), &[&arguments[..], &values].concat())
    };
    let entropy = "model = \"l-diversity\", variant = \"entropy\", l = 1.8";
    let closeness = "model = \"t-closeness\", t = 0.4, distance = \"ordered\"";
    for privacy in [entropy, closeness] {
        let report = json(&check("halving", privacy).stdout);
        assert_eq!(report["unsafe_releases"], 0);
    }
    let broken = check("mondrian", closeness);
    assert_eq!(broken.status.code(), Some(1));
    let report = json(&broken.stdout);
    assert_eq!((&report["tables"], &report["unsafe_releases"]), (&90.into(), &4.into()));
    let misspelt = check("cover", "modl = \"k-anonymity\", k = 2");
    assert_eq!(misspelt.status.code(), Some(2));
    assert!(text(&misspelt.stderr).contains("did you mean `model`?"));
}

/// The six people of `docs/theory/adversary.md`.
#[test]
fn silence_is_reported_apart_and_for_both_readers() {
    let folder = folder();
    let check = |algorithm: &str, more: &[&str]| {
        let values = "flu,cold,cancer,cancer,headache,toothache";
        let functions = "AB|CD|EF; ABC|DEF; ABCDEF";
        let arguments = ["verify", "--algorithm", algorithm, "--l", "2", "--json"];
        let rest = ["--sensitive", values, "--functions", functions];
        openveil(folder.path(), &[&arguments[..], &rest, more].concat())
    };
    let jump = check("k-jump", &["--jump", "1,2,1"]);
    assert_eq!(jump.status.code(), Some(0));
    let report = json(&jump.stdout);
    let known = &report["silence_knows_multiset"];
    assert_eq!((&known["tables"], &known["safe"]), (&24.into(), &false.into()));
    assert_eq!(known["max_posterior"], "1");
    let unknown = &report["silence_not_knowing_multiset"];
    assert_eq!((&unknown["safe"], &unknown["max_posterior"]), (&true.into(), &"1/5".into()));
    assert_eq!((&report["tables"], &report["unsafe_releases"]), (&336.into(), &0.into()));
    let naive = check("naive", &[]);
    assert_eq!(naive.status.code(), Some(1));
    assert_eq!(json(&naive.stdout)["silence_knows_multiset"], Value::Null);
    for (algorithm, more) in [("cover", &[][..]), ("safe", &["--jump", "1,1,1"])] {
        assert_eq!(check(algorithm, more).status.code(), Some(2));
    }
    for functions in ["0 1|2", "0 1|1 2 3", "0 1|2 9"] {
        let asked = ["verify", "--algorithm", "naive", "--l", "2"];
        let rest = ["--sensitive", "a,b,c,d", "--functions", functions];
        let message = complaint(folder.path(), &[&asked[..], &rest].concat());
        assert!(message.contains("the people are A, B, C, D"), "{message}");
    }
}

/// Singletons first, then pairs that differ in the conditions on groups.
#[test]
fn functions_whose_groups_may_not_be_published_are_passed_over() {
    let folder = folder();
    let weight = "model = \"l-alpha-diversity\", l = 2, alpha = 1, over = \"values\", \
        categories = [[\"a\", \"b\"], [\"c\", \"d\"]]";
    let models = [
        ("model = \"k-anonymity\", k = 2", "0|1|2|3; 0 1|2 3", 24),
        ("model = \"alpha-k-anonymity\", alpha = \"3/4\", k = 4", "0 1|2 3; 0 1 2 3", 24),
        ("model = \"p-sensitive-k-anonymity\", p = 2, k = 3", "0 1|2 3; 0 1 2 3", 24),
        // Two of the six ways of pairing four values put a and b together.
        (weight, "0 1|2 3", 16),
    ];
    for algorithm in ["naive", "safe", "k-jump"] {
        for (model, functions, released) in models {
            let arguments = ["verify", "--algorithm", algorithm, "--privacy", model, "--json"];
            let rest = ["--sensitive", "a,b,c,d", "--functions", functions];
            let output = openveil(folder.path(), &[&arguments[..], &rest].concat());
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            let report = json(&output.stdout);
            let found = (&report["tables"], &report["safe"]);
            assert_eq!(found, (&released.into(), &true.into()), "{algorithm} {model}");
            // The second function is released, never the first.
            assert_ne!(report["max_posterior"], "1", "{algorithm} {model}");
        }
    }
}

/// As in a published table, only the order of known numbers matters.
#[test]
fn known_numbers_are_as_far_apart_as_their_positions() {
    let folder = tempfile::tempdir().unwrap();
    let tables = |layout: &[&str]| {
        let gda = ["verify", "--algorithm", "gda", "--l", "3", "--json"];
        let values = ["--sensitive", "1,2,3,4,5,5"];
        let output = openveil(folder.path(), &[&gda[..], &values, layout].concat());
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        json(&output.stdout)["unsafe_tables"].clone()
    };
    assert_eq!(tables(&[]), 360);
    for numbers in ["--qi=0,1,2,3,4,5", "--qi=0,2,4,8,16,32", "--qi=-7,0,1,2,70000,5000000000"] {
        assert_eq!(tables(&[numbers]), 360, "{numbers}");
    }
}

/// Ignoring the option would suggest that it had been applied.
#[test]
fn what_would_mean_nothing_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let verify = ["verify", "--algorithm", "cover", "--l", "2", "--sensitive"];
    for (more, words) in [
        (&["1,1,2,2", "--crossed-with", "exempt"][..], "`--rows-up-to`"),
        (&["1,1,2,2", "--resume", "done"], "`--rows-up-to`"),
        (&["1,1,2,2", "--afresh"], "--history"),
        (&["1,1,2,2,"], "value 5 of `--sensitive` is empty"),
        (&["1,,2"], "value 2 of `--sensitive` is empty"),
    ] {
        let output = openveil(folder.path(), &[&verify, more].concat());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        assert!(message.contains(words), "{message}");
    }
}
