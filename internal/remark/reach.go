package remark

import (
	"cmp"
	"strings"

	"brenner/internal/pattern"
)

// Reach is how many of the blocks above it a remark without a name for any is about.
type Reach int

// One is the block directly above it, Run also those that follow one another directly above it, Rest all of
// them at the end of a reply, and All all of them anywhere.
const (
	Run Reach = iota
	One
	Rest
	All
)

var (
	// pointsToAll matches sentences about several blocks: these, both, the deltas.
	pointsToAll = shape(`\b(?:these|those|they|them)(?:$|[.,;:!?)]| (?:(?:two|three|four|last|proposed|hypothetical) )?<block>\b| (?:are|were|is|be|as|just|only|all|yet|now|until|till|for|before|unless|if|should|must|may|can|will|would|because|since|in|to|at|this|next|please|drafts?|examples?)\b)`,
		`\b(?:both|neither|either|none)(?:$|[.,;:!?)]| of (?:these|those|them|the)\b| (?:is|are|was|were|should|<block>)\b)`,
		`\b(?:all|everything)(?: of)? (?:<it>|(?:the )?above)\b`,
		`\b(?:the|my|all|both|any)(?: \w+)? (?:blocks|deltas|changes|kills|edits|adds|additions|proposals)\b`)
	// pointsToOne matches sentences about one block, or an item.
	pointsToOne = shape(`\b(?:this|that|it|its|one|<id>)\b|\b(?:the|my)(?: \w+)? (?:block|delta|kill|edit|add|addition|change|proposal|removal|deletion|retirement|suggestion|wording|claim|target)\b`)
	// timeWords matches words for a time, which "this" may stand before.
	timeWords = pattern.New(`\bthis (?:round|turn|time|week|session|point|stage|moment)\b`)
	theAbove  = pattern.New(`\b(?:the above|above)(?:$|[.,;:!?)])|\bthe above (?:is|was)\b`)
)

// Reach returns how far a remark behind a block reaches that names none.
func (r Remark) Reach() Reach {
	lower := timeWords.ReplaceAllString(lowered(cmp.Or(r.sentence, r.Line)), "now")
	switch {
	case pointsToAll.MatchString(lower):
		return All
	case pointsToOne.MatchString(lower):
		return One
	case theAbove.MatchString(lower):
		return Rest
	}
	return Run
}

// The sentences that take back several blocks by their numbers or their items.
const (
	itemList   = `(<id>(?:(?:,? and |,? or |, ?| & ?|/)<id>)*)`
	numberList = `((?:#|no\. ?)?\d(?:(?:,? and |,? or |, ?| & ?|/)#?\d)*)`
	listEnd    = `(?: above| in my reply)?(?:$|[.,;:!(]| (?:for now|until|till|yet|please|because|since|entirely)\b)`
)

var (
	listedItems   = shape(`<well>(?:ignore|disregard|skip|<never> (?:apply|merge)) (?:my |the )?(?:<block> (?:of|to|on|for) )?` + itemList + listEnd)
	listedNumbers = shape(`<well>(?:<me> )?(?:ignore|disregard|skip|hold off on|hold back|withdraw|retract|discard|<never> (?:apply|merge|execute|run|use)) (?:(?:the |my )?(?:blocks?|deltas?|changes?|numbers?) )?`+numberList+listEnd,
		`<well>(?:blocks?|deltas?|changes?|numbers?) `+numberList+`(?: above)? (?:is|are|was|were) (?:(?:only|just|both|all|still|now) )*`+badState)
	listed1 = shape(`<id>|\d`)
)

// listed returns the remarks of a sentence that takes back blocks by their numbers, or by their items: Ignore #1 above. Skip H1 and H2
// for now.
func listed(sentence, lower string) (all []Remark) {
	m := listedItems.FindStringSubmatch(lower)
	if m == nil {
		m = listedNumbers.FindStringSubmatch(lower)
	}
	for _, name := range listed1.FindAllString(strings.Join(m[min(1, len(m)):], " "), -1) {
		said := Remark{Line: sentence, Open: true}
		if n := name[0]; '1' <= n && n <= '9' {
			said.Nth = int(n - '0')
		} else {
			said.ID = strings.ToUpper(name)
		}
		all = append(all, said)
	}
	return all
}

// The columns of a table that says whose the blocks of a reply are.
var (
	agentColumn = pattern.New(`^(?:agent|author|by|proposer|proposed by|speaker|who|from)$`)
	blockColumn = pattern.New(`^(?:#|no\.?|number|(?:block|delta)s?(?: (?:#|no\.?|number))?)$`)
	blockCell   = pattern.New(`^(?:(?:block|delta) )?#?([1-9])$`)
	agentCell   = pattern.New(`^@?` + agent + `$`)
)

// othersIn returns the remarks of a table by which blocks are another author's.
func (r Rules) othersIn(table string) (all []Remark) {
	who, which := -1, -1
	for row := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), "|")
		for i, cell := range cells {
			cells[i] = strings.Trim(cell, "*_` ")
			if lower := strings.ToLower(cells[i]); who < 0 && agentColumn.MatchString(lower) {
				who = i
			} else if which < 0 && blockColumn.MatchString(lower) {
				which = i
			}
		}
		if r.Author == "" || who < 0 || which < 0 || max(who, which) >= len(cells) {
			continue
		}
		name, block := agentCell.FindStringSubmatch(cells[who]), blockCell.FindStringSubmatch(strings.ToLower(cells[which]))
		if name != nil && block != nil && !isSame(name[1], r.Author) {
			all = append(all, Remark{Line: strings.TrimSpace(row), Open: true, About: About{Nth: int(block[1][0] - '0')}})
		}
	}
	return all
}
