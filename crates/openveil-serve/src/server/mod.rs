//! The server: access, routes, and its end.

mod files;
mod form;
mod guard;
mod routes;
mod upload;

use crate::ServeOptions;
use crate::desk::{DeskHandle, Root};
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use guard::RequestGuard;
use openveil_io::{Error, Location};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How often to check whether the page is still in use.
const LOOK: Duration = Duration::from_millis(500);

/// How long a running work may take to stop when the server ends.
const LEAVE: Duration = Duration::from_secs(10);

/// The state that all requests share.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) desk: Arc<DeskHandle>,
    guard: RequestGuard,
    last_asked: Mutex<Instant>,
    ended: Notify,
}

/// A server that listens on this machine only.
#[derive(Debug)]
pub struct Server {
    app: Arc<App>,
    listener: TcpListener,
    idle: Duration,
}

/// Ends a server, and makes new links, from another thread.
#[derive(Debug, Clone)]
pub struct Handle {
    app: Arc<App>,
}

impl App {
    /// Records that the page is in use.
    pub(crate) fn touch(&self) {
        *self.last_asked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Returns the beginning of all addresses of pages.
    pub(crate) fn prefix(&self) -> &str {
        self.guard.prefix()
    }
}

impl Handle {
    /// Makes the server end.
    pub fn stop(&self) {
        self.app.ended.notify_one();
    }

    /// Returns a link that lets one browser in, once; the previous link no longer works.
    pub fn address(&self) -> String {
        self.app.guard.way_in()
    }
}

impl Server {
    /// Prepares a server on the loopback address, and a free port unless one is given.
    ///
    /// # Errors
    /// A port that is in use, a root that is not a folder, a temporary folder that cannot be made.
    pub fn new(options: &ServeOptions) -> Result<Self, Error> {
        let root = options.root.as_deref().map(Root::new).transpose()?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port.unwrap_or(0)));
        let taken = |cause: std::io::Error| {
            Error::new(Location::default(), format!("cannot listen on {address}: {cause}"))
                .help("choose another port, or none: a free one is found")
        };
        let listener = TcpListener::bind(address).map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        Ok(Self {
            app: Arc::new(App {
                desk: Arc::new(DeskHandle::new(root, options)?),
                guard: RequestGuard::new(address),
                last_asked: Mutex::new(Instant::now()),
                ended: Notify::new(),
            }),
            listener,
            idle: options.idle,
        })
    }

    /// Returns the handle that ends it and lets browsers in.
    pub fn handle(&self) -> Handle {
        Handle { app: self.app.clone() }
    }

    /// Answers until it is stopped or has had no requests for long. Then all uploads and results
    /// are deleted.
    ///
    /// # Errors
    /// A system that provides no threads or sockets.
    pub fn run(self) -> Result<(), Error> {
        let failed = |cause: std::io::Error| Error::io(Path::new("127.0.0.1"), "listen", &cause);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let app = self.app.clone();
        let served = runtime.block_on(async move {
            self.listener.set_nonblocking(true)?;
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let router = router(self.app.clone());
            tokio::select! {
                served = async { axum::serve(listener, router).await } => served,
                () = self.app.ended.notified() => Ok(()),
                () = idle(&self.app, self.idle) => Ok(()),
            }
        });
        // Open streams to browsers do not delay the end.
        runtime.shutdown_background();
        leave(&app.desk);
        app.desk.clear();
        served.map_err(failed)
    }
}

fn router(app: Arc<App>) -> Router {
    // The guard changes paths, so it runs before routing.
    let routes = routes::all().with_state(app.clone());
    Router::new().fallback_service(routes).layer(from_fn_with_state(app, guarded))
}

/// Wraps the routes: refused requests never reach them, and do not count as use.
async fn guarded(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let answer = match app.guard.admit(request) {
        ControlFlow::Continue(request) => {
            app.touch();
            next.run(request).await
        }
        ControlFlow::Break(answer) => answer,
    };
    app.guard.finish(answer)
}

/// Returns after this time without requests and without running work: waiting for a long work
/// counts as use.
async fn idle(app: &App, most: Duration) {
    loop {
        tokio::time::sleep(LOOK.min(most)).await;
        if app.desk.running().is_some() {
            app.touch();
        }
        let last = *app.last_asked.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() >= most {
            return;
        }
    }
}

/// Stops the running work, so that its files are deleted with the folder.
fn leave(desk: &DeskHandle) {
    let Some(job) = desk.running() else { return };
    job.stop();
    let begin = Instant::now();
    while job.end().is_none() && begin.elapsed() < LEAVE {
        std::thread::sleep(Duration::from_millis(20));
    }
}
