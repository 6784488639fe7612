//! Tests which requests are answered. Requests are sent as bytes, as any program on the machine
//! could send them.

mod german;
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

#[test]
fn a_table_becomes_a_release() {
    let served = entered(None);
    let page = served.bring("people.csv", people().as_bytes());
    assert!(page.contains("people.csv: 60 rows, 3 columns."), "{page}");
    let promise = served.get("/promise").body;
    assert!(promise.contains("<blockquote"), "{promise}");
    // The bound, and guessing without the release.
    let meters: Vec<&str> = promise.split("<meter").skip(1).collect();
    assert!(meters.len() >= 3 && meters[0].contains("value=\"0.250\""), "{promise}");
    // Ten pairs of the 60 people have the same age and sex.
    assert!(
        promise.contains("id=\"gauge-alone\" min=\"0\" max=\"1\" value=\"0.667\""),
        "{promise}"
    );
    let before = served.get("/publish").body;
    assert!(before.contains("id=\"before\"") && before.contains("<blockquote"), "{before}");
    assert!(before.contains("values of the group in random order"), "{before}");
    assert_eq!(served.post("/publish", "").status, 303);
    let page = served.settled("/publish");
    assert!(page.contains("id=\"published\"") && !page.contains("id=\"before\""), "{page}");
    for file in ["release.zip", "owner.zip", "report.html", "owner.html", "policy.toml"] {
        let answer = served.get(&format!("/files/{file}"));
        assert_eq!(answer.status, 200, "{file}");
        assert!(!answer.body.is_empty());
    }
    assert!(served.get("/files/report.html").head.contains("sandbox"));
    let ask = |path: &str, form: &str| {
        served.post(path, form);
        served.settled("/check")
    };
    let page = ask("/check/query", "where=sex+%3D+f&by=&mean=&min=");
    assert!(page.contains("id=\"answer\"") && page.contains("true count"), "{page}");
    let page = ask("/check/query", "where=&by=sex,job&mean=&min=");
    assert!(page.contains("count by sex, job") && !page.contains("true count"), "{page}");
    let page = ask("/check/query", "by=sex,job&min=7");
    assert!(page.contains("&lt; 7") && page.contains("total"), "{page}");
    let page = served.post("/check/query", "by=sex&min=few").body;
    assert!(page.contains("`--min` cannot be `few`"), "{page}");
    let page = ask("/check/fit", "formula=job+~+sex");
    assert!(page.contains("the release has 4 groups, but a fit needs 16"), "{page}");
    let page = ask("/check/fit", "formula=job");
    assert!(page.contains("class=\"problem\"") && !page.contains("id=\"answer\""), "{page}");
    let page = ask("/check/query", "where=&by=&mean=&min=");
    assert!(page.contains("nothing is asked"), "{page}");
    served.post("/check/attack", "");
    assert!(served.settled("/check").contains("class=\"document\""));
    served.post("/check/audit", "what=");
    assert!(served.settled("/check").contains("class=\"document\""));
    // Audits the table as it was brought, with the chosen roles of columns.
    served.post("/check/audit", "what=table&known=&secret=");
    let page = served.settled("/check");
    assert!(!page.contains("--sensitive"), "{page}");
    assert!(page.contains("class=\"document\""));
}

