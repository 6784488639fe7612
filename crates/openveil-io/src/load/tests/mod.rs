mod floors;
mod values;

use super::*;
use crate::policy::{ReadRows, Sample};
use openveil_core::table::Generalization;

/// A table that was loaded, as its policy views it.
#[derive(Debug)]
struct Viewed {
    table: View,
    published: Vec<String>,
    omitted: Omitted,
}

fn viewed(policy: &Policy) -> Result<Viewed, Error> {
    let loaded = load(policy, &|_| {})?;
    Ok(Viewed {
        table: loaded.view(policy)?,
        published: loaded.names.names().to_vec(),
        omitted: loaded.omitted,
    })
}

/// Loads a table described by the lines under `[columns]` and `[input]`.
fn load_with(csv: &str, columns: &str, input: &str) -> Result<Viewed, Error> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), csv).unwrap();
    std::fs::write(folder.path().join("tree.csv"), "a;vowel;*\nb;consonant;*\nc;consonant;*\n")
        .unwrap();
    let text = format!(
        "[input]\npath = \"t.csv\"\n{input}\n[columns]\n{columns}\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n"
    );
    let policy = Policy::parse(&text, &folder.path().join("policy.toml"))?;
    viewed(&policy)
}

fn refused(csv: &str, columns: &str, input: &str) -> String {
    load_with(csv, columns, input).unwrap_err().to_string()
}

fn labels(loaded: &Viewed, column: usize) -> Vec<String> {
    let column = &loaded.table.known()[column];
    column.codes().iter().map(|&code| column.domain().label(code).to_owned()).collect()
}

fn secrets(loaded: &Viewed) -> Vec<String> {
    let sensitive = loaded.table.secret();
    sensitive.codes().iter().map(|&code| sensitive.label(code)).collect()
}

const S: &str = "s = { role = \"sensitive\" }";

