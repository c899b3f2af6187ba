package prompts_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
	"brenner/prompts"
	"brenner/roster"
)

// shownTo returns the rights of a role, and a random part of an artifact that it was shown.
func shownTo(t *rapid.T, base artifact.Artifact, brief bool) (prompts.Rights, prompts.Shown, merge.Rules) {
	role := rapid.SampledFrom(roster.AllRoles()).Draw(t, "role")
	rules := merge.Rules{Scopes: merge.DefaultScopes(), Unified: rapid.Bool().Draw(t, "unified")}
	rules.Scopes.Strict = rapid.Bool().Draw(t, "strict")
	rights := prompts.Rights{Role: string(role), Scopes: rules.Scopes, Unified: rules.Unified}
	for _, r := range roster.AllRoles() {
		rules.Agents = append(rules.Agents, roster.Entry{Agent: string(r), Role: r})
		rights.Roles = append(rights.Roles, string(r))
	}
	shown := prompts.Shown{Agent: string(role), Artifact: &base, MaxReply: rapid.IntRange(0, 20_000).Draw(t, "tokens"), Brief: brief}
	for _, s := range artifact.Sections() {
		for _, it := range base.Sections[s] {
			if rapid.Bool().Draw(t, "shown "+it.ID) {
				shown.Items = append(shown.Items, it.ID)
			}
		}
	}
	return rights, shown, rules
}

// Whatever a schema allows is read without a repair and merged without a refusal: it names items that exist, in the
// scope of the role, with all required fields.
func TestLawAnswersAreTaken(t *testing.T) {
	onto := base(t)
	seen := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		rights, shown, rules := shownTo(t, onto, true)
		schema := rights.Answer(shown)
		if schema == nil {
			return
		}
		reply := sample(t, parsed(t, schema)).(map[string]any)
		validate(t, schema, reply)
		for _, d := range reply["deltas"].([]any) {
			text, err := json.Marshal(withoutNulls(d))
			if err != nil {
				t.Fatal(err)
			}
			read := delta.Read([]byte("```delta\n"+string(text)+"\n```\n"), delta.Options{Strict: true})
			if len(read.Blocks) != 1 || !read.Blocks[0].OK || len(read.Blocks[0].Problems) > 0 {
				t.Fatalf("not taken: %s\n%+v", text, read.Problems)
			}
			batch := read.Stamped(delta.Envelope{Agent: shown.Agent, At: time.Date(2026, 1, 10, 9, 0, 0, 0, time.UTC), MessageID: "m", Message: 1, Shown: onto.Metadata.Version})
			_, report := merge.Merge(*shown.Artifact, batch, rules)
			if slices.ContainsFunc(report.Warnings, func(w merge.Warning) bool { return w.Code == merge.UnresolvedRef }) {
				t.Fatalf("%v\n%s", report.Warnings, text)
			}
			for _, row := range report.Deltas {
				seen[read.Blocks[0].Delta.Operation] = true
				if row.Disposition != merge.Applied || slices.ContainsFunc(row.Fields, func(f merge.FieldOutcome) bool { return f.Outcome == merge.FieldRefused }) || row.Code != "" {
					t.Fatalf("%s: %s %s: %s\n%s", row.Disposition, row.Code, row.TargetID, row.Message, text)
				}
			}
		}
	})
	for _, operation := range []string{delta.Add, delta.Edit, delta.Kill} {
		if !seen[operation] {
			t.Errorf("no %s was tried", operation)
		}
	}
}

// Of what full replies may say, only a reference to a new item that the reply does not have can go wrong.
func TestLawFullAnswersAreRead(t *testing.T) {
	onto := base(t)
	rapid.Check(t, func(t *rapid.T) {
		rights, shown, _ := shownTo(t, onto, false)
		if schema := rights.Answer(shown); schema != nil {
			validate(t, schema, sample(t, parsed(t, schema)))
		}
	})
}

