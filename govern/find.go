package govern

import (
	"context"
	"slices"
	"strings"

	"brenner/store"
	"brenner/store/record"
)

// Found is a record that says a text, and where that came from.
type Found struct {
	Record record.Record // the version that stands, or the latest that says it
	Stands bool
	// First is the earliest version, on the way back over parents, that says it:
	// whoever made that one wrote it.
	First record.Record
	// Call is the call of an agent that produced First, where one did.
	Call *Call
	// Text is the line that has it.
	Text string
}

// FindText looks for a text in what records say: those that stand first, then
// drafts beside them. Case and line breaks do not count, and what was sent and said
// as it was is not looked at: sessions know it better.
func (d *Door) FindText(ctx context.Context, text string) ([]Found, error) {
	want := spaced(text)
	if want == "" {
		return nil, nil
	}
	heads, err := d.Store.Heads(ctx, store.HeadQuery{})
	if err != nil {
		return nil, err
	}
	var standing, drafts []Found
	for i := range heads {
		h := &heads[i]
		if kind, _ := d.Types.Find(h.Type); kind.Raw || h.Type == record.ResearchArtifact {
			continue
		}
		f, err := d.findIn(ctx, h, want)
		if err != nil {
			return nil, err
		}
		switch {
		case f == nil:
		case f.Stands:
			standing = append(standing, *f)
		default:
			drafts = append(drafts, *f)
		}
	}
	all := slices.Concat(standing, drafts)
	return all, d.addCalls(ctx, all)
}

// addCalls says which calls of agents produced what was found.
func (d *Door) addCalls(ctx context.Context, all []Found) error {
	if len(all) == 0 {
		return nil
	}
	calls, err := d.Calls(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		for j := range calls {
			if slices.Contains(calls[j].Produced, all[i].First.Ref().String()) {
				all[i].Call = &calls[j]
			}
		}
	}
	return nil
}

func (d *Door) findIn(ctx context.Context, h *record.Head, want string) (*Found, error) {
	versions := []int{h.Standing().Version}
	if h.Latest != versions[0] {
		versions = append(versions, h.Latest)
	}
	for _, v := range versions {
		r, err := d.version(ctx, record.Ref{ID: h.ID, Version: v}, h.Latest)
		if err != nil {
			return nil, err
		}
		line, ok, err := d.says(ctx, &r, want)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		f := &Found{Record: r, Stands: v == versions[0], First: r, Text: line}
		for f.First.Parent > 0 {
			parent, err := d.version(ctx, record.Ref{ID: h.ID, Version: f.First.Parent}, h.Latest)
			if err != nil {
				return nil, err
			}
			if _, ok, err := d.says(ctx, &parent, want); err != nil || !ok {
				return f, err
			}
			f.First = parent
		}
		return f, nil
	}
	return nil, nil
}

// says gives the line of a version that has a text.
func (d *Door) says(ctx context.Context, r *record.Record, want string) (string, bool, error) {
	data, err := d.Content(ctx, r)
	if err != nil {
		return "", false, err
	}
	content := string(data)
	if !strings.Contains(spaced(content), want) {
		return "", false, nil
	}
	for line := range strings.Lines(content) {
		if strings.Contains(spaced(line), want) {
			return strings.TrimSpace(line), true, nil
		}
	}
	return oneLine(content), true, nil // it goes over several lines
}

// spaced gives a text in small letters, with one blank between words.
func spaced(text string) string { return strings.ToLower(oneLine(text)) }
