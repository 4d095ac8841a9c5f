"""The tables, as steps that each take a store from one version to the next."""

MIGRATIONS = (
    """
    CREATE TABLE runs (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        benchmark TEXT NOT NULL,
        identity TEXT NOT NULL,          -- what the run is, as JSON; its digest is in the id
        extent TEXT NOT NULL,            -- how far it reaches so far: limit, epochs, judges; grows
        secret BLOB NOT NULL,            -- keys the fences around candidates' text
        created TEXT NOT NULL
    );
    CREATE TABLE scenarios (
        id TEXT PRIMARY KEY,
        label TEXT NOT NULL,
        content TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE conversations (
        number INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES runs(number),
        scenario TEXT NOT NULL REFERENCES scenarios(id),
        subject TEXT NOT NULL,
        cast_digest TEXT NOT NULL,       -- which model sits in which role
        cast_roles TEXT NOT NULL,
        repeat INTEGER NOT NULL,
        take INTEGER NOT NULL,           -- played anew on purpose: the newest take counts, older ones stay
        state TEXT NOT NULL CHECK (state IN ('open', 'done', 'void')),
        failure TEXT NOT NULL DEFAULT '',
        detail TEXT NOT NULL DEFAULT '',
        outcome TEXT,
        lines TEXT,
        protocol TEXT NOT NULL,
        UNIQUE (run, scenario, cast_digest, repeat, take)
    );
    CREATE TABLE messages (
        number INTEGER PRIMARY KEY,      -- long texts are appended; only the index is in the order of digests
        digest BLOB NOT NULL UNIQUE,     -- chained over all before it: each message is stored once
        parent BLOB,
        role TEXT NOT NULL,
        text TEXT NOT NULL
    );
    CREATE TABLE settings (
        digest BLOB PRIMARY KEY,         -- model, sampling and schema of a request
        body TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE calls (
        number INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversations(number),
        stage TEXT NOT NULL,
        item TEXT NOT NULL,
        participant TEXT NOT NULL,
        step INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        model TEXT NOT NULL,
        digest BLOB NOT NULL,
        settings BLOB NOT NULL REFERENCES settings(digest),
        thread BLOB NOT NULL REFERENCES messages(digest),
        sent TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('sent', 'done', 'failed')),
        cause TEXT NOT NULL DEFAULT '',
        detail TEXT NOT NULL DEFAULT '',
        text TEXT,
        reasoning TEXT NOT NULL DEFAULT '',
        stop TEXT NOT NULL DEFAULT '',
        version TEXT NOT NULL DEFAULT '',
        tokens_in INTEGER,
        tokens_out INTEGER,
        tokens_estimated INTEGER NOT NULL DEFAULT 0,
        cost REAL,
        latency REAL,
        raw BLOB,
        UNIQUE (conversation, stage, item, participant, step, attempt)
    );
    CREATE UNIQUE INDEX one_finished_call_per_step
        ON calls (conversation, stage, item, participant, step) WHERE state = 'done';
    CREATE TABLE facts (
        conversation INTEGER NOT NULL REFERENCES conversations(number),
        stage TEXT NOT NULL,
        item TEXT NOT NULL,
        name TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (conversation, stage, item, name)
    ) WITHOUT ROWID;
    CREATE TABLE verdicts (
        conversation INTEGER NOT NULL REFERENCES conversations(number),
        judge TEXT NOT NULL,
        rubric TEXT NOT NULL,
        item TEXT NOT NULL,
        failure TEXT NOT NULL DEFAULT '',
        detail TEXT NOT NULL DEFAULT '',
        data TEXT,
        PRIMARY KEY (conversation, judge, rubric, item)
    ) WITHOUT ROWID;
    CREATE TABLE scores (
        conversation INTEGER NOT NULL REFERENCES conversations(number),
        name TEXT NOT NULL,
        source TEXT NOT NULL,
        value REAL NOT NULL,
        PRIMARY KEY (conversation, name, source)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE runs ADD COLUMN name TEXT NOT NULL DEFAULT '';  -- given by the user; the id stays
    CREATE UNIQUE INDEX one_run_of_a_name ON runs (name) WHERE name <> '';
    ALTER TABLE calls ADD COLUMN reserved_tokens INTEGER;       -- what the call could use at most
    ALTER TABLE calls ADD COLUMN reserved_cost REAL;            -- NULL where its price is unknown
    """,
    """
    CREATE TABLE draws (
        id TEXT PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES runs(number),
        seed INTEGER NOT NULL,
        population TEXT NOT NULL,        -- the conversations that could be drawn, as JSON, in their drawn order
        reach INTEGER NOT NULL,          -- so many of them, from the first, were given out; grows
        made TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE labels (
        number INTEGER PRIMARY KEY,      -- the newest of a rater, criterion and conversation counts, older ones stay
        conversation INTEGER NOT NULL REFERENCES conversations(number),
        rater TEXT NOT NULL,
        criterion TEXT NOT NULL,
        value REAL NOT NULL,
        made TEXT NOT NULL,              -- when the rater said so, as the rater writes it; else when it came in
        drawn TEXT NOT NULL,             -- how the conversation was chosen: the id of a draw, or somebody's words
        came_from TEXT NOT NULL          -- file and line
    );
    CREATE INDEX labels_of_a_conversation ON labels (conversation);
    """,
    """
    CREATE TABLE beats (
        run INTEGER PRIMARY KEY REFERENCES runs(number),
        beat INTEGER NOT NULL            -- grows with every commit that changes something of the run
    );
    CREATE TABLE kept (
        key TEXT PRIMARY KEY,            -- what was computed of which runs
        beats TEXT NOT NULL,             -- of its runs when it was computed, and of the program: else it is out of date
        body TEXT NOT NULL,
        made TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE rounds (
        id TEXT PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES runs(number),
        draw TEXT NOT NULL REFERENCES draws(id),
        criteria TEXT NOT NULL,          -- what raters are asked, as JSON
        people INTEGER NOT NULL,         -- so many of them label each conversation
        made TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE passes (
        secret TEXT PRIMARY KEY,         -- the end of a link
        role TEXT NOT NULL CHECK (role IN ('owner', 'rater', 'player')),
        place TEXT NOT NULL,             -- the round or the run that it lets somebody into; empty for the owner
        name TEXT NOT NULL,
        made TEXT NOT NULL,
        revoked TEXT NOT NULL DEFAULT '',
        UNIQUE (role, place, name)
    ) WITHOUT ROWID;
    CREATE INDEX conversations_of_a_model ON conversations (run, subject, state, number);
    CREATE INDEX conversations_that_failed ON conversations (run, failure, number) WHERE failure <> '';
    CREATE INDEX people_who_are_asked ON calls (model, number) WHERE state = 'sent';
    """,
)
