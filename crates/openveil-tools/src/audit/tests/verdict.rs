//! Tests tables against the model of a policy.

use super::*;
use openveil_core::model::{DistinctDiversity, KAnonymity, TCloseness};

#[test]
fn a_policy_is_decided_exactly_on_published_cells() {
    let table =
        "age,job,group\n\"[1, 2]\",a,1\n\"[1, 2]\",b,1\n\"[1, 2]\",c,1\n9,a,2\n9,b,2\n9,a,2\n";
    let files = Files::new(&[("t.csv", table)]);
    let mut request = AuditRequest::new(files.path("t.csv"));
    request.policy = Some(policy("model = \"l-diversity\"\nl = 2"));
    let report = measured(&request);
    let verdict = report.verdict.unwrap();
    assert_eq!((report.satisfied, verdict.satisfied), (Some(false), false));
    let requirement = &verdict.requirements[0];
    assert_eq!((requirement.groups_failing, requirement.rows_failing), (1, 3));
    let worst = requirement.worst.as_ref().unwrap();
    assert_eq!((&*worst.group, worst.rows, worst.value.as_deref()), ("group = 2", 3, Some("a")));
    assert_eq!((worst.found, worst.bound), (Some(2.0 / 3.0), Some(0.5)));

    fs::write(files.path("t.csv"), table.replace("9,a,2\n9,b,2", "9,b,2\n9,c,2")).unwrap();
    assert_eq!(measured(&request).satisfied, Some(true), "1/3 each is below 1/2");
}

#[test]
fn values_that_need_no_protection_may_be_frequent() {
    let table = "age,job\n1,none\n1,none\n1,none\n1,a\n1,b\n";
    let files = Files::new(&[("t.csv", table)]);
    let mut request = AuditRequest::new(files.path("t.csv"));
    let mut strict = policy("model = \"l-diversity\"\nl = 4");
    request.policy = Some(strict.clone());
    assert_eq!(measured(&request).satisfied, Some(false));
    strict.columns.get_mut("job").unwrap().exempt = vec!["none".to_owned()];
    request.policy = Some(strict);
    let report = measured(&request);
    assert_eq!((report.satisfied, report.measures.clone().unwrap().alpha), (Some(true), 0.2));
    assert_eq!(report.measures.clone().unwrap().exempt.unwrap().values, ["none"]);
}

#[test]
fn every_requirement_of_a_model_is_decided() {
    let tree = "HIV;viral;*\nFlu;viral;*\nHepatitis;viral;*\nCancer;other;*\nPhthisis;other;*\n\
                Asthma;other;*\nObesity;other;*\nIndigestion;other;*\nGout;other;*\n";
    let files = Files::new(&[("t.csv", TABLE_5), ("tree.csv", tree)]);
    let categories: Vec<(&str, &str)> =
        CATEGORIES.lines().map(|line| line.split_once(';').unwrap()).collect();
    let mut categories: Vec<Vec<String>> = categories
        .chunks(2)
        .map(|pair| pair.iter().map(|(value, _)| (*value).to_owned()))
        .map(Iterator::collect)
        .collect();
    // A policy may list values that a release does not show.
    categories[3].push("Gout".to_owned());
    let l_alpha = LAlphaDiversity {
        variant: Variant::Distinct,
        l: 2,
        alpha: Rational::from(1),
        weights: CategoryWeights::Uniform,
        categories,
        over: Over::Values,
    };
    let closeness = Requirement::Closeness(TCloseness {
        t: Rational::new(1, 2),
        ground: GroundDistance::Hierarchical,
    });
    let requirements = vec![
        Requirement::KAnonymity(KAnonymity { k: 4 }),
        Requirement::Distinct(DistinctDiversity { l: 3 }),
        Requirement::LAlpha(l_alpha),
        closeness,
    ];
    let mut policy = policy("model = \"l-diversity\"\nl = 2");
    policy.privacy.model = Model::all_of(requirements).unwrap();
    let mut request = files.request("t.csv", &["Disease"]);
    request.quasi_identifiers = ["Age", "Country", "Zip"].map(str::to_owned).to_vec();
    request.policy = Some(policy);
    assert!(refused(&request).contains("or `--hierarchy FILE`"));
    request.hierarchies = files.about(None, "tree.csv");
    let report = measured(&request);
    let verdict = report.verdict.unwrap();
    let failing = verdict.requirements.iter().map(|r| r.groups_failing);
    // k holds. Two groups have only two values. For (2, 1) there are enough values, but the weight
    // of the first group is 0.
    let failing: Vec<usize> = failing.collect();
    assert_eq!(failing[..4], [0, 2, 0, 1], "{:?}", verdict.requirements);
    assert_eq!(
        report.measures.clone().unwrap().l_alpha.unwrap().alpha,
        0.0,
        "the model's categories"
    );
    let t = report.measures.clone().unwrap().t_hierarchical.unwrap();
    assert_eq!(failing[4] > 0, t > 0.5, "t = {t}");
}

