package cli_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// letterRows are the messages in the JSON of `session compile` and `session status`.
type letterRows struct {
	Letters []struct {
		ID, From, Agent, Subject, Outcome, Of string
		New                                   bool
		Version                               int
		Refusals                              []struct{ Code, Message string }
	}
}

func readLetters(t *testing.T, out string) letterRows {
	t.Helper()
	var rows letterRows
	if err := json.Unmarshal([]byte(out), &rows); err != nil {
		t.Fatalf("%v: %.600s", err, out)
	}
	return rows
}

// Every message of a thread has a row, and what an agent of the roster sends counts whatever its
// subject says.
func TestCompileAccountsForEveryMessage(t *testing.T) {
	b := newMailProject(t, "Lead", "BlueLake", "RedSky", "Mallory")
	example := delta(`{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"Example","claim":"An example."}}`)
	kill := delta(`{"operation":"KILL","section":"hypothesis_slate","target_id":"H9","payload":{"reason":"No."}}`)
	thread := []struct{ from, subject, body, want, code string }{
		{"Lead", "KICKOFF: Why is it dark?", "Answer like this.\n\n" + example, "own", ""},
		{"BlueLake", "ACK: got it", "On it; deltas follow.", "sign_of_life", ""},
		{"BlueLake", "INFO: my answer", hypothesis("dust"), "contributed", ""},
		{"BlueLake", "Re: KICKOFF: Why is it dark?", hypothesis("dust"), "duplicate", ""},
		{"BlueLake", "COMPILED: mine", hypothesis("gas"), "contributed", ""},
		{"RedSky", "thoughts", "I find this hard.", "prose_only", "NO_DELTAS"},
		{"RedSky", "empty", "", "prose_only", "NO_DELTAS"},
		{"RedSky", "CLAIM: H9", kill, "refused", "INVALID_TARGET"},
		{"RedSky", "broken", delta(`{"operation":`), "unreadable", "INVALID_JSON"},
		{"RedSky", "copied", example, "prose_only", "NO_DELTAS"},
		{"RedSky", "done", "NO CHANGES: nothing to add", "no_changes", ""},
		{"RedSky", "INFO: words", "KILL H2 — too vague", "prose_only", "PROSE_ONLY"},
		{"BlueLake", "with a draft", "<think>\n" + hypothesis("ice") + "</think>\n\n" + hypothesis("fog"), "contributed", "draft"},
		{"Mallory", "DELTA: me, too", hypothesis("a stranger's"), "not_in_roster", ""},
	}
	for _, m := range thread {
		to := []string{"Lead"}
		if m.from == "Lead" {
			to = []string{"BlueLake", "RedSky"}
		}
		b.agents[m.from].call("send_message", map[string]any{"sender_name": m.from, "to": to, "subject": m.subject, "body_md": m.body, "thread_id": mailThread})
	}
	who := []string{"--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "adversarial_critic"}
	first := b.mustRun(append([]string{"session", "compile", mailThread, "--json"}, who...)...)
	second := b.wantExit(2, "session", "compile", mailThread, "--json")
	fits(t, "brenner.session/v1", strings.SplitAfter(first, "\n")[0])
	fits(t, "brenner.session.letters/v1", strings.SplitAfter(second, "\n")[0])
	for again, out := range []string{first, second} {
		rows := readLetters(t, strings.SplitAfter(out, "\n")[0]).Letters
		if len(rows) != len(thread) {
			t.Fatalf("%d rows: %.2000s", len(rows), out)
		}
		for i, m := range thread {
			r := rows[i]
			if r.From != m.from || r.Subject != m.subject || r.Outcome != m.want || r.ID == "" {
				t.Errorf("%d: %+v, want %+v", again, r, m)
			}
			if again == 0 && m.code != "" && (len(r.Refusals) == 0 || r.Refusals[0].Code != m.code) {
				t.Errorf("%+v, want %s", r, m.code)
			}
		}
		if rows[3].Of != rows[2].ID {
			t.Errorf("%+v does not repeat %+v", rows[3], rows[2])
		}
	}
	show := b.mustRun("session", "show", mailThread, "--json")
	for text, want := range map[string]int{"It is dust.": 1, "It is gas.": 1, "It is fog.": 1, "It is ice.": 0, "An example.": 0, "a stranger's": 0} {
		if n := strings.Count(show, text); n != want {
			t.Errorf("%q stands %d times in the artifact", text, n)
		}
	}
	if out := b.mustRun("session", "status", mailThread); !strings.Contains(out, "prose only, read before") || !strings.Contains(out, "contributed, 1 applied, version 2, read before") {
		t.Errorf("%.3000s", out)
	}
	b.mustRun("verify", mailThread)
	b.mustRun("session", "replay", mailThread)
	export, page := b.dir+"/empty.jsonl", b.dir+"/empty.html" // with the text of an empty letter
	b.mustRun("session", "export", mailThread, "--out", export)
	b.mustRun("session", "export", mailThread, "--html", page)
	for _, file := range []string{export, page} {
		b.mustRun("verify", file)
		b.mustRun("session", "import", file)
		b.mustRun("session", "replay", file)
	}
	for _, step := range []struct {
		from, body string
		exit       int
		say        string
	}{
		{"BlueLake", "I have no idea.", 1, "prose only"},
		{"RedSky", hypothesis("smoke"), 0, "read 1 new message of the thread, merged 1"},
		{"RedSky", hypothesis("smoke") + "\nPS: I send it again.", 0, "said before, 1 duplicate"},
		{"RedSky", hypothesis("smoke") + hypothesis("mist"), 0, "contributed, 1 applied, 1 said before"},
	} {
		b.agents[step.from].write(mailThread, "more", step.body)
		if out := b.wantExit(step.exit, "session", "compile", mailThread); !strings.Contains(out, step.say) {
			t.Errorf("%.3000s", out)
		}
	}
	b.agents["BlueLake"].write(mailThread, "more", hypothesis("ice"))
	b.agents["RedSky"].write(mailThread, "more", "Nothing, sorry.")
	if out := b.wantExit(3, "session", "compile", mailThread); !strings.Contains(out, "read 2 new messages of the thread, merged 1") {
		t.Errorf("%.3000s", out)
	}
	b.mustRun("session", "replay", mailThread)
}

// A reply to a kickoff counts although its subject names a sign of life.
func TestReplyUnderAnotherSubject(t *testing.T) {
	b := newMailProject(t, "BlueLake")
	end := b.start(0, "--to", "BlueLake", "--role", "hypothesis_generator", "--rounds", "1", "--question", "Why?", "--thread-id", mailThread)
	blue := b.agents["BlueLake"]
	blue.next("KICKOFF: ")
	blue.write(mailThread, "INFO: working", "I am working on it.")
	blue.write(mailThread, "INFO: done", hypothesis("dust"))
	if out := end(); !strings.Contains(out, "1 contributed") {
		t.Errorf("%.600s", out)
	}
}

// A letter may use the names of new items in an earlier letter to its author. Others are not bound, nor is
// any target; the rows say what each means.
func TestCompileBindsNamesOfEarlierLetters(t *testing.T) {
	b := newMailProject(t, "Lead", "AmberFox", "BlueLake", "RedSky")
	named := func(name, id string) string {
		return delta(`{"operation":"ADD","section":"hypothesis_slate","target_id":"` + id + `","payload":{"name":"` + name + `","claim":"It is ` + name + `."}}`)
	}
	row := func(condition string) string {
		return delta(`{"operation":"ADD","section":"predictions_table","payload":{"condition":"` + condition + `","predictions":{"H5":"` + condition + `"}}}`)
	}
	kill := delta(`{"operation":"KILL","section":"hypothesis_slate","target_id":"H5","payload":{"reason":"No."}}`)
	subject := "KICKOFF: Why?"
	for _, m := range []struct{ from, to, body string }{
		{"Lead", "AmberFox BlueLake RedSky", "Answer."},
		{"RedSky", "Lead", hypothesis("gas")},
		{"RedSky", "Lead", row("Before it.")},
		{"BlueLake", "Lead RedSky", named("dust", "H5")},
		{"RedSky", "Lead AmberFox", row("After it.")},
		{"AmberFox", "Lead", row("Not a recipient.")},
		{"RedSky", "Lead", kill},
		{"AmberFox", "Lead RedSky", named("fog", "H5")},
		{"RedSky", "Lead", row("After both.")},
	} {
		b.agents[m.from].call("send_message", map[string]any{"sender_name": m.from, "to": strings.Fields(m.to), "subject": subject, "body_md": m.body, "thread_id": mailThread})
		subject = "DELTA"
	}
	out := b.mustRun("session", "compile", mailThread, "--to", "AmberFox", "--role", "hypothesis_generator", "--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "adversarial_critic")
	for _, want := range []string{
		"References:\n",
		"REF_BOUND", "predictions of P3 names H5; bound to H2, which BlueLake called so in an earlier letter",
		"INVALID_TARGET there is no H5 in hypothesis_slate; BlueLake's H5 is H2",
		"kept as written; BlueLake's H5 is H2, AmberFox's H5 is H1\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %.4000s", want, out)
		}
	}
	if n := strings.Count(out, "UNRESOLVED_REF"); n != 3 {
		t.Errorf("%d references are unresolved: %.4000s", n, out)
	}
	show := b.mustRun("session", "show", mailThread, "--json")
	for _, want := range []string{`{"H2":"After it."}`, `{"H5":"Before it."}`, `{"H5":"Not a recipient."}`, `{"H5":"After both."}`} {
		if !strings.Contains(strings.NewReplacer(" ", "", "\n", "").Replace(show), strings.ReplaceAll(want, " ", "")) {
			t.Errorf("no %s in %.4000s", want, show)
		}
	}
	b.mustRun("verify", mailThread)
	b.mustRun("session", "replay", mailThread)
}

