package remark

import (
	"strings"

	"brenner/internal/pattern"
)

// classes are the vocabularies of which the shapes of sentences are made, by the name that stands for
// them. Sentences are in small letters.
var classes = map[string]string{
	"me":    `(?:i|we)`,
	"it":    `(?:it|this|that|these|those|them)`,
	"is":    `(?:is|was|are|were|has been|have been)`,
	"shall": `(?:will|would|shall|should|could|might|may|must|plan to|intend to|want to)`,
	// what a delta is called
	"block":     `(?:blocks?|deltas?|kills?|edits?|adds?|additions?|changes?|proposals?|candidates?|attempts?|ones?|versions?)`,
	"shown":     `(?:examples?|samples?|templates?|illustrations?|drafts?|quot(?:ations?|es?)|demos?)`,
	"thisBlock": `(?:(?:the|my|this|that|these|those|whole|entire|any|such) (?:whole |entire |proposed |corrected |fixed |two |both )*(?:blocks?|deltas?|changes?|proposals?|ideas?|kills?|edits?|adds?|additions?|corrections?|suggestions?|requests?|one above|above))`,
	"ended":     `(?:$|[.,;:!)]| (?:back|out|one|now|again|for|as|because|since|and|but|until|from|in|here|above|below|altogether|completely|entirely|please|too|after|with|on|then|instead|if)\b)`,
	"item":      `(?:anomaly|hypothesis|test|prediction|assumption|mechanism|critique|claim)`,
	"id":        `(?:[a-z]{1,2}\d+)`,
	"nth":       `(?:first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th|former)`,
	// what an item or a delta consists of, and the texts among them
	"parts": `(?:anchors?|numbers?|references?|citations?|ids?|units?|sources?|titles?|names?|order|numbering|labels?|keys?|scores?|ratings?|fields?|values?|figures?|links?|rationales?|reasons?|punctuation|spelling|<texts>)`,
	"texts": `(?:wording|claims?|text|mechanism|phrasing|formulation|definition|estimate|statement|procedure|condition|observation|sentence|phrase|paragraph)`,
	"stale": `(?:old|former|previous|original|earlier|existing|prior|current|present)`,
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
	// a reference to the block below, and what ends it
	"next":      `(?:<nextNamed>|<it>)`,
	"nextNamed": `(?:the (?:next|following)(?: <block>)?|the <block> (?:below|that follows)|(?:this|these) <block>|what follows)`,
	"stop":      `(?:$|[.,;:)]| (?:yet|now|again|because|since|until|unless|below|please|here)\b)`,
	// a block by its name, and words that leave it in doubt
	"refBelow": `(?:the (?:next|following)(?: (?:block|delta|one))?|the (?:block|delta)s? below|what follows|this (?:block|delta|one))`,
	"refAbove": `(?:the above|the (?:block|delta|kill|edit|add) above|the (?:last|previous) (?:block|delta)|(?:this|that) (?:last )?(?:block|delta)|(?:this|that) last one)`,
	"doubt":    `(?:ignored?|disregard(?:ed)?|skip(?:ped)?|remove|struck|withdr[ae]\w+|retract\w*|cancel\w*|void|undo|drafts?|examples?|illustrat\w+|tentative|the syntax|placeholder|mistake|slip|leftover|hold(?:ing)? (?:it |this )?(?:back|off)|(?:for|until) later|(?:later|next|another) round|wait (?:for|with|until)|not (?:yet )?(?:be )?(?:yet )?(?:<applied>|merge|apply|send|submit|what <me> (?:want|mean)|support|endorse|meant|ready|final|mine|intended|from me)|don't (?:support|endorse|merge|apply|send)|(?:comes|came|is|was|taken|copied|pasted) from (?:round|another|the (?:critic|operator|kickoff|prompt|brief)))`,
	// what stands before a sentence
	"well": `^[\^↑⬆☝👆\x{fe0f}]* *(?:step \d+[.:] )?(?:(?:actually|wait|no wait|no|hm+|sorry|oops|correction|please|ps|p\.s|update|edit|note|but|so|and|hold on|ok|okay|on reflection|on second thoughts?)[,.:;! —–-]+)*(?:please )?`,
}

var className = pattern.New(`<(\w+)>`)

// shape returns the pattern of sentences of one of several forms, in which <name> stands for any word of a class.
func shape(patterns ...string) *pattern.Pattern {
	return pattern.Of(func() string { return spelledOut(patterns) })
}

// spelledOut returns a pattern with the words of the classes in it.
func spelledOut(patterns []string) string {
	pattern := strings.Join(patterns, "|")
	for range 3 { // a class may have others in it
		pattern = className.ReplaceAllStringFunc(pattern, func(name string) string { return classes[name[1:len(name)-1]] })
	}
	return pattern
}
