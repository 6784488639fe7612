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

/// What a group may have, and has.
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
            let most = number(most)?;
            Some(Group {
                most,
                used: number(used).unwrap_or(0),
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
        let found = |own| groups_in(folder.path(), own);
        let group = |most, used| Group { most, used };
        assert_eq!(found("0::/service/own\n"), [group(700, 300)]);
        assert_eq!(
            found("5:cpu,memory:/jobs/one\n0::/\n1:name=systemd:/\n"),
            [group(800, 80), group(9000, 900)]
        );
        // A container sees itself at the root.
        assert_eq!(found("4:memory:/of/the/host\n"), [group(9000, 900)]);
        assert_eq!(found("nonsense\n\n7:cpuset:/service/own"), []);
    }
}
