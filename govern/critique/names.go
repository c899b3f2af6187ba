package critique

import (
	"strings"
	"unicode"

	"brenner/internal/pattern"
)

// shownNames are the addresses that a critic was shown, and how it may write them.
type shownNames struct {
	all []string
	by  map[string]string // an address or an id, in lower case; "" if the id has several versions
}

func newNames(shown []string) *shownNames {
	n := &shownNames{all: shown, by: make(map[string]string)}
	for _, address := range shown {
		n.by[strings.ToLower(address)] = address
		id, _, _ := strings.Cut(strings.ToLower(address), "@")
		if other, ok := n.by[id]; ok && other != address {
			n.by[id] = ""
			continue
		}
		n.by[id] = address
	}
	return n
}

// full returns the address that a name means, or the name.
func (n *shownNames) full(name string) string {
	if one := n.by[strings.ToLower(name)]; one != "" {
		return one
	}
	return name
}

// resolve replaces the names of records in a finding with addresses that the critic was shown. It returns why
// that is impossible, or "", and which of the names are not such records.
func (n *shownNames) resolve(f *Finding) (reason, others string) {
	if len(f.Records) == 0 {
		return "it names no record", ""
	}
	var out, unknown, words []string
	seen := make(map[string]bool)
	for _, name := range f.Records {
		address, known := n.by[strings.ToLower(name)]
		switch {
		case !known && strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }) < 0:
			words = append(words, short(name)) // "and" in some language, or an id
		case !known:
			unknown = append(unknown, short(name))
		case address == "":
			return short(name) + " was shown in several versions: name the version", ""
		case !seen[address]:
			seen[address], out = true, append(out, address)
		}
	}
	if len(out) == 0 {
		return notShown(append(unknown, words...)), ""
	}
	f.Records = out
	return "", notShown(unknown)
}

// notShown says that names are not records that were shown; "" without any.
func notShown(names []string) string {
	const most = 5
	switch named := strings.Join(names[:min(len(names), most)], ", "); len(names) {
	case 0:
		return ""
	case 1:
		return named + " is not a record that was shown"
	default:
		return named + " are not records that were shown"
	}
}

var (
	// address matches the name of a version in running text.
	address = pattern.New(`[\pL\d][\pL\d_.-]*@v\d+`)
	// word matches what may be an id.
	word = pattern.New(`[\pL\d][\pL\d_.-]*`)
)

// mentioned returns the records that a line names: by an address, or by an id that is not a plain word.
func (n *shownNames) mentioned(line string) []string {
	var out []string
	for _, name := range address.FindAllString(line, -1) {
		out = append(out, short(n.full(name)))
	}
	for _, name := range word.FindAllString(line, -1) {
		name = strings.ToLower(strings.TrimRight(name, ".-_"))
		if one := n.by[name]; one != "" && strings.ContainsAny(name, "-_.0123456789") && strings.ContainsFunc(name, unicode.IsLetter) {
			out = append(out, one)
		}
	}
	return out
}

// short returns a name that may be of any length.
func short(name string) string {
	const most = 200
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}

// aside matches remarks in a list of names.
var aside = pattern.New(`\([^()@]*\)`)

// splitNames returns the names in a list such as "a@v1, `b@v2` and c (the memo)".
func splitNames(text string) []string {
	text = aside.ReplaceAllString(text, " ")
	fields := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("_.-@:", r)
	})
	var out []string
	for _, name := range fields {
		name = strings.TrimRight(strings.TrimLeft(name, "_-.:"), "_.:")
		if name == "" || name == "-" || strings.EqualFold(name, "and") || strings.EqualFold(name, "none") {
			continue
		}
		out = append(out, name)
	}
	return out
}
