//! Checks dependencies against the agreed list: every shipped crate has a record in
//! `supply-chain/dependencies.toml`, licences and duplicate versions are listed in `deny.toml`, and
//! no new code runs while the program is built.

use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

type Names = BTreeSet<String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    trust: Vec<Trust>,
    facts: Facts,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Trust {
    crates: Names,
    home: Names,
    asked_by: Names,
    why: String,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Facts {
    build_scripts: Names,
    proc_macros: Names,
    forbid_unsafe: Names,
}

/// A shipped external crate, with all its versions.
#[derive(Default)]
struct Package {
    home: Names,
    licences: Names,
    asked_by: Names,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn cargo(arguments: &[&str]) -> String {
    let out = Command::new(env!("CARGO"))
        .args(arguments)
        .arg("--locked")
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("UTF-8")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// Names and versions of all crates that are built into the command and the packages for Python and
/// R on any system, or that run during the build.
static SHIPPED: LazyLock<BTreeSet<(String, String)>> = LazyLock::new(|| {
    let tree = "tree -p openveil -p openveil-python -p openveil-r -e normal,build --target all --prefix none \
                --no-dedupe --format {p}";
    cargo(&tree.split_whitespace().collect::<Vec<_>>())
        .lines()
        .filter_map(|line| line.split_once(" v"))
        .map(|(name, rest)| {
            let version = rest.split(' ').next().unwrap_or_default();
            (name.to_owned(), version.to_owned())
        })
        .collect()
});

/// The shipped crates, by name, and the facts about them.
static RESOLVED: LazyLock<(BTreeMap<String, Package>, Facts)> = LazyLock::new(|| {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--format-version", "1"])).expect("JSON");
    let mut packages: BTreeMap<String, Package> = BTreeMap::new();
    let mut facts = Facts::default();
    let mut names = BTreeMap::new();
    for package in list(&metadata["packages"]) {
        let name = text(&package["name"]).to_owned();
        let version = text(&package["version"]).to_owned();
        if !SHIPPED.contains(&(name.clone(), version)) {
            continue;
        }
        names.insert(text(&package["id"]), name.clone());
        let Some(source) = package["source"].as_str() else {
            continue;
        };
        assert_eq!(
            source, "registry+https://github.com/rust-lang/crates.io-index",
            "{name} comes from somewhere else"
        );
        for target in list(&package["targets"]) {
            let kinds: Vec<&str> = list(&target["kind"]).iter().map(text).collect();
            if kinds.contains(&"custom-build") {
                facts.build_scripts.insert(name.clone());
            } else if kinds.contains(&"proc-macro") {
                facts.proc_macros.insert(name.clone());
            }
            if kinds.iter().any(|kind| ["lib", "proc-macro"].contains(kind)) {
                let code = fs::read_to_string(text(&target["src_path"])).expect("its source");
                let forbids =
                    |line: &str| line.starts_with("#![forbid(") && line.contains("unsafe_code");
                if code.lines().any(forbids) {
                    facts.forbid_unsafe.insert(name.clone());
                }
            }
        }
        let entry = packages.entry(name).or_default();
        let home = package["repository"].as_str().unwrap_or("none");
        entry.home.insert(home.trim_start_matches("https://").to_lowercase());
        let licence = package["license"].as_str().unwrap_or("none");
        entry.licences.insert(licence.to_owned());
    }
    for node in list(&metadata["resolve"]["nodes"]) {
        let Some(user) = names.get(text(&node["id"])) else {
            continue;
        };
        for dependency in list(&node["deps"]) {
            let kinds = list(&dependency["dep_kinds"]);
            if kinds.iter().all(|kind| kind["kind"] == "dev") {
                continue;
            }
            let used = names.get(text(&dependency["pkg"]));
            if let Some(package) = used.and_then(|used| packages.get_mut(used)) {
                package.asked_by.insert(user.clone());
            }
        }
    }
    (packages, facts)
});

/// Returns whether a program under `licence`, an SPDX expression, may be shipped if `allowed`
/// licences are. `OR` binds less than `AND`; a slash is an old form of `OR`.
fn permitted(licence: &str, allowed: &Names) -> bool {
    let spaced = licence.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let whole = any(&tokens, &mut at, allowed);
    assert_eq!(at, tokens.len(), "{licence:?} is no expression");
    return whole;

    fn any(tokens: &[&str], at: &mut usize, allowed: &Names) -> bool {
        let mut value = all(tokens, at, allowed);
        while tokens.get(*at) == Some(&"OR") {
            *at += 1;
            value |= all(tokens, at, allowed);
        }
        value
    }
    fn all(tokens: &[&str], at: &mut usize, allowed: &Names) -> bool {
        let mut value = one(tokens, at, allowed);
        while tokens.get(*at) == Some(&"AND") {
            *at += 1;
            value &= one(tokens, at, allowed);
        }
        value
    }
    fn one(tokens: &[&str], at: &mut usize, allowed: &Names) -> bool {
        let first = tokens.get(*at).copied().unwrap_or_default();
        *at += 1;
        if first == "(" {
            let value = any(tokens, at, allowed);
            *at += 1;
            return value;
        }
        if tokens.get(*at) == Some(&"WITH") {
            let exception = tokens.get(*at + 1).copied().unwrap_or_default();
            *at += 2;
            return allowed.contains(&format!("{first} WITH {exception}"));
        }
        allowed.contains(first)
    }
}

#[test]
fn every_crate_that_ships_has_a_record() {
    let file = root().join("supply-chain/dependencies.toml");
    let record: Record =
        toml::from_str(&fs::read_to_string(file).expect("the record")).expect("a record");
    let (packages, facts) = &*RESOLVED;
    let mut wrong = Vec::new();
    let mut recorded = Names::new();
    for trust in &record.trust {
        assert!(trust.why.len() > 20, "why is {:?} trusted?", trust.crates);
        let mut asked_by = Names::new();
        for name in &trust.crates {
            if !recorded.insert(name.clone()) {
                wrong.push(format!("{name} has two records"));
            }
            let Some(package) = packages.get(name) else {
                wrong.push(format!("{name} has a record, and does not ship"));
                continue;
            };
            asked_by.extend(package.asked_by.iter().cloned());
            for home in &package.home {
                if !trust.home.iter().any(|known| home.starts_with(known)) {
                    wrong.push(format!("{name} is kept at {home}, its record says another"));
                }
            }
        }
        for by in trust.asked_by.difference(&asked_by) {
            wrong.push(format!("{by} does not ask for any of {:?}", trust.crates));
        }
        for by in asked_by.difference(&trust.asked_by) {
            if by.starts_with("openveil") {
                wrong.push(format!("{by} asks for one of {:?}, too", trust.crates));
            }
        }
    }
    for name in packages.keys().filter(|name| !recorded.contains(*name)) {
        wrong.push(format!(
            "{name} ships without a record: look at it, then say there why it is trusted"
        ));
    }
    for (what, now, then) in [
        ("build_scripts", &facts.build_scripts, &record.facts.build_scripts),
        ("proc_macros", &facts.proc_macros, &record.facts.proc_macros),
        ("forbid_unsafe", &facts.forbid_unsafe, &record.facts.forbid_unsafe),
    ] {
        for name in now.symmetric_difference(then) {
            let change = if then.contains(name) { "left" } else { "entered" };
            wrong.push(format!("{what}: {name} {change}"));
        }
    }
    assert!(wrong.is_empty(), "supply-chain/dependencies.toml:\n{}", wrong.join("\n"));
}

#[test]
fn licences_and_second_versions_are_those_of_the_agreement() {
    let file = fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    let deny: toml::Table = toml::from_str(&file).expect("TOML");
    let texts = |value: &toml::Value| -> Names {
        value
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| one.as_str().expect("a text").to_owned())
            .collect()
    };
    let allowed = texts(&deny["licenses"]["allow"]);
    let (packages, _) = &*RESOLVED;
    for (name, package) in packages {
        for licence in &package.licences {
            assert!(permitted(licence, &allowed), "{name} is under {licence}");
        }
    }

    let mut versions: BTreeMap<String, Names> = BTreeMap::new();
    for (name, version) in SHIPPED.iter().cloned() {
        versions.entry(name).or_default().insert(version);
    }
    let twice: BTreeMap<&String, usize> = versions
        .iter()
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, versions)| (name, versions.len() - 1))
        .collect();
    let skipped = deny["bans"]["skip"].as_array().expect("a list");
    let mut expected = BTreeMap::new();
    let names: Vec<String> = skipped
        .iter()
        .map(|skip| {
            let spec = skip["crate"].as_str().expect("a crate");
            spec.split('@').next().unwrap_or_default().to_owned()
        })
        .collect();
    for name in &names {
        *expected.entry(name).or_insert(0) += 1;
    }
    assert_eq!(twice, expected, "crates in more than one version");
}

#[test]
fn expressions_of_licences_are_read() {
    let allowed = Names::from(["MIT", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned));
    for (licence, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("Unlicense/MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("GPL-3.0 AND MIT OR MIT", true),
        ("(GPL-3.0 OR MIT) AND MIT", true),
        ("(GPL-3.0 OR MIT) AND Zlib", false),
        ("Apache-2.0", false),
        ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true),
    ] {
        assert_eq!(permitted(licence, &allowed), expected, "{licence}");
    }
}
