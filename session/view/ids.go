package view

import (
	"slices"

	"brenner/artifact"
)

// shortestRange is from how many ids on a range is shorter than a list.
const shortestRange = 3

// ranges writes ids of one section, by number: three or more neighbours as one
// range, so that a ledger of thousands can still be named.
func ranges(s artifact.Section, ids []string) []string {
	var numbers []int
	var names []string
	for _, id := range ids {
		if n, ok := s.IDNumber(id); ok {
			numbers = append(numbers, n)
		} else {
			names = append(names, Word(id))
		}
	}
	slices.Sort(numbers)
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		if end-i+1 >= shortestRange {
			names = append(names, s.ItemID(numbers[i])+"-"+s.ItemID(numbers[end]))
			i = end + 1
			continue
		}
		names = append(names, s.ItemID(numbers[i]))
		i++
	}
	return names
}
