package box

import (
	"context"
	"fmt"
	"strings"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/store/sqlite"
)

// Limits of a query. SQLite's parser takes quadratic time and cannot be interrupted.
const (
	maxWords      = 32
	maxQueryBytes = 1000 // bytes
)

// Search implements mail.Reader.
func (b *Box) Search(ctx context.Context, q mail.SearchQuery) ([]mail.Message, error) {
	match, err := ftsQuery(q.Words)
	if err != nil {
		return nil, err
	}
	// Texts are not read here: SQLite would hold all of them for sorting.
	text := "SELECT m.id FROM words w JOIN messages m ON m.id = w.rowid JOIN projects p ON p.id = m.project" +
		" WHERE words MATCH ?1 AND (p.key = ?2 OR p.slug = ?2)"
	if q.Reader != "" {
		text += " AND EXISTS (SELECT 1 FROM copies c JOIN agents a ON a.id = c.agent WHERE c.message = m.id AND a.name = ?4)"
	}
	text += " ORDER BY w.rank, m.id DESC LIMIT ?3+0"
	return sqlite.Use(ctx, &b.file, "search", func() ([]mail.Message, error) {
		rows, err := sqlite.List(ctx, b.search, sqlite.One[int64], text, match, q.Project, limit(q.Limit, mail.DefaultLimit), q.Reader)
		if err != nil || len(rows) == 0 {
			return nil, err
		}
		return b.messages(ctx, rows, q.Reader, true)
	})
}

// ftsQuery returns a valid SQLite query: every word is quoted; only OR and a trailing star are kept.
func ftsQuery(words string) (string, error) {
	const op, form = "search", `words, "phrases", OR between them, and * at the end of a word`
	if len(words) > maxQueryBytes {
		return "", &fault.Error{Code: mail.Invalid, Op: op, Detail: fmt.Sprintf("the query has %d bytes; the limit is %d", len(words), maxQueryBytes), Hint: "search for a few words: " + form}
	}
	var parts []string
	count := 0
	for i, piece := range strings.Split(strings.ReplaceAll(words, "\x00", " "), `"`) {
		count += len(strings.Fields(piece)) // a phrase costs as much as its words
		if i%2 == 1 {                       // between quotation marks
			if strings.TrimSpace(piece) != "" {
				parts = append(parts, `"`+piece+`"`)
			}
			continue
		}
		for word := range strings.FieldsSeq(piece) {
			stem := strings.TrimRight(word, "*")
			switch {
			case word == "OR" && len(parts) > 0 && parts[len(parts)-1] != "OR":
				parts = append(parts, "OR")
			case stem == "", word == "AND", word == "OR":
			case stem != word:
				parts = append(parts, `"`+stem+`"*`)
			default:
				parts = append(parts, `"`+word+`"`)
			}
		}
	}
	if n := len(parts); n > 0 && parts[n-1] == "OR" {
		parts = parts[:n-1]
	}
	switch {
	case count > maxWords:
		return "", &fault.Error{Code: mail.Invalid, Op: op, Detail: fmt.Sprintf("the query has %d words; the limit is %d", count, maxWords), Hint: "search for a few words: " + form}
	case len(parts) == 0:
		return "", &fault.Error{Code: mail.Invalid, Op: op, Detail: "no words in the query", Hint: form}
	}
	return strings.Join(parts, " "), nil
}
