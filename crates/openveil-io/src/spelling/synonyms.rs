//! Names that other programs use: ARX, sdcMicro, R, Python, databases.

use openveil_text::{Text, text};

/// Our word, and other programs' words for it, in plain form.
const WORDS: [(&str, &[&str]); 28] = [
    ("excel", &["xls", "xlsx", "ods", "workbook", "spreadsheet"]),
    ("ordered", &["emd", "earthmover", "earthmovers", "ordereddistance"]),
    (
        "quasi-identifier",
        &[
            "qi",
            "qid",
            "qis",
            "quasi",
            "quasiidentifying",
            "quasiidentifyingattribute",
            "quasiid",
            "key",
            "keyvar",
            "keyvars",
            "keyvariable",
            "known",
            "indirectidentifier",
        ],
    ),
    (
        "sensitive",
        &[
            "sa",
            "secret",
            "confidential",
            "sensitiveattribute",
            "sens",
            "sensvar",
            "sensibleattribute",
            "private",
            "protected",
        ],
    ),
    (
        "other",
        &[
            "insensitive",
            "insensitiveattribute",
            "keep",
            "public",
            "nonsensitive",
            "nonconfidential",
            "numvar",
            "numvars",
            "pass",
            "passthrough",
            "asis",
            "plain",
        ],
    ),
    (
        "identifier",
        &[
            "id",
            "directidentifier",
            "identifying",
            "identifyingattribute",
            "pii",
            "name",
            "explicitidentifier",
        ],
    ),
    (
        "drop",
        &["remove", "delete", "ignore", "exclude", "skip", "none", "suppress", "omit", "hide"],
    ),
    ("integer", &["int", "int32", "int64", "long", "i64", "bigint", "whole", "count"]),
    ("number", &["float", "float64", "double", "real", "decimal", "numeric", "num"]),
    (
        "text",
        &[
            "str",
            "string",
            "char",
            "character",
            "factor",
            "categorical",
            "category",
            "varchar",
            "object",
            "nominal",
            "bool",
            "boolean",
        ],
    ),
    ("date", &["datetime", "timestamp", "day", "time", "posixct"]),
    ("delimiter", &["sep", "separator", "delim", "fieldseparator"]),
    ("path", &["file", "filename", "input", "source", "table"]),
    ("missing_values", &["na", "navalues", "nastrings", "nullvalues", "missingvalue"]),
    ("names", &["colnames", "columnnames", "header", "headers"]),
    ("decimal", &["dec", "decimalseparator", "decimalmark"]),
    ("hierarchy", &["generalization", "generalizationhierarchy", "taxonomy", "tree", "dgh"]),
    ("order", &["levels", "ordered", "categories", "ordinal"]),
    ("quantiles", &["deciles", "quartiles", "bucketize"]),
    ("bins", &["breaks", "cuts", "buckets"]),
    ("top", &["topcode", "topcoding", "max", "maximum"]),
    ("bottom", &["bottomcode", "bottomcoding", "min", "minimum"]),
    ("dir", &["folder", "out", "outdir", "directory"]),
    ("style", &["mode", "method"]),
    (
        "l-diversity",
        &[
            "distinctldiversity",
            "ldiv",
            "probabilisticldiversity",
            "entropyldiversity",
            "recursivecldiversity",
            "lsites",
        ],
    ),
    ("k-anonymity", &["kanon", "localsuppression", "samplinguniqueness"]),
    (
        "t-closeness",
        &["equaldistancetcloseness", "ordereddistancetcloseness", "hierarchicaldistancetcloseness"],
    ),
    ("delta-disclosure", &["ddisclosureprivacy", "deltadisclosureprivacy"]),
];

/// Advises what to do instead of using a feature that does not exist here.
type Instead = fn() -> Text;

/// Names of features of other programs that do not exist here, and what to do instead.
const ABSENT: [(&[&str], Instead); 6] = [
    (&["lots", "lotsrule", "effort"], || {
        text!(
            "since 2.0 groups are made by `halving`, which has no such setting: leave it out; `smallest-group` under [privacy] sets how small groups may be"
        )
    }),
    (&["jitter"], || {
        text!(
            "since 2.0 groups are made by `halving`, where exchanging people of a group tells nothing, so there is nothing to blur: leave it out; `smallest-group` under [privacy] sets how small groups may be"
        )
    }),
    (
        &[
            "epsilon",
            "eps",
            "dp",
            "differentialprivacy",
            "eddifferentialprivacy",
            "privacybudget",
            "budget",
            "noise",
            "laplace",
        ],
        || {
            text!(
                "Openveil does not offer differential privacy, which is made for statistics: Openveil publishes rows. Choose a bound on what a reader may learn about a person, for example `model = \"l-diversity\"`, `l = 4`"
            )
        },
    ),
    (&["suppression", "suppressionlimit", "maxoutliers", "outliers", "supp"], || {
        text!(
            "Openveil never suppresses a row for being rare: its absence would disclose values. Groups are formed so that all rows fit"
        )
    }),
    (&["seed", "randomstate", "randomseed", "setseed"], || {
        text!(
            "random draws come from the operating system and are never recorded; `--test-seed` is for tests"
        )
    }),
    (&["pram", "microaggregation", "swap", "swapping", "addnoise", "rankswapping"], || {
        text!(
            "Openveil does not change values; it makes them coarser and separates them from people: see the styles `generalize`, `slice`, `anatomy`"
        )
    }),
];

/// Returns a word in lower case, without separators between its parts.
pub(super) fn plain(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns whether a word, in plain form, is another program's word for ours.
pub(super) fn means(plain: &str, ours: &str) -> bool {
    WORDS.iter().any(|(own, others)| *own == ours && others.contains(&plain))
}

/// Returns what to do instead of a feature that does not exist here.
pub(crate) fn not_here(found: &str) -> Option<Text> {
    let found = plain(found);
    ABSENT.iter().find(|(words, _)| words.contains(&found.as_str())).map(|(_, help)| help())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spelling::did_you_mean;

    #[test]
    fn words_of_others_are_understood() {
        let roles = ["identifier", "quasi-identifier", "sensitive", "attribute", "other", "drop"];
        for (found, meant) in [
            ("QI", "quasi-identifier"),
            ("quasi_identifier", "quasi-identifier"),
            ("QUASI_IDENTIFYING_ATTRIBUTE", "quasi-identifier"),
            ("keyVars", "quasi-identifier"),
            ("SA", "sensitive"),
            ("insensitive", "other"),
            ("keep", "other"),
            ("Sensitive", "sensitive"),
            ("ID", "identifier"),
            ("remove", "drop"),
            ("sensitiv", "sensitive"),
        ] {
            assert_eq!(did_you_mean(found, roles), Some(meant), "{found}");
        }
        assert_eq!(did_you_mean("typ", ["top", "type"]), Some("type"));
        assert_eq!(did_you_mean("zzzzzzz", roles), None);
        assert!(not_here("epsilon").unwrap().to_string().contains("differential privacy"));
        assert!(not_here("max_outliers").is_some());
        assert_eq!(not_here("l"), None);
        // Every word of other programs stands for one of ours.
        let all: Vec<&str> = WORDS.iter().flat_map(|(_, others)| *others).copied().collect();
        for word in &all {
            assert_eq!(plain(word), *word, "{word} is in plain form");
            assert!(all.iter().filter(|other| *other == word).count() <= 1, "{word}");
        }
    }
}
