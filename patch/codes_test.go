package patch

import (
	"strings"
	"testing"
)

// Every code can occur, and every failure names its place.
func TestEveryCode(t *testing.T) {
	base := "alpha\nbeta\ngamma\n"
	hash := Hash(base)
	patch := func(groups string) string {
		return `{"protocol_id":"anchor_diff_v2.1","target":{"base_checksum_sha256":"` + hash + `"},"op_groups":` + groups + `}`
	}
	op := func(op string) string { return patch(`[{"anchor":{"text":"alpha\n"},"targets":[` + op + `]}]`) }
	good := `{"op":"replace_block","old_block":"beta","new_block":"B"}`
	for _, c := range []struct{ name, patch, codes, want string }{
		{"good", op(good), "", ""},
		{"null is absent", `{"protocol_id":"anchor_diff_v2.1","target":{"path":null,"base_checksum_sha256":"` + strings.ToUpper(hash) + `"},"op_groups":[{"anchor":{"text":"alpha\n","match_mode":null},"targets":[` + good + `]}],"result_sha256":null,"meta":{"notes":"n"}}`, "", ""},
		{"BOM", bom + op(good), "", ""},
		{"invalid JSON", `{`, "INVALID_JSON", "ends too early"},
		{"a list", `[]`, "INVALID_JSON", "not an object"},
		{"duplicate key", `{"protocol_id":"a","protocol_id":"b"}`, "INVALID_JSON", "stands twice"},
		{"lone surrogate", op(`{"op":"delete_block","old_block":"\ud800"}`), "INVALID_JSON", ""},
		{"bad bytes", "{\"protocol_id\":\"\xff\"}", "INVALID_UTF8", "0xff"},
		{"no protocol", `{}`, "MISSING_REQUIRED_FIELD", "protocol_id"},
		{"old protocol", `{"protocol_id":"diff_json_v1"}`, "BAD_PROTOCOL", "line numbers"},
		{"version of the document", `{"protocol_id":"anchor_diff_v3.0"}`, "BAD_PROTOCOL", "document"},
		{"old name", `{"protocol_id":"json_diff"}`, "BAD_PROTOCOL", "line numbers"},
		{"case", `{"protocol_id":"Anchor_Diff_v2.1"}`, "BAD_PROTOCOL", "Anchor_Diff"},
		{"number", `{"protocol_id":2.1}`, "BAD_PROTOCOL", "2.1"},
		{"nothing else", `{"protocol_id":"anchor_diff_v2.1"}`, "MISSING_REQUIRED_FIELD MISSING_REQUIRED_FIELD", ""},
		{"no hash", `{"protocol_id":"anchor_diff_v2.1","target":{},"op_groups":[]}`, "MISSING_REQUIRED_FIELD NO_OPS", ""},
		{"target", `{"protocol_id":"anchor_diff_v2.1","target":"f","op_groups":{}}`, "INVALID_FIELD INVALID_FIELD", ""},
		{"hash", `{"protocol_id":"anchor_diff_v2.1","target":{"base_checksum_sha256":"abc"},"op_groups":[],"result_sha256":""}`, "BAD_HASH_FORMAT BAD_HASH_FORMAT NO_OPS", "3 characters"},
		{"hash letters", `{"protocol_id":"anchor_diff_v2.1","target":{"base_checksum_sha256":"` + strings.Repeat("g", 64) + `"},"op_groups":[]}`, "BAD_HASH_FORMAT NO_OPS", ""},
		{"path", `{"protocol_id":"anchor_diff_v2.1","target":{"path":"../f","base_checksum_sha256":"` + hash + `"},"op_groups":[]}`, "PATH_UNSAFE NO_OPS", ".."},
		{"groups", patch(`[1,{},{"targets":1},{"targets":[]}]`), "INVALID_FIELD MISSING_REQUIRED_FIELD INVALID_FIELD NO_OPS", ""},
		{
			"anchors", patch(`[{"targets":[` + good + `]},{"anchor":1,"targets":[` + good + `]},{"anchor":{},"targets":[` + good + `]},{"anchor":{"text":1,"match_mode":2},"targets":[1]}]`),
			"MISSING_REQUIRED_FIELD INVALID_FIELD MISSING_REQUIRED_FIELD INVALID_FIELD INVALID_FIELD INVALID_FIELD", "",
		},
		{"empty anchor", patch(`[{"anchor":{"text":""},"targets":[` + good + `]}]`), "EMPTY_ANCHOR", "empty"},
		{"blank anchor", patch(`[{"anchor":{"text":" \n\t\u00a0\u200b","match_mode":"ignore_whitespace"},"targets":[` + good + `]}]`), "EMPTY_ANCHOR", "blank"},
		{"mode", patch(`[{"anchor":{"text":"alpha\n","match_mode":"fuzzy"},"targets":[` + good + `]}]`), "INVALID_FIELD", "fuzzy"},
		{"operation", op(`{"op":"insert_after"}`), "INVALID_FIELD", "insert_after"},
		{"no operation", op(`{}`), "MISSING_REQUIRED_FIELD", "op is missing"},
		{"index", op(`{"op":"replace_block","match_index":0,"old_block":"beta","new_block":"B"}`), "INVALID_FIELD", "from 1"},
		{"index text", op(`{"op":"replace_block","match_index":"2","old_block":"beta","new_block":"B"}`), "INVALID_FIELD", ""},
		{"index half", op(`{"op":"replace_block","match_index":1.5,"old_block":"beta","new_block":"B"}`), "INVALID_FIELD", ""},
		{"index huge", op(`{"op":"replace_block","match_index":9007199254740991,"old_block":"beta","new_block":"B"}`), "INVALID_FIELD", ""},
		{"no blocks", op(`{"op":"replace_block"}`), "MISSING_REQUIRED_FIELD MISSING_REQUIRED_FIELD", ""},
		{"empty block", op(`{"op":"delete_block","old_block":""}`), "MISSING_REQUIRED_FIELD", "empty"},
		{"no content", op(`{"op":"replace_entire_file"}`), "MISSING_REQUIRED_FIELD", "new_content"},
		{"misspelt", op(`{"op":"delete_block","old_block":"beta","match_indx":2}`), "INVALID_FIELD", "match_indx"},
		{"contradiction", op(`{"op":"delete_block","old_block":"beta","new_block":"B"}`), "INVALID_FIELD", "does not use"},
		{"empty leftovers", op(`{"op":"delete_block","old_block":"beta","new_block":"","new_content":null}`), "", ""},
		{"meta", `{"protocol_id":"anchor_diff_v2.1","target":{"base_checksum_sha256":"` + hash + `"},"op_groups":[{"anchor":{"text":"alpha\n"},"targets":[` + good + `]}],"meta":"m"}`, "INVALID_FIELD", "meta"},
		{"entire file", patch(`[{"anchor":{"text":""},"targets":[{"op":"replace_entire_file","old_block":"ignored","new_content":""}]}]`), "", ""},
		{"entire file and more", patch(`[{"anchor":{"text":"alpha\n"},"targets":[` + good + `,{"op":"replace_entire_file","new_content":""}]}]`), "OVERLAP", "operation 1"},
		{"anchor missing", patch(`[{"anchor":{"text":"delta\n"},"targets":[` + good + `]}]`), "ANCHOR_NOT_FOUND", "0 found"},
		{"index too high", op(`{"op":"replace_block","match_index":2,"old_block":"beta","new_block":"B"}`), "ANCHOR_NOT_FOUND", "1 found"},
		{"block further on", op(`{"op":"delete_block","old_block":"gamma"}`), "BLOCK_NOT_ADJACENT", "line 3"},
		{"block not found", op(`{"op":"delete_block","old_block":"delta"}`), "BLOCK_NOT_ADJACENT", "does not occur"},
		{"overlap", op(good + `,{"op":"delete_block","old_block":"beta\n"}`), "OVERLAP", "operations 1 and 2"},
		{"several", patch(`[{"anchor":{"text":"nope"},"targets":[` + good + `]},{"anchor":{"text":"alpha"},"targets":[` + good + `]}]`), "ANCHOR_NOT_FOUND BLOCK_NOT_ADJACENT", ""},
		{"crlf", patch(`[{"anchor":{"text":"alpha\r\n"},"targets":[{"op":"replace_block","old_block":"beta\r\ngamma","new_block":"B\r\nC"}]}]`), "", ""},
		{"base", `{"protocol_id":"anchor_diff_v2.1","target":{"base_checksum_sha256":"` + Hash("other") + `"},"op_groups":[{"anchor":{"text":"alpha\n"},"targets":[` + good + `]}]}`, "BASE_MISMATCH", "would apply to the current text"},
		{"empty base", `{"protocol_id":"anchor_diff_v2.1","target":{"base_checksum_sha256":"` + Hash("") + `"},"op_groups":[{"anchor":{"text":"alpha\n"},"targets":[` + good + `]}]}`, "BASE_MISMATCH", "hash of the empty text"},
		{"applied", `{"protocol_id":"anchor_diff_v2.1","target":{"base_checksum_sha256":"` + Hash("other") + `"},"result_sha256":"` + hash + `","op_groups":[{"anchor":{"text":"alpha\n"},"targets":[` + good + `]}]}`, "BASE_MISMATCH", "already"},
		{"result", strings.Replace(op(good), `"op_groups"`, `"result_sha256":"`+hash+`","op_groups"`, 1), "RESULT_MISMATCH", "promises"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, problems := Read([]byte(c.patch))
			var out *Text
			if len(problems) == 0 {
				var r Report
				out, r = p.Apply(text(t, base))
				problems = r.Problems
			}
			if codes(problems) != c.codes || (out == nil) != (c.codes != "") {
				t.Fatalf("%s: %v", codes(problems), Err(problems))
			}
			if c.want != "" {
				all := ""
				for i := range problems {
					all += problems[i].Place() + ": " + problems[i].Message + " " + problems[i].Hint + "\n"
				}
				if !strings.Contains(all, c.want) {
					t.Errorf("got %s, want %q", all, c.want)
				}
			}
		})
	}
}

