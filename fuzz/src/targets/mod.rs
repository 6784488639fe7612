//! All targets.

mod case;
mod check;
mod files;
mod releases;
mod texts;
mod whole;

use crate::Target;

/// All targets, in the order of what a file passes on its way.
pub const TARGETS: &[Target] = &[
    Target {
        name: "csv",
        about: "text with a delimiter in any encoding; what is read is what the csv crate reads",
        run: files::csv,
    },
    Target {
        name: "gzip",
        about: "compressed text",
        run: files::gzip,
    },
    Target {
        name: "zstd",
        about: "compressed text",
        run: files::zstd,
    },
    Target {
        name: "parquet",
        about: "Parquet",
        run: files::parquet,
    },
    Target {
        name: "arrow",
        about: "Arrow's IPC format",
        run: files::arrow,
    },
    Target {
        name: "excel",
        about: "workbooks (.xlsx)",
        run: files::excel,
    },
    Target {
        name: "inspect",
        about: "guesses about a text, and a starter policy that can be read back",
        run: files::inspect,
    },
    Target {
        name: "policy",
        about: "a policy with a table and a hierarchy file, published if all of it makes sense",
        run: texts::policy,
    },
    Target {
        name: "hierarchy",
        about: "a hierarchy file, of a table that is published by it",
        run: texts::hierarchy,
    },
    Target {
        name: "schema",
        about: "a schema file: rules and tables, and the verdict on them",
        run: texts::schema,
    },
    Target {
        name: "words",
        about: "what is typed: models, people, shares, layouts",
        run: texts::words,
    },
    Target {
        name: "conditions",
        about: "`--where`, asked of a release",
        run: releases::conditions,
    },
    Target {
        name: "release",
        about: "a release folder (manifest and table): read, asked, audited, reported",
        run: releases::folder,
    },
    Target {
        name: "audit",
        about: "any table with any columns, audited",
        run: releases::audit,
    },
    Target {
        name: "state",
        about: "the state of a history, continued by a release",
        run: releases::state,
    },
    Target {
        name: "publish",
        about: "a table and a policy made of the bytes: multisets, models, audit; counts against brute force",
        run: whole::publish,
    },
    Target {
        name: "layout",
        about: "`cover` in chunks against its layout, and against `cover`",
        run: whole::layout,
    },
    Target {
        name: "check",
        about: "the independent check of a release that was tampered with, against the definitions",
        run: check::check,
    },
    Target {
        name: "certificate",
        about: "certificates of any groups, against the model's definition",
        run: check::certificate,
    },
];
