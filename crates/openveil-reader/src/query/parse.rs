//! Parses conditions: `age >= 30 and race in (black, white)`.

use openveil_io::{Error, Location};
use openveil_text::{Text, text};

/// A condition on one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The column.
    pub column: String,
    /// Test that its value has to meet.
    pub test: Test,
    /// The position of the condition in the text, in characters from 1.
    pub position: usize,
}

impl Condition {
    /// The condition that a column has a value.
    pub(super) fn equal(column: &str, value: &str) -> Self {
        Self { column: column.to_owned(), test: Test::Among(vec![value.to_owned()]), position: 1 }
    }
}

/// Test that a value has to meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// One of these.
    Among(Vec<String>),
    /// Not this one.
    Not(String),
    /// Below this one, or this one if the flag is set.
    Below(String, bool),
    /// Above this one, or this one if the flag is set.
    Above(String, bool),
}

impl Test {
    /// Returns the test with other texts for its values.
    pub(super) fn with_texts<'a>(&'a self, other: impl Fn(&'a str) -> &'a str) -> Self {
        let other = |text: &'a String| other(text).to_owned();
        match self {
            Self::Among(texts) => Self::Among(texts.iter().map(other).collect()),
            Self::Not(text) => Self::Not(other(text)),
            Self::Below(text, included) => Self::Below(other(text), *included),
            Self::Above(text, included) => Self::Above(other(text), *included),
        }
    }
}

/// A piece of the text, and where it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    kind: TokenKind,
    position: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TokenKind {
    /// A name, a value or a keyword.
    Word(String),
    /// A name or a value in quotes.
    Quoted(String),
    /// `=`, `!=`, `<`, `<=`, `>`, `>=`, `(`, `)`, `,`.
    Sign(&'static str),
}

/// Parses conditions joined by `and`. Names and values that contain blanks or signs are in quotes,
/// single or double.
///
/// # Errors
/// The error names the character at which something else was expected.
pub fn parse(text: &str) -> Result<Vec<Condition>, Error> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, end: text.chars().count() + 1 };
    let mut conditions = vec![parser.condition()?];
    while let Some(token) = parser.next() {
        match &token.kind {
            TokenKind::Word(word) if word.eq_ignore_ascii_case("and") => {
                conditions.push(parser.condition()?);
            }
            TokenKind::Word(word) if word.eq_ignore_ascii_case("or") => {
                let error = wrong(token.position, "conditions can be joined by `and` only");
                return Err(
                    error.help("query each part separately, or list values: `column in (a, b)`")
                );
            }
            _ => return Err(parser.expected(Some(token), "`and` or the end")),
        }
    }
    Ok(conditions)
}

pub(super) fn wrong(position: usize, problem: impl Into<Text>) -> Error {
    let problem = problem.into();
    let problem = text!("--where, character {position}: {problem:text}");
    Error::new(Location::default(), problem)
}

fn tokens(text: &str) -> Result<Vec<Token>, Error> {
    let characters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        let position = at + 1;
        let kind = match character {
            blank if blank.is_whitespace() => {
                at += 1;
                continue;
            }
            '"' | '\'' => {
                let rest = &characters[at + 1..];
                let Some(length) = rest.iter().position(|&other| other == character) else {
                    let problem = text!("the quote {character} is never closed");
                    return Err(wrong(position, problem));
                };
                at += length + 2;
                TokenKind::Quoted(rest[..length].iter().collect())
            }
            _ => match sign(&characters[at..]) {
                Some((sign, length)) => {
                    at += length;
                    TokenKind::Sign(sign)
                }
                None => {
                    let ends = |c: &char| c.is_whitespace() || sign(&[*c]).is_some();
                    let rest = &characters[at..];
                    let length =
                        rest.iter().position(|c| ends(c) || *c == '!').unwrap_or(rest.len());
                    if length == 0 {
                        return Err(wrong(position, text!("`{character}` is not allowed here")));
                    }
                    at += length;
                    TokenKind::Word(rest[..length].iter().collect())
                }
            },
        };
        tokens.push(Token { kind, position });
    }
    Ok(tokens)
}

/// Returns the sign that a text begins with, and its length.
fn sign(text: &[char]) -> Option<(&'static str, usize)> {
    let found = match text {
        ['<', '=', ..] => ("<=", 2),
        ['>', '=', ..] => (">=", 2),
        ['!', '=', ..] | ['<', '>', ..] => ("!=", 2),
        ['=', '=', ..] => ("=", 2),
        ['=', ..] => ("=", 1),
        ['<', ..] => ("<", 1),
        ['>', ..] => (">", 1),
        ['(' | '{', ..] => ("(", 1),
        [')' | '}', ..] => (")", 1),
        [',', ..] => (",", 1),
        _ => return None,
    };
    Some(found)
}

