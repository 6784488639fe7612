//! Malicious files, or paths that are not files: refused at once, with a message, and without
//! remains.

use super::support::*;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Publishes a file instead of the policy's table, with little memory, and expects a refusal.
fn refuses(folder: &Path, input: &str) -> String {
    let message =
        refused(folder, &["publish", "policy.toml", "--input", input, "--max-memory", "1GB"]);
    let hidden = fs::read_dir(folder).unwrap();
    let hidden = hidden.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(hidden.into_iter().all(|name| !name.starts_with(".openveil-")));
    message
}

#[test]
fn what_is_no_text_is_refused_at_once() {
    let folder = folder();
    let path = folder.path();
    // A sparse file of 100 GB.
    let file = fs::File::create(path.join("sparse.csv")).unwrap();
    file.set_len(100 << 30).unwrap();
    let message = refuses(path, "sparse.csv");
    assert!(message.contains("zero bytes"), "{message}");
    if Path::new("/dev/zero").exists() {
        assert!(refuses(path, "/dev/zero").contains("zero bytes"));
        let (sex, tree) = ("sex = { role = \"quasi-identifier\"", "hierarchy = \"/dev/zero\"");
        rewrite(path, sex, &format!("{sex}, {tree}"));
        assert!(refused(path, &["publish", "policy.toml"]).contains("zero bytes"));
    }
}

/// An endless row in a tiny compressed file: a single value, or empty fields.
#[test]
fn a_row_without_an_end_is_refused_before_it_fills_the_memory() {
    let folder = folder();
    let path = folder.path();
    for (sign, megabytes) in [(b'x', 2_000), (b',', 20)] {
        let file = fs::File::create(path.join("bomb.csv.zst")).unwrap();
        let mut packed = zstd::Encoder::new(file, 1).unwrap();
        packed.write_all(b"name,age,sex,job\np0,20,f,").unwrap();
        let part = vec![sign; 1 << 20];
        (0..megabytes).for_each(|_| packed.write_all(&part).unwrap());
        packed.finish().unwrap();
        let message = refuses(path, "bomb.csv.zst");
        assert!(message.contains("line 2") && message.contains("64 MB"), "{message}");
    }
}

/// Running out of memory anywhere is an error like others: never a signal, a deadlock, or a partial
/// release.
#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_is_an_error() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("people.csv"), people(60_000)).unwrap();
    let mut codes = Vec::new();
    let few = [4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 1_000].map(|megabytes| (megabytes, "2"));
    let many = [4, 16, 64, 128, 1_000].map(|megabytes| (megabytes, "64"));
    for (megabytes, threads) in few.into_iter().chain(many) {
        let limit = format!("{megabytes}MB");
        let done = Command::new(env!("CARGO_BIN_EXE_openveil"))
            .current_dir(path)
            .args(["publish", "policy.toml", "--max-memory", &limit])
            // Every thread needs memory, and machines have different numbers of threads.
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .unwrap();
        let code = done.status.code().expect("no signal");
        let out = path.join("out");
        if out.join("release").exists() {
            assert_eq!((whole(&out), belongs(&out)), (60_000, true));
        } else {
            assert!(code == 2 && !text(&done.stderr).is_empty(), "{limit}");
        }
        codes.push(code);
        if out.exists() {
            fs::remove_dir_all(out).unwrap();
        }
    }
    assert!(codes.iter().all(|code| [0, 2].contains(code)), "{codes:?}");
    assert_eq!((codes[0], codes[codes.len() - 1]), (2, 0));
}

#[test]
fn a_header_of_a_hundred_thousand_columns_is_read() {
    let folder = folder();
    let names: Vec<String> = (0..100_000).map(|n| format!("c{n}")).collect();
    let row = vec!["1"; names.len()].join(",");
    fs::write(folder.path().join("wide.csv"), format!("{}\n{row}\n", names.join(","))).unwrap();
    let message = refuses(folder.path(), "wide.csv");
    assert!(message.len() < 10_000, "{} characters", message.len());
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_looked_at_twice() {
    let folder = folder();
    let path = folder.path();
    let made = std::process::Command::new("mkfifo").arg(path.join("pipe.csv")).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: there is no mkfifo");
        return;
    }
    let message = complaint(path, &["inspect", "pipe.csv"]);
    assert!(message.contains("read twice"), "{message}");
}

