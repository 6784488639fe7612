use super::phrases::in_words;
use super::*;
use crate::algorithm::{ENGINES, Inside, Models, Profile};
use crate::exact::{Fraction, Rational, fraction};
use crate::model::{About, Informed};
use crate::model::{DistinctDiversity, EntropyDiversity, KAnonymity, Model, RatioDiversity};
use crate::model::{GroundDistance, Requirement, TCloseness};
use crate::table::View;
use std::fmt::Write;

fn secret() -> Secret {
    Secret::new("job", vec![0, 0, 0, 1, 1, 2], ["clerk", "nurse", "judge"])
}

/// The profile of the engine, of an algorithm that is safe, or of one that discloses values.
fn profile(name: &'static str) -> Profile {
    let engine = ENGINES.into_iter().find(|engine| engine.name() == name);
    match (engine, name) {
        (Some(engine), _) => engine.profile(),
        // An algorithm that can make groups by coins alone.
        (None, "cover") => {
            Profile::safe(name, "").for_models(Models::Any).with_exempt().with_inside()
        }
        (None, "safe") => Profile::safe(name, ""),
        (None, _) => Profile::disclosing(name),
    }
}

fn ratio() -> Requirement {
    Requirement::Ratio(RatioDiversity::new(2).unwrap())
}

fn closeness(numerator: u64, denominator: u64) -> Requirement {
    Requirement::Closeness(TCloseness {
        t: Rational::new(numerator, denominator),
        ground: GroundDistance::Equal,
    })
}

/// The facts that a guarantee can depend on.
#[derive(Clone)]
struct Case {
    model: Model,
    secret: Secret,
    algorithm: &'static str,
    strata: Vec<String>,
    highest: Option<Fraction>,
    inside: Inside,
    history: Option<PromisedHistory>,
}

impl Case {
    fn new(model: impl Into<Model>) -> Self {
        Self {
            model: model.into(),
            secret: secret(),
            algorithm: "cover",
            strata: Vec::new(),
            highest: None,
            inside: Inside::Arranged,
            history: None,
        }
    }

    fn by(self, algorithm: &'static str) -> Self {
        Self { algorithm, ..self }
    }

    fn exempt(self, exempt: [bool; 3]) -> Self {
        let secret = self.secret.with_exempt(exempt.to_vec());
        Self { secret, ..self }
    }

    fn highest(self, numerator: u128, denominator: u128) -> Self {
        let highest = Some(fraction(numerator, denominator));
        Self { highest, ..self }
    }

    fn history(self, releases: u32, has_episodes: bool) -> Self {
        let history = Some(PromisedHistory { releases, refused: 0, has_episodes });
        Self { history, ..self }
    }

    /// This case, for readers with odds of 3.
    fn informed(self, about: About) -> Self {
        let informed = Informed::new(Rational::from_integer(3), about).unwrap();
        let model = self.model.against(informed);
        Self { model, ..self }
    }

    fn guarantee(&self) -> Guarantee {
        let table = View::new(vec![], self.secret.clone()).unwrap();
        let criteria = [self.model.bind(&table).unwrap()];
        let profile = profile(self.algorithm);
        let keeper = Keeper::Groups {
            criteria: &criteria,
            strata: &self.strata,
            profile: &profile,
            highest: self.highest.as_ref(),
            inside: self.inside,
            history: self.history,
            ties: None,
        };
        Guarantee::of_table(&self.secret, keeper)
    }

    /// The guarantee of a column that no published table leads to.
    fn unreachable(&self) -> Guarantee {
        let table = View::new(vec![], self.secret.clone()).unwrap();
        let criteria = self.model.bind(&table).unwrap();
        let profile = profile(self.algorithm);
        let keeper = Keeper::Histogram {
            criteria: &criteria,
            profile: &profile,
            histogram: &table.histogram(),
        };
        Guarantee::of_rule(&["age".to_owned(), "sex".to_owned()], &self.secret, keeper)
    }
}

fn shown(text: &mut String, what: &str, guarantee: &Guarantee) {
    writeln!(text, "{what}\n  {guarantee}").unwrap();
    let (protects, exempt) = (&guarantee.protects, &guarantee.exempt);
    let bound = guarantee.chance.bound().map(|bound| bound.to_string());
    let (adversary, bound) = (guarantee.adversary, bound.unwrap_or("none".to_owned()));
    writeln!(text, "  {adversary:?}, bound {bound}, protects {protects:?}, exempt {exempt:?}")
        .unwrap();
    for promise in &guarantee.readers {
        writeln!(text, "  {:?}: {promise}.", promise.reader).unwrap();
    }
    text.push('\n');
}

/// If no table leads to a column, the reader still knows its histogram, which may make a value
/// certain.
#[test]
fn what_all_people_have_is_no_secret() {
    let mut case = Case::new(Requirement::KAnonymity(KAnonymity { k: 2 }));
    let most = fraction(1, 2);
    assert_eq!(case.unreachable().chance, Chance::AtMost(most));
    case.secret = Secret::new("job", vec![0; 4], ["clerk"]);
    let certain = case.unreachable();
    assert_eq!(certain.chance, Chance::MayBeCertain);
    assert!(certain.protects.is_empty());
}

