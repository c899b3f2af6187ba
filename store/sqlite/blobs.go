package sqlite

import (
	"context"
	"database/sql"
	_ "embed" // the dictionary
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"brenner/internal/fault"
	"brenner/store"
)

// The codings of a blob's data. Their numbers are stored; a new one needs a new schema version.
const (
	plain  = 0
	packed = 1 // a zstd frame with dictionary 1
)

// dictionary has the sentences of kickoffs and the keys of our JSON: most blobs have about a
// kilobyte and repeat little within themselves. Stores depend on each of its bytes: never edit it.
//
//go:embed dictionary.txt
var dictionary []byte

const dictionaryID = 1

// largestBlob is SQLite's limit for a value, before and after coding.
const largestBlob = 1_000_000_000

// largestRatio is how much a zstd frame can grow: four bytes stand for at most a block of 128 KiB.
const largestRatio = 1 << 15

// coder codes blobs and decodes them. It is safe for concurrent use; its zero value works.
type coder struct {
	encode, decode     sync.Once
	encoder            *zstd.Encoder
	decoder            *zstd.Decoder
	encodeErr, readErr error
}

// codedBlob is a row of the table blobs.
type codedBlob struct {
	key    []byte // its SHA-256
	size   int64  // of the blob itself
	coding int
	data   []byte
}

// code returns the row for a blob. What does not shrink stays as it is.
func (c *coder) code(key, blob []byte) (codedBlob, error) {
	row := codedBlob{key: key, size: int64(len(blob)), coding: plain, data: blob}
	if len(blob) == 0 {
		row.data = []byte{} // nil would be NULL
		return row, nil
	}
	c.encode.Do(func() {
		c.encoder, c.encodeErr = zstd.NewWriter(nil, zstd.WithEncoderDictRaw(dictionaryID, dictionary), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20), zstd.WithEncoderCRC(false))
	})
	if c.encodeErr != nil {
		return row, c.encodeErr
	}
	if short := c.encoder.EncodeAll(blob, nil); len(short) < len(blob) {
		row.coding, row.data = packed, short
	}
	return row, nil
}

// blob returns the blob of a row. It takes no more memory than the row's size and what its data can
// grow to.
func (c *coder) blob(row *codedBlob) ([]byte, error) {
	switch {
	case row.coding == plain && row.size != int64(len(row.data)):
		return nil, fmt.Errorf("it has %d bytes, but its size is %d", len(row.data), row.size)
	case row.coding == plain:
		return row.data, nil
	case row.coding != packed:
		return nil, fmt.Errorf("its data has the unknown coding %d", row.coding)
	case row.size < 0 || row.size > largestBlob || row.size > int64(len(row.data))*largestRatio:
		return nil, fmt.Errorf("its data of %d bytes cannot have the size %d", len(row.data), row.size)
	}
	c.decode.Do(func() {
		c.decoder, c.readErr = zstd.NewReader(nil, zstd.WithDecoderDictRaw(dictionaryID, dictionary), zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(largestBlob))
	})
	if c.readErr != nil {
		return nil, c.readErr
	}
	blob, err := c.decoder.DecodeAll(row.data, make([]byte, 0, row.size))
	switch {
	case err != nil:
		return nil, fmt.Errorf("its data cannot be decoded: %w", err)
	case int64(len(blob)) != row.size:
		return nil, fmt.Errorf("it has %d bytes, but its size is %d", len(blob), row.size)
	}
	return blob, nil
}

// blobKey returns the key of a hash, or nil if the text is no hash.
func blobKey(hash string) []byte {
	key, err := hex.DecodeString(hash)
	if err != nil || hex.EncodeToString(key) != hash {
		return nil
	}
	return key
}

const blobColumns = "hash, size, coding, data"

func scanBlob(rows *sql.Rows) (row codedBlob, err error) {
	err = rows.Scan(&row.key, &row.size, &row.coding, &row.data)
	return row, err
}

// read returns the blob of a row, verified.
func (s *Store) read(hash string, row *codedBlob) ([]byte, error) {
	blob, err := s.coder.blob(row)
	if err == nil && store.Hash(blob) != hash {
		err = errors.New("its bytes do not match its hash")
	}
	if err != nil {
		return nil, s.changed("read the blob "+fault.Shown(hash), err.Error())
	}
	return blob, nil
}

// packBlobs moves the blobs of a store of version 2 into the table of version 3, one at a time,
// in the transaction that also changes the version.
func packBlobs(ctx context.Context, conn *sql.Conn) (err error) {
	next, err := conn.PrepareContext(ctx, "SELECT rowid, hash, data FROM plain WHERE rowid > ? ORDER BY rowid LIMIT 1")
	if err != nil {
		return err
	}
	put, err := conn.PrepareContext(ctx, insertBlob+" VALUES (?, ?, ?, ?)")
	if err != nil {
		return errors.Join(err, next.Close())
	}
	var c coder
	for id := int64(-1 << 63); ; {
		var hash string
		var data []byte
		err := next.QueryRowContext(ctx, id).Scan(&id, &hash, &data)
		if errors.Is(err, sql.ErrNoRows) {
			break
		}
		if err == nil && store.Hash(data) != hash { // written after the copy was verified
			err = &fault.Error{Code: store.Damaged, Op: "upgrade the blob " + fault.Shown(hash), Detail: "its bytes do not match its hash", Hint: damaged().hint}
		}
		var row codedBlob
		if err == nil {
			row, err = c.code(blobKey(hash), data)
		}
		if err == nil {
			_, err = put.ExecContext(ctx, row.key, row.size, row.coding, row.data)
		}
		if err != nil {
			return errors.Join(err, next.Close(), put.Close())
		}
	}
	if err := errors.Join(next.Close(), put.Close()); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "DROP TABLE plain")
	return err
}

const insertBlob = "INSERT INTO blobs (" + blobColumns + ")"

// Hashes implements store.Lister.
func (s *Store) Hashes(ctx context.Context, after string, limit int) ([]string, error) {
	key := blobKey(after)
	if key == nil {
		key = []byte{} // before all others
	}
	return ask(ctx, s, "list blobs", One[string], "SELECT lower(hex(hash)) FROM blobs WHERE hash > ? ORDER BY hash LIMIT ?", key, limit)
}
