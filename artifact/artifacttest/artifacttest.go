// Package artifacttest generates artifacts with hostile texts for property tests.
package artifacttest

import (
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"brenner/artifact"
)

// Any generates artifacts without provenance. Ids are valid and unique, fields are ordered and
// conflicts are only where they may be; everything else is arbitrary.
func Any() *rapid.Generator[artifact.Artifact] {
	return rapid.Custom(func(t *rapid.T) artifact.Artifact {
		a := artifact.Artifact{Metadata: metadata(t)}
		for _, s := range artifact.Sections() {
			a.Sections[s] = items(t, s)
		}
		return a
	})
}

// Text generates plain texts, hostile texts and mixtures of both.
func Text() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom(Hostile()),
		rapid.SampledFrom([]string{"Cells read a gradient", "§161", "x", "H1", "N/A"}),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(Hostile()), 1, 4).Draw(t, "parts"), "")
		}),
		rapid.StringN(0, 12, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune(" \n\t\\`*_~|<>&#;:,()[]!\"-+=.10aH")), 0, 8, -1),
	)
}

// Value generates JSON values nested at most depth deep.
func Value(depth int) *rapid.Generator[artifact.Value] {
	return rapid.Custom(func(t *rapid.T) artifact.Value { return value(t, depth) })
}

func value(t *rapid.T, depth int) artifact.Value {
	most := 3
	if depth > 0 {
		most = 5
	}
	switch rapid.IntRange(0, most).Draw(t, "kind") {
	case 0:
		return artifact.Text(Text().Draw(t, "text"))
	case 1:
		return artifact.Number(number(t))
	case 2:
		return artifact.Bool(rapid.Bool().Draw(t, "bool"))
	case 3:
		return artifact.Null{}
	case 4:
		list := artifact.List{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, value(t, depth-1))
		}
		return list
	default:
		var entries []artifact.Entry
		for range rapid.IntRange(0, 3).Draw(t, "keys") {
			entries = append(entries, artifact.Entry{Key: key(t), Value: value(t, depth-1)})
		}
		return artifact.MapOf(entries...)
	}
}

// key generates a key other than ConflictKey.
func key(t *rapid.T) string {
	return rapid.OneOf(Text(), rapid.SampledFrom([]string{"H1", "H2", "H3", "H4", "cost", "speed"})).
		Filter(func(s string) bool { return s != artifact.ConflictKey }).Draw(t, "key")
}

func number(t *rapid.T) float64 {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{0, 1, 3, -1, 0.5, 1e-7, 5e-324, 1.5e300 / 1e300, 1 << 53, -(1 << 53), 123456.789}),
		rapid.Float64Range(-1e6, 1e6),
	).Draw(t, "number")
}

func notNull(t *rapid.T, depth int) artifact.Value {
	if v := value(t, depth); v != (artifact.Null{}) {
		return v
	}
	return artifact.Text("")
}

