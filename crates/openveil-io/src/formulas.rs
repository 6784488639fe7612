//! Texts that a spreadsheet would run as formulas when it opens a CSV file: they are written with a
//! mark in front, and the mark is removed on reading.

/// The mark in front of a text; spreadsheets treat what follows as text and do not show the mark.
pub(crate) const MARK: char = '\'';

/// Returns whether a text is written with a mark: it starts like a formula and is not a number, or
/// it starts with an apostrophe that would be mistaken for the mark.
pub(crate) fn is_marked(text: &str) -> bool {
    match text.chars().next() {
        Some(MARK | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠') => true,
        Some('=' | '+' | '-' | '@') => !text.parse::<f64>().is_ok_and(f64::is_finite),
        _ => false,
    }
}

/// Returns the text without its mark.
pub(crate) fn unmarked(text: &str) -> &str {
    match text.strip_prefix(MARK) {
        Some(plain) if is_marked(plain) => plain,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_come_off_again() {
        let texts = [
            "=1+1", "+49 30", "-", "-2+3", "@SUM(A1)", "\tx", "\rx", "'quoted", "'=1", "''",
            "plain", "", "-5", "+1.5", "-1e3", "a=b", "{=1|a}", "[-3, 4]", "it's", "\n=1", "＝1",
            "-inf", "+nan",
        ];
        for text in texts {
            let written = if is_marked(text) { format!("{MARK}{text}") } else { text.to_owned() };
            assert_eq!(unmarked(&written), text, "{text:?}");
            let runs = written.starts_with(['=', '@', '\t', '\r'])
                || written.starts_with(['+', '-']) && written.parse::<f64>().is_err();
            assert!(!runs, "{written:?}");
        }
        for harmless in ["plain", "-5", "+1.5", "[-3, 4]", ""] {
            assert!(!is_marked(harmless));
        }
    }
}
