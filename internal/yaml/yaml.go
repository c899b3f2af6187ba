// Package yaml reads hand-written YAML: one document of plain text without anchors, aliases and
// tags, with which a small file could expand to a huge one or disguise a value. It locates syntax
// errors better than the parser does, and no file can crash it.
package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"brenner/internal/fault"
)

// Problem is why a file cannot be read.
type Problem struct {
	Line   int
	Detail string
	Hint   string
}

// Read returns the root of the only document in data, or nil without a problem for an empty file.
func Read(data []byte) (*yaml.Node, *Problem) {
	if line, what := notText(data); what != "" {
		return nil, &Problem{line, "the file contains " + what, "save the file as UTF-8 text; in double quotes, YAML can write any character as \\u...."}
	}
	root, err := Parse(data)
	if err != nil {
		line, detail := locateSyntaxError(data, err)
		return nil, &Problem{line, "invalid YAML: " + detail, "check the indentation (spaces only), the colons and the quotes there and just above"}
	}
	if root == nil {
		return nil, nil
	}
	if p := unsupported(root); p != nil {
		return nil, p
	}
	return root, nil
}

// Parse returns the root of the only document in data, or nil. It allows anchors and tags.
func Parse(data []byte) (root *yaml.Node, err error) {
	// The parser may panic; no file may crash the program.
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
		return nil, errors.New("a second document begins here; only one is allowed")
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	if len(doc.Content) != 1 {
		return nil, nil
	}
	return doc.Content[0], nil
}

// notText returns which bytes are not UTF-8 text. The YAML parser would report that without
// a line.
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

// mostReread bounds the work of locating a syntax error.
const mostReread = 1 << 20

// locateSyntaxError returns the line of a syntax error and its description. The parser reports the line
// of the surrounding block, or the one before, or none. The error is therefore placed on the line
// after the longest readable beginning of the file.
func locateSyntaxError(data []byte, err error) (line int, detail string) {
	detail = strings.TrimPrefix(err.Error(), "yaml: ")
	match := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(detail)
	if match != nil {
		detail = strings.TrimPrefix(detail, match[0])
		line, _ = strconv.Atoi(match[1]) // a line number out of range counts as none
	}
	lines := slices.Collect(bytes.Lines(data))
	end := len(data)
	for n, work := len(lines), 0; n > 0 && work < mostReread; n-- {
		end -= len(lines[n-1])
		work += end
		if _, err := Parse(data[:end]); err == nil {
			return n, detail
		}
	}
	return max(line, 1), detail
}

// unsupported returns the first feature that plain YAML does not allow.
func unsupported(n *yaml.Node) *Problem {
	what := ""
	switch {
	case n.Kind == yaml.AliasNode:
		what = "the alias *" + fault.Shown(n.Value)
	case n.Anchor != "":
		what = "the anchor &" + fault.Shown(n.Anchor)
	case n.Style&yaml.TaggedStyle != 0:
		what = "the tag " + fault.Shown(n.Tag)
	}
	if what != "" {
		return &Problem{n.Line, what + " is not allowed here", "write the value out"}
	}
	for _, child := range n.Content {
		if p := unsupported(child); p != nil {
			return p
		}
	}
	return nil
}

// Node is a node of a parsed document, with its line and column.
type Node = yaml.Node

// The kinds of nodes.
const (
	MappingNode  = yaml.MappingNode
	SequenceNode = yaml.SequenceNode
	ScalarNode   = yaml.ScalarNode
	AliasNode    = yaml.AliasNode
)
