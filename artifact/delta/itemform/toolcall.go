package itemform

import (
	"bytes"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/pattern"
)

// The forms of calls whose name is an operation, and what is in them.
var (
	bareCalls   = pattern.New(`"(?:name|tool|tool_name|function|function_name|recipient_name|command)\\?"[ \t]*:[ \t]*\\?"(?:\w+[./:-])*(kill|edit|add|remove|delete|retire|drop|update|revise)\\?"`)
	callID      = pattern.New(`["'](?:target_id|target|id|item|item_id)\\?["'][ \t]*:[ \t]*\\?["']([A-Z]{1,2}\d{1,3})\\?["']`)
	callSection = pattern.New(`["']section\\?["'][ \t]*:[ \t]*\\?["'](\w+)\\?["']`)
	codeCalls   = pattern.New(`(?m)^[ \t>$]*(?:\w+[ \t]*=[ \t]*)?(?:(?:print|await|return)[ (]+)*((?:\w+\.){0,3})(kill|edit|update|remove|delete|retire|drop|revise)(_\w+)?\(([^\n]{0,400})`)
	codeID      = pattern.New(`(?:^[ \t]*|\b(target_id|target|id|item|item_id|\w+_id)[ \t]*=[ \t]*)["']([A-Z]{1,2}\d{1,3})["']`)
)

// inBareCalls returns the changes in calls of tools, in JSON, whose name is an operation. Those at known places are left out.
func inBareCalls(text []byte, known []Attempt) (all []Attempt) {
	const near = 600
	if bytes.IndexByte(text, '{') < 0 || !pattern.HasAny(text, `"arguments`, `"parameters`, `"args`, `"input`, `"params`, `"kwargs`) {
		return nil
	}
	for _, m := range bareCalls.FindAllSubmatchIndex(text, -1) {
		rest := text[m[1]:min(len(text), m[1]+near)]
		if next := bareCalls.FindIndex(rest); next != nil {
			rest = rest[:next[0]]
		}
		a := Attempt{At: m[0], Operation: operationOf(string(text[m[2]:m[3]])), Says: string(rest)}
		s, ok := artifact.Section(0), false
		if id := callID.FindSubmatch(rest); id != nil && a.Operation != add {
			a.ID = string(id[1])
			s, ok = artifact.SectionOfID(a.ID)
		} else if named := callSection.FindSubmatch(rest); named != nil && a.Operation == add {
			s, ok = synonyms.Section(string(named[1]))
		}
		if a.Section = s.String(); ok && !slices.ContainsFunc(known, func(k Attempt) bool { return k.ID == a.ID && k.Operation == a.Operation && a.ID != "" }) {
			all = append(all, a)
		}
	}
	return all
}

// inCodeCalls returns the changes in calls of functions that name their target by a key, or are in another call.
func inCodeCalls(text []byte, known []Attempt) (all []Attempt) {
	if bytes.IndexByte(text, '(') < 0 || !pattern.HasAny(text, "kill", "edit", "update", "remove", "delete", "retire", "drop", "revise") {
		return nil
	}
	for _, m := range codeCalls.FindAllSubmatchIndex(text, -1) {
		id := codeID.FindSubmatch(text[m[8]:m[9]])
		if id == nil {
			continue
		}
		a := Attempt{At: m[4], Operation: operationOf(string(text[m[4]:m[5]])), ID: string(id[2]), Says: string(text[m[8]:m[9]])}
		kind := ""
		if m[6] >= 0 {
			kind = strings.TrimPrefix(string(text[m[6]:m[7]]), "_")
		}
		_, isNamed := synonyms.Section(kind)
		isOwn := a.Operation == kill && string(text[m[4]:m[5]]) == "kill" || string(id[1]) == "target_id" || isNamed && len(kind) > 3 || kind == "item"
		isKnown := slices.ContainsFunc(known, func(k Attempt) bool { return k.ID == a.ID && k.Operation == a.Operation })
		s, ok := artifact.SectionOfID(a.ID)
		if a.Section = s.String(); ok && isOwn && !isKnown {
			all = append(all, a)
		}
	}
	return all
}
