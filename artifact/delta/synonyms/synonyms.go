// Package synonyms has the words that agents use for the names of the delta format: its sections and their fields.
//
// The package is pure.
package synonyms

import (
	"slices"
	"strings"

	"brenner/artifact"
)

// Set is a name of the format with the other words that agents use for it.
type Set struct {
	Word string
	Also []string
}

// sectionWords are the agents' names for the sections, besides ids, titles and prefixes.
var sectionWords = [artifact.SectionCount][]string{
	artifact.ResearchThread:      {"thread", "research_question", "question", "problem", "problem_statement"},
	artifact.HypothesisSlate:     {"hypothesis", "hypotheses", "slate", "hypotheses_slate"},
	artifact.PredictionsTable:    {"prediction", "predictions", "prediction_table"},
	artifact.DiscriminativeTests: {"test", "tests", "discriminative_test", "experiment", "experiments"},
	artifact.AssumptionLedger:    {"assumption", "assumptions", "ledger", "assumptions_ledger"},
	artifact.AnomalyRegister:     {"anomaly", "anomalies", "register", "anomalies_register"},
	artifact.AdversarialCritique: {"critique", "critiques", "criticism", "adversarial_critiques", "attack", "attacks"},
}

// critiqueWords are further names for the critique, which the second reader knows.
var critiqueWords = []string{"objection", "objections", "criticisms", "rebuttal", "rebuttals", "challenge", "challenges", "counterarguments", "red_team"}

// fieldWords are synonyms for the fields of a section. A field of the section itself is never one.
var fieldWords = [artifact.SectionCount][]Set{
	artifact.ResearchThread: {
		{"statement", []string{"question", "research_question", "problem", "problem_statement", "thread", "claim", "description", "text"}},
		{"context", []string{"background"}},
		{"why_it_matters", []string{"significance", "importance", "motivation", "stakes"}},
		{"anchors", anchorWords},
	},
	artifact.HypothesisSlate: {
		{"claim", []string{"statement", "hypothesis", "proposition", "description", "text"}},
		{"name", nameWords},
		{"mechanism", []string{"causal_mechanism", "how_it_works"}},
		{"falsification", []string{"falsifier", "falsified_by", "falsification_criterion", "falsification_criteria", "falsification_condition", "falsifiability", "how_to_falsify"}},
		{"third_alternative", []string{"is_third_alternative", "third_alt"}},
		{"labels", []string{"label", "tags", "tag"}},
		{"anchors", anchorWords},
		{"references", []string{"reference"}},
	},
	artifact.PredictionsTable: {
		{"condition", []string{"scenario", "situation", "setting", "experiment", "test_condition", "statement", "description", "text"}},
		{"predictions", []string{"outcomes", "expected_outcomes", "predicted_outcomes", "by_hypothesis"}},
		{"references", []string{"reference"}},
	},
	artifact.DiscriminativeTests: {
		{"procedure", []string{"experiment", "design", "protocol", "method", "steps", "test", "description", "text"}},
		{"name", nameWords},
		{"discriminates", []string{"discriminates_between", "distinguishes", "hypotheses"}},
		{"expected_outcomes", []string{"outcomes", "outcome", "expected_outcome", "expected_results", "expected", "predictions", "predicted_outcomes"}},
		{"potency_check", []string{"potency", "potency_control", "positive_control"}},
		{"feasibility", []string{"feasability"}},
		{"score", []string{"scores", "scoring"}},
		{"actual_outcomes", []string{"actual_outcome", "results"}},
		{"anchors", anchorWords},
		{"references", []string{"reference"}},
	},
	artifact.AssumptionLedger: {
		{"statement", []string{"assumption", "claim", "description", "text"}},
		{"name", nameWords},
		{"load", []string{"load_bearing", "what_depends_on_it", "depends"}},
		{"test", []string{"how_to_test", "verification"}},
		{"scale_check", []string{"is_scale_check"}},
		{"calculation", []string{"estimate", "scale_calculation", "numbers"}},
		{"implication", []string{"implications", "consequence", "consequences"}},
		{"anchors", anchorWords},
		{"references", []string{"reference"}},
	},
	artifact.AnomalyRegister: {
		{"observation", []string{"anomaly", "finding", "statement", "claim", "description", "text"}},
		{"name", nameWords},
		{"conflicts_with", []string{"conflicts", "contradicts", "conflict"}},
		{"resolution_plan", []string{"resolution", "plan"}},
		{"anchors", anchorWords},
		{"references", []string{"reference"}},
	},
	artifact.AdversarialCritique: {
		{"attack", []string{"critique", "criticism", "objection", "argument", "statement", "claim", "description", "text"}},
		{"name", nameWords},
		{"evidence", []string{"supporting_evidence"}},
		{"current_status", []string{"status"}},
		{"real_third_alternative", []string{"is_real_third_alternative", "third_alternative", "is_third_alternative"}},
		{"proposed_alternative", []string{"alternative", "alternative_framing"}},
		{"anchors", anchorWords},
		{"references", []string{"reference"}},
	},
}

