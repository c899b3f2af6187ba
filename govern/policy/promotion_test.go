package policy_test

import (
	"slices"
	"testing"

	"brenner/govern/policy"
	"brenner/store/record"
)

func good() policy.Promotion {
	return policy.Promotion{
		Record: record.Record{
			ID: "memo", Type: record.IntegratedMemo, Version: 2, Parent: 1, Status: record.Draft, Module: "fate", Summary: "s",
			Content: "h", SummaryOf: "h", Change: "two more notes",
		},
		Type: record.Type{Name: record.IntegratedMemo, Key: true, Core: true}, By: "Sydney", Reason: "it holds", Authority: true, Limit: 10,
	}
}

// Each reason closes exactly one gate.
func TestGates(t *testing.T) {
	p := good()
	if got := policy.Gates(&p); len(got) > 0 {
		t.Fatal(got)
	}
	for name, test := range map[string]struct {
		change func(*policy.Promotion)
		gate   string
	}{
		"no reason":        {func(p *policy.Promotion) { p.Reason = " " }, policy.GateReason},
		"no authority":     {func(p *policy.Promotion) { p.Authority = false }, policy.GateApproval},
		"raw":              {func(p *policy.Promotion) { p.Type.Raw = true }, policy.GateScope},
		"wrong module":     {func(p *policy.Promotion) { p.Type.Whole = true }, policy.GateScope},
		"rehearsal":        {func(p *policy.Promotion) { p.Record.Tags = []string{"rehearsal"} }, policy.GateScope},
		"rehearsed source": {func(p *policy.Promotion) { p.Rehearsed = []string{"played@v1"} }, policy.GateScope},
		"too many sources": {func(p *policy.Promotion) { p.Unknown = true }, policy.GateScope},
		"deprecated":       {func(p *policy.Promotion) { p.Record.Status = record.Deprecated }, policy.GateScope},
		"stale summary":    {func(p *policy.Promotion) { p.Record.SummaryOf = "other" }, policy.GateLint},
		"no change":        {func(p *policy.Promotion) { p.Record.Change = "" }, policy.GateLint},
		"missing link":     {func(p *policy.Promotion) { p.Missing = []string{"x@v1"} }, policy.GateLint},
		"lint":             {func(p *policy.Promotion) { p.Faults = []string{"no hypothesis"} }, policy.GateLint},
		"outdated source":  {func(p *policy.Promotion) { p.Outdated = []string{"note@v1"} }, policy.GateRebase},
		"leaves a module":  {func(p *policy.Promotion) { p.Leaves = "dose" }, policy.GateHolder},
		"a task":           {func(p *policy.Promotion) { p.Record.Type, p.Type = record.TaskSpec, record.Type{Name: record.TaskSpec} }, policy.GateScope},
		"outdated source, unattended": {func(p *policy.Promotion) {
			p.Authority, p.Unattended, p.Outdated, p.Stale = false, []string{record.IntegratedMemo}, []string{"note@v1"}, true
		}, policy.GateRebase},
		"outdated source, as it is":            {func(p *policy.Promotion) { p.Outdated, p.Stale = []string{"note@v1"}, true }, ""},
		"outdated source, as it is, no reason": {func(p *policy.Promotion) { p.Outdated, p.Stale, p.Reason = []string{"note@v1"}, true, "" }, policy.GateReason},
		"another holder":                       {func(p *policy.Promotion) { p.Holder = "memo-2" }, policy.GateHolder},
		"compression due":                      {func(p *policy.Promotion) { p.Due = []policy.Overdue{{Module: "dose", Changed: 10}} }, policy.GateCompression},
		"replaces":                             {func(p *policy.Promotion) { p.Holder, p.Replace = "memo-2", true }, ""},
		"unattended":                           {func(p *policy.Promotion) { p.Authority, p.Unattended = false, []string{record.IntegratedMemo} }, ""},
		"first of its kind":                    {func(p *policy.Promotion) { p.Record.Change, p.Record.Parent = "", 0 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := good()
			test.change(&p)
			got := policy.Gates(&p)
			if test.gate == "" && len(got) > 0 || test.gate != "" && (len(got) != 1 || got[0].Gate != test.gate || got[0].Detail == "") {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestMemoOf(t *testing.T) {
	if policy.MemoOf("fate") != record.IntegratedMemo || policy.MemoOf(record.Project) != record.ProjectSummary {
		t.Error(policy.MemoOf("fate"), policy.MemoOf(record.Project))
	}
}

func TestDefaultAccess(t *testing.T) {
	all := policy.DefaultAccess()
	for _, test := range []struct {
		role, kind  string
		read, write bool
	}{
		{policy.Writer, record.ManuscriptSection, true, true},
		{policy.Writer, record.PaperNote, false, false},
		{"test_designer", record.ManuscriptSection, false, false},
		{policy.Reader, record.PaperNote, true, true},
		{"unknown", record.ProjectBrief, false, false},
		{"", record.ProjectBrief, false, false},
	} {
		if all.MayRead(test.role, test.kind) != test.read || all.MayWrite(test.role, test.kind) != test.write {
			t.Errorf("%+v", test)
		}
	}
	types := record.BuiltInTypes()
	for _, a := range all {
		for _, kind := range slices.Concat(a.Read, a.Write) {
			if one, ok := types.Find(kind); !ok || one.Raw {
				t.Errorf("%s: %s", a.Role, kind)
			}
		}
	}
}
