package fault_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"brenner/fault"
)

func TestErrorSaysWhatWhereAndWhy(t *testing.T) {
	for want, err := range map[string]*fault.Error{
		"read base: a.json: no such file":        {Op: "read base", Place: "a.json", Detail: "no such file"},
		"write: disk full: EOF":                  {Op: "write", Detail: "disk full", Cause: io.EOF},
		"EOF":                                    {Cause: io.EOF},
		"SOME_CODE":                              {Code: "SOME_CODE"},
		"read base: read more: line 3: bad word": {Op: "read base", Cause: &fault.Error{Op: "read more", Place: "line 3", Detail: "bad word"}},
	} {
		if got := err.Error(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

func TestCodeAndHintAreFoundInTheChain(t *testing.T) {
	inner := &fault.Error{Code: "INNER", Hint: "do this", Cause: io.EOF}
	outer := fmt.Errorf("around: %w", &fault.Error{Code: "OUTER", Cause: inner})
	if fault.CodeOf(outer) != "OUTER" || fault.HintOf(outer) != "do this" || !errors.Is(outer, io.EOF) {
		t.Errorf("%s, %s", fault.CodeOf(outer), fault.HintOf(outer))
	}
	if fault.CodeOf(io.EOF) != "" || fault.HintOf(nil) != "" || fault.HintOf(io.EOF) != "" {
		t.Error("a code or a hint from nowhere")
	}
}
