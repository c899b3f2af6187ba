package openai

import (
	"fmt"
	"strings"

	"brenner/agent"
	"brenner/internal/modelhttp"
)

// reply makes a reply of an answer that has an end, unless the end says that it is
// none.
func (x *exchange) reply() (agent.Reply, *agent.Failure) {
	a := &x.answer
	text := strings.ToValidUTF8(a.text.String(), "\uFFFD")
	if x.form.schema {
		text = markdown(text)
	}
	text = x.hide.answer(text)
	f := &agent.Failure{Usage: x.spent(), Partial: clip(text, longestPartial)}
	switch reported := x.reported(); {
	case reported > 0 && x.cutShort(reported):
		f.Code = agent.Truncated
		f.Detail = fmt.Sprintf("%s read %d tokens of a question of about %d", x.host, reported, x.input(x.call))
		f.Hint = "raise the server's context window (num_ctx, --ctx-size, max-model-len), or give the agents smaller views"
	case a.finish == length:
		f.Code, f.Detail = agent.Cut, "the answer was cut off at the most tokens that it may have"
		f.Hint = "raise budget.reply_tokens; thoughts of a model count too"
	case a.finish == filtered:
		f.Code, f.Detail = agent.Filtered, "a content filter of "+x.host+" stopped the answer"
		f.Hint = rephrase
	case strings.TrimSpace(text) == "" && a.refusal.Len() > 0:
		f.Code, f.Detail = agent.Refused, "the model will not answer: "+x.hide.Shown(modelhttp.Tidy(a.refusal.String()))
		f.Hint = rephrase
	case strings.TrimSpace(text) == "":
		f.Code, f.Detail = agent.Empty, "the answer is blank"
		f.Hint = "raise budget.reply_tokens, or ask another model"
		f.Partial = ""
	default:
		return agent.Reply{Text: text, Model: x.hide.Text(a.model), Usage: f.Usage}, nil
	}
	return agent.Reply{}, f
}

// cutShort tells whether the endpoint has read less than half of the question.
// Servers of one's own cut silently what does not fit. Without a counter nobody
// can tell.
func (x *exchange) cutShort(reported int) bool {
	bytes := 0
	for _, t := range x.call.Turns {
		bytes += len(t.Text)
	}
	if x.guessing || 2*reported >= bytes { // a token has a byte at least: no need to count
		return false
	}
	return 2*reported < x.input(x.call)
}
