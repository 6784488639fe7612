use super::*;
use serde_json::json;

const TABLE_4: &str = r#"
[[rules]]
given = ["age", "icd"]
protect = "race"
[[rules]]
given = ["gender", "icd"]
protect = "zipcode"
[[rules]]
given = ["hospital", "race"]
protect = ["zipcode"]

[[tables]]
columns = ["gender", "icd", "hospital"]
enforces = { given = ["icd", "gender"], protect = "hospital" }
[[tables]]
columns = ["age", "hospital", "zipcode"]
enforces = { given = ["hospital"], protect = "zipcode" }
[[tables]]
columns = ["age", "hospital", "gender", "race"]
enforces = { given = ["age", "hospital", "gender"], protect = "race" }
[[tables]]
columns = ["age", "zipcode"]
"#;

fn parse(text: &str) -> Result<SchemaFile, Error> {
    SchemaFile::parse(text, Path::new("some/schema.toml"))
}

fn refused(from: &str, to: &str) -> String {
    assert!(TABLE_4.contains(from), "{from:?} is in the example");
    parse(&TABLE_4.replacen(from, to, 1)).unwrap_err().to_string()
}

#[test]
fn table_4_of_the_paper() {
    let report = serde_json::to_value(parse(TABLE_4).unwrap().report().unwrap()).unwrap();
    assert_eq!(report["normal_form"], json!(false));
    let rules = report["rules"].as_array().unwrap();
    assert_eq!((&rules[0]["holds"], &rules[0]["by"]), (&json!(true), &json!(2)));
    assert_eq!(rules[0]["leak"], json!(null));
    for rule in &rules[1..] {
        assert_eq!((&rule["holds"], &rule["by"]), (&json!(false), &json!(null)));
        let leak = rule["leak"].as_array().unwrap();
        assert_eq!(leak.last().unwrap(), &json!("zipcode"));
        assert_eq!(leak.len(), rule["leak_over"].as_array().unwrap().len() + 1);
        assert!(rule["why"].as_str().unwrap().contains("leads around tables[1]"));
    }
}

#[test]
fn table_3_of_the_paper() {
    let rules = TABLE_4.split("\n\n").next().unwrap();
    let tables = r#"
[[tables]]
columns = ["hospital", "age", "gender", "icd"]
[[tables]]
columns = ["race", "zipcode"]
enforces = { given = ["race"], protect = "zipcode" }
"#;
    let report = parse(&[rules, tables].concat()).unwrap().report().unwrap();
    assert!(report.normal_form);
    let by: Vec<_> = report.rules.iter().map(|rule| rule.by.clone().unwrap()).collect();
    assert_eq!(by, [json!("unreachable"), json!("unreachable"), json!(1)]);
}

#[test]
fn mistakes_are_named_with_their_line() {
    let message = refused("given = [\"age\", \"icd\"]", "givn = [\"age\", \"icd\"]");
    assert!(message.contains("some/schema.toml, line 3: unknown key `givn`"), "{message}");
    assert!(message.contains("did you mean `given`?"), "{message}");
    let message = refused("protect = \"race\"", "protect = \"rase\"");
    assert!(message.contains("line 4: unknown column `rase`"), "{message}");
    assert!(message.contains("did you mean `race`?"), "{message}");
    let message = refused("protect = \"race\"", "protect = \"weight\"");
    assert!(message.contains("`columns = [\"weight\"]`"), "{message}");
    let message = refused("protect = \"race\"", "protect = \"age\"");
    assert!(message.contains("line 4: `age` appears in both `given` and `protect`"), "{message}");
    let message = refused("given = [\"age\", \"icd\"]", "given = []");
    assert!(message.contains("line 2: `given` of the rule is empty"), "{message}");
    let message = refused("protect = \"race\"", "protect = []");
    assert!(message.contains("`protect` of the rule is empty"), "{message}");
    let message = refused("protect = \"race\"", "protect = 3");
    assert!(message.contains("line 4: `protect` is not a column's name"), "{message}");
    let message = refused("[\"age\", \"zipcode\"]", "[\"age\", \"age\"]");
    assert!(message.contains("`age` is named twice"), "{message}");
    let message = refused("[\"age\", \"zipcode\"]", "[]");
    assert!(message.contains("`columns` of the table is empty"), "{message}");
    let message = refused("given = [\"hospital\"]", "given = [\"race\"]");
    assert!(message.contains("`enforces` names `race`, which is not"), "{message}");
    let message = refused("[[rules]]", "[[rule]]");
    assert!(message.contains("did you mean `rules`?"), "{message}");
    let message = parse("[[rules]]\ngiven = [\"a\"]\nprotect = \"b\"\n").unwrap_err();
    assert!(message.to_string().contains("there is no [[tables]]"), "{message}");
    let message = parse("[[tables]]\ncolumns = [\"a\"]\n").unwrap_err();
    assert!(message.to_string().contains("there is no [[rules]]"), "{message}");
}