// letter sends a message in the thread to its leader.
func (b *mailProject) letter(from, subject, body string) {
	b.t.Helper()
	b.agents[from].call("send_message", map[string]any{"sender_name": from, "to": []string{"Lead"}, "subject": subject, "body_md": body, "thread_id": mailThread})
}

// lateThread sends a kickoff of another tool, and returns the options of its roster.
func lateThread(b *mailProject, examples string) []string {
	b.agents["Lead"].call("send_message", map[string]any{
		"sender_name": "Lead", "to": []string{"BlueLake", "RedSky"}, "subject": "KICKOFF: Why is it dark?", "body_md": "Answer.\n\n" + examples, "thread_id": mailThread,
	})
	return []string{"--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "adversarial_critic"}
}

// A letter means the items of the version that it answers, whenever it is compiled.
func TestLateLetterMeansWhatItsAuthorSaw(t *testing.T) {
	own := delta(`{"operation":"ADD","section":"hypothesis_slate","target_id":"H1","payload":{"name":"Own","claim":"It is fog."}}`) +
		delta(`{"operation":"KILL","section":"hypothesis_slate","target_id":"H1","payload":{"reason":"My own is weak."}}`)
	for _, compiles := range []int{1, 2} {
		for _, answers := range []bool{true, false} {
			b := newMailProject(t, "Lead", "BlueLake", "RedSky")
			who := lateThread(b, "")
			b.letter("BlueLake", "mine", hypothesis("dust"))
			if compiles == 2 {
				b.mustRun(append([]string{"session", "compile", mailThread}, who...)...)
				who = nil
			}
			if answers {
				b.agents["RedSky"].call("reply_message", map[string]any{"sender_name": "RedSky", "message_id": 1, "body_md": own})
			} else {
				b.letter("RedSky", "mine", own)
			}
			b.mustRun(append([]string{"session", "compile", mailThread}, who...)...)
			show := b.mustRun("session", "show", mailThread)
			if !strings.Contains(show, "### H1:") || !strings.Contains(show, "### ~~H2: Own~~ [KILLED]") {
				t.Errorf("%d compiles: %.3000s", compiles, show)
			}
			b.mustRun("session", "replay", mailThread)
		}
	}
}

// The examples of every question of the thread are examples, and a letter sent again with an addition
// adds only that.
func TestLetterRepeatsExamplesAndItself(t *testing.T) {
	b := newMailProject(t, "Lead", "BlueLake", "RedSky")
	example := delta(`{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"Example","claim":"An example."}}`)
	who := lateThread(b, example)
	b.letter("BlueLake", "mine", hypothesis("dust"))
	b.mustRun(append([]string{"session", "compile", mailThread}, who...)...)
	b.letter("BlueLake", "mine", hypothesis("dust")+"\n")
	b.letter("BlueLake", "mine", "Again, and one more.\n\n"+hypothesis("dust")+hypothesis("gas"))
	rows := readLetters(t, strings.SplitAfter(b.mustRun("session", "compile", mailThread, "--json"), "\n")[0]).Letters
	if rows[2].Outcome != "duplicate" || rows[3].Outcome != "contributed" {
		t.Errorf("%+v", rows)
	}
	lateThread(b, "")
	b.letter("RedSky", "mine", example+hypothesis("fog"))
	b.mustRun("session", "compile", mailThread)
	show := b.mustRun("session", "show", mailThread, "--json")
	for text, want := range map[string]int{"It is dust.": 1, "It is gas.": 1, "It is fog.": 1, "An example.": 0} {
		if n := strings.Count(show, text); n != want {
			t.Errorf("%q stands %d times in the artifact", text, n)
		}
	}
	b.mustRun("session", "replay", mailThread)
}

// contains checks that an output has the texts.
func contains(t *testing.T, out string, want ...string) {
	t.Helper()
	for _, one := range want {
		if !strings.Contains(out, one) {
			t.Errorf("no %q in %.4000s", one, out)
		}
	}
}

// A delta that was rejected is tried again when its author sends it in another letter of the round, and a
// letter with the same text says why it is not.
func TestRejectedDeltaIsTriedAgain(t *testing.T) {
	b := newMailProject(t, "Lead", "BlueLake", "RedSky")
	who := lateThread(b, "")
	edit := delta(`{"operation":"EDIT","section":"discriminative_tests","target_id":"T1","payload":{"feasibility":"a day"}}`)
	b.letter("RedSky", "first", edit+hypothesis("gas"))
	b.mustRun(append([]string{"session", "compile", mailThread}, who...)...)
	b.mustRun("session", "apply", mailThread, "--set", "RT.context=Nights.", "--why", "said")
	b.letter("RedSky", "again", edit+hypothesis("gas"))
	b.letter("RedSky", "once more", "Once more.\n\n"+edit+hypothesis("gas"))
	out := b.wantExit(1, "session", "compile", mailThread)
	contains(t, out,
		"; what was rejected there is tried again only in a message with other words\n",
		"refused, 1 rejected, 1 said before\n", "INVALID_TARGET",
		"merged 0; exit code 1: no author of a new message contributed or wrote NO CHANGES\n",
		"not asked, 2 messages",
	)
	out = b.wantExit(2, "session", "compile", mailThread, "--json")
	contains(t, out, `"rejected":1,"repeated":1`)
	contains(t, b.wantExit(2, "session", "compile", mailThread), "\nWhat was not taken: brenner session status "+mailThread+"\n")
	contains(t, b.mustRun("session", "status", mailThread), "RedSky: answered", "discriminative_tests")
	b.mustRun("session", "replay", mailThread)
	b.mustRun("verify", mailThread)
	for _, entry := range strings.Split(strings.TrimSpace(b.mustRun("session", "export", mailThread, "-o", "-")), "\n") {
		if strings.Contains(entry, `"schema":"brenner.journal/v1"`) {
			fits(t, "brenner.journal/v1", entry)
		}
	}
}

// The row of a letter names the places of its conflicts.
func TestLetterNamesItsConflicts(t *testing.T) {
	b := newMailProject(t, "Lead", "BlueLake", "RedSky")
	lateThread(b, "")
	for _, name := range []string{"BlueLake", "RedSky"} {
		b.letter(name, "DELTA", delta(`{"operation":"EDIT","section":"research_thread","target_id":"RT","payload":{"context":"`+name+`"},"rationale":"r"}`))
	}
	out := b.wantExit(5, "session", "compile", mailThread, "--json", "--to", "BlueLake", "--role", "hypothesis_generator", "--to", "RedSky", "--role", "hypothesis_generator")
	if n := strings.Count(out, `"conflicts":["RT.context"]`); n != 2 {
		t.Errorf("%d letters name the conflict: %.4000s", n, out)
	}
}

// A reply that was corrected counts once, with its correction.
func TestCorrectedReplyCountsOnce(t *testing.T) {
	b := newMailProject(t, "BlueLake")
	end := b.start(0, "--to", "BlueLake", "--role", "hypothesis_generator", "--rounds", "1", "--question", "Why?", "--thread-id", mailThread)
	blue := b.agents["BlueLake"]
	id, _ := blue.next("KICKOFF: ")
	blue.reply(id, hypothesis("dust")+delta(`{"operation":`))
	id, _ = blue.next("")
	blue.reply(id, hypothesis("gas"))
	end()
	rows := readLetters(t, strings.SplitAfter(b.wantExit(2, "session", "compile", mailThread, "--json"), "\n")[0]).Letters
	counts := make(map[string]int)
	for _, r := range rows {
		counts[r.Outcome]++
		if r.Outcome == "corrected" && r.Of == "" {
			t.Errorf("%+v does not name its correction", r)
		}
	}
	if counts["corrected"] != 1 || counts["contributed"] != 1 {
		t.Errorf("outcomes %v of %+v, want one corrected and one contributed", counts, rows)
	}
	contains(t, b.wantExit(2, "session", "compile", mailThread), "reply in round 1, counted with its correction, ", "contributed, 2 applied, version 2, round 1")
}

// A letter that corrects an earlier one replaces its item, in the same compilation and in a later one. What a
// letter refers to without knowing it is unresolved, and the status lists both.
func TestLetterCorrectsLetter(t *testing.T) {
	b := newMailProject(t, "Lead", "BlueLake", "RedSky")
	who := lateThread(b, "")
	dust := func(claim string) string {
		return delta(`{"operation":"ADD","section":"hypothesis_slate","payload":{"name":"Dust","claim":"` + claim + `"}}`)
	}
	b.letter("BlueLake", "DELTA", dust("It is dust."))
	b.letter("RedSky", "DELTA", delta(`{"operation":"ADD","section":"predictions_table","payload":{"condition":"c","predictions":{"H1":"x"}}}`))
	b.letter("BlueLake", "DELTA, corrected", dust("It is fine dust."))
	contains(t, b.mustRun(append([]string{"session", "compile", mailThread}, who...)...),
		"Corrections:\n", "CORRECTS_ITEM", "replaces fields of H1, which BlueLake added in an earlier letter",
		"References:\n", "predictions of P1 names H1, which its author cannot have known; kept as H1 (RedSky's)")
	b.letter("BlueLake", "DELTA, corrected again", dust("It is very fine dust."))
	b.mustRun("session", "compile", mailThread)
	show := b.mustRun("session", "show", mailThread)
	contains(t, show, "**Claim**: It is very fine dust.", "**Unresolved**: predictions.H1 (RedSky's)")
	if strings.Contains(show, "### H2") {
		t.Errorf("the correction is an item of its own: %.3000s", show)
	}
	status := b.mustRun("session", "status", mailThread)
	contains(t, status, "References:\n", "UNRESOLVED_REF")
	if n := strings.Count(status, "CORRECTS_ITEM"); n != 2 {
		t.Errorf("%d corrections in %.4000s", n, status)
	}
	var doc struct {
		Letters []struct{ Warnings []struct{ Code string } }
	}
	if err := json.Unmarshal([]byte(b.mustRun("session", "status", mailThread, "--json")), &doc); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "UNRESOLVED_REF", "CORRECTS_ITEM", "CORRECTS_ITEM"} {
		if got := doc.Letters[i].Warnings; want == "" && len(got) > 0 || want != "" && (len(got) != 1 || got[0].Code != want) {
			t.Errorf("letter %d has %+v, want %q", i, got, want)
		}
	}
	b.mustRun("verify", mailThread)
	b.mustRun("session", "replay", mailThread)
}

