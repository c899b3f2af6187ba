// Package lessons is what people do with a project's playbook: they add, import and merge lessons, see
// what a prompt would contain, and keep snapshots.
//
// It promises that a snapshot of the playbook is kept before a command changes many bullets. It must
// not know commands.
package lessons

import (
	"cmp"
	"context"
	"slices"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/project"
	"brenner/session"
	"brenner/session/memory"
)

// Book is a project's playbook, opened to read, search or change.
type Book struct {
	*keeper.Keeper
	Project *project.Project
}

// Opener opens a playbook.
type Opener func(context.Context, *project.Project) (*Book, error)

// Open opens the playbook for reading.
func Open(ctx context.Context, p *project.Project) (*Book, error) {
	k, err := p.OpenPlaybook(ctx)
	return &Book{k, p}, err
}

// Search opens the playbook for searching.
func Search(ctx context.Context, p *project.Project) (*Book, error) {
	k, err := p.SearchPlaybook(ctx)
	return &Book{k, p}, err
}

// Change opens the playbook for changes.
func Change(ctx context.Context, p *project.Project) (*Book, error) {
	k, err := p.ChangePlaybook(ctx)
	return &Book{k, p}, err
}

// Preview opens the playbook for changes that are discarded.
func Preview(ctx context.Context, p *project.Project) (*Book, error) {
	k, err := p.PreviewPlaybook(ctx)
	return &Book{k, p}, err
}

// Close closes the playbook's store.
func (b *Book) Close() { b.Project.CloseStore(b.Store) }

// Act returns the actor and the reason of a change; the default actor is the operator. Only
// the operator and the authorities may change the playbook.
func (b *Book) Act(as, reason string) (playbook.Act, error) {
	cfg := b.Project.Config
	as = cmp.Or(as, cfg.Operator)
	if as != cfg.Operator && !slices.Contains(cfg.Authorities, as) {
		return playbook.Act{}, &fault.Error{
			Code: session.NotAllowed, Detail: fault.Shown(as) + " is not an authority of this project",
			Hint: "only the operator and the authorities: in " + config.FileName + " may change the playbook",
		}
	}
	return playbook.Act{Actor: as, Reason: reason}, nil
}

// AddLesson adds a lesson: a person's, unless its source is an agent. The default domain is
// the configured one.
func (b *Book) AddLesson(ctx context.Context, act playbook.Act, i playbook.Insight) (*keeper.Change, error) {
	act.Session = i.Source.Session
	i.Domain = cmp.Or(i.Domain, b.Project.Config.Playbook.Domain)
	if i.Person = i.Source.Agent == ""; i.Person {
		i.Source.Agent = act.Actor
	}
	return b.Add(ctx, act, i)
}

// Imported is the result of importing bullets.
type Imported struct {
	Schema  string `json:"schema"`
	File    string `json:"file"`
	Domain  string `json:"domain"`
	Lines   int    `json:"lines"`
	Added   int    `json:"added"`
	Counted int    `json:"counted"` // for an equivalent bullet
	Already int    `json:"already"` // taken before
	// Bullets says what happened to each line, in order.
	Bullets  []playbook.Imported `json:"bullets"`
	Snapshot string              `json:"snapshot"` // of the playbook before; empty if nothing changed
	Head     string              `json:"head"`
}

// ImportLines takes bullets in the line format, all or none. The default domain is the
// configured one. Errors name the file.
func (b *Book) ImportLines(ctx context.Context, act playbook.Act, file, data, domain string) (*Imported, error) {
	lines, err := playbook.ParseLines(data, b.Project.Config.Playbook.Rules.Longest)
	if err != nil {
		return nil, fault.InFile("import", file, err)
	}
	before, err := b.Keeper.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	into := playbook.Into{Domain: cmp.Or(domain, b.Project.Config.Playbook.Domain), Named: domain != ""}
	progress := func(done, of int) { b.Project.Log.Debug().Int("done", done).Int("of", of).Msg("embedded") }
	all, err := b.Import(ctx, act, lines, into, progress)
	if fault.CodeOf(err) == playbook.BadLine {
		err = fault.InFile("import", file, err)
	}
	if err != nil {
		return nil, err
	}
	out := &Imported{Schema: "brenner.playbook.import/v1", File: file, Domain: into.Domain, Lines: len(lines), Bullets: all, Head: b.Head().Hash}
	for i := range all {
		switch all[i].Did {
		case playbook.ImportAdded:
			out.Added++
		case playbook.ImportCounted:
			out.Counted++
		default:
			out.Already++
		}
	}
	if before.Head != out.Head {
		out.Snapshot = b.keepBefore(ctx, act, before, "before an import")
	}
	return out, nil
}

// Rendered is the part of a prompt that holds bullets.
type Rendered struct {
	Schema  string   `json:"schema"`
	Domain  string   `json:"domain"`
	Text    string   `json:"text"`
	Bullets []string `json:"bullets"`
	Left    []string `json:"left"` // bullets that did not fit
	Tokens  int      `json:"tokens"`
	Budget  int      `json:"budget"`
}

// Render chooses bullets as a session does. The default domain and bound are the configured ones.
func (b *Book) Render(ctx context.Context, w keeper.Selection, bound *int) (*Rendered, error) {
	w.Domain = cmp.Or(w.Domain, b.Project.Config.Playbook.Domain)
	w.Tokens, w.Count, w.Line = b.Project.Config.Playbook.Tokens, b.Project.Tokens.Count, memory.Line
	if bound != nil {
		w.Tokens = *bound
	}
	r, err := b.Choose(ctx, w)
	if err != nil {
		return nil, err
	}
	out := &Rendered{Schema: "brenner.playbook.render/v1", Domain: w.Domain, Text: r.Text, Bullets: r.Taken, Left: r.Left, Budget: w.Tokens}
	if r.Text != "" {
		out.Tokens = b.Project.Tokens.Count(r.Text)
	}
	return out, nil
}