/// Text from a file is shown without its control characters, and shortened.
#[test]
fn messages_do_not_let_a_file_speak() {
    let folder = folder();
    let path = folder.path();
    let table = people(100);
    for (cell, shown) in [
        ("\"\u{1b}]0;pwned\u{7}\"", "\\u{1b}]0;pwned\\u{7}"),
        ("\"\nerror: all is lost\"", "\\nerror: all is lost"),
    ] {
        fs::write(path.join("people.csv"), table.replacen("20.0", cell, 1)).unwrap();
        let message = refused(path, &["publish", "policy.toml"]);
        assert!(message.contains(shown), "{message}");
        assert!(!message.contains('\u{1b}') && !message.contains("\nerror"), "{message}");
    }
    let long = "9x".repeat(1 << 20);
    fs::write(path.join("people.csv"), table.replacen("20.0", &long, 1)).unwrap();
    assert!(refused(path, &["publish", "policy.toml"]).len() < 10_000);
}

/// Likewise for names and values, wherever they are printed.
#[test]
fn nothing_that_is_printed_lets_a_file_speak() {
    let folder = folder();
    let path = folder.path();
    let evil = "x\u{1b}[2J\u{9b}1m\nerror: all is lost";
    let table = people(100).replace("clerk", &format!("\"{evil}\""));
    let table = table.replacen("age,sex,job", &format!("age,\"sex{evil}\",\"job{evil}\""), 1);
    fs::write(path.join("people.csv"), &table).unwrap();
    let key = |name: &str| format!("\"{name}x\\u001b[2J\\u009b1m\\nerror: all is lost\" =");
    rewrite(path, "sex =", &key("sex"));
    rewrite(path, "job =", &key("job"));
    let (job, few) = (format!("job{evil}"), format!("job{evil}"));
    let few = format!("name,\"{few}\"\np0,\"{evil}\"\np1,b\n");
    fs::write(path.join("few.csv"), few).unwrap();
    for (code, arguments) in [
        (0, &["publish", "policy.toml", "--measure"][..]),
        (0, &["publish", "policy.toml", "--dry-run"]),
        (0, &["publish", "policy.toml", "--out", "s", "--stdout"]),
        (0, &["attack", "out", "--policy", "policy.toml"]),
        (0, &["audit", "out/release/release.csv", "--policy", "policy.toml"]),
        (1, &["audit", "people.csv", "--policy", "policy.toml"]),
        (0, &["query", "out", "--where", "age >= 30"]),
        (0, &["compare", "policy.toml", "--trials", "1", "--l", "2", "--algorithm", "cover"]),
        (0, &["report", "out"]),
        (0, &["inspect", "people.csv", "--policy", "starter.toml"]),
        (0, &["inspect", "people.csv", "--json"]),
        (0, &["explain", "few.csv", "--sensitive", &job, "--person", "name", "--l", "2"]),
    ] {
        let output = openveil(path, arguments);
        let binary = arguments.contains(&"--stdout");
        let printed = if binary { Vec::new() } else { output.stdout };
        let printed = text(&[printed, output.stderr].concat());
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {printed}");
        let obeyed = |c: char| c.is_control() && c != '\n';
        assert!(
            !printed.contains(obeyed) && !printed.contains("\nerror: all"),
            "{arguments:?}: {printed:?}"
        );
    }
}

/// A release is not written into a part of an earlier one, where its owner's folder would be
/// published with it. Nothing is written through a planted link either.
#[test]
fn a_release_does_not_go_into_another() {
    let folder = folder();
    let path = folder.path();
    assert_eq!(openveil(path, &["publish", "policy.toml"]).status.code(), Some(0));
    for inside in ["out/release", "out/owner"] {
        let message = complaint(path, &["publish", "policy.toml", "--out", inside]);
        assert!(message.contains("is part of an earlier release"), "{message}");
    }
    #[cfg(unix)]
    {
        fs::write(path.join("victim"), "precious").unwrap();
        for name in [".report.html.unfinished", "report.html"] {
            let link = path.join("out/release").join(name);
            drop(fs::remove_file(&link));
            std::os::unix::fs::symlink("../../victim", link).unwrap();
        }
        openveil(path, &["report", "out"]);
        assert_eq!(fs::read_to_string(path.join("victim")).unwrap(), "precious");
    }
}

