package remark

import (
	"bytes"
	"strings"

	"brenner/internal/pattern"
)

// Messages by name, and what is said of one that no longer counts.
const (
	aMessage = `(?:e-?mails?|mails?|messages?|letters?|posts?|notes?|repl(?:y|ies)|responses?|answers?|submissions?|contributions?|critiques?)`
	before   = `(?:last|latest|previous|prior|earlier|first|preceding|other|recent|most recent|original|two|three|both)`
)

// ownMessage is what an author calls its earlier messages.
const ownMessage = `(?:(?:both |all )?(?:of )?my (?:` + before + ` )+` + aMessage + `|my ` + aMessage + ` (?:before|of|from|sent|above)\b|(?:the|that) ` + before + ` ` + aMessage + `(?: of mine| from me| i sent| i wrote)?|` +
	`the ` + aMessage + ` (?:before this(?: one)?|(?:that )?i sent|i wrote|of mine)|(?:what|everything|all|anything) (?:that )?i (?:have |'ve )?(?:sent|wrote|written|said|posted)|my ` + before + ` (?:deltas?|kill|edit|change|proposal|version))\b`

var (
	severalMessages = pattern.New(`\b(?:(?:e-?)?mails|messages|letters|posts|notes|replies|responses|answers|submissions|contributions|critiques|everything|both)\b`)
	// recalls matches sentences that take back a message.
	recalls = shape(
		`\b(?:<cancel>|<canceling>|replac(?:es|ing)|supersed(?:es|ing)|delete|recall|take back|taking back|instead of|(?:do not|don't|never|not to) (?:apply|merge|count|use|execute|send)) (?:all of |both of |the whole of |all )?`+ownMessage,
		`\b(?:take|taking|took) `+ownMessage+` back\b`,
		`\b`+ownMessage+` (?:(?:about|on|from|of) [^,;]{1,40} )?(?:<is>|should be|must be|should|must|is to be) (?:\w+ )?(?:<canceled>|ignored|disregarded|void|wrong|mistaken|nonsense|an? (?:\w+ )?(?:mistake|error|slip|draft)|premature|sent (?:by mistake|in error|too early|by accident)|not (?:meant|be <applied>|to be <applied>))\b`,
		`\b(?:consider|regard|treat) `+ownMessage+` (?:as )?(?:<canceled>|void|ignored|never sent|not sent)\b`)
	stands = pattern.New(`\b(?:do not|don't|never|not|no reason to|cannot|can't|won't|will not) (?:want to |wish to |going to |yet )?(?:scratch|scrap|forget|disregard|ignore|skip|retract|withdraw|undo|cancel|drop|discard|revert|revoke|rescind|take)\b|\b(?:if|unless|whether|remark|question|typo|sentence|paragraph|word|wording|footnote|subject|signature|attachment) `)
	// idle matches a reason for which nothing changes: what was sent is withdrawn.
	idle = shape(`^(?:<canceled>|i (?:hereby )?(?:withdraw|retract|take)\b|withdrawal\b)`)
)

// earlierReply matches sentences about a block of another reply, and allChanges those that take back everything.
var (
	earlierReply = pattern.New(`\bof (?:my|the) (?:first|last|previous|earlier|original) (?:reply|answer|message|mail|letter|contribution)\b`)
	allChanges   = pattern.New(`\b(?:drop|remove|ignore|disregard|withdraw|retract|discard|cancel|take back|skip) (?:all|every one|each)(?: of)? (?:my|the) (?:deltas|changes|blocks|proposals|edits)\b`)
)

// foreignMessages and foreignRecalls are the same in other languages.
var (
	foreignMessages = WordsOf("mail", "nachricht", "brief", "e-mail", "message", "courriel", "correo", "mensaje", "messaggio", "mensagem", "bericht", "wiadomo", "письм", "сообщени", "邮件", "郵件", "消息", "メール", "メッセージ", "메일", "메시지")
	foreignRecalls  = WordsOf("ignorier", "zurück", "vergesst", "ignorez", "oubliez", "je retire", "ignora", "ignoren", "ignorad", "retiro", "desconsider", "ignore a", "negeer", "zignoruj", "игнорир", "忽略", "撤回", "無視", "取り消", "무시", "철회")
)

// Recalls returns the remarks of a letter that take back what its author wrote in letters before: all of it, or the changes
// that they name. Text is what the letter says outside blocks and quotations.
func (r Rules) Recalls(text []byte) (all []Remark) {
	if !r.Oblique {
		return nil
	}
	for para := range bytes.SplitSeq(r.trimLines(text), []byte("\n\n")) {
		para = bytes.TrimSpace(para)
		if len(para) == 0 || len(para) > 4*maxProse || para[0] == '>' {
			continue
		}
		for sentence := range sentences(r.lineOf(bytes.ReplaceAll(para, []byte("\n"), []byte(" ")))) {
			if lower := lowered(sentence); recallsMessage(lower) {
				all = append(all, Remark{Line: strings.TrimRight(sentence, ".! "), Several: severalMessages.MatchString(recalls.FindString(lower)), About: About{All: true}})
			}
		}
	}
	for _, said := range append(r.Named(text), r.Spares(text)...) {
		if said.Operation != "" && !said.But || said.Nth > 0 && earlierReply.MatchString(lowered(said.Line)) {
			all = append(all, said)
		}
	}
	return all
}

// recallsMessage reports whether a sentence, in small letters, takes back a message of its author.
func recallsMessage(sentence string) bool {
	if reason, ok := NoChanges(sentence, true); ok && idle.MatchString(reason) {
		return true
	}
	if strings.HasSuffix(sentence, "?") || stands.MatchString(sentence) {
		return false
	}
	return recalls.MatchString(sentence) || allChanges.MatchString(sentence) || foreignMessages.In(sentence) && foreignRecalls.In(sentence)
}
