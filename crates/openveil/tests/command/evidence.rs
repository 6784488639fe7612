//! `openveil report --evidence`: a page for the people who sign.

use super::support::*;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const PURPOSE: &str = "
[purpose]
aim = \"a study of <jobs>\"
recipient = \"one university\"
signatures = [\"Head of office\"]
[purpose.reasons]
job = \"asked in confidence\"
[purpose.thresholds]
highest_share = 0.4
uniqueness = 0.0
[[purpose.decisions]]
what = \"l = 3\"
by = \"A. Example\"
";

fn released(style: &str, purpose: &str) -> TempDir {
    let folder = folder();
    let row = |number: usize| {
        let (age, sex) = (20 + number % 37, ["f", "m"][number % 2]);
        format!("{age},{sex},{}\n", ["clerk", "cook", "judge"][number % 3])
    };
    let rows: String = (0..60).map(row).collect();
    fs::write(folder.path().join("people.csv"), format!("age,sex,job\n{rows}")).unwrap();
    let policy = format!(
        "[input]\npath = \"people.csv\"\n[columns]\nage = {{ role = \"quasi-identifier\", type = \"integer\" }}\nsex = {{ role = \"quasi-identifier\" }}\njob = {{ role = \"sensitive\" }}\n[privacy]\nmodel = \"l-diversity\"\nl = 3\n[output]\nstyle = \"{style}\"\n{purpose}"
    );
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    let published =
        openveil(folder.path(), &["publish", "policy.toml", "--out", "out", "--test-seed", "1"]);
    assert!(published.status.success(), "{}", text(&published.stderr));
    folder
}

fn page(folder: &Path, more: &[&str]) -> String {
    let usual = ["report", "out", "--evidence", "evidence.html"];
    let report = openveil(folder, &[&usual, more].concat());
    assert!(report.status.success(), "{}", text(&report.stderr));
    fs::read_to_string(folder.join("evidence.html")).unwrap()
}

#[test]
fn evidence_has_what_was_stated_and_what_was_measured() {
    let folder = released("anatomy", PURPOSE);
    let page = page(folder.path(), &["--policy", "policy.toml"]);
    for words in [
        "a study of &lt;jobs&gt;",
        "one university",
        "asked in confidence",
        "A. Example",
        "Head of office",
    ] {
        assert!(page.contains(words), "{words}");
    }
    // Known values are exact, so rows are alone, and the page says so.
    assert!(page.contains("EXCEEDED") && page.contains("<td>met</td>"), "{page}");
    assert!(page.contains("No attack broke the guarantee."));
    assert!(page.contains("<code>contract</code>"), "a blank has a name");
    let policy = folder.path().join("policy.toml");
    let hash = openveil_io::release_dir::sha256(&policy).unwrap();
    assert!(page.contains(&hash));
}

#[test]
fn nothing_that_was_not_stated_is_invented() {
    let folder = released("slice", "");
    let page = page(folder.path(), &[]);
    for key in ["controller", "aim", "recipient", "contract", "safeguards", "decisions"] {
        assert!(page.contains(&format!("not stated: <code>{key}</code>")), "{key}");
    }
    assert!(page.contains("The owner's table was not measured") && !page.contains("met</td>"));
    assert!(page.contains("The rows do not show which quasi-identifiers belong together."));
}

#[test]
fn evidence_has_templates_and_two_languages() {
    let folder = released("generalize", PURPOSE);
    for (template, words) in
        [("european", "WP 216"), ("ehds", "2025/327"), ("office", "Attempted intrusion")]
    {
        let page = page(folder.path(), &["--template", template]);
        assert!(page.contains(words), "{template}");
        // The answers for a board come before everything else, and are signed there.
        let at = |words: &str| page.find(words).unwrap_or_else(|| panic!("{template}: {words}"));
        let order =
            ["because we publish?", "Against whom", "The bound", "Not covered", "Data owner"];
        let places = order.map(at);
        assert!(places.is_sorted() && places[4] < at("Annex 1."), "{template}");
    }
    let hipaa = page(folder.path(), &["--template", "hipaa"]);
    assert_eq!(hipaa.matches("<h2>").count(), 7, "the answer, signatures and five parts");
    assert!(hipaa.contains("45 CFR 164.514(b)(1)") && hipaa.contains('☐'));
    let german = page(folder.path(), &["--language", "de"]);
    assert!(
        german.contains("lang=\"de\"")
            && german.contains("Bei keiner Person lässt sich der Wert von „job“")
    );
    assert!(german.contains("nicht angegeben: <code>contract</code>"));
}

/// A policy with another role for a column is not the policy that the release was made with.
#[test]
fn evidence_is_of_the_policy_that_made_the_release() {
    let folder = released("anatomy", PURPOSE);
    let policy = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
    let other =
        policy.replace("sex = { role = \"quasi-identifier\" }", "sex = { role = \"drop\" }");
    fs::write(folder.path().join("other.toml"), other).unwrap();
    let arguments = ["report", "out", "--evidence", "e.html", "--policy", "other.toml"];
    let refused = openveil(folder.path(), &arguments);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("says `drop` of the column `sex`"),
        "{}",
        text(&refused.stderr)
    );
    assert!(!folder.path().join("e.html").exists());
}

