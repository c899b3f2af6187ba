package session

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"brenner/internal/fault"
	"brenner/session/flow"
	"brenner/store"
	"brenner/store/journal"
)

// ExportSchema names the export format: lines of JSON. The first line is a header; then come
// the journal entries, the blobs that they name, and a checksum of all lines before it.
const ExportSchema = "brenner.export/v1"

// Error codes of exports.
const (
	NotAnExport   fault.Code = "NOT_AN_EXPORT"  // The file is not a session export.
	ExportChanged fault.Code = "EXPORT_CHANGED" // A line of an export was changed.
)

type exportHeader struct {
	Schema  string `json:"schema"`
	Thread  string `json:"thread"`
	Head    string `json:"head"`
	Seal    string `json:"seal"`
	Entries int    `json:"entries"`
	Blobs   int    `json:"blobs"`
}

// exportBlob has neither text nor base64 if the blob is empty.
type exportBlob struct {
	Hash   string  `json:"blob"`
	Text   *string `json:"text,omitempty"`
	Base64 *string `json:"base64,omitempty"` // if not valid UTF-8
}

type exportEnd struct {
	SHA256 string `json:"sha256"`
}

// Export writes the session as one self-verifying file.
func (h *History) Export(ctx context.Context, w io.Writer) error {
	refs := h.References()
	sum := sha256.New()
	buf := bufio.NewWriter(w)
	out := io.MultiWriter(buf, sum)
	line := func(v any) error {
		data, err := json.Marshal(v, json.Deterministic(true))
		if err == nil {
			_, err = out.Write(append(data, '\n'))
		}
		return err
	}
	err := line(exportHeader{
		Schema: ExportSchema, Thread: h.Thread, Head: h.State.Head.Hash, Seal: h.State.Seal(),
		Entries: len(h.Entries), Blobs: len(refs),
	})
	for i := range h.Entries {
		if err == nil {
			_, err = out.Write(append(h.Entries[i].JSON(), '\n'))
		}
	}
	for _, ref := range refs {
		if err != nil {
			break
		}
		var data []byte
		if data, err = h.Store.Blob(ctx, ref.Hash); err == nil {
			err = line(blobLine(ref.Hash, data))
		}
	}
	if err == nil {
		err = line(exportEnd{hex.EncodeToString(sum.Sum(nil))})
	}
	if err == nil {
		err = buf.Flush()
	}
	return err
}

func blobLine(hash string, data []byte) exportBlob {
	b := exportBlob{Hash: hash}
	if utf8.Valid(data) {
		text := string(data)
		b.Text = &text
	} else {
		text := base64.StdEncoding.EncodeToString(data)
		b.Base64 = &text
	}
	return b
}

// ExportFile is the content of an export.
type ExportFile struct {
	Thread string
	Head   string
	Batch  store.Batch
	// Faults are the defects found, such as an altered line.
	Faults []error
}

// ReadExport reads an export. All its defects are in Faults; an error means that the data is
// not an export at all.
func ReadExport(data []byte) (*ExportFile, error) {
	lines := bytes.Split(data, []byte("\n"))
	var head exportHeader
	if err := json.Unmarshal(lines[0], &head, json.RejectUnknownMembers(true)); err != nil || head.Schema != ExportSchema {
		return nil, &fault.Error{
			Code: NotAnExport, Detail: "not a session export",
			Hint: "`brenner session export ID` writes one",
		}
	}
	x := &ExportFile{Thread: head.Thread, Head: head.Head}
	if len(lines) != head.Entries+head.Blobs+3 || len(lines[len(lines)-1]) != 0 {
		x.addFault(len(lines), "the header announces %d entries and %d blobs, but the number of lines differs", head.Entries, head.Blobs)
	}
	journaled := store.Append{Stream: Prefix + head.Thread}
	for i := 1; i < len(lines)-2; i++ {
		if i <= head.Entries {
			x.readEntry(&journaled, i+1, lines[i])
		} else {
			x.readBlob(i+1, lines[i])
		}
	}
	x.Batch.Appends = []store.Append{journaled}
	if h := journal.HeadOf(journaled.Entries); h.Hash != head.Head {
		x.addFault(1, "the header's head is not that of the journal")
	}
	x.checkSum(data, lines)
	if len(x.Faults) == 0 {
		x.checkRoundTrip(data)
	}
	return x, nil
}

