package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/session"
	"brenner/session/stalemate"
)

func stalemateArgs(c *cobra.Command, args []string) error {
	if len(args) != 2 {
		return usage(c, fmt.Sprintf("a session or a record, and a stalemate, are needed, %d given", len(args)), "`brenner stalemate list` shows those there are")
	}
	return nil
}

func (a *app) stalemateShowCommand() *cobra.Command {
	var project string
	c := &cobra.Command{
		Use:   "show ID STALEMATE",
		Short: "Show a stalemate: the positions, the evidence, and the ruling",
		Example: `  brenner stalemate show RS-20261115-cell-fate ST-1a2b3c4d5e6f7a8b

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
	fmt.Fprintf(&b, "%s, %s: %s\n%s\n", clean(s.row.ID), clean(s.row.Place), clean(s.row.State), clean(s.request.Summary))
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
		fmt.Fprintf(&b, "  %s: %s\n", clean(p.Name), clean(p.Statement))
	}
	b.WriteString("\nEvidence:\n")
	for _, e := range s.request.Evidence {
		fmt.Fprintf(&b, "  %s %s: %s\n", e.Hash[:12], clean(e.Type), clean(clip(e.Content)))
	}
	if v := s.verdict; v != nil {
		fmt.Fprintf(&b, "\nRuling of %s (%s, confidence %g): for %s\n  root cause: %s\n", clean(v.Arbiter.Name), clean(v.Arbiter.Kind), v.Confidence, clean(v.For), clean(v.RootCause))
		for _, r := range v.Reasoning {
			fmt.Fprintf(&b, "  - %s\n", clean(r))
		}
		for _, r := range v.Rejected {
			fmt.Fprintf(&b, "  not %s: %s\n", clean(r.Hypothesis), clean(r.Why))
		}
	} else if s.row.waits && !a.quiet {
		fmt.Fprintf(&b, "\nTo rule: brenner stalemate rule %s %s --for NAME --root-cause … --reason … --reject NAME=WHY …\n", clean(s.row.Thread), clean(s.row.ID))
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

type requestOptions struct {
	helper  helperFlags
	out     string
	arbiter string
}

func (a *app) stalemateRequestCommand() *cobra.Command {
	var opt requestOptions
	c := &cobra.Command{
		Use:   "request ID STALEMATE",
		Short: "Print the request for a ruling, and note that it was sent; or have an agent rule",
		Long: `Prints the request (` + stalemate.Protocol + `): all that an arbiter may see. From then on the
stalemate counts as requested. A request with a placeholder where evidence should be
is not given out.

With --arbiter an agent that is no party is sent the request about a record, and its verdict
is put. A session asks the arbiter that it was started with itself.`,
		Example: `  brenner stalemate request RS-20261115-cell-fate ST-1a2b3c4d5e6f7a8b -o request.json
  brenner stalemate request memo-fate ST-1a2b3c4d5e6f7a8b --arbiter Judge=openai:gpt-5

Exit codes: 0 printed, or ruled; 1 it could not be stored; 2 there is no such session, record
or stalemate, it is ruled already, its evidence is only a placeholder, or the arbiter cannot
be reached or gives no verdict; 4 --as names no authority; 75 the store or the model is busy.`,
		Args: stalemateArgs,
		RunE: func(c *cobra.Command, args []string) error { return a.requestRuling(c, &opt, args) },
	}
	f := c.Flags()
	addProjectFlag(c, &opt.helper.project)
	f.StringVar(&opt.helper.as, "as", "", "who gives it out; the operator of brenner.yaml if not given")
	f.StringVarP(&opt.out, "out", "o", "", "write the request to this file instead")
	f.StringVar(&opt.arbiter, "arbiter", "", "send it to this agent, and put its verdict: NAME=KIND:MODEL, KIND being openai or program; for records")
	f.StringVar(&opt.helper.run.traffic.baseURL, "base-url", "", "with --arbiter: the address of the model's endpoint ["+envBaseURL+"]")
	f.StringVar(&opt.helper.run.traffic.record, "record-tape", "", "with --arbiter: write all traffic with the model to this file, without secrets")
	f.StringVar(&opt.helper.run.traffic.tape, "tape", "", "with --arbiter: play the traffic with the model from this file: no network, no cost")
	return c
}

func (a *app) requestRuling(c *cobra.Command, opt *requestOptions, args []string) error {
	asked := c.Flags().Changed("arbiter")
	if !asked {
		if err := unused(c, "needs --arbiter", "base-url", "record-tape", "tape"); err != nil {
			return err
		}
	}
	switch {
	case asked && !aboutRecord(args[0]):
		return usage(c, "--arbiter is for records", "a session asks its own: `brenner session start --arbiter`; `brenner session resume` asks again")
	case asked && c.Flags().Changed("out"):
		return usage(c, "--out does not go with --arbiter", "without --arbiter the request is written")
	case asked:
		return a.arbitrateOnRecord(c, &opt.helper, opt.arbiter, args)
	}
	r, err := a.sendStalemate(c, opt, args)
	if err != nil {
		return err
	}
	res := stalemateRequested{thread: args[0], id: args[1], request: r.JSON()}
	if opt.out != "" && opt.out != "-" {
		text := append(r.JSON(), '\n')
		if err := writeFile(opt.out, text); err != nil {
			return err
		}
		res.written = opt.out
	}
	return a.show(res)
}

// sendStalemate gives the request of a stalemate out.
func (a *app) sendStalemate(c *cobra.Command, opt *requestOptions, args []string) (stalemate.Request, error) {
	if aboutRecord(args[0]) {
		return a.sendOnRecord(c, &opt.helper, args)
	}
	d, err := a.openDoor(c, &doorFlags{project: opt.helper.project, as: opt.helper.as}, args[0])
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
