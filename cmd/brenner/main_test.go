package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/testscript"

	"brenner/cmd/brenner/cli"
	"brenner/cmd/brenner/cli/ui"
	"brenner/playbook/embedding/embeddingtest"
	"brenner/project"
	"brenner/project/schemas"
	"brenner/prompts"
)

// TestMain makes the test binary act as brenner in scripts.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"brenner": main, "brenner-still": fixedClock, "brenner-hasty": fastClock})
}

func TestScripts(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	models := modelServer(t, nil)
	listed := modelServer(t, map[string]string{
		"/v1/models": `{"data":[{"id":"good","context_length":32768},{"id":"prose","max_model_len":8192},{"id":"content"},{"id":"garbled"}]}`,
	})
	llama := modelServer(t, map[string]string{"/v1/models": `{"data":[{"id":"good"}]}`, "/props": `{"default_generation_settings":{"n_ctx":4096}}`})
	embeddings := embeddingtest.NewServer(t, nil).BaseURL()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		// nohup: the tests ignore SIGHUP, and so do the processes they start.
		Condition: func(name string) (bool, error) {
			if name != "nohup" {
				return false, fmt.Errorf("unknown condition %s", name)
			}
			return signal.Ignored(syscall.SIGHUP), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fits": fits, "exit": exit, "body": body, "message": message, "example": example, "poormail": poormail, "mailserver": mailserver, "sqlite": sqlite, "elsewhere": elsewhere,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", root+"/../../examples")
			env.Setenv("REPOSITORY", root+"/../..")
			env.Setenv("MODELS", models)
			recordOtherHosts(env)
			env.Setenv("LISTED", listed) // lists its models
			env.Setenv("LLAMA", llama)
			env.Setenv("EMBEDDINGS", embeddings)
			env.Setenv("BRENNER_TRUST_FILE", env.WorkDir+"/trusted.json")
			// The race detector makes every process sleep for a second at exit.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
	})
}

// fixedClock is the program with a stopped clock, so that two runs can produce the same
// bytes.
func fixedClock() {
	if code, ok := project.Supervise(os.Args[1:]); ok {
		os.Exit(code) //nolint:forbidigo // it is a main function
	}
	streams := ui.System()
	streams.Now = func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }
	os.Exit(cli.Run(context.Background(), os.Args[1:], streams)) //nolint:forbidigo // it is a main function
}

// fastClock is the program with a clock that is 500 times too fast, for waits of minutes.
func fastClock() {
	streams, began := ui.System(), time.Now()
	streams.Now = func() time.Time { return began.Add(500 * time.Since(began)) }
	os.Exit(cli.Run(context.Background(), os.Args[1:], streams)) //nolint:forbidigo // it is a main function
}

// exit CODE COMMAND…: the command exits with exactly that code.
func exit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE command…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// body MAILS FILE: writes the body of the first message printed by kickoff compose.
func body(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: body MAILS FILE")
	}
	_, text, _ := strings.Cut(ts.ReadFile(args[0]), "\n\n")
	text, _, _ = strings.Cut(text, "\n"+strings.Repeat("=", 78)+"\n")
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}

// message PLAN AGENT FILE: writes the message to an agent that a dry run printed as JSON.
func message(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: message PLAN AGENT FILE")
	}
	var plan struct {
		Messages []struct{ To, Body string }
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &plan))
	for _, m := range plan.Messages {
		if m.To == args[1] {
			ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(m.Body), 0o644))
			return
		}
	}
	ts.Fatalf("no message to %s", args[1])
}

// example ROLE FILE: writes the worked example of a role's prompt to a file.
func example(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: example ROLE FILE")
	}
	t, ok := prompts.For(args[0], prompts.Latest)
	if !ok {
		ts.Fatalf("no role %s", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(t.Example()), 0o644))
}

// fits FILE [SCHEMA]: the JSON document is valid against the published schema it names.
func fits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: fits FILE [SCHEMA]")
	}
	var doc any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &doc))
	name := ""
	if len(args) > 1 {
		name = args[1]
	} else if object, ok := doc.(map[string]any); ok {
		name = fmt.Sprint(object["schema"])
	}
	ts.Check(validate(name, doc))
}

// validate uses the validator that the program has anyway. The stricter one that other tests use compiles its own schemas
// when a process starts, and this binary is started thousands of times.
func validate(name string, doc any) error {
	text, ok := schemas.Find(name)
	if !ok {
		return fmt.Errorf("no schema %q is published", name)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		return err
	}
	schema.ID = "schema:" + name // the published one is no URI
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return err
	}
	return resolved.Validate(doc)
}
