package blocks

import (
	"slices"
	"strings"

	"brenner/artifact/delta"
)

// LinkOrder returns the indexes of drafts so that each comes after those that it links to, and otherwise in
// their order. Of a circle, one comes too early.
func LinkOrder(drafts []delta.Draft) []int {
	at := make(map[string]int)
	for i := range slices.Backward(drafts) { // of several with an id, the first one
		if drafts[i].Operation == delta.Add || drafts[i].Operation == "" {
			at[drafts[i].ID] = i
		}
	}
	var order []int
	visited := make([]bool, len(drafts))
	var visit func(i int)
	visit = func(i int) {
		if visited[i] {
			return
		}
		visited[i] = true
		for _, l := range drafts[i].Links {
			if j, ok := at[linkedID(l)]; ok {
				visit(j)
			}
		}
		order = append(order, i)
	}
	for i := range drafts {
		visit(i)
	}
	return order
}

// linkedID returns the id in a link.
func linkedID(link string) string {
	_, to, _ := strings.Cut(link, "=")
	id, _, _ := strings.Cut(strings.TrimSpace(to), "@")
	return id
}

// LinkPath returns the ids by which a record of a reply links to another one, or nil if it does not.
func LinkPath(drafts []delta.Draft, from, to string) []string {
	return linkPath(drafts, from, to, make(map[string]bool))
}

// linkPath is LinkPath without the visited records.
func linkPath(drafts []delta.Draft, from, to string, visited map[string]bool) []string {
	if from == to {
		return []string{to}
	}
	at := slices.IndexFunc(drafts, func(d delta.Draft) bool { return d.ID == from && d.Operation != delta.Kill })
	if at < 0 || visited[from] {
		return nil
	}
	visited[from] = true
	for _, l := range drafts[at].Links {
		if rest := linkPath(drafts, linkedID(l), to, visited); rest != nil {
			return append([]string{from}, rest...)
		}
	}
	return nil
}