#[test]
fn a_release_answers_with_a_regression() {
    let served = entered(None);
    let header = people().lines().next().unwrap().to_owned();
    let rows: Vec<String> = (0..20)
        .flat_map(|_| people().lines().skip(1).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    served.bring("people.csv", format!("{header}\n{}\n", rows.join("\n")).as_bytes());
    served.post("/publish", "");
    served.settled("/publish");
    served.post("/check/fit", "formula=job+~+sex");
    let page = served.settled("/check");
    assert!(page.contains("multinomial logit, beside") && page.contains("std. error"), "{page}");
}

#[test]
fn two_tabs_do_not_undo_each_other() {
    let served = entered(None);
    served.bring("people.csv", people().as_bytes());
    let version = served.version();
    let change = |version: &str, l: u32| {
        served.post(
            "/promise",
            &format!("version={version}&model=ratio&p-l={l}&style=generalize&algorithm=auto"),
        )
    };
    assert_eq!(change(&version, 3).status, 303);
    let late = change(&version, 2);
    assert_eq!(late.status, 422);
    assert!(late.body.contains("changed meanwhile"));
    assert!(served.get("/files/policy.toml").body.contains("l = 3"));
    assert_eq!(change(&served.version(), 2).status, 303);
    assert!(served.get("/files/policy.toml").body.contains("l = 2"));
}

#[test]
fn bad_tables_are_said_and_break_nothing() {
    let served = entered(None);
    for (name, bytes) in [
        ("empty.csv", &b""[..]),
        ("ragged.csv", b"a,b\n1\n"),
        ("..%2F..%2Fx.parquet", b"PAR1 no parquet at all PAR1"),
        ("bomb.xlsx", b"PK\x03\x04 no workbook"),
        ("nul.csv", b"a,b\n\0,1\n"),
        ("script.csv", b"<script>alert(1)</script>,b\n<img src=x onerror=alert(1)>\n"),
    ] {
        let page = served.bring(name, bytes);
        assert!(page.contains("role=\"alert\""), "{name}: {page}");
        assert!(!page.contains("<script>alert") && !page.contains("<img"), "{name}");
    }
    // Hostile texts in a valid table are shown as text.
    let hostile = people()
        .replace("job", "<script>alert(1)</script>")
        .replace("nurse", "<img src=x onerror=alert(1)>");
    served.bring("hostile.csv", hostile.as_bytes());
    for path in PAGES.iter().filter(|path| **path != "/progress") {
        let page = served.get(path).body;
        assert!(!page.contains("<script>alert") && !page.contains("<img src"), "{path}");
    }
}

#[test]
fn a_policy_of_the_page_is_whole_by_itself() {
    let served = entered(None);
    served.bring("people.csv", people().as_bytes());
    // A tree from a file is stored in the policy.
    let lines = "do=file&column=sex&lines=f%3Bx%3B*%0D%0Am%3Bx%3B*";
    let body = format!("version={}&{lines}", served.version());
    assert_eq!(served.post("/hierarchies/edit", &body).status, 303);
    let policy = served.get("/files/policy.toml").body;
    assert!(policy.contains("tree") && !policy.contains("hierarchies/"), "{policy}");
    // Settings without a form are kept, and a history is refused.
    let of = |text: &str| {
        let text: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        served.post("/policy", &format!("version={}&text={text}", served.version()))
    };
    let other = policy.replace("[privacy]", "[privacy]\ncombine = [\"job\"]");
    of(&other);
    let form = "model=ratio&p-l=3&style=generalize&algorithm=auto";
    served.post("/promise", &format!("version={}&{form}", served.version()));
    let kept = served.get("/files/policy.toml").body;
    assert!(kept.contains("l = 3"), "{kept}");
    assert_eq!(kept.contains("combine"), other.contains("combine"));
    let history = format!("{policy}\n[history]\nkey = \"age\"\nstate = \"people.state\"\n");
    assert_eq!(of(&history).status, 422);
    // The chosen roles come back when there are no rules any more.
    served.post(
        "/columns",
        &format!(
            "version={}&role-0=quasi-identifier&type-0=integer&role-1=drop&role-2=sensitive",
            served.version()
        ),
    );
    served.post("/rules", &format!("version={}&do=add", served.version()));
    assert!(served.get("/files/policy.toml").body.contains("attribute"));
    served.post("/rules", &format!("version={}&do=remove-0", served.version()));
    let after = served.get("/files/policy.toml").body;
    assert!(!after.contains("attribute") && after.contains("\"sensitive\""), "{after}");
    // A role that does not exist changes nothing.
    served.post("/columns", &format!("version={}&role-0=boss", served.version()));
    assert_eq!(served.get("/files/policy.toml").body, after);
}

#[test]
fn a_table_without_names_is_read_again() {
    let served = entered(None);
    served.bring("people.csv", people().replace("age,sex,job\n", "").as_bytes());
    served.post("/reread", "no-header=on");
    let page = served.settled("/");
    assert!(page.contains("60 rows") && page.contains("column 3"), "{page}");
    // A column with an uninformative name: nothing is published before its role is decided.
    let refused = served.post("/publish", "");
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("column 3"), "{}", refused.body);
    let roles = "role-0=quasi-identifier&type-0=integer&role-1=quasi-identifier&role-2=sensitive";
    served.post("/columns", &format!("version={}&{roles}", served.version()));
    served.post("/publish", "");
    let page = served.settled("/publish");
    assert!(page.contains("id=\"published\""), "{page}");
}

