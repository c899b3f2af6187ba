package project

import (
	"context"
	"errors"

	"brenner/internal/fault"
	"brenner/kickoff"
	"brenner/session"
)

// Imported is a session that was taken in.
type Imported struct {
	Schema   string `json:"schema"`
	Thread   string `json:"thread_id"`
	File     string `json:"file"`
	New      int    `json:"new_entries"`
	Entries  int    `json:"entries"`
	Versions int    `json:"versions"`
	Head     string `json:"head"`
	Seal     string `json:"seal"`
	Ahead    bool   `json:"-"` // the project has more of it than the export
}

// ProvenExport reads an export. One that does not prove itself is an error, with
// everything that is wrong with it.
func ProvenExport(ctx context.Context, file string, data []byte) (*session.Exported, error) {
	proof, x, err := VerifyExport(ctx, file, data, "")
	if err != nil {
		return nil, err
	}
	if len(proof.Found) > 0 {
		return nil, refusedExport(file, proof.Found)
	}
	// It becomes the name of a directory.
	return x, fault.InFile("import", file, kickoff.CheckThreadID(x.Thread))
}

func refusedExport(file string, found []error) error {
	all := []error{&fault.Error{
		Code: session.ExportChanged, Op: "import", Place: file, Detail: "it does not prove itself; nothing was imported",
		Hint: "ask for the file again, or export it again",
	}}
	for _, err := range found {
		for _, f := range fault.Distinct(err) {
			all = append(all, &fault.Error{Code: f.Code, Place: file, Cause: f})
		}
	}
	return errors.Join(all...)
}

// Import takes the session of a proven export into the project's store, whole or not at
// all, and publishes its artifact. doing is what other processes are told meanwhile.
func (p *Project) Import(ctx context.Context, file string, x *session.Exported, doing string) (*Imported, error) {
	st, err := p.OpenStore(ctx)
	if err != nil {
		return nil, err
	}
	defer p.CloseStore(st)
	release, err := st.Hold(x.Thread, p.holder(doing))
	if err != nil {
		return nil, err
	}
	defer release() //nolint:errcheck // what is stored is stored; the lock ends with the process at the latest
	n, err := session.Import(ctx, st, x)
	if err != nil {
		return nil, fault.InFile("import", file, err)
	}
	h, err := session.Load(ctx, st, x.Thread)
	if err != nil {
		return nil, err
	}
	if _, err := p.Publish(ctx, h); err != nil {
		return nil, err
	}
	return &Imported{
		Schema: "brenner.session.import/v1", Thread: x.Thread, File: file, New: n, Entries: len(h.Entries),
		Versions: h.State.Version(), Head: h.State.Head.Hash, Seal: h.State.Seal(), Ahead: len(h.Entries) > len(x.Batch.Appends[0].Entries),
	}, nil
}
