package settle

import (
	"slices"

	"brenner/artifact"
	"brenner/artifact/delta"
)

// rename puts other ids in the place of those that deltas use: as targets, as
// keys of maps, and as whole texts. What contributes under its own label keeps it. The
// hashes stay those of what the authors wrote: this is only how it is read here.
func rename(deltas []delta.Delta, ids map[string]string) {
	if len(ids) == 0 {
		return
	}
	for i := range deltas {
		d := &deltas[i]
		own := func(id string) bool { return slices.Contains(d.Labels, id) }
		if to, ok := ids[d.Target]; ok {
			d.Target = orNowhere(to, d.Target)
		}
		for j := range d.Payload {
			d.Payload[j].Value = renamed(d.Payload[j].Value, ids, own)
		}
	}
}

func renamed(v artifact.Value, ids map[string]string, own func(string) bool) artifact.Value {
	switch v := v.(type) {
	case artifact.Text:
		if to, ok := ids[string(v)]; ok && !own(string(v)) {
			return artifact.Text(orNowhere(to, string(v)))
		}
	case artifact.List:
		out := make(artifact.List, len(v))
		for i := range v {
			out[i] = renamed(v[i], ids, own)
		}
		return out
	case artifact.Map:
		out := make([]artifact.Entry, len(v))
		for i, e := range v {
			if to, ok := ids[e.Key]; ok && !own(e.Key) {
				e.Key = orNowhere(to, e.Key)
			}
			e.Value = renamed(e.Value, ids, own)
			out[i] = e
		}
		return artifact.MapOf(out...)
	}
	return v
}

// orNowhere gives what an id is now; one that means nothing any more becomes
// something that no item is called.
func orNowhere(id, was string) string {
	if id == "" {
		return was + " (not in this replay)"
	}
	return id
}
