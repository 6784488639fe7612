//! Exact intervals over decimal numbers: a number of tenths is a whole number.

use openveil_core::hierarchy::ROOT;

/// The largest number of digits after the decimal point that are told apart.
const MOST_DECIMALS: u32 = 15;

/// Returns a decimal number as a whole number of 10^-`decimals`; none if it has more digits or is
/// too large.
fn scaled(text: &str, decimals: u32) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let missing = (decimals as usize).checked_sub(fraction.len())?;
    let digits = format!("{whole}{fraction}{}", "0".repeat(missing));
    Some(sign * digits.parse::<i128>().ok()?)
}

/// Returns the number of digits after the decimal point.
fn decimals(text: &str) -> u32 {
    text.split_once('.').map_or(0, |(_, fraction)| fraction.len() as u32)
}

/// Returns a whole number of 10^-`decimals` as text, without trailing zeros.
fn text(number: i128, decimals: u32) -> String {
    let power = 10i128.pow(decimals);
    let (whole, rest) = (number.abs() / power, number.abs() % power);
    let sign = if number < 0 { "-" } else { "" };
    match rest {
        0 => format!("{sign}{whole}"),
        _ => {
            let fraction = format!("{rest:0>width$}", width = decimals as usize);
            format!("{sign}{whole}.{}", fraction.trim_end_matches('0'))
        }
    }
}

/// Returns widths as they are written in a policy.
pub(super) fn listed(widths: &[f64]) -> String {
    let widths: Vec<String> = widths.iter().map(f64::to_string).collect();
    format!("[{}]", widths.join(", "))
}

/// Returns paths from numbers, as they are published, up through half-open intervals `[1.5, 2)` of
/// these widths, each of which divides the next.
///
/// # Errors
/// Widths that do not nest; numbers with too many digits. The error is a message.
pub(super) fn intervals(values: &[&str], widths: &[f64]) -> Result<Vec<Vec<String>>, String> {
    let mut widths = widths.to_vec();
    widths.sort_by(f64::total_cmp);
    widths.dedup();
    let written: Vec<String> = widths.iter().map(f64::to_string).collect();
    let places = written
        .iter()
        .map(String::as_str)
        .chain(values.iter().copied())
        .map(decimals)
        .max()
        .unwrap_or(0)
        .min(MOST_DECIMALS);
    let refused = || format!("intervals of widths {} do not nest", listed(&widths));
    let exact: Vec<i128> = written
        .iter()
        .map(|width| scaled(width, places).ok_or_else(refused))
        .collect::<Result<_, _>>()?;
    let nest =
        exact.iter().all(|&width| width > 0) && exact.windows(2).all(|pair| pair[1] % pair[0] == 0);
    if !nest || exact.is_empty() {
        return Err(refused());
    }
    let path = |value: &&str| {
        let interval = |number: i128, width: i128| {
            let low = number.div_euclid(width).checked_mul(width)?;
            let high = low.checked_add(width)?;
            Some(format!("[{}, {})", text(low, places), text(high, places)))
        };
        let above = scaled(value, places)
            .and_then(|number| exact.iter().map(|&width| interval(number, width)).collect());
        let above: Vec<String> =
            above.ok_or_else(|| format!("`{value}` has too many digits for intervals"))?;
        let own = std::iter::once((*value).to_owned());
        Ok(own.chain(above).chain([ROOT.to_owned()]).collect())
    };
    values.iter().map(path).collect()
}

/// Returns a number lowered to a multiple of a width, both as decimals; none if there are too many
/// digits.
pub(super) fn lowered(number: &str, width: &str) -> Option<String> {
    let places = decimals(number).max(decimals(width));
    if places > MOST_DECIMALS {
        return None;
    }
    let (number, width) = (scaled(number, places)?, scaled(width, places)?);
    let lowered = number.div_euclid(width).checked_mul(width)?;
    Some(text(lowered, places))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_exact() {
        let paths = intervals(&["0.3", "-0.05", "2", "12.75"], &[1.0, 0.1]).unwrap();
        assert_eq!(paths[0], ["0.3", "[0.3, 0.4)", "[0, 1)", "*"]);
        assert_eq!(paths[1], ["-0.05", "[-0.1, 0)", "[-1, 0)", "*"]);
        assert_eq!(paths[2], ["2", "[2, 2.1)", "[2, 3)", "*"]);
        assert_eq!(paths[3], ["12.75", "[12.7, 12.8)", "[12, 13)", "*"]);
        for widths in [&[0.3, 1.0][..], &[], &[0.0], &[-1.0], &[f64::NAN]] {
            assert!(intervals(&["1"], widths).is_err(), "{widths:?}");
        }
        // Also if a limit has more digits than the number.
        for long in [
            &format!("{}", 1e-20),
            "170000000000000000000000000000000000000",
            &format!("-17{}", "0".repeat(37)),
        ] {
            assert!(intervals(&[long], &[1e38]).is_err(), "{long}");
        }
    }
}
