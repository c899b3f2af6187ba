package mail

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// ID names a message. Servers give numbers or texts; both are texts here.
type ID string

// Number gives the id as a number, for boxes that count.
func (id ID) Number() (int64, bool) {
	n, err := strconv.ParseInt(string(id), 10, 64)
	return n, err == nil && n > 0 && strconv.FormatInt(n, 10) == string(id)
}

// Numbered makes the id of a box that counts.
func Numbered(n int64) ID { return ID(strconv.FormatInt(n, 10)) }

// exact is the largest number that every reader of JSON keeps as it is.
const exact = 1 << 53

// MarshalJSON writes a number where it is one: that is what most servers want back.
func (id ID) MarshalJSON() ([]byte, error) {
	if n, ok := id.Number(); ok && n <= exact {
		return []byte(id), nil
	}
	if id == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(id))
}

// UnmarshalJSON takes a number, a text or null.
func (id *ID) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	switch {
	case bytes.Equal(data, []byte("null")):
		*id = ""
		return nil
	case len(data) > 0 && data[0] == '"':
		var text string
		err := json.Unmarshal(data, &text)
		*id = ID(text)
		return err
	}
	var n json.Number
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	*id = ID(n.String())
	return nil
}
