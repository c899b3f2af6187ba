package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner/fault"

	"go.yaml.in/yaml/v3"
)

// document gives the root of the one YAML document in data; nil where there is
// none, or where the reason has been said.
func (r *reader) document(data []byte) *yaml.Node {
	if line, what := notText(data); what != "" {
		r.found.add(InvalidYAML, r.place(line), "save the file as UTF-8 text", "the file is no text: it holds %s", what)
		return nil
	}
	root, err := parseYAML(data)
	if err != nil {
		line, detail := whereBroken(data, err)
		r.found.add(InvalidYAML, r.place(line), "check the indentation (spaces only), the colons and the quotes there and just above",
			"this is no YAML: %s", detail)
		return nil
	}
	if root == nil || !r.plain(root) {
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
		return nil, errors.New("a second document begins here; a configuration is one")
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

// mostReread bounds the work of finding the line of a mistake.
const mostReread = 1 << 20

// whereBroken gives the line of a mistake and what is wrong there. The parser's
// own line is that of the surrounding block, or the one before, or missing; so
// the mistake is taken to be on the line that follows the longest beginning of
// the file that can be read.
func whereBroken(data []byte, err error) (line int, detail string) {
	detail = strings.TrimPrefix(err.Error(), "yaml: ")
	said := regexp.MustCompile(`^line (\d+): `).FindString(detail)
	detail = strings.TrimPrefix(detail, said)
	lines := slices.Collect(bytes.Lines(data))
	end := len(data)
	for n, work := len(lines), 0; n > 0 && work < mostReread; n-- {
		end -= len(lines[n-1])
		work += end
		if _, err := parseYAML(data[:end]); err == nil {
			return n, detail
		}
	}
	_, _ = fmt.Sscanf(said, "line %d", &line) // no line is as good as a wrong one
	return max(line, 1), detail
}

// plain tells whether a document keeps to what a configuration needs of YAML.
// Anchors, aliases and tags are left out: with them a small file can stand for a
// huge one, and a value for another than it seems.
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
		r.found.add(InvalidYAML, r.place(n.Line), "write the value out", "%s is not allowed in a configuration", odd)
		return false
	}
	for _, child := range n.Content {
		if !r.plain(child) {
			return false
		}
	}
	return true
}
