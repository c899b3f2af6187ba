package artifact

import (
	"slices"
	"strconv"
)

// Markdown returns the artifact as the file that people read: all content, no provenance. Equal
// artifacts have equal bytes, and Parse reads them back.
func (a *Artifact) Markdown() []byte {
	w := mdWriter{buf: make([]byte, 0, a.sizeHint())}
	w.artifact(a)
	return w.buf
}

// MarkdownLines returns the same bytes as Markdown, and the line of each place.
func (a *Artifact) MarkdownLines() ([]byte, Lines) {
	w := mdWriter{buf: make([]byte, 0, a.sizeHint()), lines: Lines{}}
	w.artifact(a)
	return w.buf, w.lines
}

// sizeHint estimates the length of the Markdown, to avoid repeated growing of a large buffer.
func (a *Artifact) sizeHint() int {
	const line, heading, file = 24, 64, 2048
	size := file
	for _, items := range a.Sections {
		for _, it := range items {
			size += heading
			for i := range it.Fields {
				size += line + roughSize(it.Fields[i].Value)
			}
		}
	}
	return size + size/16
}

func roughSize(v Value) int {
	const mark = 16
	switch v := v.(type) {
	case Text:
		return len(v)
	case List:
		size := 0
		for _, e := range v {
			size += mark + roughSize(e)
		}
		return size
	case Map:
		size := 0
		for _, e := range v {
			size += mark + len(e.Key) + roughSize(e.Value)
		}
		return size
	}
	return mark
}

// Syntax shared by the Markdown writer and reader.
const (
	mdTitle     = "# Brenner Protocol Artifact: "
	mdRehearsal = " (rehearsal)"
	mdFence     = "---" // around the front matter
	mdStrike    = "~~"
	mdKilled    = "[KILLED]"
	mdConflict  = "CONFLICT"
	mdElsewhere = "…" // a table cell whose value is in the block below
	mdEmptyText = `""`
	mdNone      = "(none)"
	mdYes       = "yes"
	mdNo        = "no"
	mdScore     = "(Score: "

	// Labels that are not fields.
	mdKilledBy    = "Killed by"
	mdReason      = "Reason"
	mdUnresolved  = "Unresolved"
	mdRenumbered  = "Renumbered"   // the ids behind those that a text mentions; from the provenance, and not read back
	mdWithheld    = "Withheld"     // the values hidden by the N/A cells of a prediction
	mdKilledCells = "Killed cells" // who killed single cells of a prediction
)

// mdWriter builds the file. Every line ends through end, which counts lines.
type mdWriter struct {
	buf       []byte
	ended     int    // lines written so far
	lines     Lines  // nil if no index is wanted
	json      []byte // scratch for code spans
	spans     string // what is escaped in code spans
	afterList bool   // the next label needs a blank line, or a viewer would join it to the list

	renumbered Renumbered
}

func (w *mdWriter) put(s string) { w.buf = append(w.buf, s...) }

func (w *mdWriter) end() {
	w.buf = append(w.buf, '\n')
	w.ended++
}

func (w *mdWriter) text(s string, at place) { w.buf = appendText(w.buf, s, at) }

func (w *mdWriter) span(v Value) {
	w.json = AppendValue(w.json[:0], v)
	w.buf = append(w.buf, '`')
	w.buf = appendQuotable(w.buf, w.json, w.spans, false)
	w.buf = append(w.buf, '`')
}

// mark records the current line as the start of a place.
func (w *mdWriter) mark(place string) {
	if w.lines == nil {
		return
	}
	if _, ok := w.lines[place]; !ok {
		w.lines[place] = w.ended + 1
	}
}

func (w *mdWriter) markField(it *Item, field string) {
	if w.lines != nil {
		w.mark(it.ID + "." + field)
	}
}

func (w *mdWriter) artifact(a *Artifact) {
	w.renumbered = a.Renumbered()
	w.spans = spanEscapes(a.Metadata.Rules)
	w.mark("metadata")
	w.frontMatter(&a.Metadata)
	w.end()
	w.put(mdTitle)
	w.text(a.Metadata.SessionID, inName)
	if a.Metadata.Rehearsal() {
		w.put(mdRehearsal)
	}
	w.end()
	for _, s := range Sections() {
		w.section(a, s)
	}
}

