package govern

import (
	"crypto/sha256"
	"encoding/hex"
)

// derivedID gives the id of a record that the program makes for another id, or for a
// module. Where the two together are too long, what of the name does not fit is told by
// a hash. Such ids are as long as can be, and others shorter: none is that of two names.
func derivedID(prefix, name string) string {
	if len(prefix)+len(name) < maxID {
		return prefix + name
	}
	sum := sha256.Sum256([]byte(name))
	hash := "-" + hex.EncodeToString(sum[:16])
	return prefix + name[:maxID-len(prefix)-len(hash)] + hash
}
