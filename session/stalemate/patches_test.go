package stalemate_test

import (
	"strings"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/session/stalemate"
)

func attempt(by, content, code string) stalemate.Attempt {
	return stalemate.Attempt{By: by, Content: content, Code: fault.Code(code), Message: "it was refused"}
}

func TestFromPatches(t *testing.T) {
	on := &stalemate.PatchedText{Name: "memo@v2", Content: "text", Patch: "{}"}
	for name, c := range map[string]struct {
		tries []stalemate.Attempt
		kind  string
	}{
		"nothing":         {},
		"twice":           {tries: []stalemate.Attempt{attempt("A", "p", "x"), attempt("A", "p", "x")}},
		"the same patch":  {[]stalemate.Attempt{attempt("A", "p", "x"), attempt("A", "p", "y"), attempt("A", "p", "z")}, stalemate.Retry},
		"the same error":  {[]stalemate.Attempt{attempt("A", "p", "x"), attempt("A", "q", "x"), attempt("A", "r", "x")}, stalemate.Error},
		"others between":  {[]stalemate.Attempt{attempt("A", "p", "x"), attempt("B", "p", "x"), attempt("A", "p", "x"), attempt("A", "p", "x")}, stalemate.Retry},
		"another is last": {tries: []stalemate.Attempt{attempt("A", "p", "x"), attempt("A", "p", "x"), attempt("A", "p", "x"), attempt("B", "p", "x")}},
	} {
		got, stuck := stalemate.FromPatches(on, c.tries)
		if got.Kind != c.kind || stuck != (c.kind != "") {
			t.Errorf("%s: %v %q", name, stuck, got.Kind)
		}
	}
}

func TestPatchRequestIsSendable(t *testing.T) {
	tries := []stalemate.Attempt{attempt("A", "p", "x"), attempt("A", "p", "x"), attempt("A", "p", "x")}
	for _, size := range []int{10, 2 << 20} {
		on := &stalemate.PatchedText{Name: "memo@v2", Content: strings.Repeat("a", size), Patch: "{}"}
		c, _ := stalemate.FromPatches(on, tries)
		r := stalemate.PatchRequest(on, time.Unix(0, 0), &c)
		back, warnings, err := stalemate.ReadRequest(r.JSON())
		if err != nil || len(warnings) > 0 || back.Sendable() != nil {
			t.Errorf("%v, %v", err, warnings)
		}
		if len(r.JSON()) > 1<<20 {
			t.Error("the request is too long")
		}
	}
}
