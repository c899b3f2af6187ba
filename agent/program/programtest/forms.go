package programtest

import (
	"encoding/json"
	"io"
	"os"
	"strings"
)

type object = map[string]any

func line(values ...object) {
	for _, v := range values {
		data, err := json.Marshal(v)
		if err != nil {
			continue // which cannot be
		}
		_, _ = os.Stdout.Write(append(data, '\n')) // a reader that is gone shows elsewhere
	}
}

// says writes an answer in the form of the program's kind, with the noise around
// it that the real ones have.
func (p *player) says(text string) int {
	switch p.form {
	case "codex-cli":
		line(object{"type": "thread.started", "thread_id": "01a1"},
			object{"type": "item.completed", "item": object{"id": "item_0", "type": "error", "message": "Model metadata not found."}},
			object{"type": "turn.started"},
			object{"type": "item.completed", "item": object{"id": "item_1", "type": "agent_message", "text": "I am thinking aloud."}},
			object{"type": "item.completed", "item": object{"id": "item_2", "type": "command_execution", "command": "ls", "exit_code": 0}},
			object{"type": "item.completed", "item": object{"id": "item_3", "type": "agent_message", "text": text}},
			object{"type": "turn.completed", "usage": object{"input_tokens": 4958, "cached_input_tokens": 4000, "output_tokens": 7}})
	case "gemini-cli":
		_, _ = io.WriteString(os.Stdout, "Loaded cached credentials.\n") // a library of its own
		line(object{"type": "init", "session_id": "s", "model": "double-gemini"},
			object{"type": "message", "role": "user", "content": "the question"},
			object{"type": "message", "role": "assistant", "content": "I am thinking aloud.", "delta": true},
			object{"type": "tool_use", "tool_name": "list_directory"}, object{"type": "tool_result", "status": "success"})
		for _, part := range halves(text) {
			line(object{"type": "message", "role": "assistant", "content": part, "delta": true})
		}
		line(object{"type": "result", "status": "success", "stats": object{"total_tokens": 4965, "input_tokens": 4958, "output_tokens": 7}})
	case "claude-code":
		line(object{"type": "system", "subtype": "init"},
			object{"type": "assistant", "message": object{"model": "double-claude", "content": []object{{"type": "text", "text": text}}}},
			object{
				"type": "result", "subtype": "success", "is_error": false, "result": text, "num_turns": 1,
				"usage": object{"input_tokens": 58, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 4000, "output_tokens": 7},
			})
	default:
		if _, err := io.WriteString(os.Stdout, text); err != nil {
			return 1
		}
	}
	return 0
}

// halves cuts a text in two, between two characters.
func halves(text string) []string {
	runes := []rune(text)
	return []string{string(runes[:len(runes)/2]), string(runes[len(runes)/2:])}
}

// fails says that something went wrong, as the program's kind does.
func (p *player) fails(why string) int {
	switch p.form {
	case "codex-cli":
		line(object{"type": "thread.started", "thread_id": "01a1"}, object{"type": "turn.started"},
			object{"type": "error", "message": "Reconnecting... 1/1"},
			object{"type": "turn.failed", "error": object{"message": why}})
		return 1
	case "gemini-cli":
		line(object{"type": "init", "session_id": "s", "model": "double-gemini"},
			object{"type": "result", "status": "error", "error": object{"type": "unknown", "message": "[API Error: " + why + "]"}, "stats": object{"input_tokens": 0}})
		if strings.Contains(why, "500") {
			return 244 // the lower byte of it
		}
		return 1
	case "claude-code":
		line(object{"type": "result", "subtype": "success", "is_error": true, "result": "API Error: " + why})
		return 1
	}
	_, _ = io.WriteString(os.Stderr, why+"\n")
	if len(p.args) > 2 && p.args[2] == Fails {
		return 75
	}
	return 1
}

// tool is one more turn with a tool.
func (p *player) tool(n int) {
	switch p.form {
	case "codex-cli":
		line(object{"type": "item.completed", "item": object{"id": n, "type": "command_execution", "command": "ls"}})
	case "gemini-cli":
		line(object{"type": "tool_use", "tool_name": "list_directory"}, object{"type": "tool_result", "status": "success"})
	case "claude-code":
		line(object{"type": "assistant", "message": object{"content": []object{{"type": "tool_use", "name": "Bash"}}}})
	}
}
