//! A client with its server beside a test app, and the person of that app.

use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::time::Duration;

use lode_core::contact::{Corpus, RowId};
use lode_core::credits::Credits;
use lode_core::purse::{Origin, Purse};
use lode_engine::effect::store::{Decision, Handle, Proposal, StoreCall, StoreReply};
use lode_host::clock;
use lode_host::store::{Store, fresh_window};
use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest, Implementation, Request, Tool,
};
use rmcp::service::{PeerRequestOptions, RequestHandle, RoleClient, RunningService};
use serde_json::{Map, Value};
use tokio::net::unix::pipe::{Receiver, Sender};

use common::test_app::TestApp;

/// A call that takes longer hangs: an unlock waits for its answer, looks, and sends again.
const LONGEST: Duration = Duration::from_secs(400);

/// A running `lode mcp` with a client that speaks to it.
pub struct Client<H: ClientHandler = ClientConfig> {
    pub service: RunningService<RoleClient, H>,
    child: Child,
    /// What each tool says of its answers.
    outputs: BTreeMap<String, Value>,
}

pub fn named(name: &str) -> ClientConfig {
    ClientConfig::new(ClientCapabilities::default(), Implementation::new(name, "1"))
}

impl Client {
    pub async fn of(app: &TestApp) -> Client {
        Client::with(app, &[], named("Robot")).await
    }
}

impl<H: ClientHandler> Client<H> {
    pub async fn with(app: &TestApp, arguments: &[&str], handler: H) -> Client<H> {
        let mut command = app.command(&[&["mcp"], arguments].concat());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let output = Receiver::from_owned_fd(child.stdout.take().unwrap().into()).unwrap();
        let input = Sender::from_owned_fd(child.stdin.take().unwrap().into()).unwrap();
        let service = rmcp::serve_client(handler, (output, input)).await.unwrap();
        let tools = service.list_all_tools().await.unwrap();
        let output =
            |tool: &Tool| Some((tool.name.to_string(), serde_json::to_value(tool.output_schema.as_ref()?).unwrap()));
        let outputs = tools.iter().filter_map(output).collect();
        Client { service, child, outputs }
    }

    /// The answer of a tool, whether it is good or not.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        let arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
        let asked = Value::Object(arguments.clone());
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let Ok(result) = tokio::time::timeout(LONGEST, self.service.call_tool(params)).await else {
            panic!("{tool} {asked} is not answered");
        };
        let result = result.unwrap();
        let answer = result.structured_content.clone().unwrap();
        assert_eq!(result.is_error == Some(true), answer.get("error").is_some(), "{answer}");
        if let Some(schema) = self.outputs.get(tool) {
            assert_eq!(misfit(schema, &answer, tool), None, "{answer}");
            // A row may have more fields than the schema names, an answer of lode may not.
            let of_a_row = tool == "contact";
            let unnamed =
                answer.as_object().unwrap().keys().find(|name| schema["properties"].get(name.as_str()).is_none());
            assert!(of_a_row || unnamed.is_none(), "{tool}: {unnamed:?} is not in the schema: {answer}");
        }
        assert!(answer.to_string().len() < 26_000, "{tool}: {}", answer.to_string().len());
        answer
    }

    /// A call whose answer is not waited for.
    pub async fn begin(&self, tool: &str, arguments: Value) -> RequestHandle<RoleClient> {
        let arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(Request::new(params));
        self.service.send_cancellable_request(request, PeerRequestOptions::default()).await.unwrap()
    }

    pub async fn good(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments.clone()).await;
        assert!(answer.get("error").is_none(), "{tool} {arguments}: {answer}");
        answer
    }

    /// The code of a failure.
    pub async fn bad(&self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments.clone()).await;
        answer["error"]["code"].as_str().unwrap_or_else(|| panic!("{tool} {arguments}: {answer}")).to_owned()
    }

    pub async fn end(self) {
        self.service.cancel().await.unwrap();
        let mut child = self.child;
        tokio::task::spawn_blocking(move || child.wait().unwrap()).await.unwrap();
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Where a value does not fit a schema.
fn misfit(schema: &Value, value: &Value, at: &str) -> Option<String> {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let kinds: Vec<&str> = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect(),
    };
    if !kinds.is_empty() && !kinds.contains(&kind) {
        return Some(format!("{at} is {value}, not {kinds:?}"));
    }
    if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
        return Some(format!("{at} is {value}"));
    }
    let items = value.as_array().into_iter().flatten().map(|item| (&schema["items"], item, "item"));
    let fields = value.as_object().into_iter().flatten();
    let fields = fields.map(|(name, field)| (&schema["properties"][name], field, name.as_str()));
    items.chain(fields).find_map(|(schema, value, name)| misfit(schema, value, &format!("{at} {name}")))
}

/// The person in front of a window of the app: the same calls that the Basket screen makes.
pub struct Person {
    store: Store,
    purse: Purse,
}

impl Person {
    pub fn of(app: &TestApp) -> Person {
        let store = Store::open(&app.path("state"), fresh_window());
        let origin = app.workspace_url.split("/api").next().unwrap();
        Person { store, purse: Purse::of_org(Origin::of(origin), &app.org()) }
    }

    pub fn asked(&mut self) -> Vec<Proposal> {
        let call = StoreCall::Proposals { purse: self.purse.clone() };
        match self.store.perform(call, clock::now()).unwrap() {
            StoreReply::Proposals(proposals) => proposals,
            other => panic!("{other:?}"),
        }
    }

    pub fn answer(&mut self, handle: &str, verdict: Decision) -> StoreReply {
        let call = StoreCall::Answer { purse: self.purse.clone(), handle: Handle(handle.to_owned()), verdict };
        self.store.perform(call, clock::now()).unwrap()
    }

    /// Accepts the first `count` contacts.
    pub fn accepts(&mut self, handle: &str, amount: usize) -> StoreReply {
        let asked = self.asked().into_iter().find(|proposal| proposal.handle.0 == handle).expect("it waits");
        assert_eq!(asked.corpus, Corpus::Us);
        let ids: Vec<RowId> = asked.rows.iter().take(amount).map(|row| row.id).collect();
        self.answer(handle, Decision::Accept { amount: Credits(amount as i64), ids, verify: asked.verify })
    }
}

/// Ages what waits in a ledger, as if it had been asked just as long ago as it lasts.
pub fn half_an_hour_later(app: &TestApp) {
    let ledger = rusqlite::Connection::open(app.path("state/lode.sqlite3")).unwrap();
    ledger.busy_timeout(Duration::from_secs(10)).unwrap();
    ledger
        .execute(
            "UPDATE proposal SET expires_at = expires_at - made_at + ?1, made_at = ?1
         WHERE state IN ('waiting', 'accepted')",
            [clock::now().wall.0 - 1_800_000],
        )
        .unwrap();
}

/// What requests of lode were charged, by the service's own books. Other members are charged without a request.
pub fn charged(app: &TestApp) -> usize {
    use lode_sandbox::records::CreditKind;
    app.sandbox.service().read(app.sandbox.now_ms(), |books| {
        books.lines().iter().filter(|line| line.what == CreditKind::Charge && line.call != 0).count()
    })
}

/// What was sent in this minute is forgotten, as if it was over. Nothing may be under way.
pub fn another_minute(app: &TestApp) {
    drop(std::fs::remove_dir_all(app.path("runtime")));
}
