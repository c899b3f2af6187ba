package delta_test

import (
	"strings"
	"testing"

	"brenner/artifact/delta"
)

const (
	answerAdd  = "```delta\n{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"name\":\"mine item\",\"claim\":\"Fate is read from stiffness.\"}}\n```\n"
	answerEdit = "```delta\n{\"operation\":\"EDIT\",\"section\":\"hypothesis_slate\",\"target_id\":\"H2\",\"payload\":{\"claim\":\"Fate is read from stiffness.\"}}\n```\n"
)

// A request for corrections names the blocks of the first reply by number. An answer that says of one of them that it is
// left out, and sends another, is taken.
func TestAnswersNameBlocksOfTheRequest(t *testing.T) {
	for _, text := range []string{
		"Block 1 was a quotation of GreenField; I leave it out. Block 2, corrected:\n\n" + answerAdd,
		"Block 1 is not mine, so it is omitted.\n\n" + answerAdd,
		"Apologies, the unescaped quotes broke the JSON.\n\n" + answerAdd,
		"I'm leaving block 1 out (it quoted GreenField).\n\n" + answerAdd,
		"Only block 2 is resent; the first one was an example.\n\n" + answerAdd,
		"The first block was GreenField's draft and should be ignored. Here is the second:\n\n" + answerAdd,
		"Block 1 was GreenField's and I do not want it applied.\n\n" + answerAdd,
		"Not resending block 1.\n\n" + answerAdd,
		"Here is the corrected version of the broken block from my previous reply:\n\n" + answerAdd,
		"Previously I wrote it with unescaped quotes.\n\n" + answerAdd,
		"Block 1: withdrawn.\n\nBlock 2:\n\n" + answerAdd,
		"Block 1: withdrawn.\r\n\r\nBlock 2:\r\n\r\n" + answerAdd,
		"Block 1: NO CHANGES: it was a quotation.\n\n" + answerAdd,
		"NO CHANGES: block 1 was a quotation.\n\n" + answerAdd,
		"Ignore block 1 and use this:\n\n" + answerAdd,
		"Use only block 2.\n\n" + answerAdd,
		"Block 1 was an example only, and block 2 is my change:\n\n" + answerAdd,
		"| block | state |\n|---|---|\n| 1 | withdrawn |\n| 2 | corrected |\n\n" + answerAdd,
		"**Block 1:** withdrawn\n\n**Block 2:**\n\n" + answerAdd,
		"Problem 1: the block quoted GreenField, please ignore it.\n\n" + answerAdd,
		"You are right that block 1 is ambiguous: it is GreenField's, and I don't propose it.\n\n" + answerAdd,
		answerAdd + "\nBlock 1 is left out: it was GreenField's.\n",
		answerAdd + "\nI have not resent block 1, since that was GreenField's proposal and not mine.\n",
		answerAdd + "\nIgnore block 1; it was a quotation.\n",
		answerAdd + "\nPlease do not apply the first block. It was only an example.\n",
		"- Block 1: this was GreenField's proposal; I do not propose it.\n- Block 2: corrected below.\n\n" + answerAdd,
		"The KILL... sorry, the first ADD was not my change. I won't send it again.\n\n" + answerAdd,
		"<think>Block 1 was a quote. So only resend 2.</think>\nCorrected:\n\n" + answerAdd,
		"The KILL was GreenValley's, not mine; I do not send it.\n\n" + answerEdit,
		answerEdit + "\nThe KILL was GreenValley's, not mine; I do not send it.\n",
		"Block 1 was a quotation; ignore it. Blocks 2 and 3, corrected:\n\n" + answerAdd + "\n" + answerEdit,
		"Block 1 is left out, it was an example.\n\n" + answerAdd + "\n" + answerEdit,
	} {
		read := delta.Read([]byte(text), delta.Options{Repair: true, Author: "BlueLake", NoChanges: true})
		if taken := strings.Count(text, "```delta"); len(read.Blocks) != taken {
			t.Errorf("got %d blocks:\n%s", len(read.Blocks), text)
		}
		for i := range read.Blocks {
			if b := &read.Blocks[i]; !b.OK {
				t.Errorf("refused: %v\n%s", b.Problems, text)
			}
		}
	}
}

// What an answer says of a block that it has still counts.
func TestAnswersTakeBlocksBack(t *testing.T) {
	for _, text := range []string{
		"Block 1 is left out. This is only an example:\n\n" + answerAdd,
		"Block 1 (an example only):\n\n" + answerAdd + "\nBlock 2:\n\nNone.\n",
		answerAdd + "\nI withdraw this.\n",
		answerAdd + "\nBlock 1 is left out.\n\nIgnore the block above.\n",
		answerEdit + "\nI withdraw the EDIT of H2.\n",
		answerEdit + "\n" + answerAdd + "\nIgnore the first block.\n",
	} {
		read := delta.Read([]byte(text), delta.Options{Repair: true, Author: "BlueLake", NoChanges: true})
		if len(read.Blocks) == 0 || read.Blocks[0].OK || read.Blocks[0].Problems[0].Code != delta.AmbiguousDelta {
			t.Errorf("taken:\n%s", text)
		}
	}
}

// Of a reply in which several agents speak only what its author says is taken.
func TestDialogues(t *testing.T) {
	for text, want := range map[string]string{
		"**BlueLake:** I add a rival.\n\n" + answerAdd + "\n**GreenValley:** And I edit H2.\n\n" + answerEdit:                 "ADD",
		"**GreenValley:**\n\nI edit H2:\n\n" + answerEdit + "\n**BlueLake:** I add a rival.\n\n" + answerAdd:                  "ADD",
		"[GreenValley → all] \n\n" + answerEdit:                                                                               "",
		"[BlueLake → all]\n\n" + answerEdit:                                                                                   "EDIT",
		"**GreenValley (critic)**: H2 fails.\n\nSo it is edited.\n\n" + answerEdit + "\n" + answerAdd:                         "",
		"**GreenValley:** H2 fails.\n\n" + answerEdit + "\n## My change\n\n" + answerAdd:                                      "ADD",
		"**GreenValley:** your objection holds, so I edit H2.\n\n" + answerEdit:                                               "EDIT",
		"- **GreenValley:** wants a rival.\n- **RedSky:** does not.\n\nI agree with GreenValley and add one.\n\n" + answerAdd: "ADD",
		"**Note:** I edit H2.\n\n" + answerEdit + "\n**GreenValley's H3** stands.\n\n" + answerAdd:                            "EDIT ADD",
	} {
		var got []string
		for _, b := range delta.Read([]byte(text), delta.Options{Author: "BlueLake"}).Blocks {
			if b.OK {
				got = append(got, b.Delta.Operation)
			}
		}
		if all := strings.Join(got, " "); all != want {
			t.Errorf("got %q, want %q:\n%s", all, want, text)
		}
	}
}
