//! Shows progress: bars on a terminal, otherwise a line every ten seconds.

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use openveil_io::progress::{Observer, Stage, StageUnit};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time between two progress lines if standard error is not a terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shows one bar per stage, with its rate.
pub(crate) struct StageBars {
    shown: Arc<Mutex<ShownStage>>,
    /// Stops the progress lines when it is dropped.
    _lines: Option<Sender<()>>,
}

/// The current stage.
struct ShownStage {
    name: &'static str,
    unit: StageUnit,
    total: Option<u64>,
    bar: ProgressBar,
}

impl StageBars {
    pub(crate) fn new() -> Self {
        let shown = Arc::new(Mutex::new(ShownStage {
            name: "start",
            unit: StageUnit::Rows,
            total: None,
            bar: ProgressBar::hidden(),
        }));
        let is_terminal = std::io::stderr().is_terminal();
        Self { _lines: (!is_terminal).then(|| lines(shown.clone())), shown }
    }

    /// Replaces the bar by the bar of another stage.
    fn show(&self, name: &'static str, total: Option<u64>, unit: StageUnit) {
        log::info!("{name} begins");
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.bar.finish_and_clear();
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        if std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.set_style(style(unit, total));
            bar.set_message(name);
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        *shown = ShownStage { name, unit, total, bar };
    }

    /// Shows a stage of unknown length.
    pub(crate) fn wait(&self, stage: &'static str) {
        self.show(stage, None, StageUnit::Rows);
    }

    fn add(&self, work: u64) {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.bar.inc(work);
    }

    /// Removes the last bar.
    pub(crate) fn finish(&self) {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.bar.finish_and_clear();
    }
}

/// Prints a progress line every ten seconds, until the returned sender is dropped.
fn lines(shown: Arc<Mutex<ShownStage>>) -> Sender<()> {
    let (work, ends) = channel::<()>();
    let start = Instant::now();
    // Ignore a failure: without memory for a thread, the work continues without progress lines.
    drop(std::thread::Builder::new().spawn(move || {
        while ends.recv_timeout(LINE_EVERY) == Err(RecvTimeoutError::Timeout) {
            let shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
            if !shown.bar.is_finished() {
                eprintln!("{}, {} s", shown.line(), start.elapsed().as_secs());
            }
        }
    }));
    work
}

impl ShownStage {
    /// Returns the progress in words: `compare: 12 of 105 trials`.
    fn line(&self) -> String {
        let Some(total) = self.total else {
            return self.name.to_owned();
        };
        let done = self.bar.position();
        let counted = |unit: &str| {
            let [done, total] = [done, total].map(HumanCount);
            format!("{}: {done} of {total} {unit}", self.name)
        };
        match self.unit {
            StageUnit::Bytes => {
                let [done, total] = [done, total].map(HumanBytes);
                format!("{}: {done} of {total}", self.name)
            }
            StageUnit::Rows => counted("rows"),
            StageUnit::Trials => counted("trials"),
            StageUnit::Multisets => counted("multisets"),
            StageUnit::People => counted("people"),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_how_far_a_stage_is() {
        let line = |name, unit, total| {
            let bar = ProgressBar::hidden();
            bar.inc(1_200);
            let shown = ShownStage { name, unit, total, bar };
            shown.line()
        };
        let compare = line("compare", StageUnit::Trials, Some(10_500));
        assert_eq!(compare, "compare: 1,200 of 10,500 trials");
        assert_eq!(line("read", StageUnit::Bytes, Some(2_048)), "read: 1.17 KiB of 2.00 KiB");
        assert_eq!(line("anonymize", StageUnit::Rows, None), "anonymize");
    }
}
