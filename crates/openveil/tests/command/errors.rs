//! Messages about bad input: every case of `errors.toml`.

use super::support::*;
use std::collections::BTreeMap;
use std::fs;

const TABLE_POLICY: &str = r#"[input]
path = "people.csv"
[columns]
name = { role = "identifier" }
age = { role = "quasi-identifier", type = "integer" }
sex = { role = "quasi-identifier" }
job = { role = "sensitive" }
size = { role = "drop" }
[privacy]
model = "l-diversity"
l = 3
"#;

#[derive(serde::Deserialize)]
struct Cases {
    case: Vec<Case>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    what: String,
    #[serde(default = "publish")]
    run: Vec<String>,
    #[serde(default)]
    edit: Vec<(String, String)>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    bytes: BTreeMap<String, String>,
    says: String,
}

fn publish() -> Vec<String> {
    ["publish", "policy.toml", "--dry-run"].map(str::to_owned).into()
}

fn table() -> String {
    let mut text = String::from("name,age,sex,job,size\n");
    for row in 0..100 {
        let job = ["clerk", "nurse", "smith", "judge"][row % 4];
        let (age, sex, size) = (20 + row % 50, ["f", "m"][row % 2], 15 + row % 7);
        text.push_str(&format!("p{row},{age},{sex},{job},{:.1}\n", size as f64 / 10.0));
    }
    text
}

impl Case {
    /// Returns the exit code, the message, and whether any file was left.
    fn outcome(&self) -> (Option<i32>, String, bool) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::write(path.join("people.csv"), table()).unwrap();
        let policy = self.edit.iter().fold(TABLE_POLICY.to_owned(), |policy, (from, to)| {
            assert!(policy.contains(from), "{}: {from}", self.what);
            policy.replacen(from, to, 1)
        });
        fs::write(path.join("policy.toml"), policy).unwrap();
        let texts = self.files.iter().map(|(name, text)| (name, text.clone().into_bytes()));
        let bytes = self.bytes.iter().map(|(name, hex)| (name, bytes(hex)));
        for (name, content) in texts.chain(bytes) {
            let file = path.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, content).unwrap();
        }
        let arguments: Vec<&str> = self.run.iter().map(String::as_str).collect();
        let output = openveil(path, &arguments);
        let left = !is_clean(path);
        (output.status.code(), text(&output.stderr), left)
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let pairs = hex.as_bytes().chunks(2);
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    pairs.map(byte).collect()
}

/// Technical words that messages must not use.
const JARGON: [&str; 14] = [
    "os error",
    "panicked",
    "Utf8",
    "u32",
    "usize",
    "f64",
    "invalid type",
    "struct ",
    "enum ",
    "Err(",
    "EOF",
    "stream did not contain",
    "serde",
    "TOML parse",
];

#[test]
fn bad_input_is_explained() {
    let cases: Cases = toml::from_str(include_str!("errors.toml")).unwrap();
    assert!(cases.case.len() > 159);
    let mut wrong = Vec::new();
    for case in &cases.case {
        let (code, said, left) = case.outcome();
        let first = said.lines().next().unwrap_or("");
        let is_usage = said.contains("For more information, try");
        let heard = if is_usage { first } else { said.trim_end() };
        if code != Some(2) || left || heard != format!("error: {}", case.says) {
            wrong.push(format!("{}: {code:?}, left {left}:\n{said}", case.what));
        }
        if let Some(word) = JARGON.iter().find(|word| said.contains(**word)) {
            wrong.push(format!("{}: says `{word}`:\n{said}", case.what));
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

/// Most messages contain a remedy. For the others the first line is enough.
#[test]
fn nine_of_ten_messages_have_a_remedy() {
    let cases: Cases = toml::from_str(include_str!("errors.toml")).unwrap();
    let own = cases.case.iter().filter(|case| !case.says.starts_with(['i', 'u', 't']));
    let (mut all, mut with) = (0, 0);
    for case in own {
        all += 1;
        with += usize::from(case.says.contains("\n  help: "));
    }
    assert!(10 * with >= 9 * all, "{with} of {all}");
}
