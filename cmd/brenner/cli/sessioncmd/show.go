package sessioncmd

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"brenner/artifact"
	"brenner/cmd/brenner/cli/ui"
	"brenner/internal/fault"
	"brenner/internal/files"
	"brenner/project"
	"brenner/session"
	"brenner/store"
)

type showOptions struct {
	project string
	format  string
	out     string
}

func sessionShowCommand(a *ui.App) *cobra.Command {
	var opt showOptions
	c := &cobra.Command{
		Use:   "show ID[@vN][#ITEM[.FIELD]]|FILE",
		Short: "Print the artifact of a session, a version of it, an item or a field",
		Long: `Prints the artifact of a session as Markdown, or as canonical JSON with --format json. An
address names less: @v3 a version, #H2 an item, #H2.claim a field, #P1.predictions.H2 a
cell. Of a field in CONFLICT every candidate has a line. In the place of a session the file
of an export can be given.

JSON is printed to the byte, without a line's end: the SHA-256 of a whole artifact is the
one that ` + "`brenner session replay`" + ` names.`,
		Example: `  brenner session show RS-20261115-cell-fate
  brenner session show RS-20261115-cell-fate@v2#H1.claim
  brenner session show cell-fate.brenner.jsonl --format json --out v4.json

Exit codes: 0 printed; 1 the store or the export is damaged; 2 there is no such session,
version, item or field.`,
		Args: ui.OneSession,
		RunE: func(c *cobra.Command, args []string) error { return showArtifact(a, c, args[0], &opt) },
	}
	ui.AddProjectFlag(c, &opt.project)
	addFormatFlag(c, &opt.format)
	c.Flags().StringVarP(&opt.out, "out", "o", "", "write it to this file instead")
	return c
}

func addFormatFlag(c *cobra.Command, format *string) {
	c.Flags().StringVar(format, "format", "", "markdown or json; the ending of --out, or markdown, if not given")
}

// asJSON tells which of the two forms is wanted.
func asJSON(c *cobra.Command, format, out string) (bool, error) {
	switch format {
	case "json":
		return true, nil
	case "markdown", "md":
		return false, nil
	case "":
		return strings.HasSuffix(out, ".json"), nil
	}
	return false, ui.Usage(c, "--format "+ui.Clean(format)+" is neither json nor markdown", "")
}

func showArtifact(a *ui.App, c *cobra.Command, arg string, opt *showOptions) error {
	inJSON, err := asJSON(c, opt.format, opt.out)
	if err != nil {
		return err
	}
	return a.WithSession(c, opt.project, arg, func(ctx context.Context, src *project.Source, h *session.History) error {
		address := src.Address
		if address.Version == 0 {
			address.Version = h.State.Version()
		}
		if address.Version == 0 {
			return &fault.Error{
				Code: session.NoVersion, Detail: h.Thread + " has no version yet",
				Hint: "`brenner session resume " + h.Thread + "` goes on with it",
			}
		}
		art, err := h.Artifact(ctx, address.Version)
		if err != nil {
			return err
		}
		shown, err := partOf(&art, address)
		if err != nil {
			return err
		}
		shown.json = inJSON
		if opt.out != "" && opt.out != "-" {
			if err := files.Replace(opt.out, shown.bytes()); err != nil {
				return err
			}
			shown.written = opt.out
		}
		return a.Show(shown)
	})
}

// shownPart is an artifact, an item or a field in its two forms.
type shownPart struct {
	address  session.Address
	sha256   string // of the whole artifact
	whole    []byte // the artifact; nil where less was asked for
	item     []byte // canonical JSON, as the others
	value    []byte
	markdown []byte
	json     bool
	written  string
}

// partOf takes out of an artifact what an address names.
func partOf(art *artifact.Artifact, address session.Address) (*shownPart, error) {
	whole := art.JSON()
	p := &shownPart{address: address, sha256: store.Hash(whole)}
	if address.Item == "" {
		p.whole, p.markdown = whole, art.Markdown()
		return p, nil
	}
	it, section, ok := art.Find(address.Item)
	if !ok {
		return nil, notThere(address, "it has no item "+address.Item, itemsOf(art))
	}
	item, err := itemJSON(whole, section, it.ID)
	if err != nil {
		return nil, err
	}
	if address.Field == "" {
		p.item, p.markdown = item, itemMarkdown(art, it, section)
		return p, nil
	}
	if p.value = valueAt(item, address.Field); p.value == nil {
		var names []string
		for _, f := range it.Fields {
			names = append(names, f.Name)
		}
		return nil, notThere(address, it.ID+" has no field "+fault.Shown(address.Field), names)
	}
	p.markdown = []byte(plainValue(p.value))
	if conflict, ok := conflictIn(it, address.Field); ok {
		p.markdown = candidatesText(conflict)
	}
	return p, nil
}