#[test]
fn a_release_knows_what_it_was_made_by() {
    let served = entered(None);
    served.bring("people.csv", people().as_bytes());
    served.post("/publish", "");
    assert!(!served.settled("/publish").contains("Settings were changed"));
    let form = "model=ratio&p-l=2&style=generalize&algorithm=auto";
    served.post("/promise", &format!("version={}&{form}", served.version()));
    assert!(served.get("/publish").body.contains("Settings were changed"));
    // It is attacked with the policy that it was made with.
    served.post("/check/attack", "");
    let page = served.settled("/check");
    assert!(
        page.contains("No attack broke the guarantee.") && !page.contains("role=\"alert\""),
        "{page}"
    );
}

/// A release below the root is attacked with the current policy.
#[test]
fn a_release_from_elsewhere_is_attacked() {
    let folder = tempfile::tempdir().unwrap();
    let served = entered(Some(folder.path()));
    served.bring("people.csv", people().as_bytes());
    let policy = served.get("/files/policy.toml").body;
    std::fs::write(folder.path().join("people.csv"), people()).unwrap();
    let policy = openveil_io::Policy::parse(&policy, &folder.path().join("policy.toml")).unwrap();
    let options = openveil_publication::Options::default();
    openveil_publication::run(&policy, options, &openveil_io::progress::Nobody).unwrap();
    assert!(served.get("/check").body.contains("out/release/release.csv"));
    served.post("/check/attack", "what=file:out/release/release.csv");
    let page = served.settled("/check");
    assert!(
        page.contains("No attack broke the guarantee.") && !page.contains("role=\"alert\""),
        "{page}"
    );
}

/// Remedies are controls: users need not edit the policy's text.
#[test]
fn rows_secrets_and_floors_are_said_in_forms() {
    let served = entered(None);
    let row = |i: usize| {
        let (age, job, pay) = (20 + i % 50, ["nurse", "clerk", "judge", "cook"][i % 4], i % 6);
        format!("H{:04},{age},{job},{pay}\n", i / 2)
    };
    let table = format!("household,age,job,pay\n{}", (0..120).map(row).collect::<String>());
    served.bring("people.csv", table.as_bytes());
    let roles = "role-0=identifier&role-1=quasi-identifier&type-1=integer&floor-1=5&role-2=sensitive&role-3=sensitive&type-3=integer";
    let says = |belongs: &str| {
        let form = format!("version={}&{roles}&belongs={belongs}", served.version());
        assert_eq!(served.post("/columns", &form).status, 303);
        served.get("/policy").body
    };
    let policy = says("ties%3Ahousehold");
    assert!(policy.contains("[ties]") && policy.contains("floor = 5"), "{policy}");
    let policy = says("persons%3Ahousehold");
    assert!(policy.contains("[persons]") && !policy.contains("[ties]"), "{policy}");
    let policy = says("people");
    assert!(policy.contains("rows-are-people = true") && !policy.contains("[persons]"), "{policy}");
    let several = |how: &str| {
        let form = format!(
            "version={}&model=ratio&p-l=3&several={how}&style=slice&algorithm=auto",
            served.version()
        );
        assert_eq!(served.post("/promise", &form).status, 303);
        served.get("/policy").body
    };
    assert!(several("each").contains("protect = &quot;each&quot;"));
    let policy = several("combine");
    assert!(policy.contains("combine = [") && !policy.contains("protect ="), "{policy}");
    assert!(served.get("/promise").body.contains("<blockquote"));
}

#[test]
fn a_shuffled_copy_is_seen_before_a_release() {
    let served = entered(None);
    served.bring("people.csv", people().as_bytes());
    assert_eq!(served.post("/dry", "").status, 303);
    let page = served.settled("/publish");
    assert!(
        page.contains("id=\"beside\"") && page.contains("<caption>Shuffled copy: first rows"),
        "{page}"
    );
    assert!(page.contains("release.csv") && !page.contains("id=\"published\""), "{page}");
    // Known columns stay where they are; secrets do not.
    let beside = page.split("id=\"beside\"").nth(1).unwrap();
    let first = beside.split("<tbody>").nth(1).unwrap().split("</tbody>").next().unwrap();
    assert_eq!(first.matches("<tr>").count(), 20);
    assert!(first.contains("<tr><td>20</td><td>f</td>"), "{first}");
    assert_eq!(served.post("/publish", "").status, 303);
    let page = served.settled("/publish");
    assert!(
        page.contains("<caption>Table: first rows") && page.contains("id=\"published\""),
        "{page}"
    );
}

