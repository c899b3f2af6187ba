package govern

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/session/stalemate"
	"brenner/store/record"
)

// Draft is a version to put.
type Draft struct {
	ID     string // of a new or an existing record
	Type   string // optional for a new version
	Module string // optional for a new version
	// Parent is the version that it continues. By default (0) that is the latest; if the latest
	// is on an abandoned branch, the canonical version or else the remaining tip. An older
	// parent makes a fork.
	Parent  int
	Content []byte
	// Summary is extracted from the content if empty, and marked so. With KeepSummary it is the
	// parent's, and stale if the content differs.
	Summary     string
	KeepSummary bool
	Change      string // what changed, and why
	Tags        []string
	// Links default to the parent's, unless there is a Task or NoLinks is set.
	Links   []Link
	NoLinks bool
	// Task is the address of the task spec whose result it is.
	Task string

	summaryBy  string       // for summaries that the program requested
	summaryOf  string       // for a summary of another content
	granted    bool         // the permission was checked elsewhere
	internal   bool         // made by the program: a task spec, a stalemate, or a verdict
	rebase     bool         // made from an older version, on purpose
	newest     bool         // it follows the newest version, even one put meanwhile
	merges     bool         // it decides between branches, or records
	repeats    int          // the version whose text it is, if not the parent's
	shown      []record.Ref // what its author was shown, and so what it rests on
	source     record.Ref   // the reply that it was in, or zero
	patchTask  string       // the task for which its parent was patched; the links of the parent stay
	unparented bool         // it has no parent: there was no version when its author began
	place      string       // its line in a file of drafts
}

// Link is a link as entered by the user.
type Link struct {
	Relation string
	To       string // an address
}

const maxContent = 16 << 20

func checkDraft(draft *Draft) error {
	if err := CheckID("id", draft.ID); err != nil {
		return err
	}
	if draft.Module != "" {
		if err := CheckID("module", draft.Module); err != nil {
			return err
		}
	}
	var detail string
	switch {
	case len(strings.TrimSpace(string(draft.Content))) == 0:
		detail = "its content is empty"
	case len(draft.Content) > maxContent:
		detail = fmt.Sprintf("its content has %d bytes, more than the maximum of %d", len(draft.Content), maxContent)
	case !utf8.Valid(draft.Content):
		detail = "its content is not valid UTF-8"
	case slices.ContainsFunc(draft.Tags, func(tag string) bool { return strings.TrimSpace(tag) == "" || !utf8.ValidString(tag) }):
		detail = "a tag is empty or not valid UTF-8"
	default:
		return nil
	}
	return &fault.Error{Code: BadRecord, Op: "put " + fault.Shown(draft.ID), Detail: detail, Hint: "nothing was written"}
}

const maxID = 100

// CheckID returns an error for an id that cannot be typed, abbreviated and used in an address.
func CheckID(what, id string) error {
	fits := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r))
	}
	var detail string
	switch {
	case id == "":
		detail = "it is missing"
	case len(id) > maxID:
		detail = fmt.Sprintf("it has %d characters, more than the maximum of %d", len(id), maxID)
	case strings.ContainsFunc(id, func(r rune) bool { return !fits(r) }):
		detail = "invalid character"
	case !unicode.IsLetter(rune(id[0])) && !unicode.IsDigit(rune(id[0])):
		detail = "it must not begin with " + id[:1]
	default:
		return nil
	}
	return &fault.Error{
		Code: BadID, Op: what + " " + fault.Shown(id), Detail: detail,
		Hint: "use letters, digits, dots, hyphens and underscores, and begin with a letter or digit",
	}
}

// ReadDrafts reads drafts as JSON lines. The file is named in errors.
func ReadDrafts(file string, data []byte) ([]Draft, error) {
	const hint = "see `brenner store put --help` for the keys"
	var out []Draft
	for i, line := range bytes.Split(data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var in struct {
			ID      string   `json:"id"`
			Type    string   `json:"type"`
			Module  string   `json:"module"`
			Summary string   `json:"summary"`
			Content string   `json:"content"`
			Change  string   `json:"change"`
			Parent  int      `json:"parent"`
			Tags    []string `json:"tags"`
			Links   []string `json:"links"`
			NoLinks bool     `json:"no_links"`
			Task    string   `json:"task"`
		}
		place := fmt.Sprintf("%s, line %d", file, i+1)
		if err := json.Unmarshal(line, &in, json.RejectUnknownMembers(true)); err != nil {
			return nil, &fault.Error{Code: BadRecord, Op: "read drafts", Place: place, Detail: draftMistake(line, err), Hint: hint}
		}
		if in.ID == "" {
			return nil, &fault.Error{Code: BadID, Op: "read drafts", Place: place, Detail: "its id is missing", Hint: hint}
		}
		links, err := ParseLinks(in.Links)
		if err != nil {
			return nil, fault.InFile("read drafts", place, err)
		}
		out = append(out, Draft{
			ID: in.ID, Type: in.Type, Module: in.Module, Summary: in.Summary, Content: []byte(in.Content), Change: in.Change, Parent: in.Parent, Tags: in.Tags, Links: links, NoLinks: in.NoLinks, Task: in.Task, place: place,
		})
	}
	return out, nil
}

