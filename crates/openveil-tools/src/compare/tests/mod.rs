//! Comparisons of small tables: which figures are measured, and what is recorded.

mod basis;

use super::*;
use openveil_io::load;
use openveil_io::policy::{ReadRows, Sample};
use openveil_io::release_dir::record;
use openveil_io::source::{Batches, Source};
use openveil_publication as publish;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts measurements.
#[derive(Default)]
struct Counting(AtomicU64);

impl Observer for Counting {
    fn begin(&self, _stage: Stage, _total: Option<u64>) {}
    fn advance(&self, _work: u64) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

const JOBS: [&str; 6] = ["clerk", "nurse", "judge", "cook", "smith", "pilot"];

/// 240 people; the job depends on the sex, and within it on the age.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| {
        let job = JOBS[i % 2 * 3 + i / 7 % 3];
        format!("{},{},{},{job}\n", 20 + i % 40, ["f", "m"][i % 2], ["n", "s", "w"][i % 3])
    };
    let rows: String = (0..240).map(row).collect();
    fs::write(folder.path().join("people.csv"), format!("age,sex,region,job\n{rows}")).unwrap();
    let policy = "[input]\npath = \"people.csv\"\n[columns]\nage = { role = \"quasi-identifier\", type = \"integer\" }\nsex = { role = \"quasi-identifier\" }\nregion = { role = \"quasi-identifier\" }\njob = { role = \"sensitive\" }\n[privacy]\nmodel = \"l-diversity\"\nl = 2\n";
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    folder
}

/// Another table, of the first 200 people.
fn earlier(folder: &Path) -> PathBuf {
    let text = fs::read_to_string(folder.join("people.csv")).unwrap();
    let lines: Vec<&str> = text.lines().take(201).collect();
    let path = folder.join("earlier.csv");
    fs::write(&path, lines.join("\n")).unwrap();
    path
}

fn policy(folder: &Path) -> Policy {
    Policy::read(&folder.join("policy.toml")).unwrap()
}

fn request(folder: &Path, basis: Basis) -> CompareRequest {
    CompareRequest {
        policies: vec![policy(folder)],
        l: vec![2, 3],
        algorithms: vec![
            openveil_papers::algorithm::named("cover").unwrap(),
            openveil_papers::algorithm::named("top-down").unwrap(),
        ],
        styles: vec![Style::Generalize, Style::Anatomy],
        basis,
        trials: 3,
        queries: 50,
        state: None,
        test_seed: Some(3),
    }
}

fn compared(request: &CompareRequest) -> Comparison {
    run(request, &Counting::default()).unwrap()
}

