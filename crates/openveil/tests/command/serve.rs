//! The page in the browser, as a program: it prints its address, ends when it is stopped, and
//! leaves nothing.

use crate::support::{complaint, folder};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

#[cfg(unix)]
#[test]
fn it_ends_by_any_signal_and_leaves_nothing() {
    for signal in ["INT", "TERM", "HUP"] {
        let scratch = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_openveil"))
            .args(["serve", "--no-browser"])
            .env("TMPDIR", scratch.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let (host, path) = address.trim().strip_prefix("http://").unwrap().split_once('/').unwrap();
        assert!(host.starts_with("127.0.0.1:"), "{address}");
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "GET /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
        let kill = format!("kill -s {signal} {}", child.id());
        Command::new("sh").args(["-c", &kill]).status().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal}");
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "{signal}");
    }
}

#[test]
fn what_cannot_be_served_is_said() {
    let folder = folder();
    let nowhere = complaint(folder.path(), &["serve", "--no-browser", "--root", "nowhere"]);
    assert!(nowhere.contains("nowhere") && nowhere.contains("no such file"), "{nowhere}");
    let file = complaint(folder.path(), &["serve", "--no-browser", "--root", "policy.toml"]);
    assert!(file.contains("is not a folder"), "{file}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let taken = complaint(folder.path(), &["serve", "--no-browser", "--port", &port]);
    assert!(taken.contains("cannot listen on 127.0.0.1"), "{taken}");
}
