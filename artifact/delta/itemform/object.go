package itemform

import (
	"bytes"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/synonyms"
)

// finder collects the items in a fence of JSON or YAML.
type finder struct {
	src   []byte
	lead  []byte
	all   []Attempt
	stack []frame
	rules Rules
}

// frame is an open object, or a list.
type frame struct {
	at     int
	list   bool
	under  string // the key that it is the value of
	key    string // the last key
	fields []pair
	indent int // in YAML
}

// pair is a key in plain form with a text. The value of an object or a list is empty.
type pair struct{ key, value string }

// maxFields is how many keys of an object are looked at, and maxNested how deep objects may be.
const (
	maxFields = 40
	maxNested = 20
)

// readJSON reads objects, also in a text that is not quite JSON.
func (f *finder) readJSON() {
	for at := 0; at < len(f.src); at++ {
		switch c := f.src[at]; c {
		case '{', '[':
			if len(f.stack) == maxNested {
				return
			}
			f.open(at, c == '[')
		case '}', ']':
			f.close()
		case '"', '\'':
			end := stringEnd(f.src, at)
			f.text(string(f.src[at+1:end]), at, isKey(f.src[min(len(f.src), end+1):]))
			at = end
		default:
			n := 0
			for at+n < len(f.src) && isWord(f.src[at+n]) {
				n++
			}
			if n > 0 {
				f.text(string(f.src[at:at+n]), at, isKey(f.src[at+n:]))
				at += n - 1
			}
		}
	}
	f.closeAll()
}

func isKey(behind []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(behind[:min(len(behind), 8)], " \t"), []byte(":"))
}

// stringEnd returns where the string that begins at an offset ends: at its quotation mark, or with the text.
func stringEnd(text []byte, at int) int {
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == text[at]:
			return i
		}
	}
	return len(text)
}

func (f *finder) open(at int, list bool) {
	under := ""
	if n := len(f.stack); n > 0 {
		above := &f.stack[n-1]
		if under = above.key; above.list {
			under = above.under
		} else {
			above.add("")
		}
	}
	f.stack = append(f.stack, frame{at: at, list: list, under: under})
}

// add notes the value of the last key.
func (o *frame) add(value string) {
	if o.key != "" && len(o.fields) < maxFields {
		o.fields = append(o.fields, pair{o.key, value})
	}
}

// text reads a key or a value.
func (f *finder) text(value string, at int, isKey bool) {
	if len(f.stack) == 0 {
		return
	}
	top := &f.stack[len(f.stack)-1]
	switch {
	case isKey && !top.list:
		top.key = synonyms.PlainKey(value)
	case top.list:
		f.killed(top.under, value, at, "")
	default:
		if isKill(top.key) {
			f.killed(top.key, value, at, "")
		} else if f.rules.Keyed && len(f.stack) == 1 { // {"H2": "kill"}
			f.killed(synonyms.PlainKey(value), strings.ToUpper(top.key), at, "")
		}
		if f.rules.Nulled && value == "null" && f.src[at] == 'n' {
			f.nulled(top, len(f.stack))
		}
		top.add(value)
		top.key = ""
	}
}

func (f *finder) closeAll() {
	for len(f.stack) > 0 {
		f.close()
	}
}

// close ends an object, which may be an item.
func (f *finder) close() {
	n := len(f.stack) - 1
	if n < 0 {
		return
	}
	o := f.stack[n]
	f.stack = f.stack[:n]
	if o.list || len(o.fields) == 0 {
		return
	}
	if f.rules.Keyed {
		o.underID()
	}
	if isKill(o.under) {
		f.killed(o.under, o.id(), o.at, o.values())
		return
	}
	if verb := o.verb(); isKill(verb) && o.id() != "" {
		f.killed(verb, o.id(), o.at, o.values())
		return
	}
	if f.isPayload() {
		return
	}
	if f.rules.Noted && o.id() != "" && isKill(o.status()) && !o.isWhole() {
		f.killed(o.status(), o.id(), o.at, o.values())
		return
	}
	if what, isNew := strings.CutPrefix(o.verb(), "add_"); isNew {
		o.under = "new_" + what
	}
	if a, ok := f.item(&o); ok {
		f.all = append(f.all, a)
	}
}

// verb returns what an object says is done, in small letters, or "".
func (o *frame) verb() string {
	for _, p := range o.fields {
		switch p.key {
		case "operation", "op", "action", "type", "change", "command", "kind":
			return synonyms.PlainKey(p.value)
		}
	}
	return ""
}

// status returns the status of an object, in small letters, or "".
func (o *frame) status() string {
	for _, p := range o.fields {
		if p.key == "status" || p.key == "state" {
			return synonyms.PlainKey(p.value)
		}
	}
	return ""
}

