use lode_core::purse::*;

#[test]
fn every_spelling_of_an_address_is_one_origin() {
    for (spellings, origin) in [
        (
            &[
                "https://api.example",
                "https://api.example/",
                "HTTPS://API.Example:443/api/v1/",
                "https://api.example.:443",
                "https://api.example:0443?x",
            ][..],
            "https://api.example",
        ),
        (&["https://api.example:8443/api/v1", "https://API.example:8443/"], "https://api.example:8443"),
        (&["http://api.example", "http://api.example:80/"], "http://api.example"),
        (&["http://api.example:443"], "http://api.example:443"),
        (
            &[
                "http://127.0.0.1:4000/api/v1",
                "http://LOCALHOST:4000",
                "http://localhost.:4000",
                "http://[::1]:4000/",
                "http://[0:0:0:0:0:0:0:1]:4000/",
                "http://127.8.9.1:4000",
                "http://[::ffff:127.0.0.1]:4000",
                "http://[::ffff:7f00:1]:4000",
            ],
            "http://localhost:4000",
        ),
        (&["http://127.0.0.1", "http://[::1]", "http://localhost:80"], "http://localhost"),
        (&["https://[2001:DB8::1]:443/", "https://[2001:db8::1]"], "https://[2001:db8::1]"),
        (&["http://127.0.0.1.example:4000"], "http://127.0.0.1.example:4000"),
    ] {
        for spelling in spellings {
            assert_eq!(Origin::of(spelling).as_str(), origin, "{spelling}");
            assert_eq!(Origin::of(origin).as_str(), origin, "it stays as it is");
        }
    }
}

#[test]
fn other_services_are_other_origins() {
    let origins = ["http://localhost:1", "http://localhost:2", "https://localhost:1", "http://localhost.example:1"];
    let all: std::collections::BTreeSet<Origin> = origins.iter().map(|text| Origin::of(text)).collect();
    assert_eq!(all.len(), origins.len());
    assert!(!all.contains(&Origin::demo()));
}
