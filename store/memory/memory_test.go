package memory_test

import (
	"testing"

	"brenner/store"
	"brenner/store/memory"
	"brenner/store/storetest"
)

func open(*testing.T) store.Store { return memory.New() }

func TestConformance(t *testing.T) { storetest.Run(t, open) }

func TestAgreesWithItself(t *testing.T) { storetest.Agree(t, open, open) }

func TestLocks(t *testing.T) {
	storetest.Locks(t, func(*testing.T) (one, other store.Locks) {
		s := memory.New()
		return s, s
	})
}
