//! How much memory there is: of the machine, and of the groups of processes (Linux's control groups,
//! of containers and services) that the program is in.

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes that the program could have at most.
pub fn total() -> Option<u64> {
    let of_groups = groups().map(|group| group.most);
    of_machine("MemTotal:").into_iter().chain(of_groups).min()
}

/// Bytes that are free.
pub(super) fn free() -> Option<u64> {
    let of_groups = groups().map(|group| group.most.saturating_sub(group.used));
    of_machine("MemAvailable:")
        .into_iter()
        .chain(of_groups)
        .min()
}

fn of_machine(what: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with(what))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

fn groups() -> impl Iterator<Item = Group> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    groups_in(Path::new("/sys/fs/cgroup"), &own).into_iter()
}

/// Pages of files that are in memory, and can be had from the disk again.
const OF_FILES: [&str; 2] = ["active_file", "inactive_file"];

/// What a group may have, and has: without what it keeps of files only because nobody else needs the
/// memory.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Group {
    most: u64,
    used: u64,
}

/// The groups that limit memory, as far as they can be seen, by the lines that the system says of a
/// process (`man 7 cgroups`): `0::/a/b` in version 2, `4:memory:/a/b` in version 1.
fn groups_in(mounted: &Path, own: &str) -> Vec<Group> {
    let mut found = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let (root, most, used) = match controllers {
            "" => (mounted.to_owned(), "memory.max", "memory.current"),
            list if list.split(',').any(|one| one == "memory") => (
                mounted.join("memory"),
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
            ),
            _ => continue,
        };
        // Of those around it, too. In a container the path may be that of the machine, and its own
        // group is the outermost that it sees.
        let inside = |folder: &Path| root.join(folder.strip_prefix("/").unwrap_or(folder));
        let group = |folder: PathBuf| {
            let number = |name| -> Option<u64> {
                let text = fs::read_to_string(folder.join(name)).ok()?;
                text.trim().parse().ok()
            };
            let kept = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
            let kept = kept.lines().filter_map(|line| {
                let (name, bytes) = line.split_once(' ')?;
                let is_kept = OF_FILES.contains(&name.trim_start_matches("total_"));
                let is_whole = name.starts_with("total_") || most == "memory.max";
                bytes
                    .trim()
                    .parse::<u64>()
                    .ok()
                    .filter(|_| is_kept && is_whole)
            });
            Some(Group {
                most: number(most)?,
                used: number(used).unwrap_or(0).saturating_sub(kept.sum()),
            })
        };
        found.extend(Path::new(path).ancestors().map(inside).filter_map(group));
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
            let (limit, usage) = match place.starts_with(folder.path().join("memory")) {
                true => ("memory.limit_in_bytes", "memory.usage_in_bytes"),
                false => ("memory.max", "memory.current"),
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
        stat(
            "service/own",
            "anon 100\nfile 190\ninactive_file 150\nactive_file 40\n",
        );
        stat(
            "memory",
            "inactive_file 1\ntotal_inactive_file 300\ntotal_active_file 100\n",
        );
        let found = |own| groups_in(folder.path(), own);
        let group = |most, used| Group { most, used };
        assert_eq!(found("0::/service/own\n"), [group(700, 110)]);
        assert_eq!(
            found("5:cpu,memory:/jobs/one\n0::/\n1:name=systemd:/\n"),
            [group(800, 80), group(9000, 500)]
        );
        // A container sees itself at the root.
        assert_eq!(found("4:memory:/of/the/host\n"), [group(9000, 500)]);
        assert_eq!(found("nonsense\n\n7:cpuset:/service/own"), []);
    }
}