/// No other output is written among published files, or over input files.
#[test]
fn what_is_found_goes_beside() {
    let folder = folder();
    let path = folder.path();
    assert_eq!(openveil(path, &["publish", "policy.toml"]).status.code(), Some(0));
    let before = release_in(&path.join("out"));
    fs::write(path.join("notes.txt"), "mine\n").unwrap();
    for place in ["out/release/x", "out/release/x/y", "out/owner/x"] {
        let message = complaint(path, &["publish", "policy.toml", "--out", place]);
        assert!(message.contains("is part of an earlier release"), "{message}");
    }
    for arguments in [
        &["attack", "out", "--policy", "policy.toml", "--sample", "5", "--plots", "out/release"][..],
        &["publish", "policy.toml", "--out", "o", "--plots", "out/release/plots"],
        &["query", "out", "--sample", "4", "--out", "out/release/release.csv"],
        &["query", "out", "--sample", "4", "--out", "out/owner/x.csv"],
        &["query", "out", "--sample", "4000000000", "--out", "x.arrow"],
        &["audit", "people.csv", "--sensitive", "job", "--junit", "people.csv"],
        &["compare", "policy.toml", "--l", "2", "--csv", "policy.toml"],
        // Any existing file is refused, whether or not it is read.
        &["compare", "policy.toml", "--l", "2", "--csv", "notes.txt"],
    ] {
        complaint(path, arguments);
    }
    assert_eq!(fs::read_to_string(path.join("notes.txt")).unwrap(), "mine\n");
    // Also refused: a file that the same run writes.
    for kept in ["--sample", "--state"] {
        let compare = ["compare", "policy.toml", "--l", "2", "--csv", "new", kept, "new"];
        let compare =
            [&compare[..], &["--sample-rows", "50"][..if kept == "--sample" { 2 } else { 0 }]]
                .concat();
        complaint(path, &compare);
        assert!(!path.join("new").exists());
    }
    // The command's own earlier output is replaced.
    let compare = ["compare", "policy.toml", "--l", "2", "--trials", "1", "--csv", "c.csv"];
    for _ in 0..2 {
        assert_eq!(openveil(path, &compare).status.code(), Some(0));
    }
    assert!(fs::read_to_string(path.join("c.csv")).unwrap().starts_with("basis,policy"));
    assert_eq!(release_in(&path.join("out")), before);
    assert!(belongs(&path.join("out")) && !path.join("o").exists());
    assert_eq!(fs::read_to_string(path.join("people.csv")).unwrap(), people(100));
    // A release that is a device would never end.
    fs::create_dir(path.join("theirs")).unwrap();
    if Path::new("/dev/zero").exists() {
        let manifest = path.join("theirs/manifest.json");
        std::os::unix::fs::symlink("/dev/zero", manifest).unwrap();
        let message = complaint(path, &["query", "theirs", "--where", "age > 1"]);
        assert!(message.contains("is not the manifest of a release"), "{message}");
    }
}

/// If output cannot be written, the exit code says so.
#[test]
fn a_disk_that_is_full_is_no_success() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let folder = folder();
    let cases: [(&[&str], i32); 4] = [
        (&["inspect", "people.csv", "--json"], 2),
        (&["publish", "policy.toml", "--dry-run"], 2),
        (&["publish", "policy.toml", "--json"], 2),
        // The release is the requested result.
        (&["publish", "policy.toml"], 0),
    ];
    for (arguments, code) in cases {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_openveil"));
        let command = command.current_dir(folder.path()).args(arguments);
        let output = command.stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        let said = text(&output.stderr);
        assert_eq!(said.matches("cannot write to standard output").count(), 1);
    }
}

/// A table that grows while it is read is not published as if it were complete.
#[cfg(unix)]
#[test]
fn a_file_that_changes_is_refused() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("people.csv"), people(2_000_000)).unwrap();
    let publish = {
        let path = path.to_owned();
        std::thread::spawn(move || openveil(&path, &["publish", "policy.toml"]))
    };
    let mut file = fs::OpenOptions::new().append(true).open(path.join("people.csv")).unwrap();
    // Change it until the program has ended, so that it changes while it is read.
    while !publish.is_finished() {
        file.write_all(b"p,20,f,clerk\n").unwrap();
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let output = publish.join().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("changed while it was read"), "{message}");
}
