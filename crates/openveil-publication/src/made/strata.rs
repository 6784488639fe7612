//! Finds the strata of published tables.

use openveil_io::Error;
use openveil_io::policy::NamedRule;
use openveil_text::text;

/// Returns the strata of a guardian: the strata of all rules that it stands for. They have to
/// agree, since a model that compares with a stratum's histogram has another meaning in other
/// strata (schema/proof.md).
pub(crate) fn common<'a>(rules: &[&'a NamedRule], known: &[String]) -> Result<&'a [String], Error> {
    let Some((first, others)) = rules.split_first() else {
        return Ok(&[]);
    };
    let sorted = |rule: &NamedRule| {
        let mut strata = rule.strata.clone();
        strata.sort_unstable();
        strata
    };
    if let Some(other) = others.iter().find(|rule| sorted(rule) != sorted(first)) {
        let problem = text!(
            "one table serves this rule and others, one of which has other strata ([{}], here [{}])",
            first.strata.join(", "),
            other.strata.join(", ")
        );
        let help = "give both rules the same `strata`, or none";
        return Err(Error::new(other.place.clone(), problem).help(help));
    }
    match first.strata.iter().find(|name| !known.contains(name)) {
        None => Ok(&first.strata),
        Some(name) => {
            let problem = text!(
                "the table that serves the rule has the columns {}, but not `{name}`, which should fix strata",
                known.join(", ")
            );
            let help = text!("remove `{name}` from `strata`, or choose another `decomposition`");
            Err(Error::new(first.place.clone(), problem).help(help))
        }
    }
}
