//! Tests which requests are refused, and which files are never sent.

use super::*;

#[test]
fn nobody_is_answered_without_the_way_in() {
    let (mut served, way_in) = started(&options(None));
    let all = PAGES.iter().chain(&["/assets/style.css", "/files/policy.toml", "/nowhere"]);
    for path in all.clone() {
        let answer = served.send("GET", path, &[], b"");
        assert_eq!(answer.status, 401, "{path}");
        assert!(!answer.body.contains("<html"));
    }
    assert_eq!(served.send("GET", "/enter?token=0", &[], b"").status, 401);
    // A HEAD request does not use up the token, and other methods are refused.
    assert_eq!(served.send("HEAD", &way_in, &[], b"").status, 401);
    assert_eq!(served.send("POST", &way_in, &[], b"").status, 403);
    served.enter(&way_in);
    assert_eq!(served.send("GET", &way_in, &[], b"").status, 401, "it works once");
    let cookie = served.cookie.clone();
    for path in all {
        // Neither the path nor the cookie is enough.
        assert_eq!(served.send("GET", &served.at(path), &[], b"").status, 401, "{path}");
        assert_eq!(served.send("GET", path, &[("cookie", &cookie)], b"").status, 401, "{path}");
        let forged = format!("{}0", &cookie[..cookie.len() - 1]);
        if forged != cookie {
            let forged = [("cookie", forged.as_str())];
            assert_eq!(served.send("GET", &served.at(path), &forged, b"").status, 401, "{path}");
        }
    }
    assert_eq!(served.get("/").status, 200);
    // A new link works, and the previous one no longer does. Entering locks out the earlier
    // browser.
    let path = |address: String| format!("/{}", address.splitn(4, '/').nth(3).unwrap());
    let (first, second) = (path(served.handle.address()), path(served.handle.address()));
    assert_eq!(served.send("GET", &first, &[], b"").status, 401);
    served.enter(&second);
    assert_eq!(served.send("GET", &served.at("/"), &[("cookie", &cookie)], b"").status, 401);
    assert_eq!(served.get("/").status, 200);
}

#[test]
fn other_names_and_other_sites_are_refused() {
    let served = entered(None);
    let cookie = ("cookie", served.cookie.as_str());
    let port = served.host.split(':').nth(1).unwrap().to_owned();
    let (page, language) = (served.at("/"), served.at("/language"));
    // Another name that points to this address.
    for host in
        ["evil.example", &format!("evil.example:{port}"), &format!("localhost:{port}"), "127.0.0.1"]
    {
        let answer = served.send("GET", &page, &[cookie, ("host", host)], b"");
        assert_eq!(answer.status, 421, "{host}");
    }
    for site in ["cross-site", "same-site", ""] {
        let answer = served.send("GET", &page, &[cookie, ("sec-fetch-site", site)], b"");
        assert_eq!(answer.status, 403, "{site}");
    }
    let twice = [cookie, ("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")];
    assert_eq!(served.send("GET", &page, &twice, b"").status, 403);
    let form = b"to=de";
    for origin in
        ["http://evil.example", "null", "http://127.0.0.1:1", &format!("https://{}", served.host)]
    {
        for (method, path) in [("POST", &language), ("GET", &page)] {
            let answer = served.send(method, path, &[cookie, ("origin", origin)], form);
            assert_eq!(answer.status, 403, "{origin}");
        }
    }
    assert_eq!(served.send("POST", &language, &[cookie], form).status, 403, "no origin");
    assert_eq!(served.post("/language", "to=de").status, 303);
}

#[test]
fn every_answer_is_hardened() {
    let served = entered(None);
    for path in
        PAGES.iter().filter(|path| **path != "/progress").chain(&["/nowhere", "/assets/page.js"])
    {
        let answer = served.get(path);
        for needed in [
            "content-security-policy: default-src 'none'",
            "x-content-type-options: nosniff",
            "cache-control: no-store",
            "x-frame-options: deny",
            "referrer-policy: same-origin",
        ] {
            assert!(answer.head.contains(needed), "{path}: {needed} of {}", answer.head);
        }
        assert!(!answer.head.contains("access-control-allow"), "{path}");
    }
    let refused = served.send("GET", "/", &[], b"");
    assert!(refused.head.contains("content-security-policy: default-src 'none'"));
}

#[test]
fn only_files_below_the_root_are_chosen() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("people.csv"), people()).unwrap();
    let served = entered(Some(folder.path()));
    for path in ["..%2Fpeople.csv", "%2Fetc%2Fpasswd", "nowhere.csv"] {
        assert_eq!(served.post("/bring", &format!("path={path}")).status, 422, "{path}");
        assert_eq!(served.post("/check/audit", &format!("what=file:{path}")).status, 422, "{path}");
    }
    assert_eq!(served.post("/bring", "path=people.csv").status, 303);
    assert!(served.settled("/").contains("60 rows"));
}

#[test]
fn everything_goes_when_it_ends() {
    let (mut served, way_in) =
        started(&ServeOptions { idle: Duration::from_millis(1_500), ..options(None) });
    served.enter(&way_in);
    let name = format!("mine-{}.csv", std::process::id());
    served.bring(&name, people().as_bytes());
    let inside = |folder: &Path| -> Vec<std::path::PathBuf> {
        std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect()
    };
    // Other tests use other folders.
    let is_there = || {
        let mut folders = inside(&std::env::temp_dir());
        folders.retain(|path| path.to_string_lossy().contains("openveil-serve-"));
        folders
            .iter()
            .flat_map(|path| inside(&path.join("tables")))
            .any(|folder| folder.join(&name).exists())
    };
    assert!(is_there());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let folders = inside(&std::env::temp_dir());
        let mut own = folders.iter().filter(|path| path.join("tables").exists());
        let mode = |path: &std::path::PathBuf| path.metadata().unwrap().permissions().mode();
        assert!(own.all(|path| mode(path) & 0o777 == 0o700));
    }
    // Without requests it ends by itself; a remaining handle keeps nothing alive.
    served.thread.take().unwrap().join().unwrap();
    assert!(TcpStream::connect(&served.host).is_err());
    assert!(!is_there());
}
