-- The state file of lode, as numbered migrations: each section brings the file from the version before it to its own.
-- A section that was released is never edited again. Moments are milliseconds since 1970.

-- migration 1

-- Whose money it is: records of money belong to a purse, never to a key or a profile.
CREATE TABLE purse (
    id INTEGER PRIMARY KEY,
    origin TEXT NOT NULL,
    org TEXT NOT NULL,
    UNIQUE (origin, org)
);
CREATE TABLE known_key (
    key TEXT PRIMARY KEY,
    purse INTEGER NOT NULL,
    org_name TEXT NOT NULL,
    plan TEXT NOT NULL,
    key_name TEXT NOT NULL,
    key_prefix TEXT NOT NULL,
    scopes TEXT NOT NULL,
    credits INTEGER,
    at INTEGER NOT NULL
) WITHOUT ROWID;
-- Which baskets a purse's unlocks empty.
CREATE TABLE profile_purse (profile TEXT NOT NULL, purse INTEGER NOT NULL, PRIMARY KEY (profile, purse)) WITHOUT ROWID;

-- The basket, per profile and side. Its version grows with every change by any window.
CREATE TABLE basket (
    place INTEGER PRIMARY KEY,
    profile TEXT NOT NULL,
    source INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    id INTEGER NOT NULL,
    ours INTEGER NOT NULL,
    email TEXT NOT NULL,
    phone TEXT NOT NULL,
    name TEXT NOT NULL,
    company TEXT NOT NULL,
    email_status TEXT NOT NULL,
    clue TEXT NOT NULL,
    row TEXT NOT NULL,
    UNIQUE (profile, source, corpus, id)
);
CREATE TABLE basket_version (
    profile TEXT NOT NULL,
    source INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (profile, source, corpus)
) WITHOUT ROWID;

-- Suppression lists. Kind 0: an address, 1: a domain, 2: a contact (value is empty).
CREATE TABLE suppressed (
    profile TEXT NOT NULL,
    list TEXT NOT NULL,
    kind INTEGER NOT NULL,
    value TEXT NOT NULL,
    source INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (profile, list, kind, value, source, corpus, id)
) WITHOUT ROWID;

-- Money. What is written here stays: a batch and its ids are never changed, an outcome is never taken back.
CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    purse INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    profile TEXT NOT NULL,
    window TEXT NOT NULL,
    key TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    ceiling INTEGER NOT NULL,
    verify INTEGER NOT NULL,
    asked INTEGER NOT NULL,
    balance_before INTEGER
);
CREATE TABLE batch (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    order_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    purse INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    profile TEXT NOT NULL,
    verify INTEGER NOT NULL,
    balance_before INTEGER
);
CREATE INDEX batch_of_order ON batch (order_id);
CREATE TABLE asked (
    batch INTEGER NOT NULL,
    place INTEGER NOT NULL,
    id INTEGER NOT NULL,
    clue TEXT NOT NULL,
    PRIMARY KEY (batch, place)
) WITHOUT ROWID;
-- Contacts whose outcome is open. The primary key is what keeps an id from being in two open batches (never twice).
CREATE TABLE open_contact (
    purse INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    id INTEGER NOT NULL,
    batch INTEGER NOT NULL,
    PRIMARY KEY (purse, corpus, id)
) WITHOUT ROWID;
CREATE INDEX open_of_batch ON open_contact (batch);
-- Each sending of a batch, and how it ended: lost, withdrawn, answered, or orphaned when its window was found to have died.
-- An end carries the machine's own clock with the boot it counts from, because proof by waiting is measured on that.
CREATE TABLE attempt (
    batch INTEGER NOT NULL,
    number INTEGER NOT NULL,
    window TEXT NOT NULL,
    key TEXT NOT NULL,
    sent_at INTEGER NOT NULL,
    PRIMARY KEY (batch, number)
) WITHOUT ROWID;
CREATE TABLE attempt_end (
    batch INTEGER NOT NULL,
    number INTEGER NOT NULL,
    how TEXT NOT NULL,
    at INTEGER NOT NULL,
    boot TEXT NOT NULL,
    mono INTEGER NOT NULL,
    words TEXT NOT NULL,
    PRIMARY KEY (batch, number)
) WITHOUT ROWID;
-- Raw answers. An answer waits in a file of its own, whose room was taken before the batch was sent, until it is settled.
CREATE TABLE answer (
    seq INTEGER PRIMARY KEY,
    batch INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    status INTEGER NOT NULL,
    at INTEGER NOT NULL,
    body BLOB NOT NULL
);
-- One row for each contact whose outcome became known; every tally is counted from here. `booked` is `at`, but never
-- earlier than the row before it: the clock of the daily cap, which a wall clock that is set back cannot rewind.
CREATE TABLE outcome (
    seq INTEGER PRIMARY KEY,
    batch INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    purse INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    id INTEGER NOT NULL,
    window TEXT NOT NULL,
    outcome TEXT NOT NULL,
    how TEXT NOT NULL,
    verification TEXT,
    evidence TEXT,
    at INTEGER NOT NULL,
    booked INTEGER NOT NULL,
    UNIQUE (batch, id)
);
CREATE INDEX outcome_of_order ON outcome (order_id);
CREATE INDEX outcome_of_window ON outcome (window, purse, outcome);
CREATE INDEX outcome_of_purse ON outcome (purse, outcome, booked);
-- The service's own figures, for the receipt only.
CREATE TABLE settlement (
    seq INTEGER PRIMARY KEY,
    batch INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    how TEXT NOT NULL,
    at INTEGER NOT NULL,
    charged INTEGER,
    refunded INTEGER,
    balance INTEGER,
    stopped INTEGER NOT NULL
);
CREATE INDEX settlement_of_order ON settlement (order_id);
CREATE TABLE sighting (
    seq INTEGER PRIMARY KEY,
    batch INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    id INTEGER NOT NULL,
    sight INTEGER NOT NULL,
    at INTEGER NOT NULL,
    quiet_ms INTEGER NOT NULL
);
CREATE INDEX sighting_of_batch ON sighting (batch, id);

