// Package yaml reads YAML that people write by hand: one document, as plain
// text, without anchors, aliases and tags, with which a small file can stand for a
// huge one and a value for another than it seems. It says where a file is broken
// better than the parser does, and no file can bring it down.
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

// Read gives the root of the one document in data; nil and no problem where there
// is none.
func Read(data []byte) (*yaml.Node, *Problem) {
	if line, what := notText(data); what != "" {
		return nil, &Problem{line, "the file is no text: it holds " + what, "save the file as UTF-8 text; in double quotes, YAML can write any character as \\u...."}
	}
	root, err := Parse(data)
	if err != nil {
		line, detail := whereBroken(data, err)
		return nil, &Problem{line, "this is no YAML: " + detail, "check the indentation (spaces only), the colons and the quotes there and just above"}
	}
	if root == nil {
		return nil, nil
	}
	if p := odd(root); p != nil {
		return nil, p
	}
	return root, nil
}

// Parse gives the root of the one document in data, or nil for none. Unlike Read it
// takes what plain YAML does without.
func Parse(data []byte) (root *yaml.Node, err error) {
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
		return nil, errors.New("a second document begins here; there may be only one")
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
	said := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(detail)
	if said != nil {
		detail = strings.TrimPrefix(detail, said[0])
		line, _ = strconv.Atoi(said[1]) // a line beyond any number is as good as none
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

// odd finds what plain YAML does without.
func odd(n *yaml.Node) *Problem {
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
		if p := odd(child); p != nil {
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
