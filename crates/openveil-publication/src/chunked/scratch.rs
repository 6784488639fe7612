//! Stores rows on disk while a table is published that does not fit into memory.

use openveil_io::Error;
use openveil_text::text;
use rayon::prelude::*;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file of codes of rows, block by block, on shelves. The file has no name, so no other process
/// can open it, and it disappears with the program however that ends.
#[derive(Debug)]
pub(super) struct ScratchFile {
    file: File,
    /// The folder it lies in, for messages.
    folder: PathBuf,
    /// Bytes written.
    end: u64,
    shelves: Vec<Vec<RowBlock>>,
}

/// A block of rows, column by column.
#[derive(Debug, Clone)]
struct RowBlock {
    start: u64,
    rows: usize,
    /// Bytes of a code in each column: 1, 2 or 4.
    widths: Vec<u8>,
}

impl RowBlock {
    fn bytes(&self) -> usize {
        self.widths.iter().map(|&width| self.rows * usize::from(width)).sum()
    }
}

impl ScratchFile {
    /// Makes an empty file in a folder, with so many shelves.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub(super) fn new(folder: &Path, shelves: usize) -> Result<Self, Error> {
        let file = tempfile::tempfile_in(folder);
        Ok(Self {
            file: file.map_err(|cause| failed(folder, &cause))?,
            folder: folder.to_owned(),
            end: 0,
            shelves: vec![Vec::new(); shelves],
        })
    }

    /// Appends rows to a shelf.
    ///
    /// # Errors
    /// A disk that is full.
    ///
    /// # Panics
    /// If columns differ in length.
    pub(super) fn put(&mut self, shelf: usize, columns: &[&[u32]]) -> Result<(), Error> {
        let rows = columns.first().map_or(0, |column| column.len());
        assert!(columns.iter().all(|column| column.len() == rows));
        if rows == 0 {
            return Ok(());
        }
        let packed: Vec<(u8, Vec<u8>)> = columns.par_iter().map(|codes| pack(codes)).collect();
        let block = RowBlock {
            start: self.end,
            rows,
            widths: packed.iter().map(|(width, _)| *width).collect(),
        };
        for (_, bytes) in packed {
            let mut file = &self.file;
            let sought = file.seek(SeekFrom::Start(self.end));
            let written = sought.and_then(|_| file.write_all(&bytes));
            written.map_err(|cause| failed(&self.folder, &cause))?;
            self.end += bytes.len() as u64;
        }
        self.shelves[shelf].push(block);
        Ok(())
    }

    /// Returns the number of blocks on a shelf.
    pub(super) fn blocks(&self, shelf: usize) -> usize {
        self.shelves[shelf].len()
    }

    /// Appends the rows of a block to `columns`.
    ///
    /// # Errors
    /// A disk that cannot be read.
    pub(super) fn take(
        &self,
        shelf: usize,
        block: usize,
        columns: &mut Vec<Vec<u32>>,
    ) -> Result<(), Error> {
        let block = &self.shelves[shelf][block];
        let mut bytes = vec![0; block.bytes()];
        let mut file = &self.file;
        let sought = file.seek(SeekFrom::Start(block.start));
        let read = sought.and_then(|_| file.read_exact(&mut bytes));
        read.map_err(|cause| failed(&self.folder, &cause))?;
        columns.resize(block.widths.len(), Vec::new());
        let mut rest = &bytes[..];
        let parts: Vec<(u8, &[u8])> = block
            .widths
            .iter()
            .map(|&width| {
                let (own, behind) = rest.split_at(block.rows * usize::from(width));
                rest = behind;
                (width, own)
            })
            .collect();
        columns
            .par_iter_mut()
            .zip(parts)
            .for_each(|(codes, (width, bytes))| unpack(width, bytes, codes));
        Ok(())
    }

    /// Returns all rows of a shelf.
    ///
    /// # Errors
    /// A disk that cannot be read.
    pub(super) fn take_all(&self, shelf: usize) -> Result<Vec<Vec<u32>>, Error> {
        let mut columns = Vec::new();
        for block in 0..self.blocks(shelf) {
            self.take(shelf, block, &mut columns)?;
        }
        Ok(columns)
    }
}

fn failed(folder: &Path, cause: &std::io::Error) -> Error {
    Error::io(folder, "keep rows in a file without a name", cause)
        .help(text!("the table does not fit into memory: the disk of its output folder needs room for the coded rows twice; choose another folder with `--out`, or raise `--memory`"))
}

/// Packs codes into as few bytes as the greatest of them needs.
fn pack(codes: &[u32]) -> (u8, Vec<u8>) {
    match codes.iter().copied().max().unwrap_or(0) {
        0..=0xff => (1, codes.iter().map(|&code| code as u8).collect()),
        0x100..=0xffff => {
            let bytes = codes.iter().flat_map(|&code| (code as u16).to_le_bytes());
            (2, bytes.collect())
        }
        _ => (4, codes.iter().flat_map(|code| code.to_le_bytes()).collect()),
    }
}

fn unpack(width: u8, bytes: &[u8], codes: &mut Vec<u32>) {
    match width {
        1 => codes.extend(bytes.iter().map(|&byte| u32::from(byte))),
        2 => {
            let pairs = bytes.as_chunks::<2>().0.iter();
            codes.extend(pairs.map(|&pair| u32::from(u16::from_le_bytes(pair))));
        }
        _ => {
            let words = bytes.as_chunks::<4>().0.iter();
            codes.extend(words.map(|&word| u32::from_le_bytes(word)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_from_their_shelf() {
        let folder = tempfile::tempdir().unwrap();
        let mut scratch = ScratchFile::new(folder.path(), 2).unwrap();
        let columns: [&[u32]; 3] = [&[0, 255, 7], &[256, 1, 65_535], &[65_536, 0, u32::MAX]];
        scratch.put(1, &columns).unwrap();
        scratch.put(0, &[&[9], &[8], &[7]]).unwrap();
        scratch.put(1, &[&[300], &[2], &[1]]).unwrap();
        scratch.put(1, &[&[], &[], &[]]).unwrap();
        let expected =
            vec![vec![0, 255, 7, 300], vec![256, 1, 65_535, 2], vec![65_536, 0, u32::MAX, 1]];
        assert_eq!(scratch.take_all(1).unwrap(), expected);
        assert_eq!(scratch.take_all(0).unwrap(), [[9], [8], [7]]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
