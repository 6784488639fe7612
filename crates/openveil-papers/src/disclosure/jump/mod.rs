#![doc = include_str!("proof.md")]

mod evaluate;
mod evaluation;
mod plan;
mod reader;
mod report;

pub use evaluate::{Evaluator, evaluate};
pub use evaluation::{Evaluation, Outcome, Stage, Step};
pub use plan::{MAX_STEPS, Plan, PlanError, Strategy};
pub use reader::{Output, Reader, Releases};
pub use report::{Report, ReportLimits, Silence, report};

#[cfg(test)]
mod tests;
