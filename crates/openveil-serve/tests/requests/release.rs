//! Shuffled copies and releases: how they are made, questioned and attacked.

use super::{entered, options, people, started};
use openveil_serve::ServeOptions;

#[test]
fn a_table_becomes_a_release() {
    let served = entered(None);
    let page = served.bring("people.csv", people().as_bytes());
    assert!(page.contains("people.csv: 60 rows, 3 columns."), "{page}");
    let promise = served.get("/promise").body;
    assert!(promise.contains("<blockquote"), "{promise}");
    // The bound, and guessing without the release.
    let meters: Vec<&str> = promise.split("<meter").skip(1).collect();
    assert!(meters.len() >= 3 && meters[0].contains("value=\"0.250\""), "{promise}");
    // Ten pairs of the 60 people have the same age and sex.
    assert!(
        promise.contains("id=\"gauge-alone\" min=\"0\" max=\"1\" value=\"0.667\""),
        "{promise}"
    );
    let before = served.get("/publish").body;
    assert!(before.contains("id=\"before\"") && before.contains("<blockquote"), "{before}");
    assert!(before.contains("values of the group in random order"), "{before}");
    assert_eq!(served.post("/publish", "").status, 303);
    let page = served.settled("/publish");
    assert!(page.contains("id=\"published\"") && !page.contains("id=\"before\""), "{page}");
    for file in ["release.zip", "owner.zip", "report.html", "owner.html", "policy.toml"] {
        let answer = served.get(&format!("/files/{file}"));
        assert_eq!(answer.status, 200, "{file}");
        assert!(!answer.body.is_empty());
    }
    assert!(served.get("/files/report.html").head.contains("sandbox"));
    let ask = |path: &str, form: &str| {
        served.post(path, form);
        served.settled("/check")
    };
    let page = ask("/check/query", "where=sex+%3D+f&by=&mean=&min=");
    assert!(page.contains("id=\"answer\"") && page.contains("true count"), "{page}");
    let page = ask("/check/query", "where=&by=sex,job&mean=&min=");
    assert!(page.contains("count by sex, job") && !page.contains("true count"), "{page}");
    let page = ask("/check/query", "by=sex,job&min=7");
    assert!(page.contains("&lt; 7") && page.contains("total"), "{page}");
    let page = served.post("/check/query", "by=sex&min=few").body;
    assert!(page.contains("`--min` cannot be `few`"), "{page}");
    let page = ask("/check/fit", "formula=job+~+sex");
    assert!(page.contains("the release has 4 groups, but a fit needs 16"), "{page}");
    let page = ask("/check/fit", "formula=job");
    assert!(page.contains("class=\"problem\"") && !page.contains("id=\"answer\""), "{page}");
    let page = ask("/check/query", "where=&by=&mean=&min=");
    assert!(page.contains("nothing is asked"), "{page}");
    served.post("/check/attack", "");
    assert!(served.settled("/check").contains("class=\"document\""));
    served.post("/check/audit", "what=");
    assert!(served.settled("/check").contains("class=\"document\""));
    // Audits the table as it was brought, with the chosen roles of columns.
    served.post("/check/audit", "what=table&known=&secret=");
    let page = served.settled("/check");
    assert!(!page.contains("--sensitive"), "{page}");
    assert!(page.contains("class=\"document\""));
}

#[test]
fn a_test_seed_repeats_a_release_and_marks_it() {
    let published = |test_seed| {
        let (mut served, way_in) = started(&ServeOptions { test_seed, ..options(None) });
        served.enter(&way_in);
        served.bring("people.csv", people().as_bytes());
        served.post("/publish", "");
        let page = served.settled("/publish");
        assert_eq!(page.contains("id=\"unfit\""), test_seed.is_some(), "{page}");
        let (_, shown) = page.split_once("release.csv</caption>").expect("the released rows");
        shown.split("</table>").next().unwrap().to_owned()
    };
    assert_eq!(published(Some(7)), published(Some(7)));
    published(None);
}

