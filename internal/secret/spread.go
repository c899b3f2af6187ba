package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Spread reports whether a response contains a secret spread over strings that a reader joins, such
// as the chunks of a stream. It has no single place to mask.
func (s *Finder) Spread(body []byte) bool {
	if s.Empty() {
		return false
	}
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	joined := texts{}
	if !joined.add(body) {
		for line := range bytes.Lines(body) {
			if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				joined.add(data)
			}
		}
	}
	return slices.ContainsFunc(slices.Sorted(maps.Keys(joined)), func(place string) bool { return s.In(joined[place].String()) })
}

// texts holds the strings of JSON values, joined by their path.
type texts map[string]*strings.Builder

// add adds the strings of a JSON value. It returns false if data is not JSON.
func (t texts) add(data []byte) bool {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return false
	}
	kind := ""
	if object, ok := v.(map[string]any); ok {
		kind = fmt.Sprint(object["type"])
	}
	t.walk(v, "", kind)
	return true
}

// walk joins strings by their path, without the keys for alternative forms of one
// text. Streams of several texts may or may not distinguish them by type or index, so
// strings are joined both with and without the type.
func (t texts) walk(v any, path, kind string) {
	switch v := v.(type) {
	case string:
		t.put("path "+path, v)
		t.put("kind "+kind+" "+path, v)
	case []any:
		for _, one := range v {
			t.walk(one, path, kind)
		}
	case map[string]any:
		if n, ok := v["index"].(float64); ok && n != 0 {
			path += fmt.Sprintf("#%v", n)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			one := v[name]
			switch name {
			case "text":
				t.walk(one, path, kind)
			case "message":
				t.walk(one, path+".delta", kind)
			default:
				t.walk(one, path+"."+name, kind)
			}
		}
	}
}

func (t texts) put(place, text string) {
	if t[place] == nil {
		t[place] = &strings.Builder{}
	}
	t[place].WriteString(text)
}
