package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/session"
	"brenner/stalemate"
)

func stalemateArgs(c *cobra.Command, args []string) error {
	if len(args) != 2 {
		return usage(c, fmt.Sprintf("a session and a stalemate are needed, %d given", len(args)), "`brenner stalemate list` shows those there are")
	}
	return nil
}

func (a *app) stalemateShowCommand() *cobra.Command {
	var project string
	c := &cobra.Command{
		Use:   "show ID STALEMATE",
		Short: "Show a stalemate: the positions, the evidence, and the ruling",
		Example: `  brenner stalemate show RS-20261115-cell-fate ST-1a2b3c4d

Exit codes: 0 shown; 2 there is no such session or stalemate; 5 shown: a ruling is needed.`,
		Args: stalemateArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if aboutRecord(args[0]) {
				return a.showRecordStalemate(c, project, args[0], args[1])
			}
			return a.withSession(c, project, args[0], func(ctx context.Context, src *source, h *session.History) error {
				if err := wholeSession(c, src.address); err != nil {
					return err
				}
				res, err := shownStalemate(ctx, h, args[1])
				if err != nil {
					return err
				}
				if res.row.waits {
					a.exit = exitPerson
				}
				return a.show(res)
			})
		},
	}
	addProjectFlag(c, &project)
	return c
}

// stalemateShown is everything about a stalemate.
type stalemateShown struct {
	row      stalemateRow
	request  stalemate.Request
	verdict  *stalemate.Verdict
	version  int
	warnings []string
}

func shownStalemate(ctx context.Context, h *session.History, id string) (*stalemateShown, error) {
	r, err := h.Request(ctx, id)
	if err != nil {
		return nil, err
	}
	s, _ := h.State.Stalemate(id)
	res := &stalemateShown{row: stalemateRowOf(h.Thread, &s), request: r, version: h.State.Version()}
	for _, p := range r.Parties {
		res.row.Parties = append(res.row.Parties, p.Name)
	}
	if s.Verdict != "" {
		v, err := h.Verdict(ctx, id)
		if err != nil {
			return nil, err
		}
		res.verdict = &v
	}
	return res, nil
}

func (s *stalemateShown) text(a *app) error {
	var b strings.Builder
	for _, w := range s.warnings {
		a.say("warning: " + clean(w) + "\n")
	}
	fmt.Fprintf(&b, "%s, %s: %s\n%s\n", s.row.ID, clean(s.row.Place), s.row.State, clean(s.request.Summary))
	if s.row.Why != "" {
		fmt.Fprintf(&b, "%s\n", clean(s.row.Why))
	}
	b.WriteString("\nPositions:\n")
	for _, p := range s.request.Parties {
		fmt.Fprintf(&b, "  %s: %s\n", clean(p.Name), clean(p.Statement))
		if p.Justification != "" {
			fmt.Fprintf(&b, "    why: %s\n", clean(p.Justification))
		}
	}
	b.WriteString("\nOther explanations:\n")
	for _, p := range s.request.Dissidents {
		fmt.Fprintf(&b, "  %s: %s\n", p.Name, clean(p.Statement))
	}
	b.WriteString("\nEvidence:\n")
	for _, e := range s.request.Evidence {
		fmt.Fprintf(&b, "  %s %s: %s\n", e.Hash[:12], clean(e.Type), clean(clip(e.Content)))
	}
	if v := s.verdict; v != nil {
		fmt.Fprintf(&b, "\nRuling of %s (%s, confidence %g): for %s\n  root cause: %s\n", clean(v.Arbiter.Name), v.Arbiter.Kind, v.Confidence, clean(v.For), clean(v.RootCause))
		for _, r := range v.Reasoning {
			fmt.Fprintf(&b, "  - %s\n", clean(r))
		}
		for _, r := range v.Rejected {
			fmt.Fprintf(&b, "  not %s: %s\n", clean(r.Hypothesis), clean(r.Why))
		}
	} else if s.row.waits && !a.quiet {
		fmt.Fprintf(&b, "\nTo rule: brenner stalemate rule %s %s --for NAME --root-cause … --reason … --reject NAME=WHY …\n", s.row.Thread, s.row.ID)
	}
	return a.write([]byte(b.String()))
}

func (s *stalemateShown) document() any {
	doc := struct {
		Schema    string         `json:"schema"`
		Stalemate stalemateRow   `json:"stalemate"`
		Request   jsontext.Value `json:"request"`
		Verdict   jsontext.Value `json:"verdict"`
		Version   int            `json:"version"`
		Warnings  []string       `json:"warnings"`
	}{"brenner.stalemate/v1", s.row, s.request.JSON(), jsontext.Value("null"), s.version, s.warnings}
	if s.verdict != nil {
		doc.Verdict = s.verdict.JSON()
	}
	return doc
}

func (a *app) stalemateRequestCommand() *cobra.Command {
	var flags doorFlags
	var out string
	c := &cobra.Command{
		Use:   "request ID STALEMATE",
		Short: "Print the request for a ruling, and note that it was sent",
		Long: `Prints the request (` + stalemate.Protocol + `): all that an arbiter may see. From then on the
stalemate counts as requested. A request with a placeholder where evidence should be
is not given out.`,
		Example: `  brenner stalemate request RS-20261115-cell-fate ST-1a2b3c4d -o request.json

Exit codes: 0 printed; 1 it could not be stored; 2 there is no such session or stalemate,
it is ruled already, or its evidence is only a placeholder; 4 --as names no authority;
75 the store is busy.`,
		Args: stalemateArgs,
		RunE: func(c *cobra.Command, args []string) error {
			r, err := a.sendStalemate(c, &flags, args)
			if err != nil {
				return err
			}
			res := stalemateRequested{thread: args[0], id: args[1], request: r.JSON()}
			if out != "" && out != "-" {
				text := append(r.JSON(), '\n')
				if err := writeFile(out, text); err != nil {
					return err
				}
				res.written = out
			}
			return a.show(res)
		},
	}
	flags.add(c)
	c.Flags().StringVarP(&out, "out", "o", "", "write the request to this file instead")
	return c
}

// sendStalemate gives the request of a stalemate out. That about a record is only
// printed: the store knows no more of it than that it is open.
func (a *app) sendStalemate(c *cobra.Command, flags *doorFlags, args []string) (stalemate.Request, error) {
	if aboutRecord(args[0]) {
		var r stalemate.Request
		err := a.withRecords(c, &recordFlags{project: flags.project, as: flags.as}, false, func(ctx context.Context, door *records) error {
			s, err := door.Stalemate(ctx, args[0], args[1])
			if err == nil {
				r = s.Request
			}
			return err
		})
		return r, err
	}
	d, err := a.openDoor(c, flags, args[0])
	if err != nil {
		return stalemate.Request{}, err
	}
	defer a.closeStore(d.door.Store)
	_, r, err := d.door.SendStalemate(c.Context(), d.thread, args[1])
	return r, err
}

// stalemateRequested is a request that is given out.
type stalemateRequested struct {
	thread, id string
	request    []byte
	written    string
}

func (r stalemateRequested) text(a *app) error {
	if r.written == "" {
		return a.write(append(r.request[:len(r.request):len(r.request)], '\n'))
	}
	if !a.quiet {
		a.say("wrote " + clean(r.written) + "\n")
	}
	return nil
}

func (r stalemateRequested) document() any {
	return struct {
		Schema  string         `json:"schema"`
		Thread  string         `json:"thread_id"`
		ID      string         `json:"id"`
		Request jsontext.Value `json:"request"`
	}{"brenner.stalemate.request/v1", r.thread, r.id, r.request}
}
