package openaitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"
)

// Answer is what an endpoint does with a request. The zero value is a blank
// answer.
type Answer struct {
	Text     string
	Refusal  string // said in place of a text
	Thoughts string // written before it
	Chunk    int    // bytes of text in one piece of a stream; 0 means 64 KiB
	Finish   string // why it ended; empty means "stop"
	Usage    *Usage // nil tells none

	// Wait, if not nil, is called before each piece of a stream, with its number
	// from 0, and once with 0 before anything else.
	Wait func(piece int)

	// Hang never answers, Cut drops the connection after the text, End ends the
	// stream there without a word, Broken breaks the JSON there.
	Hang, Cut, End, Broken bool

	// Status, if not 0, refuses with this number, these headers and this body.
	Status int
	Header map[string]string
	Body   string

	// Write, if not nil, does it all.
	Write http.HandlerFunc
}

// Usage is what an answer cost.
type Usage struct{ Input, Output int }

// Refuse gives an error in the form of the API.
func Refuse(status int, code, message string) Answer {
	body, _ := json.Marshal(object{"error": object{"message": message, "type": "invalid_request_error", "param": nil, "code": code}})
	return Answer{Status: status, Body: string(body), Header: map[string]string{"Content-Type": "application/json"}}
}

type object = map[string]any

func (a Answer) write(w http.ResponseWriter, r *http.Request, req Request) {
	switch {
	case a.Hang:
		<-r.Context().Done()
		return
	case a.Write != nil:
		a.Write(w, r)
		return
	case a.Status != 0:
		for name, value := range a.Header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(a.Status)
		_, _ = w.Write([]byte(a.Body))
		return
	}
	a.wait(0)
	if a.Finish == "" {
		a.Finish = "stop"
	}
	if req.Stream {
		a.stream(w, req)
		return
	}
	body, _ := json.Marshal(a.whole(req))
	if a.Broken || a.Cut {
		body = body[:len(body)/2]
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
	a.drop(w)
}

func (a Answer) wait(n int) {
	if a.Wait != nil {
		a.Wait(n)
	}
}

// drop ends the connection where it is to be cut.
func (a Answer) drop(w http.ResponseWriter) {
	if a.Cut {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

func (a Answer) stream(w http.ResponseWriter, req Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	_, _ = fmt.Fprint(w, ": hello\n\n") // a comment, as gateways send them
	if a.Thoughts != "" {
		send(w, req.piece(delta{Thoughts: a.Thoughts}))
	}
	for n, piece := range a.pieces() {
		a.wait(n)
		d := delta{Content: piece}
		if a.Refusal != "" {
			d = delta{Refusal: piece}
		}
		send(w, req.piece(d))
		_ = flush.Flush()
	}
	switch {
	case a.Broken:
		_, _ = fmt.Fprint(w, "data: {\"choices\": [{\"delta\": oh\n\n")
		return
	case a.Cut:
		_, _ = fmt.Fprint(w, "data: {\"choices\": [{\"del")
		a.drop(w)
	case a.End:
		return
	}
	for _, e := range a.ending(req) {
		send(w, e)
	}
	if !req.responses {
		_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

func send(w http.ResponseWriter, what any) {
	data, _ := json.Marshal(what)
	if e, ok := what.(event); ok {
		_, _ = fmt.Fprintf(w, "event: %s\n", e.Type)
	}
	_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
}

// pieces cuts the text between characters.
func (a Answer) pieces() []string {
	size := a.Chunk
	if size <= 0 {
		size = 64 << 10
	}
	var all []string
	for text := a.Text + a.Refusal; text != ""; {
		n := min(size, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		all, text = append(all, text[:n]), text[n:]
	}
	return all
}
