package record_test

import (
	"strings"
	"testing"
	"time"

	"brenner/internal/fault"
	"brenner/store/record"
)

func validRecord() record.Record {
	return record.Record{
		ID: "cells", Type: record.ResearchArtifact, Version: 2, Parent: 1, Status: record.Draft, Module: "fate", Summary: "cells that count",
		SummaryOf: strings.Repeat("ab", 32), SummaryBy: record.Given, Content: strings.Repeat("ab", 32), Creator: "BlueLake", At: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		Tags: []string{"cells"}, Links: []record.Link{{Relation: "cites", ID: "paper", Version: 1}},
	}
}

func TestCheckAcceptsCompleteRecord(t *testing.T) {
	r := validRecord()
	if err := r.Check(); err != nil {
		t.Error(err)
	}
	r.Version, r.Parent = 1, 0
	if err := r.Check(); err != nil {
		t.Error(err)
	}
}

func TestCheckNamesTheFault(t *testing.T) {
	for want, change := range map[string]func(*record.Record){
		"id is missing":                       func(r *record.Record) { r.ID = "" },
		"type is missing":                     func(r *record.Record) { r.Type = "" },
		"status is missing":                   func(r *record.Record) { r.Status = "" },
		"module is missing":                   func(r *record.Record) { r.Module = "" },
		"summary is missing":                  func(r *record.Record) { r.Summary = "" },
		"summary's hash is missing":           func(r *record.Record) { r.SummaryOf = "" },
		"content is missing":                  func(r *record.Record) { r.Content = "" },
		"creator is missing":                  func(r *record.Record) { r.Creator = "" },
		"the time is missing":                 func(r *record.Record) { r.At = time.Time{} },
		"the year 12026 is out of range":      func(r *record.Record) { r.At = r.At.AddDate(10000, 0, 0) },
		"version 0 cannot have the parent 0":  func(r *record.Record) { r.Version, r.Parent = 0, 0 },
		"version 2 cannot have the parent 2":  func(r *record.Record) { r.Parent = 2 },
		"version 2 cannot have the parent -1": func(r *record.Record) { r.Parent = -1 },
		"summary is not valid UTF-8":          func(r *record.Record) { r.Summary = "a\xff" },
		"a tag is not valid UTF-8":            func(r *record.Record) { r.Tags = []string{"a", "\xff"} },
		"a link is not valid UTF-8":           func(r *record.Record) { r.Links[0].ID = "\xff" },
	} {
		t.Run(want, func(t *testing.T) {
			r := validRecord()
			change(&r)
			err := r.Check()
			if fault.CodeOf(err) != record.Invalid || !strings.Contains(err.Error(), want) || fault.HintOf(err) == "" {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestSummaryIsOneLine(t *testing.T) {
	for _, summary := range []string{"a\nb", "a\rb", "a\u0085b", "a\u2028b", "a\u2029b"} {
		if err := record.CheckSummary(summary); fault.CodeOf(err) != record.BadSummary {
			t.Errorf("%q: %v", summary, err)
		}
	}
}

func TestIsRawAgreesWithTypes(t *testing.T) {
	all := record.BuiltInTypes()
	for _, name := range all.Names(nil) {
		if kind, _ := all.Find(name); kind.Raw != record.IsRaw(name) {
			t.Errorf("%s", name)
		}
	}
}

func TestArticles(t *testing.T) {
	for name, want := range map[string]string{
		record.IntegratedMemo: "an integrated_memo", record.Assumption: "an assumption", record.PaperNote: "a paper_note",
		"experiment": "an experiment", "outline": "an outline", "Essay": "an Essay", "user_note": "a user_note", `"\x00"`: `a "\x00"`, "": "a ",
	} {
		if got := record.A(name); got != want {
			t.Errorf("A(%q) = %q, want %q", name, got, want)
		}
	}
}
