//! The protocol as bytes: broken lines get the answers of JSON-RPC, and signals end the server whether a client has spoken or not.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use common::test_app::TestApp;

/// A running `lode mcp`, spoken to line by line.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(app: &TestApp) -> Server {
        let mut command = app.command(&["mcp"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Server { child, input, output }
    }

    fn write(&mut self, line: impl AsRef<[u8]>) {
        self.input.write_all(line.as_ref()).unwrap();
        self.input.write_all(b"\n").unwrap();
    }

    #[track_caller]
    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"))
    }

    /// Everything before was read and answered, or was not to be answered.
    #[track_caller]
    fn is_alive(&mut self) {
        self.write(r#"{"jsonrpc":"2.0","id":"alive","method":"ping"}"#);
        assert_eq!(self.read(), json!({"jsonrpc": "2.0", "id": "alive", "result": {}}));
    }

    fn initialize(&mut self) {
        let client =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
        self.write(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}).to_string());
        assert_eq!(self.read()["result"]["serverInfo"]["name"], "lode");
        self.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }

    fn end(mut self) -> Option<i32> {
        drop(self.input);
        self.child.wait().unwrap().code()
    }
}

#[test]
fn a_line_that_is_not_a_message_gets_the_error_of_json_rpc() {
    let app = TestApp::new();
    let mut server = Server::start(&app);
    let wrong: &[(&[u8], Value, i64)] = &[
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,", Value::Null, -32700),
        (b"hello", Value::Null, -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", Value::Null, -32700),
        (b"[]", Value::Null, -32600),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, Value::Null, -32600),
        (b"7", Value::Null, -32600),
        (br#"{"id":1,"method":"ping"}"#, json!(1), -32600),
        (br#"{"id":"a","method":"tools/list"}"#, json!("a"), -32600),
        (br#"{"jsonrpc":"1.0","id":2,"method":"ping"}"#, json!(2), -32600),
        (br#"{"method":"ping"}"#, Value::Null, -32600),
        (br#"{"jsonrpc":"2.0","id":3}"#, json!(3), -32600),
        (br#"{"jsonrpc":"2.0","id":3,"method":7}"#, json!(3), -32600),
        (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Value::Null, -32600),
        (br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Value::Null, -32600),
        (br#"{"jsonrpc":"2.0","id":4,"method":"tools/call"}"#, json!(4), -32602),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}}"#, json!(5), -32602),
        (br#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"arguments":{}}}"#, json!(6), -32602),
        (br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":7}}"#, json!(7), -32602),
        (
            br#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"status","arguments":[]}}"#,
            json!(8),
            -32602,
        ),
        (br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":["status"]}"#, json!(9), -32602),
        (br#"{"jsonrpc":"2.0","id":10,"method":"initialize"}"#, json!(10), -32602),
    ];
    let silent: &[&[u8]] = &[
        b"",
        b"   \r",
        br#"{"jsonrpc":"2.0","method":"notifications/nonsense"}"#,
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}"#,
        br#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
    ];
    for initialized in [false, true] {
        if initialized {
            server.initialize();
        }
        for line in silent {
            server.write(line);
            server.is_alive();
        }
        for (line, id, code) in wrong {
            let words = String::from_utf8_lossy(line);
            server.write(line);
            let answer = server.read();
            let said = (&answer["jsonrpc"], &answer["id"], &answer["error"]["code"]);
            assert_eq!(said, (&json!("2.0"), id, &json!(code)), "{words}: {answer}");
            assert!(answer["error"]["message"].is_string() && answer.get("result").is_none(), "{words}: {answer}");
            server.is_alive();
        }
    }
    server.write(br#"{"jsonrpc":"2.0","id":1,"method":"nonsense"}"#);
    assert_eq!(server.read()["error"]["code"], -32601);
    // A line that is too long is not kept, and the next one is read.
    server.write(vec![b'x'; 17 << 20]);
    assert_eq!(server.read()["error"]["code"], -32700);
    server.is_alive();
    assert_eq!(server.end(), Some(0));
}

/// Under `nohup` hangups are ignored, here and by the program.
fn hears_hangups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_none_or(|mask| mask & 1 == 0)
}

#[test]
fn a_signal_ends_the_server_before_and_after_a_client_has_spoken() {
    for signal in [Signal::INT, Signal::TERM].into_iter().chain(hears_hangups().then_some(Signal::HUP)) {
        for initialized in [false, true] {
            let app = TestApp::new();
            let mut server = Server::start(&app);
            if initialized {
                server.initialize();
            }
            // It listens.
            server.is_alive();
            kill_process(Pid::from_child(&server.child), signal).unwrap();
            let code = server.child.wait().unwrap().code();
            assert_eq!(code, Some(130), "{signal:?}, initialized: {initialized}");
        }
    }
}