-- What the workspace owns, as far as lode saw it.
CREATE TABLE owned (
    purse INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    id INTEGER NOT NULL,
    email TEXT NOT NULL,
    phone TEXT NOT NULL,
    contact_name TEXT NOT NULL,
    company_name TEXT NOT NULL,
    title TEXT NOT NULL,
    verification TEXT,
    refunded INTEGER,
    unlocked_at INTEGER NOT NULL,
    order_id INTEGER,
    search TEXT,
    PRIMARY KEY (purse, corpus, id)
) WITHOUT ROWID;
CREATE TABLE label (
    purse INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    id INTEGER NOT NULL,
    tags TEXT NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (purse, corpus, id)
) WITHOUT ROWID;

-- What was searched, and which ids each page showed (packed).
CREATE TABLE search (
    id INTEGER PRIMARY KEY,
    profile TEXT NOT NULL,
    canonical TEXT NOT NULL,
    source INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    total INTEGER NOT NULL,
    at INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    UNIQUE (profile, canonical)
);
CREATE INDEX search_by_turn ON search (profile, turn);
CREATE TABLE shown (
    seq INTEGER PRIMARY KEY,
    search INTEGER NOT NULL,
    start INTEGER NOT NULL,
    ids BLOB NOT NULL,
    UNIQUE (search, start, ids)
);