#[test]
fn orders_and_hierarchies_decide_the_codes() {
    let csv = "o,h,p,w,m,s\nlow,c,901,5,2020-01-02,u\nhigh,a,902,12,2020-01-09,v\n";
    let columns = format!(
        "o = {{ role = \"quasi-identifier\", order = [\"low\", \"mid\", \"high\"] }}
         h = {{ role = \"quasi-identifier\", hierarchy = \"tree.csv\" }}
         p = {{ role = \"quasi-identifier\", hierarchy = {{ prefixes = [2] }} }}
         w = {{ role = \"quasi-identifier\", type = \"integer\", hierarchy = {{ intervals = [10] }} }}
         m = {{ role = \"quasi-identifier\", type = \"date\", hierarchy = {{ dates = [\"day\", \"month\", \"year\"] }} }}\n{S}"
    );
    let loaded = load_with(csv, &columns, "").unwrap();
    assert_eq!(loaded.table.known()[0].codes(), [0, 2]);
    assert_eq!(loaded.table.known()[1].codes(), [2, 0]);
    let common = |column: usize| {
        let tree = loaded.table.known()[column].domain().hierarchy().unwrap();
        tree.label(tree.common_ancestor(0, 1)).to_owned()
    };
    assert_eq!((common(2), common(3), common(4)), ("90*".into(), "*".into(), "2020-01".into()));
}

#[test]
fn a_value_outside_a_hierarchy_or_an_order_is_named_with_its_file() {
    let hierarchy = format!("h = {{ role = \"quasi-identifier\", hierarchy = \"tree.csv\" }}\n{S}");
    let message = refused("h,s\na,u\nz,v\n", &hierarchy, "");
    assert!(message.contains("tree.csv: has no entry for the value `z`"), "{message}");
    assert!(message.contains("t.csv, line 3, column `h`"), "{message}");
    let order = format!("h = {{ role = \"quasi-identifier\", order = [\"a\"] }}\n{S}");
    let message = refused("h,s\na,u\nz,v\n", &order, "");
    assert!(message.contains("column `h`: `order` does not list the value `z`"), "{message}");
    let tree = format!(
        "h = {{ role = \"quasi-identifier\", hierarchy = {{ tree = {{ X = [\"a\"], Y = \"z\" }} }} }}\n{S}"
    );
    assert!(refused("h,s\na,u\nz,v\n", &tree, "").contains("neither a table nor a list"));
    let gone = format!("h = {{ role = \"quasi-identifier\", hierarchy = \"gone.csv\" }}\n{S}");
    assert!(refused("h,s\na,u\n", &gone, "").contains("gone.csv: cannot read the hierarchy"));
}

#[test]
fn a_hierarchy_with_another_delimiter_or_encoding_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), "h,s\na,u\nb,v\n").unwrap();
    let tree = folder.path().join("tree.csv");
    let loaded = |section: &str, lines: &[u8]| {
        std::fs::write(&tree, lines).unwrap();
        let text = format!(
            "[input]\npath = \"t.csv\"\n[columns]\nh = {{ role = \"quasi-identifier\", hierarchy = {section} }}\n{S}\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n"
        );
        let policy = Policy::parse(&text, &folder.path().join("policy.toml")).unwrap();
        viewed(&policy).map_err(|error| error.to_string())
    };
    let commas = b"a,vowel,*\nb,consonant,*\n";
    let message = loaded("\"tree.csv\"", commas).unwrap_err();
    assert!(message.contains("tree.csv: no line is split by `;`"), "{message}");
    let remedy = "{ file = { path = \"tree.csv\", delimiter = \",\" } }";
    assert!(message.contains(remedy), "{message}");
    loaded(remedy, commas).unwrap();
    let twice = loaded("\"tree.csv\"", b"a;vowel;*\r\nb;x;*\r\na;y;*\r\n").unwrap_err();
    assert!(
        twice.contains("tree.csv, line 3: the value `a` appears in the hierarchy twice"),
        "{twice}"
    );
    let latin = b"a;V\xf6kal;*\nb;x;*\n";
    let message = loaded("\"tree.csv\"", latin).unwrap_err();
    assert!(message.contains("tree.csv, line 1: is not UTF-8 text"), "{message}");
    let remedy = "{ file = { path = \"tree.csv\", encoding = \"windows-1252\" } }";
    assert!(message.contains(remedy), "{message}");
    let found = loaded(remedy, latin).unwrap();
    let tree = found.table.known()[0].domain().hierarchy().unwrap().clone();
    assert!((0..9).any(|node| tree.label(node) == "V\u{f6}kal"));
}

#[test]
fn errors_have_a_kind_and_a_source() {
    use std::error::Error as _;
    let kind = |csv: &str, columns: &str| load_with(csv, columns, "").unwrap_err().kind();
    let number = format!("n = {{ role = \"quasi-identifier\", type = \"integer\" }}\n{S}");
    assert_eq!(kind("n,s\nx,u\n", &number), ErrorKind::Input);
    assert_eq!(kind("n,m,s\n1,2,u\n", &number), ErrorKind::Policy);
    assert_eq!(kind("n,s\n1,u\n", "n = {}"), ErrorKind::Policy);
    let tree = format!("h = {{ role = \"quasi-identifier\", hierarchy = \"gone.csv\" }}\n{S}");
    let gone = load_with("h,s\na,u\n", &tree, "").unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::Io);
    let source = gone.source().and_then(|cause| cause.downcast_ref::<std::io::Error>());
    assert_eq!(source.map(std::io::Error::kind), Some(std::io::ErrorKind::NotFound));
}

#[test]
fn columns_and_roles_must_match() {
    let message = refused("a,b,s\n1,2,u\n", S, "");
    assert!(message.contains("gives no role to the columns `a`, `b`"), "{message}");
    // Also a misspelt name among others.
    let misspelt = format!("agge = {{ role = \"quasi-identifier\" }}\n{S}");
    let message = refused("id,age,s\n1,2,u\n", &misspelt, "");
    assert!(message.contains("is `age` meant?"), "{message}");
    let names: Vec<String> = (0..300).map(|number| format!("c{number}")).collect();
    let message = refused(&format!("{},s\n", names.join(",")), S, "");
    assert!(message.contains("`c19` and 280 more"), "{message}");
    let extra =
        format!("agge = {{ role = \"quasi-identifier\" }}\nage = {{ role = \"drop\" }}\n{S}");
    let message = refused("age,s\n1,u\n", &extra, "");
    assert!(message.contains("describes the column `agge`"), "{message}");
    assert!(message.contains("did you mean `age`?"), "{message}");
    let several = format!("age = {{ role = \"quasi-identifier\" }}\n{S}");
    let message = refused("age;s\n1;u\n", &several, "");
    assert!(message.contains("set `delimiter = \";\"` under [input]"), "{message}");
}

#[test]
fn sensitive_values_are_cut_binned_and_combined() {
    let csv = "x,s\n250.83,3\n250.1,8\n428,15\n401,40\n";
    let part = |x: &str, s: &str| {
        format!("x = {{ role = \"sensitive\"{x} }}\ns = {{ role = \"drop\"{s} }}")
    };
    let prefix = load_with(csv, &part(", prefix = 2", ""), "").unwrap();
    assert_eq!(secrets(&prefix), ["25", "25", "42", "40"]);
    let number = ", type = \"number\"";
    let bins = load_with(csv, &part(&format!("{number}, bins = [300, 410]"), ""), "").unwrap();
    assert_eq!(secrets(&bins), ["< 300", "< 300", ">= 410", "[300, 410)"]);
    let halves = load_with(csv, &part(&format!("{number}, quantiles = 2"), ""), "").unwrap();
    assert_eq!(
        secrets(&halves),
        ["[250.1, 250.83]", "[250.1, 250.83]", "[401, 428]", "[401, 428]"]
    );
    let text = refused(csv, &part(", quantiles = 2", ""), "");
    assert!(text.contains("`bins` and `quantiles` are for numbers"), "{text}");
}

#[test]
fn several_sensitive_columns_become_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), "a,b\nno,1\nyes,2\nno,1\nno,2\n").unwrap();
    let text = "[input]\npath = \"t.csv\"\n[columns]
        a = { role = \"sensitive\", exempt = [\"no\"] }
        b = { role = \"sensitive\", exempt = [\"1\"] }
        [privacy]\nmodel = \"l-diversity\"\nl = 2\ncombine = [\"a\", \"b\"]";
    let policy = Policy::parse(text, &folder.path().join("p.toml")).unwrap();
    let loaded = viewed(&policy).unwrap();
    assert_eq!(secrets(&loaded), ["no + 1", "yes + 2", "no + 1", "no + 2"]);
    assert_eq!(loaded.table.secret().exempt(), [true, false, false]);
}

#[test]
fn exempt_values_must_exist() {
    let columns = "s = { role = \"sensitive\", exempt = [\"negativ\"] }";
    let message = refused("s\nnegative\npositive\n", columns, "");
    assert!(message.contains("`exempt` names `negativ`, which no row has"), "{message}");
    assert!(message.contains("did you mean `negative`?"), "{message}");
}

/// Loads a table whose sensitive column `s` is described, under t-closeness.
fn load_related(csv: &str, column: &str, distance: &str) -> Result<Viewed, Error> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), csv).unwrap();
    let text = format!(
        "[input]\npath = \"t.csv\"\n[columns]\ns = {{ role = \"sensitive\", {column} }}\n[privacy]\nmodel = \"t-closeness\"\nt = 0.5\ndistance = \"{distance}\"\n"
    );
    let policy = Policy::parse(&text, &folder.path().join("policy.toml"))?;
    viewed(&policy)
}

