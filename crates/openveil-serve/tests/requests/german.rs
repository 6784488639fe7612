//! The German page: no English sentence but quotations.

use super::{Served, entered};
use openveil_io::Policy;
use openveil_io::progress::Nobody;
use openveil_publication as publish;
use openveil_reader::report::write_again;
use openveil_text::Language;
use std::fs;

/// English words that no German sentence has.
const ENGLISH: [&str; 18] = [
    "the", "of", "and", "is", "are", "not", "with", "which", "that", "this", "rows", "people",
    "column", "value", "values", "or", "every", "from",
];

/// Elements whose text is no sentence of the program: what people wrote, code, pictures.
const NOT_SAID: [&str; 6] = ["code", "textarea", "svg", "script", "style", "title"];

/// Returns the sentences of a page with two English words.
fn english(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    // The element whose text is left out, and its depth in elements of the same name.
    let mut quoted: Option<(String, usize)> = None;
    for part in page.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap_or((part, ""));
        let is_end = tag.starts_with('/');
        let name: String =
            tag.trim_start_matches('/').chars().take_while(|c| c.is_alphanumeric()).collect();
        match &mut quoted {
            Some((own, depth)) if *own == name => {
                if is_end {
                    *depth -= 1
                } else {
                    *depth += 1
                }
                if *depth == 0 {
                    quoted = None;
                }
            }
            None if !is_end && (tag.contains("lang=\"en\"") || NOT_SAID.contains(&&*name)) => {
                quoted = Some((name, 1));
            }
            _ => {}
        }
        if quoted.is_some() {
            continue;
        }
        // Names and values are in quotes.
        let said: String = text.split('`').step_by(2).collect::<Vec<_>>().join("``");
        let words = said.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(str::to_lowercase);
        if words.filter(|word| ENGLISH.contains(&&**word)).count() >= 2 {
            found.push(text.to_owned());
        }
    }
    found
}

/// Three hundred people: a name, a number, free text, an ambiguous code, two secrets.
fn people() -> String {
    let row = |i: usize| {
        format!(
            "P{i},{},{},{},{},{},{}\n",
            20 + i % 50,
            ["f", "m"][i % 2],
            1_000 + i % 90,
            ["nurse", "clerk", "judge", "cook", "smith"][i % 5],
            ["flu", "asthma", "none", "cancer"][i / 5 % 4],
            i % 7
        )
    };
    format!("name,age,sex,zip,job,diagnosis,v1\n{}", (0..300).map(row).collect::<String>())
}

#[test]
fn sentences_are_found() {
    assert_eq!(english("<p>The table of people</p>"), ["The table of people"]);
    assert!(english("<p lang=\"en\"><b>The table of people</b></p><p>Tabelle</p>").is_empty());
}

