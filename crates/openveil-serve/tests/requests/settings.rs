//! The policy that the forms make.

use super::{entered, people};

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
