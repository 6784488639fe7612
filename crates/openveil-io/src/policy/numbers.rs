//! Numbers in policies, exactly as they are written.

use openveil::exact::Rational;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::fmt;

/// A number as it is written: `0.2` is 1/5, not the float next to it. Fractions such
/// as 1/3 are written in quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number(Rational);

impl Number {
    /// The number.
    pub(super) fn rational(self) -> Rational {
        self.0
    }

    /// The number, if it is whole and fits 32 bits.
    pub(super) fn whole(self) -> Option<u32> {
        let whole = Some(self.0).filter(Rational::is_integer)?;
        whole.to_integer().try_into().ok()
    }
}

/// Reads a fraction or a decimal that is not negative and has a numerator and a
/// denominator of up to 64 bits.
fn rational(text: &str) -> Option<Rational> {
    let Some((numerator, denominator)) = text.split_once('/') else {
        return decimal(text.trim());
    };
    let denominator: u64 = denominator.trim().parse().ok()?;
    let numerator: u64 = numerator.trim().parse().ok()?;
    (denominator > 0).then(|| Rational::new(numerator, denominator))
}

fn decimal(text: &str) -> Option<Rational> {
    let (whole, places) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(places) {
        return None;
    }
    let places = places.trim_end_matches('0');
    let unit = 10u64.checked_pow(places.len().try_into().ok()?)?;
    let numerator: u64 = format!("{whole}{places}").parse().ok()?;
    Some(Rational::new(numerator, unit))
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl NumberVisitor {
    fn read<E: Error>(self, text: &str) -> Result<Number, E> {
        rational(text).map(Number).ok_or_else(|| {
            E::custom(format!(
                "`{text}` cannot be read as an exact number of 0 or more; write a decimal such as 0.2, or a fraction in quotes such as \"1/3\""
            ))
        })
    }
}

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or a fraction in quotes such as \"1/3\"")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Number, E> {
        self.read(&number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Number, E> {
        self.read(&number.to_string())
    }

    /// A float's shortest text is what was written, up to 15 digits.
    fn visit_f64<E: Error>(self, number: f64) -> Result<Number, E> {
        self.read(&number.to_string())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
        self.read(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(toml: &str) -> Option<Number> {
        #[derive(serde::Deserialize)]
        struct One {
            x: Number,
        }
        let one: Option<One> = toml::from_str(&format!("x = {toml}")).ok();
        one.map(|one| one.x)
    }

    #[test]
    fn numbers_are_what_is_written() {
        let cases = [
            ("0.2", Some((1, 5))),
            ("3", Some((3, 1))),
            ("2.50", Some((5, 2))),
            ("\"1/3\"", Some((1, 3))),
            ("\"2 / 6\"", Some((1, 3))),
            ("\"0.125\"", Some((1, 8))),
            ("1e-3", Some((1, 1_000))),
            (
                "0.1234567890123",
                Some((1_234_567_890_123, 10_000_000_000_000)),
            ),
            ("-1", None),
            ("-0.5", None),
            ("inf", None),
            ("1e-30", None),
            ("\"1/0\"", None),
            ("\"a third\"", None),
            ("\".5\"", None),
            ("true", None),
        ];
        for (text, expected) in cases {
            let expected = expected.map(|(n, d)| Rational::new(n, d));
            assert_eq!(read(text).map(Number::rational), expected, "{text}");
        }
    }

    #[test]
    fn whole_numbers_are_whole() {
        let whole = |text: &str| read(text).unwrap().whole();
        assert_eq!(
            (whole("4"), whole("4.0"), whole("\"8/2\"")),
            (Some(4), Some(4), Some(4))
        );
        assert_eq!((whole("4.5"), whole("5000000000")), (None, None));
    }
}