// batchHints says in hints which key of a line means what a flag means.
var batchHints = strings.NewReplacer(
	"pass --module NAME", "set the key module", "--module", "the key module", "pass -m with", "set the key change to", "--parent vN", "the key parent",
	"--keep-summary", "the summary of the parent", "--summary", "the key summary", "--link", "the key links", "--task", "the key task",
)

// located adds the id of a draft and its line to an error, if it was read from a file of drafts.
func (draft *Draft) located(err error) error {
	all := fault.All(err)
	if draft.place == "" || len(all) == 0 {
		return err
	}
	var list fault.List
	for _, f := range all {
		one := *f
		one.Op = cmp.Or(f.Op, "put "+fault.Shown(draft.ID))
		one.File, one.Hint = draft.place, batchHints.Replace(f.Hint)
		list = append(list, &one)
	}
	return list.Err()
}

// draftMistake says in plain words what is wrong with a line of drafts.
func draftMistake(line []byte, err error) string {
	forms := map[string]string{
		"parent": "the number of a version, such as 2", "tags": "a list of texts", "links": `a list of texts, such as ["cites=note-1"]`, "no_links": "true or false",
	}
	var wrong *json.SemanticError
	var broken *jsontext.SyntacticError
	switch {
	case errors.Is(err, json.ErrUnknownName) && errors.As(err, &wrong):
		return "unknown key " + fault.Shown(wrong.JSONPointer.LastToken())
	case errors.As(err, &wrong) && wrong.JSONPointer != "":
		key, _, _ := strings.Cut(strings.TrimPrefix(string(wrong.JSONPointer), "/"), "/")
		return key + ": expected " + cmp.Or(forms[key], "a text")
	case errors.As(err, &wrong):
		return "expected an object in braces"
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &broken):
		return "the key " + fault.Shown(broken.JSONPointer.LastToken()) + " is there twice"
	case errors.As(err, &broken) && int(broken.ByteOffset) < len(bytes.TrimSpace(line)):
		return fmt.Sprintf("not valid JSON at column %d", broken.ByteOffset+1)
	}
	return "not valid JSON: it ends too early"
}

// ParseLinks parses links of the form RELATION=ADDRESS.
func ParseLinks(links []string) ([]Link, error) {
	var out []Link
	for _, w := range links {
		relation, to, ok := strings.Cut(w, "=")
		if !ok {
			return nil, &fault.Error{Code: BadLink, Place: "link " + fault.Shown(w), Detail: "not of the form RELATION=ADDRESS", Hint: "write it like cites=note-1@v2"}
		}
		out = append(out, Link{Relation: relation, To: to})
	}
	return out, nil
}

// checkReserved rejects ids and types that only sessions and the program itself write: they would
// block the session or ruling that needs them.
func checkReserved(r *record.Record, kind record.Type, internal bool) error {
	no := func(code fault.Code, op, detail, hint string) error {
		return &fault.Error{Code: code, Op: op + " " + fault.Shown(r.ID), Detail: detail, Hint: hint}
	}
	switch {
	case strings.HasPrefix(r.ID, verdictOf(stalematePrefix)) && !internal:
		return no(BadID, "id", "reserved for verdicts", "put a verdict with `brenner stalemate rule`, or choose another id")
	case stalemate.IsID(r.ID) && !internal:
		return no(BadID, "id", "reserved for stalemates", "open a stalemate with `brenner stalemate open`, or choose another id")
	case r.Type == record.TaskSpec && !internal:
		return no(BadRecord, "put", record.A(r.Type)+" must name exact versions", "create it with `brenner store pin`")
	case r.Type == record.PlaybookSnapshot && !internal:
		return no(BadRecord, "put", record.A(r.Type)+" is written only by the program", "create it with `brenner playbook snapshot`")
	case kind.Raw && !internal:
		return no(BadRecord, "put", record.A(r.Type)+" is written only by its session",
			"use another type, such as paper_note")
	case r.Version == 1 && (r.ID == BriefID && r.Type != record.ProjectBrief || r.ID == summaryID && r.Type != record.ProjectSummary):
		return no(BadID, "id", "reserved for the "+strings.ReplaceAll(r.ID, "-", "'s "), "choose another id")
	case r.Type != record.ResearchArtifact && artifact.IsThreadID(r.ID):
		return no(BadID, "id", "reserved for sessions", "choose an id that does not begin with RS- and a date")
	}
	return nil
}

// Ids of the records of the whole project.
const (
	BriefID   = "project-brief"
	summaryID = "project-summary"
)

// freeID returns the id that the program uses for a record of a type and a module. If another
// record has it, which may be there to block the program, a number is added.
func (rs *Records) freeID(ctx context.Context, id, kind, module string) (string, error) {
	for n, one := 2, id; ; n++ {
		h, err := rs.HeadByID(ctx, one)
		if err != nil || h.Latest == 0 || h.Type == kind && h.Module == module {
			return one, err
		}
		one = derivedID("", fmt.Sprintf("%s-%d", id, n))
	}
}

// derivedID returns the id of a record that the program makes for a name. A long name is cut
// and ends in a hash; such ids have the full length, so no two names share one.
func derivedID(prefix, name string) string {
	if len(prefix)+len(name) < maxID {
		return prefix + name
	}
	sum := sha256.Sum256([]byte(name))
	hash := "-" + hex.EncodeToString(sum[:16])
	return prefix + name[:maxID-len(prefix)-len(hash)] + hash
}
