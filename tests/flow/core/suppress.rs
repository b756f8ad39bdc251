use std::sync::Arc;

use lode_core::contact::{RowId, Side};
use lode_core::money::Staged;
use lode_core::money::StagedFields;
use lode_core::same_person::*;
use lode_core::suppress::*;

fn lists() -> Lists {
    let customers = vec![
        SuppressEntry::Domain("Lakeside.example".to_owned()),
        SuppressEntry::ExactDomain("elm.example".to_owned()),
        SuppressEntry::email("Tom.Beckett@quailrun.example"),
        SuppressEntry::Email { email: "ops@quailrun.example".to_owned(), name: "Olga Petrov".to_owned() },
        SuppressEntry::Phone { digits: "5125550142".to_owned(), name: String::new() },
        SuppressEntry::Phone { digits: "7135550188".to_owned(), name: "Ruth Abara".to_owned() },
        SuppressEntry::Phone { digits: "5550119".to_owned(), name: String::new() },
        SuppressEntry::Person { name: "Priya Raman".to_owned(), company: "St. Brendan Clinic".to_owned() },
    ];
    let dnc = vec![SuppressEntry::Contact(Side::default(), RowId(9))];
    let list = |list: &str, entries| Suppression { list: list.to_owned(), entries };
    Lists::of(Arc::new(vec![list("customers", customers), list("dnc", dnc)]))
}

fn check(row: &Staged) -> Result<Option<String>, Unchecked> {
    let lists = lists();
    match lists.check(Side::default(), ShownFields::of(row)) {
        SuppressionCheck::Clear => Ok(None),
        SuppressionCheck::Named(at) => Ok(Some(lists.list(at).to_owned())),
        SuppressionCheck::Unchecked(why, _) => Err(why),
    }
}

fn about(email: &str, name: &str) -> StagedFields {
    StagedFields { email: email.to_owned(), name: name.to_owned(), ..StagedFields::default() }
}

fn told(about: StagedFields) -> Staged {
    Staged::new(RowId(1), false, about)
}

fn row(email: &str, name: &str) -> Staged {
    told(about(email, name))
}

const CUSTOMERS: Result<Option<&str>, Unchecked> = Ok(Some("customers"));

#[track_caller]
fn is(row: &Staged, expected: Result<Option<&str>, Unchecked>) {
    assert_eq!(check(row), expected.map(|list| list.map(str::to_owned)), "{row:?}");
}

#[test]
fn a_masked_row_is_known_by_its_domain() {
    is(&row("d•••@lakeside.example", "Dana Whitfield"), CUSTOMERS);
    is(&row("d•••@mail.lakeside.example", "Dana Whitfield"), CUSTOMERS);
    is(&row("d•••@notlakeside.example", "Dana Whitfield"), Ok(None));
    is(&row("d•••@elm.example", "Dana Whitfield"), CUSTOMERS);
    is(&row("d•••@mail.elm.example", "Dana Whitfield"), Ok(None));
}

#[test]
fn a_masked_row_is_known_by_letter_domain_and_name() {
    is(&row("t•••@quailrun.example", "Tom Beckett"), CUSTOMERS);
    is(&row("t***@quailrun.example", "Tom Beckett"), CUSTOMERS);
    is(&row("t•••@quailrun.example", "Tara Olsen"), Ok(None));
    is(&row("t•••@quailrun.example", "Tom Olsen"), Err(Unchecked::Email));
    is(&row("@quailrun.example", "Tom Olsen"), Err(Unchecked::Email));
    is(&row("t•••@quailrun.example", ""), Err(Unchecked::Email));
    is(&row("tom.beckett@quailrun.example", ""), CUSTOMERS);
    is(&row("tara@quailrun.example", "Tom Beckett"), Ok(None));
    is(&row("o•••@quailrun.example", "Olga Petrov"), CUSTOMERS);
    is(&row("o•••@quailrun.example", "Otto Klein"), Ok(None));
}

