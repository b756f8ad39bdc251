//! The program as its users have it: the real binary as a command, on a terminal, as a server for assistants, and before services that
//! mean harm. Two modules need its code instead: `commands`, the scripts of operations in virtual time, and `robot`, random keys
//! through the reader into the model. `repository` holds the rules of the sources, the words, the licenses and the packages.
mod assistant;
mod cli;
mod commands;
mod examination;
mod export;
mod hostile;
mod limiter;
mod pty;
mod repository;
mod robot;
