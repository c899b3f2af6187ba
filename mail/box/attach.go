package box

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"brenner/internal/fault"
	"brenner/mail"
	"brenner/store/sqlite"
)

// described returns the descriptions of files.
func described(files []mail.File) []mail.Attachment {
	all := make([]mail.Attachment, len(files))
	for i, f := range files {
		sum := sha256.Sum256(f.Data)
		all[i] = mail.Attachment{Name: f.Name, MediaType: f.MediaType, Size: len(f.Data), SHA256: hex.EncodeToString(sum[:])}
	}
	return all
}

// attach stores files as blobs and returns the column that lists them.
func (w *writer) attach(ctx context.Context, files []mail.File) (string, error) {
	if len(files) == 0 {
		return "", nil
	}
	all := described(files)
	for i, a := range all {
		if err := w.Exec(ctx, "INSERT INTO blobs (hash, data) VALUES (?, ?) ON CONFLICT DO NOTHING", a.SHA256, nonNil(files[i].Data)); err != nil {
			return "", err
		}
	}
	column, err := json.Marshal(all)
	return string(column), err
}

// nonNil returns data that is not stored as NULL.
func nonNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// listed returns the attachments of a message for the wire.
func listed(column string) []any {
	if column == "" {
		return []any{}
	}
	var all []mail.Attachment
	_ = json.Unmarshal([]byte(column), &all) // written by attach
	return anys(all)
}

func anys(all []mail.Attachment) []any {
	list := make([]any, len(all))
	for i := range all {
		list[i] = all[i]
	}
	return list
}

// Attachment implements mail.Reader.
func (b *Box) Attachment(ctx context.Context, project, reader string, id mail.ID, name string) (mail.File, error) {
	return sqlite.Use(ctx, &b.file, "read an attachment", func() (mail.File, error) {
		m, err := b.message(ctx, project, reader, id)
		if err != nil {
			return mail.File{}, err
		}
		for _, any := range m.Attachments {
			a := any.(mail.Attachment)
			if a.Name != name {
				continue
			}
			data, err := sqlite.List(ctx, b.read, sqlite.One[[]byte], "SELECT data FROM blobs WHERE hash = ?", a.SHA256)
			return mail.File{Name: a.Name, MediaType: a.MediaType, Data: nonNil(first(data))}, err
		}
		return mail.File{}, &fault.Error{
			Code: mail.NotFound, Detail: "message " + string(id) + " has no attachment " + fault.Shown(name), Hint: "its `attachments` lists them",
		}
	})
}
