package delta

import (
	"bytes"
	"strings"

	"brenner/artifact"
	"brenner/artifact/delta/itemform"
	"brenner/artifact/delta/nearjson"
	"brenner/artifact/delta/synonyms"
	"brenner/internal/markdown"
	"brenner/internal/pattern"
)

// written returns where the next operation between two offsets stands that is the value of such a key,
// or a key or an element itself, or two zeros.
func (r *reader) written(at, end int) (from, to int) {
	for {
		from, to = synonyms.NextOperation(r.src[:end], at)
		if to == 0 || itemform.IsWritten(r.src, from, to) {
			break
		}
		at = to
	}
	if to > 0 && r.src[to-1]|0x20 == 's' {
		to-- // the plural
	}
	return from, to
}

// findWritten refuses the changes in a fence that are not written as JSON. Done is what was read as
// JSON.
func (r *reader) findWritten(b markdown.Block, done []span, f fate) {
	last := b.Start
	for from, to := r.written(b.Start, b.End); to > 0 && !r.full; from, to = r.written(to, b.End) {
		before := r.src[max(last, from-maxWritten):from]
		last = to
		for len(done) > 0 && int(done[0].to) <= from {
			done = done[1:]
		}
		if len(done) > 0 && int(done[0].from) <= from {
			continue
		}
		a := announcement{operation: synonyms.Operation(r.src[from:to])}
		if a.about(before, r.src[to:r.writtenEnd(to, b.End)], r.opt.Reader.Since(FifthReader)); a.section == "" && len(a.targets) == 0 {
			continue
		}
		line, _ := r.place.find(from)
		row := Block{Line: line, Delta: Delta{Operation: a.operation, Section: a.section}}
		if len(a.targets) > 0 {
			row.Delta.Target = a.targets[0]
		}
		r.put(&passage{fate: f, base: from}, row)
	}
}

// refuseOthers refuses all changes but the first in a delta fence that is not JSON.
func (r *reader) refuseOthers(b markdown.Block, f fate) {
	text := r.src[b.Start:b.End]
	start := bytes.TrimLeft(text, " \t\r\n")
	if len(start) == 0 || start[0] == '{' || start[0] == '[' {
		return
	}
	if _, to := r.written(b.Start, b.End); to > 0 {
		if f == (fate{}) {
			f = refused(artifact.InvalidJSON, "a delta that is not written as JSON", "write it as one JSON object in a fence of its own")
		}
		r.findWritten(b, []span{{int32(b.Start), int32(to)}}, f)
	}
}

// sketch returns what the beginning of an unreadable delta says about itself.
func (r *reader) sketch(text []byte) Delta {
	const enough = 400
	if !r.second {
		return Delta{}
	}
	whole := text[:min(len(text), maxSketch)]
	for _, end := range []string{"```", "~~~", ":::"} {
		whole, _, _ = bytes.Cut(whole, []byte(end))
	}
	text = whole[:min(len(whole), enough)]
	if !r.possible(text) {
		return Delta{}
	}
	d := sketchOf(text)
	d.sketchName(whole)
	r.sketchRecord(&d, whole)
	return d
}

// maxSketch is how much of an unreadable delta is searched for what its author calls its item.
const maxSketch = 2000

// ownName and ownRef match what the author of an ADD calls its item.
var (
	ownName = pattern.New(`"name"\s{0,9}:\s{0,9}"([^"\\\n]{1,200})"\s{0,9}[,}]`)
	ownRef  = pattern.New(`"ref"\s{0,9}:\s{0,9}"([\w.-]{1,64})"\s{0,9}[,}]`)
)

// sketchName adds the name and the label of an unreadable ADD, so that its correction can be told from
// others. A text with several deltas has none of its own.
func (d *Delta) sketchName(text []byte) {
	if d.Operation != Add || bytes.Count(text, []byte("peration\"")) != 1 {
		return
	}
	if all := ownName.FindAllSubmatch(text, 2); len(all) == 1 {
		d.Payload = Payload{{Name: "name", Value: artifact.Text(all[0][1])}}
	}
	if all := ownRef.FindAllSubmatch(text, 2); len(all) == 1 {
		d.Labels = []string{string(all[0][1])}
	}
}

func sketchOf(text []byte) Delta {
	const enough = 8
	var d Delta
	for n, at := 0, nearjson.NextKey(text, 0); n < enough && at >= 0; at = nearjson.NextKey(text, at) {
		key, begin, end, ok := nearjson.SketchedValue(text, at)
		if !ok {
			at++
			continue
		}
		n, at = n+1, end
		switch key, word := synonyms.Key(key), string(text[begin:end]); {
		case key == keyOperation && synonyms.IsOperation(word) && d.Operation == "":
			d.Operation = strings.ToUpper(word)
		case key == keySection && d.Section == "":
			if s, ok := synonyms.Section(word); ok {
				d.Section = s.String()
			}
		case key == keyTarget && isItemID(word) && d.Target == "":
			d.Target = word
		}
	}
	if d.Operation == Add {
		d.Target = ""
	}
	return d
}

// around returns the beginning of an object that cannot be read, up to its first end.
func (r *reader) around(text []byte, end int) []byte {
	const more = 400
	if !r.second {
		return text[:end]
	}
	rest := text[end:min(len(text), end+more)]
	if i := bytes.IndexByte(rest, '}'); i >= 0 {
		rest = rest[:i]
	}
	return text[:end+len(rest)]
}

// visible returns an offset, or the last one before it at which something stands.
func (r *reader) visible(at int) int {
	if !r.second {
		return at
	}
	at = min(at, len(r.src))
	if len(bytes.TrimLeft(r.src[at:min(len(r.src), at+1)], " \t\r\n")) > 0 {
		return at
	}
	return max(0, len(bytes.TrimRight(r.src[:at], " \t\r\n"))-1)
}

// afterFirstLine returns a block without its first line.
func afterFirstLine(src []byte, b markdown.Block) markdown.Block {
	i := bytes.IndexByte(src[b.Start:b.End], '\n')
	if i < 0 {
		i = b.End - b.Start - 1
	}
	b.Start = min(b.End, b.Start+i+1)
	return b
}