// servers are the rules of the servers that read a schema, as they document them.
var servers = map[string]struct {
	keywords      []string // that count; others are refused or ignored
	properties    int      // at most, in all
	depth         int      // of objects
	words         int      // of all enums
	rawClasses    bool     // a pattern is matched with the JSON of a text, so a class must leave out its marks
	allRequired   bool
	notInPatterns *regexp.Regexp
}{
	"OpenAI, strict": {
		keywords: []string{"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "pattern", "minItems", "maxItems"}, properties: 5000, depth: 5, words: 1000,
		allRequired: true, notInPatterns: regexp.MustCompile(`\(\?`),
	},
	"llama.cpp, Ollama": {
		keywords:   []string{"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "pattern", "minItems", "maxItems", "minLength", "maxLength", "const"},
		properties: 5000, depth: 64, words: 100_000, rawClasses: true, notInPatterns: regexp.MustCompile(`\\[sdwSDWb]|\(\?`),
	},
	"vLLM with xgrammar": {
		keywords:   []string{"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "pattern", "minItems", "maxItems", "const"},
		properties: 5000, depth: 64, words: 100_000, rawClasses: true, notInPatterns: regexp.MustCompile(`\(\?`),
	},
}

func TestAnswerKeepsTheRulesOfEveryServer(t *testing.T) {
	onto := base(t)
	rapid.Check(t, func(t *rapid.T) {
		rights, shown, _ := shownTo(t, onto, rapid.Bool().Draw(t, "brief"))
		schema := rights.Answer(shown)
		if schema == nil {
			return
		}
		root := parsed(t, schema)
		for name, server := range servers {
			properties, words := 0, 0
			var walk func(node map[string]any, depth int)
			walk = func(node map[string]any, depth int) {
				for keyword := range node {
					if !slices.Contains(server.keywords, keyword) {
						t.Fatalf("%s: %s", name, keyword)
					}
				}
				if pattern, _ := node["pattern"].(string); server.notInPatterns.MatchString(pattern) ||
					server.rawClasses && strings.Contains(pattern, "[^") && strings.Count(pattern, "[^") != strings.Count(pattern, `"\\\x00-\x1F`) {
					t.Fatalf("%s: %s", name, pattern)
				}
				enum, _ := node["enum"].([]any)
				words += len(enum)
				if node["type"] == "object" {
					depth++
					all := node["properties"].(map[string]any)
					properties += len(all)
					if required := node["required"].([]any); server.allRequired && (len(required) != len(all) || node["additionalProperties"] != false) {
						t.Fatalf("%s: required %v of %v", name, required, slices.Collect(maps.Keys(all)))
					}
					for _, value := range all {
						walk(value.(map[string]any), depth)
					}
				}
				if items, ok := node["items"].(map[string]any); ok {
					if _, bounded := node["maxItems"]; !bounded {
						t.Fatal("a list without an end")
					}
					walk(items, depth)
				}
				variants, _ := node["anyOf"].([]any)
				for _, v := range variants {
					walk(v.(map[string]any), depth)
				}
				if node["type"] == "string" && node["pattern"] == nil && node["enum"] == nil {
					t.Fatal("a text without an end")
				}
				if depth > server.depth {
					t.Fatalf("%s: %d objects in each other", name, depth)
				}
			}
			walk(root, 0)
			if root["type"] != "object" || properties > server.properties || words > server.words {
				t.Fatalf("%s: a %v with %d properties and %d words", name, root["type"], properties, words)
			}
		}
	})
}

// The order of a schema is the order in which models write.
func TestAnswerBeginsWithProse(t *testing.T) {
	onto := base(t)
	rights := prompts.Rights{Role: "hypothesis_generator", Scopes: merge.DefaultScopes()}
	schema := string(rights.Answer(prompts.Shown{Agent: "BlueLake", Artifact: &onto}))
	for _, pair := range [][2]string{{`"prose"`, `"deltas"`}, {`"operation"`, `"section"`}, {`"section"`, `"payload"`}, {`"name"`, `"claim"`}, {`"claim"`, `"mechanism"`}} {
		if a, b := strings.Index(schema, pair[0]), strings.Index(schema, pair[1]); a < 0 || b < a {
			t.Errorf("%s is not before %s", pair[0], pair[1])
		}
	}
	if strings.Contains(schema, `"EDIT"`) || strings.Contains(schema, `"KILL"`) {
		t.Error("nothing was shown that could be changed")
	}
}

// The longest reply that a schema allows fits into its tokens, even if a small model fills every text.
func TestAnswerFitsItsTokens(t *testing.T) {
	onto := base(t)
	shown := prompts.Shown{Agent: "test_designer", Artifact: &onto, Brief: true}
	for _, s := range artifact.Sections() {
		for _, it := range onto.Sections[s] {
			shown.Items = append(shown.Items, it.ID)
		}
	}
	for _, role := range roster.AllRoles() {
		rights := prompts.Rights{Role: string(role), Scopes: merge.DefaultScopes()}
		last := 0
		for _, shown.MaxReply = range []int{512, 1024, 4096, 20_000} {
			text, err := json.Marshal(longest(parsed(t, rights.Answer(shown))))
			if err != nil {
				t.Fatal(err)
			}
			const characters = 2 // of a token
			if n := len(text); n < last || n > characters*shown.MaxReply {
				t.Errorf("%s, %d tokens: %d characters, %d before", role, shown.MaxReply, n, last)
			}
			last = len(text)
		}
	}
}

// longest returns the longest value that a schema allows.
func longest(node map[string]any) any {
	if variants, ok := node["anyOf"].([]any); ok {
		return longestOf(variants, func(v any) any { return longest(v.(map[string]any)) })
	}
	if words, ok := node["enum"].([]any); ok {
		return longestOf(words, func(v any) any { return v })
	}
	switch node["type"] {
	case "object":
		value := map[string]any{}
		for name, p := range node["properties"].(map[string]any) {
			value[name] = longest(p.(map[string]any))
		}
		return value
	case "array":
		return slices.Repeat([]any{longest(node["items"].(map[string]any))}, int(node["maxItems"].(float64)))
	case "boolean":
		return false
	case "null":
		return nil
	}
	n, pattern := 0, node["pattern"].(string)
	if at := strings.LastIndex(pattern, "{0,"); at < 0 {
		return "EV-001#E10 [inference]"
	} else if _, err := fmt.Sscanf(pattern[at:], "{0,%d}", &n); err != nil {
		return nil
	}
	return strings.Repeat("x", n+1)
}

func longestOf(all []any, value func(any) any) (found any) {
	most := -1
	for _, v := range all {
		text, err := json.Marshal(value(v))
		if err == nil && len(text) > most {
			found, most = value(v), len(text)
		}
	}
	return found
}

type fataler interface{ Fatal(...any) }

func parsed(t fataler, schema []byte) (node map[string]any) {
	if err := json.Unmarshal(schema, &node); err != nil {
		t.Fatal(err)
	}
	return node
}

func validate(t *rapid.T, schema []byte, value any) {
	read, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("answer.json", read); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("answer.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(value); err != nil {
		t.Fatal(err)
	}
}

// sample returns a value that a schema allows.
func sample(t *rapid.T, node map[string]any) any {
	if variants, ok := node["anyOf"].([]any); ok {
		return sample(t, rapid.SampledFrom(variants).Draw(t, "variant").(map[string]any))
	}
	if words, ok := node["enum"].([]any); ok {
		return rapid.SampledFrom(words).Draw(t, "word")
	}
	switch node["type"] {
	case "object":
		value := map[string]any{}
		properties := node["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			value[name] = sample(t, properties[name].(map[string]any))
		}
		return value
	case "array":
		least, _ := node["minItems"].(float64)
		list := []any{}
		for range rapid.IntRange(int(least), int(node["maxItems"].(float64))).Draw(t, "length") {
			list = append(list, sample(t, node["items"].(map[string]any)))
		}
		return list
	case "boolean":
		return rapid.Bool().Draw(t, "flag")
	case "null":
		return nil
	}
	// Short texts are enough.
	return rapid.StringMatching(regexp.MustCompile(`\{0,\d{2,}\}`).ReplaceAllString(node["pattern"].(string), "{0,12}")).Draw(t, "text")
}

func withoutNulls(value any) any {
	if fields, ok := value.(map[string]any); ok {
		kept := map[string]any{}
		for name, v := range fields {
			if v != nil {
				kept[name] = withoutNulls(v)
			}
		}
		return kept
	}
	return value
}