#[test]
fn what_an_address_says_counts_where_a_short_form_of_the_name_leaves_it_open() {
    let entry = |text: &str, name: &str| {
        let email = SuppressEntry::Email { email: text.to_owned(), name: name.to_owned() };
        Lists::of(Arc::new(vec![Suppression { list: "customers".to_owned(), entries: vec![email] }]))
    };
    let of = |lists: &Lists, about: &Staged| lists.check(Side::default(), ShownFields::of(about));
    let bob = entry("r.smith@pine.example", "Bob Smith");
    let named = of(&bob, &row("r•••@pine.example", "Robert Smith"));
    assert!(matches!(named, SuppressionCheck::Named(_)), "{named:?}");
    // A name with accents is spelled in more ways than a table knows.
    let thomas = entry("thomas.nunes@pine.example", "");
    let open = of(&thomas, &row("t•••@pine.example", "Tomás Núñez"));
    assert!(matches!(open, SuppressionCheck::Unchecked(..)), "{open:?}");
    let thomas = entry("t@pine.example", "Thomas Nunes");
    let open = of(&thomas, &row("t•••@pine.example", "Tomás Núñez"));
    assert!(matches!(open, SuppressionCheck::Unchecked(..)), "{open:?}");
    assert_eq!(of(&thomas, &row("t•••@pine.example", "Tara Olsen")), SuppressionCheck::Clear);
}

#[test]
fn a_mask_without_a_domain_is_not_checked_and_may_still_be_named() {
    for email in ["", "d•••", "•••", "d•••@", "d•••@•••.example", "d•••@localhost", "d•••other.example"]
    {
        is(&row(email, "Dana Whitfield"), Err(Unchecked::NoDomain));
    }
    is(&row("d•••lakeside.example", "Dana Whitfield"), CUSTOMERS);
    is(&row("", ""), Err(Unchecked::NoRow));
}

#[test]
fn a_phone_is_known_by_its_digits_and_a_masked_one_that_fits_is_not_checked() {
    let phone = |phone: &str, name: &str| {
        told(StagedFields { phone: phone.to_owned(), ..about("x•••@other.example", name) })
    };
    is(&phone("+1 (512) 555-0142", "Dana Whitfield"), CUSTOMERS);
    is(&phone("5125550143", "Dana Whitfield"), Ok(None));
    is(&phone("512•••42", "Dana Whitfield"), Err(Unchecked::Phone));
    is(&phone("512•••0142", "Dana Whitfield"), Err(Unchecked::Phone));
    is(&phone("512•••43", "Dana Whitfield"), Ok(None));
    is(&phone("713•••88", "Ruth Abara"), Err(Unchecked::Phone));
    is(&phone("713•••88", "Dana Whitfield"), Ok(None));
    is(&phone("713•••88", "Ruth Moore"), Err(Unchecked::Phone));
    is(&phone("+1•••42", "Dana Whitfield"), Err(Unchecked::Phone));
    is(&phone("832•••19", "Dana Whitfield"), Err(Unchecked::Phone));
    is(&phone("713•••88", ""), Err(Unchecked::Phone));
}

/// Lists are asked only about what they name: phones of either length are enough.
#[test]
fn lists_of_nothing_but_phones_know_a_phone() {
    for digits in ["5125550142", "5550142"] {
        let entries = vec![SuppressEntry::Phone { digits: digits.to_owned(), name: String::new() }];
        let lists = Lists::of(Arc::new(vec![Suppression { list: "calls".to_owned(), entries }]));
        let check = |phone: &str| {
            let row =
                told(StagedFields { phone: phone.to_owned(), ..about("x•••@other.example", "Dana Whitfield") });
            lists.check(Side::default(), ShownFields::of(&row))
        };
        assert!(!matches!(check("512•••42"), SuppressionCheck::Clear), "{digits} may be behind the mask");
        assert!(matches!(check(digits), SuppressionCheck::Named(_)), "{digits}");
    }
}

#[test]
fn a_name_counts_only_together_with_its_company() {
    let at = |name: &str, company: &str| {
        told(StagedFields { company: company.to_owned(), ..about("x•••@other.example", name) })
    };
    is(&at("PRIYA  Raman", "St Brendan Clinic"), CUSTOMERS);
    for company in ["St. Brendan Clinic, Inc.", "The St Brendan Clinic LLC", "SaintBrendan Clinic"] {
        let expected = if company.starts_with("Saint") { Ok(None) } else { CUSTOMERS };
        is(&at("Priya Raman", company), expected);
    }
    is(&at("Priya K. Raman", "St. Brendan Clinic"), CUSTOMERS);
    is(&at("Raman, Priya", "St. Brendan Clinic"), CUSTOMERS);
    is(&at("Priya Cole", "St. Brendan Clinic Inc"), Err(Unchecked::Name));
    is(&at("Priya Raman", "St. Brendan Clinic of Texas"), Err(Unchecked::Name));
    is(&at("Otto Klein", "St. Brendan Clinic"), Ok(None));
    is(&at("Priya Raman", "Harbor Point"), Ok(None));
    is(&at("Priya Raman", ""), Err(Unchecked::Person));
    is(&at("", "St. Brendan Clinic"), Err(Unchecked::Person));
}

