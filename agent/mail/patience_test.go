package mail_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"brenner/agent"
	agentmail "brenner/agent/mail"
	"brenner/mail"
	"brenner/roster"
)

type object = map[string]any

// hasty is a server that claims to wait for mail but responds immediately.
type hasty struct {
	inbox    []object  // our inbox
	question object    // the message we sent
	acked    time.Time // when it is acknowledged
	fetches  int
	stop     func() // cancels the call
}

// maxFetches ends a failing test: the fake clock does not advance while goroutines are busy.
const maxFetches = 1000

func (h *hasty) RoundTrip(r *http.Request) (*http.Response, error) {
	var q struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name      string
			Arguments struct {
				Agent string `json:"agent_name"`
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		return nil, err
	}
	var result any = object{}
	switch q.Method {
	case "tools/list":
		result = object{"tools": []object{
			{"name": "fetch_inbox", "inputSchema": object{"properties": object{"wait_seconds": object{}, "thread_id": object{}}}},
			{"name": "send_message", "inputSchema": object{"properties": object{"idempotency_key": object{}}}},
		}}
	case "resources/read":
		if now := time.Now(); now.After(h.acked) {
			h.question["receipts"] = []object{{"agent": "BlueLake", "ack_ts": now}}
		}
		text, err := json.Marshal(object{"messages": []object{h.question}})
		if err != nil {
			return nil, err
		}
		result = object{"contents": []object{{"text": string(text)}}}
	case "tools/call":
		var content any
		switch q.Params.Name {
		case "whois":
			content = object{"id": 1, "name": q.Params.Arguments.Agent}
		case "send_message":
			content = h.question
		case "fetch_inbox":
			if h.fetches++; h.fetches > maxFetches {
				h.stop()
			}
			content = object{"messages": h.inbox}
		default:
			content = object{"id": 1}
		}
		result = object{"structuredContent": content}
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": q.ID, "result": result})
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, err
}

// A server that does not wait is polled at the normal interval, whatever other mail
// it returns and however that is numbered. Receipts are still seen.
func TestHastyServerIsPolledAtInterval(t *testing.T) {
	const at = "2000-01-01T00:00:00Z"
	other := func(id any) object {
		return object{"id": id, "thread_id": thread, "from": "RedSky", "subject": "INFO: hello", "created_ts": at}
	}
	question := func(id any) object {
		return object{"id": id, "thread_id": thread, "from": "Operator", "to": []string{"BlueLake"}, "subject": "KICKOFF: q", "created_ts": at}
	}
	for name, server := range map[string]*hasty{
		"no mail":               {question: question(7)},
		"a message, numbered":   {question: question(7), inbox: []object{other(8)}},
		"a message with a name": {question: question("m-7"), inbox: []object{other("m-8")}},
		"an older message":      {question: question(7), inbox: []object{other(3)}},
		"messages with names":   {question: question("m-7"), inbox: []object{other("a"), other("b"), other("c")}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, err := mail.New(mail.Options{URL: "http://mail.example/mcp", HTTP: &http.Client{Transport: server}})
				if err != nil {
					t.Fatal(err)
				}
				const poll, patience = 2 * time.Second, time.Minute
				var seen agentmail.Progress
				d := agentmail.New(agentmail.Options{
					Client: client, Project: "/p", Sender: "Operator", Poll: poll,
					Observe: func(s agentmail.Progress) { seen = s },
				})
				a, err := d.Agent(agent.Setup{Entry: roster.Entry{Agent: "BlueLake"}})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				server.acked, server.stop = time.Now().Add(patience/2), cancel
				_, err = a.Ask(ctx, kickoff("a", "BlueLake"))
				if f, ok := err.(*agent.Failure); !ok || f.Code != agent.TimedOut { //nolint:errorlint // the contract requires this type, unwrapped
					t.Error(err)
				}
				if most := int(patience/poll) + 2; server.fetches > most || server.fetches < most/2 {
					t.Errorf("inbox fetched %d times in %s", server.fetches, patience)
				}
				if seen.Acked.IsZero() {
					t.Errorf("the receipt was not seen: %+v", seen)
				}
			})
		})
	}
}
