package mail

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Marker is what a message of ours carries, so that it can be found again when the
// answer to its sending was lost. Nobody sees it in rendered Markdown.
type Marker struct {
	Session string
	Round   int
	To      string
	Hash    string // of what the message is for: a call, a publication
}

// MarkerOf makes the marker of a message that is sent for one purpose; the same
// purpose gives the same marker.
func MarkerOf(session string, round int, to, purpose string) Marker {
	sum := sha256.Sum256([]byte(purpose))
	return Marker{Session: session, Round: round, To: to, Hash: hex.EncodeToString(sum[:8])}
}

// String gives the marker as it stands in a body.
func (m Marker) String() string {
	inert := strings.NewReplacer("--", "", "<", "", ">", "", "\n", " ")
	return fmt.Sprintf("<!-- brenner session=%s round=%d to=%s hash=%s -->", inert.Replace(m.Session), m.Round, inert.Replace(m.To), m.Hash)
}

// In puts the marker behind a body.
func (m Marker) In(body string) string {
	return strings.TrimRight(body, "\n") + "\n\n" + m.String() + "\n"
}

// Kin tells whether a body carries a marker of the same session, round and
// recipient: that of another message of ours about the same thing.
func (m Marker) Kin(body string) bool {
	want, _, _ := strings.Cut(m.String(), " hash=")
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, want+" hash=") {
			return true
		}
	}
	return false
}

// Marks tells whether a body carries the marker as one of its own lines; a line
// that is quoted is somebody else's.
func (m Marker) Marks(body string) bool {
	want := m.String()
	for line := range strings.Lines(body) {
		if strings.TrimRight(line, "\r\n \t") == want {
			return true
		}
	}
	return false
}
