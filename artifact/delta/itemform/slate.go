package itemform

import (
	"fmt"
	"strings"

	"brenner/artifact"
	"brenner/internal/pattern"
)

// Slate is what a reader knows of the version that an agent was shown: nothing, if none is known.
type Slate struct {
	Base  *artifact.Artifact
	names *strings.Replacer // from names to ids
	bare  []string          // names that are one word, and ids
	made  bool
}

// ordinals are the words for places in a list.
var ordinals = strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth")

// kindOf are the words for items of each section, in the singular.
var kindOf = [artifact.SectionCount][]string{
	artifact.HypothesisSlate: {"hypothesis", "alternative"}, artifact.PredictionsTable: {"prediction"}, artifact.DiscriminativeTests: {"test"},
	artifact.AssumptionLedger: {"assumption"}, artifact.AnomalyRegister: {"anomaly"}, artifact.AdversarialCritique: {"critique", "objection"},
}

// Resolved returns a line in which items that are named otherwise have their ids: "the Timer", "the timer hypothesis", "the third
// assumption", "assumption 3".
func (s *Slate) Resolved(line string) string {
	if !s.made {
		s.made = true
		s.names = s.replacer()
	}
	if s.names == nil {
		return line
	}
	line = s.names.Replace(line)
	for i := 0; i < len(s.bare); i += 2 {
		name := s.bare[i]
		for at := 0; at < len(line); {
			n := strings.Index(line[at:], name)
			if n < 0 {
				break
			}
			at += n
			end := at + len(name)
			if isIn := at > 1 && line[at-1] == ' ' && (isLatin(line[at-2]) || line[at-2] == ',') && (end == len(line) || !isLatin(line[end])); isIn {
				line = line[:at] + s.bare[i+1] + line[end:]
			}
			at++
		}
	}
	return namedTwice.ReplaceAllString(line, "$1")
}

// namedTwice matches an item with its name or its id in brackets behind it.
var namedTwice = pattern.New(`\b([A-Z]{1,2}\d{1,3}) \([A-Z]{1,2}\d{1,3}\)`)

func (s *Slate) replacer() *strings.Replacer {
	if s.Base == nil {
		return nil
	}
	var long, short []string
	both := func(list *[]string, name, id string) { *list = append(*list, "the "+name, id, "The "+name, id) }
	for section := range artifact.Section(artifact.SectionCount) {
		for i, it := range s.Base.Items(section) {
			if it.ID == "" || !section.ValidID(it.ID) {
				continue
			}
			name := it.Get("name")
			for _, kind := range kindOf[section] {
				if text, ok := name.(artifact.Text); ok && len(text) > 2 && len(text) < 60 {
					both(&long, string(text)+" "+kind, it.ID)
					both(&long, strings.ToLower(string(text))+" "+kind, it.ID)
					long = append(long, string(text)+" "+kind, it.ID)
				}
				if n := fmt.Sprint(section.Spec().Prefix, i+1); i < len(ordinals) && n == it.ID {
					both(&long, ordinals[i]+" "+kind, it.ID)
					long = append(long, fmt.Sprint(kind, " ", i+1), it.ID)
				}
			}
			if text, ok := name.(artifact.Text); ok && section == artifact.HypothesisSlate && len(text) > 2 && len(text) < 60 && text[0] >= 'A' && text[0] <= 'Z' {
				both(&short, string(text), it.ID)
				if !strings.Contains(string(text), " ") {
					s.bare = append(s.bare, string(text), it.ID)
				}
				long = append(long, it.ID+" ("+string(text)+")", it.ID, it.ID+" (the "+string(text)+")", it.ID)
			}
			if third, _ := it.Get("third_alternative").(artifact.Bool); bool(third) {
				both(&short, "third alternative", it.ID)
			}
		}
	}
	return strings.NewReplacer(append(long, short...)...)
}

// isMissing reports whether a version is known, and has no item with an id.
func (s *Slate) isMissing(id string) bool {
	if s.Base == nil {
		return false
	}
	_, _, ok := s.Base.Find(id)
	return !ok
}

// HypothesisOf returns the id of the only hypothesis with a name, or "".
func (s *Slate) HypothesisOf(name string) (id string) {
	if s.Base == nil {
		return ""
	}
	plain := func(name string) string {
		name = strings.ToLower(strings.TrimSpace(name))
		name = strings.TrimPrefix(strings.TrimPrefix(name, "the "), "hypothesis ")
		return strings.NewReplacer("-", " ", "_", " ").Replace(strings.TrimSuffix(strings.TrimSuffix(name, " hypothesis"), " model"))
	}
	for _, it := range s.Base.Items(artifact.HypothesisSlate) {
		text, _ := it.Get("name").(artifact.Text)
		third, _ := it.Get("third_alternative").(artifact.Bool)
		if isNamed := plain(string(text)) == plain(name) || bool(third) && plain(name) == "third alternative"; !isNamed {
			continue
		}
		if id != "" {
			return ""
		}
		id = it.ID
	}
	return id
}
