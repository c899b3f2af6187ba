package artifact

import (
	"strings"

	"brenner/internal/fault"
)

// systemLabel reads what is no field.
func (r *mdReader) systemLabel(label, raw, line string) {
	d := r.open
	prediction := d.section == PredictionsTable
	switch {
	case strings.EqualFold(label, mdUnresolved) && d.Unresolved() == nil:
		for _, v := range readList(raw) {
			d.rare().Unresolved = append(d.rare().Unresolved, string(v.(Text)))
		}
	case strings.EqualFold(label, mdWithheld) && prediction && raw == "":
		r.list = &listing{what: listWithheld, name: "predictions", line: r.line}
	case strings.EqualFold(label, mdKilledCells) && prediction && raw == "":
		r.list = &listing{what: listKilledCells, line: r.line}
	case strings.EqualFold(label, mdKilledBy):
		r.killedBy(raw)
	case strings.EqualFold(label, mdReason):
		if d.Kill == nil || d.Kill.Reason != "" {
			r.unreadable("a reason belongs once to an item whose heading is struck through and says %s", mdKilled)
			return
		}
		d.Kill.Reason = readText(raw)
	default:
		r.unreadable("there is no field %s here; a field of your own is labelled by its name in backticks: **`name`**: value", fault.Shown(line))
	}
}

func (r *mdReader) killedBy(raw string) {
	k := r.open.Kill
	if k == nil || k.By != "" || !k.At.IsZero() {
		r.unreadable("who killed it belongs once to an item whose heading is struck through and says %s", mdKilled)
		return
	}
	if rest, ok := readKiller(raw, k); !ok || rest != "" {
		r.unreadable("this is not an agent and a time in brackets: %s", fault.Shown(raw))
	}
}

// readKiller reads "GreenDog (2025-12-30T12:10:00Z)" and gives what follows.
func readKiller(raw string, k *Kill) (rest string, ok bool) {
	at := indexPlain(raw, "(:")
	if at < 0 {
		at = len(raw)
	}
	if by := trim(raw[:at]); by != "" {
		k.By = readText(by)
	}
	rest, timed := strings.CutPrefix(raw[at:], "(")
	if !timed {
		return rest, true
	}
	instant, rest, closed := strings.Cut(rest, ")")
	t, err := ParseInstant(instant)
	k.At = t
	return trim(rest), closed && err == nil
}
