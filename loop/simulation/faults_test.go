package simulation

import (
	"testing/synctest"
	"time"
)

// restart ends a process and begins another one.
func (w *world) restart(p *process) {
	p.end()
	synctest.Wait() // until its goroutines see it
	w.begin(p.worker)
}

// strike injects a fault, now and then.
func (w *world) strike() {
	for _, p := range w.now {
		if p.draining && p.tasks == 0 {
			w.note("drained %s", p.name())
			w.restart(p)
		}
	}
	if w.faulty >= w.most || w.rng.IntN(150) > 0 {
		return
	}
	w.faulty++
	p := w.now[w.rng.IntN(len(w.now))]
	until := func(most int) time.Time { return time.Now().Add(time.Duration(1+w.rng.IntN(most)) * time.Second) }
	switch w.rng.IntN(11) {
	case 0, 1, 2:
		w.note("kill %s", p.name())
		for name, h := range w.server.table {
			if h.by == p {
				w.orphans[name] = time.Now()
			}
		}
		w.restart(p)
	case 3:
		p.stalled = until(120)
		p.woken = p.stalled
		w.note("stall %s until %s", p.name(), p.stalled)
	case 4:
		p.apart = until(150)
		w.note("store away from %s until %s", p.name(), p.apart)
	case 5:
		p.alone = until(90)
		w.note("engine away from %s until %s", p.name(), p.alone)
	case 6:
		end := until(90)
		w.engine.down.Store(end.UnixNano())
		w.note("engine down until %s", end)
	case 7:
		w.note("deliver again")
		for _, t := range w.engine.tasks {
			t.on = 0 // in whatever order, the result is the same
		}
	case 8:
		w.note("drain %s", p.name())
		if !p.draining {
			p.draining = true
			close(p.drain)
		}
	case 9:
		if !w.outages {
			p.skew -= time.Duration(1+w.rng.IntN(7200)) * time.Second
		}
		w.note("clock of %s goes back", p.name())
	case 10:
		if w.outages {
			w.away = until(300)
		}
		w.note("endpoint away until %s", w.away)
	}
}
