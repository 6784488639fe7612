//! Numbers as people write them: `0.2` is 1/5, not the float next to it. Fractions such
//! as 1/3 are written in quotes.

use super::Rational;
use num_traits::ToPrimitive;

/// Reads a fraction or a decimal. It must not be negative, and its numerator and denominator must
/// fit into 64 bits.
pub fn parse(text: &str) -> Option<Rational> {
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

/// Writes a parameter: as a decimal such as `0.2` if that is exact, otherwise as a fraction such as
/// `1/3`.
pub fn text(parameter: Rational) -> String {
    let (numerator, denominator) = (u128::from(*parameter.numer()), u128::from(*parameter.denom()));
    let finite = (1..=9).find(|&places| 10u128.pow(places) % denominator == 0);
    match finite {
        _ if denominator == 1 => numerator.to_string(),
        Some(places) => {
            let scaled = numerator * (10u128.pow(places) / denominator);
            let unit = 10u128.pow(places);
            let (whole, rest, width) = (scaled / unit, scaled % unit, places as usize);
            format!("{whole}.{rest:0width$}")
        }
        None => parameter.to_string(),
    }
}

/// `#[serde(with = "number::rational")]`: written as text, read from text.
pub(crate) mod rational {
    use super::{Rational, parse, text};
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(number: &Rational, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&text(*number))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Rational, D::Error> {
        let written = String::deserialize(from)?;
        parse(&written).ok_or_else(|| {
            D::Error::custom(format!(
                "`{written}` cannot be read as an exact number of 0 or more; write a decimal such as 0.2, or a fraction in quotes such as \"1/3\""
            ))
        })
    }
}

/// `#[serde(with = "number::whole")]`: written as a number, read from text.
pub(crate) mod whole {
    use super::{ToPrimitive, rational, text};
    use serde::de::Error;
    use serde::{Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(number: &u32, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u32(*number)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
        let number = rational::deserialize(from)?;
        let whole = number.is_integer().then(|| number.to_u32()).flatten();
        whole.ok_or_else(|| {
            D::Error::custom(format!("= {}` is not a whole number, or too large", text(number)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_written_as_people_do() {
        let cases = [(1, 5, "0.2"), (1, 3, "1/3"), (5, 2, "2.5"), (4, 1, "4")];
        for (numerator, denominator, expected) in cases {
            assert_eq!(text(Rational::new(numerator, denominator)), expected);
        }
        assert_eq!(text(Rational::new(5, 100)), "0.05");
    }

    #[test]
    fn numbers_are_what_is_written() {
        let cases = [
            ("0.2", Some((1, 5))),
            ("3", Some((3, 1))),
            ("2.50", Some((5, 2))),
            ("2 / 6", Some((1, 3))),
            ("0.1234567890123", Some((1_234_567_890_123, 10_000_000_000_000))),
            ("-1", None),
            ("inf", None),
            ("0.000000000000000000000000000001", None),
            ("1/0", None),
            ("a third", None),
            (".5", None),
        ];
        for (written, expected) in cases {
            let expected = expected.map(|(n, d)| Rational::new(n, d));
            assert_eq!(parse(written), expected, "{written}");
        }
    }
}
