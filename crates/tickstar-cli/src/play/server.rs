//! The server: the page, what it begins with, and its sessions.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use super::assets;
use super::guard::{Guard, Refusal, secure};
use super::session::{Limits, Simulator, connect, refuse};

/// How long the sessions have to tell their browsers that the program ends.
const ENDING: Duration = Duration::from_millis(500);

/// What all requests share.
pub struct Server {
    guard: Guard,
    /// What the page begins with, as JSON.
    start: Bytes,
    limits: Limits,
    places: Arc<Semaphore>,
    /// Each session has a receiver, so it is known when all have ended.
    stop: watch::Sender<bool>,
}

impl Server {
    pub fn new(guard: Guard, start: String, limits: Limits) -> Server {
        Server {
            guard,
            start: start.into(),
            limits,
            places: Arc::new(Semaphore::new(limits.sessions)),
            stop: watch::Sender::new(false),
        }
    }

    /// Answers requests until it is to end, then ends the sessions.
    pub async fn serve<S: Simulator>(
        self,
        listener: TcpListener,
        end: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let server = Arc::new(self);
        // A reply is sent at once: a page that walks asks again when it has come.
        let listener = listener.tap_io(|connection| {
            let _ = connection.set_nodelay(true);
        });
        let answers = axum::serve(listener, routes::<S>(server.clone())).into_future();
        tokio::select! {
            result = answers => result?,
            () = end => {}
        }
        server.stop.send_replace(true);
        let _ = timeout(ENDING, server.stop.closed()).await;
        Ok(())
    }
}

fn routes<S: Simulator>(server: Arc<Server>) -> Router {
    Router::new()
        .route("/stage", any(stage::<S>))
        .route("/start.json", any(start))
        .fallback(file)
        .layer(from_fn_with_state(server.clone(), guarded))
        .with_state(server)
}

/// Refuses what no page of this server asks, and tells the browser what to refuse.
async fn guarded(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let guard = &server.guard;
    let host = guard.host(request.uri(), request.headers()).map(str::to_string);
    let admitted = guard.admit(request.method(), request.uri(), request.headers());
    let mut response = match admitted {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    secure(response.headers_mut(), host.as_deref());
    response
}

async fn file(uri: Uri) -> Response {
    assets::file(uri.path()).unwrap_or_else(|| Refusal::Path.into_response())
}

async fn start(State(server): State<Arc<Server>>, uri: Uri) -> Response {
    match server.guard.admit_token(&uri) {
        Ok(()) => {
            ([(header::CONTENT_TYPE, "application/json")], server.start.clone()).into_response()
        }
        Err(refusal) => refusal.into_response(),
    }
}

async fn stage<S: Simulator>(
    State(server): State<Arc<Server>>,
    uri: Uri,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    if let Err(refusal) = server.guard.admit_session(&uri, &headers) {
        return refusal.into_response();
    }
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    let limits = server.limits;
    let upgrade = upgrade.max_message_size(2 * limits.message).max_frame_size(2 * limits.message);
    match server.places.clone().try_acquire_owned() {
        Ok(place) => {
            let stop = server.stop.subscribe();
            upgrade.on_upgrade(move |socket| connect::<S>(socket, place, limits, stop))
        }
        Err(_) => upgrade.on_upgrade(move |socket| refuse(socket, limits)),
    }
}
