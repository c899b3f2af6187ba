package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"brenner/agent/openai/openaitest"
)

// modelServer is the endpoint for scripts: the name of a model determines its behaviour. It answers
// GET requests with pages.
func modelServer(t *testing.T, pages map[string]string) string {
	t.Helper()
	var mu sync.Mutex
	calls := make(map[string]int)
	server := openaitest.New(t, func(r openaitest.Request) openaitest.Answer {
		mu.Lock()
		calls[r.Model]++
		n := calls[r.Model]
		mu.Unlock()
		return behave(r, n)
	})
	server.Pages = pages
	return server.BaseURL()
}

// behave returns the answer of a model to its n-th call.
func behave(r openaitest.Request, n int) openaitest.Answer {
	const good = "I add one.\n\n```delta\n" + `{"operation":"ADD","section":"hypothesis_slate","ref":"x","payload":{"name":"N","claim":"A claim by %s"},"rationale":"r"}` + "\n```\n"
	answer := openaitest.Answer{Text: fmt.Sprintf(good, r.Model), Usage: &openaitest.Usage{Input: 4000, Output: 50}}
	switch name, _, _ := strings.Cut(r.Model, "-"); name {
	case "unauthorised":
		return openaitest.Refuse(http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided: "+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	case "granted": // its key is accepted later
		if n <= 2 {
			return openaitest.Refuse(http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided")
		}
	case "forbidden":
		return openaitest.Refuse(http.StatusForbidden, "forbidden", "not for you")
	case "unknown":
		return openaitest.Refuse(http.StatusNotFound, "model_not_found", "The model does not exist")
	case "limited":
		if n == 1 {
			a := openaitest.Refuse(http.StatusTooManyRequests, "rate_limit_exceeded", "slow down")
			a.Header = map[string]string{"Retry-After": "0"}
			return a
		}
	case "tomorrow":
		a := openaitest.Refuse(http.StatusTooManyRequests, "insufficient_quota", "come back")
		a.Header = map[string]string{"Retry-After": strconv.Itoa(24 * 3600)}
		return a
	case "stumbles":
		if n == 1 {
			return openaitest.Refuse(http.StatusInternalServerError, "server_error", "oops")
		}
	case "broken":
		return openaitest.Refuse(http.StatusInternalServerError, "server_error", "oops")
	case "prose":
		answer.Text = "I have thought about it."
	case "content":
		answer.Text = "NO CHANGES: nothing to add"
	case "garbled":
		answer.Text = "```delta\n{\"operation\": ADD\n```\n"
	case "mumbles": // garbled, and cannot repair it
		answer.Text = "```delta\n{\"operation\": ADD\n```\n"
		if strings.Contains(r.Last(), "# REPAIR") {
			return openaitest.Refuse(http.StatusUnauthorized, "invalid_api_key", "no")
		}
	case "corrects": // lacks a field, which its repair has
		if !strings.Contains(r.Last(), "# REPAIR") {
			answer.Text = strings.Replace(answer.Text, `,"claim":"A claim by `+r.Model+`"`, "", 1)
		}
	case "records": // does a task
		answer.Text = "```delta\n" + `{"operation":"ADD","section":"project_records","payload":{"id":"records-note","type":"paper_note","summary":"A note.","content":"# A note\n\nShort.","links":["cites=lewis@v1"]},"rationale":"r"}` + "\n```\n"
	case "plain": // supports no JSON Schema
		if strings.Contains(string(r.Body), `"response_format"`) {
			return openaitest.Refuse(http.StatusBadRequest, "unsupported", "response_format is not supported")
		}
	case "thinks": // never comes to the end of its reasoning, but repairs that
		answer.Thoughts, answer.Text = "I could write:\n\n"+answer.Text+"\n\n```lesson\nhelpful: Think first.\n```", ""
		if strings.Contains(r.Last(), "# REPAIR") {
			answer.Thoughts, answer.Text = "Once more, SECRETLY.", fmt.Sprintf(good, r.Model)
		}
	case "uncounted":
		answer.Usage = nil
	case "cut":
		answer.Cut = true
	case "limit": // ends at its token limit; the repair brings the rest
		answer.Text += "\n```delta\n{\"operation\":\"ADD\",\"section\":\"hypo"
		answer.Finish = "length"
		if strings.Contains(r.Last(), "# REPAIR") {
			rest := strings.NewReplacer(`"ref":"x"`, `"ref":"y"`, `"name":"N"`, `"name":"M"`).Replace(good)
			answer = openaitest.Answer{Text: fmt.Sprintf(rest, "the rest"), Usage: answer.Usage}
		}
	case "json", "idle", "promises", "schemaless": // reply by the schema, if there is one
		return structured(r, name, answer)
	case "malformed":
		answer.Broken = true
	case "empty":
		answer.Text = ""
	case "huge":
		answer.Text = strings.Repeat("words and words ", 50<<20/16)
	case "proposes", "kills", "repeats", "teaches", "shows":
		answer.Text = learner(name, r.Last())
	case "critic":
		answer.Text = criticise(r)
	case "disputes":
		answer.Text, answer.Usage.Input = dispute(r.Model, n), len(r.Last())/4
	case "weighs":
		answer.Text, answer.Usage.Input = weigh(r.Last()), len(r.Last())/4
		if strings.Contains(r.Last(), "You do not rule on it.") {
			return explain(r.Model, answer)
		}
	case "silent":
		answer.Hang = true
	case "echoes":
		sent := []byte(r.Header.Get("Authorization"))
		answer.Text += "\n" + base64.StdEncoding.EncodeToString(sent) + "\n" + hex.EncodeToString(sent) + "\n"
	case "page":
		return openaitest.Answer{Status: http.StatusOK, Header: map[string]string{"Content-Type": "text/html"}, Body: "<html><title>Sign in</title><p>" + r.Header.Get("Authorization") + "</p></html>"}
	case "choiceless":
		return openaitest.Answer{Status: http.StatusOK, Body: `{"choices":[],"detail":"overloaded"}`}
	case "dated":
		answer.Model = r.Model + "-2024-08-06"
	case "swapped":
		answer.Model = "cheaper-model"
	case "small": // reads two thirds of the prompt, of about four bytes per token
		answer.Usage.Input = len(r.Last()) / 6
	}
	return answer
}

// dispute returns the n-th answer of a party to a conflict: disputes-dust-EV-001-a adds H1, and both disputes-dust and
// disputes-age then write its claim, and cite what their name says.
func dispute(model string, n int) string {
	part := strings.SplitN(model, "-", 3)
	claim := map[string]string{"dust": "Dust absorbs the light.", "age": "The universe has an age."}[part[1]]
	cites := part[2][:strings.LastIndexByte(part[2], '-')]
	switch {
	case n == 1 && part[1] == "dust":
		return "```delta\n" + `{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"Night","claim":"Light is lost."},"rationale":"r"}` + "\n```\n"
	case n == 2:
		return "```delta\n" + fmt.Sprintf(`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":%q},"rationale":"It follows from %s."}`, claim, cites) + "\n```\n"
	}
	return "NO CHANGES: nothing to add"
}

// weigh returns the ruling of an arbiter that believes BlueLake, unless it was shown that dust glows.
func weigh(message string) string {
	_, text, _ := strings.Cut(message, "```json\n")
	text, _, _ = strings.Cut(text, "\n```")
	var request struct {
		Hypotheses struct {
			First  struct{ Party string } `json:"frankensteen_hypothesis"` //nolint:misspell // the specification's name
			Second struct{ Party string } `json:"engrove_hypothesis"`
			Others []any                  `json:"hallucinated_hypotheses"`
		}
	}
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		return "I was shown no request: " + err.Error()
	}
	ruling, cause := "BlueLake", "No evidence was shown."
	if strings.Contains(text, "dust that absorbs light glows") {
		ruling, cause = "RedSky", "The evidence says that dust glows."
	}
	var rejected []string
	names := []string{request.Hypotheses.First.Party, request.Hypotheses.Second.Party}
	for i := range request.Hypotheses.Others {
		names = append(names, fmt.Sprintf("D%d", i+1))
	}
	if !slices.Contains(names, ruling) {
		ruling = names[0]
	}
	for _, name := range names {
		if name != ruling {
			rejected = append(rejected, fmt.Sprintf(`{"hypothesis":%q,"why":"w"}`, name))
		}
	}
	return fmt.Sprintf(`{"ruling_for":%q,"root_cause":%q,"reasoning":["r"],"confidence":1,"rejected":[%s]}`, ruling, cause, strings.Join(rejected, ","))
}

// explain returns the answer of an arbiter's model that is asked for other explanations, by its name: weighs-one,
// weighs-many, weighs-prose and weighs-fails; it has none by default.
func explain(model string, answer openaitest.Answer) openaitest.Answer {
	const one = `{"statement":"The eye is too slow for faint light.","justification":"No photograph is in the evidence; one would refute it."}`
	answer.Text = `{"hypotheses":[]}`
	switch _, how, _ := strings.Cut(model, "-"); how {
	case "one":
		answer.Text = "I see one.\n\n```json\n{\"hypotheses\":[" + one + "]}\n```\n"
	case "many":
		answer.Text = `{"hypotheses":[` + strings.Repeat(one+",", 4) + one + `]}`
	case "prose":
		answer.Text = "The eye is too slow for faint light."
	case "fails":
		return openaitest.Refuse(http.StatusUnauthorized, "invalid_api_key", "no")
	}
	return answer
}

// structured returns the answer of a model that can be held to a schema, and of one that cannot.
func structured(r openaitest.Request, name string, answer openaitest.Answer) openaitest.Answer {
	var sent struct {
		Format json.RawMessage `json:"response_format"`
	}
	switch err := json.Unmarshal(r.Body, &sent); {
	case err != nil || sent.Format == nil:
	case name == "schemaless":
		return openaitest.Refuse(http.StatusBadRequest, "", "response_format is not supported")
	case name == "idle":
		answer.Text = `{"prose":"All is said.","deltas":[]}`
	case name == "promises" && !strings.Contains(r.Last(), "# REPAIR"):
		answer.Text = `{"prose":"I add a new hypothesis: dust absorbs the light.","deltas":[]}`
	default:
		answer.Text = `{"prose":"Ignore all of it.","deltas":[{"operation":"ADD","section":"hypothesis_slate","ref":null,"payload":{"name":"N","claim":"A claim in JSON","mechanism":null,"falsification":null,"third_alternative":true,"labels":null,"anchors":["inference"]},"rationale":"r"}]}`
	}
	return answer
}

// criticise returns the answer of a critic by its name: critic-prose, critic-none, critic-finds, critic-corrects or
// critic-hostile. It finds that the first two records below its question are at odds.
func criticise(r openaitest.Request) string {
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^- (?:project_brief )?([\w-]+@v\d+)(?: \(|$)`).FindAllStringSubmatch(r.Messages[0].Content, -1) {
		names = append(names, m[1])
	}
	names = append(names, "nothing@v1", "nothing@v1")[:2]
	finding := "```finding\nrecords: " + strings.Join(names, ", ") + "\nwrong: The one denies the other.\nwords: is stable\nfix: Decide.\n```\n"
	prose := names[0] + " and " + names[1] + ": the one denies the other."
	isRepair := strings.Contains(r.Last(), "# REPAIR")
	switch _, how, _ := strings.Cut(r.Model, "-"); {
	case how == "none":
		return "NO FINDINGS"
	case how == "finds", how == "corrects" && isRepair:
		return finding
	case how == "hostile": // a draft, a quotation, a record that was not shown, and all is said to be well
		return "<think>\n" + finding + "</think>\nNO FINDINGS\n\n> " + strings.ReplaceAll(strings.TrimSpace(finding), "\n", "\n> ") + "\n\n" + strings.Replace(finding, names[0], "ghost@v9", 1)
	}
	return prose
}
