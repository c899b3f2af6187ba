package delta_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner/artifact/delta"
)

// The replies in testdata/frozen are read by the older readers as they were when those were the newest: sessions keep
// their reader. The replies are a file of their own, since the generator and the corpora grow.
func TestOlderReadersAreFrozen(t *testing.T) {
	const each = 100 // replies in a line
	packed, err := os.Open("testdata/frozen/replies.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	replies := strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
	var got bytes.Buffer
	older := delta.Readers()
	for _, version := range older[:len(older)-1] {
		sum := sha256.New()
		for i, text := range replies {
			sum.Write(digest(text, i, version))
			if (i+1)%each == 0 || i+1 == len(replies) {
				fmt.Fprintf(&got, "%s %5d %x\n", version, i+1, sum.Sum(nil)[:8])
				sum.Reset()
			}
		}
	}
	want, err := os.ReadFile("testdata/frozen/digests.golden")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got.String()); d != "" {
		t.Errorf("older readers read %d replies otherwise than before, -want +got:\n%s", len(replies), d)
	}
}

// digest returns all that becomes of a reply. Its number decides whether it is read as cut, strictly, or without an author.
func digest(text string, number int, version delta.Reader) []byte {
	var to bytes.Buffer
	opt := delta.Options{
		Reader: version, Author: []string{"BlueLake", ""}[number%2], Strict: number%7 == 0, Known: examples(), NoChanges: true, Cut: number%5 == 0,
	}
	r := delta.Read([]byte(text), opt)
	fmt.Fprintln(&to, r.Problems, r.Open)
	if r.NoChanges != nil {
		fmt.Fprintln(&to, *r.NoChanges)
	}
	for i := range r.Blocks {
		b := &r.Blocks[i]
		fmt.Fprintln(&to, b.Index, b.Line, b.OK, b.Cut, string(b.Delta.Content()), b.Flags, b.Problems, b.Written, b.Renamed)
	}
	judged := judge(reply{text: text, cut: opt.Cut}, version)
	fmt.Fprintln(&to, judged.rows(), judged.defects)
	return to.Bytes()
}
