package fault_test

import (
	"errors"
	"slices"
	"testing"

	"brenner/internal/fault"
)

func TestDetailsAreDistinct(t *testing.T) {
	if none := fault.Details(); none == nil || len(none) > 0 {
		t.Errorf("details of nothing: %#v, want an empty list", none)
	}
	first := &fault.Error{Code: "ONE", Place: "line 1", Detail: "wrong", Hint: "fix it"}
	got := fault.Details(errors.Join(first, &fault.Error{Code: "TWO", Cause: first}), first)
	want := []fault.Detail{{Code: "ONE", Message: "line 1: wrong", Hint: "fix it"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	got = fault.Details(errors.New("plain"))
	if want := []fault.Detail{{Message: "plain"}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