// A letter may take back an earlier letter of its author, or a change in it. Rows say so, and what the blocks were.
func TestLetterTakesBackLetter(t *testing.T) {
	b := newMailProject(t, "Lead", "BlueLake", "RedSky")
	who := lateThread(b, "")
	kill := delta(`{"operation":"KILL","section":"hypothesis_slate","target_id":"H2","payload":{"reason":"It is vague."}}`)
	b.letter("BlueLake", "DELTA", hypothesis("dust")+hypothesis("gas"))
	b.mustRun(append([]string{"session", "compile", mailThread}, who...)...)
	b.letter("BlueLake", "DELTA", hypothesis("snow"))
	b.letter("BlueLake", "DELTA", "Please disregard my last mail, I was wrong about snow.\n\nNO CHANGES: withdrawn\n")
	b.letter("BlueLake", "DELTA", kill+hypothesis("ice"))
	b.letter("BlueLake", "DELTA", "On reflection I withdraw the KILL of H2.\n\nNO CHANGES: the rest is meant\n")
	contains(t, b.mustRun("session", "compile", mailThread),
		"line 3, ADD hypothesis_slate: AMBIGUOUS_DELTA a later letter of its author takes it back or leaves it open: \"Please disregard my last mail, I was wrong about snow.\"",
		"KILL hypothesis_slate H2: AMBIGUOUS_DELTA a later letter of its author takes it back or leaves it open: \"On reflection I withdraw the KILL of H2.\"", "BlueLake, ADD hypothesis_slate \"snow\"")
	b.letter("BlueLake", "DELTA", hypothesis("mist"))
	b.letter("BlueLake", "DELTA", "I do not withdraw my last letter.\n\n> "+strings.ReplaceAll(strings.TrimSpace(kill), "\n", "\n> ")+"\n\nNO CHANGES: it is right\n")
	contains(t, b.mustRun("session", "compile", mailThread), "KILL hypothesis_slate H2: quoted not read")
	b.letter("BlueLake", "DELTA", "Please ignore my previous messages.\n\nNO CHANGES: H1 is fine\n")
	contains(t, b.mustRun("session", "compile", mailThread), "PROSE_ONLY it takes back an earlier letter, which has been merged: \"Please ignore my previous messages.\"")
	show := b.mustRun("session", "show", mailThread)
	contains(t, show, "It is ice.", "It is mist.")
	if strings.Contains(show, "snow") || strings.Contains(show, "KILLED") {
		t.Errorf("a withdrawn change was applied: %.3000s", show)
	}
	b.mustRun("verify", mailThread)
	b.mustRun("session", "replay", mailThread)
}

