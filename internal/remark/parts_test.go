package remark_test

import (
	"strings"
	"testing"

	"brenner/internal/remark"
)

// A sentence about parts of an item, or about what it said before, says nothing of the block beside it. One that points to the block,
// or names it, does.
func TestSentencesAboutParts(t *testing.T) {
	rules := remark.Rules{Author: "BlueLake", Oblique: true, Choosing: true, Firm: true, Close: true}
	others := []string{
		"(I kept the anchors.)", "I have left all other fields as they were.", "All other fields stay unchanged.", "(Anchors unchanged.)", "(anchors kept)", "Only the name is new.",
		"(I also shortened the name.)", "I checked the references.", "The old wording is obsolete.", "The previous version of H1 is no longer valid.", "The wording of H1 was too vague.",
		"H1's old claim was too vague, since T1 refutes it.", "The current procedure is too slow.", "My earlier estimate was wrong.",
	}
	itsOwn := []string{
		"This wording is obsolete.", "The old version is obsolete.", "I kept it.", "(I kept this one.)", "The previous block is obsolete.", "I discarded the wording.", "(I dropped this.)",
		"The old proposal is withdrawn.", "The following text is obsolete.", "The old wording:", "(old wording)", "(kept for reference)", "The old kill is obsolete.",
	}
	for _, operation := range []string{"EDIT", "KILL", "ADD"} {
		block := []byte(`{"operation": "` + operation + `", "section": "hypothesis_slate", "target_id": "H1", "payload": {"claim": "Both act together."}}`)
		isAsked := func(text string) bool {
			for _, end := range []string{"\n", "\n\n"} {
				if _, ok := rules.Before([]byte("The slate was read again.\n\n"+text+end), block); ok {
					return true
				}
				if _, isBehind, ok := rules.Beside(nil, block, []byte("\n```\n"+strings.Repeat("\n", len(end)-1)+text+"\n")); isBehind && ok {
					return true
				}
			}
			return false
		}
		for _, text := range others {
			if isAsked(text) {
				t.Errorf("%s: %q is about something else", operation, text)
			}
		}
		for _, text := range itsOwn {
			if !isAsked(text) {
				t.Errorf("%s: %q leaves the block open", operation, text)
			}
		}
	}
}
