package server

import "brenner/mail"

var (
	projectKey = str("project_key", "the absolute path of the project's directory, or its slug").must()
	humanKey   = str("human_key", "the absolute path of the project's directory").must()
	agentName  = str("agent_name", "your name").must()
	messageID  = number("message_id", "the message's id").must()
	proof      = str("registration_token", "the agent's token, if it is not the bearer token")
	senderName = str("sender_name", "your name").must()
	senderKey  = str("sender_token", "your token, if it is not the bearer token")
	onceKey    = str("idempotency_key", "sending again with the same key returns the same message: use it to retry when you got no response")
	bodyText   = str("body_md", "the text, in Markdown").must()
	paths      = list("paths", "paths or patterns, relative to the project")
	ttl        = number("ttl_seconds", "duration in seconds").or(3600)
	program    = str("program", "your program, such as codex-cli").must()
	model      = str("model", "your model").must()
	task       = str("task_description", "what you work on")
	most       = number("limit", "how many at most").or(mail.DefaultLimit)
	since      = str("since_ts", "only messages after this time, such as 2026-01-31T12:00:00Z")
	afterID    = number("after_id", "only messages after this one, oldest first; 0 starts at the beginning")
	inThread   = str("thread_id", "only messages of this thread")
	bodies     = flag("include_bodies", "with their bodies").or(true)
)

// replyNote tells apart the two tools that send.
const replyNote = "Reply to a message in its thread; to its sender unless `to` is set. To answer a KICKOFF, reply to it with your deltas in body_md; " +
	"send_message describes them. The subject becomes \"Re: \" and the message's subject, which is right for an answer; a critique needs subject_prefix \"CRITIQUE:\"."

// sendNote says what subjects mean to a session. How contributions are written comes from Options.
const sendNote = `Send a message to agents of the project. It is delivered to all of them or to none.

The first word of the subject says what a message is to a research session; all messages of a session have its thread_id:
- "DELTA: what changes": changes to the session's artifact, as ` + "`delta`" + ` fences in body_md. To answer a KICKOFF, use reply_message with the same body instead.
- "CRITIQUE: what is wrong": what is wrong with a COMPILED version, as prose; what should change because of it, as ` + "`delta`" + ` fences.
- "ACK: thread": you have read the KICKOFF and work on it. acknowledge_message does the same without a message; prefer it.
- "QUESTION: …", "INFO: …", "BLOCKED: …", "CLAIM: …", "HANDOFF: …": notes; they change nothing.
- KICKOFF and COMPILED are sent by the session itself: do not use them.`

func recipients(to argument) []argument {
	return []argument{to, list("cc", "names of agents that get a copy"), list("bcc", "names of agents that get a hidden copy")}
}

func with(first []argument, more ...argument) []argument { return append(first, more...) }

