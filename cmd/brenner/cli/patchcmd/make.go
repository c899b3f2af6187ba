package patchcmd

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/storecmd"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/internal/text"
	"brenner/patch"
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
	r := patchMade{source: source}
	if opt.blocks != "" {
		reply, err := a.ReadFile("reply", opt.blocks)
		if err != nil {
			return err
		}
		r.fromBlocks(name, old, reply)
	} else {
		now, err := readText(a, "new text", args[len(args)-1])
		if err != nil {
			return err
		}
		r.patch, r.problems = patch.Make(name, old, now)
	}
	if len(r.problems) > 0 {
		a.Exit = ui.ExitFailed
		return a.Show(r)
	}
	if opt.notes != "" {
		r.patch.Meta = artifact.Canonical(artifact.MapOf(artifact.Entry{Key: "notes", Value: artifact.Text(opt.notes)}))
	}
	if opt.out != "" && opt.out != "-" {
		if err := files.Replace(opt.out, r.patch.JSON()); err != nil {
			return err
		}
		r.written = opt.out
	}
	return a.Show(r)
}

// sameFile tells whether two names are those of one file that is there.
func sameFile(one, other string) bool {
	a, err := os.Stat(one)
	if err != nil || !a.Mode().IsRegular() {
		return false
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}

// oldText gives the text that a patch is made for, the path that the patch names, and
// what people call it.
func oldText(a *ui.App, c *cobra.Command, opt *patchMakeOptions, args []string) (name string, old *patch.Text, source string, err error) {
	name = opt.path
	if p, ok := patch.CheckPath(name); name != "" && !ok {
		return "", nil, "", ui.Usage(c, "--path: "+p.Message, p.Hint)
	}
	if opt.address == "" {
		if name == "" {
			name = patchPath(args[0])
		}
		old, err = readText(a, "old text", args[0])
		return name, old, args[0], err
	}
	err = storecmd.WithRecords(a, c, &opt.RecordFlags, false, func(ctx context.Context, r *storecmd.Records) error {
		one, _, text, err := r.Text(ctx, r.Who, opt.address)
		if name == "" {
			name = patchPath(one.ID)
		}
		old, source = text, one.Ref().String()
		return err
	})
	return name, old, source, err
}

// patchPath gives the path that a patch names for a file: the one it was called by,
// where that is a path below here, or its name.
func patchPath(file string) string {
	if file == "-" {
		return ""
	}
	p := path.Clean(filepath.ToSlash(file))
	if _, ok := patch.CheckPath(p); !ok {
		p = path.Base(p)
	}
	if _, ok := patch.CheckPath(p); !ok {
		return ""
	}
	return p
}

// readText reads a text with its line ends and its byte order mark.
func readText(a *ui.App, what, file string) (*patch.Text, error) {
	data, err := a.ReadBytes(file)
	if err != nil {
		return nil, files.CannotRead("read "+what, file, err)
	}
	t, problems := patch.NewText(data)
	if len(problems) > 0 {
		return nil, fault.InFile("read "+what, file, patch.Err(problems))
	}
	return t, nil
}

// patchMade is a patch that was made, or why there is none.
type patchMade struct {
	patch    patch.Patch
	problems []patch.Problem
	warnings []patch.Problem
	others   []string // files that other blocks are for
	source   string
	written  string
}

func (r *patchMade) fromBlocks(name string, old *patch.Text, reply []byte) {
	blocks, problems := patch.ReadBlocks(reply)
	if len(problems) > 0 {
		r.problems = problems
		return
	}
	mine := blocks[:0]
	for _, b := range blocks {
		if b.Path == "" || path.Clean(b.Path) == name || name == "" {
			mine = append(mine, b)
		} else if !slices.Contains(r.others, b.Path) {
			r.others = append(r.others, b.Path)
		}
	}
	if len(mine) == 0 {
		r.problems = []patch.Problem{{
			Code: patch.NoOps, Message: "no block of the reply is for " + name + "; there are some for " + strings.Join(r.others, ", "),
			Hint: "say which file is meant with --path",
		}}
		return
	}
	made, report := patch.Convert(name, old, mine)
	r.patch, r.problems, r.warnings = made, report.Problems, report.Warnings
}

func (r patchMade) Print(a *ui.App) error {
	var out strings.Builder
	writePatchProblems(&out, r.source, r.problems, "", a.Quiet)
	if len(r.problems) > 0 {
		a.Say(out.String())
		return nil
	}
	writePatchProblems(&out, r.source, r.warnings, "warning: ", a.Quiet)
	if len(r.others) > 0 {
		out.WriteString("left out: blocks for " + ui.Clean(strings.Join(r.others, ", ")) + "\n")
	}
	if !a.Quiet {
		a.Say(out.String())
	}
	if r.written == "" {
		return a.Write(r.patch.JSON())
	}
	if !a.Quiet {
		a.Say("wrote " + ui.Clean(r.written) + ": " + text.Count(r.patch.Operations(), "operation") + "\n")
	}
	return nil
}

func (r patchMade) Document() any {
	doc := struct {
		Schema   string          `json:"schema"`
		OK       bool            `json:"ok"`
		Written  string          `json:"written"`
		Patch    jsontext.Value  `json:"patch"`
		Others   []string        `json:"others"`
		Problems []patch.Problem `json:"problems"`
		Warnings []patch.Problem `json:"warnings"`
	}{"brenner.patch.make/v1", len(r.problems) == 0, r.written, jsontext.Value("null"), r.others, r.problems, r.warnings}
	if doc.OK {
		doc.Patch = jsontext.Value(r.patch.JSON())
	}
	return doc
}
