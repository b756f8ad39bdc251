//! A Data API that claims more rows than any disk holds, and goes on sending them as slowly as it likes. It says neither how
//! long its export is nor when it ends.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// More rows than any machine has room for: a hundred million terabytes.
const ROWS: u64 = 1_000_000_000_000_000_000;

pub struct Vast {
    pub url: String,
}

impl Vast {
    pub fn start() -> Vast {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for line in listener.incoming().map_while(Result::ok) {
                std::thread::spawn(move || answer(line));
            }
        });
        Vast { url }
    }
}

fn answer(mut line: TcpStream) -> Option<()> {
    loop {
        let request = head(&mut line)?;
        if request.contains("GET /api/export") {
            line.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\ntransfer-encoding: chunked\r\n\r\n").ok()?;
            loop {
                line.write_all(b"12\r\nid,name\n1,Tom\n2,Al\r\n").ok()?;
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        let body = match request.contains("GET /api/search") {
            true => format!(
                "{{\"data\":[{{\"id\":1,\"contact_name\":\"Tom Beckett\"}}],\
                 \"pagination\":{{\"total\":{ROWS},\"limit\":1,\"offset\":0}},\"took_ms\":1}}"
            ),
            false => "{\"data\":[]}".to_owned(),
        };
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
        line.write_all((head + &body).as_bytes()).ok()?;
    }
}

fn head(line: &mut TcpStream) -> Option<String> {
    let mut text = Vec::new();
    let mut byte = [0; 1];
    while !text.ends_with(b"\r\n\r\n") {
        line.read_exact(&mut byte).ok()?;
        text.push(byte[0]);
    }
    String::from_utf8(text).ok()
}
