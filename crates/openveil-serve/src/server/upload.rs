//! Uploads of tables.

use super::App;
use crate::desk::{DeskHandle, WorkKind};
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use openveil_io::source::Source;
use openveil_tools::inspect::Said;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::AsyncWriteExt;

/// Stores an uploaded table in the folder of the desk, block by block, and inspects it.
pub(super) async fn upload(
    State(app): State<Arc<App>>,
    RawQuery(query): RawQuery,
    body: Body,
) -> Response {
    let form = super::form::FormFields::read(query.as_deref().unwrap_or_default());
    let name = file_name(form.one("name").unwrap_or_default());
    let folder = match own_folder(&app.desk) {
        Ok(folder) => folder,
        Err(cause) => return failed(&cause),
    };
    let path = folder.join(&name);
    if let Err(cause) = receive(&app, &path, body).await {
        // A partial table is deleted.
        drop(std::fs::remove_dir_all(&folder));
        return failed(&cause);
    }
    let desk = app.desk.clone();
    let begun = app.desk.begin(WorkKind::Bring, move |watch| {
        desk.look_at(name, Source::new(path), &Said::default(), watch)
    });
    match begun {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(_) => {
            drop(std::fs::remove_dir_all(&folder));
            (StatusCode::CONFLICT, "something else is running\n").into_response()
        }
    }
}

/// Makes a new folder for one table, with a unique name.
fn own_folder(desk: &DeskHandle) -> std::io::Result<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = desk.tables().join(number.to_string());
    std::fs::create_dir(&folder)?;
    Ok(folder)
}

async fn receive(app: &App, path: &Path, body: Body) -> std::io::Result<()> {
    let mut file = tokio::fs::File::create_new(path).await?;
    let mut blocks = body.into_data_stream();
    while let Some(block) = blocks.next().await {
        app.touch();
        file.write_all(&block.map_err(std::io::Error::other)?).await?;
    }
    file.flush().await
}

fn failed(cause: &std::io::Error) -> Response {
    let status = match cause.kind() {
        std::io::ErrorKind::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    (status, format!("{cause}\n")).into_response()
}

/// Returns a safe file name: letters, digits and a few signs from the last part of the sent name.
fn file_name(sent: &str) -> String {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String =
        last.chars().filter(|c| c.is_alphanumeric() || " ._-()".contains(*c)).take(100).collect();
    let plain = plain.trim().trim_start_matches('.');
    if plain.is_empty() { "table.csv".to_owned() } else { plain.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn names_stay_in_their_folder() {
        for (sent, kept) in [
            ("people.csv", "people.csv"),
            ("../../etc/passwd", "passwd"),
            ("C:\\data\\a b.xlsx", "a b.xlsx"),
            ("..", "table.csv"),
            (".hidden.csv", "hidden.csv"),
            ("*?[x].csv", "x.csv"),
            ("", "table.csv"),
            ("Größe.csv", "Größe.csv"),
        ] {
            assert_eq!(file_name(sent), kept);
        }
    }
}
