package merge_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"brenner/artifact"
	"brenner/artifact/delta"
	"brenner/merge"
	"brenner/roster"
)

// Scenarios are texts: a base, rules, a line for each delta, and the expected result.
//
//	== title
//	base H1 {"claim":"old"}               an item of the base, without provenance
//	base H2 {"claim":"x"} killed          … killed
//	rules priority Red Blue
//	rules agent Blue hypothesis_generator
//	rules authority Judge
//	rules strict | unified
//	rules max H 2
//	rules version merge/2                 without it the scenario holds for every version
//	rules since merge/2                   … for this one and later ones
//	rules reject taken                    an ADD with a known id is rejected
//	batch                                 the lines below are merged together
//	d1 12:00 Blue EDIT H1 {"claim":"a"}   id, time (or a full timestamp), agent, operation, target, payload
//	d2 12:00 Red ADD H {"claim":"b"} ref=H4 msg=1.2 shown=3 why=because
//	d3 12:00 Red ADD H {"claim":"b"} ref=H4 msg=1.3 sent=11:40 to=Blue,Amber   of a letter; direct: it answers the question; before=11:00: its author's earlier merge in the round
//	want d1 applied                       disposition, and code if any
//	want d1 message contains killed
//	want d1.claim superseded              the outcome of a field
//	want H1.claim "a"                     a value of the result, as JSON
//	want H1.claim absent
//	want H1 killed Blue | active | absent
//	want warning BELOW_MINIMUM            … with a text: BELOW_MINIMUM contains at least 2
//	want no warning UNRESOLVED_REF
//	want warnings NO_SCALE_CHECK          all, in order; empty for none
//	want conflicts H1.claim               all that the report lists
//	want contributors Blue Red            all of the metadata
//	want version 2
//	want order T2 T1                      the items of a section in order
//	want unresolved P1 predictions.H4
//	want notes H1 Blue's H5 is H7         the assumed ids that its texts mention; empty for none
//	want contributor Blue 2025-12-30T12:00:00Z
//
// A target of EDIT and KILL is an id, or SECTION:ID to name another section; an
// ADD names a section's prefix. Several batches make several versions. Every
// batch is merged in many orders, and twice.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split("\n"+string(data), "\n== ")[1:] {
			title, body, _ := strings.Cut(part, "\n")
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+title, func(t *testing.T) {
				since := ""
				if _, after, ok := strings.Cut("\n"+body, "\nrules since "); ok {
					since, _, _ = strings.Cut(after, "\n")
				}
				for _, version := range merge.Versions() {
					if version >= since {
						runScenario(t, body, version)
					}
				}
			})
		}
	}
}

type scenario struct {
	t      *testing.T
	state  artifact.Artifact
	rules  merge.Rules
	batch  []delta.Delta
	open   bool
	report merge.Report
	wants  int
}

func runScenario(t *testing.T, body, version string) {
	s := &scenario{t: t, rules: merge.Rules{Version: version}}
	s.state.Metadata.SessionID = "RS-20251230-scenario"
	for n, line := range strings.Split(body, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := s.line(line); err != nil {
			t.Fatalf("%s: line %d: %s: %v", s.rules.Version, n+1, line, err)
		}
	}
	if s.wants == 0 {
		t.Fatal("the scenario has no want line")
	}
}

func (s *scenario) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "base":
		return s.base(rest)
	case "rules":
		return s.rule(strings.Fields(rest))
	case "batch":
		s.merge()
		s.open = true
		return nil
	case "want":
		s.merge()
		s.wants++
		return s.want(rest)
	default:
		d, err := parseDelta(word, rest)
		if err != nil {
			return err
		}
		s.batch = append(s.batch, d)
		s.open = true
		return nil
	}
}

