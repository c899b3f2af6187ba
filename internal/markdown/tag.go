package markdown

import (
	"bytes"
	"strings"
)

// tagKind is what a reasoning tag does.
type tagKind int

const (
	tagNone    tagKind = iota
	tagOpen            // <think>
	tagClose           // </think>: without an opening tag, all before it is reasoning
	tagEnd             // <|end|>: ends a channel, and nothing if none is open
	tagFinal           // <|channel|>final<|message|>: all before it is reasoning
	tagShow            // <example>: what follows is only shown, if a closing tag follows, too
	tagShown           // </example>
	tagComment         // an HTML comment
)

// tag is a tag around reasoning, examples or quotations. Tags of one family close each other.
type tag struct {
	kind   tagKind
	family string
}

// closes reports whether a tag closes one of its family.
func (t tag) closes() bool { return t.kind == tagClose || t.kind == tagEnd || t.kind == tagShown }

// turn is the family of tags such as <|im_start|>user: text of another author, up to the next turn of
// the assistant.
const turn = "turn"

// channel is the family of tags such as <|channel|>analysis<|message|>.
const channel = "channel"

// call is the family of tags such as <|channel|>commentary to=name<|message|>: a call, not reasoning.
const call = "call"

// families holds the names of tags around reasoning, without _ and -.
var families = map[string]string{
	"think": "think", "thinking": "think", "thought": "think", "thoughts": "think", "antthinking": "think",
	"thinkingprocess": "think", "thoughtprocess": "think", "chainofthought": "think", "cot": "think",
	"innerthought": "think", "innerthoughts": "think", "internalthoughts": "think",
	"longcatthink": "think", "thinkingblock": "think", "thinkblock": "think",
	"reasoning": "reasoning", "reason": "reasoning", "reasoningprocess": "reasoning", "reasoningcontent": "reasoning",
	"reflection": "reflection", "reflect": "reflection", "selfreflection": "reflection", "rethink": "reflection",
	"scratchpad": "scratchpad", "scratch": "scratchpad", "analysis": "analysis",
	"innermonologue": "monologue", "internalmonologue": "monologue", "monologue": "monologue",
	"deliberation": "deliberation", "brainstorm": "brainstorm", "brainstorming": "brainstorm", "draft": "draft",
}

// showing holds the names of tags around examples and quotations, without _ and -.
var showing = map[string]string{
	"example": "example", "examples": "example", "exampledelta": "example", "deltaexample": "example", "exampleoutput": "example",
	"sample": "sample", "samples": "sample", "template": "template", "format": "format",
	"quote": "quote", "quoted": "quote", "quotation": "quote", "quotedmessage": "quote", "blockquote": "blockquote", "kickoff": "kickoff",
	"originalmessage": "message", "previousmessage": "message", "rejected": "rejected", "discarded": "discarded",
	"del": "del", "s": "s", "strike": "strike",
}

const (
	maxTagName   = 40
	maxTagLength = 200
)

// readTag reads a tag around reasoning, an example or a quotation at the start of b and returns its length, or 0.
func readTag(b []byte) (tag, int) {
	switch {
	case len(b) < 4 || b[1] == '"' || b[1] == ' ' && b[0] == '[':
	case b[0] == '[':
		return bracketTag(b)
	case bytes.HasPrefix(b, []byte("<|")), bytes.HasPrefix(b, []byte(wideOpen)):
		return pipeTag(b)
	case b[0] == '<':
		return angleTag(b)
	case b[0] == '#':
		return roleTag(b, "### ", ":")
	case bytes.HasPrefix(b, []byte("◁")):
		if bytes.HasPrefix(b, []byte("◁think▷")) {
			return tag{tagOpen, "think"}, len("◁think▷")
		}
		if bytes.HasPrefix(b, []byte("◁/think▷")) {
			return tag{tagClose, "think"}, len("◁/think▷")
		}
	}
	return tag{}, 0
}

// BeginsTag reports whether a text begins with a tag around reasoning, an example or a quotation, or with
// the words in place of one.
func BeginsTag(text []byte) bool {
	_, n := readTag(text)
	return n > 0 || bytes.HasPrefix(text, []byte(gluedFinal))
}

