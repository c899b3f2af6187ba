package server

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addPrompt offers the work of an agent by mail as a prompt, which many clients show as a command.
func (s *Server) addPrompt(format string) {
	s.mcp.AddPrompt(&mcp.Prompt{
		Name: "work-by-mail", Title: "Work by mail", Description: "Read your mail, acknowledge it, and answer it until the session is closed.",
		Arguments: []*mcp.PromptArgument{
			{Name: "agent_name", Description: "your name; default: that of your token"},
			{Name: "project_key", Description: "the absolute path of the project's directory, or its slug; default: that of your token"},
		},
	}, func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		who, err := s.callerOf(ctx, r.GetExtra())
		if err != nil {
			return nil, err
		}
		name, project := who.agent.Name, who.project.Key
		if name == "" {
			name, project = r.Params.Arguments["agent_name"], r.Params.Arguments["project_key"]
		}
		text := strings.NewReplacer("NAME", quoted(name, "of your choice"), "PROJECT", quoted(project, "of your working directory")).Replace(work)
		if format != "" {
			text += "\n\nHow to write the body of an answer, a DELTA or a CRITIQUE:\n\n" + format
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
	})
}

const work = `You work by mail, with the tools of this server. Your agent_name is NAME, the project_key PROJECT.

1. register_agent with that name.
2. fetch_inbox with wait_seconds 50 and after_id, the id of the last message that you have read (0 at first). Repeat until mail arrives.
3. acknowledge_message for every message with ack_required.
4. Answer a KICKOFF or a QUESTION with reply_message. What is wrong with a COMPILED version: reply_message with subject_prefix "CRITIQUE:".
5. Continue with 2. Stop when a subject begins with "INFO: closed".`

// quoted returns a value in quotation marks, or says where it comes from.
func quoted(value, otherwise string) string {
	if value == "" {
		return "that " + otherwise
	}
	return `"` + value + `"`
}
