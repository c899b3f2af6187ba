package storetest

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"brenner/internal/fault"
	"brenner/store"
)

// Locks tests an implementation of store.Locks. open returns two handles to the same free locks, as
// two processes would have them.
func Locks(t *testing.T, open func(t *testing.T) (one, other store.Locks)) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(t *testing.T, one, other store.Locks)
	}{
		{"HoldAndRelease", testHold},
		{"NamesAreIndependent", testNames},
		{"BadNames", testBadNames},
		{"ReleaseTwice", testReleaseTwice},
		{"OneAtATime", testOneAtATime},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			one, other := open(t)
			test.run(t, one, other)
		})
	}
}

func holder(doing string) store.Holder {
	return store.Holder{PID: 4711, Host: "bench", Since: Instant(0), Doing: doing}
}

func hold(t *testing.T, l store.Locks, name string) (release func()) {
	t.Helper()
	lease, err := l.Hold(name, holder("hold "+name))
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := lease.Release(); err != nil {
			t.Error(err)
		}
	}
}

func wantHolder(t *testing.T, l store.Locks, name, doing string) {
	t.Helper()
	who, ok, err := l.HolderOf(name)
	if err != nil || ok != (doing != "") || who.Doing != doing {
		t.Errorf("%s: %v, %t, %v", name, who, ok, err)
	}
}

func testHold(t *testing.T, one, other store.Locks) {
	for range 3 {
		wantHolder(t, other, "a", "")
		release := hold(t, one, "a")
		for _, l := range []store.Locks{one, other} {
			wantHolder(t, l, "a", "hold a")
			_, err := l.Hold("a", holder("again"))
			wantCode(t, store.Held, err)
			if err != nil && !strings.Contains(err.Error(), "process 4711 on bench (hold a") {
				t.Errorf("does not name the holder: %v", err)
			}
		}
		release()
		wantHolder(t, other, "a", "")
		hold(t, other, "a")()
	}
}

func testNames(t *testing.T, one, other store.Locks) {
	for _, name := range []string{"a", "b", "RS-20260101-cells", "TKT 7 (é)"} {
		t.Cleanup(hold(t, one, name))
		wantHolder(t, other, name, "hold "+name)
	}
	wantHolder(t, other, "c", "")
}

func testBadNames(t *testing.T, one, _ store.Locks) {
	for _, name := range []string{"", ".", "..", ".a", "a/b", `a\b`, "../a", "a\x00", "a\n", "C:a", "a*", "\xff", strings.Repeat("a", 300)} {
		wantCode(t, store.BadName, fails(one.Hold(name, holder("x"))))
		_, _, err := one.HolderOf(name)
		wantCode(t, store.BadName, err)
	}
}

func testReleaseTwice(t *testing.T, one, other store.Locks) {
	release := hold(t, one, "a")
	release()
	defer hold(t, other, "a")()
	release()
	wantHolder(t, one, "a", "hold a")
}

func testOneAtATime(t *testing.T, one, other store.Locks) {
	const each = 20 // locks race with releases
	var inside, won atomic.Int32
	var all sync.WaitGroup
	for n := range 8 {
		l := []store.Locks{one, other}[n%2]
		all.Go(func() {
			for got := 0; got < each; {
				lease, err := l.Hold("a", holder("x"))
				if fault.CodeOf(err) == store.Held {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two holders at the same time")
				}
				won.Add(1)
				got++
				inside.Add(-1)
				if err := lease.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if won.Load() != 8*each {
		t.Errorf("held %d times, want %d", won.Load(), 8*each)
	}
}
