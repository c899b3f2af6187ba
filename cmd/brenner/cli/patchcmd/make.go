package patchcmd

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"brenner/cmd/brenner/cli/storecmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	fileio "brenner/internal/files"
	"brenner/internal/text"
	"brenner/patch"
	"brenner/patch/files"
)

type patchMakeOptions struct {
	recordOption
	path   string
	blocks string
	notes  string
	out    string
}

func patchMakeCommand(a *ui.App) *cobra.Command {
	var opt patchMakeOptions
	c := &cobra.Command{
		Use:   "make OLD NEW | make --record ADDRESS NEW | make --blocks REPLY OLD",
		Short: "Make the patch that turns one text into another",
		Long: `Makes the patch that turns OLD into NEW, with anchors that stand only once where there
are some, and with both hashes. With --blocks, what is to change comes from
search/replace blocks in an agent's reply:

  <<<<<<< SEARCH
  whole lines as they stand in OLD
  =======
  what shall stand there
  >>>>>>> REPLACE

A file's name on the line above a block says which file it is for; blocks for other
files are left out, and counted. "-" is standard input. With --record, OLD is a version of
a record of the store, the latest if none is named.`,
		Example: `  brenner patch make memo.md memo-new.md -o memo.patch.json
  brenner patch make --record memo-fate memo-new.md -o memo.patch.json
  brenner patch make --blocks reply.md memo.md

Exit codes: 0 made; 1 the texts do not differ, a block does not fit, or the file
cannot be written; 2 a file cannot be read, or there is no such record; 4 the role may not
read it.`,
		Args: func(c *cobra.Command, args []string) error {
			want := 2
			if opt.blocks != "" {
				want = 1
			}
			if opt.address != "" {
				want--
			}
			if len(args) != want {
				return ui.Usage(c, text.Count(want, "file")+" needed, "+text.Count(len(args), "file")+" given", "")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return makePatch(a, c, opt, args) },
	}
	f := c.Flags()
	f.StringVar(&opt.path, "path", "", "the path that the patch names; OLD's if not given")
	f.StringVar(&opt.blocks, "blocks", "", "a reply with search/replace blocks, instead of NEW")
	f.StringVar(&opt.notes, "notes", "", "a word about the patch, kept in its meta")
	f.StringVarP(&opt.out, "out", "o", "", "write the patch to this file instead")
	opt.recordOption.add(c)
	return c
}

func makePatch(a *ui.App, c *cobra.Command, opt patchMakeOptions, args []string) error {
	if err := opt.alone(c); err != nil {
		return err
	}
	for _, input := range append(slices.Clone(args), opt.blocks) {
		if sameFile(opt.out, input) {
			return ui.Usage(c, "--out "+ui.Clean(opt.out)+" is a file that the patch is made from", "give the patch a name of its own, such as "+ui.Clean(opt.out)+".patch.json")
		}
	}
	name, old, source, err := oldText(a, c, &opt, args)
	if err != nil {
		return err
	}
	q := &files.MakeRequest{Path: name, Old: old, Notes: opt.notes, Out: opt.out}
	if opt.blocks != "" {
		q.Reply, err = a.ReadFile("reply", opt.blocks)
	} else {
		q.New, err = readText(a, "new text", args[len(args)-1])
	}
	if err != nil {
		return err
	}
	r, err := files.Make(q)
	if err != nil {
		return err
	}
	if !r.OK {
		a.Exit = ui.ExitFailed
	}
	return a.Show(madeView{r, source})
}

// sameFile reports whether two names lead to one regular file.
func sameFile(one, other string) bool {
	a, err := os.Stat(one)
	if err != nil || !a.Mode().IsRegular() {
		return false
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}

// oldText returns the text that a patch is made for, the path that the patch names, and
// the name of the text for messages.
func oldText(a *ui.App, c *cobra.Command, opt *patchMakeOptions, args []string) (name string, old *patch.Text, source string, err error) {
	name = opt.path
	if p, ok := patch.CheckPath(name); name != "" && !ok {
		return "", nil, "", ui.Usage(c, "--path: "+p.Message, p.Hint)
	}
	if opt.address == "" {
		if name == "" {
			name = files.PathOf(args[0])
		}
		old, err = readText(a, "old text", args[0])
		return name, old, args[0], err
	}
	err = storecmd.WithRecords(a, c, &opt.RecordFlags, false, func(ctx context.Context, r *storecmd.Records) error {
		one, _, text, err := r.Text(ctx, r.Who, opt.address)
		if name == "" {
			name = files.PathOf(one.ID)
		}
		old, source = text, one.Ref().String()
		return err
	})
	return name, old, source, err
}

// readText reads a text with its line ends and its byte order mark.
func readText(a *ui.App, what, file string) (*patch.Text, error) {
	data, err := a.ReadBytes(file)
	if err != nil {
		return nil, fileio.CannotRead("read "+what, file, err)
	}
	t, problems := patch.NewText(data)
	if len(problems) > 0 {
		return nil, fault.InFile("read "+what, file, patch.Err(problems))
	}
	return t, nil
}

type madeView struct {
	*files.Made
	source string // the name of the old text
}

func (r madeView) Print(a *ui.App) error {
	var out strings.Builder
	writePatchProblems(&out, r.source, r.Problems, "", a.Quiet)
	if !r.OK {
		a.Say(out.String())
		return nil
	}
	writePatchProblems(&out, r.source, r.Warnings, "warning: ", a.Quiet)
	if len(r.Others) > 0 {
		out.WriteString("left out: blocks for " + ui.Clean(strings.Join(r.Others, ", ")) + "\n")
	}
	if !a.Quiet {
		a.Say(out.String())
	}
	if r.Written == "" {
		return a.Write(r.Patch)
	}
	if !a.Quiet {
		a.Say("wrote " + ui.Clean(r.Written) + ": " + text.Count(r.Operations, "operation") + "\n")
	}
	return nil
}
