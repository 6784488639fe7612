//! Groupings to try in turn, as they are written in policies.

use super::*;
use openveil_core::algorithm::{Function, Trials};

/// Returns the trials of these lines under `[algorithm]`.
fn algorithm(lines: &str) -> Result<Trials, Error> {
    parse(&format!("{SMALLEST}\n[algorithm]\n{lines}")).map(|policy| policy.method.trials)
}

#[test]
fn functions_and_distances_are_read() {
    let lines = "name = \"k-jump\"\nblock = 12\njump = [1, 2, 1]\n\
                 functions = [{ age = 0 }, { age = 2 }, { age = \"*\" }]";
    let level = |level| Function(vec![("age".to_owned(), level)]);
    let expected = Trials {
        block: 12,
        functions: vec![level(0), level(2), Function(Vec::new())],
        jump: Some(vec![1, 2, 1]),
    };
    assert_eq!(algorithm(lines).unwrap(), expected);
    assert_eq!(algorithm("name = \"safe\"").unwrap(), Trials::default(), "runs in blocks of eight");
}

#[test]
fn what_cannot_be_tried_is_refused_in_words() {
    for (lines, words) in [
        ("name = \"cover\"\nblock = 8", "`block` under [algorithm] has no effect on `cover`"),
        ("name = \"safe\"\njump = [1, 1]", "`jump` under [algorithm] has no effect on `safe`"),
        ("name = \"k-jump\"\nblock = 1", "`block = 1` under [algorithm] is not a block size"),
        ("name = \"k-jump\"\njump = [1, 0]", "the distance 0 at step 2"),
        (
            "name = \"k-jump\"\njump = [1, 1, 1]\nfunctions = [{ age = 1 }]",
            "has 3 distances, for 1 functions",
        ),
        ("name = \"k-jump\"\nfunctions = [{ agee = 1 }]", "unknown quasi-identifier `agee`"),
        ("name = \"k-jump\"\nfunctions = [{ job = 1 }]", "unknown quasi-identifier `job`"),
        (
            "name = \"k-jump\"\nfunctions = [{ age = \"all\" }]",
            "`age = \"all\"` in `functions` is not a level",
        ),
        ("name = \"k-jump\"\nfunctions = [{}, {}, {}, {}, {}, {}]", "has 6 `functions`"),
    ] {
        let error = algorithm(lines).unwrap_err().to_string();
        assert!(error.contains(words), "{lines}: {error}");
    }
}
