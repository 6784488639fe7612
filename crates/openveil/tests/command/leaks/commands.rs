//! The commands that run on the marked table: every command that reads a table or a release, with
//! every flag.

use super::SEED;
use crate::support::{openveil, text};
use std::path::Path;

/// The secrets that a command may print for its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// Numbers, and names of columns.
    Nothing,
    /// Values: the worst group of the owner's table, the people found if the owner asks for them,
    /// the result of a query, or the release itself.
    Values,
    /// Cells of the owner's table, before anything is published.
    Table,
}

use Shows::{Nothing, Table, Values};

/// Run in this order, because later commands read output of earlier ones.
pub const COMMANDS: [(&str, Shows); 48] = [
    ("inspect people.csv -vvv --policy new.toml --json", Table),
    (
        "inspect people.csv -vvv --delimiter , --encoding utf-8 --trim --preset hipaa-safe-harbor",
        Table,
    ),
    (
        "inspect people.csv -vvv --policy aimed.toml --aim study --sample aimed.csv --sample-rows 30",
        Table,
    ),
    ("inspect people.csv -vvv --sheet 1 --policy sheet.toml", Table),
    ("publish policy.toml --dry-run -vvv", Nothing),
    ("publish policy.toml --dry-run --json -vvv", Nothing),
    ("publish policy.toml -vvv --measure --plots plots", Nothing),
    ("publish policy.toml -vvv --json --no-report", Nothing),
    ("publish policy.toml -vvv --input people.csv --stdout", Values),
    ("publish other.toml -vvv --measure --certify", Nothing),
    ("publish policy.toml -vvv --memory 64MB --max-memory 8GB --out chunked", Nothing),
    ("publish other.toml -vvv --algorithm gda --i-accept-algorithm-disclosure --out gda", Nothing),
    ("audit out -vvv", Nothing),
    ("audit out --policy policy.toml --measure --input people.csv -vvv --json", Nothing),
    ("audit people.csv --policy policy.toml -vvv", Values),
    (
        "audit people.csv -vvv --qi sex,age --sensitive job --group age --l 2,3 --categories categories.csv \
         --weights sensitivity --beta 2 --hierarchy tree.csv --order order.csv --population 1000 \
         --risk-threshold 0.1 --fail-under l_ratio=1 --junit junit.xml --delimiter , --trim \
         --wildcard --suppressed * --subsets 1",
        Nothing,
    ),
    (
        "audit people.csv -vvv --qi sex --survey-weight age --household name --sampling-fraction 0.1 --rows rows.csv",
        Nothing,
    ),
    ("audit people.csv -vvv --qi age,sex,job --suda 2 --json", Values),
    ("attack out --policy policy.toml -vvv --sample 20", Nothing),
    ("attack out --policy policy.toml -vvv --sample 20 --correlations --json", Nothing),
    ("attack out --policy policy.toml -vvv --sample 20 --owner --plots attacked", Values),
    (
        "attack out --policy policy.toml -vvv --input people.csv --categories categories.csv --seed 7310462985 \
         --correlations --public people.csv --independent 2",
        Nothing,
    ),
    ("attack out --policy policy.toml -vvv --ties name", Nothing),
    ("attack out --policy policy.toml -vvv --ties name --json", Nothing),
    ("compare policy.toml other.toml -vvv --l 2,3 --trials 1 --queries 20 --csv c.csv", Nothing),
    (
        "compare policy.toml -vvv --algorithm cover,halving --style slice --on earlier.csv --test-seed 7310462985 \
         --trials 1 --queries 20 --plots compared",
        Nothing,
    ),
    (
        "compare policy.toml -vvv --sample sample.csv --sample-rows 30 --state c.state --trials 1 --queries 20",
        Nothing,
    ),
    ("publish policy.toml -vvv --without-sample sample.csv --out without", Nothing),
    ("compare policy.toml -vvv --true-values --trials 1 --queries 20 --json", Nothing),
    ("query out --where age>=30 -vvv --policy policy.toml", Nothing),
    ("query out --where age>=30 -vvv --policy policy.toml --input people.csv", Nothing),
    ("query out --where job=Qxval1 -vvv --json", Values),
    ("query out --sample 20 --out synthetic.csv --seed 7310462985 -vvv", Nothing),
    ("query out --by sex,job --worlds 2 -vvv --json", Values),
    ("query out --by sex --mean age -vvv", Nothing),
    ("query out --by sex --weight age -vvv", Nothing),
    ("query out --by sex,job --min 2 --round 5 -vvv", Values),
    ("query out --by sex --quantile age=0.9 -vvv", Nothing),
    ("fit out job~sex --reference sex=f --worlds 2 --seed 5 -vvv --json", Values),
    (
        "complete out --tables 2 --out completed --format csv --worlds 0 --seed 5 -vvv --json",
        Nothing,
    ),
    ("report out -vvv --policy policy.toml --input people.csv --plots reported", Nothing),
    ("report out -vvv --metadata frictionless,croissant,ddi", Nothing),
    ("report out -vvv --evidence evidence.html --template hipaa --language de", Nothing),
    ("report out -vvv --json", Nothing),
    ("schema check schema.toml -vvv", Nothing),
    ("schema check schema.toml -vvv --json", Nothing),
    ("explain --sensitive 1,1,2,2 --l 2 -vvv", Nothing),
    ("verify --algorithm cover --sensitive 1,1,2,2 --l 2 -vvv", Nothing),
];

/// Returns the words of a command; publishing commands get a test seed.
pub fn arguments(command: &str) -> Vec<&str> {
    let words = command.split_whitespace();
    if command.starts_with("publish") {
        words.chain(["--test-seed", SEED]).collect()
    } else {
        words.collect()
    }
}

/// Commands that read no table of people, and the page in the browser, which has its own tests.
const WITHOUT_PEOPLE: [&str; 3] = ["verify", "explain", "serve"];

/// The long flags in a help text.
fn flags(help: &str) -> impl Iterator<Item = &str> {
    help.lines().map(str::trim_start).filter(|line| line.starts_with('-')).filter_map(|line| {
        let flag = line.split([' ', '.', '[']).find(|word| word.starts_with("--"));
        // A word of a sentence at the beginning of a line is not a flag.
        flag.filter(|flag| *flag != "--help" && !flag.ends_with('`'))
    })
}

#[test]
fn every_flag_of_every_command_is_tried() {
    let help = |arguments: &[&str]| text(&openveil(Path::new("."), arguments).stdout);
    let overview = help(&["--help"]);
    let commands = overview
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help");
    let mut seen = 0;
    for command in commands.filter(|name| !WITHOUT_PEOPLE.contains(name)) {
        let page = match command {
            "schema" => help(&["schema", "check", "--help"]),
            _ => help(&[command, "--help"]),
        };
        for flag in flags(&page) {
            let is_global = ["--max-memory", "--verbose"].contains(&flag);
            let is_tried = COMMANDS.iter().any(|(tried, _)| {
                let words = arguments(tried);
                (words[0] == command || is_global)
                    && (words.contains(&flag) || flag == "--verbose" && words.contains(&"-vvv"))
            });
            assert!(is_tried, "{command} {flag}");
            seen += 1;
        }
    }
    assert!(seen > 80, "{seen}");
}
