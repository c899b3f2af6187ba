package patch

import "testing"

// The test vectors of the specification.
func TestVectors(t *testing.T) {
	const (
		abc   = "alpha\nbeta\ngamma\n"
		three = "x = 1\nx = 1\nx = 1\n"
	)
	for _, v := range []struct {
		name, base, hash, anchor string
		op                       Op
		want                     string // the result's hash
		code                     string
		gap, found               int
	}{
		{name: "replace", base: abc, hash: "4fdbc441ea7b546100e086ac1e4fc5ae6749b7314311c99db05be450eca12996", anchor: "alpha\n", op: Op{Kind: ReplaceBlock, Old: "beta", New: "BETA"}, want: "b0d5fcac7492427d0767380786c6d7843c342299a8a447ac2ccc8deaa78ca153"},
		{name: "BOM and CRLF", base: "\ufeffalpha\r\nbeta\r\ngamma\r\n", hash: "4fdbc441ea7b546100e086ac1e4fc5ae6749b7314311c99db05be450eca12996", anchor: "alpha\n", op: Op{Kind: ReplaceBlock, Old: "beta", New: "BETA"}, want: "b0d5fcac7492427d0767380786c6d7843c342299a8a447ac2ccc8deaa78ca153"},
		{name: "lone CR", base: "alpha\rbeta\rgamma\r", hash: "4fdbc441ea7b546100e086ac1e4fc5ae6749b7314311c99db05be450eca12996", anchor: "alpha\n", op: Op{Kind: ReplaceBlock, Old: "beta", New: "BETA"}, want: "b0d5fcac7492427d0767380786c6d7843c342299a8a447ac2ccc8deaa78ca153"},
		{name: "not adjacent", base: abc, anchor: "alpha", op: Op{Kind: ReplaceBlock, Old: "beta", New: "BETA"}, code: "BLOCK_NOT_ADJACENT", gap: 1},
		{name: "delete", base: abc, anchor: "alpha\n", op: Op{Kind: DeleteBlock, Old: "beta\n"}, want: "17cbbec0b19b84e7729ef8bba7e45944bfa331f56fa873b4e796d1730b8f953f"},
		{name: "index 1", base: three, hash: "be6744804bfcbc80122a1a15d7985414eefe8d57241c78ab1b50d783f9047f52", anchor: "x = 1\n", op: Op{Kind: ReplaceBlock, Index: 1, Old: "x = 1", New: "x = 2"}, want: "0cc684c6574949c2b9ace93c3c86166d46b00f4ff5ce9341409ac7de0b34825a"},
		{name: "no index", base: three, anchor: "x = 1\n", op: Op{Kind: ReplaceBlock, Old: "x = 1", New: "x = 2"}, want: "0cc684c6574949c2b9ace93c3c86166d46b00f4ff5ce9341409ac7de0b34825a"},
		{name: "index 2", base: three, anchor: "x = 1\n", op: Op{Kind: ReplaceBlock, Index: 2, Old: "x = 1", New: "x = 2"}, want: "4a7d8c5dfbe2d0159993ef972e856e2d08d85839c0c3d5f63aac97001052ce87"},
		{name: "index 3", base: three, anchor: "x = 1\n", op: Op{Kind: ReplaceBlock, Index: 3, Old: "x = 1", New: "x = 2"}, code: "BLOCK_NOT_ADJACENT", gap: -1},
		{name: "index 4", base: three, anchor: "x = 1\n", op: Op{Kind: ReplaceBlock, Index: 4, Old: "x = 1", New: "x = 2"}, code: "ANCHOR_NOT_FOUND", found: 3},
		{name: "dollars", base: "cost: old\n", anchor: "cost: ", op: Op{Kind: ReplaceBlock, Old: "old", New: "$& $1 $$"}, want: "9b84c896d315372e86d1bf7b1c43e5751442eb608eb69048952f518a9a57a182"},
	} {
		t.Run(v.name, func(t *testing.T) {
			base := text(t, v.base)
			if v.hash != "" && base.Hash() != v.hash {
				t.Errorf("the base has hash %s", base.Hash())
			}
			p := patchOf(base, v.anchor, v.op)
			out, r := p.Apply(base)
			if v.code == "" {
				if !r.OK() || out.Hash() != v.want || r.Hash != v.want {
					t.Fatalf("%+v", r)
				}
				return
			}
			if codes(r.Problems) != v.code || out != nil {
				t.Fatalf("%+v", r)
			}
			got := r.Problems[0]
			if v.code == "BLOCK_NOT_ADJACENT" && got.Gap != v.gap {
				t.Errorf("gap %d, want %d", got.Gap, v.gap)
			}
			if v.code == "ANCHOR_NOT_FOUND" && (got.Found != v.found || got.Wanted != v.op.Index) {
				t.Errorf("found %d, wanted %d", got.Found, got.Wanted)
			}
		})
	}
}

// A file keeps its line ends and its byte order mark.
func TestApplyKeepsLineEnds(t *testing.T) {
	for base, want := range map[string]string{
		"\ufeffalpha\r\nbeta\r\ngamma\r\n": "\ufeffalpha\r\nB\r\nC\r\ngamma\r\n",
		"alpha\rbeta\rgamma\r":             "alpha\rB\rC\rgamma\r",
		"alpha\nbeta\r\ngamma\r\n":         "alpha\nB\r\nC\r\ngamma\r\n",
		"alpha\nbeta\ngam\ufeffma\n":       "alpha\nB\nC\ngam\ufeffma\n",
	} {
		b := text(t, base)
		p := patchOf(b, "alpha\n", Op{Kind: ReplaceBlock, Old: "beta", New: "B\nC"})
		out, r := p.Apply(b)
		if !r.OK() || string(out.Bytes()) != want {
			t.Errorf("%q: %q, %v", base, out.Bytes(), r.Err())
		}
		whole := patchOf(b, "", Op{Kind: ReplaceFile, New: "1\n2\n"})
		out, _ = whole.Apply(b)
		if again := text(t, string(out.Bytes())); again.Canonical() != "1\n2\n" || lineEnd(again.raw) != lineEnd(b.raw) {
			t.Errorf("%q: %q", base, out.Bytes())
		}
	}
	// A remaining CR and a following LF are two line ends, not one.
	b := text(t, "a\rbeta\nc\r\r")
	p := patchOf(b, "a\n", Op{Kind: DeleteBlock, Old: "beta"})
	if out, r := p.Apply(b); !r.OK() || Canonical(string(out.Bytes())) != "a\n\nc\n\n" {
		t.Errorf("%q %v", out.Bytes(), r.Err())
	}
}
