package itemform

import (
	"strings"

	"brenner/internal/pattern"
)

var (
	// lightWords match words before an order, and courtesy behind it.
	lightWords = pattern.New(`^(?i:(?:oh|ah|well|ok|okay|hm+|right|and|also|plus|by the way|btw|p\.?s\.?|one more(?: thing)?|while (?:i am|i'm|we are|we're|you are|you're) at it|but|however|still|yet|just|though|that said|nevertheless|even so)[,:]? )+`)
	courtesy   = pattern.New(`,? (?i:(?:please|thanks|thank you|too|as well|while you are at it))([.!]?)$`)
)

// Bare returns a sentence without light words around an order, which readers before the fifth do not leave out.
func Bare(sentence string, isFifth bool) string {
	if !isFifth || !HasID(sentence) {
		return sentence
	}
	bare := courtesy.ReplaceAllString(sentence, "$1")
	if at := lightWords.FindStringIndex(bare); at != nil {
		if bare = bare[at[1]:]; bare != "" {
			bare = strings.ToUpper(bare[:1]) + bare[1:] // as the beginning of a sentence
		}
	}
	if word, _, _ := strings.Cut(bare, " "); !isOrder.MatchString(word) {
		return sentence
	}
	return bare
}

// isOrder matches the word with which an order begins.
var isOrder = pattern.New(`^(?i:kill|remove|delete|drop|retire|discard|eliminate|scrap|edit|change|update|revise|rewrite|add|please|merge|resolve|set)$`)