/// Several tables show whole rows: how many people are alone in them is not measured, and the page
/// does not claim it.
#[test]
fn tables_that_keep_rules_claim_nothing_of_rows() {
    let folder = released("slice", "");
    let policy = "[input]\npath = \"people.csv\"\n[columns]\nage = { role = \"attribute\", type = \"integer\" }\nsex = { role = \"attribute\" }\njob = { role = \"attribute\" }\n[[rules]]\ngiven = [\"sex\"]\nprotect = \"job\"\nl = 2\n";
    fs::write(folder.path().join("rules.toml"), policy).unwrap();
    let published =
        openveil(folder.path(), &["publish", "rules.toml", "--out", "out", "--test-seed", "1"]);
    assert!(published.status.success(), "{}", text(&published.stderr));
    let page = page(folder.path(), &[]);
    assert!(!page.contains("The rows do not show which quasi-identifiers"), "{page}");
    assert!(page.contains("was not measured here"), "{page}");
}

#[test]
fn evidence_replaces_no_other_file() {
    let folder = released("slice", PURPOSE);
    let other = folder.path().join("notes.html");
    fs::write(&other, "mine").unwrap();
    let refused = openveil(folder.path(), &["report", "out", "--evidence", "notes.html"]);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(fs::read_to_string(other).unwrap(), "mine");
}

#[test]
fn a_purpose_is_of_no_influence_on_a_release() {
    let (with, without) = (released("slice", PURPOSE), released("slice", ""));
    let files = |folder: &TempDir| {
        let names = ["release.csv", "manifest.json", "report.html"];
        names.map(|name| fs::read(folder.path().join("out/release").join(name)).unwrap())
    };
    assert_eq!(files(&with), files(&without));
}

#[test]
fn wrong_purposes_are_named() {
    for (wrong, problem) in [
        ("[purpose]\nwho = \"x\"\n", "unknown key `who`"),
        ("[purpose.reasons]\njobb = \"x\"\n", "did you mean `job`?"),
        ("[purpose.thresholds]\nrisk = 0.1\n", "which is not a risk"),
        ("[purpose.thresholds]\nuniqueness = 5\n", "is not a share"),
    ] {
        let folder = released("slice", "");
        let policy = folder.path().join("policy.toml");
        let whole = fs::read_to_string(&policy).unwrap() + wrong;
        fs::write(&policy, whole).unwrap();
        let refused = openveil(folder.path(), &["publish", "policy.toml", "--out", "other"]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains(problem), "{}", text(&refused.stderr));
    }
}
