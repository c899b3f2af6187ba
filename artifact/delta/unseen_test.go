package delta_test

import (
	"testing"

	"brenner/artifact/delta"
)

// What stands between a lead and its change hides the lead from no reader, and neither do marks around the change.
func TestUnseenLeads(t *testing.T) {
	const edit = `{"operation":"EDIT","section":"hypothesis_slate","target_id":"H1","payload":{"claim":"c"}}`
	const fenced = "```delta\n" + edit + "\n```\n"
	for text, want := range map[string]bool{
		"e.g.\n\n" + edit + "\n": false,
		"Example of the format:\n\nBEGIN DELTA\n" + edit + "\nEND DELTA\n":                                               false,
		"Format reminder (not a change):\n\n| n | change |\n|---|---|\n| 1 | " + edit + " |\n":                           false,
		"e.g.\n\n<answer>\n" + edit + "\n</answer>\n":                                                                    false,
		"An example (do not apply):\n\n**" + edit + "**\n":                                                               false,
		"An example (do not apply):\n\n{% highlight delta %}\n" + edit + "\n{% endhighlight %}\n":                        false,
		"<|channel|>final<|message|>**Example:**\n\n" + fenced:                                                           false,
		"Assistant: Sample:\n\n```delta\n[\n" + edit + ",\n" + edit + "\n]\n```\n":                                       false,
		"e.g.\n\n1. Change:\n   ```delta\n" + edit + "\n   ```\n":                                                        false,
		"<!-- ```delta\n" + edit + "\n```\n":                                                                             false,
		"Assistant: <THINK>\nLet me see.\n\n" + fenced:                                                                   false,
		"```js\nfunction f() {\n  send(" + edit + ");\n}\n```\n":                                                         false,
		"________________________________\nFrom: RedSky <r@x>\nSent: Monday\nTo: BlueLake\n\n" + fenced:                  false,
		"Sample:\n\n<details>\n<summary>Delta</summary>\n\n" + fenced + "</details>\n":                                   false,
		"\u200b> ```delta\n\u200b> " + edit + "\n\u200b> ```\n":                                                          false,
		"A delta looks like this:\n\n- Change:\n" + fenced:                                                               false,
		"<|channel|>analysis<|message|>Let me see.<|end|><|start|>assistant<|channel|>final<|message|>e.g.\n\n" + fenced: false,
		"RedSky wrote:\n\n- ```delta\n  " + edit + "\n  ```\n":                                                           false,
		"If T1 fails, send:\n\n1. ```delta\n   " + edit + "\n   ```\n":                                                   false,
		"My changes:\n\n1. ```delta\n   " + edit + "\n   ```\n":                                                          true,
		"For example, T1 shows this.\n\n" + fenced:                                                                       true,
		"<answer>\n" + fenced + "</answer>\n":                                                                            true,
		"Assistant: <think>\nLet me see.\n</think>\n\n" + fenced:                                                         true,
		"Final: My change:\n\n1. Change:\n   ```delta\n" + edit + "\n   ```\n":                                           true,
		"From: BlueLake <b@x>\nTo: RedSky\n\n" + fenced:                                                                  true,
	} {
		reply := delta.Read([]byte(text), delta.Options{Author: "BlueLake"})
		taken := false
		for i := range reply.Blocks {
			taken = taken || reply.Blocks[i].OK
		}
		if taken != want {
			t.Errorf("%q: taken is %v, want %v: %+v", text, taken, want, reply.Blocks)
		}
	}
}
