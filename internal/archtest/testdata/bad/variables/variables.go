// Package variables writes to package variables.
package variables

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

var (
	Exported = 1 // want variable
	ErrFine  = errors.New("ok")
	ErrWrong = fmt.Errorf("bad") // want variable
	A, B     = 1, 2              // want variable variable
	counter  int
	table    = []int{1}
	index    = map[string]int{}
	state    struct{ n int }
	pointer  = &struct{ n int }{}
	buffer   bytes.Buffer
	fine     = bytes.NewBuffer(nil)
	_        = index
)

func write() {
	counter = 1             // want variable
	counter++               // want variable
	(counter) += 1          // want variable
	table[0] = 1            // want variable
	index["a"] = 1          // want variable
	state.n = 1             // want variable
	pointer.n = 1           // want variable
	(*pointer).n = 1        // want variable
	_ = &counter            // want variable
	_ = &state.n            // want variable
	buffer.WriteString("a") // want variable
	clear(index)            // want variable
	delete(index, "a")      // want variable
	copy(table, []int{2})   // want variable
	copy(table[1:], table)  // want variable
	for counter = range 3 { // want variable
	}
	for _, counter = range table { // want variable
	}
	io.EOF = nil      // want variable
	_, counter = 1, 2 // want variable
	ErrFine = nil     // want variable
}

func read() (int, string) {
	counter := counter
	counter = 2
	table := table
	table = nil
	var state struct{ n int }
	state.n = counter + len(table) + len(index)
	_ = fine.String()
	return state.n + pointer.n, "a"
}
