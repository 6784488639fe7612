//! Pages of a Parquet file, held against their own size before the library believes them.

use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

/// Values that a byte of a dictionary may hold: one bit each is the least.
const VALUES_PER_BYTE: u64 = 8;

/// Passes pages on, but for dictionaries that claim more values than they can hold: the library
/// would make room for all of them.
pub(super) struct Pages(pub(super) Box<dyn PageReader>);

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.0.get_next_page()?;
        if let Some(Page::DictionaryPage {
            buf, num_values, ..
        }) = &page
        {
            let most = VALUES_PER_BYTE * buf.len() as u64;
            if u64::from(*num_values) > most {
                let problem = format!(
                    "a dictionary of {} bytes claims {num_values} values",
                    buf.len()
                );
                return Err(ParquetError::General(problem));
            }
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.0.at_record_boundary()
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
