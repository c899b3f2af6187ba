package revisit

import (
	"slices"
	"strings"
)

// A clause whose subject is a change of the reply keeps the change if it is understood: if it says what authors say of changes that they
// make. All else leaves the change open, since the ways in which a change is not meant cannot be listed.

// understands reports whether a clause, without contractions, is understood, or has another subject than changes of the reply. A number
// alone (the first) is one if they are the topic.
func understands(clause string, hasTopic bool) bool {
	isAbout, isUnderstood := weighClause(clause, hasTopic)
	return !isAbout || isUnderstood
}

// weighClause reports whether the subject of a clause is changes of the reply, or what may stand for them, and whether it is understood.
func weighClause(clause string, hasTopic bool) (isAbout, isUnderstood bool) {
	words := skip(strings.FieldsFunc(clause, isBetween), isOpener)
	if len(words) > 1 {
		switch next := words[1]; {
		case words[0] == "i" || words[0] == "we":
			return true, understandsAuthor(words[1:])
		case isPronoun(words[0]) && !isChange(next) && !isNumberWord(next):
			return hasTopic, understandsPronoun(words[1:])
		case isOrder(words[0]) && !isOf(next) && !isBe(next) && !isModal(next):
			return false, false // EDIT nothing else
		}
	}
	words = skip(words, isDeterminer)
	rest := skip(words, isNumberWord)
	isOfChange := len(rest) > 0 && isChange(rest[0])
	if !isOfChange && (len(rest) == len(words) || !hasTopic) {
		return false, false
	}
	return true, understandsVerb(skipOf(skip(rest, isChange, isItem)))
}

// understandsPronoun reports whether what is said of a pronoun is understood.
func understandsPronoun(words []string) bool {
	rest, _ := skipAdverbs(words)
	return !slices.ContainsFunc(words[:len(words)-len(rest)], isUnsure) && understandsVerb(words)
}

// understandsVerb reports whether what changes do is understood.
func understandsVerb(words []string) bool {
	if len(words) > 0 && isRelative(words[0]) {
		at := slices.IndexFunc(words, func(w string) bool { return isBe(w) || isModal(w) })
		if at < 0 {
			return true
		}
		words = words[at:]
	}
	words, isDenied := skipAdverbs(words)
	switch {
	case len(words) == 0:
		return !isDenied
	case isBe(words[0]):
		return understandsState(words[1:], isDenied)
	case isDenied:
		return isDeniedVerb(words[0])
	}
	return isLink(words[0]) || !isWord(words[0]) || isChangeVerb(words[0])
}

// understandsState reports whether what changes are, or are not, is understood.
func understandsState(words []string, isDenied bool) bool {
	words, isNot := skipAdverbs(words)
	isDenied = isDenied || isNot
	switch {
	case len(words) == 0:
		return !isDenied
	case isDenied:
		return isDeniedState(words[0])
	case words[0] == "to":
		return len(words) > 1 && isChangeVerb(words[1])
	case words[0] == "in":
		return len(words) > 1 && isIn(words[1])
	case isArticle(words[0]):
		words = skip(words, isArticle, isAdverb)
		return !slices.ContainsFunc(words[:min(len(words), 3)], isNoChange) && (len(words) < 2 || words[0] != "one" || !isFrom(words[1]))
	}
	return !isWord(words[0]) || isChangeState(words[0]) || isChangeVerb(words[0]) && strings.HasSuffix(words[0], "ing")
}

// understandsAuthor reports whether what the author does with its changes is understood.
func understandsAuthor(words []string) bool {
	words, isDenied := skipAdverbs(skip(words, isBe))
	switch {
	case len(words) == 0:
		return !isDenied
	case isDenied:
		return isDeniedAct(words[0])
	}
	return !isWord(words[0]) || isAuthorVerb(words[0]) || isChangeVerb(words[0])
}

// skipOf returns words without what belongs to their subject: of H2, to the procedure of T1.
func skipOf(words []string) []string {
	const most = 6
	for len(words) > 1 && isOf(words[0]) {
		at := slices.IndexFunc(words[:min(len(words), most)], func(w string) bool { return isItem(w) || itemID.MatchString(w) })
		if at < 0 {
			return nil
		}
		words = skip(words[at+1:], isItem)
	}
	return words
}

// skipAdverbs returns words without adverbs and modal verbs at the beginning, and whether these deny what follows.
func skipAdverbs(words []string) (rest []string, isDenied bool) {
	rest = skip(words, isAdverb, isModal, isDenial)
	return rest, slices.ContainsFunc(words[:len(words)-len(rest)], isDenial)
}

// skip returns words without those of some classes at the beginning.
func skip(words []string, classes ...func(string) bool) []string {
	for len(words) > 0 && slices.ContainsFunc(classes, func(is func(string) bool) bool { return is(words[0]) }) {
		words = words[1:]
	}
	return words
}

func isBetween(c rune) bool { return strings.ContainsRune(" \t\"“”()[]*`,;:.!", c) }

// isWord reports whether a word has only letters.
func isWord(word string) bool {
	return strings.IndexFunc(word, func(c rune) bool { return c != '-' && c != '\'' && (c < 'a' || c > 'z') }) < 0
}

func isAdverb(word string) bool { return isPlainAdverb(word) || strings.HasSuffix(word, "ly") }

// oneOf returns a test for words of a list.
func oneOf(list string) func(string) bool {
	words := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		words[w] = true
	}
	return func(word string) bool { return words[word] }
}

// formOf returns a test for words of a list, in any form of verbs that ends in -s, -ed or -ing.
func formOf(list string) func(string) bool {
	words := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		words[w] = true
	}
	return func(word string) bool {
		if words[word] {
			return true
		}
		for _, end := range []string{"ing", "ied", "ies", "ed", "es", "s"} {
			stem, ok := strings.CutSuffix(word, end)
			if !ok {
				continue
			}
			n := len(stem)
			if words[stem] || words[stem+"e"] || words[stem+"y"] || n > 2 && stem[n-1] == stem[n-2] && words[stem[:n-1]] {
				return true
			}
		}
		return false
	}
}
