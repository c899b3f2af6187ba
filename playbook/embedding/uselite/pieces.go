package uselite

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	words "brenner/internal/text"
)

// reserved is the number of leading pieces that represent no text.
const reserved = 6

// unknown is the piece of every character without a piece.
const unknown = 0

// space represents a space in a piece.
const space = "\u2581"

// pieces are the parts that texts are split into, with their scores: the logarithm of the
// frequency.
type pieces struct {
	ids          map[string]int
	scores       []float64
	maxBytes     int     // of the longest piece
	unknownScore float64 // of a character without a piece; worse than any
}

func readPieces() (*pieces, error) {
	text, err := data.ReadFile("data/vocab.json")
	if err != nil {
		return nil, err
	}
	var rows [][2]jsontext.Value
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, err
	}
	if len(rows) <= reserved || len(rows) > vocabulary {
		return nil, fmt.Errorf("the vocabulary has %d pieces", len(rows))
	}
	p := &pieces{ids: make(map[string]int, len(rows)), scores: make([]float64, len(rows))}
	for id, row := range rows {
		var piece string
		if err := errors.Join(json.Unmarshal(row[0], &piece), json.Unmarshal(row[1], &p.scores[id])); err != nil {
			return nil, err // null leaves the score at 0
		}
		if id < reserved {
			continue
		}
		p.ids[piece] = id
		p.maxBytes = max(p.maxBytes, len(piece))
		p.unknownScore = min(p.unknownScore, p.scores[id])
	}
	p.unknownScore -= 10
	return p, nil
}

// split returns the numbers of the pieces with the best sum of scores. Consecutive characters
// without a piece count as one.
func (p *pieces) split(text string) []int {
	// Only the first tokens are used, and no token is longer than the longest piece, so text
	// far beyond them has no effect.
	text = words.FirstBytes(text, 4*maxTokens*p.maxBytes)
	text = space + strings.ReplaceAll(norm.NFKC.String(text), " ", space)
	type step struct {
		score float64
		from  int
		id    int
	}
	best := make([]step, len(text)+1)
	for i := range best {
		best[i].score = math.Inf(-1)
	}
	best[0].score = 0
	for at, r := range text {
		base := best[at].score
		consider := func(end, id int, score float64) {
			if base+score > best[end].score {
				best[end] = step{score: base + score, from: at, id: id}
			}
		}
		for end := at + utf8.RuneLen(r); end <= min(len(text), at+p.maxBytes); {
			if id, ok := p.ids[text[at:end]]; ok {
				consider(end, id, p.scores[id])
			}
			if end == len(text) {
				break
			}
			_, n := utf8.DecodeRuneInString(text[end:])
			end += n
		}
		consider(at+utf8.RuneLen(r), unknown, p.unknownScore)
	}
	var ids []int
	for at := len(text); at > 0; at = best[at].from {
		if n := len(ids); best[at].id == unknown && n > 0 && ids[n-1] == unknown {
			continue
		}
		ids = append(ids, best[at].id)
	}
	slices.Reverse(ids)
	return ids
}