// merge merges the open batch in every order that time allows, and once more.
func (s *scenario) merge() {
	if !s.open {
		return
	}
	before := s.state.JSON()
	out, report := merge.Merge(s.state, s.batch, s.rules)
	want := out.JSON()
	for _, shuffled := range orders(s.batch) {
		again, r := merge.Merge(s.state, shuffled, s.rules)
		if got := again.JSON(); string(got) != string(want) {
			s.t.Errorf("another order: got\n%s\nwant\n%s", got, want)
		}
		if got, want := fmt.Sprintf("%+v", r), fmt.Sprintf("%+v", report); got != want {
			s.t.Errorf("another order: got the report\n%s\nwant\n%s", got, want)
		}
	}
	twice, _ := merge.Merge(out, s.batch, s.rules)
	if got := twice.JSON(); string(got) != string(want) {
		s.t.Errorf("merged twice: got\n%s\nwant\n%s", got, want)
	}
	if string(s.state.JSON()) != string(before) {
		s.t.Error("the base changed")
	}
	reread, err := artifact.Parse(want)
	if err != nil || string(reread.JSON()) != string(want) {
		s.t.Errorf("the result does not read back (%v):\n%s", err, want)
	}
	if err == nil && string(reread.Markdown()) != string(out.Markdown()) {
		s.t.Errorf("rendered after reading back: got\n%s\nwant\n%s", reread.Markdown(), out.Markdown())
	}
	s.state, s.report, s.batch, s.open = out, report, nil, false
}

func orders(batch []delta.Delta) [][]delta.Delta {
	rnd := rand.New(rand.NewPCG(1, 2))
	var all [][]delta.Delta
	for range 24 {
		b := slices.Clone(batch)
		rnd.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
		all = append(all, b)
	}
	return all
}

func (s *scenario) base(rest string) error {
	id, payload, _ := strings.Cut(rest, " ")
	killed := strings.HasSuffix(payload, " killed")
	payload = strings.TrimSuffix(payload, " killed")
	section, ok := artifact.SectionOfID(id)
	if !ok {
		return fmt.Errorf("no id %q", id)
	}
	fields, err := parsePayload(payload)
	if err != nil {
		return err
	}
	it := &artifact.Item{ID: id}
	for _, f := range fields {
		it.Fields = append(it.Fields, artifact.Field{Name: f.Name, Value: f.Value})
	}
	section.Spec().SortFields(it.Fields)
	if killed {
		it.Kill = &artifact.Kill{By: "Somebody"}
	}
	s.state.Sections[section] = append(s.state.Sections[section], it)
	return nil
}

func (s *scenario) rule(words []string) error {
	switch words[0] {
	case "priority":
		s.rules.Priority = words[1:]
	case "agent":
		s.rules.Scopes = mergeScopes(s.rules.Scopes)
		s.rules.Agents = append(s.rules.Agents, roster.Entry{Agent: words[1], Role: roster.Role(words[2]), Program: "codex-cli"})
	case "authority":
		s.rules.Authorities = words[1:]
	case "strict":
		s.rules.Scopes = mergeScopes(s.rules.Scopes)
		s.rules.Scopes.Strict = true
	case "since":
	case "version":
		s.rules.Version = words[1]
	case "reject":
		s.rules.RejectTaken = true
	case "unified":
		s.rules.Unified = true
	case "max":
		section, err := sectionOf(words[1])
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(words[2])
		if err != nil {
			return err
		}
		s.rules.Limits = map[artifact.Section]merge.Limit{section: {Max: n}}
	default:
		return fmt.Errorf("no rule %q", words[0])
	}
	return nil
}

func mergeScopes(s merge.Scopes) merge.Scopes {
	def := merge.DefaultScopes()
	def.Strict = s.Strict
	return def
}

func sectionOf(prefix string) (artifact.Section, error) {
	for _, s := range artifact.Sections() {
		if s.Spec().Prefix == prefix || s.String() == prefix {
			return s, nil
		}
	}
	return 0, fmt.Errorf("no section %q", prefix)
}

func parsePayload(text string) (delta.Payload, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	deltas, err := delta.ReadFile([]byte(`{"payload":` + text + `}`))
	if err != nil {
		return nil, err
	}
	return deltas[0].Payload, nil
}

func parseDelta(id, rest string) (delta.Delta, error) {
	words := strings.SplitN(rest, " ", 5)
	if len(words) < 4 {
		return delta.Delta{}, fmt.Errorf("a delta is: id time agent operation target [payload] [options]")
	}
	d := delta.Delta{ID: id, Timestamp: words[0], Agent: words[1], Operation: words[2]}
	if len(words[0]) == 5 {
		d.Timestamp = "2025-12-30T" + words[0] + ":00Z"
	}
	addressDelta(&d, words[3])
	payload, options := "", ""
	if len(words) == 5 {
		payload = words[4]
		if end := strings.LastIndexByte(payload, '}'); end >= 0 {
			payload, options = payload[:end+1], payload[end+1:]
		} else {
			payload, options = "", payload
		}
	}
	var err error
	if d.Payload, err = parsePayload(payload); err != nil {
		return d, err
	}
	for _, o := range strings.Fields(options) {
		if err := option(&d, o); err != nil {
			return d, err
		}
	}
	d.Settle()
	d.Seal()
	return d, nil
}

