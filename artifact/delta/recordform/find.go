package recordform

import (
	"bytes"
	"slices"
	"strings"
)

// Attempt is a record in a form that is not read as one.
type Attempt struct {
	At   int    // where its first key is
	ID   string // as written, or ""
	Form string
	Body int    // where the text behind front matter, or below a key of YAML, begins, or 0
	Tag  string // the name of the tag around it
}

// The forms of attempts.
const (
	AsJSON        = "JSON"
	AsYAML        = "YAML"
	AsTOML        = "TOML"
	AsFrontMatter = "front matter"
	AsTags        = "tags"
	AsTable       = "a table"
	AsCall        = "a function call"
)

// far is how many lines without a key may be between two keys of one record.
const far = 8

// The kinds of keys by which a record is known.
const (
	isID = 1 << iota
	isType
	isContent
	isTagged // it is between tags with the name of a record
	isFramed // it is between lines of dashes
	isCalled // it is in a call of a function
	isNamed  // that, or the tag, has the name of a record or of a type of records
	isName   // it has a name, which may be its id
	isTyped  // its type is one that is known
)

// keyOf returns the kind of a key, or 0.
func keyOf(word []byte) int {
	if len(word) < 2 || len(word) > len("record_type") {
		return 0
	}
	switch strings.ToLower(string(word)) {
	case "id", "record_id":
		return isID
	case "name":
		return isName
	case "type", "kind", "record_type":
		return isType
	case "content", "body", "markdown", "text", "summary":
		return isContent
	}
	return 0
}

// finder collects the attempts in a text.
type finder struct {
	text  []byte
	only  bool // the text is the reply to a task
	calls bool // the text is code, in which only calls are records
	all   []Attempt
	open  Attempt // the record whose keys are collected
	has   int     // the kinds of its keys
	idle  int     // the lines since its last key
	line  int     // where the line begins
	next  int     // and the one behind it
	rule  int     // where the line behind the last line of dashes begins, or -1
	table []int   // the kinds of the columns of a table
}

// Find returns the records in a text, in order, which is the reply to a task if only is true. There an id with any other
// field is a record; elsewhere it needs a type and a content. Keys for which skip is true do not count.
func Find(text []byte, only bool, skip func(at int) bool) []Attempt {
	return find(finder{text: text, only: only, rule: -1}, skip)
}

// FindCalls returns the records in code: those in calls of functions that are named after records.
func FindCalls(text []byte, only bool, skip func(at int) bool) []Attempt {
	return find(finder{text: text, only: only, calls: true, rule: -1}, skip)
}

func find(f finder, skip func(at int) bool) []Attempt {
	text := f.text
	if !mayHold(text) {
		return nil
	}
	for at := 0; at < len(text); {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if f.line, f.next = at, end; !skip(at + leading(text[at:end])) {
			f.readLine(text[at:end], skip)
		}
		at = end
	}
	f.flush()
	return f.all
}

// mayHold reports whether a text has the words of two keys of a record.
func mayHold(text []byte) bool {
	n := 0
	for _, words := range [][]string{{"id", "ID", "Id"}, {"type", "kind", "Type", "Kind", "TYPE"}, {"content", "body", "text", "Content", "Body", "summary", "markdown", "CONTENT"}} {
		for _, word := range words {
			if bytes.Contains(text, []byte(word)) {
				n++
				break
			}
		}
	}
	return n > 1 || slices.ContainsFunc([]string{"ecord", "_", "memo", "note", "review", "assumption"}, func(word string) bool { return bytes.Contains(text, []byte(word)) })
}

// listMarks may stand before the first key of a line.
const listMarks = "-*+#_ \t`0123456789.)"

func leading(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }

