package playbook

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"brenner/artifact"
	"brenner/internal/fault"
	"brenner/store/journal"
)

// Stream is the stream of a project's playbook in its store.
const Stream = "playbook"

// Op is the operation of an entry.
type Op string

// The operations.
const (
	OpAdd        Op = "add"        // a new bullet
	OpCount      Op = "count"      // a counter is incremented
	OpStage      Op = "stage"      // a bullet passes a gate
	OpForce      Op = "force"      // a person promotes a bullet
	OpQuarantine Op = "quarantine" // a bullet is removed from all prompts
	OpRestore    Op = "restore"    // a person ends a quarantine
	OpReview     Op = "review"     // a bullet waits for review, or was reviewed
	OpRollback   Op = "rollback"   // earlier entries are undone by a new one
	OpEmbed      Op = "embed"      // a bullet gets the vector of another model
	OpMerge      Op = "merge"      // a bullet is merged into another, or takes its counts
	OpReset      Op = "reset"      // a bullet returns to its state in a snapshot
)

// Ops returns all operations.
func Ops() []Op {
	return []Op{OpAdd, OpCount, OpStage, OpForce, OpQuarantine, OpRestore, OpReview, OpRollback, OpEmbed, OpMerge, OpReset}
}

// Entry is one entry of the journal. Before and After hold what it changes; the hashes cover
// the whole bullet before and after it.
type Entry struct {
	Seq      int       `json:"seq"`
	PrevHash string    `json:"prev_hash"`
	Hash     string    `json:"hash"`
	Op       Op        `json:"op"`
	At       time.Time `json:"at"`
	Body
}

// Body is the body of an entry. The keys are in canonical order.
type Body struct {
	Actor      string `json:"actor"`
	After      Part   `json:"after"`
	AfterHash  string `json:"after_hash"`
	Before     Part   `json:"before"`
	BeforeHash string `json:"before_hash"` // empty for a new bullet
	Bullet     string `json:"bullet"`
	// Cosine is the similarity of a counted insight; 0 if none was compared.
	Cosine float64 `json:"cosine"`
	// Insight is the counted text, verbatim.
	Insight string `json:"insight"`
	Reason  string `json:"reason"`
	Session string `json:"session"`
	// With is the other bullet of a merge, or the id of the imported line that was counted.
	With string `json:"with,omitempty"`
}

// Part holds some fields of a bullet; nil fields are unchanged. The keys are in canonical order.
type Part struct {
	Confidence *float64   `json:"confidence,omitzero"`
	Content    *string    `json:"content,omitzero"`
	Created    *string    `json:"created_at,omitzero"`
	Domain     *string    `json:"domain,omitzero"`
	Embedding  *Embedding `json:"embedding,omitzero"`
	Harmful    *int       `json:"harmful_count,omitzero"`
	Helpful    *int       `json:"helpful_count,omitzero"`
	LastSeen   *string    `json:"last_seen_at,omitzero"`
	Near       *[]string  `json:"near,omitzero"`
	Neutral    *int       `json:"neutral_count,omitzero"`
	Review     *string    `json:"review,omitzero"`
	Section    *Section   `json:"section,omitzero"`
	Source     *Source    `json:"source,omitzero"`
	Stage      *Stage     `json:"stage,omitzero"`
	Supersedes *string    `json:"supersedes,omitzero"`
	Tags       *[]string  `json:"tags,omitzero"`
}

// Read decodes a journal entry and checks its form; Book.Apply checks the rest.
func Read(e *journal.Entry) (Entry, error) {
	out := Entry{PrevHash: e.Prev, Hash: e.Hash, At: e.At}
	err := out.read(e.Seq, []byte(e.Kind), e.Body)
	return out, err
}

// ReadLine decodes a stored line without its place in the chain and its time, which Book.Apply
// does not need. It fills to, since returning a copy for each of a million lines would be a
// tenth of the work.
func ReadLine(l *journal.Line, to *Entry) error { return to.read(l.Seq, l.Kind, l.Body) }

func (e *Entry) read(seq int, kind, body []byte) error {
	e.Seq, e.Op = seq, opOf(kind)
	if e.Op == "" {
		return impossible(seq, Op(kind), "unknown operation")
	}
	if decodePlain(body, &e.Body) {
		return nil
	}
	var err error
	e.Body, err = journal.Decode[Body](&journal.Entry{Stream: Stream, Seq: seq, Kind: string(kind), Body: body}, Impossible)
	return err
}

