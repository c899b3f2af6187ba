package stalemate

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Types of evidence in the requests that the program writes. Requests of people may have others.
const (
	TypeQuestion = "question"      // of the session
	TypeBrief    = "brief"         // of the project, field by field
	TypeContext  = "context"       // context, constraints and excerpt of the session
	TypeItem     = "artifact_item" // the disputed one, or one that is cited
	TypeDelta    = "delta"
	TypeLog      = "log"
	TypeRefusal  = "refusal"      // an earlier one about the same subject
	TypeEvidence = "evidence"     // evidence of the session that is cited
	TypeRecord   = "record"       // a record that is cited
	TypeFile     = "file_content" // the text that refuses a patch
	TypePatch    = "patch"
	TypeChecks   = "checks"   // the checks that ran, each with its observation
	TypeLeftOut  = "left_out" // what did not fit, and where it can be read
)

// Bounds of the evidence in a request, in bytes: an arbiter must read it.
const (
	MaxEvidence = 64 << 10 // in total
	MaxDocument = 16 << 10 // of one document; of a longer one a part is enclosed
	minDocument = 256      // a smaller part says nothing
)

// Document is a text that a request should enclose.
type Document struct {
	Type        string
	Description string
	Path        string // of a file, or ""
	Text        string
	Where       string   // where the whole text can be read, such as a command; "" if here
	Near        []string // passages to show, if the text is too long
}

// EvidenceBound returns the bound of the evidence in a request in bytes, so that its message fits a call: two bytes
// for each token that the limits allow; 0 is no limit.
func EvidenceBound(limits ...int) int {
	bound := MaxEvidence
	for _, tokens := range limits {
		if tokens > 0 {
			bound = min(bound, 2*tokens)
		}
	}
	return bound
}

// Quotes returns the passages between quotation marks in a text that are long enough to be found again.
func Quotes(text string) []string {
	const least = 8
	var all []string
	for i, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\"“”„«»", r) }) {
		if i > 0 && len(part) >= least {
			all = append(all, strings.TrimSuffix(part, "\\"))
		}
	}
	return all
}

// Enclose adds documents, the most important first, until the evidence reaches a bound in bytes; 0
// is MaxEvidence. Of a longer document it adds the part around the first passage of Near that occurs
// in it, or else its beginning. What was left out, and where it can be read, is a piece of evidence
// of its own.
func (r *Request) Enclose(docs []Document, bound int) {
	if bound <= 0 {
		bound = MaxEvidence
	}
	room := bound
	for i := range r.Evidence {
		room -= len(r.Evidence[i].Content)
	}
	var left []string
	for i := range docs {
		d := &docs[i]
		if strings.TrimSpace(d.Text) == "" {
			if d.Where != "" {
				left = append(left, "- "+d.Description+" Not in this store"+d.where())
			}
			continue
		}
		e := Evidence{Type: d.Type, Description: d.Description, Path: d.Path, Content: d.Text}
		if size := min(room, MaxDocument); len(d.Text) > size {
			if size < minDocument {
				left = append(left, fmt.Sprintf("- %s (%d bytes)%s", d.Description, len(d.Text), d.where()))
				continue
			}
			from, to := part(d.Text, d.Near, size)
			e.Content = d.Text[from:to]
			e.Description += fmt.Sprintf(" Only bytes %d to %d of %d%s.", from+1, to, len(d.Text), d.where())
			left = append(left, fmt.Sprintf("- %s %d of %d bytes: all but bytes %d to %d%s", d.Description, len(d.Text)-len(e.Content), len(d.Text), from+1, to, d.where()))
		}
		e.Hash = HashOf(e.Content)
		r.Evidence = append(r.Evidence, e)
		room -= len(e.Content)
	}
	if len(left) > 0 {
		r.add(TypeLeftOut, fmt.Sprintf("What was left out: the evidence of a request has at most %d bytes, one document %d.", bound, MaxDocument), strings.Join(left, "\n"))
	}
}

func (d *Document) where() string {
	if d.Where == "" {
		return ""
	}
	return "; whole: " + d.Where
}

// part returns the bounds of the part of a text to show: about a passage that occurs in it, or the
// beginning. It cuts no character in two, and lines where it can.
func part(text string, near []string, size int) (from, to int) {
	for _, passage := range near {
		at := strings.Index(text, passage)
		if passage == "" || at < 0 {
			continue
		}
		from = max(0, min(at-size/2, len(text)-size))
		break
	}
	to = from + size
	for from > 0 && !utf8.RuneStart(text[from]) {
		from++
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	if line := strings.IndexByte(text[from:to], '\n'); from > 0 && line >= 0 && line < size/8 {
		from += line + 1
	}
	if line := strings.LastIndexByte(text[from:to], '\n'); to < len(text) && line > (to-from)*7/8 {
		to = from + line + 1
	}
	return from, to
}

// Cites reports whether a text names an id as a word: EV-001 is cited by "EV-001#E1", and not by
// "EV-0012".
func Cites(text, id string) bool {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' }
	for at := 0; id != ""; {
		next := strings.Index(text[at:], id)
		if next < 0 {
			return false
		}
		at += next
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(id):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		at += len(id)
	}
	return false
}

// Addresses returns the versions of records that a text names, such as "memo@v1", each once.
func Addresses(text string) []string {
	const most = 20
	var all []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`()[]{},;:\\", r)
	}) {
		word = strings.TrimRight(word, ".!?")
		id, version, ok := strings.Cut(word, "@v")
		if ok && id != "" && version != "" && strings.Trim(version, "0123456789") == "" && !slices.Contains(all, word) && len(all) < most {
			all = append(all, word)
		}
	}
	return all
}

// cited returns the ids that a text cites, in their order.
func cited(text string, ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !Cites(text, id) })
}
