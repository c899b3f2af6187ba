package mail_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"brenner/internal/fault"
	"brenner/mail"
)

type object = map[string]any

// answering returns a client of a server whose results come from a function, by method
// or tool. An error is a refusal.
func answering(t *testing.T, o mail.Options, answer func(name string, arguments object) (any, error)) *mail.Client {
	t.Helper()
	var mu sync.Mutex
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name, URI, Cursor string
				Arguments         object
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		name, arguments := q.Method, object{"uri": q.Params.URI, "cursor": q.Params.Cursor}
		if q.Method == "tools/call" {
			name, arguments = q.Params.Name, q.Params.Arguments
		}
		result, err := answer(name, arguments)
		switch {
		case err != nil:
			result = object{"isError": true, "structuredContent": object{"error": object{"type": string(fault.CodeOf(err)), "message": err.Error()}}}
		case q.Method == "tools/call":
			result = object{"structuredContent": result}
		case q.Method == "resources/read":
			text, err := json.Marshal(result)
			if err != nil {
				t.Error(err)
			}
			result = object{"contents": []object{{"text": string(text)}}}
		case result == nil:
			result = object{}
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(object{"jsonrpc": "2.0", "id": q.ID, "result": result}); err != nil {
			t.Error(err)
		}
	}))
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		s.Close()
	})
	o.URL, o.HTTP = s.URL+"/mcp", &http.Client{Transport: transport}
	c, err := mail.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// offering returns a page of tools: one that pages threads, and endless others.
func offering(page int) object {
	tool := func(name, argument string) object {
		return object{"name": name, "inputSchema": object{"properties": object{argument: object{}}}}
	}
	return object{"tools": []object{tool("fetch_inbox", "after_id"), tool(fmt.Sprint("tool", page), "x")}, "nextCursor": fmt.Sprint(page)}
}

// A server that always has a next page does not keep the client forever.
func TestEndlessPages(t *testing.T) {
	message := func(n int) object { return object{"id": n, "subject": "s", "body_md": "b", "from": "BlueLake"} }
	for name, c := range map[string]struct {
		page  func(n int) object
		want  int
		code  fault.Code
		pages int
	}{
		"nothing new":       {func(n int) object { return object{"messages": []object{}, "next": n} }, 0, "", 1},
		"the same again":    {func(int) object { return object{"messages": []object{message(1)}, "next": 7} }, 0, mail.Garbled, 2},
		"always another":    {func(n int) object { return object{"messages": []object{message(n)}, "next": n} }, 0, mail.Garbled, 1000},
		"one, then empty":   {func(n int) object { return object{"messages": []object{message(1)}[:min(1, 2-n)], "next": n} }, 1, "", 2},
		"two, then the end": {func(n int) object { return object{"messages": []object{message(n)}, "next": []any{1, nil}[n-1]} }, 2, "", 2},
		"more than fits": {func(n int) object {
			l := message(n)
			l["body_md"] = strings.Repeat("x", 1000)
			return object{"messages": []object{l}, "next": n}
		}, 0, mail.TooLarge, 9},
	} {
		pages, lists := 0, 0
		client := answering(t, mail.Options{}, func(name string, _ object) (any, error) {
			switch name {
			case "tools/list":
				lists++
				return offering(lists), nil
			case "resources/read":
				pages++
				return c.page(pages), nil
			}
			return nil, nil
		})
		client.ReadAtMost(8500)
		all, err := client.Thread(t.Context(), mail.ThreadQuery{Project: project, Thread: thread})
		if len(all) != c.want || fault.CodeOf(err) != c.code || pages != c.pages {
			t.Errorf("%s: %d messages of %d pages, %v", name, len(all), pages, err)
		}
		if lists != 100 {
			t.Errorf("%s: %d pages of tools", name, lists)
		}
	}
}