#[test]
fn identifiers_that_are_still_there_are_pointed_out() {
    let files = Files::new(&[("t.csv", "name,age,job\nx,1,a\ny,1,b\n")]);
    let mut request = AuditRequest::new(files.path("t.csv"));
    request.policy = Some(policy("model = \"l-diversity\"\nl = 2"));
    let notes = measured(&request).notes;
    assert!(notes[0].to_string().contains("`name`, which identifies people"), "{notes:?}");
}

/// A model uses the policy's description of values, without a file that repeats it.
#[test]
fn orders_and_trees_are_those_of_the_policy() {
    let near = "group,job\n1,low\n1,mid\n2,high\n2,top\n";
    let far = "group,job\n1,low\n1,high\n2,mid\n2,top\n";
    let strange = "group,job\n1,low\n1,odd\n";
    let tables = [("near.csv", near), ("far.csv", far), ("strange.csv", strange)];
    let files = Files::new(&tables);
    let asked = |table: &str, column: &str, distance: &str| {
        let text = format!(
            "[input]\npath = \"raw.csv\"\n[columns]\njob = {{ role = \"sensitive\", {column} }}\n\
             [privacy]\nmodel = \"t-closeness\"\nt = \"3/10\"\ndistance = \"{distance}\"\n"
        );
        AuditRequest {
            policy: Some(Policy::parse(&text, Path::new("policy.toml")).unwrap()),
            ..AuditRequest::new(files.path(table))
        }
    };
    let order = "order = [\"low\", \"mid\", \"high\", \"top\"]";
    // A value that no row has is not counted as a step.
    let longer = "order = [\"low\", \"none\", \"mid\", \"high\", \"top\"]";
    let found = |table, order| {
        let report = measured(&asked(table, order, "ordered"));
        (report.satisfied, report.measures.clone().unwrap().t_ordered.unwrap())
    };
    assert_eq!(found("near.csv", order), (Some(false), 1.0 / 3.0));
    assert_eq!(found("far.csv", order), (Some(true), 1.0 / 6.0));
    assert_eq!(found("near.csv", longer), (Some(false), 1.0 / 3.0));
    let refusal = refused(&asked("strange.csv", order, "ordered"));
    assert!(
        refusal.starts_with("policy.toml, column `job`: `order` does not list the value `odd`"),
        "{refusal}"
    );

    let tree = "hierarchy = { tree = { little = [\"low\", \"mid\"], much = [\"high\", \"top\"] } }";
    let found = |table| {
        let report = measured(&asked(table, tree, "hierarchical"));
        (report.satisfied, report.measures.clone().unwrap().t_hierarchical.unwrap())
    };
    assert_eq!(found("near.csv"), (Some(false), 0.5));
    assert_eq!(found("far.csv"), (Some(true), 0.25));
    let refusal = refused(&asked("strange.csv", tree, "hierarchical"));
    assert!(refusal.contains("`hierarchy` has no entry for the value `odd`"));
    // A file overrides this.
    fs::write(files.path("order.csv"), "low\nhigh\nmid\ntop\n").unwrap();
    let mut request = asked("near.csv", order, "ordered");
    request.orders = files.about(None, "order.csv");
    assert_eq!(measured(&request).satisfied, Some(true));
    // The order of a known column describes its coarsening; cells are not values of it.
    fs::write(files.path("cells.csv"), "group,age,job\n1,\"[low, mid]\",a\n1,\"[low, mid]\",b\n")
        .unwrap();
    let mut known = asked("cells.csv", order, "ordered").policy.unwrap();
    let mut request = files.request("cells.csv", &["age"]);
    let described = known.columns.remove("job").unwrap();
    let described = ColumnPolicy { role: Role::QuasiIdentifier, ..described };
    known.columns.insert("age".to_owned(), described);
    known.privacy.model = policy("model = \"l-diversity\"\nl = 2").privacy.model;
    request.policy = Some(known);
    assert_eq!(measured(&request).measures.unwrap().l_distinct, 1);
}

/// A table that was not published has missing values as its policy says.
#[test]
fn missing_values_of_raw_tables_have_their_place() {
    let table = "group,job\n1,?\n1,low\n2,\n2,top\n";
    let files = Files::new(&[("raw.csv", table)]);
    let asked = |column: &str, distance: &str| {
        let text = format!(
            "[input]\npath = \"raw.csv\"\nmissing_values = [\"?\"]\nmissing = \"keep\"\n[columns]\njob = {{ role = \"sensitive\", {column} }}\n\
             [privacy]\nmodel = \"t-closeness\"\nt = \"9/10\"\ndistance = \"{distance}\"\n"
        );
        AuditRequest {
            policy: Some(Policy::parse(&text, Path::new("policy.toml")).unwrap()),
            ..AuditRequest::new(files.path("raw.csv"))
        }
    };
    let report = measured(&asked("order = [\"low\", \"top\"]", "ordered"));
    assert_eq!(report.satisfied, Some(true));
    // Missing values come first: of four places in all, 0 and 2 beside 1 and 3.
    assert_eq!(report.measures.clone().unwrap().t_ordered, Some(1.0 / 6.0));
    let tree = "hierarchy = { tree = { all = [\"low\", \"top\"] } }";
    let report = measured(&asked(tree, "hierarchical"));
    assert_eq!(report.satisfied, Some(true));
    assert!(report.measures.clone().unwrap().t_hierarchical.is_some());
}