func (f *finder) readLine(line []byte, skip func(int) bool) {
	const longest = 32 // between a bracket and a key
	body := bytes.TrimSpace(line)
	switch {
	case len(body) == 0:
		return
	case len(bytes.Trim(body, "-")) == 0 && len(body) > 2:
		f.readRule()
		return
	}
	if row := bytes.TrimLeft(body, listMarks); len(row) > 0 && row[0] == '|' {
		f.readRow(row)
		return
	}
	f.table = nil
	if f.idle++; f.idle > far {
		f.flush()
	}
	f.readCall(line)
	marks := len(line) - len(bytes.TrimLeft(line, listMarks))
	f.readKey(marks, "")
	for i := marks; i < len(line); i++ {
		switch line[i] {
		case '{', ',', '(':
			if !skip(f.line + i) {
				near := line[i+1 : min(len(line), i+1+longest)]
				form := ""
				if line[i] == '(' && i > 0 && isWord(line[i-1]) {
					form = AsCall
				}
				f.readKey(i+1+len(near)-len(bytes.TrimLeft(near, " \t[{")), form)
			}
		case '<':
			if !skip(f.line + i) {
				f.readTag(line, i)
			}
		}
	}
}

// readRule reads a line of dashes. Behind it, front matter may begin, or the text behind it.
func (f *finder) readRule() {
	if f.has&isFramed != 0 && f.has&isID != 0 {
		f.open.Body = f.next
		f.flush()
		f.rule = -1
		return
	}
	f.flush()
	f.rule = f.next
}

// readKey reads a key at an offset of the line, in tags if form says so.
func (f *finder) readKey(at int, form string) {
	const quotes = "\"'\\*_ \t`“”"
	const longest = 300
	rest := f.text[f.line+at : min(len(f.text), f.line+at+longest)]
	word := bytes.TrimLeft(rest, "\"'\\“”")
	isQuoted := len(word) < len(rest)
	if hasPrefixFold(word, "record ") { // "Record ID: …"
		word = word[len("record "):]
	}
	n := 0
	for n < len(word) && (word[n] == '_' || 'a' <= word[n]|0x20 && word[n]|0x20 <= 'z') {
		n++
	}
	kind := keyOf(bytes.Trim(word[:n], "_"))
	if kind == 0 {
		return
	}
	value := bytes.TrimLeft(word[n:], quotes)
	if len(value) == 0 {
		return
	}
	if form = formOf(form, value[0], isQuoted); form != "" {
		f.key(kind, value[1:], form, f.line+at)
	}
}

// formOf returns the form of a key by the sign behind it, and the form around it, or "".
func formOf(form string, sign byte, isQuoted bool) string {
	switch {
	case sign == ':' && form == "" && isQuoted:
		return AsJSON
	case sign == ':' && form == "":
		return AsYAML
	case sign == '=' && form == "":
		return AsTOML
	case form == AsTags && (sign == '=' || sign == '>'), form == AsCall && (sign == '=' || sign == ':'):
		return form
	}
	return ""
}

// key notes a key and its value.
func (f *finder) key(kind int, value []byte, form string, at int) {
	value = bytes.TrimLeft(value, "\"'\\*_ \t`“”")
	id := idOf(value)
	isElement := kind == isContent && form == AsTags && f.has == 0 // <summary>, <body>
	if isElement || kind == isID && (id == "" || id == "null") {
		return
	}
	if f.has&kind != 0 && (kind == isID || kind == isType && f.isRecord() && f.has&isNamed == 0) {
		f.flush()
	}
	if kind == isName && !f.takesName(value, id, form) {
		return
	}
	f.openAt(at, form, kind)
	switch kind {
	case isID, isName:
		f.open.ID = id
	case isType:
		f.has |= typed(id)
	case isContent:
		if isText := bytes.HasPrefix(value, []byte("|")) || bytes.HasPrefix(value, []byte(">")); isText && form == AsYAML {
			f.open.Body = f.next
		}
	}
	f.has |= kind
	f.idle = 0
}

func typed(word string) int {
	if IsType(word, false) {
		return isTyped
	}
	return 0
}

// takesName reports whether a name in JSON may be the id of a record. Another one begins another record.
func (f *finder) takesName(value []byte, id, form string) bool {
	if form != AsJSON || f.has&isID != 0 || ofTool.Match(value[len(id):]) {
		return false
	}
	if f.has&isName != 0 {
		f.flush()
	}
	return id != "" && len(id) < len(value) && strings.IndexByte("\"'", value[len(id)]) >= 0
}