// named returns the tag with the family of a name, or none.
func (t tag) named(name []byte) tag {
	if i := bytes.LastIndexByte(name, ':'); i >= 0 {
		name = name[i+1:] // <seed:think>
	}
	if len(name) == 0 || isDigit(name[0]) {
		return tag{}
	}
	key := make([]byte, 0, maxTagName)
	for _, c := range name {
		if c != '_' && c != '-' {
			key = append(key, c|0x20)
		}
	}
	if t.family = families[string(key)]; t.family != "" {
		return t
	}
	if t.family = showing[string(key)]; t.family == "" {
		return tag{}
	}
	t.kind += tagShow - tagOpen
	return t
}

// nameLength returns the length of the name of a tag at the start of b.
func nameLength(b []byte) int {
	n := 0
	for n < len(b) && n <= maxTagName && (isLetter(b[n]) || isDigit(b[n]) || b[n] == '_' || b[n] == '-' || b[n] == ':') {
		n++
	}
	return n
}

// angleTag reads <think>, </think> and <think attributes>.
func angleTag(b []byte) (tag, int) {
	at, t := 1, tag{kind: tagOpen}
	at += run(b[at:], ' ')
	if at < len(b) && b[at] == '/' {
		t.kind = tagClose
		at++
		at += run(b[at:], ' ')
	}
	n := nameLength(b[at:])
	if n == 0 || n > maxTagName {
		return tag{}, 0
	}
	if bytes.HasPrefix(b, []byte("<channel|>")) {
		return tag{tagEnd, channel}, len("<channel|>")
	}
	rest := b[at+n : min(len(b), at+n+maxTagLength)]
	if string(b[at:at+n]) == "start_of_turn" {
		return roleTag(b, "<start_of_turn>", "")
	}
	if t = t.inAngles(b[at:at+n], rest); t.kind == tagNone {
		return tag{}, 0
	}
	at += n
	if t.kind == tagClose && (len(rest) == 0 || rest[0] == '\n') {
		return t, at // its last mark is missing
	}
	end := bytes.IndexAny(rest, "<>\n")
	if end < 0 || rest[end] != '>' || end > 0 && (rest[0] != ' ' && rest[0] != '\t' || rest[end-1] == '/') {
		return tag{}, 0
	}
	if t.kind == tagOpen && len(bytes.TrimSpace(rest[:end])) > 0 && bytes.IndexByte(rest[:end], '=') < 0 {
		return tag{}, 0 // <thinking hard about it>
	}
	return t, at + end + 1
}

// inAngles returns the tag with the family of a name, or none. rest follows the name.
func (t tag) inAngles(name, rest []byte) tag {
	switch text := string(name); {
	case text == "unused94":
		return tag{tagOpen, "unused"}
	case text == "unused95":
		return tag{tagClose, "unused"}
	case !strings.EqualFold(text, "details"):
		return t.named(name)
	case t.kind == tagClose:
		return tag{tagEnd, "details"}
	case bytes.HasPrefix(rest, []byte(">")), bytes.HasPrefix(rest, []byte(` type="reasoning"`)):
		return tag{tagOpen, "details"}
	}
	return tag{}
}

// bracketTag reads [THINK], [/THINK], [quote] and [quote=name], but not links and other words in
// brackets.
func bracketTag(b []byte) (tag, int) {
	at, t := 1, tag{kind: tagOpen}
	if b[at] == '/' {
		t.kind = tagClose
		at++
	}
	n := nameLength(b[at:])
	if n == 0 || n > maxTagName {
		return tag{}, 0
	}
	name := b[at : at+n]
	if string(name) == "INST" && at+n < len(b) && b[at+n] == ']' {
		return tag{t.kind + tagShow - tagOpen, turn}, at + n + 1
	}
	t = t.named(name)
	at += n
	if rest := b[at:min(len(b), at+maxTagLength)]; t.kind == tagShow && len(rest) > 0 && rest[0] == '=' {
		at += max(0, bytes.IndexAny(rest, "]\n"))
	}
	if at >= len(b) || b[at] != ']' || t.kind == tagNone {
		return tag{}, 0
	}
	at++
	if at < len(b) && (b[at] == '(' || b[at] == '[' || b[at] == ':') {
		return tag{}, 0
	}
	return t, at
}

