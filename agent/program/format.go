package program

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"brenner/agent"
)

// format describes the output of a program as one JSON object per line. Each rule consists of
// conditions and of paths into the object: "type=text part.text".
type format struct {
	plain   bool   // standard output is the reply; only errors are objects
	text    string // text of the reply
	whole   bool   // it is the whole reply, not a further piece
	tool    string // a tool is called: text before it is not part of the reply
	done    string // the reply is complete
	trouble string // an error, which may be recovered from
	cut     string // the connection to the model was lost: the reply is incomplete, also if the program continues
	limit   string // the reply reached the limit of the model's output
	usage   string // a count of tokens, to be added up
	inputs  []string
	outputs []string
}

// reachedLimit is the message about a reply that reached the limit of the model's output.
const reachedLimit = "output limit reached"

func (f *format) read(out, errs []byte) output {
	var s output
	var cut bool
	var text strings.Builder
	for _, e := range append(objects(out), objects(errs)...) {
		if _, ok := match(f.tool, e); ok {
			text.Reset()
			s.final = false
		}
		if found, ok := match(f.text, e); ok {
			if f.whole {
				text.Reset()
			}
			text.WriteString(strings.Join(found, ""))
		}
		if _, ok := match(f.done, e); ok {
			s.final, s.trouble = true, ""
		}
		if found, ok := match(f.trouble, e); ok {
			s.final, s.trouble = false, strings.Join(found, ": ")
		}
		if _, ok := match(f.limit, e); ok {
			s.final, s.trouble = false, reachedLimit
		}
		if _, ok := match(f.cut, e); ok {
			cut = true
		}
		if _, ok := match(f.usage, e); ok {
			s.usage = f.count(e, s.usage)
		}
	}
	if cut {
		s.final, s.trouble = false, "stream ended without a finish reason"
	}
	s.text = text.String()
	if f.plain {
		s = output{text: plainText(out), final: s.trouble == "", trouble: s.trouble}
	}
	return s
}

// plainText returns text without the line end that a program adds.
func plainText(out []byte) string {
	return strings.TrimSuffix(strings.ToValidUTF8(string(out), "\uFFFD"), "\n")
}

// turn reports whether a line is another turn with a tool.
func (f *format) turn(line []byte) bool {
	for _, e := range objects(line) {
		if _, ok := match(f.tool, e); ok {
			return true
		}
	}
	return false
}

// count adds the usage in an object. An implausible number makes the result nil.
func (f *format) count(e any, sum *agent.Usage) *agent.Usage {
	var u agent.Usage
	for i, path := range append(append([]string(nil), f.inputs...), f.outputs...) {
		for _, n := range pick(e, strings.Split(path, ".")) {
			tokens, ok := agent.ParseTokens([]byte(n))
			switch {
			case !ok:
				return nil
			case i < len(f.inputs):
				u = u.Plus(agent.Usage{Input: tokens})
			default:
				u = u.Plus(agent.Usage{Output: tokens})
			}
		}
	}
	if sum != nil {
		u = u.Plus(*sum)
	}
	return &u
}

// objects parses lines with JSON objects, keeping numbers as written.
func objects(out []byte) []any {
	var all []any
	for line := range bytes.Lines(out) {
		var e any
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) && d.Decode(&e) == nil {
			all = append(all, e)
		}
	}
	return all
}

// match applies a rule to an object. It returns the values at the rule's paths if the conditions hold.
func match(rule string, e any) (found []string, ok bool) {
	for part := range strings.FieldsSeq(rule) {
		path, want, condition := strings.Cut(part, "=")
		values := pick(e, strings.Split(path, "."))
		if condition && (len(values) != 1 || values[0] != want) {
			return nil, false
		}
		if !condition {
			found = append(found, values...)
		}
	}
	return found, rule != ""
}

// pick returns the strings and numbers at a path; "*" stands for all elements of a list.
func pick(e any, path []string) []string {
	if len(path) == 0 {
		switch e := e.(type) {
		case string:
			return []string{e}
		case json.Number:
			return []string{e.String()}
		}
		return nil
	}
	switch e := e.(type) {
	case map[string]any:
		return pick(e[path[0]], path[1:])
	case []any:
		var all []string
		for _, item := range e {
			if path[0] == "*" {
				all = append(all, pick(item, path[1:])...)
			}
		}
		return all
	}
	return nil
}

// readLLM takes standard output as the reply, and the usage from standard error, which ends a
// complete reply.
func readLLM(out, errs []byte) output {
	return output{text: plainText(out), final: bytes.Contains(errs, []byte("Token usage:")), usage: writtenUsage(string(errs), `Token usage: ([0-9,]+) input, ([0-9,]+) output`)}
}

// readAider takes what is between aider's header and its count of tokens. Without the count, it
// is an error message.
func readAider(out, _ []byte) output {
	text := plainText(out)
	if at := regexp.MustCompile(`(?m)^Repo-map: .*\n\n?`).FindStringIndex(text); at != nil {
		text = text[at[1]:]
	}
	text = regexp.MustCompile(`\A(?s:litellm\..*?\nRetrying in [0-9.]+ seconds\.\.\.\n)+\n*`).ReplaceAllString(text, "") // of earlier attempts
	if at := regexp.MustCompile(`(?m)^Model .* has hit a token limit!$`).FindStringIndex(text); at != nil {
		return output{text: strings.TrimSpace(text[:at[0]]), trouble: text[at[0]:at[1]]}
	}
	counts := regexp.MustCompile(`(?m)^Tokens: .* sent, .* received\..*$`).FindAllStringIndex(text, -1)
	if len(counts) == 0 {
		return output{trouble: strings.Join(strings.Fields(text), " ")}
	}
	end := counts[len(counts)-1][0]
	s := output{text: strings.TrimSuffix(strings.TrimSuffix(text[:end], "\n"), "\n"), final: true}
	if s.usage = writtenUsage(text[end:], `Tokens: ([0-9.,]+k?) sent, (?:.* cache [a-z]+, )*([0-9.,]+k?) received`); s.usage != nil {
		s.usage.Guessed = strings.Contains(text[end:], "k ") // rounded
	}
	return s
}

// writtenUsage finds the numbers of tokens, input first, in a sentence.
func writtenUsage(text, sentence string) *agent.Usage {
	found := regexp.MustCompile(sentence).FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	var n [2]int
	for i := range n {
		digits, thousands := strings.CutSuffix(strings.ReplaceAll(found[i+1], ",", ""), "k")
		if thousands {
			digits += "e3"
		}
		var ok bool
		if n[i], ok = agent.ParseTokens([]byte(digits)); !ok {
			return nil
		}
	}
	return &agent.Usage{Input: n[0], Output: n[1]}
}
