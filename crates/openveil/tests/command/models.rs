//! Every privacy model, from a policy to a release that its check accepts.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// 240 people; jobs are 60 each, `grade` is 1 … 4 at 96, 72, 48, 24.
fn people() -> String {
    let mut text = String::from("age,job,grade\n");
    for row in 0..240 {
        let job = ["clerk", "judge", "nurse", "smith"][row % 4];
        let grade = [1, 1, 1, 1, 2, 2, 2, 3, 3, 4][row / 4 * 7 % 10];
        text.push_str(&format!("{},{job},{grade}\n", 20 + row * 13 % 50));
    }
    text
}

fn publish(folder: &Path, columns: &str, privacy: &str) -> Result<Value, String> {
    let policy = format!(
        "[input]\npath = \"people.csv\"\n[columns]\nage = {{ role = \"quasi-identifier\", type = \"integer\" }}\n{columns}\n[privacy]\n{privacy}\n[output]\ndir = \"out\"\n"
    );
    fs::write(folder.join("people.csv"), people()).unwrap();
    fs::write(folder.join("policy.toml"), policy).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_openveil"));
    let output = command
        .current_dir(folder)
        // For some algorithms the number of groups depends on the coins.
        .args(["publish", "policy.toml", "--test-seed", "1"])
        .output()
        .unwrap();
    if !output.status.success() {
        return Err(String::from_utf8(output.stderr).unwrap());
    }
    super::support::keeps_what_it_says(folder);
    let manifest = fs::read_to_string(folder.join("out/release/manifest.json")).unwrap();
    Ok(serde_json::from_str(&manifest).unwrap())
}

const JOB: &str = "job = { role = \"sensitive\" }\ngrade = { role = \"drop\" }";
const GRADE: &str =
    "job = { role = \"drop\" }\ngrade = { role = \"sensitive\", type = \"integer\" }";
const TREE: &str = "grade = { role = \"drop\" }\njob = { role = \"sensitive\", hierarchy = { tree = { office = [\"clerk\", \"judge\"], hands = [\"nurse\", \"smith\"] } } }";

#[test]
fn every_model_publishes() {
    let alpha = "model = \"l-alpha-diversity\"\nl = 2\nalpha = 1.5\ncategories = [[\"4\", \"3\"], [\"2\"], [\"1\"]]";
    let cases = [
        (JOB, "model = \"l-diversity\"\nl = 3".to_owned(), "nobody's value of `job` can be guessed with a chance above 1/3"),
        (JOB, "model = \"l-diversity\"\nvariant = \"distinct\"\nl = 3".to_owned(), "at least 3 values remain possible"),
        (GRADE, "model = \"l-diversity\"\nvariant = \"entropy\"\nl = 2.5".to_owned(), "at least that of 2.5 equally probable values"),
        (GRADE, "model = \"l-diversity\"\nvariant = \"recursive\"\nl = 2\nc = 2".to_owned(), "less probable than 2 times all but"),
        (GRADE, "model = \"k-anonymity\"\nk = 4".to_owned(), "every group has at least 4 people"),
        (GRADE, "model = \"alpha-k-anonymity\"\nalpha = 0.5\nk = 4".to_owned(), "chance above 1/2"),
        (GRADE, "model = \"p-sensitive-k-anonymity\"\np = 2\nk = 5".to_owned(), "at least 2 values remain possible"),
        (GRADE, "model = \"t-closeness\"\nt = 0.2\ndistance = \"equal\"".to_owned(), "within 0.2 of the whole table's distribution"),
        (GRADE, "model = \"t-closeness\"\nt = 0.15\ndistance = \"ordered\"".to_owned(), "as far apart as their ranks"),
        (TREE, "model = \"t-closeness\"\nt = 0.15\ndistance = \"hierarchical\"".to_owned(), "as their hierarchy says"),
        (GRADE, "model = \"rho1-rho2\"\nrho1 = 0.4\nrho2 = 0.6".to_owned(), "is as probable as 0.6 for anybody"),
        (GRADE, "model = \"kifer\"\ndistance = \"kullback-leibler\"\nbound = 0.1".to_owned(), "kullback-leibler distance"),
        (GRADE, "model = \"kifer\"\ndistance = \"euclidean\"\nbound = 0.2".to_owned(), "euclidean distance"),
        (GRADE, "model = \"beta-likeness\"\nbeta = 0.5".to_owned(), "by more than that share times 0.5"),
        (GRADE, "model = \"beta-likeness\"\nbeta = 0.5\nvariant = \"enhanced\"".to_owned(), "or −ln of that share"),
        (GRADE, "model = \"delta-disclosure\"\ndelta = 1".to_owned(), "by a factor of e^1"),
        (GRADE, alpha.to_owned(), "weigh at least 1.5"),
        (GRADE, format!("{alpha}\nvariant = \"entropy\"\nweights = \"sensitivity\"\nbeta = 2"), "equally probable categories"),
        (GRADE, format!("{alpha}\nvariant = \"recursive\"\nc = 3"), "anybody's categories"),
        (GRADE, "all = [{ model = \"k-anonymity\", k = 6 }, { model = \"l-diversity\", variant = \"distinct\", l = 3 }]".to_owned(), "every group has at least 6 people; at least 3 values"),
    ];
    for (columns, privacy, promise) in cases {
        let folder = tempfile::tempdir().unwrap();
        let manifest = publish(folder.path(), columns, &privacy)
            .unwrap_or_else(|message| panic!("{privacy}\n{message}"));
        let statement = manifest["guarantee"]["statement"].as_str().unwrap();
        assert!(statement.contains(promise), "{privacy}\n{statement}");
        assert!(manifest["groups"].as_u64().unwrap() > 1, "{privacy}");
    }
}

#[test]
fn the_manifest_tells_the_parameters() {
    let folder = tempfile::tempdir().unwrap();
    let privacy = "model = \"t-closeness\"\nt = \"1/3\"\ndistance = \"ordered\"";
    let model = &publish(folder.path(), GRADE, privacy).unwrap()["model"];
    assert_eq!(model["name"], "t-closeness");
    assert_eq!(model["t"], "1/3");
    assert_eq!(model["distance"], "ordered");
}

#[test]
fn models_that_do_not_fit_the_table_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let alpha = "model = \"l-alpha-diversity\"\nl = 2\nalpha = 1\n";
    let unknown =
        format!("{alpha}categories = [[\"clerc\", \"clerk\", \"judge\"], [\"nurse\", \"smith\"]]");
    let message = publish(folder.path(), JOB, &unknown).unwrap_err();
    assert!(message.contains("`clerc`, which no row has"), "{message}");
    assert!(message.contains("did you mean `clerk`?"), "{message}");
    let few = format!("{alpha}categories = [[\"clerk\"], [\"nurse\", \"smith\"]]");
    let message = publish(folder.path(), JOB, &few).unwrap_err();
    assert!(message.contains("`judge` is in none of the `categories`"), "{message}");
    let entropy = "model = \"l-diversity\"\nvariant = \"entropy\"\nl = 4.5";
    let message = publish(folder.path(), JOB, entropy).unwrap_err();
    assert!(message.contains("no release can satisfy the model"), "{message}");
    assert!(message.contains("is 4, but the bound is 4.5"), "{message}");
}
