package govern

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"brenner/internal/fault"
)

// ReadDrafts reads drafts as lines of JSON. The file is named in errors.
func ReadDrafts(file string, data []byte) ([]Draft, error) {
	const hint = "`brenner store put --help` names the keys"
	var out []Draft
	for i, line := range bytes.Split(data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var in struct {
			ID      string   `json:"id"`
			Type    string   `json:"type"`
			Module  string   `json:"module"`
			Summary string   `json:"summary"`
			Content string   `json:"content"`
			Change  string   `json:"change"`
			Parent  int      `json:"parent"`
			Tags    []string `json:"tags"`
			Links   []string `json:"links"`
			NoLinks bool     `json:"no_links"`
			Task    string   `json:"task"`
		}
		place := fmt.Sprintf("%s, line %d", file, i+1)
		if err := json.Unmarshal(line, &in, json.RejectUnknownMembers(true)); err != nil {
			return nil, &fault.Error{Code: BadRecord, Op: "read drafts", Place: place, Cause: err, Hint: hint}
		}
		if in.ID == "" {
			return nil, &fault.Error{Code: BadID, Op: "read drafts", Place: place, Detail: "its id is missing", Hint: hint}
		}
		links, err := ParseLinks(in.Links)
		if err != nil {
			return nil, fault.InFile("read drafts", place, err)
		}
		out = append(out, Draft{
			ID: in.ID, Type: in.Type, Module: in.Module, Summary: in.Summary, Content: []byte(in.Content), Change: in.Change, Parent: in.Parent, Tags: in.Tags, Links: links, NoLinks: in.NoLinks, Task: in.Task,
		})
	}
	return out, nil
}

// ParseLinks reads links as people write them: RELATION=ADDRESS.
func ParseLinks(words []string) ([]Link, error) {
	var out []Link
	for _, w := range words {
		relation, to, ok := strings.Cut(w, "=")
		if !ok {
			return nil, &fault.Error{Code: BadLink, Place: "--link " + fault.Shown(w), Detail: "it is no RELATION=ADDRESS", Hint: "such as cites=note-1@v2"}
		}
		out = append(out, Link{Relation: relation, To: to})
	}
	return out, nil
}
