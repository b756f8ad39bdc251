//! A gate before a service: unlock calls wait at it until it is opened, so that a test can look at what goes on meanwhile
//! without a clock.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};

pub struct Gate {
    pub port: u16,
    open: Arc<(Mutex<bool>, Condvar)>,
}

impl Gate {
    /// Before the service at this address, such as `http://127.0.0.1:4000/api/v1`.
    pub fn before(url: &str) -> Gate {
        let service = url.trim_start_matches("http://").split('/').next().unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let open = Arc::new((Mutex::new(false), Condvar::new()));
        let gate = Arc::clone(&open);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(service) = TcpStream::connect(&service) else { continue };
                let (from, to) = (service.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || pass(from, to, |_| {}));
                let gate = Arc::clone(&gate);
                std::thread::spawn(move || {
                    pass(client, service, |bytes| {
                        if bytes.windows(8).any(|word| word == b"/unlock ") {
                            drop(gate.1.wait_while(gate.0.lock().unwrap(), |open| !*open).unwrap());
                        }
                    });
                });
            }
        });
        Gate { port, open }
    }

    pub fn open(&self) {
        *self.open.0.lock().unwrap() = true;
        self.open.1.notify_all();
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, before: impl Fn(&[u8])) {
    let mut buffer = [0; 16_384];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        before(&buffer[..read]);
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
