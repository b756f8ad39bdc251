//! What the services of a fuzzed window say: bodies as text, sane by mood or absurd.

use std::time::Duration;

use lode_core::contact::Source;
use lode_engine::effect::call::{Call, SearchCall};
use lode_engine::effect::failure::{Failure, Refusal, Unclear};
use lode_engine::effect::unlock::UnlockBody;

use crate::fuzz::choices::Choices;
use crate::rng::Rng;

/// How the services answer, drawn from a seed.
pub struct Mood {
    rng: Rng,
    rows: bool,
    money: bool,
    account: bool,
    disk: bool,
}

/// Totals that a result can and cannot have.
const TOTALS: [&str; 12] = [
    "0", "1", "30", "4870", "80000000", "-5", "\"12\"", "9007199254740993", "18446744073709551615", "1e30", "null",
    "1e999",
];
const LIMITS: [&str; 8] = ["0", "1", "25", "-1", "1000000", "18446744073709551615", "\"100\"", "null"];
const OFFSETS: [&str; 5] = ["0", "7", "18446744073709551615", "-9", "null"];
/// JSON as it stands in a field.
const VALUES: [&str; 22] = [
    "null",
    "\"\"",
    "\"Dana Whitfield\"",
    r#""\u001b[31mred\u001b[0m""#,
    r#""\u001b]52;c;ZXZpbA==\u0007""#,
    r#""\u009d0;x\u009c""#,
    r#""\u202eelpmaxe""#,
    r#""half \ud800 pair""#,
    r#""zero\u200bwidth\ufeff""#,
    "\"👩‍👩‍👧‍👦👍🏽🏳️‍🌈\"",
    "\"山田太郎株式会社\"",
    "\"شركة\"",
    r#""e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301""#,
    "\"=1+1\"",
    r#""two\nlines\tand tabs""#,
    "-1e308",
    "1e999",
    "true",
    r#"["a",{"b":[[[["\u0007"]]]]}]"#,
    "\"d•••@lakeside.example\"",
    "\"https://elsewhere.example/\\u001b]8;;\"",
    "\"invalid\"",
];
const IDS: [&str; 9] = [
    "9007199254740993", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "\"5\"", "5", "0",
    "null", "7.5",
];
const COLUMNS: [&str; 10] = [
    "company_name", "first_name", "last_name", "title", "email_address", "phone", "industry", "linkedin_url", "state",
    r#"\u001b[2Jfield"#,
];

impl Mood {
    pub fn new(flavour: u8) -> Mood {
        let mut mood = Mood { rng: Rng::standing(0), rows: false, money: false, account: false, disk: false };
        mood.turn(flavour);
        mood
    }

    pub fn turn(&mut self, flavour: u8) {
        self.rng = Rng::standing(u64::from(flavour).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6c6f_6465);
        self.rows = flavour & 1 != 0;
        self.money = flavour & 2 != 0;
        self.account = flavour & 4 != 0;
        self.disk = flavour & 8 != 0;
    }

    pub fn disk_is_full(&self) -> bool {
        self.disk
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.rng.place(sides)
    }