// checkRoundTrip exports the content again and compares the bytes, which detects changes that no
// checksum covers.
func (x *ExportFile) checkRoundTrip(data []byte) {
	entries := x.Batch.Appends[0].Entries
	state, err := flow.Fold(entries)
	if err != nil {
		x.addFault(1, "invalid session journal: %v", err)
		return
	}
	h := &History{Store: x.blobStore(nil), Thread: x.Thread, Entries: entries, State: state}
	for _, ref := range h.References() {
		if _, err := h.Store.Blob(context.Background(), ref.Hash); err != nil {
			x.addFault(1, "missing blob: %s", ref.What)
		}
	}
	if len(x.Faults) > 0 {
		return
	}
	var again bytes.Buffer
	if err := h.Export(context.Background(), &again); err != nil {
		x.addFault(1, "cannot export the content again: %v", err)
		return
	}
	if got := again.Bytes(); !bytes.Equal(got, data) {
		line := 1
		for i := range min(len(got), len(data)) {
			if got[i] != data[i] {
				break
			}
			if data[i] == '\n' {
				line++
			}
		}
		x.addFault(line, "unexpected line: lines were added, removed or moved")
	}
}

func (x *ExportFile) addFault(line int, format string, args ...any) {
	x.Faults = append(x.Faults, &fault.Error{
		Code: ExportChanged, Line: line, Detail: fmt.Sprintf(format, args...),
		Hint: "the file was changed after it was written",
	})
}

func (x *ExportFile) readEntry(to *store.Append, number int, line []byte) {
	e, err := journal.Parse(line)
	if err != nil {
		x.addFault(number, "journal entry was changed: %v", err)
		return
	}
	if err := journal.Check(to.Stream, journal.HeadOf(to.Entries), []journal.Entry{e}); err != nil {
		x.addFault(number, "%v", err)
	}
	to.Entries = append(to.Entries, e)
}

func (x *ExportFile) readBlob(number int, line []byte) {
	var b exportBlob
	err := json.Unmarshal(line, &b, json.RejectUnknownMembers(true))
	var data []byte
	switch {
	case err != nil:
	case b.Text != nil:
		data = []byte(*b.Text)
	case b.Base64 != nil:
		data, err = base64.StdEncoding.DecodeString(*b.Base64)
	}
	if err != nil {
		x.addFault(number, "invalid blob")
		return
	}
	again, err := json.Marshal(blobLine(b.Hash, data), json.Deterministic(true))
	switch {
	case store.Hash(data) != b.Hash:
		x.addFault(number, "blob %s was changed: its hash is %s", shortHash(b.Hash), shortHash(store.Hash(data)))
	case err != nil || !bytes.Equal(again, line):
		x.addFault(number, "the line of blob %s was changed", shortHash(b.Hash))
	}
	x.Batch.Blobs = append(x.Batch.Blobs, data)
}

// checkSum detects changes that the hashes of entries and blobs do not cover: of the header, of
// the order of blobs, and of the checksum line itself.
func (x *ExportFile) checkSum(data []byte, lines [][]byte) {
	if len(lines) < 3 {
		return
	}
	last := lines[len(lines)-2]
	sum := sha256.Sum256(data[:len(data)-len(last)-1])
	want, _ := json.Marshal(exportEnd{hex.EncodeToString(sum[:])}, json.Deterministic(true))
	if !bytes.Equal(last, want) && len(x.Faults) == 0 {
		x.addFault(len(lines)-1, "checksum mismatch: line 1 or this line was changed, or lines were reordered")
	}
}

func shortHash(hash string) string {
	const digits = 12
	if len(hash) > digits {
		return hash[:digits]
	}
	return fault.Shown(hash)
}
