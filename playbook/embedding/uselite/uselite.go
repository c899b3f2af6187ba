// Package uselite is the small sentence encoder that is part of the program: the lite
// variant of the Universal Sentence Encoder, English, 512 numbers a text, of which at
// most 128 tokens are looked at. See NOTICE for where its data comes from.
//
// It needs no network, no key and no file. It promises the vectors of the original
// program, to a cosine of 0.999, and that nothing is unpacked before the first text is
// embedded. It must not know what its vectors are used for.
package uselite

import (
	"context"
	"strings"
	"sync"

	"brenner/internal/fault"
	"brenner/playbook/embedding"
	"brenner/playbook/vector"
)

// The names of the model: the weights never change, and what is done to the text
// before is part of the name.
const (
	Name      = "use-lite-en-0.2.0-q8"
	LowerName = Name + "-lower"
)

// Damaged is the code of a program whose own data cannot be read.
const Damaged fault.Code = "EMBEDDING_DATA_DAMAGED"

// Classes returns the class of Damaged.
func Classes() fault.Classes {
	return fault.Classes{Damaged: fault.ClassFailed}
}

// Options say how texts are read; the zero value takes them as they are.
type Options struct {
	// Lower has every text in lower case first: lessons that differ only in their
	// capitals are the same lesson.
	Lower bool
}

// Model is the encoder.
type Model struct {
	options Options
	load    func() (*encoder, error)
}

// New gives the encoder, and unpacks nothing.
func New(o Options) *Model { return &Model{options: o, load: sync.OnceValues(load)} }

// Model names what makes the vectors.
func (m *Model) Model() string {
	if m.options.Lower {
		return LowerName
	}
	return Name
}

// Embed gives a vector for each text.
func (m *Model) Embed(ctx context.Context, texts []string) ([]vector.Vector, error) {
	if err := embedding.Check(texts); err != nil || len(texts) == 0 {
		return nil, err
	}
	encoder, err := m.load()
	if err != nil {
		return nil, &fault.Error{
			Code: Damaged, Op: "unpack the sentence encoder", Cause: err, Hint: "the program is damaged: install it again",
		}
	}
	all := make([]vector.Vector, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, &fault.Error{Op: "embed a text", Cause: err}
		}
		if m.options.Lower {
			text = strings.ToLower(text)
		}
		all[i] = vector.Vector{Model: m.Model(), Values: encoder.encode(text)}
	}
	return all, nil
}