#[test]
fn dependencies_connect_and_rule_out() {
    let guarded = r#"
columns = ["county"]
[[rules]]
given = ["gender"]
protect = "zipcode"
[[tables]]
columns = ["gender", "zipcode"]
enforces = { given = ["gender"], protect = "zipcode" }
"#;
    assert!(parse(guarded).unwrap().report().unwrap().normal_form);
    let known = "[[dependencies]]\ngiven = [\"zipcode\"]\ndetermines = \"county\"\n";
    let printed = "[[tables]]\ncolumns = [\"gender\", \"county\"]\n";
    assert!(parse(&[guarded, known].concat()).unwrap().report().unwrap().normal_form);
    assert!(parse(&[guarded, printed].concat()).unwrap().report().unwrap().normal_form);
    let report = parse(&[guarded, printed, known].concat()).unwrap().report().unwrap();
    let leak = &report.rules[0];
    assert!(!report.normal_form);
    assert_eq!(leak.leak.as_deref().unwrap(), ["gender", "county", "zipcode"]);
    assert_eq!(leak.leak_over.as_deref().unwrap(), ["tables[1]", "dependencies[0]"]);
    let known = "[[dependencies]]\ngiven = [\"county\"]\ndetermines = [\"zipcode\"]\n";
    let report = parse(&[guarded, known].concat()).unwrap().report().unwrap();
    assert_eq!(report.rules[0].implies, [["county"]]);
    let known = "[[dependencies]]\ngiven = [\"gender\"]\ndetermines = \"zipcode\"\n";
    let message = parse(&[guarded, known].concat()).unwrap_err().to_string();
    assert!(
        message.contains("line 3: the rule `gender → zipcode` cannot be satisfied"),
        "{message}"
    );
    let empty = "[[dependencies]]\ngiven = [\"gender\"]\ndetermines = \"gender\"\n";
    let message = parse(&[guarded, empty].concat()).unwrap_err().to_string();
    assert!(message.contains("the dependency is empty"), "{message}");
}

#[test]
fn the_texas_sample_is_in_normal_form() {
    let sample = include_str!("../../../../examples/rules/texas.toml");
    let report = parse(sample).unwrap().report().unwrap();
    assert!(report.normal_form);
    assert_eq!(report.rules.len(), 4);
}

#[test]
fn the_example_of_the_documentation_is_as_it_says() {
    let page = include_str!("../../../../docs/reference/rules.md");
    let example = include_str!("../../../../examples/rules/schema.toml");
    assert!(page.contains(&format!("```toml\n{example}```\n")));
    let report = parse(example).unwrap().report().unwrap();
    let [kept, broken] = &report.rules[..] else {
        panic!("two rules");
    };
    assert_eq!(kept.by, Some(json!(2)));
    assert_eq!(broken.leak.as_deref().unwrap(), ["gender", "age", "zipcode"]);
    let over = broken.leak_over.as_deref().unwrap();
    assert_eq!(over, ["tables[2]", "tables[3]"]);
    let fourth = "\n[[tables]]\ncolumns = [\"age\", \"zipcode\"]\n";
    assert!(example.contains(fourth));
    let without = parse(&example.replace(fourth, "")).unwrap().report().unwrap();
    assert!(without.normal_form);
}