#[test]
fn a_file_is_read_again_with_another_delimiter_and_encoding() {
    let served = entered(None);
    // Two delimiters are possible, and one byte is a letter only in Windows' encoding.
    let rows = (0..60).map(|i| {
        format!("{},5;{};{}\n", 20 + i % 50, ["f", "m"][i % 2], ["K\u{f6}ln", "Bonn", "Ulm"][i % 3])
    });
    let table = format!("age;sex;town\n{}", rows.collect::<String>());
    let latin: Vec<u8> = table.chars().map(|c| c as u8).collect();
    served.bring("people.csv", &latin);
    let page = served.post("/reread", "delimiter=comma&encoding=windows-1252");
    assert_eq!(page.status, 303);
    let page = served.settled("/");
    assert!(page.contains("60 rows, 2 columns") || page.contains("role=\"alert\""), "{page}");
    served.post("/reread", "delimiter=semicolon&encoding=iso-8859-2");
    let page = served.settled("/");
    assert!(page.contains("60 rows, 3 columns.") && page.contains("K\u{f6}ln"), "{page}");
    let policy = served.get("/policy").body;
    assert!(policy.contains("encoding = &quot;iso-8859-2&quot;"), "{policy}");
}

#[test]
fn one_answer_decides_all_columns_that_are_not_decided() {
    let served = entered(None);
    let row = |i: usize| {
        format!(
            "{},{},{},x{},{},{}\n",
            i % 40,
            ["k", "l", "m"][i % 3],
            ["flu", "gout", "ulcer"][i % 3],
            i % 5,
            ["f", "m"][i % 2],
            ["north", "south"][i / 2 % 2]
        )
    };
    let rows: String = (0..60).map(row).collect();
    served.bring("t.csv", format!("age,qqa,illness,qqb,sex,region\n{rows}").as_bytes());
    let page = served.get("/columns").body;
    assert!(page.contains("name=\"bulk\"") && page.contains("<rect"), "{page}");
    let form = "role-0=quasi-identifier&type-0=integer&role-1=undecided&role-2=sensitive&role-3=undecided&bulk=drop";
    served.post("/columns", &format!("version={}&{form}", served.version()));
    let policy = served.get("/policy").body;
    assert_eq!(policy.matches("role = &quot;drop&quot;").count(), 2, "{policy}");
    assert!(!served.get("/columns").body.contains("name=\"bulk\""));
}

/// Dropped columns, identifiers and several secrets are in the copy as in the table.
#[test]
fn a_shuffled_copy_is_seen_of_every_table() {
    let table = |row: &dyn Fn(usize) -> String, header: &str| {
        format!("{header}\n{}", (0..120).map(row).collect::<String>())
    };
    let jobs = ["nurse", "clerk", "judge", "cook"];
    let dropped = table(
        &|i| format!("\"a \"\"note\"\" \\\",{},{}\n", 20 + i % 50, jobs[i % 4]),
        "note,age,job",
    );
    let id = table(&|i| format!("{i},{},{}\n", 20 + i % 50, jobs[i % 4]), "id,age,job");
    let several =
        table(&|i| format!("{},{},{}\n", 20 + i % 50, jobs[i % 4], i / 4 % 5), "age,job,pay");
    let served = entered(None);
    for (csv, roles, several) in [
        (&dropped, "role-0=drop&role-1=quasi-identifier&type-1=integer&role-2=sensitive", ""),
        (&id, "role-0=identifier&role-1=quasi-identifier&type-1=integer&role-2=sensitive", ""),
        (
            &several,
            "role-0=quasi-identifier&type-0=integer&role-1=sensitive&role-2=sensitive",
            "each",
        ),
        (
            &several,
            "role-0=quasi-identifier&type-0=integer&role-1=sensitive&role-2=sensitive",
            "combine",
        ),
    ] {
        served.bring("people.csv", csv.as_bytes());
        let form = format!("version={}&{roles}&belongs=people", served.version());
        assert_eq!(served.post("/columns", &form).status, 303);
        let form = format!(
            "version={}&model=ratio&p-l=3&several={several}&style=slice&algorithm=auto",
            served.version()
        );
        assert_eq!(served.post("/promise", &form).status, 303);
        assert_eq!(served.post("/dry", "").status, 303);
        let page = served.settled("/publish");
        assert!(page.contains("<caption>Shuffled copy: first rows"), "{roles} {several}: {page}");
    }
}
