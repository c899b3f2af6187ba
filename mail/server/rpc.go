package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// answerFaults serves a request and turns the SDK's plain-text refusals of a request's body, such as of an
// unknown method, into JSON-RPC errors. A well-formed request gets one with HTTP 200, as clients of older
// protocols expect; in the newest protocol the SDK itself answers so, with other statuses.
func answerFaults(w http.ResponseWriter, r *http.Request, next http.Handler) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequest))
	if err != nil {
		refuseCall(w, http.StatusRequestEntityTooLarge, tooLarge(int64(len(body))))
		return
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	held := &faultWriter{ResponseWriter: w}
	next.ServeHTTP(held, r)
	if held.text.Len() == 0 && held.status == 0 {
		return
	}
	status, answer := faultOf(body, strings.TrimSpace(held.text.String()))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Del("Content-Length")
	w.WriteHeader(status)
	_, _ = w.Write(answer) // the client may be gone
}

// faultOf returns the JSON-RPC error for a refused request, and its HTTP status.
func faultOf(body []byte, text string) (int, []byte) {
	var request struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	answer := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", json.RawMessage("null"), &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: text}}
	status := http.StatusBadRequest
	switch err := json.Unmarshal(body, &request); {
	case err != nil && !json.Valid(body):
		answer.Error.Code = jsonrpc.CodeParseError
	case err == nil && len(request.ID) == 0 && strings.HasPrefix(request.Method, "notifications/"):
		return http.StatusAccepted, nil // a notification gets no answer
	case err == nil && request.Method != "" && len(request.ID) > 0:
		answer.ID, status = request.ID, http.StatusOK
		if strings.Contains(text, "not handled") { // the SDK's words for an unknown method
			answer.Error.Code, answer.Error.Message = jsonrpc.CodeMethodNotFound, "unknown method "+request.Method
		}
	}
	data, _ := json.Marshal(answer) // the id was valid JSON
	return status, data
}

// refuseCall answers a call that is not read with a JSON-RPC error without an id.
func refuseCall(w http.ResponseWriter, status int, text string) {
	_, answer := faultOf([]byte("{}"), text)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(answer) // the client may be gone
}

// faultWriter holds back a plain-text answer with status 400, and passes on all others.
type faultWriter struct {
	http.ResponseWriter
	status int
	text   bytes.Buffer
}

// WriteHeader implements http.ResponseWriter.
func (f *faultWriter) WriteHeader(status int) {
	if status == http.StatusBadRequest && strings.HasPrefix(f.Header().Get("Content-Type"), "text/plain") {
		f.status = status
		return
	}
	f.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (f *faultWriter) Write(data []byte) (int, error) {
	if f.status != 0 {
		return f.text.Write(data)
	}
	return f.ResponseWriter.Write(data)
}

// Unwrap lets http.ResponseController reach the connection.
func (f *faultWriter) Unwrap() http.ResponseWriter { return f.ResponseWriter }
