package nearjson

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestRepairFixesForm(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"exact", `{"a": [1, true, null, "x"]}`, `{"a":[1,true,null,"x"]}`},
		{"trailing commas", `{"a": [1, 2, ], }`, `{"a":[1,2]}`},
		{"comments", "{ // one\n\"a\": /* two */ 1 # three\n}", `{"a":1}`},
		{"comment signs in texts", `{"a": "http://x # /* y */",}`, `{"a":"http://x # /* y */"}`},
		{"single quotes", `{'a': 'it is "so"'}`, `{"a":"it is \"so\""}`},
		{"apostrophe", `{'a': 'the cells' own fate, don't you think'}`, `{"a":"the cells' own fate, don't you think"}`},
		{"escaped apostrophe", `{'a': 'don\'t'}`, `{"a":"don't"}`},
		{"typographic", `{“a”: “it’s so”, ‘b’: ‘don’t’, „c“: «d»}`, `{"a":"it’s so","b":"don’t","c":"d"}`},
		{"plain in typographic", `{“a”: “say "so"”}`, `{"a":"say \"so\""}`},
		{"bare keys", `{a: 1, _b$: 2, c-d: 3}`, `{"a":1,"_b$":2,"c-d":3}`},
		{"raw line break", "{\"a\": \"one\ntwo\"}", `{"a":"one\ntwo"}`},
		{"raw line break, CRLF", "{\"a\": \"one\r\ntwo\"}", `{"a":"one\ntwo"}`},
		{"raw tab and bell", "{\"a\": \"one\ttwo\a\"}", `{"a":"one\ttwo\u0007"}`},
		{"python", `{"a": True, "b": False, "c": None}`, `{"a":true,"b":false,"c":null}`},
		{"backslash", `{"a": "\alpha \d \u12"}`, `{"a":"\\alpha \\d \\u12"}`},
		{"odd space", "{\u00a0\"a\":\u200b1}", `{"a":1}`},
		{"several", "{\"a\":1}\n{\"b\":2}", `{"a":1}{"b":2}`},
		{"several with commas", "{\"a\":1},\n{\"b\":2},", `{"a":1}{"b":2}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r Repairer
			got := r.Repair([]byte(c.src), false)
			if got.Fail != nil {
				t.Fatalf("got %s at %d", got.Fail.What, got.Fail.At)
			}
			if s := compacted(t, got.Text); s != c.want {
				t.Errorf("got %s, want %s", s, c.want)
			}
			if c.name != "exact" && !got.Changes.Any() {
				t.Error("no note")
			}
		})
	}
}

// compacted removes the white space between tokens of a sequence of values.
func compacted(t *testing.T, text []byte) string {
	t.Helper()
	var out strings.Builder
	dec := jsontext.NewDecoder(bytes.NewBuffer(text))
	for {
		v, err := dec.ReadValue()
		if err != nil {
			if len(bytes.TrimSpace(text[dec.InputOffset():])) > 0 {
				t.Fatalf("%v in %s", err, text)
			}
			return out.String()
		}
		v = v.Clone()
		if err := v.Compact(); err != nil {
			t.Fatal(err)
		}
		out.Write(v)
	}
}

func TestRepairDoesNotGuess(t *testing.T) {
	for _, c := range []struct {
		name, src string
		at        int
	}{
		{"cut off", `{"a": 1`, 7},
		{"text cut off", `{"a": "b`, 6},
		{"quote in a text", `{"a": "the "French" flag"}`, 12},
		{"no comma", `{"a": 1 "b": 2}`, 8},
		{"no colon", `{"a" 1}`, 5},
		{"no value", `{"a": }`, 6},
		{"two commas", `[1,,2]`, 3},
		{"wrong bracket", `{"a": [1}`, 8},
		{"a word", `{"a": ADD}`, 6},
		{"dots", `{"a": ...}`, 6},
		{"comment never ends", `{"a": /* 1}`, 6},
		{"quotation in single quotes", `{'a': 'see 'b', # c'}`, 11},
		{"quotation in typographic quotes", `{“a”: “see “b”, c”}`, len(`{“a”: “see `)},
		{"prose", `no JSON at all`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r Repairer
			got := r.Repair([]byte(c.src), false)
			if got.Fail == nil {
				t.Fatalf("got %s, want a failure", got.Text)
			}
			if got.Fail.At != c.at {
				t.Errorf("got position %d, want %d: %s", got.Fail.At, c.at, got.Fail.What)
			}
			if got.Fail.Hint == "" {
				t.Error("no hint")
			}
		})
	}
}

func TestRepairMapsOffsets(t *testing.T) {
	src := "{a: 'x', \"b\": \"one\ntwo\", /* c */ 'd': “e”, f: [1,]}"
	var r Repairer
	got := r.Repair([]byte(src), false)
	for _, token := range []string{`"one`, "[1", "1"} {
		out := strings.Index(string(got.Text), token)
		if want := strings.Index(src, token); got.Source(out) != want {
			t.Errorf("%s: offset %d: got %d in the source, want %d", token, out, got.Source(out), want)
		}
	}
}

// squeeze removes what a repair may change: white space, control characters raw or escaped,
// and backslashes.
func squeeze(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c <= ' ':
		case c == '\\' && i+1 < len(s):
			switch n := s[i+1]; {
			case strings.IndexByte("\\nrt", n) >= 0:
				i++
			case strings.HasPrefix(s[i:], `\u00`) && len(s) > i+5 && (s[i+4] == '0' || s[i+4] == '1') && escapeLength([]byte(s[i+1:])) == 5:
				i += 5
			}
		case c == '\\':
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// FuzzRepairKeepsWords checks that a repaired text is JSON with the author's strings in the
// author's order.
func FuzzRepairKeepsWords(f *testing.F) {
	for _, seed := range []string{
		`{"a": [1, 2, ], }`, `{'a': 'don\'t', b: “c’d”, // e` + "\n}", "{\"a\": \"\\alpha\n\\n\"}", `[True, {x: "\u0001"}]`, `{'a': 'b "c" d'}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		var r Repairer
		got := r.Repair([]byte(src), false)
		if len(got.Text) > 6*len(src)+16 {
			t.Fatalf("got %d bytes from %d", len(got.Text), len(src))
		}
		left := squeeze(src)
		dec := jsontext.NewDecoder(bytes.NewBuffer(got.Text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		for {
			if dec.PeekKind() != '"' {
				if _, err := dec.ReadToken(); err != nil {
					return
				}
				continue
			}
			v, err := dec.ReadValue()
			if err != nil {
				return // an invalid number or surrogate: the reader rejects it
			}
			word := squeeze(string(v[1 : len(v)-1]))
			_, after, ok := strings.Cut(left, word)
			if !ok {
				t.Fatalf("%q is not in the rest of the source: %q", word, left)
			}
			left = after
		}
	})
}
