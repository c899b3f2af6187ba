package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

var errTooLarge = errors.New("the answer is larger than it may be")

// events stands between the network and go-openai's reader of streams, and lets
// only lines with data pass. That reader takes lines of any length, keeps all
// other lines in memory to the end, gives up after so many of them, loses an error
// that comes after them, and does not tell a stream that was ended from one that
// broke off.
type events struct {
	src   *bufio.Reader
	body  io.Closer
	alive func()
	limit int // bytes of one line
	room  int // bytes of all lines: those that nobody keeps cost time all the same

	out, rest []byte // the line that is passed on, and what is left of it
	line      []byte // where lines are put together that do not fit into the reader
	done      bool   // the endpoint said that this was all
}

func (e *events) Close() error { return e.body.Close() }

func (e *events) Read(p []byte) (int, error) {
	for len(e.rest) == 0 {
		line, err := e.next()
		if err != nil {
			return 0, err
		}
		e.alive()
		e.pass(line)
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// pass takes a line if it is one with data.
func (e *events) pass(line []byte) {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		return
	}
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return
	}
	if string(data) == "[DONE]" {
		e.done = true
	}
	prefix := "data: "
	if rest, ok := bytes.CutPrefix(data, []byte(`{"error":`)); ok {
		// Exactly these bytes go-openai would take for its own; with a space between
		// them they come to us.
		prefix, data = `data: { "error":`, rest
	}
	e.out = append(append(append(e.out[:0], prefix...), data...), '\n')
	e.rest = e.out
}

// next gives a line, which holds until the next call. A last line that nothing
// ends counts where it is whole all the same; else it was cut off, and is none.
func (e *events) next() ([]byte, error) {
	e.line = e.line[:0]
	for {
		part, err := e.src.ReadSlice('\n')
		if e.room -= len(part); e.room < 0 {
			return nil, errTooLarge
		}
		if err == nil && len(e.line) == 0 {
			return part, nil
		}
		if len(e.line)+len(part) > e.limit {
			return nil, errTooLarge
		}
		e.line = append(e.line, part...)
		switch {
		case err == nil:
			return e.line, nil
		case errors.Is(err, bufio.ErrBufferFull):
			e.alive()
		case errors.Is(err, io.EOF) && whole(e.line):
			return e.line, nil
		default:
			return nil, err
		}
	}
}

func whole(line []byte) bool {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	data = bytes.TrimSpace(data)
	return ok && (string(data) == "[DONE]" || json.Valid(data))
}
