//! Edits of tables, promises and figures.

use super::*;

pub(super) type Edit = fn(&Path);

/// A kind of edit, the policy's output, the edit, and words of the finding.
pub(super) const EDITS: [(&str, &str, Edit, &str); 25] = [
    (
        "filler rows that a group has no room for",
        HISTORY,
        |folder| {
            manifest(folder, &|manifest| {
                manifest["history"]["fakes"] = json!({"rows": 50, "groups": {"1": 50}});
                manifest["history"]["people"] = json!(50);
            })
        },
        "50 rows of group 1",
    ),
    (
        "cells that differ inside a group",
        "",
        |folder| {
            let path = folder.join("out/release/release.csv");
            let table = fs::read_to_string(&path).unwrap();
            let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
            let (_, rest) = lines[1].rsplit_once("\",").unwrap();
            lines[1] = format!("33,{rest}");
            fs::write(path, lines.join("\n") + "\n").unwrap();
        },
        "classes, but its manifest says",
    ),
    (
        "a stratum's cell",
        STRATA,
        |folder| {
            rows(folder, "release.csv", &|table| {
                table[1][1] = if table[1][1] == "f" { "m" } else { "f" }.to_owned();
            })
        },
        "different cells",
    ),
    (
        "a text among numbers",
        SLICE,
        |folder| {
            rows(folder, "release.csv", &|table| {
                table[1][0] = "young".to_owned();
            })
        },
        "does not fit the column's type",
    ),
    (
        "a new value",
        SLICE,
        |folder| {
            rows(folder, "release.csv", &|table| {
                table[1][2] = "pilot".to_owned();
            })
        },
        "utility.association",
    ),
    (
        "a known value",
        "[output]\nstyle = \"slice\"\n[algorithm]\nname = \"cover\"\n",
        |folder| {
            rows(folder, "release.csv", &|table| {
                let other = if table[1][0] == "69" { "20" } else { "69" };
                table[1][0] = other.to_owned();
            })
        },
        "utility.association.age",
    ),
    (
        "a changed statement",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["guarantee"]["statement"] = json!("nobody's value can be guessed");
            })
        },
        "guarantee.statement",
    ),
    (
        "another l",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["model"]["l"] = json!(2);
            })
        },
        "utility.cavg",
    ),
    (
        "a greater l",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["model"]["l"] = json!(4);
            })
        },
        "not satisfy ratio 4-diversity",
    ),
    (
        "another algorithm",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["algorithm"] = json!("ria");
            })
        },
        "\"algorithm\"",
    ),
    (
        "an algorithm that discloses people",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["algorithm"] = json!("gda");
            })
        },
        "guarantee.adversary",
    ),
    (
        "another adversary",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["guarantee"]["adversary"] = json!("sees-release");
            })
        },
        "guarantee.adversary",
    ),
    (
        "fit in spite of a seed",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["fit_for_publication"] = json!(true);
            })
        },
        "fit_for_publication",
    ),
    (
        "an extra file",
        "",
        |folder| {
            fs::write(folder.join("out/release/people.csv"), people(3)).unwrap();
        },
        "does not name",
    ),
    (
        "an edited page",
        "",
        |folder| {
            done(folder, &["report", "out"]);
            let path = folder.join("out/release/report.html");
            let page = fs::read_to_string(&path).unwrap().replace("1/3", "1/9");
            fs::write(path, page).unwrap();
            // The next report would make the page again, so the report is refused for another
            // reason.
            fs::write(folder.join("out/release/notes.txt"), "").unwrap();
        },
        "is not the page",
    ),
    (
        "an edited German page",
        "",
        |folder| {
            done(folder, &["report", "out", "--language", "de"]);
            // As it is, it is the page of these files.
            done(folder, &["audit", "out"]);
            let path = folder.join("out/release/report.html");
            let page = fs::read_to_string(&path).unwrap();
            let edited = page.replacen("höchstens", "höchstenz", 1);
            assert!(page.starts_with("<!DOCTYPE html><html lang=\"de\">") && edited != page);
            fs::write(path, edited).unwrap();
            fs::write(folder.join("out/release/notes.txt"), "").unwrap();
        },
        "is not the page",
    ),
    (
        "a page in another language",
        "",
        |folder| {
            done(folder, &["report", "out"]);
            let path = folder.join("out/release/report.html");
            let page = fs::read_to_string(&path).unwrap();
            fs::write(path, page.replace("<html lang=\"en\">", "<html lang=\"fr\">")).unwrap();
            fs::write(folder.join("out/release/notes.txt"), "").unwrap();
        },
        "is in no language",
    ),
    (
        "changed counts",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["utility"]["smallest_group"] = json!(9);
            })
        },
        "utility.smallest_group",
    ),
    (
        "rows moved between groups",
        SLICE,
        |folder| {
            rows(folder, "release.csv", &|table| {
                table[1][3] = if table[1][3] == "2" { "1" } else { "2" }.to_owned();
            })
        },
        "utility.smallest_group",
    ),
    (
        "a deleted row",
        "",
        |folder| {
            let path = folder.join("out/release/release.csv");
            let table = fs::read_to_string(&path).unwrap();
            let end = table.trim_end().rfind('\n').unwrap();
            fs::write(path, &table[..=end]).unwrap();
        },
        "99 rows, but its manifest says 100",
    ),
    (
        "a renamed column",
        SLICE,
        |folder| {
            rows(folder, "release.csv", &|table| {
                table[0][1] = "gender".to_owned();
            })
        },
        "does not name",
    ),
    (
        "changed rows",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["rows"] = json!(101);
            })
        },
        "its manifest says 101",
    ),
    (
        "a smaller bound",
        "",
        |folder| {
            manifest(folder, &|manifest| {
                manifest["guarantee"]["max_posterior"] = json!("1/30");
            })
        },
        "guarantee.max_posterior",
    ),
    (
        "a changed table of values",
        ANATOMY,
        |folder| {
            rows(folder, "release-values.csv", &|table| {
                table[1][2] = "9".to_owned();
            })
        },
        "one value per row of group",
    ),
    (
        "a histogram of a stratum",
        STRATA,
        |folder| {
            manifest(folder, &|manifest| {
                manifest["strata"]["strata"][0]["histogram"]["clerk"] = json!(26);
            })
        },
        "the histogram of stratum 1",
    ),
];

#[test]
fn every_edit_of_a_release_is_found() {
    for (name, output, edit, words) in EDITS {
        let folder = alone(output);
        assert_eq!(openveil(folder.path(), &["audit", "out"]).status.code(), Some(0), "{name}");
        edit(folder.path());
        let found = found(folder.path());
        assert!(found.contains(words), "{name}: {found}");
    }
}
