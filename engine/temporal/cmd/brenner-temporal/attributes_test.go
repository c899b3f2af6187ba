package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"
)

const attributesOn = "BRENNER_ENGINE_TEMPORAL_SEARCH_ATTRIBUTES=true"

// namespace makes a namespace with the search attributes, as an administrator does, and returns it when the engine knows them.
func (f *fleet) namespace(c client.Client) string {
	f.t.Helper()
	name := "of-" + f.project
	_, err := c.WorkflowService().RegisterNamespace(f.t.Context(), &workflowservice.RegisterNamespaceRequest{Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour)})
	if err != nil {
		f.t.Fatal(err)
	}
	keyword := map[string]enums.IndexedValueType{}
	for _, key := range []string{"BrennerProject", "BrennerLoop", "BrennerThread"} {
		keyword[key] = enums.INDEXED_VALUE_TYPE_KEYWORD
	}
	f.until(func() error {
		_, err := c.OperatorService().AddSearchAttributes(f.t.Context(), &operatorservice.AddSearchAttributesRequest{Namespace: name, SearchAttributes: keyword})
		return err
	})
	f.until(func() error { // each service learns of them by itself
		_, err := c.WorkflowService().CountWorkflowExecutions(f.t.Context(), &workflowservice.CountWorkflowExecutionsRequest{Namespace: name, Query: "BrennerThread = 'x'"})
		return err
	})
	return name
}

// until repeats something until it has no error.
func (f *fleet) until(do func() error) {
	f.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for err := do(); err != nil; err = do() {
		if time.Now().After(deadline) {
			f.t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// Workflows are found by the names of project, loop and session, and by nothing else. Without these attributes in the namespace, a loop
// runs, and the program says that it lacks them.
func TestOnServerSearchAttributes(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	c := f.dial()
	in := "BRENNER_ENGINE_TEMPORAL_NAMESPACE=" + f.namespace(c)
	f.machine(attributesOn).work()
	f.machine(attributesOn, in).work("--loops")
	user := f.machine(attributesOn)
	out, code := user.run("loop", "run", user.plan("plain", 1, 1), "--run", "k", "--place", "temporal")
	if code != 0 || strings.Count(out, "lacks search attributes") != 1 {
		t.Errorf("exit %d\n%s", code, out)
	}
	user = f.machine(attributesOn, in)
	if out, code := user.run("submit", user.plan("night", 2, 2), "--run", "k"); code != 0 || strings.Contains(out, "attributes") {
		t.Fatalf("exit %d\n%s", code, out)
	}
	f.awaitEnd("night-k")
	if out, code := user.run("schedule", "night-k", "--cron", "0 0 1 1 *"); code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	thread := f.state("night-k").Jobs[1].Thread
	for query, want := range map[string][]string{
		"BrennerThread = '" + thread + "'": {f.project + "/" + thread},
		"BrennerLoop = 'night-k'":          {f.project + "/" + f.state("night-k").Jobs[0].Thread, f.project + "/" + thread, f.project + "/loop/night-k"},
		"BrennerLoop = 'plain-k'":          nil,
		"BrennerProject = 'other'":         nil,
	} {
		var got []string
		var text strings.Builder
		f.until(func() error { // the index follows the workflows
			found, err := c.WorkflowService().ListWorkflowExecutions(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Namespace: strings.TrimPrefix(in, "BRENNER_ENGINE_TEMPORAL_NAMESPACE="), Query: query})
			if got = nil; err == nil {
				for _, w := range found.GetExecutions() {
					got = append(got, w.GetExecution().GetWorkflowId())
					text.WriteString(w.String())
				}
			}
			if slices.Sort(got); err == nil && len(got) < len(want) {
				err = errors.New("too few workflows are found")
			}
			return err
		})
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
		if strings.Contains(text.String(), question) {
			t.Errorf("%s: the engine knows a question\n%s", query, text.String())
		}
	}
}
