//! Progress bars, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use openveil_io::publication::{Observer, Stage};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Shows a bar per stage, with rates.
pub(crate) struct Bars {
    bar: Mutex<ProgressBar>,
}

impl Bars {
    pub(crate) fn new() -> Self {
        Self {
            bar: Mutex::new(ProgressBar::hidden()),
        }
    }

    /// Takes the last bar away.
    pub(crate) fn finish(&self) {
        self.bar
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .finish_and_clear();
    }
}

impl Observer for Bars {
    fn begin(&self, stage: Stage, total: Option<u64>) {
        tracing::info!(stage = stage.name(), "begin");
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
        bar.set_style(style(stage, total));
        bar.set_message(stage.name());
        bar.enable_steady_tick(Duration::from_millis(200));
    }

    fn advance(&self, work: u64) {
        self.bar
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .inc(work);
    }

    fn staging(&self, path: Option<&Path>) {
        crate::interrupt::clean_up(path);
    }
}

fn style(stage: Stage, total: Option<u64>) -> ProgressStyle {
    let template = match (stage, total) {
        (_, None) => "{spinner} {msg:10} {elapsed}",
        (Stage::Read, _) => "{spinner} {msg:10} [{bar:40}] {bytes}/{total_bytes} {bytes_per_sec}",
        _ => "{spinner} {msg:10} [{bar:40}] {human_pos}/{human_len} rows {per_sec}",
    };
    ProgressStyle::with_template(template)
        .expect("the templates above are well-formed")
        .progress_chars("=> ")
}