-- What a saved search had when it last ran.
CREATE TABLE snapshot (
    profile TEXT NOT NULL,
    name TEXT NOT NULL,
    total INTEGER NOT NULL,
    at INTEGER NOT NULL,
    read INTEGER NOT NULL,
    ids BLOB NOT NULL,
    PRIMARY KEY (profile, name)
);
-- Where the person was.
CREATE TABLE place (profile TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;

-- Promises of the money tables, kept by the file itself.
CREATE TRIGGER batch_stays BEFORE UPDATE ON batch BEGIN SELECT RAISE(ABORT, 'a batch is never changed'); END;
CREATE TRIGGER batch_remains BEFORE DELETE ON batch BEGIN SELECT RAISE(ABORT, 'a batch is never removed'); END;
CREATE TRIGGER asked_stays BEFORE UPDATE ON asked BEGIN SELECT RAISE(ABORT, 'the ids of a batch are never changed'); END;
CREATE TRIGGER asked_remains BEFORE DELETE ON asked BEGIN SELECT RAISE(ABORT, 'the ids of a batch are never removed'); END;
CREATE TRIGGER answer_stays BEFORE UPDATE ON answer BEGIN SELECT RAISE(ABORT, 'an answer is never changed'); END;
CREATE TRIGGER answer_remains BEFORE DELETE ON answer BEGIN SELECT RAISE(ABORT, 'an answer is never removed'); END;
CREATE TRIGGER outcome_stays BEFORE UPDATE ON outcome BEGIN SELECT RAISE(ABORT, 'an outcome is never changed'); END;
CREATE TRIGGER outcome_remains BEFORE DELETE ON outcome BEGIN SELECT RAISE(ABORT, 'an outcome is never removed'); END;

-- migration 2

-- What the saved search asked: another one under the same name is not compared with what this one had. Empty: nobody knows.
ALTER TABLE snapshot ADD COLUMN query TEXT NOT NULL DEFAULT '';

-- migration 3

-- Basket, history, suppression lists and snapshots belong to a purse, as money does. Kinds: 0 an organization of a Workspace,
-- 1 a key of a Data API, 2 a Workspace key that `/me` has not answered for, 3 a profile of an earlier version, whose rows may
-- be those of any purse. What only code can decide (how an address is spelled, which purse a profile had) follows in
-- `store::migrate`.
ALTER TABLE purse RENAME TO purse_2;
CREATE TABLE purse (
    id INTEGER PRIMARY KEY,
    origin TEXT NOT NULL,
    kind INTEGER NOT NULL,
    owner TEXT NOT NULL,
    UNIQUE (origin, kind, owner)
);
INSERT INTO purse SELECT id, origin, 0, org FROM purse_2;
DROP TABLE purse_2;
INSERT INTO purse (origin, kind, owner) SELECT '', 3, profile FROM (
    SELECT profile FROM basket UNION SELECT profile FROM suppressed UNION SELECT profile FROM search
);

ALTER TABLE known_key RENAME TO known_key_2;
CREATE TABLE known_key (
    origin TEXT NOT NULL,
    key TEXT NOT NULL,
    purse INTEGER NOT NULL,
    org_name TEXT NOT NULL,
    plan TEXT NOT NULL,
    key_name TEXT NOT NULL,
    key_prefix TEXT NOT NULL,
    scopes TEXT NOT NULL,
    credits INTEGER,
    at INTEGER NOT NULL,
    PRIMARY KEY (origin, key)
) WITHOUT ROWID;
INSERT INTO known_key SELECT p.origin, key, purse, org_name, plan, key_name, key_prefix, scopes, credits, at
    FROM known_key_2 k JOIN purse p ON p.id = k.purse;
DROP TABLE known_key_2;

ALTER TABLE basket RENAME TO basket_2;
CREATE TABLE basket (
    place INTEGER PRIMARY KEY,
    purse INTEGER NOT NULL,
    source INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    id INTEGER NOT NULL,
    ours INTEGER NOT NULL,
    email TEXT NOT NULL,
    phone TEXT NOT NULL,
    name TEXT NOT NULL,
    company TEXT NOT NULL,
    email_status TEXT NOT NULL,
    clue TEXT NOT NULL,
    row TEXT NOT NULL,
    UNIQUE (purse, source, corpus, id)
);
INSERT INTO basket SELECT place, (SELECT id FROM purse WHERE kind = 3 AND owner = profile), source, corpus, id, ours, email,
    phone, name, company, email_status, clue, row FROM basket_2;
DROP TABLE basket_2;
ALTER TABLE basket_version RENAME TO basket_version_2;
CREATE TABLE basket_version (
    purse INTEGER NOT NULL,
    source INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (purse, source, corpus)
) WITHOUT ROWID;
INSERT INTO basket_version SELECT p.id, source, corpus, version
    FROM basket_version_2 JOIN purse p ON p.kind = 3 AND p.owner = profile;
DROP TABLE basket_version_2;

ALTER TABLE suppressed RENAME TO suppressed_2;
CREATE TABLE suppressed (
    purse INTEGER NOT NULL,
    list TEXT NOT NULL,
    kind INTEGER NOT NULL,
    value TEXT NOT NULL,
    source INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (purse, list, kind, value, source, corpus, id)
) WITHOUT ROWID;
INSERT INTO suppressed SELECT (SELECT id FROM purse p WHERE p.kind = 3 AND p.owner = profile), list, kind, value, source,
    corpus, s.id FROM suppressed_2 s;
DROP TABLE suppressed_2;

-- `turn` counts over all purses, so that searches of several are in one order.
DROP INDEX search_by_turn;
ALTER TABLE search RENAME TO search_2;
CREATE TABLE search (
    id INTEGER PRIMARY KEY,
    purse INTEGER NOT NULL,
    canonical TEXT NOT NULL,
    source INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    total INTEGER NOT NULL,
    at INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    UNIQUE (purse, canonical)
);
INSERT INTO search SELECT s.id, (SELECT id FROM purse WHERE kind = 3 AND owner = profile), canonical, source, corpus, total,
    at, row_number() OVER (ORDER BY at, turn) FROM search_2 s;
DROP TABLE search_2;
CREATE INDEX search_by_turn ON search (turn);

-- Purse 0: of an earlier version, which did not write down where it was run.
ALTER TABLE snapshot RENAME TO snapshot_2;
CREATE TABLE snapshot (
    profile TEXT NOT NULL,
    name TEXT NOT NULL,
    purse INTEGER NOT NULL,
    query TEXT NOT NULL,
    total INTEGER NOT NULL,
    at INTEGER NOT NULL,
    read INTEGER NOT NULL,
    ids BLOB NOT NULL,
    PRIMARY KEY (profile, name, purse)
);
INSERT INTO snapshot SELECT profile, name, 0, query, total, at, read, ids FROM snapshot_2;
DROP TABLE snapshot_2;

-- migration 4

-- What the service told of a contact besides its address: the row as JSON, as a search showed it. Kept for what is owned, and
-- for what is about to be.
CREATE TABLE told (
    purse INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    id INTEGER NOT NULL,
    row TEXT NOT NULL,
    PRIMARY KEY (purse, corpus, id)
) WITHOUT ROWID;
-- The largest page that a service gives, where it refuses larger ones.
CREATE TABLE page_size (
    origin TEXT NOT NULL,
    source INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    PRIMARY KEY (origin, source)
) WITHOUT ROWID;
-- How often records of a kind were changed, by any window: what others changed is read again by it.
CREATE TABLE revision (
    kind TEXT PRIMARY KEY,
    number INTEGER NOT NULL
) WITHOUT ROWID;

-- migration 5

-- What a match of accounts was answered so far. It goes when the match is done.
CREATE TABLE match_step (
    purse INTEGER NOT NULL,
    job TEXT NOT NULL,
    step TEXT NOT NULL,
    at INTEGER NOT NULL,
    answer TEXT NOT NULL,
    PRIMARY KEY (purse, job, step)
);

-- migration 6

-- What assistants ask to unlock. States: waiting, accepted, declined, used. `how` says by whose word the order was made: of a
-- person, or by the standing allowance.
CREATE TABLE proposal (
    handle TEXT PRIMARY KEY,
    purse INTEGER NOT NULL,
    corpus INTEGER NOT NULL,
    assistant TEXT NOT NULL,
    verify INTEGER NOT NULL,
    ceiling INTEGER NOT NULL,
    made_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    answered_at INTEGER,
    amount INTEGER,
    accepted_verify INTEGER,
    order_id INTEGER,
    how TEXT
) WITHOUT ROWID;
CREATE INDEX proposal_of_order ON proposal (order_id);
CREATE INDEX proposal_waits ON proposal (purse, state, expires_at);
CREATE TABLE proposed (
    handle TEXT NOT NULL,
    place INTEGER NOT NULL,
    id INTEGER NOT NULL,
    email TEXT NOT NULL,
    phone TEXT NOT NULL,
    name TEXT NOT NULL,
    company TEXT NOT NULL,
    email_status TEXT NOT NULL,
    clue TEXT NOT NULL,
    row TEXT NOT NULL,
    accepted INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (handle, place),
    UNIQUE (handle, id)
) WITHOUT ROWID;
CREATE TRIGGER proposal_used_once BEFORE UPDATE ON proposal WHEN old.state IN ('used', 'declined')
    BEGIN SELECT RAISE(ABORT, 'a proposal that was used or declined stays so'); END;

-- migration 7

-- Jobs of every window and command, as each of them tells the others. Stages: running, done, stopped, failed. One that runs in a
-- window that does not was interrupted.
CREATE TABLE job (
    window TEXT NOT NULL,
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    profile TEXT NOT NULL,
    what TEXT NOT NULL,
    done INTEGER NOT NULL,
    "of" INTEGER,
    stage TEXT NOT NULL,
    words TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (window, kind, number)
) WITHOUT ROWID;

-- migration 8

-- A saved search with several values keeps what each of its legs had last time.
ALTER TABLE snapshot RENAME TO snapshot_6;
CREATE TABLE snapshot (
    profile TEXT NOT NULL,
    name TEXT NOT NULL,
    purse INTEGER NOT NULL,
    query TEXT NOT NULL,
    total INTEGER NOT NULL,
    at INTEGER NOT NULL,
    read INTEGER NOT NULL,
    ids BLOB NOT NULL,
    PRIMARY KEY (profile, name, purse, query)
);
INSERT INTO snapshot SELECT profile, name, purse, query, total, at, read, ids FROM snapshot_6;
DROP TABLE snapshot_6;
