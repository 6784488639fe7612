//! Cells that hide values: for any question, answers are bounds that hold for the table.

use super::*;

/// Types with the forms of their hierarchies, and values.
type Family = (&'static str, &'static [&'static str], fn(u64) -> String);

const FAMILIES: [Family; 4] = [
    ("integer", &["", "{ intervals = [10, 50] }"], |draw| (draw % 97).to_string()),
    ("number", &["", "{ intervals = [10] }"], |draw| format!("{}.{}", draw % 60, draw % 3 * 5)),
    ("date", &["", "{ dates = [\"month\", \"year\"] }"], |draw| {
        format!("202{}-0{}-1{}", draw % 3, 1 + draw % 5, draw % 7)
    }),
    ("text", &["", "{ prefixes = [2] }"], |draw| format!("9{}{}{}", draw % 3, draw % 2, draw % 4)),
];

/// Whether a value meets a condition; a missing value is neither more nor less than another.
fn meets(kind: &str, value: &str, sign: &str, other: &str) -> bool {
    if sign == "=" || sign == "!=" {
        return (value == other) == (sign == "=");
    }
    if value.is_empty() {
        return false;
    }
    let order = match kind {
        "date" => value.cmp(other),
        _ => {
            let number = |text: &str| text.parse::<f64>().unwrap();
            number(value).total_cmp(&number(other))
        }
    };
    match sign {
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        _ => order.is_ge(),
    }
}

#[test]
fn bounds_hold_for_what_cells_hide() {
    let mut state = 11u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state >> 33
    };
    for (kind, hierarchies, value) in FAMILIES {
        for (hierarchy, ancestor, keeps) in hierarchies.iter().flat_map(|hierarchy| {
            [(false, false), (true, false), (false, true), (true, true)]
                .map(|(ancestor, keeps)| (*hierarchy, ancestor && !hierarchy.is_empty(), keeps))
        }) {
            let rows: Vec<String> = (0..24)
                .map(|_| if keeps && draw() % 6 == 0 { String::new() } else { value(draw()) })
                .collect();
            let lines: String = rows
                .iter()
                .zip(["a", "b", "c"].iter().cycle())
                .map(|(own, job)| format!("{own},{job}\n"))
                .collect();
            let tree = match hierarchy {
                "" => String::new(),
                rule => format!(", hierarchy = {rule}, lowest-common-ancestor = true"),
            };
            let tree =
                if ancestor { tree } else { tree.replace(", lowest-common-ancestor = true", "") };
            let missing = if keeps { "missing = \"keep\"\n" } else { "" };
            let policy = format!(
                "[input]\npath = \"people.csv\"\n{missing}[columns]\nx = {{ role = \"quasi-identifier\", type = \"{kind}\"{tree} }}\njob = {{ role = \"sensitive\" }}\n[privacy]\nmodel = \"l-diversity\"\nl = 3\n"
            );
            let release = released(&format!("x,job\n{lines}"), &policy);
            let reader = Reader::open(ReleasePlace::Memory(Arc::new(release))).unwrap();
            let case = format!("{kind} {hierarchy} {ancestor} {keeps}: {rows:?}");
            let signs: &[&str] = match kind {
                "text" => &["=", "!="],
                _ => &["=", "!=", "<", "<=", ">", ">="],
            };
            for sign in signs {
                for other in [&rows[draw() as usize % 24], &value(draw()), ""] {
                    if other.is_empty()
                        && (!keeps || sign.len() + other.len() > 2 || sign.contains(['<', '>']))
                    {
                        continue;
                    }
                    let named = if other.is_empty() { "(missing)" } else { other };
                    let found = reader.count(&format!("x {sign} \"{named}\""), None).unwrap();
                    let truth =
                        rows.iter().filter(|own| meets(kind, own, sign, other)).count() as f64;
                    let [low, high] = found.figure.interval;
                    assert!(
                        low - 1e-6 <= truth && truth <= high + 1e-6,
                        "x {sign} {named} is {truth}, not in [{low}, {high}], {case}"
                    );
                }
            }
            let table = reader.crosstab(&by(&["x"])).unwrap();
            for cell in &table.cells {
                let Some(figure) = &cell.figure else { continue };
                let named = cell.of[0].1.to_string();
                let named = named.trim_matches('"');
                let named = if named == "(missing)" { "" } else { named };
                if !named.is_empty() && !rows.iter().any(|own| meets(kind, own, "=", named)) {
                    continue;
                }
                let truth = rows.iter().filter(|own| meets(kind, own, "=", named)).count() as f64;
                assert!(
                    figure.interval[0] <= truth + 1e-6 && truth <= figure.interval[1] + 1e-6,
                    "{named} stands in {truth} rows, not {:?}, {case}",
                    figure.interval
                );
            }
        }
    }
}
