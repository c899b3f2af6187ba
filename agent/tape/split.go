package tape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// split tells whether a secret is in a body all the same, after it was masked:
// spread over texts that a reader puts together, as the pieces of a stream are.
// There it has no one place where stars could stand.
func (m mask) split(body []byte) bool {
	if len(m.secrets) == 0 {
		return false
	}
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	together := texts{}
	if !together.add(body) {
		for line := range bytes.Lines(body) {
			if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				together.add(data)
			}
		}
	}
	for _, text := range together {
		if m.secrets.In(text.String()) {
			return true
		}
	}
	return false
}

// texts are the strings of JSON values, put together where they stand at the same
// place.
type texts map[string]*strings.Builder

// add takes in the strings of a value; false means that it is none.
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

// walk goes by the names on the way to a string, without those by which one text
// is given in several forms. Streams of several texts tell them apart by a type or
// an index, but need not: so strings are put together with and without the type.
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
		for name, one := range v {
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
