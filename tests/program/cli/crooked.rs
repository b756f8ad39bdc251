//! A Workspace API that keeps its promises unless a test wants otherwise, and the binary run against it.
//!
//! Left alone it is a plain honest service with ids from 1, every contact valid. A `twist` sees each request first and may
//! answer in its place, after doing what it likes to the service's own ledger.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};
use tempfile::TempDir;

use common::test_app::{self, Ran};

pub const KEY: &str = "lk_live_crooked_0123456789";

/// One request as it arrived.
#[derive(Clone, Debug)]
pub struct Asked {
    /// With its query.
    pub target: String,
    pub body: String,
}

impl Asked {
    pub fn is(&self, path: &str) -> bool {
        self.target.split('?').next().is_some_and(|target| target.ends_with(path))
    }

    pub fn number(&self, name: &str) -> Option<u64> {
        let query = self.target.split_once('?')?.1;
        query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
    }

    /// The ids of an unlock.
    pub fn ids(&self) -> Vec<i64> {
        let body: Value = serde_json::from_str(&self.body).unwrap_or_default();
        body["ids"].as_array().into_iter().flatten().filter_map(Value::as_i64).collect()
    }
}

/// The service's own ledger.
#[derive(Debug)]
pub struct State {
    pub rows: u64,
    pub balance: i64,
    pub scopes: Vec<&'static str>,
    pub org: &'static str,
    pub owned: BTreeSet<i64>,
    /// Searches show contacts as they stood before this many were bought: an index that lags. All are shown when it is unset.
    pub index: Option<BTreeSet<i64>>,
    /// One entry for each credit charged.
    pub charges: Vec<i64>,
    /// A repeated id is charged again.
    pub charges_again: bool,
    pub log: Vec<Asked>,
}

impl State {
    pub fn unlocks(&self) -> Vec<Vec<i64>> {
        self.log.iter().filter(|asked| asked.is("/unlock")).map(Asked::ids).collect()
    }