func opOf(kind []byte) Op {
	switch Op(kind) { // the compiler does not allocate here
	case OpAdd:
		return OpAdd
	case OpCount:
		return OpCount
	case OpStage:
		return OpStage
	}
	if i := slices.Index(Ops(), Op(kind)); i >= 0 {
		return Ops()[i]
	}
	return ""
}

// Impossible is the code of an entry that no rule of the playbook writes.
const Impossible fault.Code = "PLAYBOOK_IMPOSSIBLE_ENTRY" // A playbook entry breaks a rule.

// Classes returns the class of Impossible: the stored data is wrong, not the request.
func Classes() fault.Classes {
	return fault.Classes{Impossible: fault.ClassFailed}
}

func impossible(seq int, op Op, format string, args ...any) error {
	return &fault.Error{
		Code: Impossible, Place: fmt.Sprintf("%s, entry %d (%s)", Stream, seq, fault.Shown(string(op))), Detail: fmt.Sprintf(format, args...),
		Hint: "the entries before it are intact; nothing from it on can be trusted",
	}
}

func diff(before, after *Bullet) (was, is Part, f fields) {
	compare(before.Confidence, after.Confidence, &was.Confidence, &is.Confidence, &f, fConfidence)
	compare(before.Content, after.Content, &was.Content, &is.Content, &f, fImmutable)
	compareInstants(before.Created, after.Created, &was.Created, &is.Created, &f, fImmutable)
	compare(before.Domain, after.Domain, &was.Domain, &is.Domain, &f, fImmutable)
	compare(before.Embedding, after.Embedding, &was.Embedding, &is.Embedding, &f, fEmbedding)
	compare(before.Harmful, after.Harmful, &was.Harmful, &is.Harmful, &f, fHarmful)
	compare(before.Helpful, after.Helpful, &was.Helpful, &is.Helpful, &f, fHelpful)
	compareInstants(before.LastSeen, after.LastSeen, &was.LastSeen, &is.LastSeen, &f, fLastSeen)
	compareLists(before.Near, after.Near, &was.Near, &is.Near, &f, fImmutable)
	compare(before.Neutral, after.Neutral, &was.Neutral, &is.Neutral, &f, fNeutral)
	compare(before.Review, after.Review, &was.Review, &is.Review, &f, fReview)
	compare(before.Section, after.Section, &was.Section, &is.Section, &f, fImmutable)
	compare(before.Source, after.Source, &was.Source, &is.Source, &f, fImmutable)
	compare(before.Stage, after.Stage, &was.Stage, &is.Stage, &f, fStage)
	compare(before.Supersedes, after.Supersedes, &was.Supersedes, &is.Supersedes, &f, fImmutable)
	compareLists(before.Tags, after.Tags, &was.Tags, &is.Tags, &f, fImmutable)
	return was, is, f
}

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return artifact.FormatInstant(t)
}

func compare[T comparable](a, b T, was, is **T, touched *fields, f fields) {
	if a != b {
		x, y := a, b // the parameters themselves would escape to the heap every time
		*was, *is = &x, &y
		*touched |= f
	}
}

func compareInstants(a, b time.Time, was, is **string, touched *fields, f fields) {
	if !a.Equal(b) {
		x, y := instant(a), instant(b)
		*was, *is = &x, &y
		*touched |= f
	}
}

func compareLists(a, b []string, was, is **[]string, touched *fields, f fields) {
	if !slices.Equal(a, b) {
		x, y := a, b
		*was, *is = &x, &y
		*touched |= f
	}
}

func (p *Part) put(b *Bullet) error {
	set(p.Confidence, &b.Confidence)
	set(p.Content, &b.Content)
	set(p.Domain, &b.Domain)
	set(p.Embedding, &b.Embedding)
	set(p.Harmful, &b.Harmful)
	set(p.Helpful, &b.Helpful)
	set(p.Near, &b.Near)
	set(p.Neutral, &b.Neutral)
	set(p.Review, &b.Review)
	set(p.Section, &b.Section)
	set(p.Source, &b.Source)
	set(p.Stage, &b.Stage)
	set(p.Supersedes, &b.Supersedes)
	set(p.Tags, &b.Tags)
	return errors.Join(setInstant(p.Created, &b.Created), setInstant(p.LastSeen, &b.LastSeen))
}

func set[T any](from *T, to *T) {
	if from != nil {
		*to = *from
	}
}

func setInstant(from *string, to *time.Time) (err error) {
	if from != nil {
		*to, err = artifact.ParseInstant(*from)
	}
	return err
}
