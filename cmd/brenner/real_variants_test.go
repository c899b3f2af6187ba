//go:build realmodel

package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
)

// checkVariants asks for a delta of each variant that a schema allows, without a kickoff whose example could be copied,
// and merges it into the version that the agent was shown.
func (c *realSession) checkVariants(schema json.RawMessage) {
	c.Helper()
	var whole struct {
		Properties struct {
			Deltas struct {
				Items struct {
					Variants []json.RawMessage `json:"anyOf"`
				}
			}
		}
	}
	if err := json.Unmarshal(schema, &whole); err != nil || len(whole.Properties.Deltas.Items.Variants) == 0 {
		c.Fatalf("no variants (%v): %s", err, schema)
	}
	var base string
	c.run(&base, "session", "show", realThread+"@v1", "--format", "json")
	c.write("v1.json", base)
	for _, variant := range whole.Properties.Deltas.Items.Variants {
		delta := c.askVariant(variant)
		c.write("reply.md", "```delta\n"+delta+"\n```\n")
		var result string
		if exit := c.run(&result, "merge", "--strict", "--base", "v1.json", "--deltas", realAgent+"=reply.md", "--json"); exit != 0 {
			c.Errorf("exit %d of the merge of %s:\n%s", exit, delta, result)
		}
		c.Logf("merged %s", delta)
	}
}

// askVariant asks the server for one delta, and returns it as a session would take it. At this temperature a model may
// write blanks up to its limit: then it is asked with another seed.
func (c *realSession) askVariant(variant json.RawMessage) string {
	c.Helper()
	for seed := range 3 {
		body, err := json.Marshal(map[string]any{
			"model": "SmolLM2", "temperature": 1.2, "seed": seed, "max_tokens": 1024,
			"messages":        []map[string]string{{"role": "user", "content": "Why do mice sleep by day? Answer in JSON, in few words."}},
			"response_format": map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "delta", "strict": true, "schema": variant}},
		})
		if err != nil {
			c.Fatal(err)
		}
		resp, err := http.Post(c.address+"/v1/chat/completions", "application/json", bytes.NewReader(body))
		if err != nil {
			c.Fatal(err)
		}
		var answer struct {
			Choices []struct {
				Message struct{ Content string }
				Finish  string `json:"finish_reason"`
			}
		}
		err = json.NewDecoder(resp.Body).Decode(&answer)
		_ = resp.Body.Close()
		if err != nil || len(answer.Choices) != 1 {
			c.Fatalf("status %d: %v\nschema: %s", resp.StatusCode, err, variant)
		}
		if answer.Choices[0].Finish == "stop" {
			return c.withoutNulls(answer.Choices[0].Message.Content)
		}
	}
	c.Fatalf("no delta ends within its limit: %s", variant)
	return ""
}

// withoutNulls removes members that are null, as the endpoint's agent does.
func (c *realSession) withoutNulls(text string) string {
	c.Helper()
	var delta map[string]any
	if err := json.Unmarshal([]byte(text), &delta); err != nil {
		c.Fatalf("%v\n%s", err, text)
	}
	dropNulls(delta)
	data, err := json.Marshal(delta)
	if err != nil {
		c.Fatal(err)
	}
	return string(data)
}

func dropNulls(object map[string]any) {
	for key, value := range object {
		if inner, ok := value.(map[string]any); ok {
			dropNulls(inner)
		} else if value == nil {
			delete(object, key)
		}
	}
}

// write writes a file of the project.
func (c *realSession) write(name, text string) {
	c.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o644); err != nil {
		c.Fatal(err)
	}
}