func conflictIn(it *artifact.Item, field string) (artifact.Conflict, bool) {
	v := it.Get(field)
	if name, key, ok := strings.Cut(field, "."); ok && v == nil {
		v, _ = it.Map(name).Get(key)
	}
	conflict, ok := v.(artifact.Conflict)
	return conflict, ok
}

// candidatesText gives each candidate its line, as resolve lists them.
func candidatesText(conflict artifact.Conflict) []byte {
	var b []byte
	for _, c := range conflict {
		value := strings.TrimSuffix(plainValue(artifact.Canonical(c.Value)), "\n")
		b = fmt.Appendf(b, "%s (%s): %s\n", ui.Clean(c.Agent), ui.Clean(c.Delta), ui.Clean(value))
	}
	return b
}

func notThere(address session.Address, detail string, names []string) error {
	f := &fault.Error{Code: session.NotFound, Place: address.String(), Detail: detail, Hint: "it has none at all"}
	if len(names) > 0 {
		f.Hint = "it has " + strings.Join(names, ", ")
	}
	return f
}

func itemsOf(art *artifact.Artifact) []string {
	var ids []string
	for _, items := range art.Sections {
		for _, it := range items {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

// itemJSON takes an item's own bytes out of an artifact's JSON.
func itemJSON(whole []byte, section artifact.Section, id string) ([]byte, error) {
	var doc struct {
		Sections map[string]jsontext.Value `json:"sections"`
	}
	err := json.Unmarshal(whole, &doc)
	items := []jsontext.Value{doc.Sections[section.String()]}
	if err == nil && section != artifact.ResearchThread {
		err = json.Unmarshal(doc.Sections[section.String()], &items)
	}
	for _, item := range items {
		if err == nil && bytes.Equal(valueAt(item, "id"), artifact.Canonical(artifact.Text(id))) {
			return item, nil
		}
	}
	return nil, &fault.Error{Code: store.Damaged, Detail: "the artifact's JSON has no item " + id, Cause: err}
}

// valueAt gives a field of an object, or a key within one: "predictions.H2".
func valueAt(object []byte, path string) []byte {
	var members map[string]jsontext.Value
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	if v, ok := members[path]; ok {
		return v
	}
	name, rest, ok := strings.Cut(path, ".")
	if v, has := members[name]; ok && has {
		return valueAt(v, rest)
	}
	return nil
}

// itemMarkdown is the part of the Markdown that shows one item; for a prediction
// that is its row of the table, under the table's head.
func itemMarkdown(art *artifact.Artifact, it *artifact.Item, section artifact.Section) []byte {
	small := artifact.Artifact{Metadata: art.Metadata}
	if section == artifact.PredictionsTable {
		small.Sections[artifact.HypothesisSlate] = art.Items(artifact.HypothesisSlate)
	}
	small.Sections[section] = []*artifact.Item{it}
	text, places := small.MarkdownLines()
	lines := bytes.SplitAfter(text, []byte("\n"))
	from := places[it.ID] - 1
	if section == artifact.PredictionsTable {
		from = places[section.String()] // behind the section's heading
	}
	to := from
	for to < len(lines) && !bytes.HasPrefix(lines[to], []byte("## ")) {
		to++
	}
	return append(bytes.TrimSpace(bytes.Join(lines[from:to], nil)), '\n')
}

// plainValue gives a text as it is, with its lines and tabs, and other values as JSON;
// what could deceive a terminal is only named. Exact bytes are what --format json is for.
func plainValue(value []byte) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return ui.Clean(string(value)) + "\n"
	}
	return ui.CleanText(text) + "\n"
}

// bytes gives what was asked for. JSON has no line's end, so that anybody can
// take its hash.
func (p *shownPart) bytes() []byte {
	if !p.json {
		return p.markdown
	}
	for _, data := range [][]byte{p.value, p.item, p.whole} {
		if data != nil {
			return data
		}
	}
	return nil
}

func (p *shownPart) Print(a *ui.App) error {
	if p.written == "" {
		return a.Write(p.bytes())
	}
	if !a.Quiet {
		a.Say(fmt.Sprintf("%s, written to %s\n", p.address, ui.Clean(p.written)))
	}
	return nil
}

func (p *shownPart) Document() any {
	return struct {
		Schema   string         `json:"schema"`
		Thread   string         `json:"thread_id"`
		Version  int            `json:"version"`
		SHA256   string         `json:"sha256"`
		Address  string         `json:"address"`
		Artifact jsontext.Value `json:"artifact,omitzero"`
		Item     jsontext.Value `json:"item,omitzero"`
		Value    jsontext.Value `json:"value,omitzero"`
	}{
		"brenner.session.show/v1", p.address.Thread, p.address.Version, p.sha256, p.address.String(),
		jsontext.Value(p.whole), jsontext.Value(p.item), jsontext.Value(p.value),
	}
}