// openAt notes where the keys of a record begin, and in which form: those of its id, if it has one.
func (f *finder) openAt(at int, form string, kind int) {
	if f.has&(isID|isType|isContent) == 0 && f.rule == f.line {
		f.has |= isFramed
	}
	if kind == isID || f.has&(isID|isTagged) == 0 {
		f.open.At, f.open.Form = at, form
	}
	if form == AsCall {
		f.has |= isCalled
	}
	switch {
	case f.has&isCalled != 0:
		f.open.Form = AsCall
	case f.has&isFramed != 0:
		f.open.Form = AsFrontMatter
	}
}

// idOf returns the id with which a text begins, or "".
func idOf(text []byte) string {
	const longest = 100
	n := 0
	for n < len(text) && n < longest && (strings.IndexByte("./@-", text[n]) >= 0 || isWord(text[n])) {
		n++
	}
	return string(text[:n])
}

func isWord(c byte) bool { return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// readTag reads a tag of a line: that of a record, or of one of its fields.
func (f *finder) readTag(line []byte, at int) {
	const longest = 200
	name := line[at+1:]
	for _, word := range []string{"project_record", "record"} {
		rest, ok := bytes.CutPrefix(name, []byte(word))
		if !ok || len(rest) == 0 || rest[0] != ' ' && rest[0] != '>' {
			continue
		}
		f.flush()
		f.has, f.open.At, f.open.Form, f.open.Tag, f.idle = isTagged, f.line+at, AsTags, word, 0
		end := bytes.IndexByte(rest[:min(len(rest), longest)], '>')
		for i := range max(end, 0) {
			if rest[i] == ' ' {
				f.readKey(len(line)-len(rest)+i+1, AsTags)
			}
		}
		return
	}
	if f.readElement(line, at) {
		return
	}
	for _, call := range []string{"parameter=", "parameter name=", "arg name="} {
		if bytes.HasPrefix(name, []byte(call)) {
			at += len(call)
		}
	}
	f.readKey(at+1, AsTags)
}

func hasPrefixFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(string(text[:len(prefix)]), prefix)
}

// readRow reads a row of a table: the names of fields, a record below them, or one field and its value.
func (f *finder) readRow(row []byte) {
	const most = 20
	cells := bytes.SplitN(bytes.Trim(row, "| \t"), []byte("|"), most)
	kinds, named := make([]int, len(cells)), 0
	for i := range cells {
		cells[i] = bytes.Trim(cells[i], " \t*_`\"'")
		if kinds[i] = keyOf(cells[i]); kinds[i] != 0 {
			named |= kinds[i]
		}
	}
	switch {
	case len(bytes.Trim(row, "|-: \t")) == 0:
	case f.table != nil:
		for i, kind := range f.table {
			if i < len(cells) && kind != 0 && len(cells[i]) > 0 {
				f.key(kind, cells[i], AsTable, f.line)
			}
		}
		f.flush()
	case named&isID != 0 && named != isID:
		f.flush()
		f.table = kinds
	case len(cells) == 2 && kinds[0] != 0:
		f.key(kinds[0], cells[1], AsTable, f.line)
	}
}

// flush ends a record.
func (f *finder) flush() {
	if f.isRecord() {
		f.all = append(f.all, f.open)
	}
	f.open, f.has, f.idle = Attempt{}, 0, 0
}

// isRecord reports whether the keys that were collected are those of a record.
func (f *finder) isRecord() bool {
	has := func(kinds int) bool { return f.has&kinds == kinds }
	switch {
	case has(isNamed):
		return has(isID|isType) || has(isID|isContent)
	case f.calls:
		return false
	case has(isTagged):
		return f.only || has(isID) || has(isType)
	case has(isName|isTyped|isContent) && !has(isID):
		return !isItem(f.open.ID)
	case has(isType|isContent) && !has(isID):
		return f.only && f.open.Form == AsJSON
	case f.only:
		return has(isID|isType) || has(isID|isContent)
	}
	return has(isID|isType) && (has(isContent) || has(isFramed)) && !isItem(f.open.ID)
}

// isItem reports whether an id is that of an item of the artifact.
func isItem(id string) bool {
	number := strings.TrimLeft(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	return len(number) < len(id) && len(id)-len(number) < 3 && strings.Trim(number, "0123456789") == ""
}