#[test]
fn a_release_answers_with_a_regression() {
    let served = entered(None);
    let header = people().lines().next().unwrap().to_owned();
    let rows: Vec<String> = (0..20)
        .flat_map(|_| people().lines().skip(1).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    served.bring("people.csv", format!("{header}\n{}\n", rows.join("\n")).as_bytes());
    served.post("/publish", "");
    served.settled("/publish");
    served.post("/check/fit", "formula=job+~+sex");
    let page = served.settled("/check");
    assert!(page.contains("multinomial logit, beside") && page.contains("std. error"), "{page}");
}

#[test]
fn a_release_knows_what_it_was_made_by() {
    let served = entered(None);
    served.bring("people.csv", people().as_bytes());
    served.post("/publish", "");
    assert!(!served.settled("/publish").contains("Settings were changed"));
    let form = "model=ratio&p-l=2&style=generalize&algorithm=auto";
    served.post("/promise", &format!("version={}&{form}", served.version()));
    assert!(served.get("/publish").body.contains("Settings were changed"));
    // It is attacked with the policy that it was made with.
    served.post("/check/attack", "");
    let page = served.settled("/check");
    assert!(
        page.contains("No attack broke the guarantee.") && !page.contains("role=\"alert\""),
        "{page}"
    );
}

/// A release below the root is attacked with the current policy.
#[test]
fn a_release_from_elsewhere_is_attacked() {
    let folder = tempfile::tempdir().unwrap();
    let served = entered(Some(folder.path()));
    served.bring("people.csv", people().as_bytes());
    let policy = served.get("/files/policy.toml").body;
    std::fs::write(folder.path().join("people.csv"), people()).unwrap();
    let policy = openveil_io::Policy::parse(&policy, &folder.path().join("policy.toml")).unwrap();
    let options = openveil_publication::Options::default();
    openveil_publication::run(&policy, options, &openveil_io::progress::Nobody).unwrap();
    assert!(served.get("/check").body.contains("out/release/release.csv"));
    served.post("/check/attack", "what=file:out/release/release.csv");
    let page = served.settled("/check");
    assert!(
        page.contains("No attack broke the guarantee.") && !page.contains("role=\"alert\""),
        "{page}"
    );
}

#[test]
fn a_shuffled_copy_is_seen_before_a_release() {
    let served = entered(None);
    served.bring("people.csv", people().as_bytes());
    assert_eq!(served.post("/dry", "").status, 303);
    let page = served.settled("/publish");
    assert!(
        page.contains("id=\"beside\"") && page.contains("<caption>Shuffled copy: first rows"),
        "{page}"
    );
    assert!(page.contains("release.csv") && !page.contains("id=\"published\""), "{page}");
    // Known columns stay where they are; secrets do not.
    let beside = page.split("id=\"beside\"").nth(1).unwrap();
    let first = beside.split("<tbody>").nth(1).unwrap().split("</tbody>").next().unwrap();
    assert_eq!(first.matches("<tr>").count(), 20);
    assert!(first.contains("<tr><td>20</td><td>f</td>"), "{first}");
    assert_eq!(served.post("/publish", "").status, 303);
    let page = served.settled("/publish");
    assert!(
        page.contains("<caption>Table: first rows") && page.contains("id=\"published\""),
        "{page}"
    );
}

/// Dropped columns, identifiers and several secrets are in the copy as in the table.
#[test]
fn a_shuffled_copy_is_seen_of_every_table() {
    let table = |row: &dyn Fn(usize) -> String, header: &str| {
        format!("{header}\n{}", (0..120).map(row).collect::<String>())
    };
    let jobs = ["nurse", "clerk", "judge", "cook"];
    let dropped = table(
        &|i| format!("\"a \"\"note\"\" \\\",{},{}\n", 20 + i % 50, jobs[i % 4]),
        "note,age,job",
    );
    let id = table(&|i| format!("{i},{},{}\n", 20 + i % 50, jobs[i % 4]), "id,age,job");
    let several =
        table(&|i| format!("{},{},{}\n", 20 + i % 50, jobs[i % 4], i / 4 % 5), "age,job,pay");
    let served = entered(None);
    for (csv, roles, several) in [
        (&dropped, "role-0=drop&role-1=quasi-identifier&type-1=integer&role-2=sensitive", ""),
        (&id, "role-0=identifier&role-1=quasi-identifier&type-1=integer&role-2=sensitive", ""),
        (
            &several,
            "role-0=quasi-identifier&type-0=integer&role-1=sensitive&role-2=sensitive",
            "each",
        ),
        (
            &several,
            "role-0=quasi-identifier&type-0=integer&role-1=sensitive&role-2=sensitive",
            "combine",
        ),
    ] {
        served.bring("people.csv", csv.as_bytes());
        let form = format!("version={}&{roles}&belongs=people", served.version());
        assert_eq!(served.post("/columns", &form).status, 303);
        let form = format!(
            "version={}&model=ratio&p-l=3&several={several}&style=slice&algorithm=auto",
            served.version()
        );
        assert_eq!(served.post("/promise", &form).status, 303);
        assert_eq!(served.post("/dry", "").status, 303);
        let page = served.settled("/publish");
        assert!(page.contains("<caption>Shuffled copy: first rows"), "{roles} {several}: {page}");
    }
}