// isWhole reports whether an object has the main field of its section: it is shown as it stands.
func (o *frame) isWhole() bool {
	s, _ := artifact.SectionOfID(o.id())
	return slices.ContainsFunc(o.fields, func(p pair) bool { return isMain(s, p.key) })
}

// isPayload reports whether an object that ends is in a change with an operation.
func (f *finder) isPayload() bool {
	return slices.ContainsFunc(f.stack, func(above frame) bool {
		return slices.ContainsFunc(above.fields, func(p pair) bool { return p.key == "operation" || p.key == "op" || p.key == "action" })
	})
}

// isKill reports whether a key holds what is killed.
func isKill(key string) bool {
	verb, _, _ := strings.Cut(strings.TrimPrefix(key, "to_"), "_")
	return slices.Contains([]string{"kill", "kills", "killed", "remove", "removed", "delete", "deleted", "retire", "retired"}, verb)
}

// killed records the KILL of an id below such a key.
func (f *finder) killed(key, id string, at int, says string) {
	if s, ok := artifact.SectionOfID(id); ok && isKill(key) {
		f.all = append(f.all, Attempt{At: at, Operation: kill, Section: s.String(), ID: id, Says: says})
	}
}

// nulled records the KILL of an item that has no value: {"hypothesis_slate": {"H2": null}}.
func (f *finder) nulled(o *frame, depth int) {
	id := strings.ToUpper(o.key)
	section, isItem := artifact.SectionOfID(id)
	if under, isSection := synonyms.Section(o.under); isItem && (depth == 1 || isSection && under == section) {
		f.killed("kill", id, o.at, "null")
	}
}

// id returns the id of an item, or "".
func (o *frame) id() string {
	for _, p := range o.fields {
		if p.key == "id" || p.key == "target" || strings.HasSuffix(p.key, "_id") {
			if _, ok := artifact.SectionOfID(p.value); ok {
				return p.value
			}
		}
	}
	return ""
}

// values returns the values of an object.
func (o *frame) values() string {
	var all []string
	for _, p := range o.fields {
		all = append(all, p.value)
	}
	return strings.Join(all, " ")
}

// item reads an object as an item of the artifact.
func (f *finder) item(o *frame) (a Attempt, ok bool) {
	isOther := func(p pair) bool { // a change, or a message
		return slices.Contains([]string{"operation", "op", "action", "role", "arguments", "payload"}, p.key)
	}
	a = Attempt{At: o.at, ID: o.id(), Says: o.values()}
	section, isNew := f.sectionOf(o, a.ID)
	if section < 0 || slices.ContainsFunc(o.fields, isOther) {
		return a, false
	}
	known, others, isWhole := a.readFields(o, artifact.Section(section))
	switch {
	case others > known || known == 0:
		return a, false
	case a.ID == "" || isNew:
		a.Operation = add
		return a, isWhole && (isNew || len(o.fields) > 1)
	case !isWhole:
		a.Operation = edit
	}
	return a, true
}

// readFields records the section of an item, and the only field that an EDIT changes. It counts the fields that the section
// has and others, and reports whether the main one is there.
func (a *Attempt) readFields(o *frame, s artifact.Section) (known, others int, isWhole bool) {
	a.Section = s.String()
	for _, p := range o.fields {
		switch {
		case hasField(s, p.key):
			known++
			a.Field = p.key
			isWhole = isWhole || isMain(s, p.key)
		case p.key != "id" && !strings.HasSuffix(p.key, "_id") && synonyms.Meaning(synonyms.Fields(s), p.key) == "" && p.key != "name":
			others++
		case a.ID == "" && isMain(s, synonyms.Meaning(synonyms.Fields(s), p.key)):
			known, isWhole = known+1, true
		}
	}
	if known != 1 || isWhole || a.ID == "" {
		a.Field = ""
	}
	return known, others, isWhole
}

// sectionOf returns the section of an item, or -1: that of its id, of the key above it, of the line above the fence, or
// the only one with its fields. IsNew is whether one of these calls it new.
func (f *finder) sectionOf(o *frame, id string) (section int, isNew bool) {
	if i := strings.LastIndexByte(o.under, '_'); i > 0 {
		isNew = slices.Contains([]string{"new", "add", "added", "proposed", "additional"}, o.under[:i])
	}
	isNew = isNew || bytes.HasPrefix(bytes.ToLower(bytes.TrimLeft(f.lead, "#* \t")), []byte("new "))
	if s, ok := artifact.SectionOfID(id); ok {
		return int(s), isNew
	}
	under := o.under
	for _, word := range []string{"new_", "add_", "added_", "proposed_", "additional_", "updated_", "revised_", "edited_"} {
		under = strings.TrimPrefix(under, word)
	}
	if s, ok := synonyms.Section(under); ok && len(under) > 3 {
		return int(s), isNew
	}
	if s, ok := sectionIn(f.lead); ok {
		return int(s), isNew
	}
	for _, s := range artifact.Sections() {
		if s != artifact.ResearchThread && o.hasMain(s) {
			return int(s), isNew
		}
	}
	return -1, isNew
}

