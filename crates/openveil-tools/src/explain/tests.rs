use super::*;
use std::path::Path;

fn scene(values: &str, people: &str) -> Scene {
    let list = |text: &str| -> Vec<String> {
        text.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    Scene::new(&list(values), &list(people)).unwrap()
}

fn request(values: &str, functions: &str, bound: &str) -> ExplainRequest {
    ExplainRequest {
        scene: scene(values, ""),
        property: ExplainedProperty::Share(ShareBound::parse(bound).unwrap()),
        functions: functions.to_owned(),
        jumps: Vec::new(),
        candidate: None,
        published: Vec::new(),
        sets: false,
        limit: 1_000_000,
    }
}

/// The example of the k-jump paper, as NOTES has it.
#[test]
fn k_jump_example() {
    let mut asked =
        request("flu,cold,cancer,cancer,headache,toothache", "AB|CD|EF; ABC|DEF; ABCDEF", "1/2");
    asked.jumps = vec![vec![1, 1, 1], vec![1, 2, 1]];
    let found = explain(&asked).unwrap();
    assert_eq!(found.tables, 360);
    assert_eq!(found.functions[1].known.tables, 36);
    assert!(!found.functions[0].known.within);
    let [naive, safe, one, two] = &found.strategies[..] else {
        panic!("four strategies");
    };
    assert_eq!(naive.released.as_deref(), Some("ABC|DEF"));
    assert_eq!(naive.known.tables, 4);
    for certain in ["C", "D"] {
        assert_eq!(naive.known.posteriors[certain]["cancer"], "1");
    }
    assert_eq!(safe.path[1].disclosure_set, Some(4));
    assert_eq!(safe.path[1].disclosures_within, Some(false));
    assert_eq!(safe.released.as_deref(), Some("ABCDEF"));
    assert_eq!(one.released.as_deref(), Some("ABCDEF"));
    assert_eq!(two.released, None);
    assert_eq!(two.silent_tables, 24);
    assert_eq!(two.known.posteriors["C"]["cancer"], "1");
    assert_eq!((naive.unsafe_tables > 0, safe.unsafe_tables), (true, 0));
    assert_eq!(found.pictures.len(), 3, "what is silent has no picture");
    let svg = &found.pictures[0].svg;
    assert_eq!(svg.matches("<line").count(), 32, "tables that are crossed out");
}

/// Its functions may be reused: 48 more tables are released.
#[test]
fn reuse_of_a_function() {
    let silent = |functions: &str, jump: &[u32]| {
        let mut asked = request("1,1,2,2,3,3,4", functions, "1/2");
        asked.scene = scene("1,1,2,2,3,3,4", "0,1,2,3,4,5,6");
        asked.jumps = vec![jump.to_vec()];
        explain(&asked).unwrap().strategies[2].silent_tables
    };
    let once = "246|0135; 056|14|23; 13|025|46";
    let again = format!("{once}; 056|14|23");
    assert_eq!(silent(once, &[1; 3]) - silent(&again, &[1; 4]), 48);
}

/// The motivating example of the Privacy Streamliner paper.
#[test]
fn streamliner_example() {
    let mut asked = request("flu,flu,cold,cold,HIV", "", "2/3");
    asked.sets = true;
    let sets = explain(&asked).unwrap().sets.unwrap();
    assert_eq!(sets.locally_safe.partitions.len(), 9);
    assert_eq!(sets.locally_safe.tables, 2);
    assert!(!sets.locally_safe.globally_safe);
    let global = sets.globally_safe.unwrap();
    let strongly = sets.strongly_globally_safe.unwrap();
    assert!(!global.is_empty() && !strongly.is_empty());
    // Every strongly safe set is part of a safe one.
    let is_part = |small: &Vec<String>| {
        let mut large = global.iter();
        large.any(|large| small.iter().all(|own| large.contains(own)))
    };
    assert!(strongly.iter().all(is_part));
}

/// Figures 1 to 3 of the L-Cover paper.
#[test]
fn l_cover_figures() {
    let lss = |values: &str| {
        let mut asked = request(values, "", "1/2");
        asked.sets = true;
        explain(&asked).unwrap().sets.unwrap().locally_safe
    };
    let first = lss("s1,s1,s2,s3,s4,s5");
    assert_eq!((first.tables, &*first.highest), (24, "1"));
    let second = lss("s1,s1,s2,s3,s4,s2");
    assert_eq!((second.tables, second.globally_safe), (4, true));
    assert!(!second.strongly_globally_safe);
    let third = lss("s1,s1,s2,s3");
    assert_eq!((third.partitions.len(), third.tables), (3, 4));
}

#[test]
fn covers_are_named_or_the_value_that_has_none() {
    let mut asked = request("flu,flu,cold,cold", "AC|BD", "1/2");
    asked.candidate = Some("AB|CD".to_owned());
    let covers = explain(&asked).unwrap().covers;
    let candidate = |report: &CoversReport| {
        let CoversOutcome::Covers { values, candidate } = &report.outcome else {
            panic!("{report:?}");
        };
        assert_eq!(values[0].value, "flu");
        assert_eq!(values[0].covers[0]["A"], "C");
        candidate.clone().unwrap()
    };
    // Knowing the groups discloses nothing; seeing their values does.
    assert_eq!(candidate(&covers[0]), "keeps them");
    assert!(
        candidate(&covers[1])
            .starts_with("breaks them: the group A B has different numbers of people with flu")
    );
    let uncovered = explain(&request("flu,flu,flu,cold", "AB|CD", "1/2")).unwrap().covers;
    assert_eq!(uncovered[0].outcome, CoversOutcome::Uncovered("flu".to_owned()));
}

/// Any model of a policy: on posteriors, on groups, and on values by their order.
#[test]
fn any_model_may_be_asked() {
    let functions = "ABDF|CE; AC|BDEF; AD|BCEF; AE|BCDF; ABEF|CD; ABCF|DE";
    let ask = |values: &str, functions: &str, model: &str| {
        let mut asked = request(values, functions, "1/2");
        asked.property = ExplainedProperty::Model(openveil_io::policy::privacy(model).unwrap());
        asked.sets = true;
        explain(&asked).unwrap()
    };
    let entropy = "model = \"l-diversity\", variant = \"entropy\", l = 2";
    let found = ask("0,0,1,2,3,4", functions, entropy);
    assert_eq!(found.bound, None);
    assert!(found.property.ends_with("entropy 2-diversity"), "{}", found.property);
    let given = found.sets.unwrap().given.unwrap();
    assert_eq!((given.tables, &*given.highest), (216, "5/9"));
    assert!(given.globally_safe && given.strongly_globally_safe);
    assert!(matches!(found.covers[0].outcome, CoversOutcome::Covers { .. }));
    assert_eq!(found.covers[0].l, 2);
    let mut by_ratio = request("0,0,1,2,3,4", functions, "1/2");
    by_ratio.sets = true;
    let given = explain(&by_ratio).unwrap().sets.unwrap().given.unwrap();
    assert!(given.tables == 216 && !given.globally_safe);
    // Too small groups are skipped, and no number of values is enough.
    let small = ask("a,b,c,d", "AB|CD; ABCD", "model = \"k-anonymity\", k = 3");
    assert!(!small.functions[0].known.within && small.functions[1].known.within);
    assert_eq!(small.strategies[0].released.as_deref(), Some("ABCD"));
    assert!(small.covers.is_empty());
    let partitions = small.sets.unwrap().locally_safe.partitions;
    assert_eq!(partitions, ["ABCD"]);
    // Numbers are near each other by their order, not by the order of mention.
    let close = "model = \"t-closeness\", t = 0.3, distance = \"ordered\"";
    let found = ask("1,4,2,3", "AB|CD; AC|BD", close);
    let within: Vec<bool> = found.functions.iter().map(|own| own.known.within).collect();
    assert_eq!(within, [true, false]);
}

/// Two releases that are harmless separately, and releases by others.
#[test]
fn releases_taken_together() {
    let mut asked = request("flu,cold,cold,flu", "AB|CD", "1/2");
    asked.published = vec!["A C: flu, cold".to_owned(), "A D: flu, flu".to_owned()];
    let found = explain(&asked).unwrap();
    assert!(found.functions[0].known.within);
    let together = found.together.unwrap();
    assert_eq!((together.known.tables, together.of.len()), (1, 3));
    assert_eq!(together.known.posteriors["B"]["cold"], "1");
    asked.published = vec!["A B: flu, flu".to_owned()];
    let problem = explain(&asked).unwrap_err().to_string();
    assert!(problem.contains("cannot have been published about these people"), "{problem}");
}

/// People of a file with two releases by others, each of which leaves everybody uncertain.
#[test]
fn tables_of_others_are_put_together() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let people = write(
        "people.csv",
        "name,age,zip,ill\nA,23,130,flu\nB,27,131,cold\nC,29,131,hiv\nD,34,132,flu\nE,38,133,cold\nF,39,133,hiv\n",
    );
    let clinic = write(
        "clinic.csv",
        "age,zip,ill\n20-29,13*,cold\n20-29,13*,flu\n20-29,13*,hiv\n30-39,*,cold\n30-39,*,flu\n30-39,*,hiv\n",
    );
    let insurer = write(
        "insurer.csv",
        "age,zip,ill\n\"[23, 27]\",{130|131},flu\n\"[23, 27]\",{130|131},cold\n\"[28, 34]\",*,hiv\n\"[28, 34]\",*,flu\n38-39,133,cold\n38-39,133,hiv\n",
    );
    let ask = |published: &[&String]| {
        let mut asked = request("a", "", "1/2");
        asked.scene = Scene::read(Path::new(&people), "ill", Some("name")).unwrap();
        asked.published = published.iter().map(|&path| path.clone()).collect();
        explain(&asked).map(|found| found.together.unwrap().known)
    };
    let found = [&[&clinic][..], &[&insurer], &[&clinic, &insurer]].map(|own| ask(own).unwrap());
    // 3! · 3!; 2 · 2 · 2; and flu or cold for A and B, cold or hiv for E and F.
    assert_eq!(found.each_ref().map(|known| known.tables), [36, 8, 4]);
    assert_eq!(found.each_ref().map(|known| &*known.highest), ["1/3", "1/2", "1"]);
    assert_eq!(found[2].posteriors["C"]["hiv"], "1");
    // Rows with equal cells that a column separates into groups.
    let grouped = write(
        "grouped.csv",
        "age,ill,group\n*,flu,1\n*,cold,1\n*,hiv,2\n*,flu,2\n*,cold,3\n*,hiv,3\n",
    );
    assert_eq!(ask(&[&grouped]).unwrap().tables, 90);
    // Values of a group belong to any of its rows.
    let anatomy = write(
        "anatomy.csv",
        "age,ill,group\n23,cold,1\n27,flu,1\n29,flu,2\n34,hiv,2\n38,hiv,3\n39,cold,3\n",
    );
    assert_eq!(ask(&[&anatomy]).unwrap().tables, 8);
    // A release of some of the people, without naming them.
    let some = write("some.csv", "age,ill\n20-29,hiv\n");
    assert_eq!(ask(&[&some]).unwrap().tables, 90 - 18);
    for (text, words) in [
        ("age,ill\n20-29,pox\nyoung,flu\n", "`young` in the column `age` cannot be read as a cell"),
        ("age,sick\n20-29,flu\n", "has no column `ill`"),
    ] {
        let path = write("bad.csv", text);
        let problem = ask(&[&path]).unwrap_err().to_string();
        assert!(problem.contains(words), "{problem}");
    }
    // Only values are published, without known columns.
    let values = write("values.csv", "ill\nflu\nflu\ncold\ncold\nhiv\nhiv\n");
    assert_eq!(ask(&[&values]).unwrap().tables, 90);
    // A number may be written in another way.
    let decimals = write("decimals.csv", "age,ill\n23.0,flu\n27.0,cold\n");
    assert_eq!(ask(&[&decimals]).unwrap().tables, 12);
    let wide = "age,ill\n".to_owned() + &"20-39,flu\n20-38,cold\n21-39,hiv\n".repeat(2);
    // F is 39 and can have every value but a cold.
    assert_eq!(ask(&[&write("wide.csv", &wide)]).unwrap().tables, 60);
    let mut typed = request("a,b", "", "1/2");
    typed.published = vec![clinic.clone()];
    let problem = explain(&typed).unwrap_err().to_string();
    assert!(problem.contains("columns that typed values do not have"), "{problem}");
}

