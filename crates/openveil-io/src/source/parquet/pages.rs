//! Protects against damaged Parquet files: reads beyond the end are limited, and the claims of
//! pages are compared with their size before the library uses them.

use super::super::untrusted::{self, PATIENCE};
use super::guarded;
use bytes::Bytes;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The number of values that a byte of a dictionary may hold: each takes at least one bit.
const VALUES_PER_BYTE: u64 = 8;

/// The time that all pages of a file together may take. The library skips unknown fields of a
/// page's header one truth value at a time, and these take no bytes. Columns are read in parallel:
/// time in which several of them wait counts once.
#[derive(Debug, Clone)]
pub(super) struct Patience(Arc<Mutex<Waits>>);

#[derive(Debug)]
struct Waits {
    left: Duration,
    /// Since when somebody waits.
    since: Instant,
    /// The number of columns that wait, and of pages that were asked for since.
    waiting: u32,
    pages: u32,
}

/// The time within which a page costs no patience.
const AT_ONCE: Duration = Duration::from_millis(1);

impl Waits {
    /// The time that is left after a wait until now.
    fn left(&self, now: Instant) -> Duration {
        let waited = match self.waiting {
            0 => Duration::ZERO,
            _ => now.saturating_duration_since(self.since),
        };
        self.left.saturating_sub(waited.saturating_sub(AT_ONCE * self.pages))
    }
}

impl Patience {
    /// The time for a file of so many bytes: a minute, and a second for each megabyte.
    pub(super) fn with(bytes: u64) -> Self {
        Self::new(PATIENCE + Duration::from_micros(bytes))
    }

    fn new(left: Duration) -> Self {
        let waits = Waits { left, since: Instant::now(), waiting: 0, pages: 0 };
        Self(Arc::new(Mutex::new(waits)))
    }

    /// Begins to wait for a page at this time; returns the time that is left.
    fn begin(&self, now: Instant) -> Duration {
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waits.waiting == 0 {
            waits.since = now;
            waits.pages = 0;
        }
        let left = waits.left(now);
        waits.waiting += 1;
        waits.pages += 1;
        left
    }

    /// Ends the wait for a page.
    fn end(&self, now: Instant) {
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waits.waiting == 1 {
            waits.left = waits.left(now);
        }
        waits.waiting -= 1;
    }
}

/// Passes pages on, but refuses dictionaries that claim more values than they can hold, for which
/// the library would allocate memory. A page that takes too long is an error.
pub(super) struct Pages {
    /// None after a page took too long.
    pages: Option<Box<dyn PageReader>>,
    patience: Patience,
}

impl Pages {
    pub(super) fn new(pages: Box<dyn PageReader>, patience: Patience) -> Self {
        Self { pages: Some(pages), patience }
    }

    /// Asks the library, within the time that is left.
    fn ask<T: Send + 'static>(
        &mut self,
        question: impl FnOnce(&mut dyn PageReader) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let mut pages = self.pages.take().ok_or_else(too_long)?;
        let left = self.patience.begin(Instant::now());
        let answered = untrusted::in_time(left, move || {
            let answer = guarded(|| question(&mut *pages));
            (pages, answer)
        });
        self.patience.end(Instant::now());
        let (pages, answer) = answered.ok_or_else(too_long)?;
        self.pages = Some(pages);
        answer
    }
}

/// The error for a part that the library does not finish.
pub(super) fn too_long() -> ParquetError {
    let problem =
        "parts of it take longer than a minute to read, or need more memory than there is";
    ParquetError::General(problem.to_owned())
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.ask(|pages| pages.get_next_page())?;
        if let Some(Page::DictionaryPage { buf, num_values, .. }) = &page {
            let most = VALUES_PER_BYTE * buf.len() as u64;
            if u64::from(*num_values) > most {
                let problem =
                    format!("a dictionary of {} bytes claims {num_values} values", buf.len());
                return Err(ParquetError::General(problem));
            }
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.ask(|pages| pages.peek_next_page())
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.ask(|pages| pages.skip_next_page())
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.ask(|pages| pages.at_record_boundary())
    }
}

/// A file that limits the reads beyond its end. The library skips lists in a page's header one
/// element at a time, even if a damaged header claims a huge number. Columns read it in parallel, so
/// each part knows its own place.
#[derive(Debug)]
pub(super) struct Bounded(Arc<Mutex<File>>);

/// The number of reads beyond the end that are allowed.
const MOST_MISSES: u32 = 64;

/// A part of such a file.
#[derive(Debug)]
pub(super) struct PagePart {
    file: Arc<Mutex<File>>,
    place: u64,
    misses: u32,
}

impl Bounded {
    pub(super) fn new(file: File) -> Self {
        Self(Arc::new(Mutex::new(file)))
    }

    fn part(&self, place: u64) -> PagePart {
        PagePart { file: self.0.clone(), place, misses: 0 }
    }
}

impl Read for PagePart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.place))?;
        let bytes = file.read(buffer)?;
        self.place += bytes as u64;
        self.misses += u32::from(bytes == 0 && !buffer.is_empty());
        if self.misses > MOST_MISSES { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(bytes) }
    }
}

impl Length for Bounded {
    fn len(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl ChunkReader for Bounded {
    type T = BufReader<PagePart>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(self.part(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let mut bytes = Vec::new();
        self.part(start).take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() == length {
            Ok(bytes.into())
        } else {
            let problem = format!("{length} bytes were expected, and {} are there", bytes.len());
            Err(ParquetError::EOF(problem))
        }
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// Pages without end, each after a pause.
    struct Slow;

    impl PageReader for Slow {
        fn get_next_page(&mut self) -> Result<Option<Page>> {
            thread::sleep(Duration::from_millis(50));
            Ok(None)
        }

        fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
            Ok(None)
        }

        fn skip_next_page(&mut self) -> Result<()> {
            self.get_next_page().map(drop)
        }
    }

    impl Iterator for Slow {
        type Item = Result<Page>;

        fn next(&mut self) -> Option<Self::Item> {
            None
        }
    }

    #[test]
    fn patience_is_of_all_pages_together() {
        let patience = Patience::new(PATIENCE);
        let mut columns = [(); 2].map(|()| Pages::new(Box::new(Slow), patience.clone()));
        assert!(columns[0].get_next_page().is_ok());
        assert!(columns[1].skip_next_page().is_ok());
        // As if another page had used all of the time.
        let start = Instant::now();
        patience.begin(start);
        patience.end(start + PATIENCE + AT_ONCE);
        assert!(columns[0].get_next_page().is_err());
        assert!(columns[1].get_next_page().is_err());
        assert!(columns[1].at_record_boundary().is_err(), "it is not asked again");
    }

    #[test]
    fn what_comes_at_once_costs_no_patience() {
        let patience = Patience::new(PATIENCE);
        let start = Instant::now();
        for _ in 0..1_000_000 {
            patience.begin(start);
            patience.end(start + AT_ONCE);
        }
        assert_eq!(patience.begin(start), PATIENCE);
    }

    #[test]
    fn columns_that_wait_together_wait_once() {
        let patience = Patience::new(PATIENCE);
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        for column in 0..40 {
            patience.begin(after(column / 4));
        }
        (0..40).for_each(|column| patience.end(after(10 + column / 4)));
        assert_eq!(patience.begin(after(90)), PATIENCE - Duration::from_secs(19) + 40 * AT_ONCE);
        patience.end(after(90));
        patience.begin(after(100));
        assert_eq!(patience.begin(after(200)), Duration::ZERO);
    }
}
