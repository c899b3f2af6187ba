package delta

// The keys of a delta.
const (
	keyOperation = "operation"
	keySection   = "section"
	keyTarget    = "target_id"
	keyPayload   = "payload"
	keyRationale = "rationale"
	keyRef       = "ref"
	keyID        = "id"
	keyDeltaID   = "delta_id"
	keyTimestamp = "timestamp"
	keyAgent     = "agent"
)
