//! Files whose hashes are taken while they are written: nobody has to read them again for that.

use crate::release_dir::hexadecimal;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// A new file, and the SHA-256 of what was written to it so far.
pub(super) struct HashedFile {
    file: File,
    digest: Sha256,
}

impl HashedFile {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: File::create(path)?,
            digest: Sha256::new(),
        })
    }

    /// Ends the file, and returns its SHA-256 in hexadecimal.
    pub(super) fn finish(mut self) -> io::Result<String> {
        self.file.flush()?;
        Ok(hexadecimal(&self.digest.finalize()))
    }
}

impl Write for HashedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.digest.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
