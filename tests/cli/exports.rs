//! Exports whose total is told late, by a service of the test's own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

use serde_json::{Value, json};

use crate::invented::{Invented, data_page};
use common::house::{House, Ran};

const ROWS: &str =
    "id,email_address,company_name\r\n1,dana@lakeside.example,Lakeside\r\n2,tom@quailrun.example,Quail Run\r\n";

fn answer(stream: &mut TcpStream, kind: &str, body: &str) {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    drop(stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())));
}

/// A Data API that counts only after the whole export has been taken: the client hangs up once it has all of it.
fn late_counter(total: u64) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (taken, after) = mpsc::channel();
        let mut after = Some(after);
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut request = String::new();
            reader.read_line(&mut request).unwrap();
            let mut line = String::from("-");
            while !line.trim().is_empty() {
                line.clear();
                reader.read_line(&mut line).unwrap();
            }
            if request.contains("/api/export") {
                let taken = taken.clone();
                std::thread::spawn(move || {
                    answer(&mut stream, "text/csv", ROWS);
                    drop(stream.shutdown(std::net::Shutdown::Write));
                    drop(reader.read_to_end(&mut Vec::new()));
                    taken.send(()).unwrap_or_default();
                });
            } else if let Some(after) = after.take() {
                std::thread::spawn(move || {
                    after.recv().unwrap();
                    let pagination = format!(r#""pagination":{{"total":{total},"limit":1,"offset":0}}"#);
                    answer(
                        &mut stream,
                        "application/json",
                        &format!(r#"{{"data":[{{"id":1}}],{pagination},"took_ms":1}}"#),
                    );
                });
            }
        }
    });
    address
}

/// Found in review: a total that came after the last row was not waited for, and whether it differed was said or not by chance.
#[test]
fn a_differing_total_is_said_also_when_it_comes_after_the_last_row() {
    for (total, differs) in [(5, true), (2, false)] {
        let house = House::new();
        let mut command = house.command(&["export", "--corpus", "us", "--query", "dana", "-o", "us.csv"]);
        let ran = Ran::of(command.env("LODE_DATA_URL", late_counter(total)).spawn().unwrap()).ended(0);
        assert_eq!(ran.err.contains("the search counts 5"), differs, "{ran:?}");
        assert_eq!(std::fs::read_to_string(house.path("us.csv")).unwrap(), ROWS);
    }
}

#[test]
fn a_file_that_is_there_is_replaced_only_with_force() {
    let house = House::new();
    house.run(&["search", "--limit", "3", "--json"]).ended(0);
    let rows = house.run(&["search", "--limit", "3", "--json"]).ended(0);
    house.fed(&["basket", "add"], &rows.out).ended(0);
    std::fs::write(house.path("leads.csv"), "mine").unwrap();
    let from_basket = ["export", "--from", "basket", "-o", "leads.csv"];
    let from_service = ["export", "--corpus", "us", "--title", "nurse", "--output", "leads.csv"];
    for arguments in [&from_basket[..], &from_service[..]] {
        let ran = house.run(arguments).failed(1);
        assert!(ran.err.contains("leads.csv exists already") && ran.err.contains("--force"), "{ran:?}");
        assert_eq!(std::fs::read_to_string(house.path("leads.csv")).unwrap(), "mine");
        house.run(&[arguments, &["--force"]].concat()).ended(0);
        assert_ne!(std::fs::read_to_string(house.path("leads.csv")).unwrap(), "mine");
        std::fs::write(house.path("leads.csv"), "mine").unwrap();
    }
    // The home folder, where the shell does not spell it out.
    house.run(&["export", "--from", "basket", "--output=~/home.csv"]).ended(0);
    assert!(house.path("home.csv").is_file());
}

/// A Data API whose export takes filters alone, as its document lists them.
#[test]
fn a_keyword_that_the_export_ignores_is_noticed_and_pages_are_certain() {
    let service = Invented::start(|asked| {
        let dana = |id: usize| json!({"id": id, "company_name": "Dana Freight", "email_address": "d@x.example"});
        if asked.is("/export") {
            return (200, json!("id,company_name\r\n1,Lakeside\r\n2,Quail Run\r\n"));
        }
        let (limit, offset) = (asked.number("limit"), asked.number("offset"));
        let rows: Vec<Value> = (offset..(offset + limit).min(7)).map(dana).collect();
        data_page(json!(7), limit, offset, rows)
    });
    let export = ["export", "--corpus", "us", "--query", "dana", "-o", "dana.csv"];
    let ran = service.run(&export);
    assert_eq!(ran.code, 8, "{ran:?}");
    assert!(ran.err.contains("ignores the keyword") && ran.err.contains("--paged"), "{ran:?}");
    assert!(!service.house().path("dana.csv").exists());
    let ran = service.run(&[&export[..], &["--paged"]].concat()).ended(0);
    let file = std::fs::read_to_string(service.house().path("dana.csv")).unwrap();
    assert_eq!(file.lines().count(), 8, "{ran:?}: {file}");
}
