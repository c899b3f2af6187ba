package patch

import (
	"testing"

	"brenner/artifact/delta"
)

// FuzzRead checks that Read never panics, and that an accepted patch survives a round trip.
func FuzzRead(f *testing.F) {
	a, b := text(f, "alpha\nbeta\n"), text(f, "alpha\nBETA\n")
	p, _ := Make("f.txt", a, b)
	f.Add(p.JSON())
	f.Add([]byte(`{"protocol_id":"anchor_diff_v2.1","target":{"base_checksum_sha256":"x"},"op_groups":[{"anchor":{"text":""},"targets":[{"op":"replace_entire_file","new_content":""}]}]}`))
	f.Add([]byte(`{"protocol_id":"anchor_diff_v2.1","target":{"path":"a/../b"},"op_groups":[{"anchor":{"text":"a","match_mode":"ignore_whitespace"},"targets":[{"op":"delete_block","match_index":3,"old_block":"\r\n"}]}],"meta":{"a":[1,{"b":null}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, problems := Read(data)
		for i := range problems {
			if problems[i].Code == "" || problems[i].Message == "" {
				t.Fatalf("%+v", problems[i])
			}
		}
		if len(problems) > 0 {
			return
		}
		again, problems := Read(p.JSON())
		if len(problems) > 0 || string(again.JSON()) != string(p.JSON()) {
			t.Fatalf("%s: %v", p.JSON(), problems)
		}
	})
}

// FuzzMatch checks that Apply never panics, and changes only the block after the anchor.
func FuzzMatch(f *testing.F) {
	f.Add("alpha\r\nbeta\n", "alpha\n", "beta", "B\nC", false, 0)
	f.Add("aaaaaaa", "aa", "a", "", false, 3)
	f.Add("f ( x )  { y }", "f(x)", "{ y }", "z", true, 1)
	f.Add("caf\u00e9 \ufeffnow", "cafe\u0301", " now", "", true, 2)
	f.Fuzz(func(t *testing.T, s, anchor, old, now string, loose bool, index int) {
		base, problems := NewText([]byte(s))
		if len(problems) > 0 {
			return
		}
		p := patchOf(base, anchor, Op{Kind: ReplaceBlock, Index: index & 0xff, Old: old, New: now})
		if loose {
			p.Groups[0].Anchor.Mode = IgnoreWhitespace
		}
		p, problems = Read(p.JSON())
		if len(problems) > 0 {
			return
		}
		out, r := p.Apply(base)
		if (out == nil) == r.OK() {
			t.Fatalf("%v", r)
		}
		for i := range r.Problems {
			if r.Problems[i].Code == "" || r.Problems[i].Message == "" || r.Problems[i].Operation != 1 {
				t.Fatalf("%+v", r.Problems[i])
			}
		}
		if out == nil {
			return
		}
		op := p.Groups[0].Ops[0]
		if len(out.Canonical()) != len(base.Canonical())-len(op.Old)+len(op.New) || Canonical(string(out.Bytes())) != out.Canonical() {
			t.Fatalf("%q became %q, with bytes %q", base.Canonical(), out.Canonical(), out.Bytes())
		}
	})
}

// FuzzMake checks the round trip of Make and Apply for any two texts.
func FuzzMake(f *testing.F) {
	f.Add("alpha\nbeta\n", "alpha\nBETA\n")
	f.Add("", "x")
	f.Add("a\r\n\r\nb", "\ufeffa\n\nb\nc")
	f.Fuzz(func(t *testing.T, a, b string) { checkRoundTrip(t, a, b) })
}

// FuzzBlocks checks that ReadBlocks and Convert never panic, and always return blocks or
// problems.
func FuzzBlocks(f *testing.F) {
	f.Add(blockReply, "alpha\nbeta\n")
	f.Add("<<<<<<< SEARCH\n\n=======\n\n>>>>>>> REPLACE", "")
	f.Add(inFence("json", specPatch)+blockReply, "alpha\nbeta\ngamma\n")
	f.Add("spec\n<<<<<<< SEARCH\nbeta\n=======\n"+inFence("patch", specPatch)+">>>>>>> REPLACE</think>\n"+inFence("", specPatch), "alpha\nbeta\ngamma\n")
	f.Add("    "+specPatch+"> ```patch\n> {\"op_groups\": [\n```anchor_diff\n<<<<<<< SEARCH\n", "alpha\n")
	f.Fuzz(func(t *testing.T, reply, s string) {
		found := ReadBlocks([]byte(reply), delta.NewestReader)
		blocks, problems := found.Blocks, found.Problems
		if len(blocks) == 0 && len(problems) == 0 {
			t.Fatal("neither blocks nor problems")
		}
		base, problems := NewText([]byte(s))
		if len(problems) > 0 || len(blocks) == 0 {
			return
		}
		p, r := Convert("", base, blocks)
		if !r.OK() {
			return
		}
		if _, r := p.Apply(base); !r.OK() {
			t.Fatal(r.Err())
		}
	})
}
