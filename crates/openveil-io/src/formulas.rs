//! Texts that a spreadsheet would run when it opens a CSV file: they are written with a mark
//! before them, and read without it.

/// The mark put before a text; spreadsheets take what follows for text and do not show it.
pub(crate) const MARK: char = '\'';

/// Whether a text is written with a mark: it begins as formulas do and is no number, or it
/// begins with a mark of its own, which would be taken for ours.
pub(crate) fn is_marked(text: &str) -> bool {
    match text.chars().next() {
        Some(MARK | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠') => true,
        Some('=' | '+' | '-' | '@') => !text.parse::<f64>().is_ok_and(f64::is_finite),
        _ => false,
    }
}

/// The text without its mark.
pub(crate) fn unmarked(text: &str) -> &str {
    match text.strip_prefix(MARK) {
        Some(plain) if is_marked(plain) => plain,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Policy;
    use crate::progress::Nobody;
    use crate::publish::{self, Options};
    use crate::release_dir::read::ReleaseFolder;

    #[test]
    fn marks_come_off_again() {
        let texts = [
            "=1+1", "+49 30", "-", "-2+3", "@SUM(A1)", "\tx", "\rx", "'quoted", "'=1", "''",
            "plain", "", "-5", "+1.5", "-1e3", "a=b", "{=1|a}", "[-3, 4]", "it's", "\n=1", "＝1",
            "-inf", "+nan",
        ];
        for text in texts {
            let written = match is_marked(text) {
                true => format!("{MARK}{text}"),
                false => text.to_owned(),
            };
            assert_eq!(unmarked(&written), text, "{text:?}");
            let runs = written.starts_with(['=', '@', '\t', '\r'])
                || written.starts_with(['+', '-']) && written.parse::<f64>().is_err();
            assert!(!runs, "{written:?}");
        }
        for harmless in ["plain", "-5", "+1.5", "[-3, 4]", ""] {
            assert!(!is_marked(harmless));
        }
    }

    /// No field of a published file runs in a spreadsheet, and every reader of release
    /// folders has the values that were published.
    #[test]
    fn published_files_do_not_run_and_are_read_back() {
        let values = ["=1+1", "'quoted", "-", "+49 30", "@x", "-5", "plain"];
        let mut table = String::from("=known,secret\n");
        for row in 0..70 {
            table.push_str(&format!("{},{}\n", values[row % 7], values[row * 3 % 7]));
        }
        for style in ["generalize", "slice", "anatomy"] {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("t.csv"), &table).unwrap();
            let policy = format!(
                "[input]\npath = \"t.csv\"\n[columns]\n\"=known\" = {{ role = \"quasi-identifier\" }}\nsecret = {{ role = \"sensitive\" }}\n[privacy]\nmodel = \"l-diversity\"\nl = 3\n[output]\nstyle = \"{style}\"\n"
            );
            let policy = Policy::parse(&policy, &folder.path().join("p.toml")).unwrap();
            let options = Options {
                test_seed: Some(1),
                ..Options::default()
            };
            publish::run(&policy, options, &Nobody).unwrap();
            let out = folder.path().join("out");
            let text = std::fs::read_to_string(out.join("release/release.csv")).unwrap();
            for field in text
                .lines()
                .flat_map(|line| line.split([',', '|', '{', '}']))
            {
                let starts = field.trim_matches('"').starts_with(['=', '@', '+']);
                let inside =
                    !text.contains(&format!(",{field}")) && !text.contains(&format!("\n{field}"));
                assert!(!starts || inside, "{style}: {field}");
            }
            let release = ReleaseFolder::read(&(&out).into()).unwrap();
            let read = |name: &str| {
                let mut columns = release.tables[0].columns();
                let (_, column) = columns.find(|(_, column)| column.name == name).unwrap();
                column.values.iter().map(str::to_owned).collect::<Vec<_>>()
            };
            let mut secrets = read("secret");
            secrets.sort_unstable();
            let mut expected = values.map(str::to_owned);
            expected.sort_unstable();
            assert_eq!(secrets, expected, "{style}");
            assert!(!read("=known").is_empty());
        }
    }
}
