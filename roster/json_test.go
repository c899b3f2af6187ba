package roster

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"brenner/artifact"
	"brenner/internal/fault"
)

func TestReadJSON(t *testing.T) {
	two := []Entry{{Agent: "BlueLake", Role: HypothesisGenerator}, {Agent: "PurpleMountain", Role: TestDesigner}}
	tests := []struct {
		name, text string
		want       Roster
	}{
		{"array", `[{"agentName":"BlueLake","role":"hypothesis_generator"},{"agentName":"PurpleMountain","role":"test_designer"}]`, Roster{Entries: two}},
		{
			"object", `{"mode":"unified","name":"N","createdAt":"2025-12-31","entries":[
			{"agentName":"A","role":"test_designer","program":"p","model":"m","notes":"n"}]}`,
			Roster{Mode: Unified, Name: "N", CreatedAt: "2025-12-31", Entries: []Entry{{"A", TestDesigner, "p", "m", "n"}}},
		},
		{"null is missing", `{"mode":null,"name":null,"entries":[{"agentName":"A","role":null,"model":null}]}`, Roster{Entries: []Entry{{Agent: "A"}}}},
		{"roles are not validated", `[{"agentName":"A","role":"boss"}]`, Roster{Entries: []Entry{{Agent: "A", Role: "boss"}}}},
		{"keys added by roster show", `{"schema":"x","origin":{},"entries":[{"agentName":"A","origin":{"role":"flags"}}]}`, Roster{Entries: []Entry{{Agent: "A"}}}},
		{"empty array", `[]`, Roster{}},
		{"no entries", `{"mode":"heuristic"}`, Roster{Mode: Heuristic}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, err := ReadJSON([]byte(tt.text))
			if err != nil || len(warnings) > 0 {
				t.Fatal(err, warnings)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadJSONFaults(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // parts of the messages, one for each fault
	}{
		{"a key twice", "[{\n  \"agentName\": \"A\",\n  \"agentName\": \"B\"}]", []string{"line 3, column 3: the key at /0/agentName stands twice in one object"}},
		{"cut off", `[{"agentName":"A"`, []string{"the JSON ends too early"}},
		{"two values", `[] []`, []string{"more than one JSON value"}},
		{"a string", `"BlueLake"`, []string{"line 1, column 1: must be a list of entries or an object with \"entries\", not a string"}},
		{"entries", `{"entries":{}}`, []string{"line 1, column 2 (/entries): must be a list of entries, not an object"}},
		{"an entry", "[\n  {},\n  7\n]", []string{"line 3, column 3 (/1): must be an object with agentName and role, not a number"}},
		{"all fields at once", `{"mode":[],"name":true,"entries":[{"agentName":1,
			"role":{}}]}`, []string{
			"line 1, column 2 (/mode): must be a string, not a list", "line 1, column 12 (/name): must be a string, not true or false",
			"line 1, column 36 (/entries/0/agentName): must be a string, not a number", "line 2, column 4 (/entries/0/role): must be a string, not an object",
		}},
		{"null for an entry", `[null]`, []string{"(/0): must be an object with agentName and role, not null"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := ReadJSON([]byte(tt.text))
			all := fault.All(err)
			if len(all) != len(tt.want) {
				t.Fatalf("got %d faults: %v", len(all), err)
			}
			for i, f := range all {
				if !strings.Contains(f.Error(), tt.want[i]) || f.Hint == "" {
					t.Errorf("got %q, hint %q, want %q", f, f.Hint, tt.want[i])
				}
			}
		})
	}
}

func TestUnknownKeysAreWarnings(t *testing.T) {
	r, warnings, err := ReadJSON([]byte("{\"Name\":\"x\",\n\"entries\":[{\"agentName\":\"A\",\"rol\":\"test_designer\",\"a/b~c\":[[1]]}]}"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Roster{Entries: []Entry{{Agent: "A"}}}, r); diff != "" {
		t.Error(diff)
	}
	var got []string
	for _, w := range warnings {
		hint, _, _ := strings.Cut(w.Hint, "known")
		got = append(got, string(w.Code)+" "+w.Place+" "+hint)
	}
	want := []string{ // keys in canonical order
		"ROSTER_UNKNOWN_KEY line 1, column 2 (/Name) did you mean name? ",
		"ROSTER_UNKNOWN_KEY line 2, column 51 (/entries/0/a~1b~0c) ",
		"ROSTER_UNKNOWN_KEY line 2, column 29 (/entries/0/rol) did you mean role? ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCreatedAtIsISO8601(t *testing.T) {
	for text, want := range map[string]bool{
		"2025-12-31": true, "2025-12-31T10:00Z": true, "2025-12-31T10:00:00": true, "2025-12-31T10:00:00.5+01:00": true,
		"20251231T100000Z": true, "": true,
		"yesterday": false, "31.12.2025": false, "2025-02-30": false, "1767175200": false, " ": false,
	} {
		r, warnings, err := ReadJSON([]byte(`{"createdAt":"` + text + `","entries":[{"agentName":"A","role":"test_designer"}]}`))
		if err != nil || r.CreatedAt != text {
			t.Errorf("%q: got %+v, %v", text, r, err)
		}
		if got := len(warnings) == 0; got != want || !got && (warnings[0].Code != BadInstant || warnings[0].Place != "line 1, column 2 (/createdAt)") {
			t.Errorf("%q: got %+v", text, warnings)
		}
	}
}

func TestFromValue(t *testing.T) {
	v, err := artifact.ParseValue(spec().Canonical(), 8)
	if err != nil {
		t.Fatal(err)
	}
	got, warnings, err := FromValue(v)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if diff := cmp.Diff(spec(), got); diff != "" {
		t.Error(diff)
	}
	if _, _, err := FromValue(nil); err == nil {
		t.Error("nil was accepted as a roster")
	}
}

func TestCanonical(t *testing.T) {
	r := spec()
	r.Entries, r.Mode = r.Entries[:1], ""
	want := `{"entries":[{"agentName":"BlueLake","model":"GPT-5.2","program":"codex-cli","role":"hypothesis_generator"}],"mode":"role_separated","name":"Default 3-Agent Setup"}`
	if got := string(r.Canonical()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := string(Roster{Mode: Heuristic}.Canonical()); got != `{"entries":[],"mode":"heuristic"}` {
		t.Error(got)
	}
}

func anyRoster(t *rapid.T) Roster {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "-", "|", `\`, `\n`, "a\nb", " x ", `\|`, "`", "\x00", "\u2028"}))
	entry := rapid.Custom(func(t *rapid.T) Entry {
		return Entry{
			Agent: text.Draw(t, "agent"), Role: rapid.SampledFrom(append(AllRoles(), "", "boss")).Draw(t, "role"),
			Program: text.Draw(t, "program"), Model: text.Draw(t, "model"), Notes: text.Draw(t, "notes"),
		}
	})
	return Roster{
		Entries: rapid.SliceOfN(entry, 0, 5).Draw(t, "entries"),
		Mode:    rapid.SampledFrom(AllModes()).Draw(t, "mode"),
		Name:    text.Draw(t, "name"), CreatedAt: text.Draw(t, "createdAt"),
	}
}

// unexpected returns all warnings except those about the creation time, which is arbitrary.
func unexpected(all []Warning) []Warning {
	return slices.DeleteFunc(all, func(w Warning) bool { return w.Code == BadInstant })
}

func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRoster(t)
		got, warnings, err := ReadJSON(r.Canonical())
		if err != nil || len(unexpected(warnings)) > 0 {
			t.Fatal(err, warnings)
		}
		if diff := cmp.Diff(r, got, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}

func FuzzReadJSON(f *testing.F) {
	f.Add(string(spec().Canonical()))
	f.Add(`[{"agentName":1}]`)
	f.Add(`{"a/~":[],"entries":[{"x":{}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, _, err := ReadJSON([]byte(text))
		if err != nil {
			if len(fault.All(err)) == 0 {
				t.Fatalf("not a fault: %v", err)
			}
			return
		}
		again, warnings, err := ReadJSON(r.Canonical())
		if err != nil || len(unexpected(warnings)) > 0 {
			t.Fatal(err, warnings)
		}
		r.Mode = r.Mode.OrDefault()
		if diff := cmp.Diff(r, again, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}
