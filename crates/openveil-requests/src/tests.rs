use super::*;
use serde_json::json;

fn read<R: Request>(values: Value) -> Result<R, Error> {
    R::from_values(values.as_object().unwrap().clone())
}

fn refusal<R: Request>(values: Value) -> String {
    read::<R>(values).err().expect("refused").to_string()
}

#[test]
fn options_that_are_not_given_have_the_defaults_of_the_command_line() {
    let attack: Attack = read(json!({})).unwrap();
    assert_eq!((attack.sample, attack.seed, attack.ties), (200, 0, None));
    let audit = Audit::default();
    assert_eq!((audit.l, audit.weights, audit.beta), (vec![2, 3, 4], Scheme::Uniform, 2));
    assert_eq!(Explain::default().limit, 1_000_000);
}

#[test]
fn one_value_is_a_list_and_a_number_is_a_text() {
    let audit: Audit = read(json!({"qi": "age, years", "l": 3, "order": {"a": "f"}})).unwrap();
    assert_eq!((audit.qi, audit.l), (vec!["age, years".to_owned()], vec![3]));
    assert_eq!(audit.order[0].column.as_deref(), Some("a"));
    let verify: Verify = read(json!({"sensitive": [1, 1, 2], "qi": [[0, 1, 2]]})).unwrap();
    assert_eq!(verify.sensitive, ["1", "1", "2"]);
    assert_eq!(verify.qi.unwrap().0, "0,1,2");
    let verify: Verify = read(json!({"sensitive": "1,1,2", "odds": 1.5})).unwrap();
    assert_eq!((verify.sensitive.len(), &*verify.odds.unwrap().0), (3, "1.5"));
    let compare: Compare = read(json!({"l": [2, 4]})).unwrap();
    assert_eq!(compare.l, read::<Compare>(json!({"l": "2,4"})).unwrap().l);
    let explain: Explain = read(json!({"jump": [[1, 2], [1, 1]]})).unwrap();
    assert_eq!(explain.jump[1].0, [1, 1]);
    assert!(read::<Explain>(json!({"jump": []})).unwrap().jump.is_empty());
    let attack: Attack = read(json!({"ties": true})).unwrap();
    assert_eq!(attack.ties, Some(None));
}

#[test]
fn a_form_sends_texts() {
    let form = [("where", " age > 3 "), ("by", "sex, job,"), ("mean", ""), ("min", "5")];
    let query = Query::from_texts(form).unwrap();
    assert_eq!((query.conditions.as_deref(), query.min), (Some("age > 3"), Some(5)));
    assert_eq!((query.by, query.mean), (vec!["sex".to_owned(), "job".to_owned()], None));
    let refused = Query::from_texts([("min", "few")]).unwrap_err().to_string();
    assert_eq!(refused, "`--min` cannot be `few`: not a whole number of 0 or more");
}

#[test]
fn refusals_name_the_option_and_what_it_takes() {
    let unknown = refusal::<Attack>(json!({"sampel": 3}));
    assert_eq!(unknown, "unknown option `--sampel`\n  help: did you mean `--sample`?");
    let whole = refusal::<Attack>(json!({"sample": -1}));
    assert_eq!(whole, "`--sample` cannot be `-1`: not a whole number of 0 or more");
    let choice = refusal::<Audit>(json!({"weights": "even"}));
    assert_eq!(choice, "`--weights` cannot be `even`: it takes uniform, sensitivity");
    let measure = refusal::<Audit>(json!({"fail_under": {"kk": 3}}));
    assert!(measure.starts_with("`--fail-under` cannot be `kk=3`: unknown measure `kk`"));
}

#[test]
fn options_that_exclude_each_other_are_refused_by_all_fronts() {
    let asked = |values| read::<Verify>(values).unwrap().run(&openveil_io::progress::Nobody);
    let refused = |values| asked(values).unwrap_err().to_string();
    let both = json!({"algorithm": "halving", "sensitive": [1, 2], "l": 2, "privacy": "x"});
    assert!(refused(both).starts_with("`--l` and `--privacy` cannot be given together"));
    let alone = json!({"algorithm": "halving", "sensitive": [1, 2], "l": 2, "afresh": true});
    assert!(refused(alone).starts_with("`--afresh` has no effect without `--history`"));
    let many = json!({"algorithm": "halving", "rows_up_to": 13, "l": 2});
    assert!(refused(many).starts_with("`--rows-up-to 13` is not from 1 to 12"));
}

#[test]
fn every_option_has_a_documentation_and_a_kind() {
    let all = [
        fields::<Attack>(),
        fields::<Audit>(),
        fields::<Compare>(),
        fields::<Complete>(),
        fields::<Explain>(),
        fields::<Fit>(),
        fields::<Inspect>(),
        fields::<Publish>(),
        fields::<Query>(),
        fields::<Report>(),
        fields::<Verify>(),
    ];
    for field in all.iter().flatten() {
        assert!(!field.help.is_empty(), "{}", field.name);
    }
    let kind = |fields: Vec<Field>, name: &str| {
        fields.into_iter().find(|field| field.name == name).unwrap().kind
    };
    assert_eq!(kind(fields::<Audit>(), "population"), Kind::Population);
    assert_eq!(kind(fields::<Audit>(), "categories"), Kind::FileOfColumn);
    assert_eq!(kind(fields::<Verify>(), "direction"), Kind::Fraction);
    assert_eq!(kind(fields::<Publish>(), "memory"), Kind::Size);
}
