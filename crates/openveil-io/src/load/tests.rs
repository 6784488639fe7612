use super::*;
use crate::policy::{Part, Sample};
use openveil::table::Generalization;

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
    std::fs::write(
        folder.path().join("tree.csv"),
        "a;vowel;*\nb;consonant;*\nc;consonant;*\n",
    )
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
    column
        .codes()
        .iter()
        .map(|&code| column.domain().label(code).to_owned())
        .collect()
}

fn secrets(loaded: &Viewed) -> Vec<String> {
    let sensitive = loaded.table.secret();
    sensitive
        .codes()
        .iter()
        .map(|&code| sensitive.label(code))
        .collect()
}

const S: &str = "s = { role = \"sensitive\" }";

#[test]
fn values_are_read_as_what_they_are() {
    let csv = "n,x,d,t,id,s\n32.0,1.50,2020-03-01,b,7,u\n9,-2,2019-12-31,a,8,v\n10,1.5,2020-03-01,b,9,u\n";
    let columns = format!(
        "n = {{ role = \"quasi-identifier\", type = \"integer\", weight = 3 }}
         x = {{ role = \"quasi-identifier\", type = \"number\" }}
         d = {{ role = \"quasi-identifier\", type = \"date\" }}
         t = {{ role = \"quasi-identifier\" }}
         id = {{ role = \"identifier\" }}\n{S}"
    );
    let loaded = load_with(csv, &columns, "").unwrap();
    assert_eq!(labels(&loaded, 0), ["32", "9", "10"]);
    assert_eq!(loaded.table.known()[0].codes(), [2, 0, 1]);
    assert_eq!(loaded.table.known()[0].weight(), 3);
    assert_eq!(labels(&loaded, 1), ["1.5", "-2", "1.5"]);
    assert_eq!(loaded.table.known()[2].codes(), [1, 0, 1]);
    let text = loaded.table.known()[3].domain().generalization();
    assert!(matches!(text, Generalization::Set));
    assert_eq!(loaded.omitted.identifiers, ["id"]);
    assert_eq!(loaded.published, ["n", "x", "d", "t", "s"]);
}

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
    assert_eq!(
        (common(2), common(3), common(4)),
        ("90*".into(), "*".into(), "2020-01".into())
    );
}

#[test]
fn a_value_outside_a_hierarchy_or_an_order_is_named_with_its_file() {
    let hierarchy = format!("h = {{ role = \"quasi-identifier\", hierarchy = \"tree.csv\" }}\n{S}");
    let message = refused("h,s\na,u\nz,v\n", &hierarchy, "");
    assert!(
        message.contains("tree.csv: has no entry for the value `z`"),
        "{message}"
    );
    assert!(message.contains("t.csv, line 3, column `h`"), "{message}");
    let order = format!("h = {{ role = \"quasi-identifier\", order = [\"a\"] }}\n{S}");
    let message = refused("h,s\na,u\nz,v\n", &order, "");
    assert!(
        message.contains("column `h`: `order` has no place for the value `z`"),
        "{message}"
    );
    let tree = format!(
        "h = {{ role = \"quasi-identifier\", hierarchy = {{ tree = {{ X = [\"a\"], Y = \"z\" }} }} }}\n{S}"
    );
    assert!(refused("h,s\na,u\nz,v\n", &tree, "").contains("neither a table nor a list"));
    let gone = format!("h = {{ role = \"quasi-identifier\", hierarchy = \"gone.csv\" }}\n{S}");
    assert!(refused("h,s\na,u\n", &gone, "").contains("gone.csv: cannot read the hierarchy"));
}

#[test]
fn a_hierarchy_with_another_delimiter_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), "h,s\na,u\nb,v\n").unwrap();
    let tree = folder.path().join("tree.csv");
    let loaded = |section: &str, lines: &str| {
        std::fs::write(&tree, lines).unwrap();
        let text = format!(
            "[input]\npath = \"t.csv\"\n[columns]\nh = {{ role = \"quasi-identifier\", hierarchy = {section} }}\n{S}\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n"
        );
        let policy = Policy::parse(&text, &folder.path().join("policy.toml")).unwrap();
        viewed(&policy).map_err(|error| error.to_string())
    };
    let commas = "a,vowel,*\nb,consonant,*\n";
    let message = loaded("\"tree.csv\"", commas).unwrap_err();
    assert!(
        message.contains("tree.csv: no line is separated by `;`"),
        "{message}"
    );
    let remedy = "{ file = { path = \"tree.csv\", delimiter = \",\" } }";
    assert!(message.contains(remedy), "{message}");
    loaded(remedy, commas).unwrap();
    let twice = loaded("\"tree.csv\"", "a;vowel;*\r\nb;x;*\r\na;y;*\r\n").unwrap_err();
    assert!(
        twice.contains("tree.csv, line 3: the value `a` stands in the hierarchy twice"),
        "{twice}"
    );
}

#[test]
fn the_day_of_a_timestamp_is_the_one_written() {
    let columns = format!("d = {{ role = \"quasi-identifier\", type = \"date\" }}\n{S}");
    let csv = "d,s\n2017-01-01T23:30:42Z,u\n2017-01-01T23:30:42-05:00,v\n2017-01-01T00:10:00+01:00,u\n2017-01-01,v\n";
    let loaded = load_with(csv, &columns, "").unwrap();
    assert_eq!(labels(&loaded, 0), ["2017-01-01"; 4]);
    for wrong in [
        "2147483647",
        "14.03.2020",
        "2020-02-30",
        "2020-01-01T25:00Z",
        "2020-01-01Z",
    ] {
        let message = refused(&format!("d,s\n{wrong},u\n"), &columns, "");
        let place = format!("t.csv, line 2, column `d`: `{wrong}` is not a date like 2020-03-14");
        assert!(message.contains(&place), "{message}");
        assert!(message.contains("`missing_values = [...]`"), "{message}");
        assert!(message.contains("2020-03-14T09:30:00Z"), "{message}");
    }
    let format =
        "d = { role = \"quasi-identifier\", type = \"date\", format = \"%Y/%m/%d %H:%M:%SZ\" }";
    let loaded = load_with(
        "d,s\n2017/01/01 06:00:42Z,u\n",
        &format!("{format}\n{S}"),
        "",
    );
    assert_eq!(labels(&loaded.unwrap(), 0), ["2017-01-01"]);
    let useless = refused("d,s\n1,u\n", &format.replace("%d %H:%M:%SZ", "x"), "");
    assert!(useless.contains("is not a pattern of dates"), "{useless}");
}

#[test]
fn days_that_no_calendar_has_are_named_or_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    crate::source::tests::parquet::odd_parquet(&path, [i32::MAX, 0], ["u", "v"]);
    let loaded = |input: &str| {
        let text = format!(
            "[input]\npath = \"t.parquet\"\n{input}\n[columns]\nborn = {{ role = \"quasi-identifier\", type = \"date\" }}\nword = {{ role = \"sensitive\" }}\nseen = {{ role = \"drop\" }}\nstamp = {{ role = \"drop\" }}\nvisits = {{ role = \"drop\" }}\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n"
        );
        let policy = Policy::parse(&text, &folder.path().join("policy.toml")).unwrap();
        viewed(&policy).map_err(|error| error.to_string())
    };
    let message = loaded("").unwrap_err();
    assert!(
        message.contains("t.parquet, column `born`: `2147483647` is not a date"),
        "{message}"
    );
    let kept = loaded("missing = \"keep\"\nmissing_values = [\"2147483647\"]").unwrap();
    assert_eq!(labels(&kept, 0), ["(missing)", "1970-01-01"]);
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
    let source = gone
        .source()
        .and_then(|cause| cause.downcast_ref::<std::io::Error>());
    assert_eq!(
        source.map(std::io::Error::kind),
        Some(std::io::ErrorKind::NotFound)
    );
}

#[test]
fn columns_and_roles_must_match() {
    let message = refused("a,b,s\n1,2,u\n", S, "");
    assert!(
        message.contains("gives no role to the columns `a`, `b`"),
        "{message}"
    );
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
    assert!(
        message.contains("say `delimiter = \";\"` under [input]"),
        "{message}"
    );
}

#[test]
fn wrong_values_are_named_with_their_place() {
    let columns = format!("n = {{ role = \"quasi-identifier\", type = \"integer\" }}\n{S}");
    let message = refused("n,s\n1,u\n2.5,v\n", &columns, "");
    assert!(
        message.contains("t.csv, line 3, column `n`: `2.5` is not a whole number"),
        "{message}"
    );
    let columns = format!("n = {{ role = \"quasi-identifier\", type = \"date\" }}\n{S}");
    assert!(refused("n,s\n31.12.2020,u\n", &columns, "").contains("`31.12.2020` is not a date"));
    let columns = format!(
        "n = {{ role = \"quasi-identifier\", type = \"date\", format = \"%d.%m.%Y\" }}\n{S}"
    );
    assert_eq!(
        labels(&load_with("n,s\n31.12.2020,u\n", &columns, "").unwrap(), 0),
        ["2020-12-31"]
    );
    let columns = format!("n = {{ role = \"quasi-identifier\", type = \"number\" }}\n{S}");
    assert!(
        refused("n,s\nx,u\n", &columns, "").contains("line 2, column `n`: `x` is not a number")
    );
    assert!(refused("n,s\ninf,u\n", &columns, "").contains("`inf` is not a number"));
}

#[test]
fn missing_values_are_refused_dropped_or_kept() {
    let csv = "n,s\n1,u\n,v\n?,u\n3,\n4,v\n";
    let columns = format!("n = {{ role = \"quasi-identifier\", type = \"integer\" }}\n{S}");
    let tokens = "missing_values = [\"?\"]";
    let message = refused(csv, &columns, tokens);
    assert!(
        message.contains("`n` in 2 rows, `s` in 1 rows"),
        "{message}"
    );
    assert!(message.contains("line 3"), "{message}");

    let dropped = load_with(csv, &columns, &format!("{tokens}\nmissing = \"drop-rows\"")).unwrap();
    assert_eq!(labels(&dropped, 0), ["1", "4"]);
    assert_eq!((dropped.omitted.input_rows, dropped.omitted.rows), (5, 3));
    assert!(dropped.omitted.missing[1].sensitive);
    assert_eq!(dropped.table.secret().values(), 2);

    let kept = load_with(csv, &columns, &format!("{tokens}\nmissing = \"keep\"")).unwrap();
    assert_eq!(labels(&kept, 0), ["1", "(missing)", "(missing)", "3", "4"]);
    assert_eq!(kept.table.known()[0].codes()[1], 0);
    assert_eq!(secrets(&kept)[3], "(missing)");

    let nothing = refused("n,s\n,u\n", &columns, "missing = \"drop-rows\"");
    assert!(nothing.contains("every row lacks a value"), "{nothing}");
}

#[test]
fn kept_missing_values_have_a_place_in_orders_and_trees() {
    let columns = format!(
        "o = {{ role = \"quasi-identifier\", order = [\"low\", \"high\"] }}
         w = {{ role = \"quasi-identifier\", type = \"integer\", hierarchy = {{ intervals = [10] }} }}\n{S}"
    );
    let kept = load_with(
        "o,w,s\nhigh,3,u\n,,v\nlow,4,u\n",
        &columns,
        "missing = \"keep\"",
    )
    .unwrap();
    assert_eq!(kept.table.known()[0].codes(), [2, 0, 1]);
    assert_eq!(labels(&kept, 1), ["3", "(missing)", "4"]);
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
        [
            "[250.1, 250.83]",
            "[250.1, 250.83]",
            "[401, 428]",
            "[401, 428]"
        ]
    );
    let text = refused(csv, &part(", quantiles = 2", ""), "");
    assert!(
        text.contains("`bins` and `quantiles` are for numbers"),
        "{text}"
    );
}

#[test]
fn several_sensitive_columns_become_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("t.csv"),
        "a,b\nno,1\nyes,2\nno,1\nno,2\n",
    )
    .unwrap();
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
    assert!(
        message.contains("`exempt` names `negativ`, which no row has"),
        "{message}"
    );
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
    assert!(
        message.contains("`order` has no place for the value `high`"),
        "{message}"
    );

    let tree = "hierarchy = { tree = { little = [\"low\", \"mid\"], much = [\"high\"] } }";
    let loaded = load_related(csv, tree, "hierarchical").unwrap();
    assert_eq!(loaded.table.secret().hierarchy().unwrap().leaf_count(), 3);
    let small = "hierarchy = { tree = { little = [\"low\"], much = [\"high\"] } }";
    let message = load_related(csv, small, "hierarchical")
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("has no entry for the value `mid`"),
        "{message}"
    );
}

#[test]
fn numbers_may_have_a_decimal_comma() {
    let csv = "n;x;s\n1.234;12,5;u\n-7;-0,25;v\n";
    let columns = format!(
        "n = {{ role = \"quasi-identifier\", type = \"integer\" }}
         x = {{ role = \"quasi-identifier\", type = \"number\" }}\n{S}"
    );
    let input = "delimiter = \";\"\ndecimal = \",\"";
    let loaded = load_with(csv, &columns, input).unwrap();
    assert_eq!(labels(&loaded, 0), ["1234", "-7"]);
    assert_eq!(labels(&loaded, 1), ["12.5", "-0.25"]);
    for wrong in ["1.2", "1,2,3", "1.23,4", "12345.678,9", ",5x"] {
        let csv = format!("n;x;s\n1;{wrong};u\n2;1;v\n");
        let message = refused(&csv, &columns, input);
        assert!(
            message.contains(&format!("`{wrong}` is not a number")),
            "{message}"
        );
    }
}

#[test]
fn limits_hide_the_extremes() {
    let rows: String = (0..100)
        .map(|n| format!("{n},{},{}\n", n, ["u", "v"][n % 2]))
        .collect();
    let csv = format!("age,pay,s\n{rows}");
    let known = format!(
        "age = {{ role = \"quasi-identifier\", type = \"integer\", top = 90, bottom = 5 }}
         pay = {{ role = \"drop\" }}\n{S}"
    );
    let ages = labels(&load_with(&csv, &known, "").unwrap(), 0);
    assert_eq!(
        (&*ages[0], &*ages[5], &*ages[89], &*ages[99]),
        ("5", "5", "89", "90")
    );
    assert_eq!(ages.iter().filter(|age| *age == "90").count(), 10);
    let secret = "age = { role = \"quasi-identifier\", type = \"integer\" }
         pay = { role = \"sensitive\", type = \"integer\", quantiles = 4, top = 80, bottom = 10 }
         s = { role = \"drop\" }";
    let mut shown = secrets(&load_with(&csv, secret, "").unwrap());
    shown.dedup();
    assert_eq!(shown, ["<= 24", "[25, 49]", "[50, 74]", ">= 75"]);
}

#[test]
fn persons_have_one_row_each_where_it_is_said() {
    let columns = format!("id = {{ role = \"drop\" }}\na = {{ role = \"quasi-identifier\" }}\n{S}");
    let person = "person = \"id\"";
    let loaded = load_with("id,a,s\n1,x,u\n2,y,v\n", &columns, person).unwrap();
    assert_eq!(
        loaded.published,
        ["a", "s"],
        "the column itself is dropped all the same"
    );
    let message = refused("id,a,s\n1,x,u\n2,y,v\n2,x,u\n", &columns, person);
    assert!(
        message.contains("line 3, column `id`")
            && message.contains("1 of its values stand in several rows"),
        "{message}"
    );
    let message = refused("id,a,s\n1,x,u\n,y,v\n", &columns, person);
    assert!(
        message.contains("line 3, column `id`: names nobody here"),
        "{message}"
    );
    // A history takes both for one.
    let input = format!("{person}\ntrim = false");
    let message = refused("id,a,s\n1,x,u\n\" 1\",y,v\n", &columns, &input);
    assert!(
        message.contains("line 3, column `id`")
            && message.contains("`1` and ` 1` differ in nothing but blanks"),
        "{message}"
    );
    // Rows that are left out count no more.
    let input = format!("{person}\nmissing = \"drop-rows\"");
    assert!(load_with("id,a,s\n1,x,u\n2,y,v\n2,,u\n3,x,u\n", &columns, &input).is_ok());
}

#[test]
fn decimal_numbers_have_intervals() {
    let columns = format!(
        "x = {{ role = \"quasi-identifier\", type = \"number\", hierarchy = {{ intervals = [0.5, 2] }} }}\n{S}"
    );
    let loaded = load_with("x,s\n1.75,u\n0.2,v\n3.9,u\n", &columns, "").unwrap();
    let tree = loaded.table.known()[0].domain().hierarchy().unwrap();
    let labels: Vec<&str> = (0..tree.node_count() as u32)
        .map(|node| tree.label(node))
        .collect();
    for label in ["[1.5, 2)", "[0, 0.5)", "[0, 2)", "[2, 4)"] {
        assert!(labels.contains(&label), "{labels:?}");
    }
}

#[test]
fn texts_that_read_like_missing_values_are_pointed_out() {
    let folder = tempfile::tempdir().unwrap();
    let warnings = |csv: &str| {
        std::fs::write(folder.path().join("t.csv"), csv).unwrap();
        let text = format!(
            "[input]\npath = \"t.csv\"\nmissing = \"keep\"\n[columns]\na = {{ role = \"quasi-identifier\" }}\n{S}\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n"
        );
        let policy = Policy::parse(&text, &folder.path().join("p.toml")).unwrap();
        load(&policy, &|_| {}).unwrap().warnings
    };
    let both = warnings("a,s\nx,(missing)\ny,\nz,u\n");
    assert!(both[0].contains("count as one value"), "{both:?}");
    let one = warnings("a,s\nx,v\ny,\nz,u\n");
    assert!(
        one.iter()
            .all(|warning| !warning.contains("count as one value")),
        "{one:?}"
    );
}

/// Of rows that are left out it is not said what they lack.
#[test]
fn a_sample_that_is_left_out_lacks_nothing() {
    use openveil::coins::SecretCoins;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), "a,s\nx,\n,v\ny,u\ny,v\n").unwrap();
    let policy = |missing: &str| {
        let text = format!(
            "[input]\npath = \"t.csv\"\nmissing = \"{missing}\"\n[columns]\na = {{ role = \"quasi-identifier\" }}\n{S}\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n"
        );
        Policy::parse(&text, &folder.path().join("p.toml")).unwrap()
    };
    // One of four rows by coins: at some seed the first, at another one the second.
    let lacking = |seed: u64| {
        let mut policy = policy("drop-rows");
        let sample = Sample::draw(&policy, 1, &mut SecretCoins::from_test_seed(seed)).unwrap();
        policy.part = Part::Without(sample);
        let missing = viewed(&policy).unwrap().omitted.missing;
        missing
            .into_iter()
            .map(|count| (count.column, count.rows))
            .collect::<Vec<_>>()
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

/// Numbers as programs print them, with the fewest digits that make them.
#[test]
fn numbers_have_as_many_digits_as_programs_print() {
    let columns = format!("x = {{ role = \"quasi-identifier\", type = \"number\" }}\n{S}");
    for number in [
        "3.158487396692777e-05",
        "2.220446049250313e-16",
        "1.7976931348623157E+308",
        "0.1",
    ] {
        let loaded = load_with(&format!("x,s\n{number},u\n2,v\n"), &columns, "");
        assert!(loaded.is_ok(), "{number}: {loaded:?}");
    }
    let message = refused("x,s\n3.158487396692777123e-05,u\n2,v\n", &columns, "");
    assert!(
        message.contains("more digits than a number can hold"),
        "{message}"
    );
}