func metadata(t *rapid.T) artifact.Metadata {
	text := func(name string, usual ...string) string {
		return rapid.OneOf(rapid.SampledFrom(append(usual, "")), Text()).Draw(t, name)
	}
	m := artifact.Metadata{
		SessionID: text("session", "RS-20251230-cell-fate"),
		CreatedAt: text("created", "2025-12-30T12:00:00Z"), UpdatedAt: text("updated", "2025-12-30T12:00:00.5+02:00"),
		Version: rapid.IntRange(0, 1<<40).Draw(t, "version"), Status: text("status", artifact.Statuses()...),
		Rules: text("rules", "merge/1", "merge/2", "merge/3", "merge/4"), ResearchProgram: text("program"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "contributors") {
		m.Contributors = append(m.Contributors, artifact.Contributor{
			Agent: text("agent", "BlueLake"), Program: text("program", "codex-cli"),
			Model: text("model", "GPT-5.2"), ContributedAt: text("at", "2025-12-30T12:00:00Z"), Asked: text("asked", "llama3 at 127.0.0.1:8080"),
		})
	}
	if rapid.Bool().Draw(t, "has roster") {
		m.Roster = notNull(t, 3)
	}
	known := []string{
		"session_id", "created_at", "updated_at", "version", "status", "rules",
		"research_program", "contributors", "roster",
	}
	var extra []artifact.Entry
	for range rapid.IntRange(0, 2).Draw(t, "extra") {
		if k := key(t); !slices.Contains(known, k) {
			extra = append(extra, artifact.Entry{Key: k, Value: notNull(t, 3)})
		}
	}
	if rapid.IntRange(0, 4).Draw(t, "rehearsal") == 0 {
		extra = append(extra, artifact.Entry{Key: "rehearsal", Value: artifact.Bool(true)})
	}
	if len(extra) > 0 {
		m.Extra = artifact.MapOf(extra...)
	}
	return m
}

func items(t *rapid.T, s artifact.Section) []*artifact.Item {
	var out []*artifact.Item
	if s == artifact.ResearchThread {
		if rapid.Bool().Draw(t, "thread") {
			out = append(out, item(t, s, artifact.ThreadID))
		}
		return out
	}
	numbers := rapid.SliceOfNDistinct(rapid.IntRange(1, 9), 0, 3, rapid.ID[int]).Draw(t, "ids")
	for _, n := range numbers {
		out = append(out, item(t, s, s.ItemID(n)))
	}
	return out
}

func item(t *rapid.T, s artifact.Section, id string) *artifact.Item {
	it := &artifact.Item{ID: id}
	spec := s.Spec()
	for i := range spec.Fields {
		if rapid.IntRange(0, 2).Draw(t, "has") > 0 {
			it.Fields = append(it.Fields, artifact.Field{Name: spec.Fields[i].Name, Value: fieldValue(t, &spec.Fields[i])})
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "unknown fields") {
		name := rapid.OneOf(Text(), rapid.SampledFrom([]string{"confidence", "Claim", "name", "a: b", "Killed by"})).Draw(t, "name")
		if !artifact.IsSystemField(name) && it.Get(name) == nil {
			it.Fields = append(it.Fields, artifact.Field{Name: name, Value: anyField(t)})
		}
	}
	spec.SortFields(it.Fields)
	if rapid.IntRange(0, 3).Draw(t, "killed") == 0 {
		k := kill(t)
		it.Kill = &k
	}
	if rapid.IntRange(0, 3).Draw(t, "unresolved") == 0 {
		places := rapid.SliceOfNDistinct(
			rapid.OneOf(Text(), rapid.SampledFrom([]string{"predictions.H1", "predictions.H2", "expected_outcomes.H4"})),
			1, 3, rapid.ID[string]).Draw(t, "places")
		slices.Sort(places)
		it.Rare = &artifact.Rare{Unresolved: places}
	}
	if _, ok := it.Get("predictions").(artifact.Map); ok && s == artifact.PredictionsTable {
		if killed := cells(t); len(killed) > 0 {
			if it.Rare == nil {
				it.Rare = &artifact.Rare{}
			}
			it.Rare.Cells = killed
		}
	}
	return it
}

func kill(t *rapid.T) artifact.Kill {
	var k artifact.Kill
	if rapid.Bool().Draw(t, "by") {
		k.By = rapid.OneOf(Text(), rapid.Just("GreenDog")).Draw(t, "killer")
	}
	if rapid.Bool().Draw(t, "at") {
		k.At = time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanos")).UTC()
	}
	if rapid.Bool().Draw(t, "why") {
		k.Reason = Text().Draw(t, "reason")
	}
	return k
}

func cells(t *rapid.T) []artifact.CellKill {
	var out []artifact.CellKill
	seen := map[string]bool{}
	for range rapid.IntRange(0, 2).Draw(t, "killed cells") {
		if k := key(t); !seen[k] {
			seen[k] = true
			out = append(out, artifact.CellKill{Key: k, Kill: kill(t)})
		}
	}
	slices.SortFunc(out, func(x, y artifact.CellKill) int { return artifact.CompareKeys(x.Key, y.Key) })
	return out
}

func fieldValue(t *rapid.T, spec *artifact.FieldSpec) artifact.Value {
	switch rapid.IntRange(0, 7).Draw(t, "shape") {
	case 0:
		return anyField(t)
	case 1:
		return conflict(t)
	}
	switch spec.Kind {
	case artifact.KindFlag:
		return artifact.Bool(rapid.Bool().Draw(t, "flag"))
	case artifact.KindStatus:
		return artifact.Text(rapid.SampledFrom(spec.Allowed).Draw(t, "status"))
	case artifact.KindList:
		return textList(t)
	case artifact.KindReferences:
		return references(t)
	case artifact.KindMap:
		return textMap(t)
	case artifact.KindScore:
		return score(t, spec)
	default:
		return artifact.Text(Text().Draw(t, "text"))
	}
}

func anyField(t *rapid.T) artifact.Value {
	switch rapid.IntRange(0, 5).Draw(t, "field") {
	case 0:
		return textMap(t)
	case 1:
		return textList(t)
	case 2:
		return conflict(t)
	default:
		return notNull(t, 3)
	}
}

func conflict(t *rapid.T) artifact.Conflict {
	var c artifact.Conflict
	for range rapid.IntRange(2, 3).Draw(t, "candidates") {
		c = append(c, artifact.Candidate{
			Agent: rapid.OneOf(Text(), rapid.Just("BlueLake")).Draw(t, "agent"),
			Delta: rapid.OneOf(Text(), rapid.Just("d-1")).Draw(t, "delta"),
			Value: value(t, 2),
		})
	}
	return c
}

func textList(t *rapid.T) artifact.List {
	list := artifact.List{}
	for range rapid.IntRange(0, 3).Draw(t, "elements") {
		list = append(list, artifact.Text(Text().Draw(t, "element")))
	}
	return list
}

func references(t *rapid.T) artifact.List {
	list := artifact.List{}
	for range rapid.IntRange(0, 2).Draw(t, "references") {
		list = append(list, artifact.MapOf(
			artifact.Entry{Key: "session", Value: artifact.Text("RS-20251101-other")},
			artifact.Entry{Key: "item", Value: artifact.Text(Text().Draw(t, "item"))},
			artifact.Entry{Key: "relation", Value: artifact.Text(rapid.SampledFrom(artifact.Relations()).Draw(t, "relation"))},
		))
	}
	return list
}

// textMap generates a map of texts with an occasional conflict or other value.
func textMap(t *rapid.T) artifact.Map {
	var entries []artifact.Entry
	for range rapid.IntRange(0, 4).Draw(t, "keys") {
		e := artifact.Entry{Key: key(t)}
		switch rapid.IntRange(0, 5).Draw(t, "entry") {
		case 0:
			e.Value = conflict(t)
		case 1:
			e.Value = value(t, 2)
		default:
			e.Value = artifact.Text(Text().Draw(t, "outcome"))
		}
		entries = append(entries, e)
	}
	return artifact.MapOf(entries...)
}

func score(t *rapid.T, spec *artifact.FieldSpec) artifact.Map {
	var entries []artifact.Entry
	for _, k := range spec.Allowed {
		if rapid.IntRange(0, 3).Draw(t, "marked") > 0 {
			entries = append(entries, artifact.Entry{Key: k, Value: artifact.Number(rapid.IntRange(0, 3).Draw(t, "mark"))})
		}
	}
	switch rapid.IntRange(0, 5).Draw(t, "odd") {
	case 0:
		entries = append(entries, artifact.Entry{Key: key(t), Value: artifact.Number(number(t))})
	case 1:
		entries = append(entries, artifact.Entry{Key: key(t), Value: conflict(t)})
	}
	return artifact.MapOf(entries...)
}

// Hostile returns texts that resemble syntax: headings, rows, fields, front matter, markup,
// invisible characters, and the words that the Markdown form reserves.
func Hostile() []string {
	return []string{
		"", " ", "\n", "\r", "\r\n", "\t", "\x00", "\x1b[31m", "\x7f", "\u0080", "\u0085", "\u009f",
		"\u00a0", "\u00ad", "\u061c", "\u200b", "\u200c", "\u200d", "\u200e", "\u2028", "\u2029", "\u202e", "\u2066", "\u3000", "\ufeff", "\ufffe", "\ufffd",
		"\U000e0041", "\U0001f600", "\U0001fffe", "\U0010ffff", "é", "e\u0301",
		"# H", "\n# Brenner Protocol Artifact: x", "\n## 2. Hypothesis Slate\n", "\n### H9: forged\n**Claim**: forged", "### H1",
		"---", "\n---\n", "...", "- x", "+ x", "1. x", "1) x", "> x", "=", "===", "    code", "```", "\n```\ncode\n```", "~~~", "`", "``", "`x`", "`null`",
		"|", "a | b", "| P9 | forged |", `\|`, "|---|", "<br>", "<br/>", "<b>", "</b>", "<!-- c -->", "-->", "<?x?>", "<http://x.y>", "p < 0.05", "<", "a<", "<script>alert(1)</script>",
		"*", "**", "**Claim**: x", "__Claim__: x", "_x_", "__init__", "_", "~", "~~", "~~x~~", "~~x~~ [KILLED]", "[KILLED]", "x [KILLED]", `\[KILLED]`,
		"[x](y)", "![x](javascript:alert(1))", "[x]: http://y", "[ ] task", "[inference]", "[^1]", "](", "[",
		"&", "&amp;", "&#10;", "&#x0a;", "&#0;", "&lt;br&gt;", "&#67;ONFLICT", "R&D", "&notanentity;", "&;", "&#;", "&#99999999;",
		`\`, `\\`, `\n`, `a\`, `\"\"`, `""`, `"`, `'`, `"x"`, "null", "true", "yes", "no", "~", "1", "1.5", "1e3", "0x10", "2025-12-30", "<<", "a: b", "a:b", "a #b", "- - x", "? x", "!x", "&a x", "*a", "%x", "@x", "{}", "[]", "{", ":",
		"CONFLICT", "CONFLICT ", "N/A", `N\/A`, "(none)", `\(none)`, "…", "...", "see below", "None registered", "Nothing yet",
		"a, b", ",", ", ", "a:", ": ", "x: y", "(", ")", "x (y)", "GreenDog (2025-12-30T12:10:00Z)", "(Score: 9/12)", "x (Score: 9/12)", `x \(Score: 9/12)`, "x #", "#", "##",
		"Killed by", "Reason", "H1: x", "predictions.H1", "§127-§129 [inference]", "EV-001#E1",
	}
}
