package merge_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
	"brenner/roster"
)

// The generators draw from small pools: laws break where deltas share an item, a field, an
// instant or a label.

var (
	agents   = []string{"Amber", "Blue", "Crimson", "Judge"}
	idPool   = []string{"H1", "H2", "H3", "H4", "P1", "P2", "T1", "T2", "A1", "X1", "C1", "RT", "P1.H1", "P1.H2", "new", "H9"}
	labelSet = []string{"H4", "H5", "new", "T9", "P7", "H1", "H2", "T1", "P1.H1", "h1", " H2"}
	words    = []string{"a", "b", "", "H1 vs H2", "H4 vs new", "N/A", "third alternative", "x\ny"}
)

func text() *rapid.Generator[artifact.Value] {
	return rapid.Map(rapid.SampledFrom(words), func(s string) artifact.Value { return artifact.Text(s) })
}

func texts() *rapid.Generator[artifact.Value] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"§1", "§2", "H1", "H4", "new", "Third Alternative"}), 0, 3), func(list []string) artifact.Value {
		out := artifact.List{}
		for _, s := range list {
			out = append(out, artifact.Text(s))
		}
		return out
	})
}

func textMap() *rapid.Generator[artifact.Value] {
	return rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"H1", "H2", "H3", "H4", "H5", "new", "other"}), rapid.SampledFrom(words), 0, 3), func(m map[string]string) artifact.Value {
		var entries []artifact.Entry
		for k, v := range m {
			entries = append(entries, artifact.Entry{Key: k, Value: artifact.Text(v)})
		}
		return artifact.MapOf(entries...)
	})
}

func anyValue() *rapid.Generator[artifact.Value] {
	return rapid.OneOf(
		text(), texts(), textMap(),
		rapid.Map(rapid.Bool(), func(b bool) artifact.Value { return artifact.Bool(b) }),
		rapid.Map(rapid.IntRange(-1, 9), func(n int) artifact.Value { return artifact.Number(n) }),
		rapid.Just[artifact.Value](artifact.Map{{Key: "cost", Value: artifact.Number(2)}, {Key: "speed", Value: artifact.Number(7)}}),
		rapid.Just[artifact.Value](artifact.List{artifact.Null{}, artifact.Number(1.5)}),
	)
}

// fieldValue mostly matches the field, because rejected fields are a simple case.
func fieldValue(t *rapid.T, f artifact.FieldSpec) artifact.Value {
	if rapid.IntRange(0, 9).Draw(t, "misfit") == 0 {
		return anyValue().Draw(t, "any")
	}
	switch f.Kind {
	case artifact.KindText:
		return text().Draw(t, "text")
	case artifact.KindFlag:
		return artifact.Bool(rapid.Bool().Draw(t, "flag"))
	case artifact.KindStatus:
		return artifact.Text(rapid.SampledFrom(f.Allowed).Draw(t, "status"))
	case artifact.KindList:
		return texts().Draw(t, "list")
	case artifact.KindMap:
		return textMap().Draw(t, "map")
	case artifact.KindScore:
		return artifact.Map{{Key: rapid.SampledFrom(f.Allowed).Draw(t, "aspect"), Value: artifact.Number(rapid.IntRange(0, 4).Draw(t, "mark"))}}
	}
	return anyValue().Draw(t, "free")
}

func payload(t *rapid.T, section artifact.Section, op string) delta.Payload {
	var p delta.Payload
	seen := map[string]bool{}
	put := func(name string, v artifact.Value) {
		if !seen[name] {
			seen[name] = true
			p = append(p, delta.Field{Name: name, Value: v})
		}
	}
	if op == delta.Kill {
		if rapid.Bool().Draw(t, "reason") {
			put("reason", artifact.Text(rapid.SampledFrom(words).Draw(t, "why")))
		}
		return p
	}
	for _, f := range section.Spec().Fields {
		if (f.Required && op == delta.Add) || rapid.IntRange(0, 3).Draw(t, "has") == 0 {
			put(f.Name, fieldValue(t, f))
		}
	}
	for _, extra := range rapid.SliceOfN(rapid.SampledFrom([]string{"replace", "anchors_replace", "predictions_replace", "prediction", "note", "id", "killed", "ref"}), 0, 2).Draw(t, "extras") {
		v := anyValue().Draw(t, "extra")
		if extra == "replace" || extra == "anchors_replace" || extra == "predictions_replace" {
			v = artifact.Bool(true)
		}
		put(extra, v)
	}
	return p
}

