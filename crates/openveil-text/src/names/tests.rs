use super::*;

fn name<'a>(said: &'a str, name: Name<'a>) -> Found<'a> {
    Found::Name(said.into(), name)
}

fn words(text: &str) -> Found<'_> {
    Found::Words(text.into())
}

#[test]
fn names_are_found_and_other_words_stay() {
    let setting = || Name::Setting {
        key: "missing".into(),
        value: "\"keep\"".into(),
        section: Some("input".into()),
    };
    assert_eq!(
        found("set `missing = \"keep\"` under [input], or leave `{0}` out", &[]),
        [
            words("set "),
            name("`missing = \"keep\"` under [input]", setting()),
            words(", or leave `{0}` out"),
        ],
    );
    assert_eq!(
        found("`missing = \"keep\"` unter [input] setzen", &[]),
        [name("`missing = \"keep\"` unter [input]", setting()), words(" setzen")],
    );
    let call = Name::Call {
        command: Some("compare".into()),
        options: vec![("sample".into(), Some("FILE".into())), ("plots".into(), None)],
    };
    let arguments = [("option", Text::from("plots"))];
    assert_eq!(
        found("`openveil compare --sample FILE --{option}`", &arguments),
        [name("`openveil compare --sample FILE --plots`", call)],
    );
    let odd = "`openveil publish {0}`, `--`, `a b`, [1, 2), (a--b)";
    assert_eq!(found(odd, &[]), [words(odd)]);
}

#[test]
fn sections_roles_and_models_are_names() {
    let message = [("what:text", Text::from("a message"))];
    assert_eq!(
        found("under [input], [[rules]] {what:text}", &message),
        [
            name("under [input], ", Name::Under),
            name("[[rules]]", Name::Section("rules".into())),
            words(" "),
            Found::Message(&message[0].1),
        ],
    );
    let model = Name::Model { model: "l-diversity".into(), parameter: "5".into() };
    let drop = [("role", Text::from("drop"))];
    assert_eq!(
        found("role `{role}`, `model = \"l-diversity\"`, `l = 5`", &drop),
        [
            words("role "),
            name("`drop`", Name::Role("drop".into())),
            words(", "),
            name("`model = \"l-diversity\"`, `l = 5`", model),
        ],
    );
    let key = Name::Key { key: "odds".into(), section: "reader".into() };
    assert_eq!(
        found("(--where) `odds` under [reader]", &[]),
        [
            words("("),
            name("--where", Name::Option("where".into())),
            words(") "),
            name("`odds` under [reader]", key),
        ],
    );
}

#[test]
fn braces_are_doubled_and_values_are_not_searched() {
    let value = [("0", Text::from("{0} `odds = 3` {{".to_owned()))];
    assert_eq!(found("{{0}} {0} {1}", &value), [words("{0} {0} `odds = 3` {{ {1}")]);
}
