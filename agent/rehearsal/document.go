package rehearsal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"brenner/fault"
)

// document gives the root of the one YAML document in data; nil where what is
// wrong has been said.
func (r *reader) document(data []byte) *yaml.Node {
	if line, what := notText(data); what != "" {
		r.add(InvalidYAML, line, "save the script as UTF-8 text; in double quotes, YAML can write any character as \\u....",
			"the script is no text: it holds %s", what)
		return nil
	}
	root, err := parseYAML(data)
	if err != nil {
		line, detail := 1, strings.TrimPrefix(err.Error(), "yaml: ")
		if n, _ := fmt.Sscanf(detail, "line %d:", &line); n == 1 {
			_, detail, _ = strings.Cut(detail, ": ")
		}
		r.add(InvalidYAML, line, "check the indentation (spaces only), the colons and the quotes there and near it",
			"this is no YAML: %s", detail)
		return nil
	}
	if root == nil {
		r.add(InvalidYAML, 1, "begin with schema: "+Schema, "the script is empty")
		return nil
	}
	if !r.plain(root) {
		return nil
	}
	return root
}

// parseYAML gives the root of the one document in data, or nil for none.
func parseYAML(data []byte) (root *yaml.Node, err error) {
	// The parser is not ours, and no file may bring the program down.
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("the YAML parser failed: %v", p)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	switch err := dec.Decode(&more); {
	case err == nil:
		return nil, fmt.Errorf("line %d: a second document begins here; a script is one", more.Line)
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	if len(doc.Content) != 1 {
		return nil, nil
	}
	return doc.Content[0], nil
}

// notText looks for what makes a file something else than UTF-8 text; the YAML
// parser would complain too, but without a line.
func notText(data []byte) (line int, what string) {
	line = 1
	for i := 0; i < len(data); {
		c, size := utf8.DecodeRune(data[i:])
		switch {
		case c == utf8.RuneError && size <= 1:
			return line, "bytes that are not UTF-8"
		case c == '\n':
			line++
		case c < ' ' && c != '\t' && c != '\r' || c == 0x7f:
			return line, "control characters"
		}
		i += size
	}
	return line, ""
}

// plain tells whether a document keeps to what a script needs of YAML. With
// anchors, aliases and tags a small file can stand for a huge one, and a value
// for another than it seems.
func (r *reader) plain(n *yaml.Node) bool {
	odd := ""
	switch {
	case n.Kind == yaml.AliasNode:
		odd = "the alias *" + fault.Shown(n.Value)
	case n.Anchor != "":
		odd = "the anchor &" + fault.Shown(n.Anchor)
	case n.Style&yaml.TaggedStyle != 0:
		odd = "the tag " + fault.Shown(n.Tag)
	}
	if odd != "" {
		r.add(InvalidYAML, n.Line, "write the value out", "%s is not allowed in a script", odd)
		return false
	}
	for _, child := range n.Content {
		if !r.plain(child) {
			return false
		}
	}
	return true
}
