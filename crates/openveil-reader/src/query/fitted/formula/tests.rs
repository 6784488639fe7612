use super::*;

fn shown(formula: &str) -> String {
    let words = words(formula).unwrap();
    let word = |word: &Word| match word {
        Word::Name(name) => format!("<{name}>"),
        Word::Sign(sign) => sign.to_string(),
    };
    words.iter().map(word).collect()
}

#[test]
fn words_are_names_and_signs() {
    assert_eq!(shown("job~age+sex"), "<job>~<age>+<sex>");
    assert_eq!(shown("  job ~ a : b *c "), "<job>~<a>:<b>*<c>");
    assert_eq!(shown("`a b`~\"c+d\" + 'e~f' + `it's`"), "<a b>~<c+d>+<e~f>+<it's>");
    // Names that look like signs are quoted.
    assert_eq!(shown("y ~ . + `.` + 1 + '1'"), "<y>~.+<.>+1+<1>");
    assert_eq!(shown("größe ~ été"), "<größe>~<été>");
    assert!(words("y ~ `a").unwrap_err().to_string().contains("never closed"));
}

#[test]
fn products_have_one_sign_between_names() {
    let read = |text: &str| {
        let words = words(text).unwrap();
        product(&words).map(|(names, sign)| (names.join(" "), sign))
    };
    assert_eq!(read("a"), Some(("a".to_owned(), ':')));
    assert_eq!(read("a:b:c"), Some(("a b c".to_owned(), ':')));
    assert_eq!(read("a*b"), Some(("a b".to_owned(), '*')));
    for wrong in ["", "a b", "a:", ":a", "a:b*c", "a::b", "a:.", "a~b"] {
        assert_eq!(read(wrong), None, "{wrong}");
    }
}
