package text

import "strconv"

// Count returns a number with a noun that takes an "s" in the plural.
func Count(n int, noun string) string { return Plural(n, noun, noun+"s") }

// Plural returns a number with the singular for 1, else with the plural.
func Plural(n int, singular, plural string) string {
	if n == 1 {
		return "1 " + singular
	}
	return strconv.Itoa(n) + " " + plural
}
