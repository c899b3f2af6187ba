package ui

import (
	"brenner/store/record"
)

// LinkDocument is a link of a record as JSON shows it.
type LinkDocument struct {
	Relation string `json:"relation"`
	ID       string `json:"id"`
	Version  int    `json:"version"`
}

// LinkDocuments returns links as JSON shows them.
func LinkDocuments(links []record.Link) []LinkDocument {
	out := make([]LinkDocument, len(links))
	for i, l := range links {
		out[i] = LinkDocument(l)
	}
	return out
}
