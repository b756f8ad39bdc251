//! The sandbox as a server: `sandbox::service` behind real HTTP on 127.0.0.1, never on another address.
//!
//! Both services share one port (`/api/v1/…` and `/api/…`); the control address is on a second one, behind a token
//! (`control`). `listener` accepts connections and can break them, `serve` carries out what an answer says about its way. The
//! journal is the records in a file: one line of JSON per event, appended before the event takes effect. One thread of its own runs all of it, so that tests and `lode demo` can start one beside
//! whatever they do; dropping it stops it.
//!
//! This module has the clock, tasks and files of the sandbox: it is the shell of a small program of its own.
#![allow(clippy::disallowed_methods)]

mod control;
mod listener;
mod serve;

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use ring::rand::{SecureRandom, SystemRandom};
use tokio::sync::oneshot;

use crate::records::JournalEvent;
use crate::service::{Journal, Service, ServiceSetup};

/// What a sandbox is started with.
#[derive(Clone, Debug, Default)]
pub struct SandboxSettings {
    /// 0 takes any free one.
    pub port: u16,
    /// Whether the control address is printed.
    pub control: bool,
    /// Where the records are kept. A sandbox started on the same file continues where the last one stopped.
    pub journal: Option<PathBuf>,
    pub setup: ServiceSetup,
}

/// A number that cannot be guessed: `Setup::identity` of a service that should be unlike any other.
pub fn fresh_identity() -> u64 {
    let mut bytes = [0; 8];
    SystemRandom::new().fill(&mut bytes).expect("the system has random bytes");
    u64::from_ne_bytes(bytes)
}

/// A running sandbox. Dropping it stops it.
pub struct Sandbox {
    pub workspace_url: String,
    pub workspace_key: String,
    pub data_url: String,
    pub data_key: String,
    /// The control address, with its token.
    pub control_url: String,
    service: Arc<Service>,
    clock: serve::Clock,
    tell_control: bool,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Sandbox {
    /// Starts serving; when this returns, requests are answered.
    pub fn start(settings: SandboxSettings) -> io::Result<Sandbox> {
        let listen = |port| -> io::Result<(TcpListener, SocketAddr)> {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let (listener, address) = listen(settings.port)?;
        let (control_listener, control_address) = listen(0)?;
        let (events, writer) = settings.journal.as_deref().map(open_journal).transpose()?.unwrap_or_default();
        let service = Arc::new(Service::resumed(settings.setup, events, writer));
        service.state().other_origin = format!("http://{control_address}/{}", control::ELSEWHERE);
        let clock = serve::Clock::start();
        let token = format!("{:016x}{:016x}", fresh_identity(), fresh_identity());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(32).build()?;
        let (stop, stopped) = oneshot::channel();
        let services = serve::router(service.clone(), clock);
        let control_routes = control::router(service.clone(), clock, token.clone());
        let thread = std::thread::Builder::new().name("sandbox".into()).spawn(move || {
            runtime.block_on(async move {
                let doors = async {
                    let open = |listener| tokio::net::TcpListener::from_std(listener).map(listener::Door);
                    let (front, back) = (open(listener)?, open(control_listener)?);
                    let services = services.into_make_service_with_connect_info::<listener::Breaker>();
                    tokio::try_join!(axum::serve(front, services), axum::serve(back, control_routes))
                };
                tokio::select! {
                    _ = doors => {}
                    _ = stopped => {}
                }
            });
            // Scans that still run are called off as their requests are dropped.
            runtime.shutdown_background();
        })?;
        Ok(Sandbox {
            workspace_url: format!("http://{address}/api/v1"),
            workspace_key: service.workspace_key(),
            data_url: format!("http://{address}"),
            data_key: service.data_key(),
            control_url: format!("http://{control_address}/{token}"),
            service,
            clock,
            tell_control: settings.control,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// The service: records, faults and log can be read and set while it serves.
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// The time of this sandbox, as its records and log write it.
    pub fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    /// The one line that `lode sandbox` prints.
    pub fn line(&self) -> String {
        let mut line = serde_json::json!({
            "workspace_url": self.workspace_url,
            "workspace_key": self.workspace_key,
            "data_url": self.data_url,
            "data_key": self.data_key,
        });
        if self.tell_control {
            line["control_url"] = self.control_url.as_str().into();
        }
        line.to_string()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        drop(self.stop.take());
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// The events of earlier runs, and where those of this one go.
fn open_journal(path: &Path) -> io::Result<(Vec<JournalEvent>, Option<Journal>)> {
    let mut file = File::options().read(true).create(true).append(true).open(path)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    // A line without its end was being written when the last run was killed: its request was never answered.
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let read = |(line, number): (&str, u32)| {
        let place = format!("{} line {number}", path.display());
        serde_json::from_str(line)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, format!("{place}: {error}")))
    };
    let events = text[..whole].lines().zip(1..).map(read).collect::<io::Result<Vec<JournalEvent>>>()?;
    if whole < text.len() {
        // Not every system cuts a file that is open for appending.
        File::options().write(true).open(path)?.set_len(whole as u64)?;
    }
    let writer: Journal = Box::new(move |event| {
        let mut line = serde_json::to_vec(event).expect("an event is plain data");
        line.push(b'\n');
        // A sandbox whose disk is full continues in memory: it is a place to try things, not a bank.
        // On disk before the answer is: what a client owns on its own disk is known here too.
        drop(file.write_all(&line).and_then(|()| file.sync_data()));
    });
    Ok((events, Some(writer)))
}
