//! Every privacy model with its parameters, and mistakes in them.

use super::*;
use openveil_core::exact::Rational;
use openveil_core::model::{
    AlphaKAnonymity, BetaLikeness, BreachLimit, CategoryWeights, DeltaDisclosure, Distance,
    DistinctDiversity, EntropyDiversity, GenericDistance, GroundDistance, KAnonymity,
    LAlphaDiversity, Model, Over, PSensitiveKAnonymity, RatioDiversity, RecursiveDiversity,
    Requirement, TCloseness, Variant,
};

/// Returns the model of these lines under `[privacy]`.
fn privacy(lines: &str) -> Result<Model, Error> {
    let smallest = SMALLEST.replace("model = \"l-diversity\"\nl = 6", lines);
    let ordered = "job = { role = \"sensitive\", type = \"integer\" }";
    let smallest = smallest.replace("job = { role = \"sensitive\" }", ordered);
    parse(&smallest).map(|policy| policy.privacy.model)
}

fn requirement(lines: &str) -> Requirement {
    let model = privacy(lines).unwrap_or_else(|error| panic!("{lines}: {error}"));
    assert_eq!(model.requirements().len(), 1);
    model.requirements()[0].clone()
}

fn problem(lines: &str) -> String {
    privacy(lines).unwrap_err().to_string()
}

fn r(numerator: u64, denominator: u64) -> Rational {
    Rational::new(numerator, denominator)
}

#[test]
fn every_model_is_read_exactly() {
    let ordered = GroundDistance::Ordered;
    let distance = Distance::KullbackLeibler;
    let cases = [
        ("model = \"l-diversity\"\nl = 3", Requirement::Ratio(RatioDiversity::new(3).unwrap())),
        (
            "model = \"l-diversity\"\nvariant = \"distinct\"\nl = 3",
            Requirement::Distinct(DistinctDiversity { l: 3 }),
        ),
        (
            "model = \"l-diversity\"\nvariant = \"entropy\"\nl = 2.5",
            Requirement::Entropy(EntropyDiversity { l: r(5, 2) }),
        ),
        (
            "model = \"l-diversity\"\nvariant = \"recursive\"\nl = 3\nc = \"4/3\"",
            Requirement::Recursive(RecursiveDiversity { c: r(4, 3), l: 3 }),
        ),
        ("model = \"k-anonymity\"\nk = 5", Requirement::KAnonymity(KAnonymity { k: 5 })),
        (
            "model = \"alpha-k-anonymity\"\nalpha = 0.2\nk = 5",
            Requirement::AlphaK(AlphaKAnonymity { alpha: r(1, 5), k: 5 }),
        ),
        (
            "model = \"p-sensitive-k-anonymity\"\np = 2\nk = 5",
            Requirement::PSensitive(PSensitiveKAnonymity { p: 2, k: 5 }),
        ),
        (
            "model = \"t-closeness\"\nt = 0.15\ndistance = \"ordered\"",
            Requirement::Closeness(TCloseness { t: r(3, 20), ground: ordered }),
        ),
        (
            "model = \"rho1-rho2\"\nrho1 = 0.1\nrho2 = 0.5",
            Requirement::Breach(BreachLimit { rho1: r(1, 10), rho2: r(1, 2) }),
        ),
        (
            "model = \"kifer\"\ndistance = \"kullback-leibler\"\nbound = 0.25",
            Requirement::Generic(GenericDistance { distance, bound: r(1, 4) }),
        ),
        (
            "model = \"beta-likeness\"\nbeta = 1.5",
            Requirement::Likeness(BetaLikeness { beta: r(3, 2), enhanced: false }),
        ),
        (
            "model = \"beta-likeness\"\nbeta = 2\nvariant = \"enhanced\"",
            Requirement::Likeness(BetaLikeness { beta: r(2, 1), enhanced: true }),
        ),
        (
            "model = \"delta-disclosure\"\ndelta = 1",
            Requirement::DeltaDisclosure(DeltaDisclosure { delta: r(1, 1) }),
        ),
    ];
    for (lines, expected) in cases {
        assert_eq!(requirement(lines), expected, "{lines}");
    }
}

#[test]
fn l_alpha_models_count_what_their_definitions_count() {
    let base =
        "model = \"l-alpha-diversity\"\nl = 2\nalpha = 1\ncategories = [[\"3\"], [\"1\", \"2\"]]";
    let expected = LAlphaDiversity {
        variant: Variant::Distinct,
        l: 2,
        alpha: r(1, 1),
        weights: CategoryWeights::Uniform,
        categories: vec![vec!["3".into()], vec!["1".into(), "2".into()]],
        over: Over::Values,
    };
    assert_eq!(requirement(base), Requirement::LAlpha(expected.clone()));
    let more = "variant = \"recursive\"\nc = 3\nweights = \"sensitivity\"\nbeta = 2";
    let recursive = LAlphaDiversity {
        variant: Variant::Recursive { c: r(3, 1) },
        weights: CategoryWeights::Sensitivity { beta: 2 },
        over: Over::Categories,
        ..expected.clone()
    };
    let found = requirement(&format!("{base}\n{more}"));
    assert_eq!(found, Requirement::LAlpha(recursive));
    let over = LAlphaDiversity { variant: Variant::Entropy, ..expected };
    let found = requirement(&format!("{base}\nvariant = \"entropy\"\nover = \"values\""));
    assert_eq!(found, Requirement::LAlpha(over));
}

