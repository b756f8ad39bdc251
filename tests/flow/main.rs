//! The flows through their public seams: virtual time, the real store in memory, the real wire mapping, and either a referee
//! or the sandbox's brain as the service.

mod limiter;
mod world;
