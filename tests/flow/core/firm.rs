use lode_core::firm::*;

#[test]
fn spellings_of_one_company_have_one_normal_form() {
    for (name, expected) in [
        ("Lakeside Regional, Inc.", "lakeside regional"),
        ("LAKESIDE REGIONAL", "lakeside regional"),
        ("The Lakeside Regional Co., Ltd.", "lakeside regional"),
        ("St. Brendan's Clinic L.L.C.", "st brendans clinic"),
        ("Smith & Sons GmbH & Co. KG", "smith and sons gmbh and"),
        ("Société Générale S.A.", "société générale"),
        ("The Company", "the"),
        ("Inc", "inc"),
        ("  ", ""),
        ("", ""),
    ] {
        assert_eq!(normal(name), expected, "{name}");
    }
}

#[test]
fn a_service_is_asked_for_the_name_without_its_legal_form() {
    for (name, expected) in [
        ("St. Brendan Clinic, Inc.", "St. Brendan Clinic"),
        ("Apex Holdings LLC", "Apex"),
        ("Quail Run L.L.C.", "Quail Run"),
        ("Quail Run", "Quail Run"),
        ("Inc", "Inc"),
    ] {
        assert_eq!(without_legal_form(name), expected, "{name}");
    }
}

#[test]
fn names_are_the_same_near_part_of_each_other_or_other() {
    for (one, other, expected) in [
        ("lakeside regional", "lakeside regional", Similarity::Same),
        ("lake side regional", "lakeside regional", Similarity::Same),
        ("lakesid regional", "lakeside regional", Similarity::Near),
        ("lakeisde regional", "lakeside regional", Similarity::Near),
        ("lakezide regional", "lakeside regional", Similarity::Near),
        ("lakeside", "lakeside regional", Similarity::Part),
        ("abc", "abc dental", Similarity::Other),
        ("apex", "apax", Similarity::Other),
        ("quail run", "lakeside", Similarity::Other),
        ("", "", Similarity::Other),
    ] {
        assert_eq!(Similarity::of(one, other), expected, "{one} {other}");
        assert_eq!(Similarity::of(other, one), expected, "{other} {one}");
    }
}

#[test]
fn a_domain_is_read_from_websites_and_emails() {
    for (text, expected) in [
        ("https://www.Lakeside.example/about?x=1", Some("lakeside.example")),
        ("http://user@lakeside.example:8080", Some("lakeside.example")),
        ("WWW.lakeside.example.", Some("lakeside.example")),
        ("dana@mail.lakeside.example", Some("mail.lakeside.example")),
        ("bücher.example", Some("bücher.example")),
        ("lakeside", None),
        ("127.0.0.1", None),
        ("Lakeside Inc.", None),
        ("a b.example", None),
        ("", None),
    ] {
        assert_eq!(domain(text).as_deref(), expected, "{text}");
    }
    assert!(is_mail_host("gmail.com") && !is_mail_host("lakeside.example"));
}

#[test]
fn a_company_is_known_by_its_domain_else_by_its_name() {
    for (email, kind, company, expected) in [
        ("d•••@Lakeside.example", "corporate", "Lakeside Inc", Some("lakeside.example")),
        ("d•••@lakeside.example", "", "Lakeside Inc", Some("lakeside.example")),
        ("d•••@bücher.example", "", "Lakeside Inc", Some("xn--bcher-kva.example")),
        ("d•••@xn--bcher-kva.example", "", "Lakeside Inc", Some("xn--bcher-kva.example")),
        ("d•••@mailbox.example", "personal", "Lakeside Inc", Some("lakeside")),
        ("d•••@gmail.com", "", "Lakeside Inc", Some("lakeside")),
        ("", "corporate", "Lakeside Inc", Some("lakeside")),
        ("d•••", "", "", None),
    ] {
        assert_eq!(key(email, kind, company).as_deref(), expected, "{email} {kind} {company}");
    }
}