/// Tokens that are left to read.
struct Parser<'a> {
    tokens: &'a [Token],
    end: usize,
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Option<&'a Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    fn expected(&self, found: Option<&Token>, what: impl Into<Text>) -> Error {
        let what = what.into();
        match found {
            None => wrong(self.end, text!("expected {what:text}, found the end")),
            Some(token) => {
                let text = match &token.kind {
                    TokenKind::Word(text) | TokenKind::Quoted(text) => text,
                    TokenKind::Sign(sign) => *sign,
                };
                let error = wrong(token.position, text!("expected {what:text}, found `{text}`"));
                error.help("put names and values that contain blanks or signs in quotes")
            }
        }
    }

    fn text(&mut self, what: &'static str) -> Result<(String, usize), Error> {
        let token = self.next();
        match token.map(|token| (&token.kind, token.position)) {
            Some((TokenKind::Word(text) | TokenKind::Quoted(text), position)) => {
                Ok((text.clone(), position))
            }
            _ => Err(self.expected(token, what)),
        }
    }

    fn condition(&mut self) -> Result<Condition, Error> {
        let (column, position) = self.text("a column")?;
        let token = self.next();
        let operator = match token.map(|token| &token.kind) {
            Some(TokenKind::Sign(sign)) => *sign,
            Some(TokenKind::Word(word)) if word.eq_ignore_ascii_case("in") => "in",
            _ => "",
        };
        let value = |parser: &mut Self| parser.text("a value").map(|(text, _)| text);
        let test = match operator {
            "=" => Test::Among(vec![value(self)?]),
            "!=" => Test::Not(value(self)?),
            "<" | "<=" => Test::Below(value(self)?, operator == "<="),
            ">" | ">=" => Test::Above(value(self)?, operator == ">="),
            "in" => Test::Among(self.list()?),
            _ => {
                let what = text!("`=`, `!=`, `<`, `<=`, `>`, `>=` or `in` after `{column}`");
                return Err(self.expected(token, what));
            }
        };
        Ok(Condition { column, test, position })
    }

    /// `(a, b)`
    fn list(&mut self) -> Result<Vec<String>, Error> {
        let token = self.next();
        if token.map(|token| &token.kind) != Some(&TokenKind::Sign("(")) {
            return Err(self.expected(token, "a list of values in parentheses"));
        }
        let mut values = Vec::new();
        loop {
            values.push(self.text("a value")?.0);
            let token = self.next();
            match token.map(|token| &token.kind) {
                Some(TokenKind::Sign(",")) => {}
                Some(TokenKind::Sign(")")) => return Ok(values),
                _ => return Err(self.expected(token, "`,` or `)`")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(text: &str) -> Test {
        parse(text).unwrap().remove(0).test
    }

    #[test]
    fn conditions_are_read() {
        let conditions =
            parse("age>=30 and race=black AND 'home town' in (New-York, \"Los Angeles\")");
        let conditions = conditions.unwrap();
        let columns: Vec<&str> = conditions.iter().map(|c| &*c.column).collect();
        assert_eq!(columns, ["age", "race", "home town"]);
        assert_eq!(conditions[0].test, Test::Above("30".into(), true));
        assert_eq!(conditions[1].position, 13);
        let towns = vec!["New-York".to_owned(), "Los Angeles".to_owned()];
        assert_eq!(conditions[2].test, Test::Among(towns));
        assert_eq!(test("a<1"), Test::Below("1".into(), false));
        assert_eq!(test("a <= -1.5"), Test::Below("-1.5".into(), true));
        assert_eq!(test("a > 2"), Test::Above("2".into(), false));
        assert_eq!(test("a != x"), Test::Not("x".into()));
        assert_eq!(test("a <> x"), Test::Not("x".into()));
        assert_eq!(test("a == 'and'"), Test::Among(vec!["and".into()]));
        assert_eq!(test("a in {x}"), Test::Among(vec!["x".into()]));
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let cases = [
            ("", "character 1: expected a column, found the end"),
            ("age", "character 4: expected `=`, `!=`"),
            ("age >=", "character 7: expected a value, found the end"),
            ("age 30", "character 5: expected `=`"),
            ("age = 30 race = b", "character 10: expected `and` or the end, found `race`"),
            ("a = 1 or b = 2", "character 7: conditions can be joined by `and` only"),
            ("a in x", "character 6: expected a list"),
            ("a in (x y)", "character 9: expected `,` or `)`, found `y`"),
            ("a = 'x", "character 5: the quote ' is never closed"),
            ("a = 1 and", "character 10: expected a column"),
            ("a ! 1", "character 3: `!` is not allowed here"),
        ];
        for (text, expected) in cases {
            let message = parse(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
