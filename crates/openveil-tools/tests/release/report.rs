use openveil_io::Policy;
use openveil_io::progress::Nobody;
use openveil_io::release_dir::write::Owner;
use openveil_publication as publish;
use openveil_publication::Options;
use openveil_reader::report::{public, write_again};
use openveil_text::Language;
use std::collections::BTreeSet;
use std::fs;

const TABLE: &str = r#"
[input]
path = "people.csv"
[columns]
name = { role = "identifier" }
age = { role = "quasi-identifier", type = "integer" }
"a <b>" = { role = "quasi-identifier" }
job = { role = "sensitive" }
note = { role = "drop" }
[privacy]
model = "l-diversity"
l = 3
"#;

const RULES: &str = r#"
[input]
path = "people.csv"
[columns]
name = { role = "identifier" }
age = { role = "attribute", type = "integer" }
"a <b>" = { role = "attribute" }
job = { role = "attribute" }
note = { role = "drop" }
[[rules]]
given = ["age"]
protect = "job"
model = "l-diversity"
l = 3
[[rules]]
given = ["job"]
protect = "a <b>"
model = "l-diversity"
l = 2
"#;

/// Names and notes are marked: they must not be published in any form.
fn people() -> String {
    let mut text = String::from("name,age,a <b>,job,note\n");
    for row in 0..60 {
        let job = ["clerk", "nurse", "smith", "judge & jury"][row % 4];
        let sex = ["f", "m\"m\"", "<x>"][row % 3].replace('"', "\"\"");
        text.push_str(&format!("MARKED{row},{},\"{sex}\",{job},SECRET{row}\n", 20 + row));
    }
    text
}

/// A release of every kind with a different page.
fn releases() -> Vec<(String, tempfile::TempDir)> {
    let style = |style: &str| format!("[output]\nstyle = \"{style}\"\n");
    let mut kinds: Vec<(String, String)> = ["generalize", "slice", "anatomy"]
        .map(|name| (name.to_owned(), format!("{TABLE}{}", style(name))))
        .into();
    let more = [
        ("rules", RULES.to_owned()),
        ("rules, generalized", format!("{RULES}{}", style("generalize"))),
        ("strata", TABLE.replace("l = 3", "l = 3\nstrata = [\"a <b>\"]")),
        (
            "exempt",
            TABLE.replace("role = \"sensitive\"", "role = \"sensitive\", exempt = [\"clerk\"]"),
        ),
        ("k", TABLE.replace("\"l-diversity\"\nl", "\"k-anonymity\"\nk")),
        ("parquet", format!("{TABLE}[output]\nformat = \"parquet\"\n")),
        ("bounds", format!("{TABLE}[output]\ncells = \"bounds\"\n")),
    ];
    kinds.extend(more.map(|(name, policy)| (name.to_owned(), policy)));
    let publish = |(name, policy): (String, String)| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("people.csv"), people()).unwrap();
        let path = folder.path().join("p.toml");
        fs::write(&path, policy).unwrap();
        let options = Options { test_seed: Some(7), ..Options::default() };
        publish::run(&Policy::read(&path).unwrap(), options, &Nobody)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, folder)
    };
    kinds.into_iter().map(publish).collect()
}

fn read(folder: &tempfile::TempDir, file: &str) -> String {
    fs::read_to_string(folder.path().join("out").join(file)).unwrap()
}

/// Elements without an end tag.
const VOID: [&str; 2] = ["meta", "rect"];

/// Checks that every element ends where it should, ids are unique, and no other file is loaded.
fn check_html(html: &str) -> Result<(), String> {
    let body = html.strip_prefix("<!DOCTYPE html>").ok_or("no doctype")?;
    let style = body.find("<style>").ok_or("no style")?..body.find("</style>").ok_or("no style")?;
    let without_style = format!("{}{}", &body[..style.start + 7], &body[style.end..]);
    let (mut open, mut ids) = (Vec::new(), BTreeSet::new());
    for piece in without_style.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').ok_or_else(|| format!("`{piece}` has no end"))?;
        if text.contains('>') {
            return Err(format!("`{text}` holds a bare sign"));
        }
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("`{name}` ends where it did not begin"));
            }
            continue;
        }
        let name = tag.split_whitespace().next().unwrap_or("");
        let forbidden = ["script", "img", "link", "iframe", "object", "base"];
        let asks = [" src=", " href=", " onload=", "url(", "@import"]
            .iter()
            .any(|word| tag.contains(word));
        if forbidden.contains(&name) || asks {
            return Err(format!("`{tag}` asks for something"));
        }
        if let Some(id) = tag.split(" id=\"").nth(1)
            && !ids.insert(id.split('"').next())
        {
            return Err(format!("`{tag}` has somebody else's id"));
        }
        if !VOID.contains(&name) && !tag.ends_with('/') {
            open.push(name);
        }
    }
    let style = &body[style];
    match (open.is_empty(), style.contains("url(") || style.contains("@import")) {
        (true, false) => Ok(()),
        (false, _) => Err(format!("{open:?} have no end")),
        (_, true) => Err("the style asks for something".to_owned()),
    }
}

