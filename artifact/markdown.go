package artifact

import "strconv"

// Markdown gives the artifact as the file that people read: all content, no
// provenance, one byte string for one artifact. Parse reads it back.
func (a *Artifact) Markdown() []byte {
	w := mdWriter{buf: make([]byte, 0, a.sizeHint())}
	w.artifact(a)
	return w.buf
}

// MarkdownLines gives the same bytes, and the lines on which things stand.
func (a *Artifact) MarkdownLines() ([]byte, Lines) {
	w := mdWriter{buf: make([]byte, 0, a.sizeHint()), lines: Lines{}}
	w.artifact(a)
	return w.buf, w.lines
}

// sizeHint guesses how long the Markdown will be: growing a large buffer step by
// step costs more than filling it.
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

// What the writer and the reader of Markdown must spell alike.
const (
	mdTitle     = "# Brenner Protocol Artifact: "
	mdRehearsal = " (rehearsal)"
	mdFence     = "---" // around the front matter
	mdStrike    = "~~"
	mdKilled    = "[KILLED]"
	mdConflict  = "CONFLICT"
	mdElsewhere = "…" // a table cell whose value stands in the block below
	mdEmptyText = `""`
	mdNone      = "(none)"
	mdYes       = "yes"
	mdNo        = "no"
	mdScore     = "(Score: "

	// The labels that are no field's.
	mdKilledBy    = "Killed by"
	mdReason      = "Reason"
	mdUnresolved  = "Unresolved"
	mdWithheld    = "Withheld"     // what stands behind the N/A cells of a prediction
	mdKilledCells = "Killed cells" // who killed single cells of a prediction
)

// mdWriter builds the file. Every line ends through end, so that the number of
// the current one is always known.
type mdWriter struct {
	buf       []byte
	ended     int    // lines written so far
	lines     Lines  // nil where no index is wanted
	json      []byte // scratch for code spans
	afterList bool   // the next label needs a blank line, or a viewer would take it into the list
}

func (w *mdWriter) put(s string) { w.buf = append(w.buf, s...) }

func (w *mdWriter) end() {
	w.buf = append(w.buf, '\n')
	w.ended++
}

func (w *mdWriter) text(s string, at place) { w.buf = appendText(w.buf, s, at) }

// span writes a value as canonical JSON in a code span.
func (w *mdWriter) span(v Value) {
	w.json = AppendValue(w.json[:0], v)
	w.buf = append(w.buf, '`')
	w.buf = appendSpan(w.buf, w.json)
	w.buf = append(w.buf, '`')
}

// mark notes that the current line is where a place of the artifact begins.
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
	w.system(it)
	w.afterList = false
}

// headingName gives the name that an item's heading shows. A name that is no
// text has a line of its own, as every other field.
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
