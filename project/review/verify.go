package review

import (
	"context"
	"slices"

	"brenner/govern/ledger"
	"brenner/internal/fault"
	"brenner/loop/runner"
	"brenner/playbook/keeper"
	"brenner/project"
	"brenner/session"
	"brenner/session/audit"
	"brenner/store"
	"brenner/store/record"
)

// Verification is the result of a proof.
type Verification struct {
	Schema   string            `json:"schema"`
	OK       bool              `json:"ok"`
	Store    *StoreProof       `json:"store,omitempty"`    // nil if not requested
	Records  *ledger.Proof     `json:"records,omitempty"`  // nil if not requested, or empty
	Playbook *VerifiedPlaybook `json:"playbook,omitempty"` // nil if not requested, or empty
	Sessions []*session.Proof  `json:"sessions"`
	Loops    []*runner.Proof   `json:"loops,omitempty"`
}

// StoreProof is the proof of the store's file.
type StoreProof struct {
	Faults store.Faults `json:"faults"`
}

// VerifiedPlaybook is the proof of the playbook.
type VerifiedPlaybook struct {
	*keeper.Proof
	Faults store.Faults `json:"faults"`
}

// Verified returns the verification of these sessions.
func Verified(sessions ...*session.Proof) *Verification {
	return (&Verification{Sessions: sessions}).setOK()
}

// DamagedStore turns the error of a store that cannot be opened into a finding. It returns
// other errors unchanged.
func DamagedStore(err error) (*Verification, error) {
	if fault.CodeOf(err) != store.Damaged {
		return nil, err
	}
	return (&Verification{Store: &StoreProof{Faults: store.Faults{err}}}).setOK(), nil
}

// setOK sets whether everything was proven.
func (v *Verification) setOK() *Verification {
	v.Schema = "brenner.verify/v1"
	faults := 0
	if v.Store != nil {
		faults += len(v.Store.Faults)
	}
	if v.Records != nil {
		faults += len(v.Records.Faults)
	}
	if v.Playbook != nil {
		faults += len(v.Playbook.Faults)
	}
	for _, s := range v.Sessions {
		faults += len(s.Faults)
	}
	for _, l := range v.Loops {
		faults += len(l.Faults)
	}
	v.OK = faults == 0
	return v
}

// Verify proves the file of the project's store and everything in it.
func Verify(ctx context.Context, p *project.Project) (*Verification, error) {
	st, err := p.OpenUnchanged(ctx)
	if err != nil {
		return DamagedStore(err)
	}
	defer p.CloseStore(st)
	v := &Verification{Store: &StoreProof{}}
	found := &v.Store.Faults
	found.Add(st.Verify(ctx))
	v.Sessions, err = audit.VerifyAll(ctx, st)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	found.Add(err)
	for _, proof := range v.Sessions {
		follow(ctx, p.Source(st, proof.Thread), proof)
	}
	v.Loops, err = runner.ProveAll(ctx, st)
	found.Add(err)
	lost, err := audit.Orphans(ctx, st)
	found.Add(err)
	v.Records, err = proveRecords(ctx, p, st, lost)
	found.Add(err)
	if b := keeper.Prove(ctx, st, ""); b.Entries > 0 || len(b.Faults) > 0 {
		v.Playbook = &VerifiedPlaybook{b, b.Faults}
	}
	return v.setOK(), ctx.Err()
}

// VerifySession proves the session of a source's address. head is a head or seal of it, or empty.
func VerifySession(ctx context.Context, s *project.Source, head string) (*Verification, error) {
	proof, err := audit.Verify(ctx, s.Store, s.Address.Thread, head)
	if err != nil {
		return nil, err
	}
	follow(ctx, s, proof)
	return Verified(proof), nil
}

// follow updates the artifact files of a proven session.
func follow(ctx context.Context, s *project.Source, proof *session.Proof) {
	if len(proof.Faults) == 0 {
		_, _ = s.Load(ctx) // it was just read; the files are no part of the proof
	}
}

// proveRecords proves the project's records, if any. Sessions that were lost are reported
// elsewhere.
func proveRecords(ctx context.Context, p *project.Project, st store.Store, lost []string) (*ledger.Proof, error) {
	records, sessions := p.Records(st), session.NewRecordIndex(st)
	records.Vouched = func(ctx context.Context, ref record.Ref) (bool, error) {
		if slices.Contains(lost, ref.ID) {
			return true, nil
		}
		return sessions.Contains(ctx, ref)
	}
	r, err := records.Verify(ctx)
	if r == nil || r.Entries == 0 && len(r.Faults) == 0 {
		return nil, err
	}
	return r, err
}
