package secret

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// encodings returns a secret in hexadecimal and in both alphabets of Base64. In Base64 the letters
// depend on what precedes the secret: there are three cases, and of each only the letters that the
// secret alone determines.
func encodings(secret string) []string {
	lower := hex.EncodeToString([]byte(secret))
	all := []string{lower, strings.ToUpper(lower)}
	for before := range 3 {
		data := append(make([]byte, before), secret...)
		from, to := (8*before+5)/6, 8*len(data)/6
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all = append(all, alphabet.EncodeToString(data)[from:to])
		}
	}
	return all
}

// cutEncoded removes an encoded secret, which may be escaped, and wrapped at any place.
func cutEncoded(text, code string) (string, bool) {
	if left, ok := strings.CutPrefix(text, code); ok {
		return left, true
	}
	for i, r := range code {
		if i > 0 {
			text = cutBreak(text)
		}
		var ok bool
		if text, ok = cutLetter(text, r); !ok {
			return "", false
		}
	}
	return text, true
}

// cutBreak removes a line break, which may be escaped as in JSON.
func cutBreak(text string) string {
	for _, end := range []string{"\r", `\r`, "\n", `\n`} {
		text = strings.TrimPrefix(text, end)
	}
	return text
}
