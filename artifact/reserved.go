package artifact

import (
	"regexp"
	"slices"
	"strings"
)

// Reserved returns the ids of a section that the artifact mentions without having such items: in texts that
// were kept, and in references and at the beginnings of lines of items whose origin is not known, since these
// may be of another tool. They are never given to new items, which old references would then mean.
func (a *Artifact) Reserved(s Section) []string {
	seen := map[string]bool{}
	for _, it := range a.Sections[s] {
		seen[it.ID] = true
	}
	var ids []string
	reserve := func(id string) {
		if s.ValidID(id) && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	kept, _ := a.Metadata.Extra.Get(otherText)
	list, _ := kept.(List)
	for _, v := range list {
		entry, _ := v.(Map)
		text, _ := get[Text](entry, "text")
		eachID(string(text), reserve)
		for line := range strings.Lines(string(text)) {
			if h, ok := otherHead(s, strings.TrimSpace(line)); ok {
				reserve(h.id)
			}
		}
	}
	for section, items := range a.Sections {
		for _, it := range items {
			if it.Created == nil {
				it.idsIn(Section(section), reserve)
			}
		}
	}
	return ids
}

// idsIn finds the ids in the references of an item of a section, and those that begin a line of its texts but
// not the whole text.
func (it *Item) idsIn(s Section, found func(string)) {
	for _, f := range it.Fields {
		if spec, ok := s.Spec().Field(f.Name); ok && spec.Refs {
			eachRef(f.Value, func(id string) {
				if !slices.Contains(it.Unresolved(), f.Name+"."+id) { // else the merge knows that it means another item
					found(id)
				}
			})
			continue
		}
		text, _ := f.Value.(Text)
		isFirst := true
		for line := range strings.Lines(string(text)) {
			if id := idAt(line); !isFirst || !strings.HasPrefix(line, id) {
				found(id)
			}
			isFirst = false
		}
	}
}

// eachRef finds the ids in a value that holds references: keys of a map, elements of a list, words of a text.
func eachRef(v Value, found func(string)) {
	switch v := v.(type) {
	case Text:
		eachID(string(v), found)
	case List:
		for _, element := range v {
			eachRef(element, found)
		}
	case Map:
		for _, e := range v {
			eachID(e.Key, found)
		}
	}
}

var idWord = regexp.MustCompile(`\b[A-Z]{1,2}\d{1,4}\b`)

// eachID finds the words of a text that are ids of items.
func eachID(text string, found func(string)) {
	for _, id := range idWord.FindAllString(text, -1) {
		found(id)
	}
}

// boxes removes the boxes of a list of tasks.
var boxes = strings.NewReplacer("[x]", "", "[X]", "", "[ ]", "")

// idAt returns the letters and digits behind the marks of a line.
func idAt(line string) string {
	if strings.IndexByte(line, '[') >= 0 {
		line = boxes.Replace(line)
	}
	line = strings.TrimLeft(line, " \t>*_~-+[(•")
	n := 0
	for n < len(line) && ('A' <= line[n] && line[n] <= 'Z' || '0' <= line[n] && line[n] <= '9') {
		n++
	}
	return line[:n]
}
