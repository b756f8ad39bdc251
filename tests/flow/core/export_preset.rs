use lode_core::export::Cell;
use lode_core::export::preset::*;
use lode_core::export::{ExportWriter, Layout};

fn sheet(preset: &Preset, columns: &[&str], cells: &[&str]) -> String {
    let mut sheet = ExportWriter::new(Layout::Mapped(preset.clone()), columns);
    let mut out = Vec::new();
    sheet.header(&mut out);
    let cells: Vec<Cell<'_>> = cells.iter().map(|text| (lode_core::CellKind::Text, &**text)).collect();
    sheet.row(&cells, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn the_built_in_presets_read_and_map() {
    for (name, preset) in BUILT_IN.iter() {
        assert!(!preset.title.is_empty(), "{name}");
        assert!(preset.columns.iter().any(|column| column.from.contains(&"email".to_owned())), "{name}");
    }
    let hubspot = sheet(
        Preset::built_in("hubspot").unwrap(),
        &["email_address", "contact_name", "zip", "phone"],
        &["dana@lakeside.example", "Dana van Dyk", "01234", "+15125550133"],
    );
    let lines: Vec<&str> = hubspot.lines().collect();
    assert!(lines[0].starts_with("Email,First Name,Last Name,"), "{}", lines[0]);
    assert!(lines[1].starts_with("dana@lakeside.example,Dana van,Dyk,"), "{}", lines[1]);
    assert!(lines[1].contains("01234") && lines[1].contains(",+15125550133,"));
}

/// The names of a lead's fields as the two programs document them: Instantly in `POST /api/v2/leads` of its API, Smartlead
/// in `lead_list` of its API. Their importers know these names without being told.
#[test]
fn the_outreach_forms_have_the_documented_heads() {
    let columns = ["id", "email", "contact_name", "company_name", "company_website", "phone", "title", "city", "state"];
    let cells = [
        "7", "tom@quailrun.example", "Tom Beckett", "Quail Run", "quailrun.example", "+15125550133", "CEO", "Austin",
        "TX",
    ];
    assert_eq!(
        sheet(Preset::built_in("instantly").unwrap(), &columns, &cells),
        "email,first_name,last_name,company_name,job_title,phone,website\n\
         tom@quailrun.example,Tom,Beckett,Quail Run,CEO,+15125550133,quailrun.example\n"
    );
    assert_eq!(
        sheet(Preset::built_in("smartlead").unwrap(), &columns, &cells),
        "email,first_name,last_name,phone_number,company_name,website,location,linkedin_profile,company_url,job_title\n\
         tom@quailrun.example,Tom,Beckett,+15125550133,Quail Run,quailrun.example,Austin,,quailrun.example,CEO\n"
    );
}

#[test]
fn heads_as_people_write_them_are_known() {
    let preset = Preset::built_in("salesforce").unwrap();
    let columns = ["Record ID", "First Name", "Last Name", "Company", "E-mail Address", "ZIP Code", "Phone Number"];
    let text =
        sheet(preset, &columns, &["7", "Tom", "Beckett", "Quail Run", "tom@quailrun.example", "01234", "5125550133"]);
    let line = text.lines().nth(1).unwrap();
    assert_eq!(line, "Beckett,Tom,Quail Run,,tom@quailrun.example,5125550133,,,,,,01234,,");
}

#[test]
fn columns_keep_their_order_and_fall_back() {
    let preset = "title = \"x\"\n[columns]\n\"Z\" = [\"nothing\", \"b\", \"a\"]\n\"A\" = \"contact_name\"\n\"N\" = \"nowhere\"\n";
    assert_eq!(
        sheet(&Preset::read(preset).unwrap(), &["a", "b", "first_name", "last_name"], &["1", "", "Tom", "Beckett"]),
        "Z,A,N\n1,Tom Beckett,\n"
    );
}

#[test]
fn a_broken_preset_says_what_is_wrong() {
    for (text, words) in [
        ("title = 3", "no [columns]"),
        ("[columns]\nx = 3", "`x` is not a known column"),
        ("title = 1\n[columns", "line 2: "),
    ] {
        assert!(Preset::read(text).unwrap_err().to_string().contains(words), "{text}");
    }
}
