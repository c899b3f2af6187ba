package prompts

import (
	"fmt"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/artifact/lint"
)

// fields lists the fields of the reader's sections from the section table.
func (r *Rights) fields() string {
	var blocks []string
	for _, s := range r.sections() {
		spec := s.Spec()
		var b strings.Builder
		fmt.Fprintf(&b, "`%s`", spec.ID)
		for i := range spec.Fields {
			f := &spec.Fields[i]
			if f.Kind == artifact.KindReferences || f.Name == "anchors" {
				continue // described once for all sections
			}
			fmt.Fprintf(&b, "\n- `%s` (%s): %s", f.Name, describe(f), meaning(s, f.Name))
		}
		blocks = append(blocks, b.String())
	}
	return strings.Join(blocks, "\n\n")
}

// shortFields lists the same fields with a line for each section, without their meanings.
func (r *Rights) shortFields() string {
	var b strings.Builder
	for _, s := range r.sections() {
		spec := s.Spec()
		var names []string
		for i := range spec.Fields {
			if f := &spec.Fields[i]; f.Kind != artifact.KindReferences && f.Name != "anchors" {
				names = append(names, shortField(f))
			}
		}
		fmt.Fprintf(&b, "- `%s`: %s\n", spec.ID, strings.Join(names, ", "))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func shortField(f *artifact.FieldSpec) string {
	kind, required := strings.CutSuffix(strings.ReplaceAll(describe(f), "`", ""), ", required")
	kind, _, _ = strings.Cut(kind, ", at first ")
	name := f.Name
	if required {
		name += "*"
	}
	if f.Kind == artifact.KindText {
		return name
	}
	return name + " (" + kind + ")"
}

func describe(f *artifact.FieldSpec) string {
	kind := "any JSON"
	switch f.Kind {
	case artifact.KindText:
		kind = "text"
	case artifact.KindFlag:
		kind = "true or false"
	case artifact.KindStatus:
		kind = "one of " + code(f.Allowed)
		if f.Default != nil {
			kind += ", at first `" + fmt.Sprint(f.Default) + "`"
		}
	case artifact.KindList:
		kind = "list of texts"
	case artifact.KindMap:
		kind = "object of texts"
	case artifact.KindScore:
		kind = fmt.Sprintf("object of whole numbers from 0 to %d: %s", artifact.ScoreMax, code(f.Allowed))
	}
	if f.Required {
		kind += ", required"
	}
	return kind
}

// FieldKind returns what a field of a section can hold, in plain text: "text, required". It is empty
// for an unknown field.
func FieldKind(section, field string) string {
	s, ok := artifact.ParseSection(section)
	if !ok {
		return ""
	}
	f, ok := s.Spec().Field(field)
	if !ok {
		return ""
	}
	return strings.ReplaceAll(describe(f), "`", "")
}

// FieldForm returns the same as FieldKind, with the form of references.
func FieldForm(section, field string) string {
	s, ok := artifact.ParseSection(section)
	if !ok {
		return ""
	}
	if f, ok := s.Spec().Field(field); ok && f.Kind == artifact.KindReferences {
		return "list of objects with the texts session, item and relation, which is one of " + strings.Join(artifact.Relations(), ", ")
	}
	return FieldKind(section, field)
}

// FieldNames returns the names of a section's fields, or of those that an ADD needs with their kinds.
func FieldNames(section string, required bool) []string {
	s, ok := artifact.ParseSection(section)
	if !ok {
		return nil
	}
	var names []string
	for i := range s.Spec().Fields {
		switch f := &s.Spec().Fields[i]; {
		case !required:
			names = append(names, f.Name)
		case f.Required:
			names = append(names, f.Name+" ("+strings.TrimSuffix(FieldForm(section, f.Name), ", required")+")")
		}
	}
	return names
}

func meaning(s artifact.Section, field string) string {
	for _, m := range meanings[s] {
		if m.field == field {
			return m.text
		}
	}
	return ""
}

// meanings has a line for every field of the section table; a test compares the two.
var meanings = [artifact.SectionCount][]struct{ field, text string }{
	artifact.ResearchThread: {
		{"statement", "the question, in a sentence or two"},
		{"context", "what is known, and what is not"},
		{"why_it_matters", "what the answer decides"},
	},
	artifact.HypothesisSlate: {
		{"name", "three to eight words"},
		{"claim", "one sentence that an observation could prove wrong"},
		{"mechanism", "how the claim would come about, step by step"},
		{"falsification", "the observation that would end it"},
		{"third_alternative", "true if it denies what all the others share"},
		{"labels", "tags of your own"},
	},
	artifact.PredictionsTable: {
		{"condition", "what is done or given"},
		{"predictions", "hypothesis id (or your `ref`) → outcome, one for each active hypothesis; a third alternative may say \"indeterminate\""},
	},
	artifact.DiscriminativeTests: {
		{"name", "three to eight words"},
		{"procedure", "what is done, on how many, by whom, measured how"},
		{"discriminates", "the pairs that it separates: \"H1 vs H2, H1 vs H3\""},
		{"expected_outcomes", "hypothesis id (or your `ref`) → outcome, in words that exclude each other"},
		{"potency_check", "the control that shows that the test could have found it"},
		{"feasibility", "means, time, money"},
		{"score", "more is better in all four"},
		{"status", "only when there is a result"},
		{"last_run", "when and by whom, if it was run"},
		{"actual_outcomes", "hypothesis id → what was found, if it was run"},
	},
	artifact.AssumptionLedger: {
		{"name", "three to eight words"},
		{"statement", "what is taken for granted"},
		{"load", "what falls if it is wrong"},
		{"test", "how it could be checked; a scale check has its calculation instead"},
		{"status", "what is known of it by now"},
		{"scale_check", "true if it is a check of orders of magnitude"},
		{"calculation", "quantities with units, arithmetic, result, factor"},
		{"implication", "what follows from the result"},
	},
	artifact.AnomalyRegister: {
		{"name", "three to eight words"},
		{"observation", "what was seen, with its numbers"},
		{"conflicts_with", "ids (or your `ref`s) of the hypotheses or assumptions that it contradicts"},
		{"status", "resolved only by an observation, never by an argument"},
		{"resolution_plan", "what would show whether it is real"},
	},
	artifact.AdversarialCritique: {
		{"name", "three to eight words"},
		{"attack", "what would make the framing, a hypothesis or a test wrong"},
		{"evidence", "what supports the attack, or what would"},
		{"current_status", "open, answered (by what), or withdrawn"},
		{"real_third_alternative", "true if it proposes a framing under which all hypotheses are wrong"},
		{"proposed_alternative", "what is the case instead"},
	},
}

// rules lists the lint rules of the reader's sections, and the structural ones for authors.
func (r *Rights) rules() string {
	var lines []string
	for _, rule := range r.authorsRules() {
		lines = append(lines, fmt.Sprintf("- %s (%s): %s", rule.ID, rule.Severity, rule.Title))
	}
	return strings.Join(lines, "\n")
}

// errors lists the titles of those rules whose breach makes an artifact invalid.
func (r *Rights) errors() string {
	var lines []string
	for _, rule := range r.authorsRules() {
		if rule.Severity == lint.Error {
			lines = append(lines, "- "+rule.Title)
		}
	}
	return strings.Join(lines, "\n")
}

func (r *Rights) authorsRules() []lint.Rule {
	letters := ""
	for _, s := range r.sections() {
		letters += sectionLetter(s)
	}
	return slices.DeleteFunc(lint.Rules(), func(rule lint.Rule) bool { return !authorsRule(rule.ID, letters) })
}

// sectionLetter returns the letter of a section in the ids of lint rules.
func sectionLetter(s artifact.Section) string { return s.Spec().Prefix[:1] }

// authorsRule reports whether an author can break a rule. The other metadata and structure rules
// concern the form of the file, which the program writes.
func authorsRule(id, letters string) bool {
	switch id {
	case "WS-102", "WS-103", "WS-104", "WS-105": // references, names, reasons of kills, sources
		return true
	case "EX-002": // how an empty register is written
		return false
	}
	return strings.Contains(letters, id[1:2])
}
