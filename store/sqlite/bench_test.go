package sqlite

import (
	"bytes"
	"encoding/binary"
	"testing"

	"brenner/store"
	"brenner/store/journal"
	"brenner/store/storetest"
)

func BenchmarkWrite(b *testing.B) {
	s := openIn(b, b.TempDir(), Options{})
	var head journal.Head
	blob := make([]byte, 4096)
	for n := uint64(0); b.Loop(); n++ {
		binary.LittleEndian.PutUint64(blob, n)
		entries := storetest.Chain(b, "s", head, 1)
		err := s.Write(b.Context(), store.Batch{
			Blobs: [][]byte{blob}, Appends: []store.Append{{Stream: "s", After: head, Entries: entries}},
		})
		if err != nil {
			b.Fatal(err)
		}
		head = journal.HeadOf(entries)
	}
}

func BenchmarkBlob(b *testing.B) {
	s := openIn(b, b.TempDir(), Options{})
	blob := bytes.Repeat([]byte("x"), 4096)
	if err := s.Write(b.Context(), store.Batch{Blobs: [][]byte{blob}}); err != nil {
		b.Fatal(err)
	}
	hash := store.Hash(blob)
	for b.Loop() {
		if _, err := s.Blob(b.Context(), hash); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEntries1000(b *testing.B) {
	s := openIn(b, b.TempDir(), Options{})
	err := s.Write(b.Context(), store.Batch{Appends: []store.Append{{Stream: "s", Entries: storetest.Chain(b, "s", journal.Head{}, 1000)}}})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if got, err := s.Entries(b.Context(), "s", 0); err != nil || len(got) != 1000 {
			b.Fatal(len(got), err)
		}
	}
}

// BenchmarkOpen opens and closes a store that exists.
func BenchmarkOpen(b *testing.B) {
	for name, o := range map[string]Options{"write": {}, "read": {ReadOnly: true}} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			if err := openIn(b, dir, Options{}).Close(); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				s, err := Open(b.Context(), dir, o)
				if err != nil {
					b.Fatal(err)
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