// hasMain reports whether an object has the main field of a section, under its own name, and a name or a second field.
func (o *frame) hasMain(s artifact.Section) bool {
	main, fields := false, 0
	for _, p := range o.fields {
		if main = main || isMain(s, p.key); p.key == "name" || p.key == "title" || hasField(s, p.key) {
			fields++
		}
	}
	return main && fields > 1
}

// isMain reports whether a field is the first one that an item of a section needs.
func isMain(s artifact.Section, name string) bool {
	for _, f := range s.Spec().Fields {
		if f.Required || s == artifact.ResearchThread {
			return f.Name == name
		}
	}
	return false
}

// mayBeYAML reports whether the first line of a text begins with a key.
func mayBeYAML(text []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, " \t\r\n"), []byte("\n"))
	key, _, ok := bytes.Cut(bytes.TrimPrefix(line, []byte("- ")), []byte(":"))
	return ok && len(key) > 0 && len(bytes.TrimFunc(key, func(c rune) bool { return c < 0x80 && isWord(byte(c)) })) == 0
}

// readYAML reads lines of keys and values. Deeper lines belong to the last key above them.
func (f *finder) readYAML() {
	at := 0
	f.stack = append(f.stack, frame{})
	for line := range bytes.Lines(f.src) {
		start := at
		at += len(line)
		rest := bytes.TrimLeft(line, " ")
		indent := len(line) - len(rest)
		if rest = bytes.TrimSpace(rest); len(rest) == 0 || rest[0] == '#' {
			continue
		}
		entry, isEntry := bytes.CutPrefix(rest, []byte("- "))
		f.indent(start, indent, isEntry)
		if isEntry {
			rest = bytes.TrimLeft(entry, " ")
		}
		f.readLine(rest, start)
	}
	f.closeAll()
}

// readTOML reads lines of keys and values below titles in brackets.
func (f *finder) readTOML() {
	at := 0
	for line := range bytes.Lines(f.src) {
		rest := bytes.TrimSpace(line)
		if name := bytes.Trim(rest, "[] "); len(rest) > 0 && rest[0] == '[' {
			f.closeAll()
			f.stack = append(f.stack, frame{at: at, under: synonyms.PlainKey(string(name[bytes.LastIndexByte(name, '.')+1:]))})
		} else if key, value, ok := bytes.Cut(rest, []byte("=")); ok && len(f.stack) == 0 && operationOf(strings.Trim(string(value), `"' `)) != "" {
			return // it is a delta
		} else if ok && len(f.stack) > 0 {
			f.readLine(slices.Concat(bytes.TrimSpace(key), []byte(":"), value), at)
		}
		at += len(line)
	}
	f.closeAll()
}

// indent ends the objects that are not around a line, and begins the one that is.
func (f *finder) indent(at, indent int, isEntry bool) {
	for len(f.stack) > 1 && f.stack[len(f.stack)-1].indent > indent {
		f.close()
	}
	if isEntry {
		indent += 2
	}
	if top := &f.stack[len(f.stack)-1]; len(f.stack) < maxNested && (indent > top.indent || isEntry) {
		top.add("")
		f.stack = append(f.stack, frame{at: at, under: top.key, indent: indent})
	}
}

// readLine reads the key and the value of a line, or an entry of a list.
func (f *finder) readLine(rest []byte, at int) {
	key, value, ok := bytes.Cut(rest, []byte(":"))
	text := strings.Trim(string(bytes.TrimSpace(value)), `"'|> `)
	top := &f.stack[len(f.stack)-1]
	if !ok || len(key) > 40 || bytes.ContainsAny(key, ".,;") {
		f.killed(top.under, strings.Trim(string(rest), `"' `), at, "")
		if n := len(top.fields); n > 0 { // a longer text
			top.fields[n-1].value += " " + string(rest)
		}
		return
	}
	top.key = synonyms.PlainKey(strings.Trim(string(key), `"' `))
	if strings.HasPrefix(text, "[") || isKill(top.key) {
		for id := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune("[]\"', ", c) }) {
			f.killed(top.key, id, at, "")
		}
	}
	if text != "" {
		top.add(text)
	}
}

// isSynonym reports whether agents use a name for a field of a section.
func isSynonym(s artifact.Section, name string) bool {
	return synonyms.Meaning(synonyms.Fields(s), synonyms.PlainKey(name)) != ""
}
