package recordform

import (
	"bytes"
	"slices"
	"strings"

	"brenner/internal/pattern"
)

// typeNames are the types of records that agents write, and short names of them.
var typeNames = []string{
	"project_brief", "project_summary", "integrated_memo", "model_spec", "manuscript_section", "paper_note", "analysis_result", "assumption",
	"research_artifact", "review", "task_spec", "memo", "note",
}

// typeEnds are the last words of the names of such types.
var typeEnds = []string{"_note", "_memo", "_spec", "_section", "_brief", "_summary", "_review", "_record"}

// IsType reports whether a word is the name of a type of records. In the reply to a task, it may be one of the project's own.
func IsType(word string, only bool) bool {
	word = strings.ToLower(word)
	if slices.Contains(typeNames, word) || slices.ContainsFunc(typeEnds, func(end string) bool { return len(word) > len(end) && strings.HasSuffix(word, end) }) {
		return true
	}
	isOther := func(part string) bool {
		return slices.Contains([]string{"tool", "function", "call", "calls", "code", "search", "result", "results", "output", "think", "example"}, part)
	}
	parts := strings.Split(word, "_")
	return only && len(parts) > 1 && !slices.Contains(parts, "") && !slices.ContainsFunc(parts, isOther)
}

// OfFence returns the id, which may be missing, in the words of a fence that is named after a type of records, or after
// the file of one.
func OfFence(info []byte, only bool) (id string, ok bool) {
	words := bytes.Fields(info)
	if len(words) == 0 {
		return "", false
	}
	word := string(words[0])
	if len(words) > 1 {
		second := bytes.TrimPrefix(words[1], []byte("id="))
		id = idOf(bytes.Trim(second, `"'`))
	}
	switch name := strings.TrimSuffix(id, ".md"); {
	case IsType(word, false):
		return name, true
	case only && name != id && slices.Contains([]string{"markdown", "md"}, strings.ToLower(word)):
		return name, name != ""
	}
	return "", false
}

// call matches the beginning of a line that calls a function.
var call = pattern.New(`^[ \t>$]*(?:await[ \t]+|return[ \t]+)?(?:[A-Za-z_]\w*\.){0,3}([A-Za-z_]\w*)\(`)

// ofTool matches what is behind the name of a tool in the call of one.
var ofTool = pattern.New(`^\\*["']\s*,\s*\\*["'](?:arguments|args|parameters|params|input)\\*["']\s*:`)

// readCall reads the beginning of a line as a call of a function that is named after records.
func (f *finder) readCall(line []byte) {
	const longest = 120
	m := call.FindSubmatchIndex(line[:min(len(line), longest)])
	if m == nil {
		return
	}
	name := strings.ToLower(string(line[m[2]:m[3]]))
	plain := strings.ReplaceAll(name, "_", "")
	isKind := slices.ContainsFunc(typeNames, func(t string) bool { return strings.HasSuffix(plain, strings.ReplaceAll(t, "_", "")) })
	for _, verb := range []string{"get", "read", "find", "show", "list", "load", "fetch", "print", "search"} {
		if strings.HasPrefix(plain, verb) {
			return
		}
	}
	if !isKind && !strings.Contains(plain, "record") {
		return
	}
	f.flush()
	f.has, f.idle = isCalled|isNamed, 0
	if isKind {
		f.has |= isType
	}
	if m := positional.FindSubmatch(line[m[1]:]); len(m) > 2 && (isKind || IsType(string(m[2]), f.only)) {
		f.has |= isType | isID
		f.open.At, f.open.ID, f.open.Form = f.line, string(m[1]), AsCall
	}
}

// positional matches an id and a type, or a text, as the first arguments of a call.
var positional = pattern.New(`^\s*["']([\w./@-]{1,100})["']\s*,\s*["']+([^"']*)`)

// element matches a tag with its attributes.
var element = pattern.New(`^<([A-Za-z][\w-]*)((?:\s+[\w:-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s<>"']+))*)\s*/?>`)

// attribute matches an attribute by which a record is known.
var attribute = pattern.New(`(?i)\s(?:data-|record[_-])?(id|type|kind)\s*=\s*["']?([^"'\s>]+)`)

// readElement reads a tag that is named after a type of records, or has the attributes of a record. It returns false if
// it is another one.
func (f *finder) readElement(line []byte, at int) bool {
	const longest = 300
	m := element.FindSubmatch(line[at:min(len(line), at+longest)])
	if m == nil {
		return false
	}
	has, id := 0, ""
	for _, a := range attribute.FindAllSubmatch(m[2], -1) {
		switch {
		case strings.EqualFold(string(a[1]), "id"):
			has |= isID
			id = idOf(a[2])
		case IsType(string(a[2]), f.only):
			has |= isType
		}
	}
	name := string(m[1])
	if IsType(name, f.only) {
		has |= isType
	}
	if has != isID|isType || id == "" {
		return false
	}
	f.flush()
	f.has, f.idle = has|isTagged|isNamed, 0
	f.open = Attempt{At: f.line + at, ID: id, Form: AsTags, Tag: name}
	return true
}
