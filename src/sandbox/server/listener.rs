//! Where connections come in, and where they are broken.
//!
//! A connection is wrapped for two reasons. A fault must be able to reset it at a chosen moment, which no HTTP library offers; and
//! a request that the library refuses before any handler sees it (a line of a megabyte, broken HTTP) is answered with an
//! empty body, where the documents promise the envelope for every failure.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep};

use crate::json::not_ok;

/// How much of a refused request is read and thrown away, so that the client gets to read why.
const DRAINED: usize = 16 << 20;
const DRAINED_FOR: Duration = Duration::from_secs(2);

pub(super) struct Door(pub(super) TcpListener);

impl Listener for Door {
    type Io = Wire;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Wire, SocketAddr) {
        loop {
            match self.0.accept().await {
                Ok((stream, from)) => {
                    // An answer is one write; waiting for more only costs time.
                    drop(stream.set_nodelay(true));
                    let breaker = Breaker::default();
                    return (Wire { stream, breaker, workspace: false, instead: Vec::new(), draining: None }, from);
                }
                // No file handle left, or the client is gone already: others may still come.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

/// With this a handler breaks the connection its request came on.
#[derive(Clone, Default)]
pub(super) struct Breaker(Arc<AtomicBool>);

impl Breaker {
    /// From now on nothing more is written; the connection ends with a reset.
    pub(super) fn reset(&self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Connected<IncomingStream<'_, Door>> for Breaker {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Breaker {
        stream.io().breaker.clone()
    }
}

pub(super) struct Wire {
    stream: TcpStream,
    breaker: Breaker,
    /// Whether the request that is being read is for the workspace API.
    workspace: bool,
    /// Bytes of our own that go out before anything else.
    instead: Vec<u8>,
    /// Set once a refusal was rewritten: how much was thrown away, and until when that goes on.
    draining: Option<(usize, Pin<Box<Sleep>>)>,
}

impl Wire {
    fn check(&self) -> io::Result<()> {
        if self.breaker.0.load(Ordering::Acquire) {
            // Without lingering the close is a reset, not an orderly end.
            drop(self.stream.set_zero_linger());
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        Ok(())
    }

    /// Rewrites a refusal of the HTTP library. Handlers never answer an error with an empty body, so there is no confusion.
    fn rewrites(&mut self, out: &[u8]) -> bool {
        let same = |line: &str| out.starts_with(&line.as_bytes()[..STATUS]);
        let Some((line, words)) = REFUSALS.iter().find(|(line, _)| same(line)) else { return false };
        if memchr::memmem::find(out, b"content-length: 0\r\n").is_none() {
            return false;
        }
        let body = if self.workspace { not_ok(words) } else { serde_json::json!({"message": words}) }.to_string();
        self.instead = format!(
            "{line}content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
        .into_bytes();
        self.draining = Some((0, Box::pin(tokio::time::sleep_until(Instant::now() + DRAINED_FOR))));
        true
    }

    fn poll_instead(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.instead.is_empty() {
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, &self.instead))?;
            self.instead.drain(..written);
        }
        Poll::Ready(Ok(()))
    }
}

/// How the library begins a refusal, and what is said instead of its empty body.
const REFUSALS: &[(&str, &str)] = &[
    ("HTTP/1.1 414 URI Too Long\r\n", "The address of the request is too long"),
    ("HTTP/1.1 431 Request Header Fields Too Large\r\n", "The request line and headers are too large"),
    ("HTTP/1.1 400 Bad Request\r\n", "The request is not HTTP"),
];

/// As much of its first line as tells one answer from another.
const STATUS: usize = "HTTP/1.1 400 ".len();

impl AsyncRead for Wire {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.check()?;
        let before = into.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, into))?;
        let fresh = &into.filled()[before..];
        if let Some(target) = fresh.iter().take(8).position(|byte| *byte == b' ')
            && fresh.get(target + 1) == Some(&b'/')
        {
            self.workspace = fresh[target + 1..].starts_with(b"/api/v1");
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, out: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(out)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check()?;
        if out.first().is_some_and(|first| self.rewrites(first)) {
            return Poll::Ready(Ok(out.iter().map(|slice| slice.len()).sum()));
        }
        Pin::new(&mut self.stream).poll_write_vectored(context, out)
    }

    /// Without it each piece of an export would be copied again.
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check()?;
        ready!(self.poll_instead(context))?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check()?;
        ready!(self.poll_instead(context))?;
        ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        // Closing with unread bytes would reset the connection and take the refusal with it.
        let Wire { stream, draining, .. } = &mut *self;
        let Some((thrown, until)) = draining else { return Poll::Ready(Ok(())) };
        let mut space = vec![0; 64 << 10];
        while *thrown < DRAINED && until.as_mut().poll(context).is_pending() {
            let mut into = ReadBuf::new(&mut space);
            match ready!(Pin::new(&mut *stream).poll_read(context, &mut into)) {
                Ok(()) if !into.filled().is_empty() => *thrown += into.filled().len(),
                _ => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}
