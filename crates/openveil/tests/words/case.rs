//! All settings that affect statements, in every combination.

use openveil_core::model::Requirement;
use openveil_papers::algorithm;

/// Returns a sample of each model in the library's list, in the form of policies.
pub(super) fn sample(model: &str, variant: Option<&str>) -> String {
    let parameters = match (model, variant.unwrap_or_default()) {
        ("l-diversity", "ratio" | "distinct") => "l = 2",
        ("l-diversity", "entropy") => "l = 1.5",
        ("l-diversity", "recursive") => "c = 2, l = 2",
        ("k-anonymity", _) => "k = 3",
        ("alpha-k-anonymity", _) => "alpha = 0.6, k = 2",
        ("p-sensitive-k-anonymity", _) => "p = 2, k = 3",
        ("t-closeness", _) => "t = 0.4, distance = \"equal\"",
        ("rho1-rho2", _) => "rho1 = 0.2, rho2 = 0.8",
        ("kifer", _) => "distance = \"total-variation\", bound = 0.4",
        ("beta-likeness", _) => "beta = 5",
        ("delta-disclosure", _) => "delta = 3",
        ("l-alpha-diversity", _) => {
            "l = 2, alpha = 0.5, categories = [[\"a\", \"b\"], [\"c\", \"none\"]]"
        }
        other => panic!("no sample of {other:?}: a new model needs its place here"),
    };
    let variant = variant.map_or(String::new(), |variant| format!("variant = \"{variant}\", "));
    format!("model = \"{model}\", {variant}{parameters}")
}

/// All settings that affect statements.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) model: String,
    pub(super) algorithm: &'static str,
    pub(super) style: &'static str,
    pub(super) exempt: bool,
    pub(super) rules: bool,
    pub(super) strata: bool,
    pub(super) format: &'static str,
}

impl Case {
    pub(super) fn all() -> Vec<Self> {
        let mut cases = Vec::new();
        for &(model, variant) in Requirement::ALL {
            for algorithm in algorithm::all() {
                // Three styles; strata in one format only, because they do not affect files.
                for bits in 0..36 {
                    let is = |bit: u32| (bits / 3) >> bit & 1 == 1;
                    let strata = bits / 3 >= 8;
                    cases.push(Self {
                        model: sample(model, variant),
                        algorithm: algorithm.name(),
                        style: ["generalize", "slice", "anatomy"][bits % 3],
                        exempt: is(0),
                        rules: is(1),
                        strata,
                        format: if !strata && is(2) { "parquet" } else { "csv" },
                    });
                }
            }
        }
        cases
    }

    pub(super) fn policy(&self) -> String {
        let exempt = if self.exempt { ", exempt = [\"none\"]" } else { "" };
        let strata = if self.strata { "strata = [\"sex\"]\n" } else { "" };
        let (known, secret, zip, what) = if self.rules {
            let rules = format!(
                "[[rules]]\ngiven = [\"age\", \"sex\"]\nprotect = \"job\"\n{strata}{}\n[[rules]]\ngiven = \"sex\"\nprotect = \"zip\"\nmodel = \"t-closeness\"\nt = 0.4\ndistance = \"equal\"\n",
                self.model
                    .replace(", ", "\n")
                    .replace("\"a\"\n", "\"a\", ")
                    .replace("\"c\"\n", "\"c\", ")
                    .replace("]\n[", "], [")
            );
            ("attribute", "attribute", "attribute", rules)
        } else {
            let privacy = format!("[privacy]\n{strata}all = [{{ {} }}]\n", self.model);
            ("quasi-identifier", "sensitive", "drop", privacy)
        };
        // With bounds, ages published as ranges become two columns.
        let cells = match (self.style, self.exempt) {
            ("generalize", true) => ", cells = \"bounds\"",
            _ => "",
        };
        let weight = if self.rules { "drop" } else { "other" };
        format!(
            "[input]\npath = \"t.csv\"\n[columns]\nage = {{ role = \"{known}\", type = \"integer\"{cells} }}\nweight = {{ role = \"{weight}\", type = \"number\" }}\nsex = {{ role = \"{known}\" }}\njob = {{ role = \"{secret}\"{exempt} }}\nzip = {{ role = \"{zip}\" }}\n{what}[algorithm]\nname = \"{}\"\n[output]\nstyle = \"{}\"\nformat = \"{}\"\n",
            self.algorithm, self.style, self.format
        )
    }
}

/// 18 people; `none` is as frequent as all other values together, and depends on the age.
pub(super) fn people() -> String {
    let jobs = ["none", "none", "none", "none", "none", "a", "b", "c", "none"];
    let mut text = "age,sex,job,zip,weight\n".to_owned();
    for row in 0..18 {
        let job = if row < 9 {
            jobs[row]
        } else {
            ["a", "b", "c", "a", "b", "c", "none", "none", "none"][row - 9]
        };
        let (sex, zip) = (["f", "m"][row % 2], ["x", "y", "z"][row % 3]);
        text += &format!("{},{sex},{job},{zip},{}.5\n", 20 + row, row * 7 % 11);
    }
    text
}
