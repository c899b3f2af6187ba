package settle_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
	"brenner/merge/settle"
)

func TestLawKnownIDsInReplies(t *testing.T) { rapid.Check(t, lawKnownIDsInReplies) }

// Whatever replies, repairs and letters say, and wherever their ADDs carry ids of existing items, an EDIT,
// KILL or key that names an item its author was shown touches that item or nothing. Every text says which
// id it meant.
func lawKnownIDsInReplies(t *rapid.T) {
	base := settle.Settle(settle.Input{Base: empty(), At: at, Message: 1, Contributions: []settle.Contribution{{
		Agent: "Amber", ID: "m0", Text: fence(add("a", "one"), add("b", "two"), add("c", "three")),
	}}}).Artifact
	later := settle.Settle(settle.Input{Base: base, At: at.Add(time.Hour), Message: 2, Contributions: []settle.Contribution{{
		Agent: "Amber", ID: "m1", Shown: 1, Text: fence(add("d", "four")),
	}}}).Artifact
	in := settle.Input{Base: later, At: at.Add(2 * time.Hour), Message: 3, Rules: merge.Rules{Version: rapid.SampledFrom([]string{merge.Second, merge.Third}).Draw(t, "version"), Limits: map[artifact.Section]merge.Limit{artifact.HypothesisSlate: {Max: 50}}}}
	shown := make(map[string]int) // by message
	for i := range rapid.IntRange(1, 3).Draw(t, "contributions") {
		given := make(map[string]bool)
		c := settle.Contribution{
			Agent: rapid.SampledFrom([]string{"Amber", "Blue"}).Draw(t, "agent"), ID: fmt.Sprint("m", 2+i), Base: &later, Third: true,
			Shown: rapid.IntRange(0, 2).Draw(t, "shown"), Text: adversaryReply(t, fmt.Sprint("m", 2+i), given),
		}
		if rapid.Bool().Draw(t, "letter") {
			c.Letter = &delta.Letter{Sent: at.Add(time.Duration(i) * time.Minute), To: []string{"Amber", "Blue"}, Direct: rapid.Bool().Draw(t, "direct")}
		} else if rapid.Bool().Draw(t, "repaired") {
			c.Repair = adversaryReply(t, c.ID, given)
		}
		shown[c.ID] = c.Shown
		in.Contributions = append(in.Contributions, c)
	}
	out := settle.Settle(in)
	known := func(message, id string) bool {
		it, _, ok := later.Find(id)
		return ok && it.Created.Version <= shown[message]
	}
	check := func(it *artifact.Item, v artifact.Value, touched string) {
		text, _ := v.(artifact.Text)
		message, meant, ok := strings.Cut(string(text), " means ")
		meant, _, _ = strings.Cut(meant, ";")
		if ok && known(message, meant) && touched != meant {
			t.Fatalf("%s: %s, but it touched %s\n%s", it.ID, text, touched, dump(in))
		}
	}
	for _, s := range artifact.Sections() {
		for _, it := range out.Artifact.Items(s) {
			if it.Killed() {
				check(it, artifact.Text(it.Kill.Reason), it.ID)
			}
			check(it, it.Get("mechanism"), it.ID)
			for _, e := range append(it.Map("expected_outcomes"), it.Map("predictions")...) {
				check(it, e.Value, e.Key)
			}
			if list, ok := it.Get("conflicts_with").(artifact.List); ok {
				check(it, it.Get("observation"), string(list[0].(artifact.Text)))
			}
		}
	}
}

func dump(in settle.Input) string {
	var b strings.Builder
	for _, c := range in.Contributions {
		fmt.Fprintf(&b, "%s %s shown %d letter %v\n%s\nrepair\n%s\n", c.ID, c.Agent, c.Shown, c.Letter != nil, c.Text, c.Repair)
	}
	return b.String()
}

// adversaryReply writes blocks whose labels, targets and references are all from a few ids. Given are the
// labels of the ADDs of the message so far.
func adversaryReply(t *rapid.T, message string, given map[string]bool) []byte {
	ids := rapid.SampledFrom(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"H1", "H2", "H4", "H5"}), 1, 2, rapid.ID).Draw(t, "pool"))
	spelt := func(id string) string {
		return rapid.SampledFrom([]string{id, id, id, id, strings.ToLower(id), "`" + id + "`", id[:1] + " " + id[1:], "Hyp " + id[1:], "RS-20260101-ab#" + id, id + ": n"}).Draw(t, "spelling")
	}
	var blocks []string
	for i := range rapid.IntRange(1, 6).Draw(t, "blocks") {
		id := ids.Draw(t, "id")
		means := fmt.Sprintf("%s means %s;%d", message, id, i)
		payload, block := map[string]any{}, map[string]any{"section": "hypothesis_slate", "payload": nil}
		switch op := rapid.SampledFrom([]string{"ADD", "ADD", "EDIT", "KILL", "T", "X"}).Draw(t, "op"); op {
		case "EDIT", "KILL":
			target := spelt(id)
			if given[target] && strings.HasPrefix(target, "Hyp") { // a name like any other, but only after the ADD
				means = "its own"
			}
			block["operation"], block["target_id"] = op, target
			payload[map[string]string{"EDIT": "mechanism", "KILL": "reason"}[op]] = means
		case "T":
			block["operation"], block["section"] = "ADD", "discriminative_tests"
			payload["procedure"], payload["expected_outcomes"] = "p"+means, map[string]any{id: means}
		case "X":
			block["operation"], block["section"] = "ADD", "anomaly_register"
			payload["observation"], payload["conflicts_with"] = means, []string{id}
		default:
			block["operation"], payload["claim"] = op, "c"+means
		}
		if block["operation"] == "ADD" {
			label := spelt(ids.Draw(t, "label"))
			for _, place := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"target_id", "id", "ref", "payload.id", "payload.ref", "name"}), 0, 2, rapid.ID).Draw(t, "places") {
				given[label] = true
				switch key, inside := strings.CutPrefix(place, "payload."); {
				case inside:
					payload[key] = label
				case key == "name":
					payload[key] = label + ": n"
				default:
					block[key] = label
				}
			}
			payload["references"] = []any{map[string]any{"session": "RS-20260101-ab", "item": id, "relation": "extends"}}
		}
		block["payload"] = payload
		text, err := json.Marshal(block)
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, string(text))
	}
	return fence(blocks...)
}