func TestBaseMustBeUTF8(t *testing.T) {
	_, problems := NewText([]byte("a\nb\xffc"))
	if codes(problems) != "INVALID_UTF8" || problems[0].Line != 2 {
		t.Errorf("%v", problems)
	}
}

func TestCheckPath(t *testing.T) {
	for _, good := range []string{"a", "a/b.txt", "./a", "a..b", ".hidden", "söt/日本"} {
		if p, ok := CheckPath(good); !ok {
			t.Errorf("%s: %s", good, p.Message)
		}
	}
	for _, bad := range []string{"", "/etc/passwd", "../a", "a/../../b", "a/..", `a\b`, `\\host\a`, "C:/a", "c:a", ".", "a/", "a\x00b", "a\nb"} {
		if p, ok := CheckPath(bad); ok || p.Code != PathUnsafe {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestHashOfRawBytesIsExplained(t *testing.T) {
	base := text(t, "alpha\r\nbeta\r\n")
	p := patchOf(base, "alpha\n", Op{Kind: DeleteBlock, Old: "beta"})
	p.Base = Hash("alpha\r\nbeta\r\n")
	if _, r := p.Apply(base); codes(r.Problems) != "BASE_MISMATCH" || !strings.Contains(r.Problems[0].Hint, "file's bytes") {
		t.Errorf("%v", r.Problems)
	}
}

func TestApplyToCountsVersionsBehind(t *testing.T) {
	v1, v2, v3 := text(t, "one\ntwo\n"), text(t, "one\n2\n"), text(t, "one\n3\n")
	p, _ := Make("", v1, v2)
	next, r := p.ApplyTo(v1, 1, nil)
	if !r.OK() || next.Canonical() != "one\n2\n" {
		t.Fatalf("%v", r.Err())
	}
	known := []Version{{1, v1.Hash()}, {2, v2.Hash()}, {3, v3.Hash()}}
	next, r = p.ApplyTo(v3, 3, known)
	if next != nil || codes(r.Problems) != "BASE_MISMATCH" || r.Problems[0].Behind != 2 || !strings.Contains(r.Problems[0].Message, "2 versions behind") {
		t.Errorf("%v", r.Problems)
	}
	p.Base = Hash("unknown")
	if _, r = p.ApplyTo(v3, 3, known); r.Problems[0].Behind != 0 {
		t.Errorf("%v", r.Problems)
	}
}