#[test]
fn sensitive_values_have_the_order_and_the_tree_of_the_policy() {
    let csv = "s\nlow\nhigh\nmid\nlow\n";
    let order = "order = [\"low\", \"mid\", \"high\"], exempt = [\"mid\"]";
    let loaded = load_related(csv, order, "ordered").unwrap();
    let sensitive = loaded.table.secret();
    assert_eq!(sensitive.codes(), [0, 2, 1, 0]);
    assert_eq!(sensitive.exempt(), [false, true, false]);
    let absent = load_related(csv, "order = [\"low\", \"mid\"]", "ordered");
    let message = absent.unwrap_err().to_string();
    assert!(message.contains("`order` does not list the value `high`"), "{message}");

    let tree = "hierarchy = { tree = { little = [\"low\", \"mid\"], much = [\"high\"] } }";
    let loaded = load_related(csv, tree, "hierarchical").unwrap();
    assert_eq!(loaded.table.secret().hierarchy().unwrap().leaf_count(), 3);
    let small = "hierarchy = { tree = { little = [\"low\"], much = [\"high\"] } }";
    let message = load_related(csv, small, "hierarchical").unwrap_err().to_string();
    assert!(message.contains("has no entry for the value `mid`"), "{message}");
}

#[test]
fn persons_have_one_row_each_where_it_is_said() {
    let columns = format!("id = {{ role = \"drop\" }}\na = {{ role = \"quasi-identifier\" }}\n{S}");
    let person = "person = \"id\"";
    let loaded = load_with("id,a,s\n1,x,u\n2,y,v\n", &columns, person).unwrap();
    assert_eq!(loaded.published, ["a", "s"], "the column itself is dropped all the same");
    let message = refused("id,a,s\n1,x,u\n2,y,v\n2,x,u\n", &columns, person);
    assert!(
        message.contains("line 3, column `id`")
            && message.contains("1 of its values appear in several rows"),
        "{message}"
    );
    let message = refused("id,a,s\n1,x,u\n,y,v\n", &columns, person);
    assert!(message.contains("line 3, column `id`: is empty here"), "{message}");
    // People may be spelled in several ways.
    let rows = "id,a,s\n7,x,u\n07.0,y,v\n";
    let message = refused(rows, &columns, person);
    assert!(
        message.contains("line 3, column `id`: has identifiers that read alike")
            && message.contains("\"7\", \"07.0\""),
        "{message}"
    );
    let decided = |how: &str| columns.replace("\"drop\"", &format!("\"drop\", {how} = true"));
    assert!(load_with(rows, &decided("distinct"), person).is_ok());
    let message = refused(rows, &decided("merge"), person);
    assert!(message.contains("the first is `07.0`"), "{message}");
    // Rows that are left out do not count any more.
    let input = format!("{person}\nmissing = \"drop-rows\"");
    assert!(load_with("id,a,s\n1,x,u\n2,y,v\n2,,u\n3,x,u\n", &columns, &input).is_ok());
}

