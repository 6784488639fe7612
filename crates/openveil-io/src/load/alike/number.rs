//! Reads a cell as a number, as people write numbers.

/// Returns the numbers that a folded cell can be read as, each in one form. `1,234` is two numbers.
pub(super) fn readings(cell: &str) -> Vec<String> {
    let cell = cell.replace('\u{2212}', "-");
    let (sign, rest) = match cell.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", cell.strip_prefix('+').unwrap_or(&cell)),
    };
    let (mantissa, exponent) = match rest.split_once('e') {
        None => (rest, 0),
        Some((mantissa, exponent)) => match exponent.parse::<i32>() {
            Ok(exponent) => (mantissa, i64::from(exponent)),
            Err(_) => return Vec::new(),
        },
    };
    let starts = mantissa.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    if !starts || !mantissa.bytes().all(|byte: u8| byte.is_ascii_digit() || b".,' ".contains(&byte))
    {
        return Vec::new();
    }
    let mark = mantissa.rfind(['.', ',']);
    let decimal = mark.and_then(|at| parts(&mantissa[..at], &mantissa[at + 1..]));
    let whole = parts(mantissa, "");
    [decimal, whole]
        .into_iter()
        .flatten()
        .map(|(digits, places)| normal(sign, &digits, exponent - places as i64))
        .collect()
}

/// Returns the digits of a number and how many of them are decimals; none if the whole part is
/// not grouped by thousands, or the decimals are not digits.
fn parts(whole: &str, decimals: &str) -> Option<(String, usize)> {
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mark = whole.chars().find(|own| !own.is_ascii_digit());
    let is_grouped = match mark {
        None => true,
        Some(mark) => {
            let mut groups = whole.split(mark);
            let first = groups.next().unwrap_or_default();
            (1..=3).contains(&first.len())
                && is_digits(first)
                && groups.all(|group| group.len() == 3 && is_digits(group))
        }
    };
    let is_number = is_grouped && is_digits(decimals) && !(whole.is_empty() && decimals.is_empty());
    is_number.then(|| {
        let digits = whole.chars().filter(char::is_ascii_digit);
        (digits.chain(decimals.chars()).collect(), decimals.len())
    })
}

/// Returns a number as it is written without an exponent and without superfluous zeros, if it is
/// not too long.
fn normal(sign: &str, digits: &str, exponent: i64) -> String {
    const LONG: i64 = 40;
    let digits = digits.trim_start_matches('0');
    let short = digits.trim_end_matches('0');
    let exponent = exponent + (digits.len() - short.len()) as i64;
    let whole = short.len() as i64 + exponent;
    match short {
        "" => "0".to_owned(),
        _ if (0..=LONG).contains(&exponent) => {
            format!("{sign}{short}{}", "0".repeat(exponent as usize))
        }
        _ if (-LONG..=0).contains(&whole) => {
            format!("{sign}0.{}{short}", "0".repeat(-whole as usize))
        }
        _ if exponent < 0 && whole > 0 => {
            let (whole, fraction) = short.split_at(whole as usize);
            format!("{sign}{whole}.{fraction}")
        }
        _ => format!("{sign}{short}e{exponent}"),
    }
}
