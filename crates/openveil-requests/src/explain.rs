//! `explain`: what readers infer about a few people.

use crate::value::{self, Fraction, Vector, given};
use crate::{Given, refuse_empty, refused, within};
use openveil_io::{Error, policy};
use openveil_text::text;
use openveil_tools::explain::{
    ExplainRequest, ExplainedProperty, Explanation, Scene, ShareBound, explain,
};
use serde::Deserialize;
use std::path::Path;

/// Options of an explanation.
#[derive(Debug, Clone, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Explain {
    /// The value of each person: flu,flu,cold. With a table, the name of the sensitive column.
    #[arg(long, value_name = "VALUES", value_delimiter = ',')]
    #[serde(deserialize_with = "given::values")]
    pub sensitive: Vec<String>,
    /// Names of the people: A,B,C (also their names without it).
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    #[serde(deserialize_with = "given::texts")]
    pub people: Vec<String>,
    /// Groupings that an algorithm may release, the best first: "AB|CD|EF; ABC|DEF".
    #[arg(long, value_name = "FUNCTIONS")]
    pub functions: Option<String>,
    /// A jump vector for k-jump: 1,2,1. May be repeated. Without it, all vectors are tried.
    #[arg(long, value_name = "VECTOR")]
    #[serde(deserialize_with = "given::vectors")]
    pub jump: Vec<Vector>,
    /// The highest allowed share of a value [default: 1/2].
    #[arg(long, value_name = "SHARE")]
    pub bound: Option<Fraction>,
    /// Check another privacy model instead of a bound, written as in a policy: 'model =
    /// "l-diversity", variant = "entropy", l = 3'.
    #[arg(long, value_name = "MODEL")]
    pub privacy: Option<String>,
    /// Short for `--bound 1/L`.
    #[arg(long, value_name = "L", value_parser = value::whole::<u32>)]
    pub l: Option<u32>,
    /// Groups that somebody else published about these people: "A B: flu, cold | C D: flu, flu".
    /// With a table, a file with generalised rows from any program. May be repeated.
    #[arg(long, value_name = "GROUPS|FILE")]
    #[serde(deserialize_with = "given::texts")]
    pub published: Vec<String>,
    /// A further grouping: check whether it breaks the covers of the functions.
    #[arg(long, value_name = "GROUPING")]
    pub candidate: Option<String>,
    /// List the locally safe partitions, and the globally safe sets among them (up to ten people).
    #[arg(long)]
    pub sets: bool,
    /// The largest number of tables to enumerate.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = value::whole::<u64>)]
    pub limit: u64,
}

impl Explain {
    /// Returns what readers infer. `table` is a file with the people, and the column of their names.
    ///
    /// # Errors
    /// As [`explain`]; options that exclude each other; a table that cannot be read.
    pub fn run(&self, table: Option<(&Path, Option<&str>)>) -> Result<Explanation, Error> {
        self.check(table.is_some())?;
        let scene = match table {
            Some((path, person)) => Scene::read(path, &self.sensitive.join(","), person)?,
            None => Scene::new(&self.sensitive, &self.people)?,
        };
        let property = match (&self.privacy, self.l, &self.bound) {
            (Some(parameters), _, _) => ExplainedProperty::Model(policy::privacy(parameters)?),
            (None, Some(l), _) => ExplainedProperty::Share(ShareBound::parse(&format!("1/{l}"))?),
            (None, None, bound) => ExplainedProperty::Share(ShareBound::parse(
                bound.as_ref().map_or("1/2", |bound| &bound.0),
            )?),
        };
        explain(&ExplainRequest {
            scene,
            property,
            functions: self.functions.clone().unwrap_or_default(),
            jumps: self.jump.iter().map(|vector| vector.0.clone()).collect(),
            candidate: self.candidate.clone(),
            published: self.published.clone(),
            sets: self.sets,
            limit: self.limit,
        })
    }

    fn check(&self, has_table: bool) -> Result<(), Error> {
        if self.sensitive.is_empty() {
            return Err(refused(text!("`--sensitive` is missing"))
                .help(text!("name the value of each person: `--sensitive flu,flu,cold`")));
        }
        within("l", self.l.unwrap_or(2), 2..=u32::MAX)?;
        Given::new([
            ("table", has_table),
            ("people", !self.people.is_empty()),
            ("functions", self.functions.is_some()),
            ("jump", !self.jump.is_empty()),
            ("candidate", self.candidate.is_some()),
            ("bound", self.bound.is_some()),
            ("privacy", self.privacy.is_some()),
            ("l", self.l.is_some()),
        ])
        .excludes("people", &["table"])?
        .excludes("privacy", &["bound", "l"])?
        .excludes("l", &["bound"])?
        .needs("jump", "functions")?
        .needs("candidate", "functions")?;
        if !has_table {
            refuse_empty("sensitive", &self.sensitive)?;
            refuse_empty("people", &self.people)?;
        }
        Ok(())
    }
}
