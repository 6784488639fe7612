//! The meaning of texts: numbers, days, missing values.

use super::*;

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
fn the_day_of_a_timestamp_is_the_one_written() {
    let columns = format!("d = {{ role = \"quasi-identifier\", type = \"date\" }}\n{S}");
    let csv = "d,s\n2017-01-01T23:30:42Z,u\n2017-01-01T23:30:42-05:00,v\n2017-01-01T00:10:00+01:00,u\n2017-01-01,v\n";
    let loaded = load_with(csv, &columns, "").unwrap();
    assert_eq!(labels(&loaded, 0), ["2017-01-01"; 4]);
    for wrong in ["2147483647", "14.03.2020", "2020-02-30", "2020-01-01T25:00Z", "2020-01-01Z"] {
        let message = refused(&format!("d,s\n{wrong},u\n"), &columns, "");
        let place = format!("t.csv, line 2, column `d`: `{wrong}` is not a date like 2020-03-14");
        assert!(message.contains(&place), "{message}");
        assert!(message.contains("`missing_values = [...]`"), "{message}");
        assert!(message.contains("2020-03-14T09:30:00Z"), "{message}");
    }
    let format =
        "d = { role = \"quasi-identifier\", type = \"date\", format = \"%Y/%m/%d %H:%M:%SZ\" }";
    let loaded = load_with("d,s\n2017/01/01 06:00:42Z,u\n", &format!("{format}\n{S}"), "");
    assert_eq!(labels(&loaded.unwrap(), 0), ["2017-01-01"]);
    let useless = refused("d,s\n1,u\n", &format.replace("%m/%d %H:%M:%SZ", "x"), "");
    assert!(useless.contains("is not a date pattern"), "{useless}");
}

#[test]
fn days_that_no_calendar_has_are_named_or_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    crate::source::testing::odd_parquet(&path, [i32::MAX, 0], ["u", "v"]);
    let loaded = |input: &str| {
        let text = format!(
            "[input]\npath = \"t.parquet\"\n{input}\n[columns]\nborn = {{ role = \"quasi-identifier\", type = \"date\" }}\nword = {{ role = \"sensitive\" }}\nseen = {{ role = \"drop\" }}\nstamp = {{ role = \"drop\" }}\nvisits = {{ role = \"drop\" }}\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n"
        );
        let policy = Policy::parse(&text, &folder.path().join("policy.toml")).unwrap();
        viewed(&policy).map_err(|error| error.to_string())
    };
    let message = loaded("").unwrap_err();
    assert!(message.contains("t.parquet, column `born`: `2147483647` is not a date"), "{message}");
    let kept = loaded("missing = \"keep\"\nmissing_values = [\"2147483647\"]").unwrap();
    assert_eq!(labels(&kept, 0), ["(missing)", "1970-01-01"]);
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
    assert_eq!(labels(&load_with("n,s\n31.12.2020,u\n", &columns, "").unwrap(), 0), ["2020-12-31"]);
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
    assert!(message.contains("`n` in 2 rows, `s` in 1 rows"), "{message}");
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
    let kept =
        load_with("o,w,s\nhigh,3,u\n,,v\nlow,4,u\n", &columns, "missing = \"keep\"").unwrap();
    assert_eq!(kept.table.known()[0].codes(), [2, 0, 1]);
    assert_eq!(labels(&kept, 1), ["3", "(missing)", "4"]);
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
        assert!(message.contains(&format!("`{wrong}` is not a number")), "{message}");
    }
}

#[test]
fn limits_hide_the_extremes() {
    let rows: String = (0..100).map(|n| format!("{n},{},{}\n", n, ["u", "v"][n % 2])).collect();
    let csv = format!("age,pay,s\n{rows}");
    let known = format!(
        "age = {{ role = \"quasi-identifier\", type = \"integer\", top = 90, bottom = 5 }}
         pay = {{ role = \"drop\" }}\n{S}"
    );
    let ages = labels(&load_with(&csv, &known, "").unwrap(), 0);
    assert_eq!((&*ages[0], &*ages[5], &*ages[89], &*ages[99]), ("5", "5", "89", "90"));
    assert_eq!(ages.iter().filter(|age| *age == "90").count(), 10);
    let secret = "age = { role = \"quasi-identifier\", type = \"integer\" }
         pay = { role = \"sensitive\", type = \"integer\", quantiles = 4, top = 80, bottom = 10 }
         s = { role = \"drop\" }";
    let mut shown = secrets(&load_with(&csv, secret, "").unwrap());
    shown.dedup();
    assert_eq!(shown, ["<= 24", "[25, 49]", "[50, 74]", ">= 75"]);
}

#[test]
fn decimal_numbers_have_intervals() {
    let columns = format!(
        "x = {{ role = \"quasi-identifier\", type = \"number\", hierarchy = {{ intervals = [0.5, 2] }} }}\n{S}"
    );
    let loaded = load_with("x,s\n1.75,u\n0.2,v\n3.9,u\n", &columns, "").unwrap();
    let tree = loaded.table.known()[0].domain().hierarchy().unwrap();
    let labels: Vec<&str> = (0..tree.node_count() as u32).map(|node| tree.label(node)).collect();
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
    assert!(both[0].to_string().contains("count as one value"), "{both:?}");
    let one = warnings("a,s\nx,v\ny,\nz,u\n");
    assert!(
        one.iter().all(|warning| !warning.to_string().contains("count as one value")),
        "{one:?}"
    );
}

/// Numbers as programs print them: the fewest digits that give back the number.
#[test]
fn numbers_have_as_many_digits_as_programs_print() {
    let columns = format!("x = {{ role = \"quasi-identifier\", type = \"number\" }}\n{S}");
    for number in
        ["3.158487396692777e-05", "2.220446049250313e-16", "1.7976931348623157E+308", "0.1"]
    {
        let loaded = load_with(&format!("x,s\n{number},u\n2,v\n"), &columns, "");
        assert!(loaded.is_ok(), "{number}: {loaded:?}");
    }
    let message = refused("x,s\n3.158487396692777123e-05,u\n2,v\n", &columns, "");
    assert!(message.contains("more digits than a number can hold"), "{message}");
}

#[test]
fn errors_name_the_rows_that_show_them() {
    let columns = format!("n = {{ role = \"quasi-identifier\", type = \"integer\" }}\n{S}");
    let rows = |csv: &str, input: &str| {
        let error = load_with(csv, &columns, input).unwrap_err();
        error.rows().to_vec()
    };
    let csv = "n,s\n1,u\n,v\n3,\nx,u\nx,v\n";
    assert_eq!(rows(csv, ""), [1, 2]);
    assert_eq!(rows(csv, "missing = \"keep\""), [3, 4]);
    // After rows were left out, line numbers of the input are not known.
    assert!(rows(csv, "missing = \"drop-rows\"").is_empty());
}
