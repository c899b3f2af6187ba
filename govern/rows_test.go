package govern_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"brenner/govern"
	"brenner/store/record"
)

// Commands print these values unchanged: their JSON form is an interface.
func TestRowsNameVersionsByIDAndNumber(t *testing.T) {
	ref := record.Ref{ID: "note", Version: 2}
	for _, tt := range []struct {
		value any
		want  string
	}{
		{govern.Outdated{Ref: ref, Type: "t", Module: "m", Reason: "r"}, `{"id":"note","version":2,"type":"t","module":"m","canonical":false,"reason":"r"}`},
		{govern.Stale{Ref: ref, Type: "t", Module: "m", Because: "memo@v1"}, `{"id":"note","version":2,"type":"t","module":"m","because":"memo@v1"}`},
		{govern.Shown{Ref: ref, Type: "t", Form: "full"}, `{"id":"note","version":2,"type":"t","form":"full"}`},
		{govern.Node{Ref: ref, Depth: 1, Missing: true}, `{"id":"note","version":2,"depth":1,"type":"","module":"","status":"","creator":"","summary":"","missing":true}`},
		{govern.Due{Module: "m", Changed: 3, Limit: 2, Memo: "memo@v1", Records: []record.Ref{ref}}, `{"module":"m","changed":3,"limit":2,"memo":"memo@v1"}`},
		{govern.PutRow{VersionRow: govern.VersionRow{ID: "note", Version: 2}}, `{"id":"note","type":"","version":2,"parent_version":0,"status":"","canonical":false,"module":"","summary":"","summary_by":"","summary_stale":false,"content_sha256":"","change":"","creator":"","created_at":"","tags":[],"links":[],"fork":[],"moved_inputs":[],"left_out":[]}`},
	} {
		got, err := json.Marshal(tt.value)
		if err != nil || string(got) != tt.want {
			t.Errorf("%T is %s, %v; want %s", tt.value, got, err, tt.want)
		}
	}
}