#[test]
fn the_check_of_pages_can_fail() {
    let page = |body: &str| format!("<!DOCTYPE html><html><style></style>{body}</html>");
    assert_eq!(check_html(&page("<p>a</p>")), Ok(()));
    for wrong in [
        "<p>a",
        "<p>a</b>",
        "<p>a > b</p>",
        "<img src=\"a\"></img>",
        "<a href=\"b\"></a>",
        "<p id=\"a\"></p><p id=\"a\"></p>",
        "<script></script>",
    ] {
        assert!(check_html(&page(wrong)).is_err(), "{wrong}");
    }
}

#[test]
fn pages_are_whole_and_say_what_the_manifest_says() {
    for (name, folder) in releases() {
        let manifest = read(&folder, "release/manifest.json");
        let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
        let statement = manifest["guarantee"]["statement"].as_str().unwrap();
        let statement = statement.replace('<', "&lt;").replace('>', "&gt;");
        for file in ["release/report.html", "owner/report.html"] {
            let html = read(&folder, file);
            assert_eq!(check_html(&html), Ok(()), "{name}: {file}");
            // Every picture has a text alternative, followed by its figures.
            let pictures = html.matches("<svg ").count();
            assert!(pictures >= 3, "{name}: {file}");
            assert_eq!(html.matches("role=\"img\"").count(), pictures);
            assert_eq!(html.matches("Show as a table").count(), pictures);
            assert!(html.matches("<div class=\"wide\"").count() >= pictures, "{name}");
        }
        let html = read(&folder, "release/report.html");
        assert!(html.contains(&statement), "{name}: {statement}");
        // The first page says it in one sentence.
        let (_, glance) = html.split_once("At a glance").unwrap();
        let (_, sentence) = glance.split_once("<strong>").unwrap();
        let sentence = sentence.split("</strong>").next().unwrap();
        assert!(sentence.split_whitespace().count() <= 45, "{name}: {sentence}");
        // Names are set apart, where notes have them in quotes.
        let html = html.replace("<code>", "`").replace("</code>", "`");
        for note in manifest["notes"].as_array().unwrap() {
            assert!(
                html.contains(&note.as_str().unwrap().replace('<', "&lt;").replace('>', "&gt;")),
                "{name}: {note}"
            );
        }
        assert!(html.contains("Not fit for publication"), "{name}");
    }
}

/// The page shows nothing beyond the files: anybody who has the files can make it elsewhere.
#[test]
fn the_public_page_is_a_function_of_the_release() {
    for (name, folder) in releases() {
        let html = read(&folder, "release/report.html");
        let alone = tempfile::tempdir().unwrap();
        let release = folder.path().join("out/release");
        for entry in fs::read_dir(&release).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), alone.path().join(entry.file_name())).unwrap();
        }
        assert_eq!(
            public(alone.path().to_owned(), Language::English).unwrap().html,
            html,
            "{name}"
        );
        assert!(!html.contains("MARKED") && !html.contains("SECRET"), "{name}");
        let path = folder.path().to_str().unwrap();
        assert!(!html.contains(path) && !html.contains("people.csv"), "{name}");
        let owner: Owner = serde_json::from_str(&read(&folder, "owner/owner.json")).unwrap();
        assert!(!owner.distributions.is_empty(), "{name}");
        for found in &owner.distributions {
            let rows: f64 = found.table.iter().sum();
            assert!((rows - 60.0).abs() < 1e-6, "{name}: {found:?}");
            let rows: f64 = found.release.iter().sum();
            assert!((rows - 60.0).abs() < 1e-6, "{name}: {found:?}");
        }
    }
}

