package postgrestest

import (
	"bytes"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Fault is what a proxy does to a line.
type Fault int

// The faults.
const (
	// None forwards everything.
	None Fault = iota
	// CutAfterCommit cuts the line when the server has answered the next COMMIT, and drops the answer.
	CutAfterCommit
	// CutAtCommit cuts the line when the next COMMIT was forwarded: the server may still be working on it.
	CutAtCommit
	// CutBeforeCommit cuts the line instead of forwarding the next COMMIT.
	CutBeforeCommit
	// Stall forwards nothing and keeps the lines open.
	Stall
)

// Proxy forwards connections to a server.
type Proxy struct {
	Port     int
	target   string
	listener net.Listener
	all      sync.WaitGroup

	mu    sync.Mutex
	fault Fault
	cuts  int
	turn  chan struct{} // closed when the fault changes
	lines map[*line]bool
	ended bool

	random *rand.Rand // nil if lines are not cut at random points
	most   int        // bytes between two such cuts
	left   int        // bytes until the next one
}

// NewProxy starts a proxy to the server of an address. It ends with the test.
func NewProxy(t testing.TB, address string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Port: l.Addr().(*net.TCPAddr).Port, target: hostOf(address), listener: l, lines: map[*line]bool{}, turn: make(chan struct{})}
	p.all.Go(p.accept)
	t.Cleanup(p.Close)
	return p
}

// Close cuts all lines and accepts no others.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	_ = p.listener.Close()
	p.Do(None)
	p.Cut()
	p.all.Wait()
}

func hostOf(address string) string {
	_, rest, _ := strings.Cut(address, "@")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// Through returns an address that leads through the proxy.
func (p *Proxy) Through(address string) string {
	return strings.Replace(address, hostOf(address), "127.0.0.1:"+strconv.Itoa(p.Port), 1)
}

// Do makes the proxy do something to its lines from now on.
func (p *Proxy) Do(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = f
	close(p.turn)
	p.turn = make(chan struct{})
}

// Cuts returns how many lines were cut at a COMMIT, or at random points.
func (p *Proxy) Cuts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

// CutAtRandom cuts a line whenever the lines together have carried a random number of bytes, up to most. Time plays
// no part: on any machine, some of the work is done between two cuts. 0 ends it.
func (p *Proxy) CutAtRandom(seed uint64, most int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.random, p.most = nil, most
	if most > 0 {
		p.random = rand.New(rand.NewPCG(seed, seed))
		p.left = 1 + p.random.IntN(most)
	}
}

// carry returns how many bytes of a part may pass before the line is cut, and whether it is cut.
func (p *Proxy) carry(n int) (pass int, cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.random == nil || n < p.left {
		p.left -= n
		return n, false
	}
	pass = p.left
	p.left = 1 + p.random.IntN(p.most)
	p.cuts++
	return pass, true
}

// Cut cuts all lines.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.lines {
		l.cut()
	}
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		l := &line{proxy: p, client: client, server: server}
		p.mu.Lock()
		p.lines[l] = true
		ended := p.ended
		p.mu.Unlock()
		if ended {
			l.cut()
		}
		p.all.Go(func() { l.forward(client, server, l.ask) })
		p.all.Go(func() { l.forward(server, client, l.answer) })
	}
}

// line is a connection through the proxy.
type line struct {
	proxy          *Proxy
	client, server net.Conn
	mu             sync.Mutex
	waits          bool // for the answer to a COMMIT
}

func (l *line) cut() {
	_ = l.client.Close()
	_ = l.server.Close()
}

// forward copies until one side closes. judge returns whether a part may pass, and whether the line is cut after it.
func (l *line) forward(from, to net.Conn, judge func(part []byte) (pass, cut bool)) {
	defer func() {
		l.cut()
		l.proxy.mu.Lock()
		delete(l.proxy.lines, l)
		l.proxy.mu.Unlock()
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		l.proxy.stall()
		pass, cut := judge(buffer[:n])
		n, broken := l.proxy.carry(n)
		if pass {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if cut || broken {
			return
		}
	}
}

// stall waits while the lines are stalled.
func (p *Proxy) stall() {
	for {
		p.mu.Lock()
		stalled, turn := p.fault == Stall, p.turn
		p.mu.Unlock()
		if !stalled {
			return
		}
		<-turn
	}
}

// ask judges what a client sends. A COMMIT is small and sent alone; a statement that commits itself counts, too.
func (l *line) ask(part []byte) (pass, cut bool) {
	if !bytes.Contains(part, []byte("COMMIT\x00")) && !bytes.Contains(part, []byte("WITH s AS (UPDATE")) {
		return true, false
	}
	p := l.proxy
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.fault
	if f == None {
		return true, false
	}
	p.fault = None
	p.cuts++
	if f == CutAfterCommit {
		l.mu.Lock()
		l.waits = true
		l.mu.Unlock()
		return true, false
	}
	return f == CutAtCommit, true
}

// answer judges what a server sends.
func (l *line) answer([]byte) (pass, cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.waits, l.waits
}
