package box

// applicationID marks a file as a mailbox: "BrMl" in ASCII.
const applicationID = 0x42724d6c

// schema creates a mailbox in an empty file. Never edit a released one.
//
// A copy is a message in an agent's mailbox: one per recipient and one for the sender (with how =
// howSent), so that the messages of a thread that an agent may see are one range of one index. A message repeats the
// immutable names of thread and sender, so that reading a page needs no lookups. Times are
// microseconds since 1970.
const schema = `
CREATE TABLE projects (
	id      INTEGER PRIMARY KEY,
	key     TEXT NOT NULL UNIQUE,
	slug    TEXT NOT NULL UNIQUE,
	created INTEGER NOT NULL
) STRICT;

CREATE TABLE agents (
	id      INTEGER PRIMARY KEY,
	project INTEGER NOT NULL REFERENCES projects (id),
	name    TEXT NOT NULL COLLATE NOCASE,
	program TEXT NOT NULL,
	model   TEXT NOT NULL,
	task    TEXT NOT NULL,
	policy  TEXT NOT NULL,
	token   TEXT UNIQUE,
	created INTEGER NOT NULL,
	active  INTEGER NOT NULL,
	UNIQUE (project, name)
) STRICT;

CREATE TABLE threads (
	id      INTEGER PRIMARY KEY,
	project INTEGER NOT NULL REFERENCES projects (id),
	name    TEXT NOT NULL,
	total   INTEGER NOT NULL,
	UNIQUE (project, name)
) STRICT;

CREATE TABLE messages (
	id          INTEGER PRIMARY KEY AUTOINCREMENT,
	project     INTEGER NOT NULL REFERENCES projects (id),
	thread      INTEGER NOT NULL REFERENCES threads (id),
	sender      INTEGER NOT NULL REFERENCES agents (id),
	thread_name TEXT NOT NULL,
	sender_name TEXT NOT NULL,
	recipients  TEXT NOT NULL,
	subject     TEXT NOT NULL,
	importance  TEXT NOT NULL,
	ack         INTEGER NOT NULL,
	reply_to    INTEGER,
	created     INTEGER NOT NULL,
	key         TEXT,
	hash        TEXT NOT NULL,
	body        TEXT NOT NULL,
	UNIQUE (sender, key)
) STRICT;
CREATE INDEX messages_by_thread ON messages (thread, id);

CREATE TABLE copies (
	agent   INTEGER NOT NULL REFERENCES agents (id),
	message INTEGER NOT NULL REFERENCES messages (id),
	thread  INTEGER NOT NULL REFERENCES threads (id),
	how     INTEGER NOT NULL,
	read    INTEGER,
	acked   INTEGER,
	PRIMARY KEY (agent, message)
) STRICT, WITHOUT ROWID;
CREATE INDEX copies_by_thread ON copies (agent, thread, message);
CREATE INDEX copies_by_message ON copies (message);

CREATE TABLE writers (
	thread INTEGER NOT NULL REFERENCES threads (id),
	first  INTEGER NOT NULL,
	agent  INTEGER NOT NULL REFERENCES agents (id),
	PRIMARY KEY (thread, agent)
) STRICT, WITHOUT ROWID;

CREATE TABLE reservations (
	id        INTEGER PRIMARY KEY,
	project   INTEGER NOT NULL REFERENCES projects (id),
	agent     INTEGER NOT NULL REFERENCES agents (id),
	path      TEXT NOT NULL,
	exclusive INTEGER NOT NULL,
	reason    TEXT NOT NULL,
	expires   INTEGER NOT NULL,
	UNIQUE (agent, path)
) STRICT;

CREATE VIRTUAL TABLE words USING fts5 (subject, body, content = 'messages', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2');
`

// attachmentsAndContacts is the second version. A message lists its attachments as JSON (attached), empty for none; a blob
// is stored once, whatever messages have it.
const attachmentsAndContacts = `
ALTER TABLE messages ADD COLUMN attached TEXT NOT NULL DEFAULT '';
CREATE INDEX messages_by_sender ON messages (sender, id);

CREATE TABLE blobs (
	hash TEXT PRIMARY KEY,
	data BLOB NOT NULL
) STRICT;

CREATE TABLE contacts (
	asker    INTEGER NOT NULL REFERENCES agents (id),
	agent    INTEGER NOT NULL REFERENCES agents (id),
	state    TEXT NOT NULL,
	reason   TEXT NOT NULL,
	asked    INTEGER NOT NULL,
	answered INTEGER,
	PRIMARY KEY (asker, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX contacts_by_agent ON contacts (agent);
`

// Values of the column how: why an agent has a copy.
const (
	howTo = iota
	howCC
	howBCC
	howSent
)
