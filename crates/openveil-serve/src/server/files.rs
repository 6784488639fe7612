//! Downloads, and the files that pages need.

use super::App;
use super::guard::REPORTS;
use crate::desk::SAMPLE_FILE;
use axum::body::Body;
use axum::extract::{Path as Name, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::AsyncReadExt;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Bytes sent at a time.
const BLOCK: usize = 64 << 10;

/// Sends the style sheet and the script of the pages.
pub(super) async fn asset(Name(name): Name<String>) -> Response {
    let (kind, text) = match name.as_str() {
        "style.css" => ("text/css; charset=utf-8", include_str!("../assets/style.css")),
        "page.js" => ("text/javascript; charset=utf-8", include_str!("../assets/page.js")),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    ([(CONTENT_TYPE, kind)], text).into_response()
}

/// Sends results: the policy, both folders, both reports.
pub(super) async fn download(State(app): State<Arc<App>>, Name(name): Name<String>) -> Response {
    if name == SAMPLE_FILE {
        let Ok(text) = tokio::fs::read_to_string(app.desk.sample()).await else {
            return StatusCode::NOT_FOUND.into_response();
        };
        return ([(CONTENT_TYPE, "application/json")], text).into_response();
    }
    if name == "policy.toml" {
        let text = app.desk.state().draft.text();
        return ([(CONTENT_TYPE, "application/toml")], text).into_response();
    }
    let written = app.desk.state().published.as_ref().map(|own| own.published.written.clone());
    let Some(written) = written else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let sent = match name.as_str() {
        "release.zip" => zipped(written.release, "release").await,
        "owner.zip" => zipped(written.owner, "owner").await,
        "report.html" => report(&written.release).await,
        "owner.html" => report(&written.owner).await,
        _ => Ok(StatusCode::NOT_FOUND.into_response()),
    };
    sent.unwrap_or_else(|cause| {
        (StatusCode::INTERNAL_SERVER_ERROR, format!("{cause}\n")).into_response()
    })
}

async fn report(folder: &Path) -> io::Result<Response> {
    let text = tokio::fs::read_to_string(folder.join("report.html")).await?;
    let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CONTENT_SECURITY_POLICY, REPORTS)];
    Ok((headers, text).into_response())
}

/// Sends a folder as one file, which has no name on the disk.
async fn zipped(folder: PathBuf, name: &'static str) -> io::Result<Response> {
    let made = tokio::task::spawn_blocking(move || zip(&folder, name)).await;
    let file = tokio::fs::File::from_std(made.map_err(io::Error::other)??);
    let mut response = Response::new(sent(file));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/zip"));
    let shown = format!("attachment; filename=\"{name}.zip\"");
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_str(&shown).map_err(io::Error::other)?);
    Ok(response)
}

/// Makes an archive without times and owners: it contains only the content of the files.
fn zip(folder: &Path, name: &str) -> io::Result<File> {
    let mut archive = ZipWriter::new(tempfile::tempfile()?);
    let mut entries = std::fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let options = SimpleFileOptions::default().large_file(true);
    for entry in entries.iter().filter(|entry| entry.path().is_file()) {
        let file = entry.file_name();
        let inside = format!("{name}/{}", file.to_string_lossy());
        archive.start_file(inside, options).map_err(io::Error::other)?;
        io::copy(&mut File::open(entry.path())?, &mut archive)?;
    }
    let mut file = archive.finish().map_err(io::Error::other)?;
    io::Seek::rewind(&mut file)?;
    Ok(file)
}

fn sent(file: tokio::fs::File) -> Body {
    Body::from_stream(stream::unfold(Some(file), |file| async {
        let mut file = file?;
        let mut block = vec![0; BLOCK];
        match file.read(&mut block).await {
            Ok(0) => None,
            Ok(read) => {
                block.truncate(read);
                Some((Ok(block), Some(file)))
            }
            Err(cause) => Some((Err(cause), None)),
        }
    }))
}
