//! Fingerprints, which show whether files changed.

use super::Source;
use crate::{Error, Location};
use std::fs::File;
use std::io::{Read, Write};

/// The 64-bit hash FNV-1a of Fowler, Noll and Vo, which is equal in every version and on every
/// machine. It shows whether a file was changed by accident; it does not protect against intent.
#[derive(Debug, Clone, Copy)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    /// Returns the fingerprint of no bytes.
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Returns the fingerprint in 16 hexadecimal digits.
    pub fn text(self) -> String {
        format!("{:016x}", self.0)
    }
}

impl Write for Fingerprint {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Source {
    /// Returns the fingerprint of the files, or of the table in memory, as text. Other contents
    /// hardly ever have the same. O(bytes).
    ///
    /// # Errors
    /// A file that cannot be read; standard input, which can be read only once.
    pub fn fingerprint(&self) -> Result<String, Error> {
        let mut found = Fingerprint::default();
        if let Some(table) = &self.memory {
            let hashed = table.write_stream(&mut found);
            hashed.map_err(|cause| Error::new(Location::file(&self.path), cause.to_string()))?;
            return Ok(found.text());
        }
        let mut buffer = vec![0; 1 << 16];
        for path in self.files()? {
            if path.as_os_str() == "-" {
                let problem = "standard input can be read only once, but must be read again";
                return Err(Error::new(Location::file(&path), problem).help("name a file"));
            }
            let failed = |cause: std::io::Error| Error::io(&path, "read the table", &cause);
            let mut file = File::open(&path).map_err(failed)?;
            loop {
                match file.read(&mut buffer).map_err(failed)? {
                    0 => break,
                    read => found.add(&buffer[..read]),
                }
            }
        }
        Ok(found.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        let of = |bytes: &[u8]| {
            let mut found = Fingerprint::default();
            found.add(bytes);
            found.text()
        };
        assert_eq!(of(b""), "cbf29ce484222325");
        assert_eq!(of(b"a"), "af63dc4c8601ec8c");
        assert_eq!(of(b"foobar"), "85944171f73967e8");
    }
}
