// Package uselite is the built-in sentence encoder: the lite variant of the Universal Sentence
// Encoder, for English, with 512 numbers per text and at most 128 tokens of it. See NOTICE for
// the origin of its data.
//
// It needs no network, no key and no file. It promises the vectors of the original program, to
// a cosine of 0.999, and that nothing is unpacked before the first text is embedded. It must
// not know what its vectors are used for.
package uselite

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"brenner/internal/fault"
	"brenner/playbook/embedding"
	"brenner/playbook/vector"
)

// Names of the model. The weights never change, and the preprocessing of the text is part of
// the name.
const (
	Name      = "use-lite-en-0.2.0-q8"
	LowerName = Name + "-lower"
)

// Damaged is the code of built-in data that cannot be read.
const Damaged fault.Code = "EMBEDDING_DATA_DAMAGED" // The built-in data of the sentence encoder is damaged.

// Classes returns the class of Damaged.
func Classes() fault.Classes {
	return fault.Classes{Damaged: fault.ClassFailed}
}

// Options select the preprocessing; the zero value means none.
type Options struct {
	// Lower converts texts to lower case: lessons that differ only in case are the same lesson.
	Lower bool
}

// Model is the encoder.
type Model struct {
	options Options
	load    func() (*encoder, error)
}

// New returns the encoder without unpacking it.
func New(o Options) *Model { return &Model{options: o, load: sync.OnceValues(load)} }

// Model names what makes the vectors.
func (m *Model) Model() string {
	if m.options.Lower {
		return LowerName
	}
	return Name
}

// Embed returns a vector for each text.
func (m *Model) Embed(ctx context.Context, texts []string) ([]vector.Vector, error) {
	if err := embedding.Check(texts); err != nil || len(texts) == 0 {
		return nil, err
	}
	encoder, err := m.load()
	if err != nil {
		return nil, &fault.Error{
			Code: Damaged, Op: "unpack the sentence encoder", Cause: err, Hint: "reinstall the program",
		}
	}
	all := make([]vector.Vector, len(texts))
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(len(texts), runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(texts)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				text := texts[i]
				if m.options.Lower {
					text = strings.ToLower(text)
				}
				all[i] = vector.Vector{Model: m.Model(), Values: encoder.encode(text)}
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, &fault.Error{Op: "embed a text", Cause: err}
	}
	return all, nil
}