func (w *mdWriter) section(a *Artifact, s Section) {
	spec := s.Spec()
	w.end()
	w.mark(spec.ID)
	w.put("## ")
	w.buf = strconv.AppendInt(w.buf, int64(s)+1, 10)
	w.put(". " + spec.Title)
	w.end()
	switch items := a.Sections[s]; {
	case len(items) == 0:
		w.end()
		w.put(spec.Empty)
		w.end()
	case s == PredictionsTable:
		w.predictions(a)
	default:
		for _, it := range items {
			w.item(spec, it)
		}
	}
}

func (w *mdWriter) item(spec *SectionSpec, it *Item) {
	w.end()
	w.mark(it.ID)
	w.heading(spec, it)
	for i := range it.Fields {
		f := &it.Fields[i]
		if _, inHeading := headingName(spec, f); inHeading {
			continue
		}
		w.field(spec, it, f)
	}
	w.system(spec.Section, it)
	w.afterList = false
}

// headingName returns the name for an item's heading, if it is a text.
func headingName(spec *SectionSpec, f *Field) (Text, bool) {
	if f.Name != "name" || !spec.HasName() {
		return "", false
	}
	name, ok := f.Value.(Text)
	return name, ok
}

func (w *mdWriter) heading(spec *SectionSpec, it *Item) {
	w.put("### ")
	if it.Killed() {
		w.put(mdStrike)
	}
	w.text(it.ID, inKey)
	for i := range it.Fields {
		f := &it.Fields[i]
		if name, ok := headingName(spec, f); ok {
			w.markField(it, f.Name)
			w.put(": ")
			w.text(string(name), inName)
		} else if _, ok := f.Value.(Conflict); ok && f.Name == "name" && spec.HasName() {
			w.put(": " + mdConflict)
		}
	}
	if total, scored := it.Score(); scored && spec.Section == DiscriminativeTests {
		w.put(" " + mdScore)
		w.buf = strconv.AppendInt(w.buf, int64(total), 10)
		w.put("/" + strconv.Itoa(ScoreTotal()) + ")")
	}
	if it.Killed() {
		w.put(mdStrike + " " + mdKilled)
	}
	w.end()
}

// field writes one field of an item: a line, and a list below it for a map or a conflict.
func (w *mdWriter) field(spec *SectionSpec, it *Item, f *Field) {
	kind := KindAny
	known, ok := spec.Field(f.Name)
	if ok {
		kind = known.Kind
	}
	w.blankAfterList()
	w.markField(it, f.Name)
	if ok {
		w.put("**" + known.Title + "**:")
	} else {
		w.ownLabel(f.Name)
	}
	w.fieldValue(kind, f.Value, it.Killed())
}

func (w *mdWriter) label(title string) {
	w.blankAfterList()
	w.put("**" + title + "**:")
}

func (w *mdWriter) blankAfterList() {
	if w.afterList {
		w.end()
		w.afterList = false
	}
}

// ownLabel labels a field that is not in the section table with its name in a code span, so that an
// unknown "Claim" differs from the known one.
func (w *mdWriter) ownLabel(name string) {
	w.put("**`")
	if plainName(name) {
		w.put(name)
	} else {
		w.json = AppendString(w.json[:0], name)
		w.buf = appendQuotable(w.buf, w.json, w.spans, false)
	}
	w.put("`**:")
}

func (w *mdWriter) fieldValue(kind Kind, v Value, killed bool) {
	switch v := v.(type) {
	case Conflict:
		w.put(" " + mdConflict)
		w.end()
		w.candidates(v, "", killed)
		return
	case Map:
		if asLines(kind, v) {
			w.end()
			w.entries(v, killed)
			return
		}
	}
	w.put(" ")
	w.strike(killed)
	w.inline(kind, v)
	w.strike(killed)
	w.end()
}

func (w *mdWriter) strike(killed bool) {
	if killed {
		w.put(mdStrike)
	}
}

// asLines reports whether a map is written one key per line, to show the candidates of conflicts.
func asLines(kind Kind, m Map) bool {
	switch {
	case len(m) == 0:
		return false
	case kind == KindMap:
		return true
	case kind == KindScore && !plainScore(m):
		return true
	}
	return slices.ContainsFunc(m, func(e Entry) bool { _, ok := e.Value.(Conflict); return ok })
}