// Tokens in malformed responses are masked, too.
func TestMalformedResponsesAreMasked(t *testing.T) {
	const secret = "canary0123456789"
	for _, bad := range []any{
		object{"registration_token": secret, "name": 5},
		[]any{object{"registration_token": secret}},
		`{"registration_token": "` + secret + `", "name": 5`,
		object{"a": `{"sender_token":"` + secret + `"}`, "name": []int{}},
		object{"Authorization": "Bearer " + secret, "name": 5},
		object{"token": []string{secret}, "name": 5},
		object{"x-api-key": secret + "\n", "name": 5},
	} {
		client := answering(t, mail.Options{}, func(name string, _ object) (any, error) {
			if name == "register_agent" {
				return bad, nil
			}
			return nil, nil
		})
		_, err := client.Register(t.Context(), mail.Registration{Project: project, Name: "BlueLake"})
		if fault.CodeOf(err) != mail.Garbled || strings.Contains(fmt.Sprintf("%v %+v", err, fault.HintOf(err)), secret) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestInstantFromNumber(t *testing.T) {
	for text, want := range map[string]string{
		"1769860800": "2026-01-31T12:00:00.000000Z", "1769860800.25": "2026-01-31T12:00:00.250000Z", "1769860800250": "2026-01-31T12:00:00.250000Z",
		"1769860800250000": "2026-01-31T12:00:00.250000Z", "0": "", "-5": "", "null": "", `""`: "", `"2026-01-31"`: "2026-01-31T00:00:00.000000Z", "1e300": "",
	} {
		var at mail.Instant
		if err := json.Unmarshal([]byte(text), &at); err != nil || want != "" && at.String() != want {
			t.Errorf("%s: %s, %v", text, at, err)
		}
	}
	if err := json.Unmarshal([]byte("true"), new(mail.Instant)); err == nil {
		t.Error("true was accepted as a time")
	}
}

// The token of a deleted mailbox is dropped and does not lock us out; a valid one is kept.
func TestRefusedTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mail-tokens.json")
	ring := func() *mail.Keyring {
		keys, err := mail.OpenKeyring(file)
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	refusal := &fault.Error{Code: mail.NotYours, Detail: "the token does not belong to Operator"}
	var accepts any = "" // the token that the server accepts; nil refuses every call
	sent := 0
	keys := ring()
	client := answering(t, mail.Options{Keys: keys}, func(name string, arguments object) (any, error) {
		if name != "send_message" {
			return object{}, nil
		}
		token, present := arguments["sender_token"]
		if accepts == nil || present && token != accepts {
			return nil, refusal
		}
		sent++
		return object{"id": sent}, nil
	})
	draft := mail.Draft{Project: project, From: "Operator", To: []string{"BlueLake"}, Subject: "s", Body: "b"}
	send := func() error { _, err := client.Send(t.Context(), draft); return err }
	keep := func(keys *mail.Keyring, token string) {
		t.Helper()
		if err := keys.Keep(client.URL(), project, "Operator", "Operator", token); err != nil {
			t.Fatal(err)
		}
	}
	held := func() string { return ring().Token(client.URL(), project, "Operator") }

	keep(keys, "bm_stale")
	if err := send(); err != nil || held() != "" || sent != 1 {
		t.Errorf("%v, held %q, sent %d", err, held(), sent)
	}
	keep(keys, "bm_stale")
	keep(ring(), "bm_new") // by another process
	accepts = "bm_new"
	if err := send(); err != nil || held() != "bm_new" || sent != 2 {
		t.Errorf("%v, held %q, sent %d", err, held(), sent)
	}
	accepts = nil
	if err := send(); fault.CodeOf(err) != mail.NotYours || held() != "bm_new" || sent != 2 {
		t.Errorf("%v, held %q, sent %d", err, held(), sent)
	}
}

// Concurrent processes store tokens, and none is lost.
func TestKeyringIsShared(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "mail-tokens.json")
	const many = 16
	var all sync.WaitGroup
	for n := range many {
		all.Go(func() {
			keys, err := mail.OpenKeyring(file) // like another process
			if err == nil {
				name := fmt.Sprint("Agent", n)
				err = keys.Keep("s", project, name, name, "bm_token")
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	keys, err := mail.OpenKeyring(file)
	if err != nil || len(keys.Agents("s", project)) != many {
		t.Errorf("%v, %v", keys.Agents("s", project), err)
	}
}

// The server's last name counts, and a registration without a token keeps the old one.
func TestKeyringNames(t *testing.T) {
	keys := &mail.Keyring{}
	for _, k := range [][3]string{{"Operator", "SilverFox", "bm_one"}, {"BlueLake", "BlueLake", "bm_blue"}, {"Operator", "RedWolf", "bm_two"}, {"Operator", "RedWolf", ""}} {
		if err := keys.Keep("s", project, k[0], k[1], k[2]); err != nil {
			t.Fatal(err)
		}
	}
	if got := keys.Name("s", project, "Operator"); got != "RedWolf" || keys.Token("s", project, got) != "bm_two" || fmt.Sprint(keys.Agents("s", project)) != "[BlueLake RedWolf]" {
		t.Errorf("%s, %v", got, keys.Agents("s", project))
	}
	if err := keys.Drop("s", project, "RedWolf", "bm_two"); err != nil || keys.Token("s", project, "RedWolf") != "" || keys.Name("s", project, "Operator") != "RedWolf" {
		t.Errorf("%v: the name was dropped with the token", err)
	}
	if err := keys.Keep("s", project, "Operator", "Operator", ""); err != nil || keys.Name("s", project, "Operator") != "Operator" {
		t.Errorf("%v: %s", err, keys.Name("s", project, "Operator"))
	}
}