func anyInstant(t *rapid.T) time.Time {
	return time.Date(2025, 12, 30, 12, rapid.IntRange(0, 3).Draw(t, "minute"), 0, 0, time.UTC)
}

func anyDelta(t *rapid.T) delta.Delta {
	d := delta.Delta{
		ID:        fmt.Sprintf("d%d", rapid.IntRange(0, 40).Draw(t, "id")),
		Agent:     rapid.SampledFrom(agents).Draw(t, "agent"),
		Operation: rapid.SampledFrom([]string{"ADD", "ADD", "EDIT", "EDIT", "EDIT", "KILL", "FROB"}).Draw(t, "op"),
	}
	d.Timestamp = artifact.FormatInstant(anyInstant(t))
	if rapid.IntRange(0, 30).Draw(t, "undated") == 0 {
		d.Timestamp = "noon"
	}
	if rapid.IntRange(0, 10).Draw(t, "nameless") == 0 {
		d.ID = ""
	}
	section := artifact.Section(rapid.IntRange(0, artifact.SectionCount-1).Draw(t, "section"))
	d.Target = rapid.SampledFrom(idPool).Draw(t, "target")
	if s, ok := artifact.SectionOfID(d.Target); ok && d.Operation != delta.Add {
		section = s
	}
	if d.Operation == delta.Add {
		d.Target = ""
		d.Labels = rapid.SliceOfNDistinct(rapid.SampledFrom(labelSet), 0, 2, rapid.ID).Draw(t, "labels")
	}
	d.Section = section.String()
	d.Payload = payload(t, section, d.Operation)
	if rapid.Bool().Draw(t, "reply") {
		d.Place = &delta.Place{
			Message: rapid.IntRange(1, 3).Draw(t, "message"), Block: rapid.IntRange(1, 3).Draw(t, "block"),
			Shown: rapid.IntRange(0, 3).Draw(t, "shown"), Letter: anyLetter(t, agents),
		}
	}
	d.Settle()
	d.Seal()
	return d
}

// anyLetter draws how a message was sent, or nil.
func anyLetter(t *rapid.T, agents []string) *delta.Letter {
	if rapid.IntRange(0, 3).Draw(t, "letter") == 0 {
		return nil
	}
	return &delta.Letter{
		Sent: time.Date(2025, 12, 30, 9, rapid.IntRange(0, 3).Draw(t, "sent"), 0, 0, time.UTC),
		To:   rapid.SliceOfNDistinct(rapid.SampledFrom(agents), 0, 3, rapid.ID).Draw(t, "to"),

		Direct: rapid.Bool().Draw(t, "direct"),
		Before: rapid.SliceOfN(rapid.Custom(anyInstant), 0, 2).Draw(t, "before"),
	}
}

func anyBatch(most int) *rapid.Generator[[]delta.Delta] {
	return rapid.SliceOfN(rapid.Custom(anyDelta), 0, most)
}

func anyRules() *rapid.Generator[merge.Rules] {
	return rapid.Custom(func(t *rapid.T) merge.Rules {
		r := merge.Rules{Authorities: []string{"Judge"}, Version: rapid.SampledFrom(merge.Versions()).Draw(t, "version")}
		r.RejectTaken = rapid.IntRange(0, 5).Draw(t, "reject") == 0
		r.Priority = rapid.SliceOfNDistinct(rapid.SampledFrom(agents), 0, 2, rapid.ID).Draw(t, "priority")
		if rapid.IntRange(0, 2).Draw(t, "roster") == 0 {
			r.Agents = []roster.Entry{
				{Agent: "Amber", Role: "hypothesis_generator", Program: "codex-cli"},
				{Agent: "Blue", Role: "adversarial_critic"},
			}
			r.Scopes = merge.DefaultScopes()
			r.Scopes.Strict = rapid.Bool().Draw(t, "strict")
			r.Unified = rapid.IntRange(0, 3).Draw(t, "unified") == 0
		}
		return r
	})
}

// anyBase draws an artifact made by merges, or one without provenance.
func anyBase() *rapid.Generator[artifact.Artifact] {
	return rapid.Custom(func(t *rapid.T) artifact.Artifact {
		a := artifact.Artifact{Metadata: artifact.Metadata{SessionID: "RS-20251230-law"}}
		for range rapid.IntRange(0, 2).Draw(t, "versions") {
			a, _ = merge.Merge(a, anyBatch(12).Draw(t, "earlier"), anyRules().Draw(t, "rules"))
		}
		if rapid.IntRange(0, 4).Draw(t, "bare") == 0 {
			a = a.WithoutProvenance()
		}
		return a
	})
}
