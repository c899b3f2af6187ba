// Package embedding turns texts into vectors: by the model that is part of the
// program (uselite), or by one at an endpoint (endpoint).
//
// The interface stands here, beside its conformance suite in embeddingtest. It must
// not know what is embedded, or what is done with a vector.
package embedding

import (
	"context"
	"strings"
	"unicode/utf8"

	"brenner/internal/fault"
	"brenner/playbook/vector"
)

// The codes of texts that get no vector.
const (
	BadText     fault.Code = "EMBEDDING_BAD_TEXT"    // there is nothing to embed
	Setup       fault.Code = "EMBEDDING_SETUP"       // the endpoint is not described well enough to be asked
	Refused     fault.Code = "EMBEDDING_REFUSED"     // the endpoint will not do it, however often it is asked
	Unavailable fault.Code = "EMBEDDING_UNAVAILABLE" // the endpoint cannot be reached, or says "later"
	Malformed   fault.Code = "EMBEDDING_MALFORMED"   // the endpoint's answer is not vectors
)

// Classes returns the classes of the codes above.
func Classes() fault.Classes {
	return fault.Classes{Unavailable: fault.ClassLater}
}

// Embedder makes vectors. It is safe for concurrent use.
type Embedder interface {
	// Model names what makes the vectors. Two embedders of one name give the same
	// vectors; whatever changes them changes the name.
	Model() string
	// Embed gives a vector for each text, in their order, all or none. A text that
	// is blank or no UTF-8 is BadText; a context that ends, an error that wraps its.
	Embed(ctx context.Context, texts []string) ([]vector.Vector, error)
}

// Check refuses what no embedder can take.
func Check(texts []string) error {
	for _, t := range texts {
		switch {
		case !utf8.ValidString(t):
			return &fault.Error{Code: BadText, Op: "embed a text", Detail: fault.Shown(t) + " is not UTF-8", Hint: "give it in UTF-8"}
		case strings.TrimSpace(t) == "":
			return &fault.Error{Code: BadText, Op: "embed a text", Detail: "the text is blank", Hint: "say something in it"}
		}
	}
	return nil
}
