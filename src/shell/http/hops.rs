//! Where a redirect leads: within the origin and no further, and only where the allowance has one request more.

use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::{Response, Url, header};
use secrecy::SecretString;

use crate::effect::failure::{Failure, Refusal};
use crate::wire::{Method, Request};

use super::address::Address;

/// Redirects that are followed within one call, all of them within one origin.
pub(super) const MOST_REDIRECTS: usize = 3;

/// Asks for one request more than a call was given a place in the allowance for.
pub type Another = Box<dyn Fn(&SecretString) -> BoxFuture<'static, Result<(), NoRoom>> + Send + Sync>;

/// Why there is no further request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRoom {
    /// The allowance has none before so much time passed.
    Before(Duration),
    /// Nobody could count it.
    Uncounted,
}

pub(super) enum Redirect {
    None,
    Within(Url),
    Refused(String),
}

/// The key goes nowhere but to the origin it was given for, and a call stays the call it was.
pub(super) fn redirect(response: &Response, from: &Url, request: &Request) -> Redirect {
    let status = response.status().as_u16();
    if !matches!(status, 301 | 302 | 303 | 307 | 308) {
        return Redirect::None;
    }
    let location = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
    let Some(to) = location.and_then(|location| from.join(location).ok()) else {
        return Redirect::Refused("it does not say where to".to_owned());
    };
    if to.origin() != from.origin() {
        let to = to.origin().ascii_serialization();
        return Redirect::Refused(format!("it points to {to}, and the key is not sent there"));
    }
    if !matches!(status, 307 | 308) && request.method != Method::Get {
        return Redirect::Refused("a call that changes something is not sent on".to_owned());
    }
    Redirect::Within(to)
}

/// Takes a place in the allowance for where a redirect leads.
pub(super) async fn one_more(
    another: Option<&Another>,
    address: &Address,
    request: &Request,
    status: u16,
) -> Result<(), Failure> {
    let Some(another) = another else { return Ok(()) };
    match another(address.key()).await {
        Ok(()) => Ok(()),
        Err(NoRoom::Before(wait)) if is_read(request) => {
            let words = "it points elsewhere, and the allowance of this minute is used up".to_owned();
            Err(Failure::Later { wait: Some(wait), words })
        }
        // What a redirect answered may have taken effect there: nobody sends that again by himself.
        Err(_) => {
            let words = "it points elsewhere, and the allowance has no request left to follow it".to_owned();
            Err(Failure::Refused { status, why: Refusal::Redirect, words })
        }
    }
}

pub(super) fn is_read(request: &Request) -> bool {
    request.method == Method::Get && !request.query.iter().any(|(name, _)| name == "mark_pulled")
}
