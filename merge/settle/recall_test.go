package settle_test

import (
	"testing"
	"time"

	"brenner/artifact/delta"
	"brenner/merge"
	"brenner/merge/settle"
)

// A letter takes back the reply that it follows, and its correction only if it came after that.
func TestLettersTakeBackReplies(t *testing.T) {
	const kill = `{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"no"}}`
	const back = "Please disregard my last mail, I was wrong."
	for name, c := range map[string]struct {
		reply, repair, letter string
		afterRepair           bool
		want                  string
	}{
		"nothing follows":       {reply: string(fence(goodEdit)), want: "applied "},
		"reply":                 {reply: string(fence(goodEdit)), letter: back, want: "rejected AMBIGUOUS_DELTA "},
		"only one change":       {reply: string(fence(goodTest, kill)), letter: "I withdraw the KILL of H1.", want: "applied rejected AMBIGUOUS_DELTA "},
		"correction stands":     {reply: string(fence(goodEdit, incomplete)), repair: string(fence(otherTest)), letter: back, want: "rejected AMBIGUOUS_DELTA rejected MISSING_REQUIRED_FIELD applied "},
		"correction taken back": {reply: string(fence(incomplete)), repair: string(fence(otherTest)), letter: back, afterRepair: true, want: "rejected MISSING_REQUIRED_FIELD rejected AMBIGUOUS_DELTA "},
		"question":              {reply: string(fence(goodEdit)), letter: "Shall I take back my last mail?", want: "applied "},
	} {
		base := shownBase()
		reply := settle.Contribution{Agent: "A", ID: "r", Text: []byte(c.reply), Base: base, Shown: 1, Third: true, Reader: delta.NewestReader}
		if c.repair != "" {
			reply.Repair = []byte(c.repair)
		}
		all := []settle.Contribution{reply}
		if c.letter != "" {
			all[0].SetFollowed(at)
			all = append(all, settle.Contribution{
				Agent: "A", ID: "l", Text: []byte(c.letter), Base: base, Shown: 1, Third: true, Reader: delta.NewestReader,
				Letter: &delta.Letter{Sent: at.Add(time.Second)}, AfterRepair: c.afterRepair,
			})
		}
		s := settle.Settle(settle.Input{Base: *base, At: at, Message: 2, Contributions: all, Rules: merge.Rules{Version: merge.Version}})
		got := ""
		for _, row := range s.Report.Deltas {
			got += row.Disposition.String() + " "
			if row.Code != "" {
				got += string(row.Code) + " "
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q\n%+v", name, got, c.want, s.Report.Deltas)
		}
	}
}
