// Package lazy makes values when they are first needed. Most commands need few of the word lists and tables of the
// program, and package variables are made before any command runs.
package lazy

import (
	"strings"
	"sync"
)

// Value is a value that is made once, when it is first needed. It is safe for concurrent use. Do not copy it.
type Value[T any] struct {
	make  func() T
	once  sync.Once
	value T
}

// Of returns the Value that a function makes. The compiler evaluates it for package variables.
func Of[T any](maker func() T) *Value[T] { return &Value[T]{make: maker} }

// Get returns the value.
func (v *Value[T]) Get() T {
	v.once.Do(func() { v.value = v.make() })
	return v.value
}

// Words is a set of words. It is safe for concurrent use. Do not copy it.
type Words struct {
	list string
	once sync.Once
	all  map[string]bool
}

// WordsOf returns the set of the words of a text. The compiler evaluates it for package variables.
func WordsOf(list string) *Words { return &Words{list: list} }

// Has reports whether a word is one of the set.
func (w *Words) Has(word string) bool {
	w.once.Do(func() {
		w.all = make(map[string]bool)
		for word := range strings.FieldsSeq(w.list) {
			w.all[word] = true
		}
	})
	return w.all[word]
}