#[test]
fn bad_input_is_told() {
    let told =
        |functions: &str| explain(&request("a,b,a,b", functions, "1/2")).unwrap_err().to_string();
    assert!(told("AB|CX").contains("no one is called `CX`"));
    assert!(told("AB|C").contains("does not put every person into exactly one group"));
    assert!(told("AB|BCD").contains("does not put every person into exactly one group"));
    let published = |text: &str| {
        let mut asked = request("a,b,a,b", "", "1/2");
        asked.published = vec![text.to_owned()];
        explain(&asked).unwrap_err().to_string()
    };
    assert!(published("A B").contains("is neither a file nor groups with values"));
    assert!(published("A B: a, b | C").contains("has no values"));
    assert!(published("A B: a").contains("has 2 people and 1 values"));
    assert!(published("A B: a, x").contains("no one has the value `x`"));
    assert!(
        ShareBound::parse("1").is_err()
            && ShareBound::parse("much").is_err()
            && ShareBound::parse("0").is_err()
    );
    let names = |values: &[&str], people: &[&str]| {
        let list = |names: &[&str]| names.iter().map(|&own| own.to_owned()).collect::<Vec<_>>();
        Scene::new(&list(values), &list(people)).unwrap_err().to_string()
    };
    assert!(names(&["a", "b"], &["x", "x"]).contains("two people are called `x`"));
    assert!(names(&["a", "b"], &["x"]).contains("1 people have 2 values"));
    let mut asked = request("a,b,c,d,e,f,g,h", "", "1/2");
    asked.limit = 100;
    assert!(explain(&asked).unwrap_err().to_string().contains("40320"));
}