// addressDelta reads "H" (a section), "H1" (an item and its section), "T:H1" (an
// item under another section's name) or "none:H1" (a section that does not exist).
func addressDelta(d *delta.Delta, word string) {
	section, target, both := strings.Cut(word, ":")
	if both {
		d.Section, d.Target = section, target
		if s, err := sectionOf(section); err == nil {
			d.Section = s.String()
		}
		return
	}
	if s, err := sectionOf(word); err == nil {
		d.Section = s.String()
		return
	}
	d.Target = word
	row, _, _ := strings.Cut(word, ".")
	if s, ok := artifact.SectionOfID(row); ok {
		d.Section = s.String()
	}
}

func option(d *delta.Delta, text string) error {
	key, value, _ := strings.Cut(text, "=")
	place := delta.Place{}
	if d.Place != nil {
		place = *d.Place
	}
	switch key {
	case "ref":
		d.Labels = append(d.Labels, value)
	case "why":
		d.Rationale = value
	case "msg":
		if _, err := fmt.Sscanf(value, "%d.%d", &place.Message, &place.Block); err != nil {
			return err
		}
		d.Place = &place
	case "shown":
		n, err := strconv.Atoi(value)
		place.Shown = n
		d.Place = &place
		return err
	case "sent", "to", "direct", "before":
		letter := delta.Letter{}
		if place.Letter != nil {
			letter = *place.Letter
		}
		var err error
		switch key {
		case "to":
			letter.To = strings.Split(value, ",")
		case "direct":
			letter.Direct = true
		case "before":
			var at time.Time
			at, err = artifact.ParseInstant("2025-12-30T" + value + ":00Z")
			letter.Before = append(letter.Before, at)
		default:
			letter.Sent, err = artifact.ParseInstant("2025-12-30T" + value + ":00Z")
		}
		if err != nil {
			return err
		}
		place.Letter = &letter
		d.Place = &place
	default:
		return fmt.Errorf("no option %q", key)
	}
	return nil
}

func (s *scenario) want(text string) error {
	words := strings.Fields(text)
	switch {
	case words[0] == "version":
		return s.expect(strconv.Itoa(s.state.Metadata.Version), words[1])
	case words[0] == "no":
		if s.hasWarning(words[2]) {
			return fmt.Errorf("got warnings %+v", s.report.Warnings)
		}
		return nil
	case words[0] == "warning":
		part := strings.TrimPrefix(strings.Join(words[2:], " "), "contains ")
		if !slices.ContainsFunc(s.report.Warnings, func(w merge.Warning) bool { return string(w.Code) == words[1] && strings.Contains(w.Message, part) }) {
			return fmt.Errorf("got only warnings %+v", s.report.Warnings)
		}
		return nil
	case words[0] == "warnings":
		var codes []string
		for _, w := range s.report.Warnings {
			codes = append(codes, string(w.Code))
		}
		return s.expect(strings.Join(codes, " "), strings.Join(words[1:], " "))
	case words[0] == "conflicts":
		var places []string
		for _, c := range s.report.Conflicts {
			places = append(places, c.Item+"."+c.Field)
		}
		return s.expect(strings.Join(places, " "), strings.Join(words[1:], " "))
	case words[0] == "contributors":
		var names []string
		for _, c := range s.state.Metadata.Contributors {
			names = append(names, c.Agent)
		}
		return s.expect(strings.Join(names, " "), strings.Join(words[1:], " "))
	case words[0] == "order":
		return s.wantOrder(words[1:])
	case words[0] == "contributor":
		return s.wantContributor(words[1], words[2])
	case words[0] == "notes":
		it, section, ok := s.state.Find(words[1])
		if !ok {
			return fmt.Errorf("no %s", words[1])
		}
		return s.expect(strings.Join(s.state.Renumbered().ItemNotes(section, it), ", "), strings.Join(words[2:], " "))
	case words[0] == "unresolved":
		it, _, _ := s.state.Find(words[1])
		if it == nil {
			return fmt.Errorf("no %s", words[1])
		}
		return s.expect(strings.Join(it.Unresolved(), " "), strings.Join(words[2:], " "))
	}
	if row := s.row(words[0]); row != nil {
		return s.wantRow(row, words[1:])
	}
	if id, field, ok := strings.Cut(words[0], "."); ok {
		if row := s.row(id); row != nil {
			return s.wantField(row, field, words[1:])
		}
		return s.wantValue(id, field, strings.TrimSpace(strings.TrimPrefix(text, words[0])))
	}
	return s.wantItem(words)
}

