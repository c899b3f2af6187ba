package storetest

import (
	"bytes"
	"testing"

	"brenner/store"
)

func testBlobs(t *testing.T, s store.Store) {
	everyByte := make([]byte, 256)
	for i := range everyByte {
		everyByte[i] = byte(i)
	}
	blobs := [][]byte{nil, {}, {0}, []byte("a"), []byte("\xff\xfe not UTF-8"), everyByte, bytes.Repeat(everyByte, 10_000)}
	write(t, s, store.Batch{Blobs: blobs})
	write(t, s, store.Batch{Blobs: blobs}) // once more is no mistake
	for _, want := range blobs {
		got, err := s.Blob(t.Context(), store.Hash(want))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, got) {
			t.Errorf("%d bytes came back as %d others", len(want), len(got))
		}
	}
}

func testBlobsAreCopies(t *testing.T, s store.Store) {
	given := []byte("as it was written")
	hash := store.Hash(given)
	write(t, s, store.Batch{Blobs: [][]byte{given}})
	given[0] = 'X'
	for range 2 {
		got, err := s.Blob(t.Context(), hash)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "as it was written", string(got))
		got[0] = 'Y'
	}
}

func testNoBlob(t *testing.T, s store.Store) {
	write(t, s, store.Batch{Blobs: [][]byte{[]byte("a")}})
	for _, hash := range []string{store.Hash([]byte("b")), "", "%", "_", "'; DROP TABLE blobs; --", "\xff", store.Hash([]byte("a"))[:63]} {
		_, err := s.Blob(t.Context(), hash)
		refused(t, store.NoBlob, err)
	}
}