    /// Carries an unlock out and returns the data of its answer.
    pub fn apply(&mut self, asked: &Asked) -> Value {
        let (mut unlocked, mut already, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        for id in asked.ids() {
            if id < 1 || id > self.rows as i64 {
                missing.push(id);
            } else if self.owned.contains(&id) && !self.charges_again {
                already.push(id);
            } else if self.balance > 0 {
                self.owned.insert(id);
                self.charges.push(id);
                self.balance -= 1;
                unlocked.push(id);
            }
        }
        let stopped = unlocked.len() + already.len() + missing.len() < asked.ids().len();
        let contacts: Vec<Value> = unlocked.iter().map(|id| contact(*id)).collect();
        json!({"unlocked": contacts, "already_unlocked": already, "missing": missing, "credits_charged": unlocked.len(),
            "credits_refunded": 0, "balance": self.balance, "stopped_for_credits": stopped})
    }

    fn me(&self) -> Value {
        json!({"org": {"id": self.org, "name": "Acme", "plan": "pro"},
            "key": {"name": "test", "prefix": "lk_live", "scopes": self.scopes}, "credits": self.balance})
    }

    fn search(&self, asked: &Asked) -> Value {
        let (limit, offset) = (asked.number("limit").unwrap_or(25).min(100), asked.number("offset").unwrap_or(0));
        let shown = self.index.as_ref().unwrap_or(&self.owned);
        let ids = (offset + 1..=self.rows.min(offset + limit)).map(|id| id as i64);
        let rows: Vec<Value> = ids.map(|id| row(id, shown.contains(&id))).collect();
        json!({"corpus": "us", "total": self.rows, "limit": limit, "offset": offset, "took_ms": 1, "rows": rows})
    }

    /// What an honest service answers.
    pub fn answer(&mut self, asked: &Asked) -> Vec<u8> {
        let scope = |scope| self.scopes.contains(&scope);
        if asked.is("/me") {
            done(&self.me())
        } else if asked.is("/search") && scope("search") {
            done(&self.search(asked))
        } else if asked.is("/unlock") && scope("unlock") {
            let data = self.apply(asked);
            done(&data)
        } else {
            refused(403, "This key lacks the scope for that")
        }
    }
}

pub fn contact(id: i64) -> Value {
    json!({"id": id, "email": format!("p{id}@quail.example"), "phone": format!("91655500{id:02}"),
        "contact_name": format!("Tom Beckett {id}"), "company_name": "Quail Run Hospital", "title": "Nurse",
        "verification": "valid", "refunded": false})
}

fn row(id: i64, owned: bool) -> Value {
    let (email, phone) = if owned {
        (format!("p{id}@quail.example"), format!("91655500{id:02}"))
    } else {
        ("p•••@quail.example".to_owned(), format!("916•••{id:02}"))
    };
    json!({"id": id, "company_name": "Quail Run Hospital", "first_name": "Tom", "last_name": format!("Beckett {id}"),
        "title": "Nurse", "city": "Austin", "state": "TX", "industry": "hospital", "email_address": email, "phone": phone,
        "email_domain_type": "corporate", "email_status": "valid", "unlocked": owned,
        "verification": if owned { json!("valid") } else { Value::Null }})
}

/// A success in the envelope of the documents.
pub fn done(data: &Value) -> Vec<u8> {
    framed("200 OK", "content-type: application/json\r\n", json!({"ok": true, "data": data}).to_string().as_bytes())
}

/// A refusal in the envelope of the documents.
pub fn refused(status: u16, words: &str) -> Vec<u8> {
    let body = json!({"ok": false, "error": words}).to_string();
    framed(&format!("{status} x"), "content-type: application/json\r\n", body.as_bytes())
}

/// The page of something that stands in front of the service.
pub fn page(status: u16) -> Vec<u8> {
    framed(&format!("{status} x"), "content-type: text/html\r\n", b"<html><body>gateway</body></html>")
}

pub fn framed(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

type Twist = Box<dyn FnMut(&Asked, &mut State) -> Option<Vec<u8>> + Send>;

pub struct Crooked {
    pub origin: String,
    state: Arc<Mutex<State>>,
    folder: TempDir,
}

impl Crooked {
    /// `twist` answers in the place of the service where it returns bytes; none at all break the line.
    pub fn start(twist: impl FnMut(&Asked, &mut State) -> Option<Vec<u8>> + Send + 'static) -> Crooked {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let state = State {
            rows: 40,
            balance: 100,
            scopes: vec!["search", "unlock"],
            org: "org-1",
            owned: BTreeSet::new(),
            index: None,
            charges: Vec::new(),
            charges_again: false,
            log: Vec::new(),
        };
        let state = Arc::new(Mutex::new(state));
        let twist: Arc<Mutex<Twist>> = Arc::new(Mutex::new(Box::new(twist)));
        let serving = Arc::clone(&state);
        std::thread::spawn(move || {
            for line in listener.incoming() {
                let Ok(mut line) = line else { return };
                let (state, twist) = (Arc::clone(&serving), Arc::clone(&twist));
                std::thread::spawn(move || {
                    let Some(asked) = read(&mut line) else { return };
                    let mut state = state.lock().unwrap();
                    state.log.push(asked.clone());
                    let twisted = (*twist.lock().unwrap())(&asked, &mut state);
                    let bytes = twisted.unwrap_or_else(|| state.answer(&asked));
                    drop(line.write_all(&bytes));
                });
            }
        });
        Crooked { origin, state, folder: common::folder() }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let workspace = format!("{}/api/v1", self.origin);
        test_app::command(self.folder.path(), arguments, (&workspace, KEY), (&self.origin, KEY))
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).spawn().unwrap())
    }

    /// The same with something on standard input.
    pub fn fed(&self, arguments: &[&str], input: &str) -> Ran {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Ran::of(child)
    }

    /// `lode unlock` of the contacts 1 to `count`, with a ceiling that holds them all.
    pub fn unlock(&self, count: usize) -> Ran {
        let ids: Vec<String> = (1..=count).map(|id| id.to_string()).collect();
        let most = count.to_string();
        let mut arguments = vec!["unlock", "--corpus", "us", "--max-credits", &most];
        arguments.extend(ids.iter().map(String::as_str));
        self.run(&arguments)
    }
}

fn read(line: &mut TcpStream) -> Option<Asked> {
    let mut text = Vec::new();
    let mut byte = [0; 1];
    while !text.ends_with(b"\r\n\r\n") {
        match line.read(&mut byte) {
            Ok(1) => text.push(byte[0]),
            _ => return None,
        }
    }
    let head = String::from_utf8_lossy(&text).into_owned();
    let length = head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    line.read_exact(&mut body).ok()?;
    let target = head.split(' ').nth(1)?.to_owned();
    Some(Asked { target, body: String::from_utf8_lossy(&body).into_owned() })
}
