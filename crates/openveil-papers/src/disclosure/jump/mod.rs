#![doc = include_str!("proof.md")]

mod evaluate;
mod evaluation;
mod plan;
mod reader;
mod report;

pub use evaluate::{Evaluator, evaluate};
pub use evaluation::{EvaluatedSet, Evaluation, PlanOutcome, Station};
pub use plan::{JumpPlan, MAX_STEPS, PlanError, Strategy};
pub use reader::{Output, PlanReader, Releases};
pub use report::{JumpReport, ReportLimits, Silence, report};

#[cfg(test)]
mod tests;