#[test]
fn pages_are_made_again() {
    for (name, folder) in releases() {
        let files = ["release/report.html", "owner/report.html"];
        let before = files.map(|file| read(&folder, file));
        files
            .iter()
            .for_each(|file| fs::remove_file(folder.path().join("out").join(file)).unwrap());
        let out = folder.path().join("out");
        let written = write_again(&out, None, Language::English, &Nobody).unwrap();
        assert_eq!(written.pages.len(), 2, "{name}");
        assert_eq!(files.map(|file| read(&folder, file)), before, "{name}");
        let policy = Policy::read(&folder.path().join("p.toml")).unwrap();
        write_again(&out, Some(&policy), Language::English, &Nobody).unwrap();
        let attacked = read(&folder, "owner/report.html");
        let tried = name != "rules, generalized";
        assert_eq!(attacked.contains("Results of the attacks"), tried, "{name}");
        assert_eq!(check_html(&attacked), Ok(()), "{name}");
        // Attacks are for the owner: the public page does not change.
        assert_eq!(read(&folder, files[0]), before[0], "{name}");
    }
}

/// A modified folder is not described, because its page would state a promise that its files break.
#[test]
fn what_shows_more_than_it_promises_has_no_page() {
    let mut tried = 0;
    for (name, folder) in releases() {
        let path = folder.path().join("out/release/manifest.json");
        let manifest = fs::read_to_string(&path).unwrap();
        if !manifest.contains("\"1/3\"") {
            continue;
        }
        fs::write(&path, manifest.replace("\"1/3\"", "\"1/100\"")).unwrap();
        let found = public(folder.path().join("out"), Language::English);
        if found.as_ref().is_ok_and(|page| !page.html.contains("Groups")) {
            continue; // nothing is in groups
        }
        let refused = found.unwrap_err().to_string();
        assert!(refused.contains("where the manifest promises 1/100 at most"), "{name}: {refused}");
        tried += 1;
    }
    assert!(tried > 4);
}

/// The promise is about values, not about the sets of people with several values; and exempt values
/// are not called protected.
#[test]
fn the_page_counts_what_the_promise_is_about() {
    let folder = tempfile::tempdir().unwrap();
    let page = |table: &str, policy: &str| {
        fs::write(folder.path().join("people.csv"), table).unwrap();
        let path = folder.path().join("p.toml");
        fs::write(&path, policy).unwrap();
        let options = Options { test_seed: Some(7), ..Options::default() };
        publish::run(&Policy::read(&path).unwrap(), options, &Nobody).unwrap();
        read(&folder, "release/report.html")
    };
    let policy = "[input]\npath = \"people.csv\"\n[columns]\nid = { role = \"identifier\" }\n\
        age = { role = \"quasi-identifier\", type = \"integer\" }\n\
        dx = { role = \"sensitive\" }\n[algorithm]\nname = \"cover\"\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n";
    // Each of 40 people has `a` or one of nine others, and one more value: sets differ, values do
    // not.
    let mut several = String::from("id,age,dx\n");
    for person in 0..40 {
        let first = if person % 4 == 0 { "a".to_owned() } else { format!("v{}", person % 9) };
        several += &format!("p{person},{},{first}\np{person},{0},w{}\n", 20 + person, person % 11);
    }
    let of_people = page(&several, &format!("{policy}[persons]\nid = \"id\"\n"));
    assert!(
        of_people.contains("the most frequent protected value has a share of 25.0 %"),
        "{of_people}"
    );
    // 30 of 40 people have the exempt value, so in some groups everybody has it.
    let mut exempt = String::from("id,age,dx\n");
    for person in 0..40 {
        let dx = if person % 4 == 0 { ["flu", "hip"][person / 4 % 2] } else { "none" };
        exempt += &format!("p{person},{},{dx}\n", 20 + person);
    }
    let with_exempt = policy.replace("\"sensitive\"", "\"sensitive\", exempt = [\"none\"]");
    let of_exempt = page(&exempt, &with_exempt);
    assert!(of_exempt.contains("which is not protected"), "{of_exempt}");
    assert!(!of_exempt.contains("all rows have the same protected value"));
    assert!(of_exempt.contains("none (not protected)"));
    assert!(of_exempt.contains("the most frequent protected value has a share of 12.5 %"));
}
