//! Unmodified releases agree with their own statements.

use super::*;

type Change = Box<dyn Fn(String) -> String>;

#[test]
fn releases_that_nobody_touched_pass() {
    let output = |text: &str| {
        let text = text.to_owned();
        move |policy: String| format!("{policy}{text}")
    };
    let model = |model: &str| {
        let model = model.to_owned();
        move |policy: String| policy.replace("model = \"l-diversity\"\nl = 3", &model)
    };
    let persons =
        |policy: String| format!("{}[persons]\nid = \"name\"\n", policy.replace("l = 3", "l = 2"));
    let mut all: Vec<(String, Change)> = Vec::new();
    for style in ["generalize", "slice", "anatomy"] {
        for format in ["csv", "parquet", "csv.gz"] {
            let text = format!("[output]\nstyle = \"{style}\"\nformat = \"{format}\"\n");
            all.push((text.clone(), Box::new(output(&text))));
        }
        let strata = format!("l = 2\nstrata = [\"sex\"]\n[output]\nstyle = \"{style}\"\n");
        all.push((strata.clone(), Box::new(move |policy| policy.replace("l = 3\n", &strata))));
    }
    for text in [
        "[algorithm]\nname = \"halving\"\n",
        "[algorithm]\nname = \"ria\"\n",
        "[algorithm]\nname = \"k-jump\"\n",
        "[algorithm]\nname = \"gda\"\n",
        "[output]\ncells = \"bounds\"\n",
        HISTORY,
    ] {
        all.push((text.to_owned(), Box::new(output(text))));
    }
    for text in [
        "model = \"k-anonymity\"\nk = 4",
        "model = \"l-diversity\"\nvariant = \"entropy\"\nl = 2",
        "model = \"l-diversity\"\nvariant = \"distinct\"\nl = 2",
        "model = \"t-closeness\"\nt = 0.4\ndistance = \"equal\"",
        "model = \"l-diversity\"\nl = 2\n[reader]\nodds = 2",
        "model = \"l-diversity\"\nl = 2\n[reader]\nodds = 2\npeople = \"everybody\"\ninside = \"random\"",
    ] {
        all.push((text.to_owned(), Box::new(model(text))));
    }
    all.push((
        "exempt".to_owned(),
        Box::new(|policy: String| {
            policy.replace("role = \"sensitive\"", "role = \"sensitive\", exempt = [\"clerk\"]")
        }),
    ));
    all.push((
        "two sensitive columns".to_owned(),
        Box::new(|policy: String| {
            policy
                .replace("sex = { role = \"quasi-identifier\" }", "sex = { role = \"sensitive\" }")
                .replace("l = 3\n", "l = 2\ncombine = [\"sex\", \"job\"]\n")
        }),
    ));
    all.push(("persons".to_owned(), Box::new(persons)));
    for (name, change) in all {
        let accepted = ["--test-seed", "1", "--i-accept-algorithm-disclosure"];
        let options = if name.contains("gda") { 3 } else { 2 };
        let folder = published(&change, &accepted[..options]);
        for arguments in [&["audit", "out", "--json"][..], &["report", "out"]] {
            let output = openveil(folder.path(), arguments);
            let said = text(&output.stdout) + &text(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{name}: {said}");
        }
    }
}

#[test]
fn tables_that_keep_rules_are_held_against_themselves() {
    let strata = "protect = \"job\"\nl = 2\nstrata = [\"sex\"]\n";
    let open = "[[rules]]\ngiven = [\"age\"]\nprotect = \"zip\"\nl = 2\n";
    let gd = "[algorithm]\ndecomposition = \"gd\"\n";
    let (head, _) = rules::POLICY.split_once("[[rules]]").unwrap();
    let ordered = "zip = { role = \"attribute\", type = \"integer\", bins = [72000, 73000] }";
    for (name, policy) in [
        ("several", rules::POLICY.to_owned()),
        ("sliced", rules::POLICY.to_owned() + SLICE),
        ("anatomy", rules::POLICY.to_owned() + ANATOMY),
        ("strata", rules::POLICY.replace("protect = \"job\"\n", strata)),
        ("bins", rules::POLICY.replace("zip = { role = \"attribute\" }", ordered)),
        ("unreachable", head.to_owned() + open),
        ("two with groups", rules::POLICY.to_owned() + gd),
        ("two sliced", rules::POLICY.to_owned() + gd + SLICE),
    ] {
        let folder = rules::folder();
        fs::write(folder.path().join("policy.toml"), policy).unwrap();
        done(folder.path(), &["publish", "policy.toml"]);
        for _ in ["with its owner", "alone"] {
            let output = openveil(folder.path(), &["audit", "out", "--json"]);
            let said = text(&output.stdout) + &text(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{name}: {said}");
            let report = json(&output.stdout);
            assert_eq!(report["findings"], json!([]), "{name}");
            let words = report["measures"].as_str();
            assert_eq!(words.is_some(), report.get("k").is_none(), "{name}");
            if name.starts_with("two") {
                assert_eq!(report["guarded"].as_array().unwrap().len(), 2, "{name}");
            }
            let said = text(&openveil(folder.path(), &["audit", "out"]).stdout);
            assert!(said.contains(words.unwrap_or("Not checked")), "{name}: {said}");
            done(folder.path(), &["report", "out"]);
            let _ = fs::remove_dir_all(folder.path().join("out/owner"));
        }
    }
}
