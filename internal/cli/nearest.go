package cli

// nearest gives the candidate that a misspelt word most likely meant, or "".
func nearest(word string, candidates []string) string {
	best, distance := "", 1+max(1, len([]rune(word))/3)
	for _, c := range candidates {
		if d := editDistance([]rune(word), []rune(c), distance); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// editDistance counts the letters to insert, drop, change or swap, up to a limit
// beyond which nobody asks how far.
func editDistance(a, b []rune, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit || len(a) > 64 {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
