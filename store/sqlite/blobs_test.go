package sqlite

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"brenner/store"
)

// Stores depend on each byte of the dictionary: it is never edited.
func TestDictionaryIsFrozen(t *testing.T) {
	t.Parallel()
	const want = "a80bbdf39f9715c2a1d68b7757c8ac8cf5dea9dcd3245359a4896fa60b6ebc46"
	if got := store.Hash(dictionary); got != want {
		t.Errorf("the dictionary has the hash %s, want %s", got, want)
	}
}

// A blob that was coded when the coding was new can always be read.
func TestFirstCodedBlob(t *testing.T) {
	t.Parallel()
	const want = `{"content":{"anchors":["inference"],"claim":"Cells count their divisions.","id":"H1","name":"A clock","status":"active"}}`
	data, err := hex.DecodeString("28b52ffd010001f50000484120636c6f636b7d7d06002f9b8189717358064aeb80b5ea306090b980")
	if err != nil {
		t.Fatal(err)
	}
	var c coder
	if got, err := c.blob(&codedBlob{size: int64(len(want)), coding: packed, data: data}); err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
}

// pieces of blobs, some of which the dictionary has.
func anyPiece(t *rapid.T) []byte {
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		return rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "bytes")
	case 1:
		from := rapid.IntRange(0, len(dictionary)).Draw(t, "from")
		return dictionary[from:min(len(dictionary), from+rapid.IntRange(0, 5000).Draw(t, "length"))]
	case 2:
		return bytes.Repeat([]byte{rapid.Byte().Draw(t, "byte")}, rapid.IntRange(0, 300_000).Draw(t, "times"))
	}
	return []byte(rapid.String().Draw(t, "text"))
}

// Every blob comes back, and none takes more room than before.
func TestBlobsComeBack(t *testing.T) {
	t.Parallel()
	var c coder
	rapid.Check(t, func(rt *rapid.T) {
		blob := bytes.Join(rapid.SliceOfN(rapid.Custom(anyPiece), 0, 6).Draw(rt, "pieces"), nil)
		row, err := c.code(nil, blob)
		if err != nil || len(row.data) > len(blob) || row.size != int64(len(blob)) {
			rt.Fatalf("%d bytes became %d, size %d: %v", len(blob), len(row.data), row.size, err)
		}
		if got, err := c.blob(&row); err != nil || !bytes.Equal(got, blob) {
			rt.Fatalf("%d bytes came back as %d: %v", len(blob), len(got), err)
		}
	})
}

// What is coded and larger than any block and window comes back, too.
func TestLargeBlobComesBack(t *testing.T) {
	t.Parallel()
	blob := bytes.Repeat(dictionary, 100)
	_, _ = rand.NewChaCha8([32]byte{}).Read(blob[1<<20 : 2<<20])
	s := openIn(t, t.TempDir(), Options{})
	if err := s.Write(t.Context(), store.Batch{Blobs: [][]byte{blob}}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Blob(t.Context(), store.Hash(blob)); err != nil || !bytes.Equal(got, blob) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// Damage of a coded blob is reported as that of a plain one.
func TestDamagedCoding(t *testing.T) {
	t.Parallel()
	blob := bytes.Repeat([]byte("a longer text; "), 100)
	for change, want := range map[string]string{
		"size = size + 1":                   "but its size is 1501",
		"size = size - 1":                   "cannot be decoded",
		"size = 1000000000000":              "cannot have the size",
		"size = 1000000000":                 "cannot have the size",
		"size = -1":                         "cannot have the size",
		"coding = 7":                        "unknown coding 7",
		"data = x'79'":                      "cannot be decoded",
		"data = x''":                        "cannot have the size",
		"data = CAST(data || data AS BLOB)": "cannot be decoded",
		"coding = 0":                        "but its size is 1500",
		"coding = 0, size = length(data)":   "hash",
	} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			s := openIn(t, t.TempDir(), Options{})
			if err := s.Write(t.Context(), store.Batch{Blobs: [][]byte{blob}}); err != nil {
				t.Fatal(err)
			}
			s.exec(t, "PRAGMA ignore_check_constraints = 1; UPDATE blobs SET "+change)
			_, err := s.Blob(t.Context(), store.Hash(blob))
			wantFault(t, err, store.Damaged, want)
			err = s.Blobs(t.Context(), []string{store.Hash(blob)}, func(int, []byte) error { return nil })
			wantFault(t, err, store.Damaged, want)
			wantFault(t, s.Verify(t.Context()), store.Damaged, want)
		})
	}
}

// FuzzCoded decodes damaged data: it fails or returns size bytes, and needs no more memory than that.
func FuzzCoded(f *testing.F) {
	var c coder
	for _, blob := range [][]byte{dictionary[:3000], bytes.Repeat([]byte("x"), 1<<18)} {
		row, err := c.code(nil, blob)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(row.data, row.size)
	}
	f.Fuzz(func(t *testing.T, data []byte, size int64) {
		size %= 1 << 24
		blob, err := c.blob(&codedBlob{size: size, coding: packed, data: data})
		if err == nil && int64(len(blob)) != size {
			t.Errorf("%d bytes, want %d", len(blob), size)
		}
	})
}
