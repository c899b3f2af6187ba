package remark

import (
	"regexp"
	"strings"
)

// classes are the vocabularies of which the shapes of sentences are made, by the name that stands for
// them. Sentences are in small letters.
var classes = map[string]string{
	"me":    `(?:i|we)`,
	"it":    `(?:it|this|that|these|those|them)`,
	"is":    `(?:is|was|are|were|has been|have been)`,
	"shall": `(?:will|would|shall|should|could|might|may|must|plan to|intend to|want to)`,
	// what a delta is called
	"block": `(?:blocks?|deltas?|kills?|edits?|adds?|additions?|changes?|proposals?|candidates?|attempts?|ones?|versions?)`,
	"shown": `(?:examples?|samples?|templates?|illustrations?|drafts?|quot(?:ations?|es?)|demos?)`,
	"id":    `(?:[a-z]{1,2}\d+)`,
	"nth":   `(?:first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th|former)`,
	// what is done with it
	"send":      `(?:send|propose|submit|apply|merge|execute|make|suggest|kill|edit|add|write|do|recommend|want|use)`,
	"sending":   `(?:sending|proposing|submitting|applying|merging|making|suggesting|recommending|doing)`,
	"sent":      `(?:sent|wrote|written|proposed|submitted|drafted|posted|merged)`,
	"applied":   `(?:applied|executed|merged|sent|submitted|used|included)`,
	"cancel":    `(?:scratch|scrap|forget|disregard|ignore|skip|retract|withdraw|withdrew|undo|cancel|drop|strike|discard|revert|revoke|rescind)`,
	"canceling": `(?:retracting|withdrawing|dropping|discarding|cancell?ing|revoking|rescinding)`,
	"canceled":  `(?:withdrawn|retracted|rescinded|revoked|void|superseded|obsolete|outdated|moot|discarded|cancell?ed)`,
	"not":       `(?:not|never)`,
	"never":     `(?:do not|don't|never)`,
	"wont":      `(?:am not|'m not|do not|don't|did not|didn't|will not|won't|would not|wouldn't|shall not|should not|shouldn't|cannot|can't)`,
	// a reference to blocks above, and what ends it
	"above": `(?:<it>|(?:all|both|everything|each)(?: of (?:<it>|the above))?|(?:(?:all|both|all of|both of) )?(?:the|my|this|that|these|those)(?: (?:above|previous|last|preceding|two|three|four|whole|entire))*(?: <nth>)?(?: <block>)?(?: (?:of|to|on|for) <id>)?|(?:both|all) <block>|<block> (?:number |no\.? |#)?\d|<nth> <block>)(?: above| so far)?`,
	"named": `(?:(?:the|this|that) (?:(?:above|previous|last|preceding) )?(?:block|delta|kill|edit|add|change|proposal)(?: above)?|the above)`,
	"that":  `(?:this|that|<named>)`,
	"end":   `(?:$|[.;:!,(]| \(| (?:above|below|yet|for now|please|back|entirely|altogether|after all|instead|again|because|since|though)\b)`,
	// what stands before a sentence
	"well": `^[\^↑⬆☝👆\x{fe0f}]* *(?:step \d+[.:] )?(?:(?:actually|wait|no wait|no|hm+|sorry|oops|correction|please|ps|p\.s|update|edit|note|but|so|and|hold on|ok|okay|on reflection|on second thoughts?)[,.:;! —–-]+)*(?:please )?`,
}

var className = regexp.MustCompile(`<(\w+)>`)

// shape returns an expression for sentences of one of several forms, in which <name> stands for any word
// of a class.
func shape(forms ...string) *regexp.Regexp {
	pattern := "(?:" + strings.Join(forms, "|") + ")"
	for range 3 { // a class may have others in it
		pattern = className.ReplaceAllStringFunc(pattern, func(name string) string { return classes[name[1:len(name)-1]] })
	}
	return regexp.MustCompile(pattern)
}
