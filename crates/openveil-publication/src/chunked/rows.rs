//! Reads rows as codes onto the disk, and counts the whole table.

use super::scratch::ScratchFile;
use openveil_core::coins::Coins;
use openveil_core::table::{Column, ColumnSet, Histogram};
use openveil_io::Error;
use openveil_io::load::{Loaded, MissingTexts, load_elsewhere};
use openveil_io::policy::{Policy, Role};
use openveil_io::release_dir::record;
use openveil_io::source::{BytesRead, RawColumn, RawTable};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::Path;

/// The number of people in a sample; a person may be in it twice.
const SAMPLE: usize = 1 << 16;

/// All rows of a table, on disk.
pub(super) struct Rows {
    scratch: ScratchFile,
    /// The code of each text of the dictionary, per published column.
    codes_of: Vec<Vec<u32>>,
    rows: usize,
    /// The codes of people drawn at random, per published column.
    sample: Vec<Vec<u32>>,
}

impl Rows {
    /// Reads the table of a policy.
    ///
    /// # Errors
    /// Bad input, or a disk that is full.
    pub(super) fn read(
        policy: &Policy,
        folder: &Path,
        coins: &mut dyn Coins,
        progress: BytesRead<'_>,
    ) -> Result<(Self, Loaded), Error> {
        let mut scratch = ScratchFile::new(folder, 1)?;
        let mut counts: Vec<Vec<u32>> = Vec::new();
        let mut rows = 0;
        let mut take = |columns: &mut [RawColumn]| {
            counts.resize(columns.len(), Vec::new());
            let published = || {
                let is_published =
                    |column: &&RawColumn| policy.columns[&column.name].role.is_published();
                columns.iter().filter(is_published)
            };
            let codes: Vec<&[u32]> = published().map(|column| &column.codes[..]).collect();
            rows += codes.first().map_or(0, |codes| codes.len());
            scratch.put(0, &codes)?;
            columns.par_iter_mut().zip(&mut counts).for_each(|(column, counts)| {
                counts.resize(column.values.len(), 0);
                column.codes.drain(..).for_each(|code| counts[code as usize] += 1);
            });
            Ok(())
        };
        let choose = |names: &[String]| {
            let wanted = openveil_io::load::wanted(policy, names)?;
            let is_name = |name: &String| policy.columns[name].role == Role::Identifier;
            // Identifiers are not read: their dictionary would not fit into memory.
            Ok(names.iter().zip(wanted).map(|(name, wanted)| wanted && !is_name(name)).collect())
        };
        let mut raw = policy.input.source.read_in_blocks(&choose, &mut take, progress)?;
        raw.rows = rows;
        for (column, counts) in raw.columns.iter_mut().zip(counts) {
            column.elsewhere = Some(counts);
        }
        let watched = record::watched(policy)?;
        let mut dropped = None;
        let (mut loaded, codes_of) = load_elsewhere(policy, raw, &watched, |raw, missing| {
            dropped = Some(without_missing(&scratch, folder, policy, raw, missing)?);
            Ok(())
        })?;
        let mut rows = Self {
            scratch: dropped.unwrap_or(scratch),
            rows: loaded.table.rows(),
            codes_of,
            sample: Vec::new(),
        };
        loaded.counts = Some(rows.count_and_draw(policy, &loaded, coins)?);
        Ok((rows, loaded))
    }

    /// Returns the number of rows.
    pub(super) fn count(&self) -> usize {
        self.rows
    }

