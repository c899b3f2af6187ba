//go:build realmail

package main

import (
	"testing"

	"brenner/mail/mailtest"
)

// realServer is mcp-mail itself.
type realServer struct{ *mailtest.Real }

func (r realServer) base() string { return r.Base }

func (r realServer) restart() { r.Restart() }

// TestRealMailServer runs the session of TestPoorMailServer with mcp-mail.
func TestRealMailServer(t *testing.T) {
	survivePoorServer(t, realServer{mailtest.NewReal(t, "HTTP_BEARER_TOKEN="+poorToken, "HTTP_ALLOW_LOCALHOST_UNAUTHENTICATED=false", "HTTP_RBAC_DEFAULT_ROLE=writer", "MCP_TOOLS_MODE=extended")}, "15s")
}
