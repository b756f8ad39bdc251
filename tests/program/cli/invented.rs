//! A service that a test writes itself: it answers what the documents allow and the sandbox does not do.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use common::test_app::{Ran, TestApp};

/// One request as it arrived.
#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    pub params: BTreeMap<String, String>,
}

impl Asked {
    pub fn number(&self, name: &str) -> usize {
        self.params.get(name).and_then(|value| value.parse().ok()).unwrap_or(0)
    }

    pub fn is(&self, path: &str) -> bool {
        self.path.ends_with(path)
    }
}

/// Status and body; a body of `null` breaks the line instead.
pub type Said = (u16, Value);

pub struct Invented {
    origin: String,
    heard: Arc<Mutex<Vec<Asked>>>,
    app: TestApp,
}

impl Invented {
    pub fn start(answer: impl FnMut(&Asked) -> Said + Send + 'static) -> Invented {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (answer, writing) = (Arc::new(Mutex::new(answer)), Arc::clone(&heard));
        std::thread::spawn(move || {
            for line in listener.incoming().flatten() {
                let (answer, writing) = (Arc::clone(&answer), Arc::clone(&writing));
                std::thread::spawn(move || {
                    let Some(asked) = read(&line) else { return };
                    writing.lock().unwrap().push(asked.clone());
                    let (status, body) = answer.lock().unwrap()(&asked);
                    if !body.is_null() {
                        write(line, status, &body);
                    }
                });
            }
        });
        Invented { origin, heard, app: TestApp::new() }
    }

    /// `lode` with both services here.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.app.command(arguments);
        command.env("LODE_WORKSPACE_URL", format!("{}/api/v1", self.origin)).env("LODE_DATA_URL", &self.origin);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).spawn().unwrap())
    }

    /// With something on standard input.
    pub fn fed(&self, arguments: &[&str], input: &str) -> Ran {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Ran::of(child)
    }

    pub fn heard(&self) -> Vec<Asked> {
        self.heard.lock().unwrap().clone()
    }

    pub fn app(&self) -> &TestApp {
        &self.app
    }
}

fn read(line: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(line);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let target = first.split(' ').nth(1)?.to_owned();
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let header = header.trim().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    reader.take(length).read_to_end(&mut Vec::new()).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let pair = |pair: &str| pair.split_once('=').map(|(name, value)| (name.to_owned(), value.replace('+', " ")));
    Some(Asked { path: path.to_owned(), params: query.split('&').filter_map(pair).collect() })
}

fn write(mut line: TcpStream, status: u16, body: &Value) {
    let (kind, body) = match body {
        Value::String(text) => ("text/csv", text.clone()),
        other => ("application/json", other.to_string()),
    };
    let head = format!("HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\nconnection: close\r\n");
    let _ = line.write_all(format!("{head}content-length: {}\r\n\r\n{body}", body.len()).as_bytes());
}

/// Account of a key with these scopes.
pub fn me(scopes: &[&str]) -> Said {
    let key = json!({"name": "test", "prefix": "lk_t", "scopes": scopes});
    (
        200,
        json!({"ok": true, "data": {"org": {"id": "org_1", "name": "Acme", "plan": "pro"}, "key": key, "credits": 50}}),
    )
}

pub fn refused(status: u16, words: &str) -> Said {
    (status, json!({"ok": false, "error": words}))
}

/// A masked row of the `us` corpus.
pub fn row(id: usize) -> Value {
    json!({
        "id": id, "company_name": "Lakeside", "first_name": "Dana", "last_name": format!("Field{id}"), "title": "Nurse",
        "city": "Austin", "state": "TX", "industry": "hospital", "email_address": "d•••@lakeside.example",
        "phone": "512•••71", "email_domain_type": "corporate", "email_status": "valid", "unlocked": false,
        "verification": null, "naics_code": "622110",
    })
}

/// A page of the Workspace search.
pub fn page(total: Value, limit: usize, offset: usize, rows: Vec<Value>) -> Said {
    let data = json!({"corpus": "us", "total": total, "limit": limit, "offset": offset, "took_ms": 3, "rows": rows});
    (200, json!({"ok": true, "data": data}))
}

/// A page of the Data API search.
pub fn data_page(total: Value, limit: usize, offset: usize, rows: Vec<Value>) -> Said {
    (200, json!({"data": rows, "pagination": {"total": total, "limit": limit, "offset": offset}, "took_ms": 3}))
}