#[test]
fn the_german_page_has_no_english_sentence() {
    let mut served = entered(None);
    served.cookie.push_str("; openveil-language=de");
    let served = served;
    let mut found = Vec::new();
    let mut look = |what: &str, page: &str| {
        assert!(page.contains("<html lang=\"de\""), "{what}: {page}");
        found.extend(english(page).into_iter().map(|sentence| format!("{what}: {sentence}")));
    };
    for (name, bytes) in [
        ("leer.csv", &b""[..]),
        ("zerrissen.csv", b"a,b\n1\n"),
        ("x.parquet", b"PAR1 no parquet at all PAR1"),
        ("mappe.xlsx", b"PK\x03\x04 no workbook"),
        ("klein.csv", b"age,job\n30,clerk\n31,clerk\n"),
    ] {
        look(name, &served.bring(name, bytes));
    }
    look("/", &served.bring("leute.csv", people().as_bytes()));
    for path in ["/columns", "/promise", "/ahead", "/hierarchies", "/publish", "/check", "/policy"]
    {
        look(path, &served.get(path).body);
    }
    look("undecided", &served.post("/publish", "").body);
    let roles = [
        "identifier",
        "quasi-identifier",
        "quasi-identifier",
        "quasi-identifier",
        "sensitive",
        "drop",
        "drop",
    ];
    let roles: Vec<String> =
        roles.iter().enumerate().map(|(at, role)| format!("role-{at}={role}")).collect();
    let set = |path: &str, form: &str| {
        served.post(path, &format!("version={}&{form}", served.version())).body
    };
    set("/columns", &roles.join("&"));
    for (model, parameters) in [
        ("ratio", "p-l=40"),
        ("ratio", "p-l=4&inside=random"),
        ("entropy", "p-l=3"),
        ("distinct", "p-l=3"),
        ("k-anonymity", "p-k=5"),
        ("t-closeness", "p-t=0.3"),
    ] {
        set("/promise", &format!("model={model}&{parameters}&style=generalize&algorithm=auto"));
        look(&format!("/promise {model} {parameters}"), &served.get("/promise").body);
    }
    set("/promise", "model=ratio&p-l=4&style=generalize&algorithm=auto");
    served.post("/ahead", "basis=shuffled&l=2%2C4&style=generalize");
    look("/ahead compared", &served.settled("/ahead"));
    served.post("/dry", "");
    look("/publish beside", &served.settled("/publish"));
    served.post("/publish", "");
    look("/publish published", &served.settled("/publish"));
    let evidence = served.post("/evidence", "");
    assert!(evidence.head.contains("sandbox") && evidence.body.contains("Unterschriften"));
    look("/evidence", &evidence.body);
    for form in ["what=", "what=table&known=&secret="] {
        served.post("/check/audit", form);
        look(&format!("/check audit {form}"), &served.settled("/check"));
    }
    for condition in ["sex+%3D+f", "job+%3D+nurse", "nobody+%3D+1", "age+%3E"] {
        served.post("/check/query", &format!("where={condition}"));
        look(condition, &served.settled("/check"));
    }
    for (path, form) in [
        ("/check/query", "by=sex,job"),
        ("/check/query", "by=sex,job&min=5"),
        ("/check/query", "by=job&mean=age"),
        ("/check/fit", "formula=job+~+sex+%2B+age"),
        ("/check/fit", "formula=job"),
        ("/check/fit", "formula=age+~+sex"),
    ] {
        served.post(path, form);
        look(&format!("{path} {form}"), &served.settled("/check"));
    }
    look("few", &served.post("/check/query", "by=sex&min=few").body);
    served.post("/check/attack", "");
    look("/check attack", &served.settled("/check"));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The binding words stay English, and are quoted.
#[test]
fn the_guarantee_is_said_in_german_too() {
    let served: Served = entered(None);
    served.bring("leute.csv", super::people().as_bytes());
    assert!(!served.get("/promise").body.contains("lässt sich"));
    let headers = [("cookie", served.cookie.as_str()), ("accept-language", "de")];
    let page = served.send("GET", &served.at("/promise"), &headers, b"").body;
    let said = "Bei keiner Person lässt sich der Wert von \u{201e}job\u{201c} mit einer Wahrscheinlichkeit über 1/";
    assert!(page.contains(said) && page.contains("lang=\"en\""), "{page}");
}

/// Releases of every kind that a report describes in other words.
const KINDS: [(&str, &str); 11] = [
    ("generalize", "l = 3\n"),
    ("slice", "l = 3\n[output]\nstyle = \"slice\"\n"),
    ("anatomy", "l = 3\n[output]\nstyle = \"anatomy\"\n"),
    ("strata", "l = 2\nstrata = [\"sex\"]\n"),
    ("k", "k = 3\nmodel = \"k-anonymity\"\n"),
    ("bounds", "l = 3\n[output]\ncells = \"bounds\"\n"),
    ("odds", "l = 3\n[reader]\nodds = 2\npeople = 1\n"),
    ("cover", "l = 2\n[algorithm]\nname = \"cover\"\n"),
    ("history", "l = 2\n[history]\nstate = \"state\"\nperson = \"name\"\n"),
    ("persons", "l = 2\n[persons]\nid = \"name\"\n"),
    (
        "rules",
        "[[rules]]\ngiven = [\"age\"]\nprotect = \"job\"\nl = 3\n[[rules]]\ngiven = [\"job\"]\nprotect = \"diagnosis\"\nl = 2\n",
    ),
];

/// Quoted statements of the manifest stay as they are.
#[test]
fn german_reports_have_no_english_sentence() {
    let (mut found, mut german) = (Vec::new(), 0);
    for (name, protection) in KINDS {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("people.csv"), people()).unwrap();
        let (known, secret, privacy) = match name {
            "rules" => ("attribute", "attribute", ""),
            "k" => ("quasi-identifier", "sensitive", "[privacy]\n"),
            _ => ("quasi-identifier", "sensitive", "[privacy]\nmodel = \"l-diversity\"\n"),
        };
        let text = format!(
            "[input]\npath = \"people.csv\"\n[columns]\nname = {{ role = \"identifier\" }}\n\
             age = {{ role = \"{known}\", type = \"integer\", floor = 5, top = 60 }}\n\
             sex = {{ role = \"{known}\" }}\nzip = {{ role = \"drop\" }}\nv1 = {{ role = \"drop\" }}\n\
             job = {{ role = \"{secret}\" }}\ndiagnosis = {{ role = \"{}\" }}\n{privacy}{protection}",
            if name == "rules" { "attribute" } else { "drop" }
        );
        let path = folder.path().join("policy.toml");
        fs::write(&path, text).unwrap();
        let policy = Policy::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let options = publish::Options {
            test_seed: Some(1),
            measure: true,
            language: Language::German,
            ..publish::Options::default()
        };
        publish::run(&policy, options, &Nobody).unwrap_or_else(|error| panic!("{name}: {error}"));
        let out = folder.path().join("out");
        let files = ["release/report.html", "owner/report.html"].map(|file| out.join(file));
        let mut look = || {
            files.each_ref().map(|file| {
                let page = fs::read_to_string(file).unwrap();
                assert!(page.starts_with("<!DOCTYPE html><html lang=\"de\">"), "{name}");
                german += usize::from(page.contains("Datei"));
                found.extend(english(&page).into_iter().map(|own| format!("{name}: {own}")));
                page
            })
        };
        let published = look();
        write_again(&out, None, Language::German, &Nobody).unwrap();
        assert_eq!(look(), published, "{name}: the same page is made from the files");
        if name != "history" {
            write_again(&out, Some(&policy), Language::German, &Nobody).unwrap();
            look();
        }
    }
    assert!(german > 2 * KINDS.len());
    assert!(found.is_empty(), "{}", found.join("\n"));
}