// tools returns the tools. format describes the bodies of contributions; it may be empty.
func tools(format string) []tool {
	if format != "" {
		format = "\n\nHow to write the body of a DELTA, a CRITIQUE or an answer:\n\n" + format
	}
	return []tool{
		{name: "health_check", description: "Report whether the server works.", readOnly: true, do: health, result: healthResult{}},
		{
			name: "ensure_project", description: "Create the mail of a project if it does not exist.", idempotent: true, do: ensureProject, result: mail.Project{},
			arguments: []argument{humanKey},
		},
		{
			name: "register_agent", description: "Register yourself. The response to a new name has your registration_token: keep it.", idempotent: true, do: register, result: mail.Agent{},
			arguments: []argument{projectKey, program, model, str("name", "the name that you want, such as BlueLake; default: a random one"), task, proof},
		},
		{name: "whois", description: "Describe an agent.", readOnly: true, do: whois, result: mail.Agent{}, arguments: []argument{projectKey, str("agent_name", "the agent's name").must()}},
		{
			name: "send_message", description: sendNote + format, do: sendMessage, result: sendResult{},
			arguments: with([]argument{projectKey, senderName}, with(recipients(list("to", "names of agents").must()),
				str("subject", "one of the words above, a colon and a title, such as \"DELTA: a third hypothesis\"").must(), bodyText,
				str("thread_id", "its thread, such as the session's; default: a new one"),
				str("importance", "how soon to read it").oneOf(mail.Low, mail.Normal, mail.High, mail.Urgent).or(mail.Normal),
				flag("ack_required", "whether the recipients must acknowledge it").or(false), attachments(), senderKey, onceKey)...),
		},
		{
			name: "reply_message", description: replyNote, do: replyMessage, result: sendResult{},
			arguments: with([]argument{projectKey, messageID, senderName, bodyText}, with(recipients(list("to", "names of agents; default: the message's sender")),
				str("subject_prefix", "prefix for the subject").or("Re:"), attachments(), senderKey, onceKey)...),
		},
		{
			name: "fetch_inbox", description: "Show the messages sent to you, newest first. It marks nothing as read unless mark_read is set.", idempotent: true, do: fetchInbox, result: []mail.Message{},
			arguments: []argument{
				projectKey, agentName, most,
				flag("urgent_only", "only high and urgent messages").or(false),
				flag("unread_only", "only unread messages").or(false),
				flag("ack_required_only", "only messages that you must acknowledge and have not").or(false),
				number("overdue_minutes", "only messages that you must acknowledge and have not, this long after they were sent"),
				bodies, since, afterID, inThread,
				flag("mark_read", "mark the messages as read").or(false),
				number("wait_seconds", "wait up to this long, at most 50, until there is a message").or(0),
				proof,
			},
		},
		{
			name: "fetch_outbox", description: "Show the messages that you sent, newest first.", readOnly: true, do: fetchOutbox, result: []mail.Message{},
			arguments: []argument{projectKey, agentName, most, bodies, since, afterID, inThread, proof},
		},
		{
			name: "fetch_attachment", description: "Return an attachment of a message that you sent or received, in base64. The message's `attachments` lists them.", readOnly: true, do: fetchAttachment, result: mail.File{},
			arguments: []argument{projectKey, messageID, str("name", "the attachment's name").must()},
		},
		{name: "mark_message_read", description: "Mark a message of your inbox as read.", idempotent: true, do: markRead, result: markResult{}, arguments: []argument{projectKey, agentName, messageID, proof}},
		{
			name: "acknowledge_message", description: "Acknowledge a message of your inbox (ACK): its sender sees that you have read it and work on it. Do this for every message with ack_required before you answer.",
			idempotent: true, do: acknowledge, result: markResult{}, arguments: []argument{projectKey, agentName, messageID, proof},
		},
		{
			name: "search_messages", description: `Search your messages: words, "phrases", OR between them, * at the end of a word.`, readOnly: true, do: search, result: []mail.Message{},
			arguments: []argument{projectKey, str("query", "what to search for").must(), most},
		},
		{
			name: "summarize_thread", description: "List the senders and the open items of a thread.", readOnly: true, do: summarize, result: mail.Summary{},
			arguments: []argument{projectKey, str("thread_id", "the thread").must(), flag("include_examples", "include its last messages").or(false)},
		},
		{
			name: "set_contact_policy", description: "Set who may write to you.", idempotent: true, do: setPolicy, result: policyResult{},
			arguments: []argument{
				projectKey, agentName,
				str("policy", "open and auto: every agent; contacts_only: agents that you have written to, or whose request_contact you accepted; block_all: none").
					oneOf(mail.PolicyOpen, mail.PolicyAuto, mail.PolicyContacts, mail.PolicyBlock).must(), proof,
			},
		},
		{
			name: "request_contact", description: "Ask an agent whether you may write to it, if its contact policy blocks your messages. It gets one message with your reason.", idempotent: true, do: requestContact, result: mail.Contact{},
			arguments: []argument{projectKey, str("from_agent", "your name").must(), str("to_agent", "the agent that you want to write to").must(), str("reason", "what you want to write about"), proof},
		},
		{
			name: "respond_contact", description: "Accept or refuse the request of an agent that wants to write to you.", idempotent: true, do: respondContact, result: mail.Contact{},
			arguments: []argument{projectKey, str("to_agent", "your name").must(), str("from_agent", "the agent that asked").must(), flag("accept", "whether it may write to you").must(), proof},
		},
		{
			name: "list_contacts", description: "List the requests for contact that you sent and received, with their status: pending, accepted or refused.", readOnly: true, do: listContacts, result: []mail.Contact{},
			arguments: []argument{projectKey, agentName, proof},
		},
		{
			name: "macro_start_session", description: "Create the project, register, and show the inbox: everything to start a session.", idempotent: true, do: startSession, result: sessionResult{},
			arguments: []argument{humanKey, program, model, str("agent_name", "the name that you want"), task, number("inbox_limit", "how many messages to show").or(10), proof},
		},
		{
			name: "file_reservation_paths", description: "Reserve files that you are going to edit, and see who else has.", idempotent: true, do: reserve, result: mail.Reserved{},
			arguments: []argument{projectKey, agentName, paths.must(), ttl, flag("exclusive", "no other agent may edit them").or(true), str("reason", "the reason"), proof},
		},
		{name: "list_file_reservations", description: "List the reservations of all agents of the project.", readOnly: true, do: listReservations, result: []mail.Reservation{}, arguments: []argument{projectKey}},
		{
			name: "force_release_file_reservation", description: "Release another agent's reservation, and tell its holder. Allowed if the holder has been inactive for 30 minutes.", idempotent: true, do: forceRelease, result: mail.Reservation{},
			arguments: []argument{projectKey, agentName, number("file_reservation_id", "the reservation's id, from list_file_reservations").must(), str("note", "why, for its holder"), proof},
		},
		{name: "release_file_reservations", description: "Release your reservations of these paths, or all.", idempotent: true, do: release, result: releaseResult{}, arguments: []argument{projectKey, agentName, paths, proof}},
		{name: "renew_file_reservations", description: "Extend your reservations of these paths, or all.", idempotent: true, do: renew, result: renewResult{}, arguments: []argument{projectKey, agentName, paths, ttl, proof}},
	}
}
