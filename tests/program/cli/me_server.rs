//! A service that answers `/me` alone, with the organization it is told to name.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

pub struct MeServer {
    address: SocketAddr,
    named: Arc<Mutex<(String, String)>>,
}

impl MeServer {
    pub fn start(id: &str, name: &str) -> MeServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let named = Arc::new(Mutex::new((id.to_owned(), name.to_owned())));
        let answers = Arc::clone(&named);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut lines = BufReader::new(&mut stream).lines();
                while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
                let (id, name) = answers.lock().unwrap().clone();
                let body = format!(
                    r#"{{"ok":true,"data":{{"org":{{"id":"{id}","name":"{name}","plan":"pro"}},"key":{{"name":"k","prefix":"lk_live","scopes":["search","unlock"]}},"credits":100}}}}"#
                );
                let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
                let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            }
        });
        MeServer { address, named }
    }

    pub fn url(&self) -> String {
        format!("http://{}/api/v1", self.address)
    }

    pub fn names(&self, id: &str, name: &str) {
        *self.named.lock().unwrap() = (id.to_owned(), name.to_owned());
    }
}