#[test]
fn settings_stand_beside_each_other() {
    let folder = folder();
    let other = earlier(folder.path());
    let found = compared(&request(folder.path(), Basis::On(other)));
    assert_eq!(found.rows.len(), 2 * 2 * 2);
    for row in &found.rows {
        assert_eq!((row.trials.len(), &row.refused), (3, &None));
        let safe = row.algorithm == "cover";
        let adversary = if safe { "knows-algorithm" } else { "sees-release" };
        assert_eq!(row.adversary, adversary);
        assert_eq!(row.max_posterior, Some(format!("1/{}", row.l.unwrap())));
        for figure in &found.figures {
            // No fit of a release by `cover` is possible.
            let is_of_fit = ["association", "learned"].contains(&figure.name);
            let is_measured = row.medians.contains_key(figure.name);
            assert_eq!(is_measured, !(safe && is_of_fit), "{}", figure.name);
        }
        assert!(row.medians["share"] <= 1.0 / f64::from(row.l.unwrap()) + 1e-9);
        // Rows are exact in the anatomy style.
        assert_eq!(row.medians["all"] == 0.0, row.style == "anatomy", "{row:?}");
    }
    let csv = found.csv();
    assert_eq!(csv.lines().count(), 1 + 8 * 3);
    assert!(csv.starts_with("basis,policy,model,l,algorithm,"));
    let plots = plot::plots(&found);
    let errors = FIGURES.iter().filter(|figure| figure.is_error).count();
    assert_eq!(plots.len(), errors);
    for picture in plots {
        let svg = picture.svg;
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{}", picture.name);
        let lines = if picture.name.contains("association") { 2 } else { 4 };
        assert_eq!(svg.matches("<polyline").count(), lines, "{}", picture.name);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}

#[test]
fn without_values_nothing_of_them_is_measured() {
    let folder = folder();
    let found = compared(&request(folder.path(), Basis::Shuffled));
    let expected: Vec<&str> = FIGURES.iter().filter(|f| f.reads_values).map(|f| f.name).collect();
    assert_eq!(found.without_meaning, expected);
    for row in &found.rows {
        assert!(expected.iter().all(|name| !row.medians.contains_key(*name)));
        // Groups of `top-down` follow values, so a shuffled table cannot forecast their figures.
        let is_forecast = row.algorithm == "cover";
        assert_eq!(row.medians.contains_key("pairs"), is_forecast);
        assert_eq!(row.medians.contains_key("groups"), is_forecast);
        assert!(row.medians.contains_key("ms"));
    }
}

/// Figures of a shuffled table are a function of random draws and public facts: exchanging values
/// between people changes nothing.
#[test]
fn a_shuffled_comparison_does_not_depend_on_who_has_which_value() {
    let folder = folder();
    let without_times = |comparison: Comparison| -> Vec<Row> {
        let mut rows = comparison.rows;
        for row in &mut rows {
            row.medians.remove("ms");
            for trial in &mut row.trials {
                trial.figures.remove("ms");
            }
        }
        rows
    };
    // The coins are fixed; the shuffle starts from the same order of values.
    let text = fs::read_to_string(folder.path().join("people.csv")).unwrap();
    let one = view_of(folder.path(), &text);
    let lines: Vec<(&str, &str)> =
        text.lines().skip(1).map(|l| l.rsplit_once(',').unwrap()).collect();
    let moved =
        (0..lines.len()).map(|i| format!("{},{}\n", lines[i].0, lines[(i + 77) % lines.len()].1));
    let other =
        view_of(folder.path(), &format!("age,sex,region,job\n{}", moved.collect::<String>()));
    assert_ne!(one, other, "the tables differ in nothing but who has which value");
    let mut counts = [one.clone(), other.clone()].map(|codes| {
        let mut sorted = codes;
        sorted.sort_unstable();
        sorted
    });
    assert_eq!(counts[0], counts[1]);
    counts[0].dedup();
    assert_eq!(counts[0].len(), 6);
    // Over many shuffles every person has every value equally often in both tables.
    let shares = [&text, &format!("age,sex,region,job\n{}", reversed(&lines))].map(|text| {
        fs::write(folder.path().join("people.csv"), text).unwrap();
        let request = request(folder.path(), Basis::Shuffled);
        let ground = ReadyBasis::new(&request).unwrap();
        let loaded = load::load(&request.policies[0], &|_| {}).unwrap();
        let view = loaded.view(&request.policies[0]).unwrap();
        let mut first = 0;
        for seed in 0..3_000 {
            let mut coins = SecretCoins::from_test_seed(seed);
            let shuffled = ground.view(&view, &mut coins).unwrap();
            first += u32::from(shuffled.secret().codes()[0] == 0);
        }
        f64::from(first) / 3_000.0
    });
    let expected =
        f64::from(u32::try_from(one.iter().filter(|&&code| code == 0).count()).unwrap()) / 240.0;
    assert!(shares.iter().all(|share| (share - expected).abs() < 0.03), "{shares:?} {expected}");
    fs::write(folder.path().join("people.csv"), &text).unwrap();
    let again = || without_times(compared(&request(folder.path(), Basis::Shuffled)));
    assert_eq!(again(), again(), "the same coins lead to the same figures");
}

fn reversed(lines: &[(&str, &str)]) -> String {
    let values = lines.iter().rev().map(|line| line.1);
    lines.iter().zip(values).map(|(line, value)| format!("{},{value}\n", line.0)).collect()
}

/// The codes of the sensitive column of a table.
fn view_of(folder: &Path, text: &str) -> Vec<u32> {
    let policy = policy(folder);
    fs::write(folder.join("people.csv"), text).unwrap();
    let loaded = load::load(&policy, &|_| {}).unwrap();
    loaded.view(&policy).unwrap().secret().codes().to_vec()
}

#[test]
fn finished_trials_are_not_run_again() {
    let folder = folder();
    let path = folder.path().join("state.json");
    let mut request = request(folder.path(), Basis::Shuffled);
    request.state = Some(path.clone());
    request.trials = 1;
    let first = compared(&request);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // The first trial comes from the file: even its times are the same.
    request.trials = 2;
    let second = compared(&request);
    for (one, other) in first.rows.iter().zip(&second.rows) {
        // Digits beyond the fifteenth may be lost in the file.
        let (before, after) = (&one.trials[0].figures, &other.trials[0].figures);
        assert!((before["ms"] - after["ms"]).abs() < 1e-9);
        assert_eq!(other.trials.len(), 2);
    }
    // The stored trials do not apply to another table.
    let text = fs::read_to_string(folder.path().join("people.csv")).unwrap();
    fs::write(folder.path().join("people.csv"), text.replacen("20,f", "21,f", 1)).unwrap();
    let third = compared(&request);
    let times = [&first, &third].map(|found| found.rows[0].trials[0].figures["ms"]);
    assert!((times[0] - times[1]).abs() > 1e-9);
    fs::write(&path, "{").unwrap();
    let refused = run(&request, &Counting::default()).unwrap_err().to_string();
    assert!(refused.contains("is not the state of a comparison"), "{refused}");
}

#[test]
fn a_sample_is_measured_and_then_left_out() {
    let folder = folder();
    let file = folder.path().join("sample.json");
    let basis = |rows| Basis::Sample { file: file.clone(), rows };
    let refused = run(&request(folder.path(), basis(None)), &Counting::default());
    assert!(refused.unwrap_err().to_string().contains("`--sample-rows`"));
    let found = compared(&request(folder.path(), basis(Some(60))));
    assert!(found.rows[0].medians["groups"] <= 30.0);
    let sample = Sample::read(&file).unwrap();
    assert_eq!(sample.rows(), 60);
    // The rest is published without any mention of the people in the sample.
    let mut rest = policy(folder.path());
    rest.input.part = ReadRows::Without(vec![sample.clone()]);
    let release =
        publish::Release::new(&rest, publish::Options::default(), &openveil_io::progress::Nobody)
            .unwrap();
    let manifest = release.manifest();
    assert_eq!((manifest.rows, manifest.omitted.rows), (180, 60));
    assert!(manifest.omitted.reasons[0].contains("60 rows are a sample chosen by random draws"));
    assert_eq!(manifest.guarantee.adversary, "knows-algorithm");
    let mut only = policy(folder.path());
    only.input.part = ReadRows::Only(vec![sample]);
    let (of_sample, of_rest) =
        (load::load(&only, &|_| {}).unwrap(), load::load(&rest, &|_| {}).unwrap());
    assert_eq!((of_sample.table.rows(), of_rest.table.rows()), (60, 180));
    // A changed table has other rows in these positions.
    let text = fs::read_to_string(folder.path().join("people.csv")).unwrap();
    fs::write(folder.path().join("people.csv"), text + "30,f,n,clerk\n").unwrap();
    let refused = load::load(&rest, &|_| {}).unwrap_err().to_string();
    assert!(refused.contains("is not the table that the sample was drawn from"), "{refused}");
}

#[test]
fn a_look_at_true_values_is_remembered_and_said() {
    let folder = folder();
    let own = policy(folder.path());
    let promised = || {
        let release =
            publish::run(&own, publish::Options::default(), &openveil_io::progress::Nobody);
        release.unwrap().manifest
    };
    let before = promised();
    assert_eq!(before.guarantee.adversary, "knows-algorithm");
    let found = compared(&request(folder.path(), Basis::TrueValues));
    assert!(found.note.to_string().contains("for the owner only"));
    // Twice, because a release replaces the folder that holds the record.
    for _ in 0..2 {
        let after = promised();
        assert_eq!(after.guarantee.adversary, "sees-release");
        assert!(after.guarantee.statement.contains("does not know how it was made"));
        assert!(after.notes.iter().any(|note| note.contains("measures on the true values")));
    }
    // In another folder as well.
    let mut elsewhere = own.clone();
    elsewhere.output.dir = folder.path().join("elsewhere");
    let release =
        publish::run(&elsewhere, publish::Options::default(), &openveil_io::progress::Nobody);
    assert_eq!(release.unwrap().manifest.guarantee.adversary, "sees-release");
    // An unreadable record is an error.
    fs::write(own.output.records.join("true-values.json"), "?").unwrap();
    let refused = publish::run(&own, publish::Options::default(), &openveil_io::progress::Nobody);
    assert!(refused.unwrap_err().to_string().contains("is not a record"));
}

#[test]
fn what_a_table_does_not_allow_is_a_row_that_says_so() {
    let folder = folder();
    let mut request = request(folder.path(), Basis::Shuffled);
    request.l = vec![2, 9];
    let found = compared(&request);
    let refused: Vec<bool> = found.rows.iter().map(|row| row.refused.is_some()).collect();
    assert_eq!(refused, [false, false, false, false, true, true, true, true]);
    assert!(found.rows[4].medians.is_empty());
    let reason = found.rows[4].refused.as_ref().unwrap().to_string();
    assert!(reason.starts_with("the model asks more than the table allows: "), "{reason}");
    assert!(reason.contains("the largest possible l is "), "{reason}");
    // No value is named.
    let table = fs::read_to_string(folder.path().join("people.csv")).unwrap();
    let values = table.lines().skip(1).filter_map(|line| line.rsplit(',').next());
    for value in values {
        assert!(!reason.contains(value), "{value}: {reason}");
    }
}

#[test]
fn mistakes_in_what_is_asked_for() {
    let folder = folder();
    let text = fs::read_to_string(folder.path().join("policy.toml")).unwrap();
    let closeness =
        text.replace("l-diversity\"\nl = 2", "t-closeness\"\nt = 0.4\ndistance = \"equal\"");
    fs::write(folder.path().join("policy.toml"), closeness).unwrap();
    let complaint = run(&request(folder.path(), Basis::Shuffled), &Counting::default());
    let message = complaint.unwrap_err().to_string();
    assert!(message.contains("has no whole `l`"), "{message}");
}
