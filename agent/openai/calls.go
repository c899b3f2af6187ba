package openai

import (
	"bytes"
	"encoding/json"
	"strings"
)

// toolCall is a call of a tool. No request offers tools, but some models answer with calls anyway.
type toolCall struct {
	name      string
	arguments strings.Builder
}

// callPart is a call of a tool, or a part of one in a stream.
type callPart struct {
	Index    *int `json:"index"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// addCalls appends the calls of tools in a message, or in a part of one.
func (a *answer) addCalls(raw json.RawMessage) error {
	if !isSet(raw) {
		return nil
	}
	var parts []callPart
	if decode(raw, &parts) != nil {
		return a.addCall(len(a.calls), "", raw)
	}
	for i := range parts {
		p := &parts[i]
		at := len(a.calls)
		switch {
		case p.Index != nil && *p.Index >= 0 && *p.Index < at:
			at = *p.Index
		case p.Index == nil && p.Function.Name == "" && at > 0:
			at--
		}
		if err := a.addCall(at, p.Function.Name, p.Function.Arguments); err != nil {
			return err
		}
	}
	return nil
}

// addCall appends a part of a call. Its arguments are a text of JSON; some servers send the JSON itself.
func (a *answer) addCall(at int, name string, arguments json.RawMessage) error {
	var piece string
	if isSet(arguments) && json.Unmarshal(arguments, &piece) != nil {
		piece = string(arguments)
	}
	piece, name = a.decodeBytes(piece), a.decodeBytes(name)
	if a.called += len(piece) + len(name); a.text.Len()+a.called > a.limit {
		return errTooLarge
	}
	if at == len(a.calls) {
		a.calls = append(a.calls, &toolCall{})
	}
	a.calls[at].name += name
	a.calls[at].arguments.WriteString(piece)
	a.countTokens(name + piece)
	return nil
}

// callsText returns the calls of tools as text: what is in them is not lost, and their author can be asked for it in the
// form of the answer.
func (a *answer) callsText() string {
	var b strings.Builder
	for _, c := range a.calls {
		var arguments any = c.arguments.String()
		var line bytes.Buffer
		if json.Compact(&line, []byte(c.arguments.String())) == nil {
			arguments = json.RawMessage(line.Bytes())
		}
		data, err := json.Marshal(struct {
			Function  string `json:"function"`
			Arguments any    `json:"arguments"`
		}{c.name, arguments})
		if err == nil { // it is text, or JSON
			b.WriteString("\n\n```tool_call\n" + string(data) + "\n```\n")
		}
	}
	return b.String()
}