    /// Returns the number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.scratch.blocks(0)
    }

    /// Returns the codes of a block's rows, column by column.
    ///
    /// # Errors
    /// A disk that cannot be read.
    pub(super) fn block(&self, block: usize) -> Result<Vec<Vec<u32>>, Error> {
        let mut columns = Vec::new();
        self.scratch.take(0, block, &mut columns)?;
        columns.par_iter_mut().zip(&self.codes_of).for_each(|(codes, code_of)| {
            codes.iter_mut().for_each(|code| *code = code_of[*code as usize]);
        });
        Ok(columns)
    }

    /// Returns the codes of the sample's people on some columns.
    pub(super) fn sample(&self, columns: ColumnSet) -> Vec<Vec<u32>> {
        columns.iter().map(|column| self.sample[column].clone()).collect()
    }

    /// Returns the histogram of the sensitive values in every stratum. Also draws the sample: each
    /// draw is a random row of the table, wherever it is in the file.
    fn count_and_draw(
        &mut self,
        policy: &Policy,
        loaded: &Loaded,
        coins: &mut dyn Coins,
    ) -> Result<Vec<(Vec<u32>, Histogram)>, Error> {
        let columns = loaded.table.columns();
        let role = |column: &Column| policy.columns[column.name()].role;
        let secret = columns
            .iter()
            .position(|column| role(column) == Role::Sensitive)
            .expect("a policy without rules has a sensitive column");
        let fixed: Vec<usize> = (0..columns.len())
            .filter(|&at| policy.privacy.strata.iter().any(|name| name == columns[at].name()))
            .collect();
        let values = columns[secret].domain().len();
        let mut drawn: Vec<usize> =
            (0..SAMPLE.min(self.rows)).map(|_| coins.below(self.rows as u32) as usize).collect();
        drawn.sort_unstable();
        let mut drawn = drawn.into_iter().peekable();
        let (mut sample, mut before) = (vec![Vec::new(); columns.len()], 0);
        let mut counts: HashMap<Vec<u32>, Vec<u32>> = HashMap::new();
        for block in 0..self.blocks() {
            let codes = &self.block(block)?;
            let end = before + codes[secret].len();
            while let Some(row) = drawn.next_if(|&row| row < end) {
                sample
                    .iter_mut()
                    .zip(codes)
                    .for_each(|(sample, codes)| sample.push(codes[row - before]));
            }
            before = end;
            let key = |row: usize| fixed.iter().map(move |&column| codes[column][row]);
            let mut row = 0;
            while row < codes[secret].len() {
                let first = row;
                let own = counts.entry(key(first).collect()).or_insert_with(|| vec![0; values]);
                while row < codes[secret].len() && key(row).eq(key(first)) {
                    own[codes[secret][row] as usize] += 1;
                    row += 1;
                }
            }
        }
        self.sample = sample;
        Ok(counts.into_iter().map(|(codes, own)| (codes, Histogram::from_counts(own))).collect())
    }
}

/// Leaves out rows with missing values.
fn without_missing(
    scratch: &ScratchFile,
    folder: &Path,
    policy: &Policy,
    raw: &mut RawTable,
    missing: &MissingTexts,
) -> Result<ScratchFile, Error> {
    let published: Vec<usize> = (0..raw.columns.len())
        .filter(|&index| policy.columns[&raw.columns[index].name].role.is_published())
        .collect();
    let place = |index: &usize| published.iter().position(|own| own == index);
    let missing: Vec<(usize, &Vec<bool>)> =
        missing.iter().filter_map(|(index, texts)| Some((place(index)?, texts))).collect();
    let mut kept = ScratchFile::new(folder, 1)?;
    let mut counts: Vec<Vec<u32>> =
        published.iter().map(|&index| vec![0; raw.columns[index].values.len()]).collect();
    raw.rows = 0;
    for block in 0..scratch.blocks(0) {
        let mut columns = Vec::new();
        scratch.take(0, block, &mut columns)?;
        let keep: Vec<bool> = (0..columns[0].len())
            .map(|row: usize| {
                let mut missing = missing.iter();
                !missing.any(|(column, texts)| texts[columns[*column][row] as usize])
            })
            .collect();
        for (codes, counts) in columns.iter_mut().zip(&mut counts) {
            let mut keep = keep.iter();
            codes.retain(|_| *keep.next().expect("one flag per row"));
            codes.iter().for_each(|&code| counts[code as usize] += 1);
        }
        raw.rows += columns[0].len();
        let columns: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
        kept.put(0, &columns)?;
    }
    for (index, counts) in published.into_iter().zip(counts) {
        raw.columns[index].elsewhere = Some(counts);
    }
    Ok(kept)
}
