package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"brenner/internal/fault"
	"brenner/session"
	"brenner/session/audit"
	"brenner/store"
)

// StoreGone is the code of a store that was there when the server began.
const StoreGone fault.Code = "WEB_STORE_GONE" // The project's store was removed while its page was served.

// gone returns an error if the project had a store and has none now.
func (s *Server) gone(ctx context.Context) error {
	st, err := s.project.OpenToRead(ctx)
	switch {
	case err == nil:
		s.project.CloseStore(st)
		s.hadStore.Store(true)
	case fault.CodeOf(err) == store.NoStore && s.hadStore.Load():
		return &fault.Error{
			Code: StoreGone, Detail: "the store of this project is gone: it was there when this page was served before",
			Hint: "put it back, or import exported sessions: `brenner session import FILE`; `brenner serve` can keep running",
		}
	}
	return nil
}

// damages are the sessions in which a page found damage. The overview reads only their summaries, and
// would not know.
type damages map[string]foundDamage

// foundDamage is what is damaged, and the page that found it; "" for the journal itself.
type foundDamage struct{ problem, page string }

// shownAt returns the address of what a page shows: another version may be damaged, or not.
func shownAt(r *http.Request) string {
	q := r.URL.Query()
	q.Del("part")
	q.Del("format")
	return r.URL.Path + "?" + q.Encode()
}

// foundIn keeps what a page found, or that it found nothing.
func (s *Server) foundIn(thread, page string, damage error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if damage != nil {
		s.damaged[thread] = foundDamage{damage.Error(), page}
	} else if was, ok := s.damaged[thread]; ok && (was.page == "" || was.page == page) {
		delete(s.damaged, thread)
	}
}

// marked returns a row of the overview with the damage that a page has found.
func (s *Server) marked(row audit.Row) audit.Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	if was, ok := s.damaged[row.Thread]; ok && row.Phase != session.PhaseDamaged {
		row.Phase, row.Problem = session.PhaseDamaged, was.problem
	}
	return row
}

// isDamage reports whether an error means that what is stored about a session is damaged.
func isDamage(err error) bool {
	switch fault.CodeOf(err) {
	case store.Damaged, store.NoBlob:
		return true
	}
	return false
}

var someHash = regexp.MustCompile(`[0-9a-f]{64}`)

// problemIn describes damage of a session's texts and names the entry that has them.
func problemIn(h *session.History, damage error) *problem {
	p := problemOf(damage)
	all := strings.Join(p.Texts, " ")
	if strings.Contains(all, ", entry ") {
		return p
	}
	for _, hash := range someHash.FindAllString(all, -1) {
		for i := range h.Entries {
			if e := &h.Entries[i]; bytes.Contains(e.Body, []byte(hash)) {
				p.Texts = append(p.Texts, fmt.Sprintf("%s, entry %d (%s), refers to it.", h.Thread, e.Seq, e.Kind))
				return p
			}
		}
	}
	return p
}

// damagedPage is what a page shows whose text is damaged: where the rest is.
type damagedPage struct {
	Thread   string
	Versions []int
}

// showRest makes a page show what is damaged, and where the rest is.
func (v *view) showRest(h *session.History, damage error) {
	v.Page, v.Data, v.Document, v.Stream = "damaged", damagedPage{h.Thread, versionsOf(h)}, nil, ""
	v.Damage, v.Status = problemIn(h, damage), http.StatusInternalServerError
	v.Damage.Hint = "Other pages of this session may show the rest. Nothing can be changed here."
}
