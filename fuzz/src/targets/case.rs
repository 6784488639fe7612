//! Small tables and policies, made from bytes.

use crate::write;
use arbitrary::Arbitrary;
use openveil_io::Policy;
use openveil_publication::Publication;
use openveil_publication::{Options, Release};
use std::fmt::Write;
use std::path::Path;

/// Publishes by a policy text, in the folder with all its files. Coins are the same each time.
pub(super) fn published(folder: &Path, policy: &str) -> Result<Release, openveil_io::Error> {
    let path = write(folder, "policy.toml", policy);
    // Skips policies that take long for a known reason.
    Policy::parse(policy, &path)?;
    let options =
        Options { test_seed: Some(1), accept_algorithm_disclosure: true, ..Options::default() };
    Publication::of_policy(path)?.options(options).run()
}

/// A person: two numbers, a letter of `g`, a letter of the secret.
#[derive(Debug, Clone, Copy, Arbitrary)]
pub(super) struct FuzzedPerson {
    pub(super) x: u8,
    pub(super) y: u8,
    kind: u8,
    value: u8,
}

impl FuzzedPerson {
    pub(super) fn kind(self) -> char {
        char::from(b'p' + self.kind % 3)
    }

    pub(super) fn value(self) -> char {
        char::from(b'a' + self.value % 8)
    }
}

/// A table, and its settings for publishing.
#[derive(Debug, Clone, Arbitrary)]
pub(super) struct FuzzedTable {
    algorithm: u8,
    model: u8,
    style: u8,
    l: u8,
    options: u8,
    output: u8,
    pub(super) people: Vec<FuzzedPerson>,
}

const ALGORITHMS: [&str; 15] = [
    "auto",
    "cover",
    "halving",
    "ria",
    "rda",
    "gda",
    "k-jump",
    "safe",
    "naive",
    "mondrian",
    "mondrian-relaxed",
    "top-down",
    "anatomy",
    "ria-second-stage",
    "rda-second-stage",
];

const STYLES: [&str; 3] = ["generalize", "slice", "anatomy"];

/// The hierarchy of the column of letters.
const TREE: &str = r#"{ tree = { known = ["p", "q"], other = ["r"] } }"#;

impl FuzzedTable {
    pub(super) fn algorithm(&self) -> &'static str {
        ALGORITHMS[self.algorithm as usize % ALGORITHMS.len()]
    }

    /// Returns the style of quasi-identifiers.
    pub(super) fn style(&self) -> &'static str {
        STYLES[self.style as usize % STYLES.len()]
    }

    /// Returns the table as text.
    pub(super) fn table(&self) -> String {
        let mut text = "x,y,g,s\n".to_owned();
        for person in &self.people {
            let (g, s) = (person.kind(), person.value());
            writeln!(text, "{},{},{g},{s}", person.x, person.y).expect("text grows");
        }
        text
    }

    fn has(&self, option: u32) -> bool {
        self.options >> option & 1 == 1
    }

    /// Whether `a` needs no protection.
    pub(super) fn has_exempt(&self) -> bool {
        self.has(0)
    }

    /// Whether a letter has a hierarchy.
    pub(super) fn has_tree(&self) -> bool {
        self.has(1)
    }

    /// Whether groups are formed within each letter.
    pub(super) fn has_strata(&self) -> bool {
        self.has(2)
    }

    /// Returns the l of the model, if it is ratio l-diversity.
    pub(super) fn ratio(&self) -> Option<u32> {
        (self.model % 8 < 3).then_some(self.l())
    }

    fn l(&self) -> u32 {
        u32::from(self.l % 5) + 2
    }

    fn privacy(&self) -> String {
        let l = self.l();
        match self.model % 8 {
            0..3 => format!("model = \"l-diversity\"\nl = {l}"),
            3 => format!("model = \"l-diversity\"\nvariant = \"distinct\"\nl = {l}"),
            4 => format!("model = \"l-diversity\"\nvariant = \"entropy\"\nl = {l}"),
            5 => format!("model = \"l-diversity\"\nvariant = \"recursive\"\nc = 2\nl = {l}"),
            6 => format!("model = \"t-closeness\"\nt = \"1/{l}\""),
            _ => format!("model = \"k-anonymity\"\nk = {l}"),
        }
    }

    /// Returns the policy as text.
    pub(super) fn policy(&self) -> String {
        let when = |is: bool, text: &'static str| if is { text } else { "" };
        let exempt = when(self.has_exempt(), ", exempt = [\"a\"]");
        let tree = match self.has_tree() {
            true => format!(", hierarchy = {TREE}"),
            false => String::new(),
        };
        let strata = when(self.has_strata(), "strata = [\"g\"]\n");
        let is_halved = matches!(self.algorithm(), "halving" | "auto");
        let smallest = match self.options >> 5 {
            rows if is_halved && rows > 0 => format!("smallest-group = {rows}\n"),
            _ => String::new(),
        };
        let values = when(self.has(3), ", publish = \"values\"");
        let bounds = when(self.has(4), ", publish = \"range\", cells = \"bounds\"");
        let formats = ["csv", "parquet", "arrow"];
        format!(
            "[input]\npath = \"table.csv\"\n[columns]\n\
             x = {{ role = \"quasi-identifier\", type = \"integer\"{bounds} }}\n\
             y = {{ role = \"quasi-identifier\", type = \"number\"{values} }}\n\
             g = {{ role = \"quasi-identifier\"{tree} }}\n\
             s = {{ role = \"sensitive\"{exempt} }}\n\
             [privacy]\n{}\n{strata}{smallest}\
             [algorithm]\nname = \"{}\"\n\
             [output]\nstyle = \"{}\"\nformat = \"{}\"\n",
            self.privacy(),
            self.algorithm(),
            self.style(),
            formats[self.output as usize % formats.len()],
        )
    }
}