/// The k-jump paper's counter-example is lost; this is ours.
#[test]
fn a_secret_choice_of_unsafe_functions_does_not_help() {
    let found = explain(&request("0,0,1,2,3,4", "ADF|BCE;BCDE|AF", "1/2")).unwrap();
    let choice = found.secret_functions.unwrap();
    assert_eq!((choice.strategies, choice.unsafe_cases, &*choice.highest), (3, 6 * 36, "5/9"));
    let here = explain(&request("1,0,0,2,3,4", "ADF|BCE;BCDE|AF", "1/2")).unwrap();
    assert_eq!(here.secret_functions.unwrap().highest_here.as_deref(), Some("5/9"));
    let one = explain(&request("0,0,1,2,3,4", "ADF|BCE", "1/2")).unwrap();
    assert_eq!(one.secret_functions, None);
}

/// Two l-covered partitions are a family set only if their cells leave room for mappings.
#[test]
fn sets_of_functions_are_self_contained_or_not() {
    let outcome = |functions: &str, candidate: &str| {
        let mut asked = request("0,0,1,1,2,2", functions, "1/2");
        asked.candidate = Some(candidate.to_owned());
        explain(&asked).unwrap().covers.pop().unwrap()
    };
    let found = outcome("ABCF|DE;ACDE|BF", "ABCDEF");
    assert_eq!(found.property, "self-contained (Privacy Streamliner)");
    let CoversOutcome::Covers { values, candidate } = found.outcome else {
        panic!("no mappings");
    };
    assert_eq!((values.len(), candidate.as_deref()), (3, Some("keeps them")));
    let CoversOutcome::Covers { candidate, .. } = outcome("AC|BF|DE", "AE|CD|BF").outcome else {
        panic!("no mappings");
    };
    assert!(candidate.unwrap().starts_with("breaks them"));
    let apart = outcome("ACE|BDF;AC|BDEF", "ABCDEF").outcome;
    assert_eq!(apart, CoversOutcome::Uncovered("2".to_owned()));
}

#[test]
fn people_have_names_and_numbers() {
    let scene = scene("a,b,c", "");
    let groups = |text: &str| scene.grouping(text).map(|groups| scene.name(&groups));
    for text in ["AB|C", "A B|C", "0 1|2", "1,0|C"] {
        assert_eq!(groups(text).unwrap(), "AB|C", "{text}");
    }
    assert!(groups("0 1|3").is_err());
    // Names that are numbers are names.
    let named =
        super::Scene::new(&["a", "b"].map(String::from), &["1", "2"].map(String::from)).unwrap();
    assert!(named.grouping("0|1").is_err() && named.grouping("1|2").is_ok());
}
