package audit

import (
	"bytes"
	"context"

	"brenner/session"
	"brenner/store"
)

// Export is the file of a session that proves itself.
type Export struct {
	Schema   string `json:"schema"`
	Thread   string `json:"thread_id"`
	File     string `json:"file"` // where it is written to; its writer sets it
	Head     string `json:"head"`
	Seal     string `json:"seal"`
	SHA256   string `json:"sha256"` // of the file
	Bytes    int    `json:"bytes"`
	Entries  int    `json:"entries"`
	Blobs    int    `json:"blobs"`
	Versions int    `json:"versions"`
	Data     []byte `json:"-"`
}

// ExportSession returns everything about a session as one file.
func ExportSession(ctx context.Context, h *session.History) (*Export, error) {
	var data bytes.Buffer
	if err := h.Export(ctx, &data); err != nil {
		return nil, err
	}
	return &Export{
		Schema: "brenner.session.export/v1", Thread: h.Thread, Head: h.State.Head.Hash, Seal: h.State.Seal(),
		SHA256: store.Hash(data.Bytes()), Bytes: data.Len(), Entries: len(h.Entries), Blobs: len(h.References()), Versions: h.State.Version(),
		Data: data.Bytes(),
	}, nil
}