// pipeTag reads <|channel|>analysis<|message|>, <|begin_of_thought|> and the like.
func pipeTag(b []byte) (tag, int) {
	name, at := pipeWord(b)
	switch name {
	case "":
		return tag{}, 0
	case channel:
		return channelTag(b, at)
	case "end", "return", "call":
		return tag{tagEnd, channel}, at
	case "inner_prefix":
		return tag{tagOpen, "think"}, at
	case "inner_suffix":
		return tag{tagClose, "think"}, at
	case "im_start", "start_header_id", "start", "role_start":
		return turnTag(b, at)
	case "user", "human", "system", "assistant", "model":
		return speaker(name), at
	}
	kind, key := pipeKind(name)
	if families[key] == "" {
		return tag{}, 0
	}
	return tag{kind, families[key]}, at
}

// turnTag reads what follows <|im_start|>: who speaks, or a name in its place, such as think and answer.
func turnTag(b []byte, at int) (tag, int) {
	end := at + nameLength(b[at:])
	switch strings.ToLower(string(b[at:end])) {
	case "think", "thinking", "thought", "analysis", "reasoning":
		return tag{tagOpen, channel}, end
	case "answer", "final":
		return tag{tagFinal, channel}, end
	}
	return roleTag(b, string(b[:at]), "")
}

// pipeKind returns whether the name of a tag opens or closes, and what.
func pipeKind(name string) (tagKind, string) {
	name = strings.ReplaceAll(name, "_", "")
	for _, p := range []struct {
		prefix string
		kind   tagKind
	}{{"/", tagClose}, {"endof", tagClose}, {"end", tagClose}, {"beginof", tagOpen}, {"startof", tagOpen}, {"begin", tagOpen}, {"start", tagOpen}} {
		if rest, ok := strings.CutPrefix(name, p.prefix); ok && rest != "" {
			return p.kind, rest
		}
	}
	return tagOpen, name
}

// roleTag reads the name of who speaks behind a prefix: others, or the assistant.
func roleTag(b []byte, prefix, suffix string) (tag, int) {
	if !bytes.HasPrefix(b, []byte(prefix)) {
		return tag{}, 0
	}
	at := len(prefix)
	n := nameLength(b[at:])
	name := strings.TrimSuffix(string(b[at:at+n]), ":")
	at += len(name)
	if !bytes.HasPrefix(b[at:], []byte(suffix)) {
		return tag{}, 0
	}
	at += len(suffix)
	if t := speaker(strings.ToLower(name)); t.kind != tagNone {
		return t, at
	}
	return tag{}, 0
}

// speaker returns the tag of a turn of others, or of the assistant.
func speaker(name string) tag {
	switch name {
	case "user", "human", "system", "developer", "tool", "ipython", "function", "instruction":
		return tag{tagShow, turn}
	case "assistant", "model", "response":
		return tag{tagShown, turn}
	}
	return tag{}
}

// wideOpen begins tags such as <｜User｜>.
const wideOpen = "<｜"

// pipeWord reads <|word|>, <|word> or <｜word｜> and returns the word in lower case, and where the tag ends.
func pipeWord(b []byte) (string, int) {
	end := bytes.IndexByte(b[:min(len(b), maxTagName)], '>')
	if end < 0 {
		return "", 0
	}
	word, ok := bytes.CutPrefix(b[:end], []byte("<|"))
	if !ok {
		if word, ok = bytes.CutPrefix(b[:end], []byte(wideOpen)); !ok {
			return "", 0
		}
		word = bytes.ReplaceAll(bytes.TrimSuffix(word, []byte("｜")), []byte("▁"), []byte("_"))
	}
	name := strings.ToLower(string(bytes.TrimSuffix(word, []byte("|"))))
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_/") != "" {
		return "", 0
	}
	return name, end + 1
}

// channelTag reads what follows <|channel|>: the name of the channel, and perhaps <|message|>.
func channelTag(b []byte, at int) (tag, int) {
	from := at + run(b[at:], ' ')
	at = from + nameLength(b[from:])
	kind := tagOpen // all but the last one: analysis, commentary, thought
	if strings.EqualFold(string(b[from:at]), "final") {
		kind = tagFinal
	}
	head := b[at:min(len(b), at+maxTagLength)]
	if i := bytes.IndexByte(head, '\n'); i >= 0 {
		head = head[:i]
	}
	if i := bytes.Index(head, []byte("<|message|>")); i >= 0 {
		at += i + len("<|message|>")
		if kind == tagOpen && bytes.Contains(head[:i], []byte("to=")) {
			return tag{tagEnd, call}, at
		}
	}
	return tag{kind, channel}, at
}
