package flow

import "github.com/go-json-experiment/json/jsontext"

// A journal has the keys of an opening in canonical order; a seal of brenner.seal/v1
// hashes them in the order below. These types put stored members into that order and
// copy their values. They are frozen, and independent of Opened: a key that Opened gains
// later is in Later, and follows in canonical order.

type sealedOpening struct {
	Thread      jsontext.Value   `json:"thread,omitzero"`
	Operator    jsontext.Value   `json:"operator,omitzero"`
	Program     jsontext.Value   `json:"program,omitzero"`
	Question    jsontext.Value   `json:"question,omitzero"`
	Context     jsontext.Value   `json:"context,omitzero"`
	Excerpt     jsontext.Value   `json:"excerpt,omitzero"`
	Evidence    []sealedEvidence `json:"evidence,omitzero"`
	Constraints jsontext.Value   `json:"constraints,omitzero"`
	Brief       jsontext.Value   `json:"brief,omitzero"`
	Roster      jsontext.Value   `json:"roster,omitzero"`
	Agents      []sealedParty    `json:"agents,omitzero"`
	Arbiter     *sealedParty     `json:"arbiter,omitzero"`
	Rules       sealedRules      `json:"rules"`
	Rehearsal   jsontext.Value   `json:"rehearsal,omitzero"`
	Settings    jsontext.Value   `json:"settings"` // always noSettings
	Records     jsontext.Value   `json:"records,omitzero"`
	Module      jsontext.Value   `json:"module,omitzero"`
	Later       jsontext.Value   `json:",embed"`
}

// noSettings stands for the settings of every session.
const noSettings = `{"rounds":0,"flow":"","quorum":"","budget_tokens":0,"reply_tokens":0,"quiet_rounds":0,"stop_when_clean":false,"repair":false,` +
	`"limits":{"call_ms":0,"idle_ms":0,"agent_ms":0,"run_ms":0}}`

type sealedEvidence struct {
	ID    jsontext.Value `json:"id,omitzero"`
	Name  jsontext.Value `json:"name,omitzero"`
	Hash  jsontext.Value `json:"hash,omitzero"`
	Later jsontext.Value `json:",embed"`
}

type sealedParty struct {
	Name    jsontext.Value `json:"name,omitzero"`
	Role    jsontext.Value `json:"role,omitzero"`
	Program jsontext.Value `json:"program,omitzero"`
	Model   jsontext.Value `json:"model,omitzero"`
	Via     jsontext.Value `json:"via,omitzero"`
	ModelID jsontext.Value `json:"model_id,omitzero"`
	Seed    jsontext.Value `json:"seed,omitzero"`
	View    jsontext.Value `json:"view,omitzero"`
	Later   jsontext.Value `json:",embed"`
}

type sealedRules struct {
	Version     jsontext.Value         `json:"version,omitzero"`
	Unified     jsontext.Value         `json:"unified,omitzero"`
	Strict      jsontext.Value         `json:"strict_scopes,omitzero"`
	Grants      []sealedGrant          `json:"grants,omitzero"`
	Authorities jsontext.Value         `json:"authorities,omitzero"`
	Priority    jsontext.Value         `json:"priority,omitzero"`
	Limits      map[string]sealedLimit `json:"limits,omitzero"`
	Later       jsontext.Value         `json:",embed"`
}

type sealedGrant struct {
	Role         jsontext.Value `json:"role,omitzero"`
	Write        jsontext.Value `json:"write,omitzero"`
	Add          jsontext.Value `json:"add,omitzero"`
	KillAnywhere jsontext.Value `json:"kill_anywhere,omitzero"`
	Later        jsontext.Value `json:",embed"`
}

type sealedLimit struct {
	Min   jsontext.Value `json:"min,omitzero"`
	Max   jsontext.Value `json:"max,omitzero"`
	Later jsontext.Value `json:",embed"`
}
