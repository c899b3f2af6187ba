package project

import (
	"context"
	"fmt"
	"strings"

	"brenner/config"
	"brenner/govern"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/store"
	"brenner/store/record"
)

// briefID is the id of a brief that got no other one.
const briefID = "project-brief"

// NewBrief is the first draft of a project's brief: a text, or else a question.
type NewBrief struct {
	Question string
	Text     []byte
}

func (b *NewBrief) content() []byte {
	if b.Question == "" {
		return b.Text
	}
	return fmt.Appendf(nil, "# Brief\n\n%s\n\n## Goals\n\n- To be written.\n\n## Constraints\n\n- To be written.\n\n## Out of scope\n\n## Open questions\n\n- %s\n", b.Question, b.summary())
}

func (b *NewBrief) summary() string { return strings.Join(strings.Fields(b.Question), " ") }

// InitBrief puts the first draft of the project's brief, and makes the project's
// configuration where there is none.
func (r *Records) InitBrief(ctx context.Context, b *NewBrief) (*govern.Written, error) {
	heads, err := r.Store.Heads(ctx, store.HeadQuery{Types: []string{record.ProjectBrief}, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(heads) > 0 {
		return nil, &fault.Error{Code: files.AlreadyExists, Detail: "the project has a brief already: " + heads[0].ID, Hint: "`brenner project brief FILE -m REASON` puts a new version of it"}
	}
	put, err := r.Put(ctx, r.Who, govern.Draft{ID: briefID, Type: record.ProjectBrief, Content: b.content(), Summary: b.summary()})
	if err != nil {
		return nil, err
	}
	// Only now: nothing is left of what is refused.
	dir := r.Project.Config.Project.Dir // where the brief is, too
	if _, err := Init(dir, config.Starter{Question: b.Question}); err != nil && fault.CodeOf(err) != files.AlreadyExists {
		return nil, err
	}
	return govern.NewWritten(put...), nil
}

// PutBrief puts a new version of the project's brief, or the first one.
func (r *Records) PutBrief(ctx context.Context, draft govern.Draft) (*govern.Written, error) {
	h, err := r.brief(ctx)
	if err != nil {
		return nil, err
	}
	draft.ID, draft.Type = h.ID, record.ProjectBrief
	put, err := r.Put(ctx, r.Who, draft)
	if err != nil {
		return nil, err
	}
	return govern.NewWritten(put...), nil
}

// ShowBrief returns the project's brief: the canonical version, or else the latest
// draft.
func (r *Records) ShowBrief(ctx context.Context) (*govern.RecordText, error) {
	h, err := r.brief(ctx)
	if err != nil {
		return nil, err
	}
	if h.Latest == 0 {
		return nil, &fault.Error{Code: store.NoRecord, Detail: "the project has no brief yet", Hint: "`brenner project init` makes one, `brenner project brief FILE` puts one"}
	}
	return r.Show(ctx, r.Who, h.ID)
}

// brief returns the record of the project's brief: the canonical one, or else the
// newest. Where there is none it is the one to come.
func (r *Records) brief(ctx context.Context) (record.Head, error) {
	for _, canonical := range []bool{true, false} {
		heads, err := r.Store.Heads(ctx, store.HeadQuery{Types: []string{record.ProjectBrief}, Canonical: canonical, Live: true, Newest: true, Limit: 1})
		if err != nil {
			return record.Head{}, err
		}
		if len(heads) > 0 {
			return heads[0], nil
		}
	}
	return record.Head{ID: briefID}, nil
}
