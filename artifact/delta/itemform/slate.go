package itemform

import (
	"fmt"
	"strings"
	"unicode"

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
	for section := range artifact.Section(artifact.SectionCount) {
		for i, it := range s.Base.Items(section) {
			if it.ID == "" || !section.ValidID(it.ID) {
				continue
			}
			name := nameOf(it)
			long = append(long, withKinds(section, i, name, it.ID)...)
			if name != "" && section == artifact.HypothesisSlate && unicode.IsUpper(rune(name[0])) {
				short = append(short, "the "+name, it.ID, "The "+name, it.ID)
				if !strings.Contains(name, " ") {
					s.bare = append(s.bare, name, it.ID)
				}
				long = append(long, it.ID+" ("+name+")", it.ID, it.ID+" (the "+name+")", it.ID)
			}
			if third, _ := it.Get("third_alternative").(artifact.Bool); bool(third) {
				short = append(short, "the third alternative", it.ID, "The third alternative", it.ID)
			}
		}
	}
	return strings.NewReplacer(append(long, short...)...)
}

// nameOf returns the name of an item, unless it is very short or very long.
func nameOf(it *artifact.Item) string {
	if name, _ := it.Get("name").(artifact.Text); len(name) > 2 && len(name) < 60 {
		return string(name)
	}
	return ""
}

// withKinds returns the ways to name an item at a place of its section with a word for its kind, each with its id.
func withKinds(section artifact.Section, at int, name, id string) (pairs []string) {
	both := func(text string) { pairs = append(pairs, "the "+text, id, "The "+text, id) }
	for _, kind := range kindOf[section] {
		if name != "" {
			both(name + " " + kind)
			both(strings.ToLower(name) + " " + kind)
			pairs = append(pairs, name+" "+kind, id)
		}
		if at < len(ordinals) && id == fmt.Sprint(section.Spec().Prefix, at+1) {
			both(ordinals[at] + " " + kind)
			pairs = append(pairs, fmt.Sprint(kind, " ", at+1), id)
		}
	}
	return pairs
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