func (s *scenario) expect(got, want string) error {
	if got != want {
		return fmt.Errorf("got %s", got)
	}
	return nil
}

func (s *scenario) hasWarning(code string) bool {
	return slices.ContainsFunc(s.report.Warnings, func(w merge.Warning) bool { return string(w.Code) == code })
}

func (s *scenario) row(id string) *merge.Row {
	for i := range s.report.Deltas {
		if s.report.Deltas[i].DeltaID == id {
			return &s.report.Deltas[i]
		}
	}
	return nil
}

func (s *scenario) wantRow(row *merge.Row, words []string) error {
	if len(words) > 2 && words[0] == "message" {
		if want := strings.Join(words[2:], " "); !strings.Contains(row.Message, want) {
			return fmt.Errorf("got message %q", row.Message)
		}
		return nil
	}
	if words[0] == "target" {
		return s.expect(row.TargetID, words[1])
	}
	got := strings.TrimSpace(row.Disposition.String() + " " + string(row.Code))
	if got != strings.Join(words, " ") {
		return fmt.Errorf("got %s (%s) %+v", got, row.Message, row.Fields)
	}
	return nil
}

func (s *scenario) wantField(row *merge.Row, field string, words []string) error {
	for _, f := range row.Fields {
		if f.Field == field {
			return s.expect(strings.TrimSpace(f.Outcome.String()+" "+string(f.Code())), strings.Join(words, " "))
		}
	}
	return fmt.Errorf("got only %+v", row.Fields)
}

func (s *scenario) wantOrder(ids []string) error {
	section, _ := artifact.SectionOfID(ids[0])
	var got []string
	for _, it := range s.state.Items(section) {
		got = append(got, it.ID)
	}
	return s.expect(strings.Join(got, " "), strings.Join(ids, " "))
}

func (s *scenario) wantContributor(agent, at string) error {
	for _, c := range s.state.Metadata.Contributors {
		if c.Agent == agent {
			return s.expect(c.ContributedAt, at)
		}
	}
	return fmt.Errorf("got only %+v", s.state.Metadata.Contributors)
}

// wantValue compares a field, or one key of a map field, in JSON.
func (s *scenario) wantValue(id, path, want string) error {
	whole, err := artifact.ParseValue(s.state.JSON(), 100)
	if err != nil {
		return err
	}
	section, ok := artifact.SectionOfID(id)
	if !ok {
		return fmt.Errorf("no id %q", id)
	}
	sections, _ := whole.(artifact.Map).Get("sections")
	items, _ := sections.(artifact.Map).Get(section.String())
	if m, ok := items.(artifact.Map); ok {
		items = artifact.List{m}
	}
	list, _ := items.(artifact.List)
	for _, it := range list {
		m := it.(artifact.Map)
		if v, _ := m.Get("id"); v != artifact.Text(id) {
			continue
		}
		got := lookup(m, path)
		if got == nil {
			return s.expect("absent", want)
		}
		return s.expect(string(artifact.Canonical(got)), want)
	}
	return fmt.Errorf("no %s", id)
}

func lookup(v artifact.Value, path string) artifact.Value {
	for _, key := range strings.Split(path, ".") {
		m, _ := v.(artifact.Map)
		next, ok := m.Get(key)
		if !ok {
			return nil
		}
		v = next
	}
	return v
}

func (s *scenario) wantItem(words []string) error {
	it, _, ok := s.state.Find(words[0])
	switch words[1] {
	case "absent":
		if ok {
			return fmt.Errorf("the item exists")
		}
		return nil
	case "active":
		if !ok || it.Killed() {
			return fmt.Errorf("it is not active")
		}
		return nil
	case "killed":
		if !ok || !it.Killed() {
			return fmt.Errorf("it is not")
		}
		return s.expect(it.Kill.By, words[2])
	}
	return fmt.Errorf("unknown want %q", words[1])
}
