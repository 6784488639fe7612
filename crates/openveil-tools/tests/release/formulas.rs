//! Texts that a spreadsheet would run as formulas.

use openveil_io::Policy;
use openveil_io::progress::Nobody;
use openveil_io::release_dir::read::ReleaseFolder;
use openveil_publication::{self as publish, Options};

/// No field of a published file runs in a spreadsheet, and reading a release folder returns the
/// published values.
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
        let options = Options { test_seed: Some(1), ..Options::default() };
        publish::run(&policy, options, &Nobody).unwrap();
        let out = folder.path().join("out");
        let text = std::fs::read_to_string(out.join("release/release.csv")).unwrap();
        for field in text.lines().flat_map(|line| line.split([',', '|', '{', '}'])) {
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