/// Every guarantee that the function can make, with everything that it depends on. People compared
/// `words.txt` with the proofs; change it only with their consent.
#[test]
fn promises_are_those_that_were_agreed_on() {
    let mut text = String::new();
    let entropy = Requirement::Entropy(EntropyDiversity { l: Rational::from_integer(2) });
    let distinct = Requirement::Distinct(DistinctDiversity { l: 2 });
    let size = Requirement::KAnonymity(KAnonymity { k: 2 });
    let close = closeness(1, 3);
    let wide = closeness(1, 2);
    let strata =
        Case { strata: vec!["sex".to_owned(), "town".to_owned()], ..Case::new(close.clone()) };
    let both = Model::all_of(vec![size.clone(), distinct.clone()]).unwrap();
    let each = |linked: bool| {
        let secret = |name: &str, exempt: bool| {
            let secret = Secret::new(name, vec![0, 0, 1, 1, 2, 2], ["a", "b", "c"]);
            secret.with_exempt(vec![exempt, false, false])
        };
        let secrets = [secret("job", false), secret("pay", true)];
        Case { secret: Secret::of_each(&secrets, &[2, 3], linked), ..Case::new(ratio()) }
    };
    for (what, case) in [
        ("the ratio", Case::new(ratio())),
        ("the ratio, what came out", Case::new(ratio()).highest(2, 5)),
        ("the ratio, an exempt value", Case::new(ratio()).exempt([true, false, false])),
        ("several columns, each by itself", each(false)),
        ("several columns, linked", each(true)),
        ("an unsafe algorithm", Case::new(ratio()).by("naive")),
        ("entropy", Case::new(entropy.clone())),
        ("entropy, what came out", Case::new(entropy.clone()).highest(1_001, 3_001)),
        ("closeness, what came out is no less", Case::new(close.clone()).highest(9, 10)),
        ("closeness that allows everything", Case::new(wide.clone())),
        (
            "closeness by an unsafe algorithm, what came out",
            Case::new(wide).by("naive").highest(2, 5),
        ),
        ("distinct values", Case::new(distinct.clone())),
        ("distinct values, two exempt", Case::new(distinct.clone()).exempt([true, false, true])),
        ("group size", Case::new(size)),
        ("two models", Case::new(both)),
        ("strata", strata),
        ("a first release", Case::new(ratio()).history(1, false)),
        ("a third one, with episodes", Case::new(ratio()).history(3, true)),
    ] {
        shown(&mut text, what, &case.guarantee());
    }
    shown(&mut text, "a column that nothing leads to", &Case::new(ratio()).unreachable());
    let exempt = Case::new(ratio()).exempt([true, false, false]);
    shown(&mut text, "the same, its most frequent value exempt", &exempt.unreachable());
    assert_eq!(text, include_str!("words.txt"), "{text}");
}

/// Algorithms give guarantees for readers who know more only if their proof covers these readers.
#[test]
fn readers_who_know_more_are_promised_what_is_proved() {
    let mut text = String::new();
    let close = closeness(1, 3);
    for about in [About::Few(2), About::Everybody] {
        for algorithm in ["cover", "safe", "naive"] {
            for (what, inside) in [("arranged", Inside::Arranged), ("by coins", Inside::Random)] {
                for (model, requirement) in [("ratio", ratio()), ("closeness", close.clone())] {
                    for history in [false, true] {
                        let case = Case::new(requirement.clone()).by(algorithm).informed(about);
                        let case = if history { case.history(2, false) } else { case };
                        let case = Case { inside, ..case };
                        let promises = case.guarantee().readers;
                        let promises = promises.iter().map(|own| {
                            format!(
                                " {:?} {:?}",
                                own.reader,
                                own.chance.bound().map(|bound| bound.to_string())
                            )
                        });
                        let promises: String = promises.collect();
                        let history = if history { ", history" } else { "" };
                        writeln!(text, "{about:?} {algorithm} {what} {model}{history}:{promises}")
                            .unwrap();
                    }
                }
            }
        }
    }
    assert_eq!(text, include_str!("readers.txt"), "{text}");
}

/// Several rules together give the weakest guarantee; for readers who know more, only guarantees
/// that all rules give.
#[test]
fn rules_promise_together_what_the_weakest_does() {
    let of = |l: u32, column: &str, about: Option<About>, algorithm| {
        let secret = Secret::new(column, vec![0, 0, 1, 1, 2, 2], ["a", "b", "c"]);
        let secret = secret.with_exempt(vec![column == "town", false, false]);
        let model = Requirement::Ratio(RatioDiversity::new(l).unwrap());
        let case = Case { secret, ..Case::new(model).by(algorithm) };
        match about {
            None => case,
            Some(about) => case.informed(about),
        }
        .guarantee()
    };
    let few = Some(About::Few(1));
    let together = |rules: &[Guarantee]| {
        let mut text = String::new();
        shown(&mut text, "", &Guarantee::of_rules(rules));
        text
    };
    let all = [of(3, "job", few, "cover"), of(2, "town", few, "cover")];
    let some = [of(3, "job", few, "cover"), of(3, "town", None, "cover")];
    let unsafe_ones = [of(2, "job", None, "naive"), of(2, "job", None, "naive")];
    let found: String = [&all, &some, &unsafe_ones].map(|rules| together(rules)).concat();
    assert_eq!(found, include_str!("rules.txt"), "{found}");
    let closeness = Case::new(Requirement::KAnonymity(KAnonymity { k: 2 })).guarantee();
    let strong = of(3, "job", None, "cover");
    for rules in [[closeness.clone(), strong.clone()], [strong, closeness]] {
        assert_eq!(Guarantee::of_rules(&rules).chance, Chance::MayBeCertain);
    }
}

/// Bounds are rounded up, to numbers that people can read.
#[test]
fn chances_are_rounded_up() {
    for (numerator, denominator, words) in [
        (1, 3, "1/3"),
        (1, 1_000, "1/1000"),
        (1, 1_001, "0.10 %"),
        (1_000, 1_001, "99.91 %"),
        (501, 1_002, "1/2"),
        (12_345, 100_003, "12.35 %"),
    ] {
        assert_eq!(in_words(&fraction(numerator, denominator)), words);
    }
}