// Only the text of a message is read: each of its attachments has a row that says so.
func TestAttachmentsHaveRows(t *testing.T) {
	b := newMailProject(t, "Lead", "BlueLake", "RedSky")
	file := map[string]any{"name": "deltas.json", "media_type": "application/json", "data_base64": "W10="}
	send := func(from, to, subject, body string, more ...any) {
		message := map[string]any{"sender_name": from, "to": []string{to}, "subject": subject, "body_md": body, "thread_id": mailThread}
		if len(more) > 0 {
			message["attachments"] = more
		}
		b.agents[from].call("send_message", message)
	}
	send("Lead", "BlueLake", "KICKOFF: Why?", "Answer.", file)
	send("BlueLake", "Lead", "DELTA[gen]: mine", hypothesis("dust"), file)
	send("BlueLake", "Lead", "DELTA[gen]: see the file", "My deltas are attached.", file)
	files := func(rows letterRows) (all []int) {
		for _, r := range rows.Letters {
			n := 0
			for _, p := range r.Refusals {
				if p.Code == "UNREAD_ATTACHMENT" && strings.Contains(p.Message, "deltas.json") {
					n++
				}
			}
			all = append(all, n)
		}
		return all
	}
	out := b.wantExit(0, "session", "compile", mailThread, "--json", "--to", "BlueLake", "--role", "hypothesis_generator")
	if got := files(readLetters(t, strings.SplitAfter(out, "\n")[0])); !slices.Equal(got, []int{0, 1, 1}) {
		t.Errorf("%v: %.3000s", got, out)
	}
	send("BlueLake", "Lead", "DELTA[gen]: more", hypothesis("gas"), file)
	status := b.mustRun("session", "status", mailThread, "--json")
	if got := files(readLetters(t, strings.SplitAfter(status, "\n")[0])); !slices.Equal(got, []int{1, 1, 1}) {
		t.Errorf("%v: %.3000s", got, status)
	}
	if text := b.mustRun("session", "status", mailThread); !strings.Contains(text, "UNREAD_ATTACHMENT the attachment deltas.json is not read") || !strings.Contains(text, "4 messages (1 sent by the session or its operator) at") {
		t.Errorf("%.3000s", text)
	}
}
