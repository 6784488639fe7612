//! Progress bars, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use openveil_io::progress::{Observer, Stage, StageUnit};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Shows a bar per stage, with rates.
pub(crate) struct StageBars {
    bar: Mutex<ProgressBar>,
}

impl StageBars {
    pub(crate) fn new() -> Self {
        Self {
            bar: Mutex::new(ProgressBar::hidden()),
        }
    }

    /// Replaces the bar by that of another stage.
    fn show(&self, stage: &'static str, total: Option<u64>, unit: StageUnit) {
        log::info!("{stage} begins");
        let mut bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        bar.finish_and_clear();
        if !std::io::stderr().is_terminal() {
            return;
        }
        *bar = match total {
            Some(total) => ProgressBar::new(total),
            None => ProgressBar::new_spinner(),
        };
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar.set_style(style(unit, total));
        bar.set_message(stage);
        bar.enable_steady_tick(Duration::from_millis(200));
    }

    /// Shows that something goes on of which nobody knows how long it takes.
    pub(crate) fn wait(&self, stage: &'static str) {
        self.show(stage, None, StageUnit::Rows);
    }

    fn add(&self, work: u64) {
        self.bar
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .inc(work);
    }

    /// Takes the last bar away.
    pub(crate) fn finish(&self) {
        self.bar
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .finish_and_clear();
    }
}

impl Observer for StageBars {
    fn begin(&self, stage: Stage, total: Option<u64>) {
        self.show(stage.name(), total, stage.unit());
    }

    fn advance(&self, work: u64) {
        self.add(work);
    }

    fn staging(&self, path: Option<&Path>) {
        crate::interrupt::clean_up(path);
    }
}

fn style(unit: StageUnit, total: Option<u64>) -> ProgressStyle {
    let template = match (unit, total) {
        (_, None) => "{spinner} {msg:10} {elapsed}",
        (StageUnit::Bytes, _) => {
            "{spinner} {msg:10} [{bar:40}] {bytes}/{total_bytes} {bytes_per_sec}"
        }
        (StageUnit::Rows, _) => {
            "{spinner} {msg:10} [{bar:40}] {human_pos}/{human_len} rows {per_sec}"
        }
        (StageUnit::Trials, _) => {
            "{spinner} {msg:10} [{bar:40}] {human_pos}/{human_len} trials {per_sec}, {eta} left"
        }
        (StageUnit::Multisets, _) => {
            "{spinner} {msg:10} [{bar:40}] {human_pos}/{human_len} multisets {per_sec}, {eta} left"
        }
        (StageUnit::People, _) => {
            "{spinner} {msg:10} [{bar:40}] {human_pos}/{human_len} people {per_sec}, {eta} left"
        }
    };
    ProgressStyle::with_template(template)
        .expect("the templates above are well-formed")
        .progress_chars("=> ")
}