#[test]
fn several_models_hold_at_once() {
    let all = "all = [
        { model = \"k-anonymity\", k = 5 },
        { model = \"t-closeness\", t = 0.2, distance = \"equal\" },
    ]";
    let names = privacy(all).unwrap().to_string();
    assert_eq!(names, "5-anonymity and 0.2-closeness (equal distance)");
    let tables = "[[privacy.all]]\nmodel = \"k-anonymity\"\nk = 5";
    assert_eq!(privacy(tables).unwrap().requirements().len(), 1);
    assert!(problem("all = []").contains("`all` is empty"));
    let beside = problem("l = 2\nall = [{ model = \"k-anonymity\", k = 5 }]");
    assert!(beside.contains("`l` appears beside `all`"), "{beside}");
    let inside = problem("all = [{ combine = [\"job\"], model = \"k-anonymity\", k = 5 }]");
    assert!(inside.contains("`combine` is not allowed inside `all`"), "{inside}");
}

#[test]
fn what_is_wrong_with_a_model_is_named() {
    let cases = [
        ("", "[privacy] names no `model`"),
        ("model = \"k-anonymity\"", "the model `k-anonymity` needs `k`"),
        ("model = \"k-anonymity\"\nk = 3\nl = 2", "unknown key `l`"),
        ("model = \"l-diversity\"\nl = 3\nc = 2", "unknown key `c`"),
        (
            "model = \"l-diversity\"\nl = 3\nk = 3",
            "this model takes only l; to require several models together, list them",
        ),
        ("model = \"l-diversity\"\nl = 3\nstratum = [\"a\"]", "did you mean `strata`?"),
        ("model = \"k-anonimity\"\nk = 3", "did you mean `k-anonymity`?"),
        ("model = \"l-diversity\"\nvariant = \"entrpy\"\nl = 3", "did you mean `entropy`?"),
        ("model = \"k-anonymity\"\nk = 0", "`k = 0` must be a whole number of at least 1"),
        ("model = \"k-anonymity\"\nk = 2.5", "`k = 2.5` is not a whole number"),
        (
            "model = \"t-closeness\"\nt = 1\ndistance = \"equal\"",
            "`t = 1` must be above 0 and below 1",
        ),
        ("model = \"t-closeness\"\nt = 0.5", "needs `distance`"),
        ("model = \"t-closeness\"\nt = 0.5\ndistance = \"equl\"", "did you mean `equal`?"),
        (
            "model = \"t-closeness\"\nt = -0.5\ndistance = \"equal\"",
            "line 10: `-0.5` cannot be read as an exact number",
        ),
        ("model = \"rho1-rho2\"\nrho1 = 0.5\nrho2 = 0.5", "`rho2 = 0.5` must be above `rho1`"),
        ("model = \"l-alpha-diversity\"\nl = 2\nalpha = 1", "needs `categories`"),
        (
            "model = \"l-alpha-diversity\"\nl = 2\nalpha = 1\nbeta = 2\ncategories = [[\"a\"], [\"b\"]]",
            "`beta` is not a parameter",
        ),
        (
            "model = \"l-alpha-diversity\"\nl = 2\nalpha = 1\nweights = \"sensitivity\"\nbeta = 1.5\ncategories = [[\"a\"], [\"b\"]]",
            "`beta = 1.5` is not a whole number",
        ),
        (
            "model = \"l-alpha-diversity\"\nl = 2\nalpha = 1\ncategories = [[\"a\"], [\"a\"]]",
            "the value `a` is in two",
        ),
    ];
    for (lines, expected) in cases {
        let message = problem(lines);
        assert!(message.contains(expected), "{lines}\n{message}");
    }
}

#[test]
fn relations_between_values_are_said_where_they_are_used() {
    let with = |job: &str, distance: &str| {
        let model = format!("model = \"t-closeness\"\nt = 0.2\ndistance = \"{distance}\"");
        let policy = SMALLEST
            .replace("model = \"l-diversity\"\nl = 6", &model)
            .replace("job = { role = \"sensitive\"", job);
        parse(&policy).map_err(|error| error.to_string())
    };
    let plain = "job = { role = \"sensitive\"";
    let order = "job = { role = \"sensitive\", order = [\"a\", \"b\"]";
    let tree = "job = { role = \"sensitive\", hierarchy = { prefixes = [1] }";
    assert!(with(order, "ordered").is_ok());
    assert!(with(tree, "hierarchical").is_ok());
    let refused = |job, distance| with(job, distance).unwrap_err();
    assert!(refused(plain, "ordered").contains("contains text, which has no order"));
    assert!(refused(plain, "hierarchical").contains("has no `hierarchy`"));
    assert!(refused(order, "equal").contains("an `order`, which the privacy model does not use"));
    assert!(refused(tree, "ordered").contains("has a `hierarchy`, which the privacy model"));
}
