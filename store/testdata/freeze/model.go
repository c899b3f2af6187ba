// Command model is the model endpoint of freeze.sh: the model NAME replies in round N with the
// file NAME.N.md of a directory, once no file NAME.N.wait exists. It prints its base URL, and
// accepts reports at /v1/reports.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

var round = regexp.MustCompile(`\*\*Round\*\*: (\d+)`)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s/v1\n", listener.Addr())
	log.Fatal(http.Serve(listener, http.HandlerFunc(answer)))
}

func answer(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/reports" {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	var asked struct {
		Model    string
		Messages []struct{ Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Messages) == 0 {
		http.Error(w, "not a chat completion", http.StatusBadRequest)
		return
	}
	found := round.FindStringSubmatch(asked.Messages[len(asked.Messages)-1].Content)
	if found == nil {
		http.Error(w, "the message names no round", http.StatusBadRequest)
		return
	}
	name := filepath.Join(os.Args[1], asked.Model+"."+found[1])
	for _, err := os.Stat(name + ".wait"); err == nil; _, err = os.Stat(name + ".wait") {
		time.Sleep(10 * time.Millisecond)
	}
	text, err := os.ReadFile(name + ".md")
	if err != nil {
		http.Error(w, "no such reply", http.StatusNotFound)
		return
	}
	type object = map[string]any
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(object{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": asked.Model,
		"choices": []object{{"index": 0, "finish_reason": "stop", "message": object{"role": "assistant", "content": string(text)}}},
		"usage":   object{"prompt_tokens": 4000, "completion_tokens": 200, "total_tokens": 4200},
	})
}
