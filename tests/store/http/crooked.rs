//! A server that answers exactly the bytes a test gives it, and writes down what it was sent.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use lode_host::http::{Http, ServiceAddress};
use secrecy::SecretString;

pub const KEY: &str = "lk_live_marked_0123456789";

pub struct Crooked {
    pub address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Crooked {
    /// `answer` writes to the line whatever it likes; the line closes when it returns.
    pub fn start(answer: impl Fn(&str, &mut TcpStream) + Send + 'static) -> Crooked {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let writing = Arc::clone(&heard);
        std::thread::spawn(move || {
            for line in listener.incoming() {
                let Ok(mut line) = line else { return };
                let request = read_request(&mut line);
                writing.lock().unwrap().push(request.clone());
                answer(&request, &mut line);
            }
        });
        Crooked { address, heard }
    }

    pub fn saying(bytes: impl Into<Vec<u8>>) -> Crooked {
        let bytes = bytes.into();
        Crooked::start(move |_, line| drop(line.write_all(&bytes)))
    }

    pub fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    pub fn http(&self) -> Http {
        let address = |path: &str| {
            Some(ServiceAddress::new(&format!("http://{}{path}", self.address), SecretString::from(KEY)).unwrap())
        };
        Http::new(address("/api/v1"), address(""))
    }
}

fn read_request(line: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let mut byte = [0; 1];
    while !text.ends_with(b"\r\n\r\n") {
        match line.read(&mut byte) {
            Ok(1) => text.push(byte[0]),
            _ => break,
        }
    }
    let head = String::from_utf8_lossy(&text).into_owned();
    let length = head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    let _ = line.read_exact(&mut body);
    head + &String::from_utf8_lossy(&body)
}

/// An answer with the right length.
pub fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut all = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n", body.len()).into_bytes();
    all.extend_from_slice(body);
    all
}