var (
	nameWords   = []string{"title", "short_name", "headline"}
	anchorWords = []string{"anchor", "citations", "citation", "cites"}
)

var killWords = []Set{{"reason", []string{"kill_reason", "why", "because", "justification", "rationale"}}}

var killWordsToo = []Set{{"reason", slices.Concat(killWords[0].Also, []string{"explanation"})}}

// Sections returns the names of a section besides its id, title and prefix.
func Sections(s artifact.Section) []string { return sectionWords[s] }

// Fields returns the synonyms for the fields of a section.
func Fields(s artifact.Section) []Set { return fieldWords[s] }

// Kill returns the synonyms for the fields of a KILL. The fifth reader knows one more.
func Kill(fifth bool) []Set {
	if fifth {
		return killWordsToo
	}
	return killWords
}

// IsCritique reports whether a word, in plain form, is a name for the critique that only the second reader knows.
func IsCritique(word string) bool { return slices.Contains(critiqueWords, word) }

// Meaning returns the format's name for word, or "".
func Meaning(table []Set, word string) string {
	for i := range table {
		if table[i].Word == word || slices.Contains(table[i].Also, word) {
			return table[i].Word
		}
	}
	return ""
}

// PlainKey normalises a key: "targetId", "Target ID" and "target-id" become target_id.
func PlainKey(name string) string {
	const longest = 40
	if len(name) > longest {
		return name
	}
	plain := true
	for i := 0; i < len(name); i++ {
		if c := name[i]; !('a' <= c && c <= 'z') && c != '_' && (c < '0' || c > '9') {
			plain = false
			break
		}
	}
	if plain {
		return name
	}
	b := make([]byte, 0, len(name)+4)
	lower := false // the previous letter was lower case
	for _, c := range []byte(strings.TrimSpace(name)) {
		switch {
		case 'A' <= c && c <= 'Z':
			if lower {
				b = append(b, '_')
			}
			b = append(b, c|0x20)
		case c == ' ' || c == '-':
			b = append(b, '_')
		default:
			b = append(b, c)
		}
		lower = 'a' <= c && c <= 'z'
	}
	return string(b)
}

// sectionNames are all names of the sections, in plain form. The first section with a name has it.
var sectionNames = func() map[string]artifact.Section {
	names := make(map[string]artifact.Section)
	for _, s := range artifact.Sections() {
		spec := s.Spec()
		for _, name := range append([]string{spec.ID, PlainKey(spec.Title), strings.ToLower(spec.Prefix)}, sectionWords[s]...) {
			if _, ok := names[name]; !ok {
				names[name] = s
			}
		}
	}
	return names
}()

// Section returns the section that a word stands for.
func Section(word string) (artifact.Section, bool) {
	s, ok := sectionNames[PlainKey(strings.TrimLeft(word, "0123456789. \t"))]
	return s, ok
}
