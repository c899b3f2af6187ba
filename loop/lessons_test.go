package loop_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/loop"
)

func TestLessons(t *testing.T) {
	for reply, want := range map[string]string{
		"Words.\n```lesson\nLook first.\n```\n":                         "[Look first.]",
		"```lesson\nLook\n  twice.\n```\nand\n````lesson\nAgain.\n````": "[Look twice. Again.]",
		"````markdown\n```lesson\nOnly shown.\n```\n````\n":             "[]",
		"```lesson\nNever closed.\n":                                    "[]",
		"```lesson\n```\n":                                              "[]",
		"```lessons\nAnother word.\n```\n":                              "[]",
		"``lesson\nNo fence.\n``\n":                                     "[]",
		"```lesson\n" + strings.Repeat("long ", 1000) + "\n```":         fmt.Sprint([]string{strings.TrimSpace(strings.Repeat("long ", 100)[:499]) + "…"}),
		"```lesson\nbad \xff byte\n```\n```lesson\nGood.\n```":          "[Good.]",
	} {
		if got := fmt.Sprint(loop.Lessons([]byte(reply))); got != want {
			t.Errorf("%.40q: %.80s, not %.80s", reply, got, want)
		}
	}
}

func FuzzLessons(f *testing.F) {
	f.Add([]byte("```lesson\nLook first.\n```"))
	f.Fuzz(func(t *testing.T, reply []byte) {
		for _, l := range loop.Lessons(reply) {
			if l == "" || strings.ContainsAny(l, "\n\r") || len([]rune(l)) > 500 {
				t.Errorf("%q", l)
			}
		}
	})
}
