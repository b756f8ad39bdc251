//! A gate before a service: unlock calls wait at it until it is opened, so that a test can look at what goes on meanwhile
//! without a clock.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};

pub struct Gate {
    pub port: u16,
    state: Arc<(Mutex<State>, Condvar)>,
}

#[derive(Default)]
struct State {
    is_open: bool,
    has_unlock: bool,
    connections: usize,
}

impl Gate {
    /// Before the service at this address, such as `http://127.0.0.1:4000/api/v1`.
    pub fn before(url: &str) -> Gate {
        let service = url.trim_start_matches("http://").split('/').next().unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new((Mutex::new(State::default()), Condvar::new()));
        let gate = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(service) = TcpStream::connect(&service) else { continue };
                gate.0.lock().unwrap().connections += 1;
                let (from, to) = (service.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || pass(from, to, |_| {}));
                let gate = Arc::clone(&gate);
                std::thread::spawn(move || {
                    pass(client, service, |bytes| {
                        if bytes.windows(8).any(|word| word == b"/unlock ") {
                            let mut state = gate.0.lock().unwrap();
                            state.has_unlock = true;
                            gate.1.notify_all();
                            drop(gate.1.wait_while(state, |state| !state.is_open).unwrap());
                        }
                    });
                });
            }
        });
        Gate { port, state }
    }

    /// Waits until an unlock is at the gate: it is written down, and no later key can change it.
    pub fn wait_for_unlock(&self) {
        drop(self.state.1.wait_while(self.state.0.lock().unwrap(), |state| !state.has_unlock).unwrap());
    }

    /// Connections that were made so far.
    pub fn connections(&self) -> usize {
        self.state.0.lock().unwrap().connections
    }

    pub fn open(&self) {
        self.state.0.lock().unwrap().is_open = true;
        self.state.1.notify_all();
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