/// Table 2 of the paper: each table is safe by itself, and together they disclose four people.
#[test]
fn table_2_of_the_paper() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/rules");
    let file = SchemaFile::read(&folder.join("table-2.toml")).unwrap();
    let report = file.report().unwrap();
    let readers: Vec<ReaderFound> =
        report.rules.iter().filter_map(|own| own.reader.clone()).collect();
    assert_eq!(readers.len(), 3);
    assert!(readers.iter().all(|own| own.method == "worlds" && own.people == 6));
    assert_eq!((readers[2].certain, readers[2].highest.as_deref()), (4, Some("1")));
    // Each table by itself.
    for table in 0..3 {
        let text = std::fs::read_to_string(&file.path).unwrap();
        let (head, tables) = text.split_once("[[tables]]").unwrap();
        let own = tables.split("[[tables]]").nth(table).unwrap();
        let text = format!(
            "columns = [\"hospital\", \"age\", \"gender\", \"race\", \"zipcode\", \"icd\"]\n{head}[[tables]]{own}"
        );
        let alone = SchemaFile::parse(&text, &file.path).unwrap().report().unwrap();
        let found = alone.rules[table].reader.as_ref().unwrap();
        assert_eq!((found.certain, found.highest.as_deref()), (0, Some("1/2")), "{table}");
    }
    // In a group, people who agree on one sensitive column must differ on the other: nobody fits.
    let one = report.one_table.unwrap();
    assert_eq!(one.sensitive, ["race", "zipcode"]);
    assert_eq!((one.rows, one.suppressed, one.timed_out), (0, 6, false));
}

#[test]
fn implied_rules_are_named() {
    let report = parse(TABLE_4).unwrap().report().unwrap();
    assert!(report.irreducible && report.rules.iter().all(|rule| rule.implied_by.is_none()));
    let weaker = "[[rules]]\ngiven = [\"icd\"]\nprotect = \"race\"\n";
    let report = parse(&format!("{weaker}{TABLE_4}")).unwrap().report().unwrap();
    assert!(!report.irreducible);
    let by: Vec<Option<usize>> = report.rules.iter().map(|rule| rule.implied_by).collect();
    assert_eq!(by, [Some(1), None, None, None]);
}

#[test]
fn people_and_groups_go_together() {
    let people = format!("people = \"none.csv\"\n{TABLE_4}");
    let message = parse(&people).unwrap_err().to_string();
    assert!(message.contains("the groups of the table are missing"), "{message}");
    let message = parse(&format!("l = 3\n{TABLE_4}")).unwrap_err().to_string();
    assert!(message.contains("has no effect without `people`"), "{message}");
    let grouped = "columns = [\"age\", \"zipcode\"]\n";
    let message = refused(grouped, &format!("{grouped}groups = \"g\"\n"));
    assert!(message.contains("has no effect without `people`"), "{message}");
}

#[test]
fn people_who_do_not_fit_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().join("schema.toml");
    let text = "people = \"people.csv\"\nl = 2\n[[rules]]\ngiven = [\"a\"]\nprotect = \"b\"\n[[dependencies]]\ngiven = [\"c\"]\ndetermines = [\"b\"]\n[[tables]]\ncolumns = [\"a\", \"b\", \"c\"]\nenforces = { given = [\"a\"], protect = \"b\" }\ngroups = \"g\"\n";
    let refused = |rows: &str| {
        std::fs::write(folder.path().join("people.csv"), format!("a,b,c,g\n{rows}")).unwrap();
        SchemaFile::parse(text, &schema).unwrap().report().unwrap_err().to_string()
    };
    let message = refused("1,x,1,1\n2,y,2,1\n3,y,1,1\n");
    assert!(message.contains("people.csv: the rows 1 and 3 break the dependency of `b` on `c`"));
    let message = refused(&"1,x,1,1\n".repeat(5_001));
    assert!(message.contains("people.csv: has 5001 rows, more than 5000"), "{message}");
}
