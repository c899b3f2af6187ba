package keeper

import (
	"cmp"
	"context"

	"brenner/playbook"
	"brenner/store"
	"brenner/store/journal"
)

// follow reads the journal from the end of a chain and folds it, and returns the head of what
// was folded. Reading and hashing take about as long as decoding and replaying, so the two run
// concurrently. What is read is always folded, even on an error: chain and book stay in step
// unless an entry is impossible.
func follow(ctx context.Context, st store.Store, book *playbook.Book, chain *journal.Chain, see func(*journal.Line)) (journal.Head, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	pages := make(chan []journal.Line, 2)
	var readErr error // of the reader; valid once pages is closed
	go func() {
		defer close(pages)
		var p page
		readErr = store.Walk(ctx, st, playbook.Stream, chain.Head().Seq, func(l *journal.Line) error {
			if err := chain.Next(l); err != nil {
				return err
			}
			if see != nil {
				see(l)
			}
			p.add(l)
			if len(p.lines) == pageLines {
				pages <- p.lines
				p = page{}
			}
			return nil
		})
		pages <- p.lines
	}()
	var foldErr error
	var last *journal.Line
	for lines := range pages {
		for i := range lines {
			if foldErr != nil {
				break // the reader must deliver its pages before it can end
			}
			if foldErr = fold(book, &lines[i]); foldErr != nil {
				stop()
				break
			}
			last = &lines[i]
		}
	}
	head := journal.Head{}
	if last != nil {
		head = journal.Head{Seq: last.Seq, Hash: string(last.Hash)}
	}
	return head, cmp.Or(foldErr, readErr)
}

const pageLines = 512

type page struct {
	lines []journal.Line
	bytes []byte
}

// add keeps the parts of an entry that folding needs.
func (p *page) add(l *journal.Line) {
	if p.lines == nil {
		p.lines = make([]journal.Line, 0, pageLines)
	}
	p.lines = append(p.lines, journal.Line{Seq: l.Seq, Hash: p.keep(l.Hash), Kind: p.keep(l.Kind), Body: p.keep(l.Body)})
}

// keep copies bytes that are valid only during a callback.
func (p *page) keep(b []byte) []byte {
	if cap(p.bytes)-len(p.bytes) < len(b) {
		p.bytes = make([]byte, 0, max(64<<10, len(b)))
	}
	at := len(p.bytes)
	p.bytes = append(p.bytes, b...)
	return p.bytes[at:len(p.bytes):len(p.bytes)]
}

func fold(book *playbook.Book, l *journal.Line) error {
	var e playbook.Entry
	if err := playbook.ReadLine(l, &e); err != nil {
		return err
	}
	return book.Apply(&e)
}
