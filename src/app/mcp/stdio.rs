//! JSON-RPC on standard input and output, one message a line.
//!
//! A line that is not a message gets its answer here, as JSON-RPC 2.0 and the protocol require: the library drops some of them
//! and takes others for unknown methods. What is not a request is never answered with an error.

use std::io;
use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, ErrorCode, GetMeta, JsonRpcMessage};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Stdin, Stdout};
use tokio::sync::{Mutex, mpsc};

/// The longest line that is read.
const LONGEST: u64 = 16 << 20;
/// Messages that wait for the server.
const WAITING: usize = 16;

type Out = Arc<Mutex<Stdout>>;

/// Standard input and output as a transport. Lines are read in a task of their own, so that no half-read line is lost.
pub(super) struct Stdio {
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    out: Out,
}

impl Stdio {
    pub(super) fn open() -> Stdio {
        let (input, output) = rmcp::transport::stdio();
        let out = Arc::new(Mutex::new(output));
        let (tell, messages) = mpsc::channel(WAITING);
        tokio::spawn(read(input, tell, Arc::clone(&out)));
        Stdio { messages, out }
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(&mut self, item: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let out = Arc::clone(&self.out);
        async move { write(&out, serde_json::to_vec(&item)?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        Ok(())
    }
}

async fn write(out: &Out, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut out = out.lock().await;
    out.write_all(&line).await?;
    out.flush().await
}

async fn read(input: Stdin, tell: mpsc::Sender<ClientJsonRpcMessage>, out: Out) {
    let mut input = BufReader::new(input);
    let mut begun = false;
    loop {
        let mut line = Vec::new();
        let Ok(1..) = (&mut input).take(LONGEST).read_until(b'\n', &mut line).await else { return };
        if line.len() as u64 == LONGEST && line.last() != Some(&b'\n') && !skip_line(&mut input).await {
            return;
        }
        let answered = match message(&line) {
            // Before a session begins the library takes requests alone.
            Ok(Some(message)) if begun || matches!(message, JsonRpcMessage::Request(_)) => {
                begun |= begins(&message);
                tell.send(message).await.is_ok()
            }
            Ok(_) => true,
            Err(error) => write(&out, error.to_string().into_bytes()).await.is_ok(),
        };
        if !answered {
            return;
        }
    }
}

/// Whether a session begins: with the request for it, or with any request that names the version itself.
fn begins(message: &ClientJsonRpcMessage) -> bool {
    let JsonRpcMessage::Request(request) = message else { return false };
    matches!(request.request, ClientRequest::InitializeRequest(_))
        || request.request.get_meta().protocol_version().is_some()
}

/// Reads up to the end of the line. False at the end of the input.
async fn skip_line(input: &mut BufReader<Stdin>) -> bool {
    loop {
        let Ok(bytes) = input.fill_buf().await else { return false };
        let (length, end) = (bytes.len(), memchr::memchr(b'\n', bytes));
        input.consume(end.map_or(length, |end| end + 1));
        if end.is_some() || length == 0 {
            return end.is_some();
        }
    }
}

/// The message of a line: `None` where nothing is to be done. Fails with the answer to a line that is not one.
fn message(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Value> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let parsed: Value = serde_json::from_slice(line)
        .map_err(|_| error(&Value::Null, ErrorCode::PARSE_ERROR, "Parse error: the line is not JSON"))?;
    let invalid =
        |id: &Value, why: &str| Err(error(id, ErrorCode::INVALID_REQUEST, &format!("Invalid request: {why}")));
    let Value::Object(fields) = &parsed else { return invalid(&Value::Null, "a message is one JSON object") };
    let Some(method) = fields.get("method") else {
        if fields.contains_key("result") || fields.contains_key("error") {
            return Ok(serde_json::from_value(parsed).ok());
        }
        return invalid(usable_id(fields.get("id")), "it has no `method`");
    };
    let id = usable_id(fields.get("id"));
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid(id, "`jsonrpc` must be \"2.0\"");
    }
    let Some(method) = method.as_str() else { return invalid(id, "`method` must be a string") };
    if !fields.contains_key("id") {
        return Ok(serde_json::from_value(parsed).ok());
    }
    if id.is_null() {
        return invalid(id, "`id` must be a string or an integer");
    }
    match serde_json::from_value::<ClientJsonRpcMessage>(parsed.clone()) {
        // Parameters of a known method that do not fit make it an unknown one.
        Ok(JsonRpcMessage::Request(request)) if is_misread(&request.request) => Err(wrong_params(id, method, &parsed)),
        Ok(message) => Ok(Some(message)),
        Err(_) if is_served(method) => Err(wrong_params(id, method, &parsed)),
        Err(_) => Err(error(id, ErrorCode::METHOD_NOT_FOUND, "Method not found")),
    }
}

/// The id of a request, null where it cannot be told.
fn usable_id(id: Option<&Value>) -> &Value {
    id.filter(|id| id.is_string() || id.is_i64()).unwrap_or(&Value::Null)
}

fn is_misread(request: &ClientRequest) -> bool {
    matches!(request, ClientRequest::CustomRequest(custom) if is_served(&custom.method))
}

fn is_served(method: &str) -> bool {
    matches!(method, "initialize" | "ping" | "tools/list" | "tools/call")
}

fn wrong_params(id: &Value, method: &str, message: &Value) -> Value {
    let given = message.get("params").cloned().unwrap_or_else(|| json!({}));
    let why = match serde_json::from_value::<CallToolRequestParams>(given) {
        Err(problem) if method == "tools/call" => format!(": {problem}"),
        _ => format!(" of {method}"),
    };
    error(id, ErrorCode::INVALID_PARAMS, &format!("Invalid params{why}"))
}

fn error(id: &Value, code: ErrorCode, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code.0, "message": message}})
}
