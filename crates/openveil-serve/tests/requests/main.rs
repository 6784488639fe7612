//! Tests which requests are answered. Requests are sent as bytes, as any program on the machine
//! could send them.

mod bring;
mod german;
mod release;
mod settings;
mod strangers;

use openveil_serve::{Handle, ServeOptions, Server};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A server on a separate thread, and the access of one browser.
struct Served {
    handle: Handle,
    host: String,
    cookie: String,
    /// The beginning of addresses of pages, after a browser has entered.
    prefix: String,
    thread: Option<JoinHandle<()>>,
}

/// An answer: its status, its head, its body.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

fn options(root: Option<&Path>) -> ServeOptions {
    ServeOptions {
        port: None,
        root: root.map(Path::to_owned),
        database: None,
        idle: Duration::from_secs(600),
        test_seed: None,
    }
}

/// Returns a server that no browser has entered yet, and the link.
fn started(options: &ServeOptions) -> (Served, String) {
    let server = Server::new(options).unwrap();
    let handle = server.handle();
    let address = handle.address();
    let (host, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let served = Served {
        handle,
        host: host.to_owned(),
        cookie: String::new(),
        prefix: String::new(),
        thread: Some(std::thread::spawn(move || server.run().unwrap())),
    };
    (served, format!("/{path}"))
}

/// Returns a server that the test has entered.
fn entered(root: Option<&Path>) -> Served {
    let (mut served, way_in) = started(&options(root));
    served.enter(&way_in);
    served
}

impl Served {
    fn enter(&mut self, way_in: &str) {
        let answer = self.send("GET", way_in, &[], b"");
        assert_eq!(answer.status, 303);
        let header = |name: &str| {
            answer.head.lines().find_map(|line| line.strip_prefix(name)).unwrap().to_owned()
        };
        let (cookie, leads) = (header("set-cookie: "), header("location: "));
        self.prefix = leads.strip_suffix('/').unwrap().to_owned();
        assert!(self.prefix.len() > 32);
        // The cookie is sent only to this path, not to other ports of the machine.
        let rest = format!("; path={leads}; httponly; samesite=strict");
        assert!(cookie.ends_with(&rest), "{cookie}");
        self.cookie = cookie.split(';').next().unwrap().to_owned();
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        if !headers.iter().any(|(name, _)| *name == "host") {
            head += &format!("host: {}\r\n", self.host);
        }
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(b"\r\n").unwrap();
        // A request may be refused before its body has been read.
        drop(stream.write_all(body));
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer));
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_lowercase().replace('\r', ""), body: body.to_owned() }
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    fn get(&self, path: &str) -> Answer {
        self.send("GET", &self.at(path), &[("cookie", &self.cookie)], b"")
    }

    fn post(&self, path: &str, body: &str) -> Answer {
        let origin = format!("http://{}", self.host);
        let headers = [
            ("cookie", self.cookie.as_str()),
            ("origin", &origin),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        self.send("POST", &self.at(path), &headers, body.as_bytes())
    }

    /// Brings a table, and waits until it has been inspected.
    fn bring(&self, name: &str, bytes: &[u8]) -> String {
        let origin = format!("http://{}", self.host);
        let headers = [("cookie", self.cookie.as_str()), ("origin", &origin)];
        let answer = self.send("PUT", &self.at(&format!("/upload?name={name}")), &headers, bytes);
        assert_eq!(answer.status, 204, "{}", answer.body);
        self.settled("/")
    }

    /// Returns a page when no work is running any more.
    fn settled(&self, path: &str) -> String {
        let begin = Instant::now();
        loop {
            let page = self.get(path).body;
            if !page.contains("id=\"progress\"") {
                return page;
            }
            assert!(begin.elapsed() < Duration::from_secs(60), "it never ends");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the version of the policy that a page shows.
    fn version(&self) -> String {
        let page = self.get("/policy").body;
        let (_, rest) = page.split_once("name=\"version\" value=\"").unwrap();
        rest.split('"').next().unwrap().to_owned()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.handle.stop();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// Sixty people whose jobs are spread evenly.
fn people() -> String {
    let row = |i: usize| {
        format!(
            "{},{},{}\n",
            20 + i % 50,
            ["f", "m"][i % 2],
            ["nurse", "clerk", "judge", "cook", "smith"][i % 5]
        )
    };
    format!("age,sex,job\n{}", (0..60).map(row).collect::<String>())
}

const PAGES: [&str; 10] = [
    "/",
    "/columns",
    "/promise",
    "/ahead",
    "/hierarchies",
    "/publish",
    "/check",
    "/policy",
    "/rules",
    "/progress",
];
