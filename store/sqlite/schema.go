package sqlite

// applicationID marks the file as a store of ours: "Bren" in ASCII.
const applicationID = 0x4272656e

// migrations gives the steps from an empty file to the newest schema; step n
// leads to version n+1. A step that was released is never edited.
//
// Blobs have a rowid: rows without one would put large data into the index that
// is searched. Texts are bytes to SQLite, so names sort as Go sorts them.
func migrations() []string {
	return []string{`
CREATE TABLE blobs (
	hash TEXT NOT NULL PRIMARY KEY,
	size INTEGER NOT NULL CHECK (size = length(data)),
	data BLOB NOT NULL
) STRICT;

CREATE TABLE streams (
	id    INTEGER PRIMARY KEY,
	name  TEXT NOT NULL UNIQUE,
	seq   INTEGER NOT NULL CHECK (seq > 0),
	hash  TEXT NOT NULL,
	began TEXT NOT NULL,
	last  TEXT NOT NULL
) STRICT;

CREATE TABLE entries (
	stream INTEGER NOT NULL REFERENCES streams (id),
	seq    INTEGER NOT NULL CHECK (seq > 0),
	at     TEXT NOT NULL,
	kind   TEXT NOT NULL,
	body   TEXT NOT NULL,
	prev   TEXT NOT NULL,
	hash   TEXT NOT NULL,
	PRIMARY KEY (stream, seq)
) STRICT;

CREATE TABLE records (
	id      TEXT NOT NULL,
	version INTEGER NOT NULL CHECK (version > 0),
	parent  INTEGER NOT NULL CHECK (parent >= 0 AND parent < version),
	type    TEXT NOT NULL,
	status  TEXT NOT NULL,
	module  TEXT NOT NULL,
	summary TEXT NOT NULL,
	content TEXT NOT NULL,
	change  TEXT NOT NULL,
	creator TEXT NOT NULL,
	at      TEXT NOT NULL,
	tags    TEXT NOT NULL,
	links   TEXT NOT NULL,
	PRIMARY KEY (id, version)
) STRICT;

CREATE INDEX records_by_type ON records (type, id, version);
`}
}
