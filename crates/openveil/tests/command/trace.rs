//! Lists the program's system calls, makes them fail, or kills the program at one.
//!
//! The tests use `strace`. It sees every call, also calls that bypass the C library (rustix, which
//! exchanges and locks folders), and needs no change of the program. It fails or kills at the N-th
//! call of a name in every thread, so a call is identified by its name and its number in its
//! thread.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Calls that make, fill, name, read, lock and remove files; some are not on every machine.
const CALLS: &str = "?open,openat,?creat,?mkdir,mkdirat,write,?writev,pwrite64,ftruncate,fallocate,\
    copy_file_range,sendfile,fsync,fdatasync,?rename,?renameat,renameat2,?link,linkat,?unlink,unlinkat,\
    ?rmdir,?chmod,fchmod,fchmodat,?stat,?newfstatat,statx,getdents64,flock,lseek";

/// A system call that was made.
#[derive(Debug)]
pub struct Call {
    pub name: String,
    /// Its number among the calls of that name in its thread, from 1.
    pub number: usize,
    /// The text between the brackets, and the result.
    pub arguments: String,
    pub result: String,
}

impl Call {
    /// Returns texts in quotation marks and paths of descriptors, in order.
    pub fn texts(&self) -> Vec<Vec<u8>> {
        self.arguments
            .split(['"', '<', '>'])
            .filter(|part| part.starts_with("\\x"))
            .map(bytes)
            .collect()
    }

    /// Whether it concerns a folder, or something in it.
    pub fn is_in(&self, folder: &Path) -> bool {
        let is_inside =
            |text: Vec<u8>| Path::new(&*String::from_utf8_lossy(&text)).starts_with(folder);
        self.texts().into_iter().any(is_inside)
    }

    pub fn failed(&self) -> bool {
        self.result.starts_with('-') || self.result.starts_with('?')
    }
}

/// Decodes a text such as `\x6f\x75\x74`.
fn bytes(text: &str) -> Vec<u8> {
    text.split("\\x").skip(1).map(|pair| u8::from_str_radix(&pair[..2], 16).unwrap()).collect()
}

/// A fault at a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// It fails once, for this reason.
    Fails(&'static str),
    /// It fails, and so do all later ones of its name.
    KeepsFailing(&'static str),
    Killed,
}

/// Whether `strace` is installed, and may trace.
pub fn is_possible() -> bool {
    let tried = Command::new("strace").args(["-f", "-o", "/dev/null", "true"]).output();
    let is_possible = tried.is_ok_and(|tried| tried.status.success());
    if !is_possible {
        eprintln!("skipped: strace is not there, or may not trace");
    }
    is_possible
}

fn strace(folder: &Path, options: &[&str], arguments: &[String]) -> Output {
    let mut command = Command::new("strace");
    command.current_dir(folder).args(["-f", "-qq"]).args(options);
    command.arg(env!("CARGO_BIN_EXE_openveil")).args(arguments);
    command.output().unwrap()
}

/// Runs the program to its end; returns all its calls.
pub fn calls(folder: &Path, arguments: &[String]) -> Vec<Call> {
    let log = tempfile::NamedTempFile::new().unwrap();
    let (path, trace) = (log.path().display().to_string(), format!("trace={CALLS}"));
    let options = ["--seccomp-bpf", "-y", "-xx", "-s", "100000000", "-o", &path, "-e", &trace];
    let output = strace(folder, &options, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    parsed(&fs::read_to_string(log.path()).unwrap())
}

/// Parses lines such as `17 write(3<\x2f>, "\x0a", 1) = 1`; a call that another thread interrupts
/// takes two, `17 write(3<\x2f> <unfinished ...>` and `17 <... write resumed>, "\x0a", 1) = 1`.
fn parsed(log: &str) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut numbers: HashMap<(&str, &str), usize> = HashMap::new();
    let mut open: HashMap<&str, usize> = HashMap::new();
    for line in log.lines() {
        let (thread, rest) = line.split_once(' ').unwrap();
        let rest = rest.trim_start();
        if let Some((_, more)) = rest.strip_prefix("<... ").and_then(|rest| rest.split_once('>')) {
            finish(&mut calls[open.remove(thread).unwrap()], more);
        } else if let Some((name, rest)) = rest.split_once('(') {
            let number = numbers.entry((thread, name)).or_default();
            *number += 1;
            calls.push(Call {
                name: name.to_owned(),
                number: *number,
                arguments: String::new(),
                result: String::new(),
            });
            match rest.strip_suffix("<unfinished ...>") {
                Some(begun) => {
                    open.insert(thread, calls.len() - 1);
                    calls.last_mut().unwrap().arguments = begun.to_owned();
                }
                None => finish(calls.last_mut().unwrap(), rest),
            }
        }
    }
    calls
}

/// Adds the end of a line to a call.
fn finish(call: &mut Call, rest: &str) {
    // If a thread ends with its process, its last call has no result.
    let (arguments, result) = rest.rsplit_once(" = ").unwrap_or((rest, ""));
    call.arguments += arguments;
    call.result = result.to_owned();
}

/// Runs the program with faults, each at a call with a name and a number.
pub fn with_faults(folder: &Path, arguments: &[String], faults: &[(&str, usize, Fault)]) -> Output {
    let names: Vec<&str> = faults.iter().map(|(name, ..)| *name).collect();
    let inject = |&(name, number, fault): &(&str, usize, Fault)| match fault {
        Fault::Fails(error) => format!("inject={name}:error={error}:when={number}"),
        Fault::KeepsFailing(error) => format!("inject={name}:error={error}:when={number}+"),
        Fault::Killed => format!("inject={name}:signal=SIGKILL:when={number}"),
    };
    let expressions = std::iter::once(format!("trace={}", names.join(",")));
    let expressions: Vec<String> = expressions.chain(faults.iter().map(inject)).collect();
    let mut options = vec!["-o", "/dev/null"];
    options.extend(expressions.iter().flat_map(|expression| ["-e", expression]));
    // This filter is faster, but cannot send signals.
    if faults.iter().all(|(.., fault)| *fault != Fault::Killed) {
        options.push("--seccomp-bpf");
    }
    strace(folder, &options, arguments)
}
