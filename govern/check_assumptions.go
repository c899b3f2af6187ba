package govern

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"brenner/artifact"
	"brenner/store/record"
)

// assumed is an assumption as somebody wrote it down.
type assumed struct {
	ref    record.Ref
	module string
	status string
}

// assumptions finds those that stand with different values in different places.
func (c *checking) assumptions(ctx context.Context) error {
	all := make(map[string][]assumed)
	var order []string
	err := c.each(ctx, func(t record.Type) bool { return !t.Raw && t.Name != record.TaskSpec && t.Name != record.Review }, func(r *record.Record) error {
		content, err := c.Content(ctx, r)
		if err != nil {
			return err
		}
		for _, a := range assumptionsIn(r, string(content)) {
			if all[a.text] == nil {
				order = append(order, a.text)
			}
			all[a.text] = append(all[a.text], assumed{r.Ref(), r.Module, a.status})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, text := range order {
		first := all[text][0]
		for _, other := range all[text][1:] {
			if other.status != first.status {
				c.add(first.ref, other.ref, "decide which of the two holds, and put a new version of the other",
					"%s (%s) and %s (%s) disagree", first.module, first.status, other.module, other.status)
				c.quote(text)
			}
		}
	}
	return nil
}

// statement is an assumption with what is said of it.
type statement struct{ text, status string }

// assumptionsIn reads assumptions: lines "Assumes: …" and "Assumes not: …" of any
// record, a record of type assumption with its "Status: …" line, and the ledger of
// a research artifact.
func assumptionsIn(r *record.Record, content string) []statement {
	if r.Type == record.ResearchArtifact {
		return ledgerOf(content)
	}
	var out []statement
	status, main := "", ""
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "-*#> "))
		key, value, ok := strings.Cut(line, ":")
		switch key = strings.ToLower(strings.TrimSpace(key)); {
		case ok && key == "assumes":
			out = append(out, statement{plain(value), "assumed"})
		case ok && key == "assumes not":
			out = append(out, statement{plain(value), "assumed not"})
		case ok && key == "status":
			status = plain(value)
		case main == "" && line != "":
			main = plain(line)
		}
	}
	if r.Type == record.Assumption && status != "" && main != "" {
		out = append(out, statement{main, status})
	}
	return slices.DeleteFunc(out, func(s statement) bool { return s.text == "" })
}

func ledgerOf(content string) []statement {
	a, err := artifact.Parse([]byte(content))
	if err != nil {
		return nil
	}
	var out []statement
	for _, it := range a.Active(artifact.AssumptionLedger) {
		text, status := plain(it.Text(artifact.AssumptionLedger.Spec().Main)), plain(it.Text("status"))
		if text != "" && status != "" {
			out = append(out, statement{text, status})
		}
	}
	return out
}

// plain gives the words of a text alone, in small letters.
func plain(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(words, " ")
}
