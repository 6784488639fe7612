//! All targets.

mod case;
mod check;
mod files;
mod releases;
mod texts;
mod whole;

use crate::FuzzTarget;

/// All targets, in the order of the path of a file.
pub const TARGETS: &[FuzzTarget] = &[
    FuzzTarget {
        name: "csv",
        about: "text with a delimiter in any encoding; what is read is what the csv crate reads",
        run: files::csv,
    },
    FuzzTarget { name: "gzip", about: "compressed text", run: files::gzip },
    FuzzTarget { name: "zstd", about: "compressed text", run: files::zstd },
    FuzzTarget { name: "parquet", about: "Parquet", run: files::parquet },
    FuzzTarget { name: "arrow", about: "Arrow's IPC format", run: files::arrow },
    FuzzTarget { name: "excel", about: "workbooks (.xlsx)", run: files::excel },
    FuzzTarget {
        name: "inspect",
        about: "guesses about a text, and a starter policy that can be read back",
        run: files::inspect,
    },
    FuzzTarget {
        name: "policy",
        about: "a policy with a table and a hierarchy file, published if all of it makes sense",
        run: texts::policy,
    },
    FuzzTarget {
        name: "hierarchy",
        about: "a hierarchy file, of a table that is published by it",
        run: texts::hierarchy,
    },
    FuzzTarget {
        name: "schema",
        about: "a schema file: rules and tables, and the verdict on them",
        run: texts::schema,
    },
    FuzzTarget {
        name: "words",
        about: "what is typed: models, people, shares, layouts",
        run: texts::words,
    },
    FuzzTarget {
        name: "conditions",
        about: "`--where`, asked of a release",
        run: releases::conditions,
    },
    FuzzTarget {
        name: "release",
        about: "a release folder (manifest and table): read, asked, audited, reported",
        run: releases::folder,
    },
    FuzzTarget {
        name: "audit",
        about: "any table with any columns, audited",
        run: releases::audit,
    },
    FuzzTarget {
        name: "state",
        about: "the state of a history, continued by a release",
        run: releases::state,
    },
    FuzzTarget {
        name: "publish",
        about: "a table and a policy made of the bytes: multisets, models, audit; counts against brute force",
        run: whole::publish,
    },
    FuzzTarget {
        name: "layout",
        about: "`cover` in chunks against its layout, and against `cover`",
        run: whole::layout,
    },
    FuzzTarget {
        name: "check",
        about: "the independent check of a release that was tampered with, against the definitions",
        run: check::check,
    },
    FuzzTarget {
        name: "certificate",
        about: "certificates of any groups, against the model's definition",
        run: check::certificate,
    },
];
