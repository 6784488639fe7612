//! The memory of the machine, and of the control groups (cgroups of Linux, for containers and
//! services) that the program is in.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the bytes that the program can have at most.
pub fn total() -> Option<u64> {
    least(of_machine("MemTotal:"), ControlGroup::most)
}

/// Returns the bytes that are free.
pub(super) fn free() -> Option<u64> {
    least(of_machine("MemAvailable:"), ControlGroup::free)
}

/// Returns the memory of the machine, or of a group if that is less.
fn least(of_machine: Option<u64>, of_group: impl Fn(&ControlGroup) -> Option<u64>) -> Option<u64> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let groups = groups_in(Path::new("/sys/fs/cgroup"), &own);
    let of_groups = groups.iter().filter_map(of_group);
    of_machine.into_iter().chain(of_groups).min()
}

fn of_machine(what: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes: u64 = text
        .lines()
        .find(|line| line.starts_with(what))?
        .split_whitespace()
        .nth(1)?
        .parse()
        .ok()?;
    Some(kilobytes << 10)
}

/// A control group that may limit memory: its folder, and the names of its files.
struct ControlGroup {
    folder: PathBuf,
    version: &'static Version,
}

/// The files that state how much memory a group may have and has. Some lines of `memory.stat` count
/// cached pages of files, which can be read from the disk again.
struct Version {
    most: &'static str,
    used: &'static str,
    of_files: [&'static str; 2],
}

const FIRST: Version = Version {
    most: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    of_files: ["total_active_file", "total_inactive_file"],
};

const SECOND: Version = Version {
    most: "memory.max",
    used: "memory.current",
    of_files: ["active_file", "inactive_file"],
};

impl ControlGroup {
    /// Returns the memory that it may have; none if it is unlimited or unknown.
    fn most(&self) -> Option<u64> {
        self.number(self.version.most)
    }

    /// Returns the memory that it may still have. Memory for cached files counts as free.
    fn free(&self) -> Option<u64> {
        let used = self.number(self.version.used).unwrap_or(0);
        Some(self.most()?.saturating_sub(used.saturating_sub(self.kept())))
    }

    fn kept(&self) -> u64 {
        let text = fs::read_to_string(self.folder.join("memory.stat")).unwrap_or_default();
        text.lines()
            .filter_map(|line| line.split_once(' '))
            .filter(|(name, _)| self.version.of_files.contains(name))
            .filter_map(|(_, bytes)| bytes.trim().parse::<u64>().ok())
            .sum()
    }

    fn number(&self, name: &str) -> Option<u64> {
        let text = fs::read_to_string(self.folder.join(name)).ok()?;
        text.trim().parse().ok()
    }
}

/// Returns the groups that a process is in, as far as they are visible, from the system's lines
/// about it (`man 7 cgroups`): `0::/a/b` in version 2, `4:memory:/a/b` in version 1.
fn groups_in(mounted: &Path, own: &str) -> Vec<ControlGroup> {
    let mut found = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let (root, version) = match controllers {
            "" => (mounted.to_owned(), &SECOND),
            list if list.split(',').any(|one| one == "memory") => (mounted.join("memory"), &FIRST),
            _ => continue,
        };
        // Enclosing groups count, too. In a container the path may be the machine's; the
        // container's own group is then the outermost that it sees.
        found.extend(Path::new(path).ancestors().map(|folder| ControlGroup {
            folder: root.join(folder.strip_prefix("/").unwrap_or(folder)),
            version,
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_limit_what_is_in_them() {
        let folder = tempfile::tempdir().unwrap();
        let write = |place: &str, most: &str, used: &str| {
            let place = folder.path().join(place);
            fs::create_dir_all(&place).unwrap();
            let (limit, usage) = if place.starts_with(folder.path().join("memory")) {
                ("memory.limit_in_bytes", "memory.usage_in_bytes")
            } else {
                ("memory.max", "memory.current")
            };
            fs::write(place.join(limit), most).unwrap();
            fs::write(place.join(usage), used).unwrap();
        };
        write("service", "max\n", "5\n");
        write("service/own", "700\n", "300\n");
        write("memory", "9000\n", "900\n");
        write("memory/jobs/one", "800\n", "80\n");
        let stat = |place: &str, text: &str| {
            fs::write(folder.path().join(place).join("memory.stat"), text).unwrap();
        };
        stat("service/own", "anon 100\nfile 190\ninactive_file 150\nactive_file 40\n");
        stat("memory", "inactive_file 1\ntotal_inactive_file 300\ntotal_active_file 100\n");
        let found = |own| -> Vec<(u64, u64)> {
            let groups = groups_in(folder.path(), own);
            groups.iter().filter_map(|group| Some((group.most()?, group.free()?))).collect()
        };
        let group = |most, used| (most, most - used);
        assert_eq!(found("0::/service/own\n"), [group(700, 110)]);
        assert_eq!(
            found("5:cpu,memory:/jobs/one\n0::/\n1:name=systemd:/\n"),
            [group(800, 80), group(9000, 500)]
        );
        // A container sees its own group as the root.
        assert_eq!(found("4:memory:/of/the/host\n"), [group(9000, 500)]);
        assert_eq!(found("nonsense\n\n7:cpuset:/service/own"), []);
    }
}