    fn pick<'l>(&mut self, list: &[&'l str]) -> &'l str {
        list[self.roll(list.len())]
    }

    pub fn answer(&mut self, call: &Call) -> (u16, String) {
        let body = match call {
            Call::Me => self.me(),
            Call::Search(search) => self.page(search),
            Call::Unlock(unlock) => self.unlock(unlock),
            Call::Counts(_) if self.rows => r#"{"states":{"TX":1e999,"CA":-4,"\u001b":3,"ZZ":18446744073709551615},"sic":{"8062":18446744073709551615,"0":18446744073709551615}}"#.to_owned(),
            Call::Counts(_) => shown("data-counts"),
            Call::SavedList => shown("data-saved"),
            Call::SavedAdd { .. } | Call::SavedRestore { .. } | Call::SavedRemove { .. } => r#"{"ok":true}"#.to_owned(),
            Call::Export { .. } => String::new(),
        };
        (200, body)
    }

    fn me(&mut self) -> String {
        let (org, credits, scopes) = if self.account {
            let credits = ["0", "-7", "9223372036854775807", "1e999", "null", "\"3\""];
            (
                self.pick(&["org_1", "org_2", r"o\u001b]0;x"]),
                self.pick(&credits),
                self.pick(&[r#""search""#, r#""search","unlock""#, ""]),
            )
        } else {
            ("org_1", "1204", r#""search","unlock""#)
        };
        format!(
            r#"{{"ok":true,"data":{{"org":{{"id":"{org}","name":"Acme Inc","plan":"team"}},"key":{{"name":"desk","prefix":"lk_live_ak7f","scopes":[{scopes}]}},"credits":{credits}}}}}"#
        )
    }

    fn page(&mut self, call: &SearchCall) -> String {
        let mut total = if call.query.hide_owned { "4565".to_owned() } else { "4870".to_owned() };
        let (mut limit, mut offset, mut rows) = (call.limit.to_string(), call.offset.to_string(), call.limit.min(30));
        if self.rows {
            total = self.pick(&TOTALS).to_owned();
            if self.roll(3) == 0 {
                limit = self.pick(&LIMITS).to_owned();
            }
            if self.roll(4) == 0 {
                offset = self.pick(&OFFSETS).to_owned();
            }
            rows = [rows, 0, 1, 7, call.limit.min(120), 130][self.roll(6)];
        }
        let rows: Vec<String> = (0..rows).map(|at| self.row(call, call.offset.saturating_add(at))).collect();
        let rows = rows.join(",");
        match call.query.side.source {
            Source::Workspace => format!(
                r#"{{"ok":true,"data":{{"corpus":"us","total":{total},"limit":{limit},"offset":{offset},"took_ms":12,"rows":[{rows}]}}}}"#
            ),
            Source::Data => format!(
                r#"{{"data":[{rows}],"pagination":{{"total":{total},"limit":{limit},"offset":{offset}}},"took_ms":1e999}}"#
            ),
        }
    }

    fn row(&mut self, call: &SearchCall, index: u64) -> String {
        let mut id = (index % 1_000_000 + 1).to_string();
        let owned = index % 7 == 3;
        let status = if index % 11 == 5 { "bounced" } else { "valid" };
        let hidden = if owned { ".person" } else { "•••" };
        let mut more = String::new();
        if self.rows {
            if self.roll(4) == 0 {
                id = self.pick(&IDS).to_owned();
            }
            if self.roll(20) == 0 {
                return self.pick(&VALUES).to_owned();
            }
            for _ in 0..self.roll(4) {
                let (name, value) = (self.pick(&COLUMNS), self.pick(&VALUES));
                more.push_str(&format!(r#","{name}":{value}"#));
            }
        }
        let email = if call.query.side.corpus.name() == "us" { "email_address" } else { "email" };
        format!(
            r#"{{"id":{id},"first_name":"Dana","last_name":"Nr {index}","title":"Director of Nursing","company_name":"Lakeside","state":"TX","industry":"hospital","{email}":"d{hidden}@lakeside{}.example","phone":"512•••71","email_status":"{status}","unlocked":{owned}{more}}}"#,
            index % 5
        )
    }

    fn unlock(&mut self, call: &UnlockBody) -> String {
        let contact = |id: &str, word: &str, refunded: bool| {
            format!(
                r#"{{"id":{id},"email":"person@clinic.example","phone":"5125550142","contact_name":"Person","company_name":"Clinic","title":"Nurse","verification":"{word}","refunded":{refunded}}}"#
            )
        };
        let (mut unlocked, mut already, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        for id in &call.ids {
            let id = id.to_string();
            match if self.money { self.roll(8) } else { 0 } {
                0 | 1 => unlocked.push(contact(&id, "valid", false)),
                2 => unlocked.push(contact(&id, "invalid", true)),
                3 => already.push(id),
                4 => missing.push(id),
                5 => already.push(contact(&id, "unknown", false)),
                6 => unlocked.extend([contact(&id, "valid", false), contact(&id, "valid", false)]),
                _ => {}
            }
        }
        let (mut stopped, mut balance) = ("false", "1100");
        if self.money {
            match self.roll(8) {
                0 => return r#"{"ok":true,"data":{}}"#.to_owned(),
                1 => return String::new(),
                2 => return r#"{"ok":false,"error":"No"}"#.to_owned(),
                3 => unlocked.push(contact("777777", r"half \ud800", false)),
                4 => stopped = "true",
                5 => balance = "-9e99",
                _ => {}
            }
        }
        format!(
            r#"{{"ok":true,"data":{{"unlocked":[{}],"already_unlocked":[{}],"missing":[{}],"credits_charged":{},"credits_refunded":0,"balance":{balance},"stopped_for_credits":{stopped}}}}}"#,
            unlocked.join(","),
            already.join(","),
            missing.join(","),
            unlocked.len()
        )
    }
}

/// A failure of any kind.
pub fn failure(choices: &mut Choices<'_>) -> Failure {
    let words = "something of the service's".to_owned();
    match choices.below(14) {
        0 => Failure::Later { wait: Some(Duration::from_secs(u64::from(choices.byte()))), words },
        1 => Failure::Later { wait: None, words },
        2 => Failure::Later { wait: Some(Duration::from_secs(u64::MAX / 1000)), words },
        3 => Failure::Refused { status: 401, why: Refusal::Key, words },
        4 => Failure::Refused { status: 403, why: Refusal::Scope, words },
        5 => Failure::Refused { status: 402, why: Refusal::Credits, words },
        6 => Failure::Refused { status: 400, why: Refusal::Request, words },
        7 => Failure::Refused { status: 404, why: Refusal::Address, words },
        8 => Failure::Unclear { why: Unclear::Line, words },
        9 => Failure::Unclear { why: Unclear::Upstream(502), words },
        10 => Failure::Unclear { why: Unclear::Unreadable, words },
        11 => Failure::Unclear { why: Unclear::TooLarge, words },
        12 => Failure::OurBug { words },
        _ => Failure::Unsent { words },
    }
}

/// A body that the documents show, from the files that the program ships.
fn shown(name: &str) -> String {
    std::fs::read_to_string(crate::root().join(format!("assets/wire/{name}.json"))).unwrap()
}
