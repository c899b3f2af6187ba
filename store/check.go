package store

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"brenner/internal/fault"
	"brenner/store/journal"
	"brenner/store/record"
)

// MaxBlob is the maximum size of a blob, in bytes.
const MaxBlob = 256 << 20

// Check returns the first fault of a batch that does not depend on the store: a blob that is too large,
// a broken chain, an incomplete record or mark, a text that not every store can keep.
func (b *Batch) Check() error {
	for _, blob := range b.Blobs {
		if len(blob) > MaxBlob {
			return &fault.Error{
				Code: TooLarge, Op: "store a text", Detail: fmt.Sprintf("it has %d bytes, more than the maximum of %d", len(blob), MaxBlob),
				Hint: "split it into smaller parts",
			}
		}
	}
	for i := range b.Appends {
		if err := b.Appends[i].check(); err != nil {
			return err
		}
	}
	for i := range b.Records {
		r := &b.Records[i]
		if err := cmp.Or(r.Check(), noNUL("record "+fault.Shown(r.ID), texts(r)...)); err != nil {
			return err
		}
	}
	for i := range b.Marks {
		m := &b.Marks[i]
		if err := cmp.Or(m.Check(), noNUL("mark "+fault.Shown(m.Ref().String()), m.ID, m.By, m.Reason)); err != nil {
			return err
		}
	}
	return nil
}

func (a *Append) check() error {
	if err := journal.Check(a.Stream, a.After, a.Entries); err != nil {
		return err
	}
	text := []string{a.Stream, a.Summary}
	for i := range a.Entries {
		text = append(text, a.Entries[i].Kind)
	}
	return noNUL("append to "+fault.Shown(a.Stream), text...)
}

// texts returns the texts of a record.
func texts(r *record.Record) []string {
	all := []string{r.ID, r.Type, r.Status, r.Module, r.Summary, r.SummaryOf, r.SummaryBy, r.Content, r.Change, r.Creator}
	all = append(all, r.Tags...)
	for _, l := range r.Links {
		all = append(all, l.Relation, l.ID)
	}
	return all
}

// noNUL refuses texts with a NUL character, which PostgreSQL cannot store. Stores of any kind refuse
// them, so that each can be copied to another. Blobs and the bodies of entries may contain it: as
// JSON it is escaped.
func noNUL(op string, all ...string) error {
	for _, text := range all {
		if strings.IndexByte(text, 0) >= 0 {
			return &fault.Error{
				Code: BadText, Op: op, Detail: "a NUL character in " + fault.Shown(text), Hint: "remove the NUL character",
			}
		}
	}
	return nil
}

// CheckMark refuses a mark of a missing version with NoRecord, and one that expects another
// canonical version with CanonMoved.
func CheckMark(m *record.Mark, latest, canonical int) error {
	switch {
	case m.Version > latest:
		return &fault.Error{
			Code: NoRecord, Op: "mark " + fault.Shown(m.Ref().String()), Detail: fmt.Sprintf("its newest version is %d", latest),
			Hint: "mark an existing version",
		}
	case m.Status == record.Canonical && m.Was != canonical:
		return &fault.Error{
			Code: CanonMoved, Op: "promote " + fault.Shown(m.Ref().String()),
			Detail: fmt.Sprintf("the canonical version is %s, but was %s when this began", version(canonical), version(m.Was)),
			Hint:   "another version was promoted meanwhile: look at it, and promote yours again if it is still right",
		}
	}
	return nil
}

func version(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprintf("v%d", n)
}

// CheckHead refuses, with Moved, an append that does not follow the stream's head.
func (a *Append) CheckHead(is journal.Head) error {
	if a.After == is {
		return nil
	}
	return &fault.Error{
		Code: Moved, Op: "append to " + fault.Shown(a.Stream),
		Detail: fmt.Sprintf("the stream is at %s, not at %s", shownHead(is), shownHead(a.After)),
		Hint:   "another process wrote to it meanwhile; read the stream again and retry",
	}
}

func shownHead(h journal.Head) string {
	if h == (journal.Head{}) {
		return "its start"
	}
	return fmt.Sprintf("entry %d (%s)", h.Seq, fault.Shown(h.Hash))
}

// CheckVersion refuses, with Conflict, a record that is not the next version of its id. Versions
// have no gaps, so its parent then exists.
func CheckVersion(r *record.Record, latest int) error {
	if r.Version == latest+1 {
		return nil
	}
	return &fault.Error{
		Code: Conflict, Op: "store " + fault.Shown(r.ID),
		Detail: fmt.Sprintf("version %d is not the next one: the store is at version %d", r.Version, latest),
		Hint:   "another process stored a version meanwhile; read the record again and retry",
	}
}

// Missing returns the error for a hash under which nothing is stored.
func Missing(hash string) error {
	return &fault.Error{
		Code: NoBlob, Op: "read " + fault.Shown(hash), Detail: "no such blob",
		Hint: "compare the hash with its source; hashes have 64 digits, in lower case",
	}
}

// HeldError returns the error for a name that is held. The zero Holder is an unknown one.
func HeldError(name string, who Holder) error {
	by := "another process"
	if who != (Holder{}) {
		by = who.String()
	}
	return &fault.Error{
		Code: Held, Op: "lock " + fault.Shown(name), Detail: "held by " + by,
		Hint: "wait for that process to end, or end it",
	}
}

// HeldBy is HeldError with the hint of the locks, which may end by themselves.
func HeldBy(l Locks, name string, who Holder) error {
	if own, ok := l.(interface {
		HeldError(name string, who Holder) error
	}); ok {
		return own.HeldError(name, who)
	}
	return HeldError(name, who)
}

// longestLockName leaves room for a suffix within the 255 bytes of a file name.
const longestLockName = 200

// CheckLockName refuses, with BadName, names that are not valid file names on every system.
func CheckLockName(name string) error {
	var detail string
	switch {
	case name == "":
		detail = "the name is empty"
	case len(name) > longestLockName:
		detail = fmt.Sprintf("the name has %d bytes, more than the maximum of %d", len(name), longestLockName)
	case name[0] == '.':
		detail = "the name begins with a dot"
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unfitForFiles):
		detail = `the name has a control character or one of / \ : * ? " < > |`
	default:
		return nil
	}
	return &fault.Error{Code: BadName, Op: "lock " + fault.Shown(name), Detail: detail, Hint: "choose another name"}
}

func unfitForFiles(r rune) bool { return r < ' ' || r == 0x7f || strings.ContainsRune(`/\:*?"<>|`, r) }

// Faults are the findings of a verification; none means that everything is as written.
type Faults []error

// Add appends errors, except nil.
func (f *Faults) Add(found ...error) {
	for _, err := range found {
		if err != nil {
			*f = append(*f, err)
		}
	}
}

// Details returns each fault once, as JSON shows it.
func (f Faults) Details() []fault.Detail { return fault.Details(f...) }

// MarshalJSONTo implements json.MarshalerTo.
func (f Faults) MarshalJSONTo(e *jsontext.Encoder) error { return json.MarshalEncode(e, f.Details()) }