/// Missing values of rows that are left out do not count.
#[test]
fn a_sample_that_is_left_out_lacks_nothing() {
    use openveil_core::coins::SecretCoins;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), "a,s\nx,\n,v\ny,u\ny,v\n").unwrap();
    let policy = |missing: &str| {
        let text = format!(
            "[input]\npath = \"t.csv\"\nmissing = \"{missing}\"\n[columns]\na = {{ role = \"quasi-identifier\" }}\n{S}\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n"
        );
        Policy::parse(&text, &folder.path().join("p.toml")).unwrap()
    };
    // The sample is one of the four rows: the first at some seeds, the second at others.
    let lacking = |seed: u64| {
        let mut policy = policy("drop-rows");
        let sample = Sample::draw(&policy, 1, &mut SecretCoins::from_test_seed(seed)).unwrap();
        policy.input.part = ReadRows::Without(vec![sample]);
        let missing = viewed(&policy).unwrap().omitted.missing;
        missing.into_iter().map(|count| (count.column, count.rows)).collect::<Vec<_>>()
    };
    let found: Vec<_> = (0..40).map(lacking).collect();
    for expected in [
        vec![("a".to_owned(), 1)],
        vec![("s".to_owned(), 1)],
        vec![("a".to_owned(), 1), ("s".to_owned(), 1)],
    ] {
        assert!(found.contains(&expected), "{expected:?} in {found:?}");
    }
    assert!(found.iter().flatten().all(|(_, rows)| *rows == 1));
}
