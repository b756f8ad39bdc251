use std::sync::Arc;

use lode_core::link::*;
use lode_core::row::Row;
use lode_core::row::{CellKind, ColumnNames};

#[test]
fn only_addresses_of_the_web_and_only_plain_ones_are_told() {
    assert!(is_tellable("https://quailrun.example/team?a=1&b=2#c") && is_tellable("http://quailrun.example"));
    let long = format!("https://{}", "x".repeat(2_000));
    for other in ["", "https://", "file:///etc/passwd", "javascript:alert(1)", "quailrun.example", &long] {
        assert!(!is_tellable(other), "{other}");
    }
    for broken in
        ["https://x.example/\u{1b}\\", "https://x.example/\u{9c}", "https://x.example/a b", "https://é.example"]
    {
        assert!(is_web(broken) && !is_tellable(broken), "{broken:?}");
    }
}

fn row(values: [(&str, &str); 6]) -> Row {
    let columns = Arc::new(ColumnNames::new(values.map(|(name, _)| name)));
    Row::new(None, true, columns, values.map(|(_, value)| (CellKind::Text, value)))
}

fn addresses(website: &str, profile: &str, email: &str, phone: &str, template: &MailTemplate) -> Vec<String> {
    let row = row([
        ("contact_name", "Ann \"A\" O'Neil\r\nBcc: all@evil.example"),
        ("company_name", "{name} & Sons?"),
        ("company_website", website),
        ("linkedin_url", profile),
        ("email", email),
        ("phone", phone),
    ]);
    leads(&row).iter().map(|lead| lead.address(template)).collect()
}

#[test]
fn a_row_leads_to_the_web_to_mail_and_to_the_phone() {
    let plain = MailTemplate::default();
    let found = addresses(
        "quailrun.example/team",
        "HTTPS://in.example/a?b=1",
        "ann+x@elm.example",
        "(512) 555-0142 x7",
        &plain,
    );
    let wanted =
        ["https://quailrun.example/team", "https://in.example/a?b=1", "mailto:ann%2Bx@elm.example", "tel:5125550142"];
    assert_eq!(found, wanted);
    assert_eq!(addresses("", "", "", "+44 20 7946 0018", &plain), ["tel:+442079460018"]);
    let template = MailTemplate { subject: "Hi {first_name}\n{nope}".into(), body: "{company}\nBest, {name}".into() };
    assert_eq!(unknown_field(&template.subject), Some("nope"));
    let [mail] = &addresses("", "", "ann@elm.example", "", &template)[..] else { panic!("one") };
    let wanted = "mailto:ann@elm.example?subject=Hi%20Ann%20%7Bnope%7D&body=%7Bname%7D%20%26%20Sons%3F%0D%0ABest%2C%20Ann%20\
                  %22A%22%20O%27Neil%20%20Bcc%3A%20all%40evil.example";
    assert_eq!(mail, wanted, "a value is neither a field nor a header");
}

#[test]
fn what_a_row_says_is_never_another_scheme_option_or_argument() {
    for hostile in [
        "javascript:alert(1)",
        "JavaScript://x.example/%0aalert(1)",
        "file:///etc/passwd",
        "data:text/html,x.example",
        "--help",
        "-x",
        "",
        " ",
        "x",
        "http://",
        "https:// ",
        "\n",
        "tel:5125550142",
        "smb://h.example/x",
        "vbscript:x.example",
        "/etc/passwd",
        "d•••@elm.example",
        "512•••42",
        "5125550142@",
        "@elm.example",
        "a@b@elm.example?bcc=x",
        "a b",
        "*67#5551234",
    ] {
        let found = addresses(hostile, hostile, hostile, hostile, &MailTemplate::default());
        assert_eq!(found, [""; 0], "{hostile:?}");
    }
    for (hostile, wanted) in [
        (
            "https://x.example/a b\"c'd\n`e`$(f)\\g|h<i>",
            "https://x.example/a%20b%22c%27d%0A%60e%60%24%28f%29%5Cg%7Ch%3Ci%3E",
        ),
        ("-o.example", "https://-o.example"),
        ("x.example/ü;--version", "https://x.example/%C3%BC;--version"),
    ] {
        assert_eq!(addresses(hostile, "", "", "", &MailTemplate::default()), [wanted]);
    }
    let mail = addresses("", "", "a?bcc=b&x=%0d-\"@elm.example", "", &MailTemplate::default());
    assert_eq!(mail, ["mailto:a%3Fbcc%3Db%26x%3D%250d-%22@elm.example"]);
}