#[test]
fn a_contact_can_be_named_itself() {
    is(&Staged::by_id(RowId(9)), Ok(Some("dnc")));
    let by_hand = SuppressEntry::Contact(Side::default(), RowId(9));
    let lists = Lists::of(Arc::new(vec![Suppression { list: "by hand".to_owned(), entries: vec![by_hand] }]));
    assert_eq!(
        lists.check(Side::default(), ShownFields::of(&Staged::by_id(RowId(8)))),
        SuppressionCheck::Clear,
        "ids alone need no row"
    );
    assert!(!lists.is_empty() && Lists::default().is_empty());
}

#[test]
fn a_local_part_speaks_of_a_name_or_not() {
    for (entry, name, expected) in [
        ("tom.beckett", "Tom Beckett", Same::Yes),
        ("tbeckett", "Tom Beckett", Same::Yes),
        ("t.li", "Tao Li", Same::Yes),
        ("taoli", "Tao Li", Same::Yes),
        ("tl", "Tao Li", Same::Perhaps),
        ("t.o", "Tara Olsen", Same::Perhaps),
        ("team", "Tara Olsen", Same::Perhaps),
        ("t61041", "Tara Olsen", Same::Perhaps),
        ("tolse", "Tara Olsen", Same::Perhaps),
        ("t.beckett", "Tara Olsen", Same::Perhaps),
        ("tara.beckett", "Tara Olsen", Same::Perhaps),
        ("tar.ols", "Tara Olsen", Same::Perhaps),
        ("training.desk", "Tara Olsen", Same::Perhaps),
        ("t1.t2", "Tara Olsen", Same::Perhaps),
        ("tom.beckett", "Tara Olsen", Same::No),
        ("tom_beckett7", "Tara Olsen", Same::No),
        ("tomas.nunez", "Tomás Núñez", Same::Yes),
        ("thoerg.mueller", "Thörg Müller", Same::Perhaps),
        ("tomáš.novák", "Tara Olsen", Same::No),
        ("tom.beckett", "Тара Ольсен", Same::Perhaps),
        ("tchoi-bennett", "Tara Olsen", Same::Perhaps),
        ("to'brien", "Tara Olsen", Same::Perhaps),
        ("tbeckett+lists", "Tara Olsen", Same::Perhaps),
        ("tom.beckett", "", Same::Perhaps),
    ] {
        assert_eq!(person(entry, "", "t•••", name), expected, "{entry} {name}");
    }
    assert_eq!(person("sylviab", "Sylvia Bennett", "s•••", "Sylvia Moore"), Same::Perhaps, "a maiden name");
    assert_eq!(person("sylviab", "Sam Ortiz", "s•••", "Sylvia Moore"), Same::No);
    assert_eq!(person("sylviab", "Sam Ortiz", "m•••", "Sylvia Moore"), Same::No);
    for mask in ["s..", "s__", "sxxx", "s***", ""] {
        assert_eq!(
            person("sylviab", "", mask, "Sylvia Bennett"),
            if mask.is_empty() { Same::Perhaps } else { Same::Yes }
        );
    }
    assert_eq!(person("sylviab", "S. Bennett", "s•••", "Sylvia Bennett"), Same::Yes);
    assert_eq!(person("tom", "", "•••", "Tom Beckett"), Same::Yes, "a mask may hide the letter as well");
}

#[test]
fn two_names_are_two_people_only_where_both_differ() {
    for (one, other, expected) in [
        ("Sylvia Bennett", "SYLVIA BENNETT", Same::Yes),
        ("Sylvia M. Bennett", "Sylvia Bennett", Same::Yes),
        ("Bennett, Sylvia", "Sylvia Bennett", Same::Yes),
        ("S. Bennett", "Sylvia Bennett", Same::Yes),
        ("Sylvia Bennett", "Sylvia Moore", Same::Perhaps),
        ("Sam Bennett", "Sylvia Bennett", Same::Perhaps),
        ("Ed Stone", "Edward Moore", Same::Perhaps),
        ("Bennett", "Sylvia Bennett", Same::Perhaps),
        ("Olga Petrov", "Ольга Петрова", Same::Perhaps),
        ("Jörg Müller", "Joerg Mueller", Same::Perhaps),
        ("Zoë Muñoz", "Zoe Munoz", Same::Yes),
        ("Dr. Olga Petrov", "Dr. Otto Klein", Same::No),
        ("", "Otto Klein", Same::Perhaps),
    ] {
        assert_eq!(names(one, other), expected, "{one} {other}");
        assert_eq!(names(other, one), expected, "{other} {one}");
    }
}

