package patch

import (
	"strconv"

	"brenner/artifact"
)

// JSON gives the patch in its form, the keys in the order of the specification, one
// level of indentation a level: it is read by people, too.
func (p *Patch) JSON() []byte {
	w := &writer{}
	w.open('{')
	w.text("protocol_id", Protocol)
	w.key("target").open('{')
	if p.Path != "" {
		w.text("path", p.Path)
	}
	w.text("base_checksum_sha256", p.Base)
	w.shut('}')
	w.key("op_groups").open('[')
	for i := range p.Groups {
		w.group(&p.Groups[i])
	}
	w.shut(']')
	if p.Result != "" {
		w.text("result_sha256", p.Result)
	}
	if p.Meta != nil {
		w.key("meta")
		w.dst = append(w.dst, p.Meta...)
	}
	w.shut('}')
	return append(w.dst, '\n')
}

// writer writes indented JSON.
type writer struct {
	dst   []byte
	depth int
	bare  bool // nothing stands yet at this depth
}

func (w *writer) next() {
	if !w.bare && w.depth > 0 {
		w.dst = append(w.dst, ',')
	}
	w.bare = false
	w.line()
}

func (w *writer) line() {
	if w.depth == 0 {
		return
	}
	w.dst = append(w.dst, '\n')
	for range w.depth {
		w.dst = append(w.dst, "  "...)
	}
}

func (w *writer) key(name string) *writer {
	w.next()
	w.dst = append(artifact.AppendString(w.dst, name), ": "...)
	return w
}

func (w *writer) text(name, value string) {
	w.key(name)
	w.dst = artifact.AppendString(w.dst, value)
}

func (w *writer) open(c byte) {
	w.dst = append(w.dst, c)
	w.depth++
	w.bare = true
}

func (w *writer) shut(c byte) {
	w.depth--
	if !w.bare {
		if w.depth == 0 {
			w.dst = append(w.dst, '\n')
		}
		w.line()
	}
	w.dst = append(w.dst, c)
	w.bare = false
}

func (w *writer) group(g *Group) {
	w.next()
	w.open('{')
	if g.Anchor.Text != "" {
		w.key("anchor").open('{')
		w.text("text", g.Anchor.Text)
		w.text("match_mode", g.Anchor.Mode)
		w.shut('}')
	}
	w.key("targets").open('[')
	for _, op := range g.Ops {
		w.next()
		w.open('{')
		w.text("op", op.Kind)
		if op.Index > 0 {
			w.key("match_index")
			w.dst = strconv.AppendInt(w.dst, int64(op.Index), 10)
		}
		switch op.Kind {
		case ReplaceFile:
			w.text("new_content", op.New)
		case DeleteBlock:
			w.text("old_block", op.Old)
		default:
			w.text("old_block", op.Old)
			w.text("new_block", op.New)
		}
		w.shut('}')
	}
	w.shut(']')
	w.shut('}')
}
