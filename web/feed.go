package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"brenner/internal/fault"
	"brenner/internal/webgate"
	"brenner/store"
)

// event is a new entry of a journal.
type event struct {
	stream string
	seq    int
	kind   string
}

// maxListeners bounds the open connections for events.
const maxListeners = 200

// backlog is how many events a listener may be behind.
const backlog = 64

// feed asks the store which journals grew, once for all listeners. Without listeners it rests.
type feed struct {
	every time.Duration
	open  func(context.Context) (store.Store, error)
	log   zerolog.Logger
	wake  chan struct{}

	mu        sync.Mutex
	listeners map[*listener]bool // true: it has got its heads
}

// listener gets the events of one stream, or of those whose name begins with a prefix that ends with
// a slash or is empty.
type listener struct {
	stream string
	heads  chan map[string]int // the numbers of the last entries when it joined
	events chan event          // closed if it cannot keep up
}

func newFeed(every time.Duration, open func(context.Context) (store.Store, error), log zerolog.Logger) *feed {
	return &feed{every: every, open: open, log: log, wake: make(chan struct{}, 1), listeners: make(map[*listener]bool)}
}

func (l *listener) wants(stream string) bool {
	if l.stream == "" || strings.HasSuffix(l.stream, "/") {
		return strings.HasPrefix(stream, l.stream)
	}
	return stream == l.stream
}

// join adds a listener, unless there are too many.
func (f *feed) join(stream string) (*listener, bool) {
	l := &listener{stream: stream, heads: make(chan map[string]int, 1), events: make(chan event, backlog)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.listeners) >= maxListeners {
		return nil, false
	}
	f.listeners[l] = false
	select {
	case f.wake <- struct{}{}:
	default:
	}
	return l, true
}

func (f *feed) leave(l *listener) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.listeners, l)
}

func (f *feed) idle() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.listeners) == 0
}

// run polls until the context ends.
func (f *feed) run(ctx context.Context) {
	var st store.Store
	heads := make(map[string]int)
	leave := func() {
		if st != nil {
			_ = st.Close() // it was only read
			st = nil
		}
	}
	defer leave()
	for ctx.Err() == nil {
		if f.idle() {
			leave()
			select {
			case <-f.wake:
			case <-ctx.Done():
				return
			}
		}
		var err error
		joined := f.ungreeted() // before the heads are read: a page has seen no more than they say
		if st == nil {
			st, err = f.open(ctx)
		}
		if err == nil {
			err = f.poll(ctx, st, heads)
		}
		if err == nil || fault.CodeOf(err) == store.NoStore {
			f.greet(joined, heads)
		}
		if err != nil && ctx.Err() == nil {
			if fault.CodeOf(err) != store.NoStore {
				f.log.Debug().Err(err).Msg("cannot follow the journals; trying again")
			}
			leave()
		}
		select {
		case <-time.After(f.every):
		case <-f.wake:
		case <-ctx.Done():
		}
	}
}

// poll reads the new entries of all streams and passes them on.
func (f *feed) poll(ctx context.Context, st store.Store, heads map[string]int) error {
	streams, err := st.Streams(ctx, "")
	if err != nil {
		return err
	}
	for i := range streams {
		name, last := streams[i].Name, streams[i].Head.Seq
		was, known := heads[name]
		if known && was == last {
			continue
		}
		if was < last && f.wanted(name) {
			entries, err := st.Entries(ctx, name, was)
			if err != nil {
				return err
			}
			for j := range entries {
				f.send(event{name, entries[j].Seq, entries[j].Kind})
				last = max(last, entries[j].Seq)
			}
		}
		heads[name] = last
	}
	return nil
}

func (f *feed) wanted(stream string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for l, greeted := range f.listeners {
		if greeted && l.wants(stream) {
			return true
		}
	}
	return false
}

// send passes an event on. A listener that cannot keep up is dropped.
func (f *feed) send(e event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for l, greeted := range f.listeners {
		if !greeted || !l.wants(e.stream) {
			continue
		}
		select {
		case l.events <- e:
		default:
			close(l.events)
			delete(f.listeners, l)
		}
	}
}

// ungreeted returns the listeners that have no heads yet.
func (f *feed) ungreeted() []*listener {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []*listener
	for l, greeted := range f.listeners {
		if !greeted {
			all = append(all, l)
		}
	}
	return all
}

// greet tells listeners the heads after which they get events, unless they have left.
func (f *feed) greet(joined []*listener, heads map[string]int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range joined {
		if _, ok := f.listeners[l]; !ok {
			continue
		}
		own := make(map[string]int)
		for stream, seq := range heads {
			if l.wants(stream) {
				own[stream] = seq
			}
		}
		l.heads <- own
		f.listeners[l] = true
	}
}

// events streams the new entries of journals. Each has the id stream:number. A page says with after
// how many entries it has seen; if there are others, one event comes at once.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	l, ok := s.feed.join(r.URL.Query().Get("stream"))
	if !ok {
		w.Header().Set("Retry-After", "10")
		webgate.Refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("more than %d pages are open", maxListeners))
		return
	}
	defer s.feed.leave(l)
	out := sender{w: w, control: http.NewResponseController(w)}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	out.write("retry: 1000\n\n")
	select {
	case heads := <-l.heads:
		if missed, yes := missedOf(heads, r); yes {
			out.event(missed)
		}
	case <-r.Context().Done():
		return
	}
	beat := time.NewTicker(s.beat)
	defer beat.Stop()
	for out.err == nil {
		select {
		case e, ok := <-l.events:
			if !ok {
				return
			}
			out.event(e)
		case <-beat.C:
			out.write(": still here\n\n")
		case <-r.Context().Done():
			return
		}
	}
}

// missedOf returns an event if a page has not seen all entries. Last-Event-ID counts if it names the
// only stream that the page follows; otherwise what the page said when it was made.
func missedOf(heads map[string]int, r *http.Request) (event, bool) {
	last, sum := event{kind: "resumed"}, 0
	for stream, seq := range heads {
		sum += seq
		if seq > last.seq || seq == last.seq && stream < last.stream {
			last.stream, last.seq = stream, seq
		}
	}
	id := r.Header.Get("Last-Event-ID")
	if i := strings.LastIndexByte(id, ':'); i > 0 && len(heads) == 1 {
		seq, err := strconv.Atoi(id[i+1:])
		if seen, ok := heads[id[:i]]; ok && err == nil && seq <= seen {
			return last, seq != seen
		}
	}
	after, err := strconv.Atoi(r.URL.Query().Get("after"))
	return last, id != "" || err != nil || after != sum
}

// sender writes to one listener.
type sender struct {
	w       http.ResponseWriter
	control *http.ResponseController
	err     error
}

func (o *sender) event(e event) {
	// Names of streams and kinds come from journals, which may be imported.
	clean := strings.NewReplacer("\n", " ", "\r", " ", "\x00", " ")
	o.write(fmt.Sprintf("id: %s:%d\nevent: moved\ndata: %d %s\n\n", clean.Replace(e.stream), e.seq, e.seq, clean.Replace(e.kind)))
}

func (o *sender) write(text string) {
	if o.err != nil {
		return
	}
	_ = o.control.SetWriteDeadline(time.Now().Add(10 * time.Second)) // not all connections have one
	if _, o.err = o.w.Write([]byte(text)); o.err == nil {
		o.err = o.control.Flush()
	}
}