func (w *mdWriter) entries(m Map, killed bool) {
	for _, e := range m {
		w.entry(e, killed)
	}
	w.afterList = true
}

func (w *mdWriter) entry(e Entry, killed bool) {
	w.put("- ")
	w.text(e.Key, inKey)
	w.put(": ")
	if c, ok := e.Value.(Conflict); ok {
		w.put(mdConflict)
		w.end()
		w.candidates(c, "  ", killed)
		return
	}
	w.strike(killed)
	w.inline(KindAny, e.Value)
	w.strike(killed)
	w.end()
}

func (w *mdWriter) candidates(c Conflict, indent string, killed bool) {
	for _, candidate := range c {
		w.put(indent + "- ")
		w.text(candidate.Agent, inKey)
		w.put(" (")
		w.text(candidate.Delta, inKey)
		w.put("): ")
		w.strike(killed)
		w.inline(KindAny, candidate.Value)
		w.strike(killed)
		w.end()
	}
	w.afterList = true
}

// inline writes a value in the plain form of its kind, else as JSON in a code span.
func (w *mdWriter) inline(kind Kind, v Value) {
	switch v := v.(type) {
	case Text:
		if kind == KindText || kind == KindStatus || kind == KindAny {
			w.text(string(v), inField)
			return
		}
	case Bool:
		if kind == KindFlag {
			w.put(flagWord(v))
			return
		}
	case List:
		if kind == KindList && allTexts(v) {
			w.list(v)
			return
		}
	case Map:
		if len(v) == 0 && (kind == KindMap || kind == KindScore) {
			w.put(mdNone)
			return
		}
		if kind == KindScore && plainScore(v) {
			w.score(v)
			return
		}
	}
	w.span(v)
}

func flagWord(b Bool) string {
	if b {
		return mdYes
	}
	return mdNo
}

func allTexts(list List) bool {
	return !slices.ContainsFunc(list, func(v Value) bool { _, ok := v.(Text); return !ok })
}

func (w *mdWriter) list(list List) {
	if len(list) == 0 {
		w.put(mdNone)
	}
	for i, v := range list {
		if i > 0 {
			w.put(", ")
		}
		w.text(string(v.(Text)), inList)
	}
}

// plainScore reports whether a map can be written as "cost 2, speed 3".
func plainScore(m Map) bool {
	return len(m) > 0 && !slices.ContainsFunc(m, func(e Entry) bool {
		_, number := e.Value.(Number)
		return !number || !plainWord(e.Key)
	})
}

// score writes the marks in table order, then any others.
func (w *mdWriter) score(m Map) {
	names := scoreMarks()
	first := true
	mark := func(key string, v Value) {
		if !first {
			w.put(", ")
		}
		first = false
		w.put(key + " ")
		w.buf = AppendValue(w.buf, v)
	}
	for _, key := range names {
		if v, ok := m.Get(key); ok {
			mark(key, v)
		}
	}
	for _, e := range m {
		if !slices.Contains(names, e.Key) {
			mark(e.Key, e.Value)
		}
	}
}

// system writes the system fields: unresolved places, renumbered ids and the kill.
func (w *mdWriter) system(s Section, it *Item) {
	if len(it.Unresolved()) > 0 {
		w.label(mdUnresolved)
		w.put(" ")
		w.list(Texts(it.Unresolved()))
		w.end()
	}
	if notes := w.renumbered.ItemNotes(s, it); len(notes) > 0 {
		w.label(mdRenumbered)
		w.put(" ")
		w.list(Texts(notes))
		w.end()
	}
	if it.Kill == nil {
		return
	}
	if it.Kill.By != "" || !it.Kill.At.IsZero() {
		w.label(mdKilledBy)
		w.killer(it.Kill)
		w.end()
	}
	if it.Kill.Reason != "" {
		w.label(mdReason)
		w.put(" ")
		w.text(it.Kill.Reason, inField)
		w.end()
	}
}

func (w *mdWriter) killer(k *Kill) {
	if k.By != "" {
		w.put(" ")
		w.text(k.By, inKey)
	}
	if !k.At.IsZero() {
		w.put(" (" + FormatInstant(k.At) + ")")
	}
}
