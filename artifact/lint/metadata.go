package lint

import (
	"fmt"
	"strings"

	"brenner/artifact"
)

func metadataRules() []rule {
	return []rule{
		newRule("EM-001", "front matter is there and can be read",
			"without it the file's session and version are unknown",
			"begin the file with `---`, the metadata as YAML, and `---`",
			frontMatter),
		newRule("EM-002", "metadata has a session_id",
			"it links the artifact to its mail thread and its records in the store",
			"write `session_id: RS-YYYYMMDD-slug`",
			judgeKey("session_id", "write session_id: RS-20251230-example, with the date and a short name of the session", sessionID)),
		newRule("EM-003", "created_at is a timestamp",
			"versions are compared as instants, never as text",
			"write an RFC 3339 timestamp such as `2025-12-30T12:00:00Z`",
			judgeKey("created_at", "write created_at: 2025-12-30T12:00:00Z, with the session's own date and time", createdAt)),
		newRule("EM-004", "status is "+either(artifact.Statuses()),
			"a closed session accepts no more deltas, so the program must know the value",
			"write `status: draft`, `status: active` or `status: closed`",
			judgeKey("status", "write status: active while the session goes on, draft before and closed after it", status)),
		newRule("WM-001", "contributors are named",
			"weighing a claim requires knowing its author",
			"list each one as `{agent, program, model, contributed_at}`; a merge does so automatically",
			judgeKey("contributors", "list each one: contributors: [{agent: BlueLake, program: codex-cli, model: GPT-5.2}]", contributors)),
		newRule("WM-002", "updated_at is not before created_at",
			"the two were swapped, or a clock was wrong: later writes may then lose to older ones",
			"set `updated_at` to the instant of the newest change",
			judgeKey("updated_at", "write the instant of the newest change, such as updated_at: 2025-12-30T12:00:00Z", updatedAt)),
		newRule("IM-001", "session_id follows the convention of thread ids",
			"it is used as the thread id and as a file name, which allow nothing else",
			"use `RS-`, eight digits of a date, `-`, and 2 to 40 of `a-z`, `0-9` and `-`",
			threadID),
		newRule("IM-002", "version is a whole number",
			"every merge adds one to it",
			"write `version: 1`, or the number in the store",
			version),
	}
}

// keyOf returns the metadata key of a problem, if any. Readers begin the message with it.
func keyOf(p artifact.Problem) string {
	text := strings.TrimPrefix(p.Message, metadata+": ")
	if strings.HasPrefix(text, "a contributor") {
		return "contributors"
	}
	if end := strings.IndexFunc(text, notWord); end >= 0 {
		text = text[:end]
	}
	return text
}

// hasError reports whether the key's own rule is an error. A value that a reader rejects always is
// one, because no other command accepts the file.
func hasError(key string) bool { return key == "session_id" || key == "created_at" || key == "status" }

func frontMatter(s *subject, r *report) {
	for _, p := range s.problems {
		at := place{item: metadata, line: p.Line}
		switch {
		case p.Kind == artifact.NoFrontMatter:
			r.add(at, safe(p.Message),
				"begin the file with ---, then lines such as session_id: RS-20251230-example, created_at: 2025-12-30T12:00:00Z, version: 1, status: draft, then ---")
		case p.Kind == artifact.BadMetadata && !hasError(keyOf(p)):
			r.add(at, safe(p.Message), "write it as `brenner artifact render` writes it, or remove it")
		default:
			continue
		}
		if s.unread() {
			return // implies the rest
		}
	}
}

// judgeKey returns the check of one metadata key, unless the reader already reported it.
func judgeKey(key, fix string, wrong func(*artifact.Metadata) string) check {
	return func(s *subject, r *report) {
		for _, p := range s.problems {
			if p.Kind == artifact.BadMetadata && keyOf(p) == key {
				if hasError(key) {
					r.add(place{item: metadata, field: key, line: p.Line}, safe(p.Message), fix)
				}
				return
			}
		}
		if s.unread() {
			return
		}
		if message := wrong(&s.artifact.Metadata); message != "" {
			r.add(inMetadata(key), message, fix)
		}
	}
}

// unread reports whether the front matter is missing or unreadable, which explains missing keys.
func (s *subject) unread() bool {
	m := &s.artifact.Metadata
	nothing := m.CreatedAt == "" && m.UpdatedAt == "" && m.Status == "" && len(m.Contributors) == 0
	return s.has(artifact.NoFrontMatter) || (nothing && s.has(artifact.BadMetadata))
}

func sessionID(m *artifact.Metadata) string {
	if strings.TrimSpace(m.SessionID) == "" {
		return "the metadata has no session_id"
	}
	return ""
}

func createdAt(m *artifact.Metadata) string { return notInstant("created_at", m.CreatedAt) }

func notInstant(key, text string) string {
	if text == "" {
		return "the metadata has no " + key
	}
	if _, err := artifact.ParseInstant(text); err != nil {
		return fmt.Sprintf("%s is %s: %s", key, quote(text), err)
	}
	return ""
}

func status(m *artifact.Metadata) string {
	switch {
	case m.Status == "":
		return "the metadata has no status"
	case !artifact.ValidStatus(m.Status):
		return fmt.Sprintf("the status is %s, which is none of %s", quote(m.Status), strings.Join(artifact.Statuses(), ", "))
	}
	return ""
}

func contributors(m *artifact.Metadata) string {
	if len(m.Contributors) == 0 {
		return "the metadata names no contributors"
	}
	for i, c := range m.Contributors {
		if strings.TrimSpace(c.Agent) == "" {
			return fmt.Sprintf("contributor %d has no agent name", i+1)
		}
	}
	return ""
}

// updatedAt compares instants. A missing updated_at is fine: nothing was updated yet.
func updatedAt(m *artifact.Metadata) string {
	if m.UpdatedAt == "" {
		return ""
	}
	if wrong := notInstant("updated_at", m.UpdatedAt); wrong != "" {
		return wrong
	}
	created, err := artifact.ParseInstant(m.CreatedAt)
	updated, _ := artifact.ParseInstant(m.UpdatedAt)
	if err == nil && updated.Before(created) {
		return fmt.Sprintf("updated_at %s is before created_at %s", quote(m.UpdatedAt), quote(m.CreatedAt))
	}
	return ""
}

func threadID(s *subject, r *report) {
	id := s.artifact.Metadata.SessionID
	if strings.TrimSpace(id) == "" || s.unread() || artifact.IsThreadID(id) {
		return
	}
	r.add(inMetadata("session_id"),
		fmt.Sprintf("the session_id %s is not of the form RS-YYYYMMDD-slug", quote(id)),
		"write RS-, the date as eight digits, -, and 2 to 40 of a-z, 0-9 and -: RS-20251230-cell-fate")
}

func version(s *subject, r *report) {
	for _, p := range s.problems {
		if p.Kind == artifact.BadVersion {
			r.add(place{item: metadata, field: "version", line: p.Line}, safe(p.Message),
				"write version: 1, or the number that the store has for this version")
		}
	}
}