#[test]
fn phones_are_their_digits() {
    assert_eq!(phone("+1 (512) 555-0142"), "5125550142");
    assert_eq!(phone("44 20 7946 0958"), "442079460958");
    assert_eq!(masked_phone("(512) •••-••71"), Some(("512".to_owned(), "71".to_owned())));
    assert_eq!(masked_phone("+1 512•••71"), Some(("512".to_owned(), "71".to_owned())));
    assert_eq!(masked_phone("5125550142"), None);
}

#[test]
fn the_entries_of_a_list_are_counted_by_kind() {
    let entries = |count: usize, entry: SuppressEntry| vec![entry; count];
    let person = || SuppressEntry::Person { name: "Ruth Abara".to_owned(), company: "Lakeside".to_owned() };
    let all = [
        entries(3, SuppressEntry::email("a@b.example")),
        entries(1, SuppressEntry::Domain("b.example".to_owned())),
        entries(1, SuppressEntry::ExactDomain("c.example".to_owned())),
        entries(2, person()),
        entries(1, SuppressEntry::Contact(Side::default(), RowId(1))),
    ];
    assert_eq!(contents(&all.concat()), "3 emails, 2 domains, 2 people, 1 contact");
    assert_eq!(contents(&entries(1, person())), "1 person");
    assert_eq!(contents(&[]), "");
}

#[test]
fn what_holds_a_contact_back_is_named_with_how_many_more_do() {
    let by = HeldBy { list: "dnc".to_owned(), entry: "*.acme.example".to_owned() };
    let with = [0, 1, 1_200].map(|more| by.with(more));
    assert_eq!(with, ["dnc: *.acme.example", "dnc: *.acme.example and 1 more", "dnc: *.acme.example and 1,200 more"]);
}

/// An entry that has no ASCII spelling may mean any international domain, and no other.
#[test]
fn a_domain_that_cannot_be_compared_leaves_plain_ones_alone() {
    let entries = vec![SuppressEntry::Domain("xn--\u{fc}.example".to_owned())];
    let lists = Lists::of(Arc::new(vec![Suppression { list: "odd".to_owned(), entries }]));
    let check = |email: &str| lists.check(Side::default(), ShownFields::of(&row(email, "Dana Whitfield")));
    assert_eq!(check("d•••@lakeside.example"), SuppressionCheck::Clear);
    let international = check("d•••@b\u{fc}cher.example");
    assert!(matches!(international, SuppressionCheck::Unchecked(..)), "{international:?}");
}

/// An email without its domain may be any entry, whatever the phone still allows.
#[test]
fn a_row_that_any_entry_may_name_names_no_single_one() {
    let lists = lists();
    let held = |email: &str| {
        let row = told(StagedFields { phone: "512•••42".to_owned(), ..about(email, "Dana Whitfield") });
        match lists.check(Side::default(), ShownFields::of(&row)) {
            SuppressionCheck::Unchecked(_, may) => may.len(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((held("d•••@other.example"), held("d•••")), (1, 0));
}

#[test]
fn an_email_shows_its_domain_or_not() {
    for shows in ["d•••@lakeside.example", " dana@Lakeside.example"] {
        assert!(shows_domain(shows), "{shows}");
    }
    for hides in ["", "d•••", "d•••@•••.example", "d•••lakeside.example"] {
        assert!(!shows_domain(hides), "{hides}");
    }
}

#[test]
fn a_row_without_a_phone_is_held_back_by_no_phone() {
    for digits in ["", "5550142", "5125550142"] {
        let entries = vec![SuppressEntry::Phone { digits: digits.to_owned(), name: String::new() }];
        let lists = Lists::of(Arc::new(vec![Suppression { list: "calls".to_owned(), entries }]));
        let row = row("x•••@other.example", "Dana Whitfield");
        assert_eq!(lists.check(Side::default(), ShownFields::of(&row)), SuppressionCheck::Clear, "{digits}");
    }
}
