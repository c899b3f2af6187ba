package artifact

import (
	"errors"
	"fmt"
	"slices"

	"brenner/internal/fault"
)

func (d *decoder) item(s Section, m Map) (*Item, error) {
	it := &Item{}
	if s == ResearchThread {
		it.ID = ThreadID
	}
	var kill killMarks
	var withheld Map
	for _, e := range m {
		if e.Value == (Null{}) {
			continue
		}
		taken, err := kill.take(e)
		if !taken && err == nil {
			err = it.take(s, e, &withheld)
		}
		if err != nil {
			return nil, err
		}
	}
	var err error
	if it.Kill, err = kill.result(); err != nil {
		return nil, err
	}
	if err := it.restore(withheld); err != nil {
		return nil, err
	}
	s.Spec().SortFields(it.Fields)
	return it, nil
}

// take reads one entry of an item that is not about its kill.
func (it *Item) take(s Section, e Entry, withheld *Map) error {
	var ok bool
	switch e.Key {
	case "id":
		id, ok := e.Value.(Text)
		if !ok {
			return errors.New("its id is not a text")
		}
		it.ID = string(id)
	case "unresolved":
		if it.rare().Unresolved, ok = textList(e.Value); !ok {
			return errors.New("unresolved is not a list of texts")
		}
	case "withheld":
		if *withheld, ok = e.Value.(Map); !ok || s != PredictionsTable {
			return errors.New("only a prediction has withheld cells, as an object")
		}
	default:
		v, err := fieldValue(e.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Key, err)
		}
		it.Fields = append(it.Fields, Field{Name: e.Key, Value: v})
	}
	return nil
}

// killMarks collects the kill fields of an item or a cell.
type killMarks struct {
	killed bool
	any    bool
	kill   Kill
}

// take reads an entry that is one of the kill fields, and tells whether it is.
func (k *killMarks) take(e Entry) (bool, error) {
	var into *string
	at := ""
	switch e.Key {
	case "killed":
		b, ok := e.Value.(Bool)
		if !ok {
			return true, errors.New("killed is neither true nor false")
		}
		k.killed = bool(b)
		return true, nil
	case "killed_by":
		into = &k.kill.By
	case "kill_reason":
		into = &k.kill.Reason
	case "killed_at":
		into = &at
	default:
		return false, nil
	}
	t, ok := e.Value.(Text)
	if !ok {
		return true, fmt.Errorf("%s is not a text", e.Key)
	}
	*into = string(t)
	k.any = true
	if e.Key == "killed_at" {
		instant, err := ParseInstant(at)
		if err != nil {
			return true, fmt.Errorf("killed_at: %w", err)
		}
		k.kill.At = instant
	}
	return true, nil
}

func (k *killMarks) result() (*Kill, error) {
	if !k.killed {
		if k.any {
			return nil, errors.New(`it says how it was killed, but not "killed": true`)
		}
		return nil, nil
	}
	return &k.kill, nil
}

// restore puts back what stands behind the N/A cells of a prediction.
func (it *Item) restore(withheld Map) error {
	if len(withheld) == 0 {
		return nil
	}
	at := slices.IndexFunc(it.Fields, func(f Field) bool { return f.Name == "predictions" })
	if at < 0 {
		return errors.New("it has withheld cells but no predictions")
	}
	predictions, ok := it.Fields[at].Value.(Map)
	if !ok {
		return errors.New("it has withheld cells, but its predictions are no object")
	}
	entries := slices.DeleteFunc(slices.Clone(predictions), func(p Entry) bool {
		_, ok := withheld.Get(p.Key)
		return ok && Equal(p.Value, Text(NotApplicable))
	})
	for _, e := range withheld {
		cell, ok := e.Value.(Map)
		if !ok {
			return errors.New("a withheld cell is not an object")
		}
		if shown, ok := predictions.Get(e.Key); ok && !Equal(shown, Text(NotApplicable)) {
			return fmt.Errorf("the cell %s is withheld, but shows something", fault.Shown(e.Key))
		}
		value, k, err := withheldCell(cell)
		if err != nil {
			return err
		}
		if value != nil {
			entries = append(entries, Entry{e.Key, value})
		}
		if k != nil {
			it.rare().Cells = append(it.rare().Cells, CellKill{Key: e.Key, Kill: *k})
		}
	}
	it.Fields[at].Value = MapOf(entries...)
	return nil
}

// withheldCell reads what stands behind one N/A: its text, and its own kill.
func withheldCell(cell Map) (value Value, kill *Kill, err error) {
	var marks killMarks
	for _, c := range cell {
		if c.Key == "value" {
			if value, err = cellValue(c.Value); err != nil {
				return nil, nil, err
			}
			continue
		}
		if ok, err := marks.take(c); !ok || err != nil {
			return nil, nil, fmt.Errorf("a withheld cell's %s cannot be read", fault.Shown(c.Key))
		}
	}
	kill, err = marks.result()
	return value, kill, err
}

func textList(v Value) ([]string, bool) {
	list, ok := v.(List)
	if !ok {
		return nil, false
	}
	out := make([]string, len(list))
	for i, v := range list {
		t, ok := v.(Text)
		if !ok {
			return nil, false
		}
		out[i] = string(t)
	}
	return out, true
}
