package artifact

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/internal/fault"
	"brenner/internal/yaml"
)

// frontMatter writes the metadata as YAML, with exactly one form for each value.
func (w *mdWriter) frontMatter(m *Metadata) {
	w.put(mdFence)
	w.end()
	for _, e := range append(m.known(), m.Extra...) {
		w.yamlEntry(e, 0)
	}
	w.put(mdFence)
	w.end()
}

// maxYAMLKey is the length up to which a key is written before its colon. YAML requires a question
// mark for keys of 1024 characters and more.
const maxYAMLKey = 500

func (w *mdWriter) yamlEntry(e Entry, indent int) {
	start := len(w.buf)
	w.yamlText(e.Key)
	if len(w.buf)-start > maxYAMLKey {
		key := string(w.buf[start:])
		w.buf = w.buf[:start]
		w.put("? " + key)
		w.end()
		w.indent(indent)
	}
	w.put(":")
	if nested(e.Value) {
		w.end()
		w.indent(indent + 2)
		w.yamlValue(e.Value, indent+2)
		return
	}
	w.put(" ")
	w.yamlValue(e.Value, indent)
}

// nested reports whether a value takes lines of its own.
func nested(v Value) bool {
	switch v := v.(type) {
	case List:
		return len(v) > 0
	case Map:
		return len(v) > 0
	}
	return false
}

// yamlValue writes a value and ends the line. Further lines are indented by indent.
func (w *mdWriter) yamlValue(v Value, indent int) {
	switch v := v.(type) {
	case Text:
		w.yamlText(string(v))
	case List:
		for i, e := range v {
			if i > 0 {
				w.indent(indent)
			}
			w.put("- ")
			w.yamlValue(e, indent+2)
		}
		if len(v) > 0 {
			return
		}
		w.put("[]")
	case Map:
		for i, e := range v {
			if i > 0 {
				w.indent(indent)
			}
			w.yamlEntry(e, indent)
		}
		if len(v) > 0 {
			return
		}
		w.put("{}")
	default:
		w.buf = AppendValue(w.buf, v)
	}
	w.end()
}

func (w *mdWriter) indent(n int) {
	for range n {
		w.buf = append(w.buf, ' ')
	}
}

// yamlText writes a text unquoted if no YAML reader can misread it, else as in JSON.
func (w *mdWriter) yamlText(s string) {
	if plainYAML(s) {
		w.put(s)
		return
	}
	w.json = AppendString(w.json[:0], s)
	w.buf = appendQuotable(w.buf, w.json, "", true)
}

func plainYAML(s string) bool {
	if s == "" || len(s) > 200 {
		return false
	}
	if isDigit(s[0]) {
		_, err := ParseInstant(s)
		return err == nil && strings.Contains(s, "T")
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case isLetter(c):
		case i == 0:
			return false
		case isDigit(c), strings.IndexByte("_./@+-", c) >= 0:
		case c == ' ' && i < len(s)-1:
		default:
			return false
		}
	}
	return !yamlWord(s)
}

// yamlWord reports whether some version of YAML reads s as something other than a text.
func yamlWord(s string) bool {
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf":
		return true
	}
	return false
}

// frontMatter reads the metadata from YAML that begins on line 2 of the file.
func (r *mdReader) frontMatter(text string) {
	root, err := yaml.Parse([]byte(text))
	if err != nil {
		r.problem(BadMetadata, 1, "metadata", "cannot read the front matter: %s", fault.Shown(strings.TrimPrefix(err.Error(), "yaml: ")))
		return
	}
	if root == nil {
		return
	}
	if root.Kind != yaml.MappingNode || odd(root) {
		r.problem(BadMetadata, 1+root.Line, "metadata", "the front matter is not a plain mapping")
		return
	}
	seen := make(map[string]bool, len(root.Content)/2)
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		name, err := yamlKey(key)
		switch {
		case err != nil:
			r.problem(BadMetadata, 1+key.Line, "metadata", "metadata: %v", err)
		case seen[name]:
			r.problem(BadMetadata, 1+key.Line, "metadata", "metadata: duplicate key %s", fault.Shown(name))
		default:
			seen[name] = true
			r.metadata(name, value)
		}
	}
	slices.SortFunc(r.doc.Artifact.Metadata.Extra, func(x, y Entry) int { return CompareKeys(x.Key, y.Key) })
}

func (r *mdReader) metadata(key string, node *yaml.Node) {
	line := 1 + node.Line
	v, err := yamlValue(node, documentDepth-2)
	if err != nil && key == "version" && node.Kind == yaml.ScalarNode {
		v, err = Text(node.Value), nil
	}
	if err != nil {
		r.problem(BadMetadata, line, "metadata", "metadata: %s: %v", fault.Shown(key), err)
		return
	}
	r.doc.Artifact.Metadata.take(Entry{key, v}, func(kind ProblemKind, format string, args ...any) {
		r.problem(kind, line, "metadata", format, args...)
	})
}

// odd reports whether a node uses a feature that JSON lacks.
func odd(n *yaml.Node) bool { return n.Anchor != "" || n.Kind == yaml.AliasNode }

func yamlKey(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || odd(n) {
		return "", errors.New("a key is not a string; quote it")
	}
	return n.Value, nil
}

// yamlValue converts a node to the equivalent JSON value.
func yamlValue(n *yaml.Node, depth int) (Value, error) {
	switch {
	case odd(n):
		return nil, errors.New("anchors and aliases are not supported")
	case depth < 0:
		return nil, errors.New("nesting too deep")
	case n.Kind == yaml.ScalarNode:
		return yamlScalar(n)
	case n.Kind == yaml.SequenceNode && n.ShortTag() == "!!seq":
		list := make(List, len(n.Content))
		for i, c := range n.Content {
			v, err := yamlValue(c, depth-1)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case n.Kind == yaml.MappingNode && n.ShortTag() == "!!map":
		return yamlMap(n, depth)
	}
	return nil, fmt.Errorf("the tag %s is not supported", fault.Shown(n.Tag))
}

func yamlMap(n *yaml.Node, depth int) (Value, error) {
	entries := make([]Entry, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, err := yamlKey(n.Content[i])
		if err != nil {
			return nil, err
		}
		v, err := yamlValue(n.Content[i+1], depth-1)
		if err != nil {
			return nil, err
		}
		entries = append(entries, Entry{key, v})
	}
	m := MapOf(entries...)
	if len(m) != len(entries) {
		return nil, errors.New("duplicate key")
	}
	return m, nil
}

func yamlScalar(n *yaml.Node) (Value, error) {
	switch tag := n.ShortTag(); tag {
	case "!!str", "!!timestamp":
		return Text(n.Value), nil
	case "!!null":
		return Null{}, nil
	case "!!bool":
		switch strings.ToLower(n.Value) {
		case "true":
			return Bool(true), nil
		case "false":
			return Bool(false), nil
		}
	case "!!int", "!!float":
		if text := jsontext.Value(n.Value); text.IsValid() && text.Kind() == '0' {
			f, reason := number(string(bytes.TrimSpace(text)))
			if reason != "" {
				return nil, errors.New(reason)
			}
			return f, nil
		}
		return nil, fmt.Errorf("%s is not a JSON number; quote it if it is a string", fault.Shown(n.Value))
	default:
		return nil, fmt.Errorf("the tag %s is not supported", fault.Shown(tag))
	}
	return nil, fmt.Errorf("%s is neither true nor false", fault.Shown(n.Value))
}
