// Package embedding turns texts into vectors: with the built-in model (uselite), or with one at
// an endpoint (endpoint). Package embeddingtest has the conformance suite of the interface.
//
// It must not know what is embedded, or what vectors are used for.
package embedding

import (
	"context"
	"strings"
	"unicode/utf8"

	"brenner/internal/fault"
	"brenner/playbook/vector"
)

// Error codes of embedding.
const (
	BadText     fault.Code = "EMBEDDING_BAD_TEXT"    // The text is blank or not UTF-8 and has no vector.
	Setup       fault.Code = "EMBEDDING_SETUP"       // Incomplete settings for an embeddings endpoint.
	Refused     fault.Code = "EMBEDDING_REFUSED"     // The endpoint will not embed this text; retrying does not help.
	Unavailable fault.Code = "EMBEDDING_UNAVAILABLE" // The embeddings endpoint is unreachable, or asked to retry later.
	Malformed   fault.Code = "EMBEDDING_MALFORMED"   // The endpoint did not return one vector for each text.
)

// Classes returns the classes of the codes above.
func Classes() fault.Classes {
	return fault.Classes{Unavailable: fault.ClassLater}
}

// Embedder makes vectors. It is safe for concurrent use.
type Embedder interface {
	// Model names what makes the vectors. Embedders of the same name return the same vectors;
	// whatever changes them changes the name.
	Model() string
	// Embed returns a vector for each text, in order, all or none. A text that is blank or not
	// valid UTF-8 is BadText. If the context ends, the error wraps its error.
	Embed(ctx context.Context, texts []string) ([]vector.Vector, error)
}

// Check returns an error for texts that no embedder accepts.
func Check(texts []string) error {
	for _, t := range texts {
		switch {
		case !utf8.ValidString(t):
			return &fault.Error{Code: BadText, Op: "embed a text", Detail: "not valid UTF-8: " + fault.Shown(t), Hint: "convert it to UTF-8"}
		case strings.TrimSpace(t) == "":
			return &fault.Error{Code: BadText, Op: "embed a text", Detail: "the text is blank", Hint: "pass a text that is not blank"}
		}
	}
	return nil
}
