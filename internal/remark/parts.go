package remark

import "strings"

// ofParts matches sentences beside a block about parts of an item, or about what the item said before, and not about the block: they
// neither point to it nor name it.
var ofParts = shape(
	// I kept the anchors. I have left all other fields as they were. I shortened the name, nothing else.
	`^<me>(?: have|'ve)?(?: (?:also|only|just|deliberately|simply|otherwise|merely|thus|therefore))* (?:kept|left|preserved|retained|copied|reused|checked|verified|shortened|tightened|corrected|fixed|renamed|updated|simplified|adjusted|adapted|reordered) (?:the|all|both|its|their|every|each|<id>'s) (?:(?:the|other|old|original|existing|remaining|two|three|\d) )*<parts>(?: (?:and|or) (?:the )?(?:\w+ )?<parts>)?(?: of <id>)?(?: (?:as (?:they|it) (?:were|was|are|is|stood|stands)|unchanged|untouched|alone|intact|only|in place|short|brief|simple))?(?:, nothing (?:else|more))?$`,
	// Only the name is changed. The anchors are unchanged. All other fields stay. Anchors kept.
	`^(?:only )?(?:the|all|both|its|their)(?: (?:the|other|old|original|existing|remaining))* <parts>(?: (?:and|or) (?:the )?(?:\w+ )?<parts>)?(?: of <id>)? (?:<is>|stays?|remains?|<is> kept|have stayed) (?:(?:exactly |all )?(?:unchanged|untouched|the same|intact|in place|as (?:they|it) (?:were|was|are|is)|new|changed|kept))$`,
	`^(?:all )?(?:other )?<parts>(?: (?:and|or) (?:\w+ )?<parts>)? (?:kept|unchanged|untouched|as before|left alone|left as (?:they|it) (?:were|was|are|is))$`,
	// The old wording is obsolete. The previous version of H1 is no longer valid. H1's old claim was too vague, since T1 refutes it.
	`^(?:(?:the|my|its) <stale>(?: \w+)? <texts>(?: (?:of|for|in) (?:<id>|(?:the|this) <item>))?|(?:the|my) <stale> (?:version|entry) of <id>|<id>'s <stale>(?: \w+)? <texts>) (?:is|was|has become|becomes|had become)(?: (?:now|thus|therefore|then|simply|clearly|hereby))* (?:obsolete|superseded|replaced|wrong|moot|void|misleading|outdated|gone|unclear|imprecise|incomplete|circular|unfalsifiable|too \w+|no longer (?:valid|needed|true|tenable|accurate|relevant|useful|current))(?: (?:now|by now|anyway|as (?:it|they) stood))?(?:,? (?:because|since|as|after|given|for) [^;]*)?$`,
	// The wording of H1 was too vague.
	`^(?:the <texts> of <id>|<id>'s <texts>) (?:was|had been)(?: \w+)? (?:obsolete|wrong|misleading|outdated|unclear|imprecise|incomplete|circular|unfalsifiable|too \w+)(?:,? (?:because|since|as|after|given|for) [^;]*)?$`)

// isOfParts reports whether a sentence in small letters is about parts of an item, or about what it said before.
func isOfParts(lower string) bool {
	return ofParts.MatchString(strings.TrimRight(strings.Trim(lower, "()[]*_ "), ".! "))
}
