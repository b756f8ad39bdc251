use lode_core::crm::*;
use lode_core::suppress::SuppressEntry;

fn email(email: &str, name: &str) -> SuppressEntry {
    SuppressEntry::Email { email: email.to_owned(), name: name.to_owned() }
}

fn phone(digits: &str, name: &str) -> SuppressEntry {
    SuppressEntry::Phone { digits: digits.to_owned(), name: name.to_owned() }
}

#[test]
fn columns_are_found_by_their_heads_whatever_the_delimiter() {
    let expected = vec![
        email("dana@lakeside.example", "Dana Holt"),
        SuppressEntry::ExactDomain("lakeside.example".to_owned()),
        phone("5125550142", "Dana Holt"),
        SuppressEntry::Person { name: "Dana Holt".to_owned(), company: "Lakeside, Inc.".to_owned() },
    ];
    for (heads, delimiter) in [
        ("First Name,Last Name,E-mail,Company Domain Name,Phone Number,Account Name", ","),
        ("firstName;lastName;emailAddress;website;mobile;company", ";"),
        ("first_name\tlast_name\temail_address\tcompany_website\tphone\tcompany_name", "\t"),
        ("FIRST NAME|SURNAME|Work Email|Web Site|Telephone|Organization", "|"),
        ("First.Name,Last.Name,Contact.Email,Account.Website,Contact.Phone,Account.Name", ","),
    ] {
        let cells = [
            "Dana",
            "Holt",
            "Dana@lakeside.example",
            "https://www.lakeside.example/",
            "+1 (512) 555-0142",
            "\"Lakeside, Inc.\"",
        ];
        let text = format!("\u{feff}{heads}\r\n{}\r\n{}\r\n", cells.join(delimiter), [""; 6].join(delimiter));
        assert_eq!(
            read(&text, false),
            Ok(CrmFile { entries: expected.clone(), skipped: vec![3], unread: vec![] }),
            "{heads}"
        );
    }
}

#[test]
fn heads_that_only_sound_alike_are_passed_over() {
    for head in
        ["Email Status", "email_domain_type", "LinkedIn URL", "Phone Type", "Contact Owner", "Title", "Verification"]
    {
        assert_eq!(Column::of(head), None, "{head}");
    }
}

#[test]
fn a_file_without_heads_is_read_cell_by_cell() {
    let found = read("dana@lakeside.example\nquail.example\n512-555-0142\nnobody\n", true).unwrap();
    let domain = SuppressEntry::Domain("quail.example".to_owned());
    assert_eq!(found.entries, [email("dana@lakeside.example", ""), domain, phone("5125550142", "")]);
    assert_eq!(found.skipped, [4]);
}

#[test]
fn what_makes_no_list_says_why() {
    assert_eq!(read("\u{feff} \r\n", false), Err(UnusableList::Empty));
    assert_eq!(read("Title,State\nNurse,TX\n", false), Err(UnusableList::NoColumn("`Title`, `State`".to_owned())));
    assert_eq!(read("Name\nDana Holt\n", false), Err(UnusableList::NoColumn("`Name`".to_owned())));
    assert_eq!(read("Email\n-\nd•••@lakeside.example\n", false), Err(UnusableList::Nothing));
}

#[test]
fn addresses_and_domains_are_found_in_any_column() {
    let text = "\u{feff}Name,E-mail,Site\r\n\"Dana, W.\",\"Dana@Lakeside.example\",https://www.quailrun.example/about\n\
                ,@harbor.example;elm.example\nTom,not an address,3.5\nDana@lakeside.example\n";
    let email = |text: &str| SuppressEntry::email(text);
    let domain = |text: &str| SuppressEntry::Domain(text.to_owned());
    assert_eq!(
        read_cells(text),
        [email("dana@lakeside.example"), domain("quailrun.example"), domain("harbor.example"), domain("elm.example")]
    );
}

#[test]
fn a_link_of_a_link_names_whom_it_leads_to() {
    assert_eq!(
        read_cells("mailto:Dana@lakeside.example;mailto:mailto:tom@lakeside.example"),
        ["dana@lakeside.example", "tom@lakeside.example"].map(SuppressEntry::email)
    );
}

#[test]
fn invisible_marks_hide_no_entry() {
    let domain = SuppressEntry::Domain("harbor.example".to_owned());
    assert_eq!(
        read_cells("\u{200b}dana@lakeside.example\n\u{202e}harbor.example"),
        [SuppressEntry::email("dana@lakeside.example"), domain]
    );
}

#[test]
fn what_is_neither_names_no_contact() {
    assert_eq!(read_cells("Name,Phone\nTom Beckett,512 555 0142\n-,1.2.3.4,a@b,x@,@,.,..,d•••@lakeside.example\n"), []);
}

/// A phone that is not read would make its owner a contact that may be bought.
#[test]
fn a_phone_is_read_without_its_extension() {
    let read = |cell: &str| read(&format!("Phone,Email\n{cell},zz@other.example\n"), true).unwrap();
    for cell in [
        "3185550167 x12",
        "(318) 555-0167 ext. 4",
        "318.555.0167 Extension: 12",
        "318-555-0167#4",
        "tel:+1-318-555-0167",
        "318\u{a0}555\u{2011}0167",
    ] {
        let found = read(cell);
        assert_eq!(found.entries, [email("zz@other.example", ""), phone("3185550167", "")], "{cell}");
        assert_eq!(found.left_out(), "", "{cell}");
        // A row is compared in the same way.
        assert_eq!(lode_core::same_person::phone(cell), "3185550167", "{cell}");
    }
    // What cannot be read suppresses no one, so it is said.
    for cell in ["3185550167 x12 or y", "3185550167 example", "call 3185550167"] {
        let found = read(cell);
        assert_eq!(found.entries, [email("zz@other.example", "")], "{cell}");
        assert_eq!(found.left_out(), "; line 2 has an email or phone that cannot be read", "{cell}");
    }
    assert_eq!(read("none").left_out(), "");
}
