package fault_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"brenner/internal/fault"
)

func TestErrorText(t *testing.T) {
	for want, err := range map[string]*fault.Error{
		"read base: a.json: no such file":        {Op: "read base", Place: "a.json", Detail: "no such file"},
		"write: disk full: EOF":                  {Op: "write", Detail: "disk full", Cause: io.EOF},
		"EOF":                                    {Cause: io.EOF},
		"SOME_CODE":                              {Code: "SOME_CODE"},
		"read base: read more: line 3: bad word": {Op: "read base", Cause: &fault.Error{Op: "read more", Place: "line 3", Detail: "bad word"}},
	} {
		if got := err.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestCodeAndHintOfChain(t *testing.T) {
	inner := &fault.Error{Code: "INNER", Hint: "do this", Cause: io.EOF}
	outer := fmt.Errorf("around: %w", &fault.Error{Code: "OUTER", Cause: inner})
	if fault.CodeOf(outer) != "OUTER" || fault.HintOf(outer) != "do this" || !errors.Is(outer, io.EOF) {
		t.Errorf("got %s, %s", fault.CodeOf(outer), fault.HintOf(outer))
	}
	if fault.CodeOf(io.EOF) != "" || fault.HintOf(nil) != "" || fault.HintOf(io.EOF) != "" {
		t.Error("got a code or a hint without a fault")
	}
}

func TestListJoinsFaults(t *testing.T) {
	var l fault.List
	if l.Err() != nil {
		t.Error("empty list: got an error")
	}
	l.Add("ONE", "here", "do this", "wrong: %d", 1)
	if got := l.Err(); fault.CodeOf(got) != "ONE" || got.Error() != "here: wrong: 1" {
		t.Errorf("%v", got)
	}
	l.Add("TWO", "", "", "wrong too")
	all := fault.All(fmt.Errorf("around: %w", l.Err()))
	if len(all) != 2 || all[0].Code != "ONE" || all[1].Code != "TWO" {
		t.Errorf("%v", all)
	}
	if fault.All(nil) != nil || fault.All(io.EOF) != nil {
		t.Error("got faults without a fault")
	}
}

func TestDistinctKeepsEachTextOnce(t *testing.T) {
	one := &fault.Error{Code: "ONE", Detail: "wrong", Hint: "do this"}
	same := &fault.Error{Code: "OTHER", Detail: "wrong"}
	two := &fault.Error{Code: "TWO", Place: "here", Detail: "wrong"}
	got := fault.Distinct(fmt.Errorf("around: %w", errors.Join(one, same, two, one)))
	if len(got) != 2 || got[0] != one || got[1] != two {
		t.Errorf("got %v, want %v and %v", got, one, two)
	}
	got = fault.Distinct(io.EOF)
	if len(got) != 1 || *got[0] != (fault.Error{Detail: "EOF"}) {
		t.Errorf("got %+v, want one fault with EOF", got)
	}
}

func TestInFile(t *testing.T) {
	if err := fault.InFile("read", "f", nil); err != nil {
		t.Errorf("got %v for no error", err)
	}
	whole := &fault.Error{Code: "ONE", Op: "parse", Detail: "wrong", Hint: "do this"}
	line := &fault.Error{Code: "TWO", Place: "line 3", Detail: "wrong"}
	err := fault.InFile("read plan", "plan.yaml", errors.Join(whole, line, line))
	if want := "read plan: plan.yaml: wrong\nread plan: plan.yaml, line 3: wrong"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if fault.CodeOf(err) != "ONE" || fault.HintOf(err) != "do this" || fault.All(err)[1].Code != "TWO" {
		t.Errorf("codes or hint lost: %+v", fault.All(err))
	}
	if whole.Op != "parse" || whole.Place != "" {
		t.Errorf("the original fault was changed: %+v", whole)
	}
	if got := fault.InFile("read", "f", io.EOF).Error(); got != "read: f: EOF" {
		t.Errorf("got %q", got)
	}
}

func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		"BlueLake": "BlueLake", "two words": "two words", "": `""`, "  ": `"  "`, "a\x1b[31mb": `"a\x1b[31mb"`, "é": "é",
	} {
		if got := fault.Shown(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	if got := fault.Shown(strings.Repeat("é", 1000)); len([]rune(got)) != 101 {
		t.Errorf("got %d runes", len([]rune(got)))
	}
}

// Only the first of many faults are reported, with the number of the others.
func TestBounded(t *testing.T) {
	var b fault.Bounded
	if b.Err() != nil || b.Len() != 0 {
		t.Error("no faults: got an error")
	}
	for i := range 20 {
		b.Add("A", fmt.Sprintf("line %d", i), "", "wrong")
	}
	if got := len(fault.All(b.Err())); got != 20 {
		t.Errorf("got %d faults", got)
	}
	b.Take(&fault.Error{Code: "B", Place: "line 7", Detail: "wrong"})
	b.Take(&fault.Error{Code: "C", Detail: "wrong"})
	for range 2 { // Err does not change the list
		all := fault.All(b.Err())
		if last := all[len(all)-1]; len(all) != 21 || b.Len() != 22 || last.Code != "B" || last.Place != "line 7" || !strings.HasPrefix(last.Detail, "2 more mistakes") {
			t.Errorf("got %d faults, %+v", len(all), last)
		}
	}
}
