package artifact

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"brenner/fault"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// frontMatter reads the metadata from YAML that begins on line 2 of the file.
func (r *mdReader) frontMatter(text string) {
	root, err := parseYAML(text)
	if err != nil {
		r.problem(BadMetadata, 1, "metadata", "the front matter cannot be read: %s", fault.Shown(strings.TrimPrefix(err.Error(), "yaml: ")))
		return
	}
	if root == nil {
		return
	}
	if root.Kind != yaml.MappingNode || odd(root) {
		r.problem(BadMetadata, 1+root.Line, "metadata", "the front matter is not a plain list of keys and values")
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
			r.problem(BadMetadata, 1+key.Line, "metadata", "metadata: the key %s stands twice", fault.Shown(name))
		default:
			seen[name] = true
			r.metadata(name, value)
		}
	}
	slices.SortFunc(r.doc.Artifact.Metadata.Extra, func(x, y Entry) int { return CompareKeys(x.Key, y.Key) })
}

// parseYAML gives the root of the one YAML document in text, or nil for none.
func parseYAML(text string) (root *yaml.Node, err error) {
	// The parser is not ours, and no file may bring the program down.
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("the YAML parser failed: %v", p)
		}
	}()
	dec := yaml.NewDecoder(strings.NewReader(text))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("it holds more than one YAML document")
	}
	if len(doc.Content) != 1 {
		return nil, errors.New("it holds no YAML value")
	}
	return doc.Content[0], nil
}

// metadata takes one key of the front matter.
func (r *mdReader) metadata(key string, node *yaml.Node) {
	line := 1 + node.Line
	v, err := yamlValue(node, documentDepth-2)
	if err != nil {
		kind := BadMetadata
		if key == "version" {
			kind = BadVersion
		}
		r.problem(kind, line, "metadata", "metadata: %s: %v", fault.Shown(key), err)
		return
	}
	if v == (Null{}) {
		return // as in JSON
	}
	md := &r.doc.Artifact.Metadata
	if to := md.text(key); to != nil {
		r.metadataText(to, key, v, line)
		return
	}
	switch key {
	case "version":
		n, flaw := versionOf(v)
		if flaw != "" {
			r.problem(BadVersion, line, "metadata", "%s", flaw)
			return
		}
		md.Version = n
	case "contributors":
		r.contributors(v, line)
	case "roster":
		md.Roster = v
	default:
		md.Extra = append(md.Extra, Entry{key, v})
	}
}

// text gives the place of a key that holds a text, or nil.
func (m *Metadata) text(key string) *string {
	switch key {
	case "session_id":
		return &m.SessionID
	case "created_at":
		return &m.CreatedAt
	case "updated_at":
		return &m.UpdatedAt
	case "status":
		return &m.Status
	case "rules":
		return &m.Rules
	case "research_program":
		return &m.ResearchProgram
	}
	return nil
}

func (r *mdReader) metadataText(to *string, key string, v Value, line int) {
	t, ok := v.(Text)
	if !ok {
		r.problem(BadMetadata, line, "metadata", "metadata: %s is not a text; put it in quotes", key)
	}
	*to = string(t)
}

func (r *mdReader) contributors(v Value, line int) {
	list, ok := v.(List)
	if !ok {
		r.problem(BadMetadata, line, "metadata", "metadata: contributors is not a list")
	}
	for _, v := range list {
		m, ok := v.(Map)
		if !ok {
			r.problem(BadMetadata, line, "metadata", "metadata: a contributor is not an object with agent, program, model and contributed_at")
			continue
		}
		var c Contributor
		for _, e := range m {
			if !c.take(e) {
				r.problem(BadMetadata, line, "metadata", "metadata: a contributor's %s cannot be read", fault.Shown(e.Key))
			}
		}
		md := &r.doc.Artifact.Metadata
		md.Contributors = append(md.Contributors, c)
	}
}

func (c *Contributor) take(e Entry) bool {
	t, ok := e.Value.(Text)
	switch e.Key {
	case "agent":
		c.Agent = string(t)
	case "program":
		c.Program = string(t)
	case "model":
		c.Model = string(t)
	case "contributed_at":
		c.ContributedAt = string(t)
	default:
		return false
	}
	return ok
}

// odd tells whether a node uses what plain JSON cannot say.
func odd(n *yaml.Node) bool { return n.Anchor != "" || n.Kind == yaml.AliasNode }

func yamlKey(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || odd(n) {
		return "", errors.New("a key is not a text; put it in quotes")
	}
	return n.Value, nil
}

// yamlValue turns a node into the value that its JSON would be.
func yamlValue(n *yaml.Node, depth int) (Value, error) {
	switch {
	case odd(n):
		return nil, errors.New("anchors and aliases are not read")
	case depth < 0:
		return nil, errors.New("lists and objects stand too deep in one another")
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
	return nil, fmt.Errorf("the tag %s is not read", fault.Shown(n.Tag))
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
		return nil, errors.New("a key stands twice")
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
		return nil, fmt.Errorf("%s is not a number as JSON writes them; put it in quotes if it is a text", fault.Shown(n.Value))
	default:
		return nil, fmt.Errorf("the tag %s is not read", fault.Shown(tag))
	}
	return nil, fmt.Errorf("%s is neither true nor false", fault.Shown(n.Value))
}
