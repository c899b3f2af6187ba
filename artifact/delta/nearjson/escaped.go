package nearjson

import (
	"bytes"
	"slices"
)

// entity is a character as HTML writes it.
type entity struct {
	text string
	char byte
}

// entities are the characters of JSON as HTML writes them.
var entities = []entity{
	{"&quot;", '"'},
	{"&#34;", '"'},
	{"&#x22;", '"'},
	{"&#X22;", '"'},
	{"&amp;quot;", '"'},
	{"&amp;#34;", '"'},
	{"&#123;", '{'},
	{"&#x7b;", '{'},
	{"&#x7B;", '{'},
	{"&lbrace;", '{'},
	{"&lcub;", '{'},
	{"&#125;", '}'},
	{"&#x7d;", '}'},
	{"&#x7D;", '}'},
	{"&rbrace;", '}'},
	{"&rcub;", '}'},
}

// Unescaped returns a text with quotation marks and braces in place of their HTML entities, and reports whether it has such
// quotation marks. All else keeps its place: spaces fill the rest of an entity, outside of the texts that the marks enclose.
func Unescaped(text []byte) ([]byte, bool) {
	found, open := false, false
	out := text
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '&')
		if i < 0 {
			return out, found
		}
		at += i
		n := slices.IndexFunc(entities, func(e entity) bool { return bytes.HasPrefix(text[at:], []byte(e.text)) })
		if n < 0 {
			at++
			continue
		}
		e := entities[n]
		if &out[0] == &text[0] {
			out = bytes.Clone(text)
		}
		end := at + len(e.text)
		for j := at; j < end; j++ {
			out[j] = ' '
		}
		isMark := e.char == '"' && (at == 0 || text[at-1] != '\\')
		if isMark && !open { // it begins a text
			out[end-1] = e.char
		} else {
			out[at] = e.char
		}
		open = open != isMark
		found = found || e.char == '"'
		at = end
	}
}
