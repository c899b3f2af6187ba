package revisit

import (
	"strings"
)

// hasMatter reports whether a sentence, in small letters, is about the subject of the research: it has several words that are not among
// the common words of English, which are those in which authors speak of their replies.
func hasMatter(lower string) bool {
	const shortest, enough = 5, 2
	n := 0
	for _, w := range strings.FieldsFunc(lower, isBetween) {
		if len(w) >= shortest && isWord(w) && !isCommon(strings.TrimSuffix(w, "ly")) && !isCommon(w) && !strings.HasSuffix(w, "body") && !isChange(w) && !isItem(w) {
			n++
		}
	}
	return n >= enough
}

var isCommon = formOf(`about above accept accepted according account across action actual actually added after again against agent agents agree agreed agreement ahead alone along already also
although always among amount another answer answers anyone anything anyway apart appear appetite applied apply approach arbiter argue argued argument around
aside asked asking author available avoid aware based basis become becomes before began begin behind being believe belong belongs below beneath beside besides better
between beyond binding block blocks bring brought called cannot careful carefully carry cases catch caution caveat certain certainly chance change changed changes
changing check checked choice choose chose chosen clear clearly close closer comes coming comment comments common complete completely concern concerned conclusion
conditional confident confirm consequence consider considered contain contribution copied copy correct course critic curious current danger deal decide decided decision
deeply delta deltas depend depends describe despite different difficult direction directly disagree discuss discussed discussion doing doubt doubts draft drafts during
each earlier early easily easy either else empty enough entire entirely entry error especially essentially even evening ever every everyone everything exact
exactly example examples except exercise expect expected explain express extra extreme fairly feeling feels fence field final finally fine finish first follow followed
following follows force form format former forward found friend fully further future general generally getting given giving glad going good great guess happen happens
happy hardly hear heard help helpful hence here hesitate honest honestly hope hoped however human hypothetical idea ideas illustrate illustration imagine important
include included indeed instead intend intended interest interesting involve issue itself joke just keep kept kickoff kind know known large last late later latter lead
least leave leaves left less letter letters level light likely limit line list little long longer look looked looking looks made main mainly make makes making manner
many mark matter matters maybe mean means meant mention mentioned merely merge merged message messages mind minor mistake moderator moment month more morning most move
much must myself name named names nature near nearly need needed needs neither never next none note noted nothing notice nuclear number object objection obvious
obviously offer official often open operator opinion option options orchestrator order ordinary original other others otherwise ours ourselves over paper parked part
parts party pending people perhaps person picture piece place placed placeholder plain plan planned please plenty point points position possible possibly post posted
practice prefer prefers prepare prepared present press pretend previous previously probably problem process project proper properly proposal propose proposed proves
provide provided provisional purely purpose question questions quick quickly quite quote quoted quoting raise rather reach read reader reading ready real really reason
reasons recall record refer reference reflect reflection regard regret regrets reject rejected relevant remain remains remark remember repeat replace replaced reply
report represent request require required reserve resist respect respond response rest result results retract return review reviewer rewrite rhetorical right risk risky
role roughly round rounds rule rules safe same saying says scope second secretary section seem seems seen send sending sense sent sentence separate serious seriously
several shall shape share short should show showing shown shows side sides similar simple simply since single skip slightly slip slow small some someone
something sometimes somewhat soon sorry sort sound sounds speak speaking specific stage stand standing stands start started state stated stay stays step steps still
stood stop story straight strong submission submit submitted such suggest suggested suggestion support suppose supposed sure surely table take taken takes taking talk
tell tells template temporary tempt tempted tentative term terms test than thank thanks that their theirs them themselves then there therefore these they thing things
think thinking third this thoroughly those though thought thoughts three through throughout thus time times today together told tomorrow tone took total touch toward
towards tried true trust truth trying turn turned turns twice undecided under understand unless unlike until upon used useful user using usual usually version very view
views vote wait waiting want wanted wants watch week well went were what whatever when whenever where whereas whether which while whole whom whose will wish with
withdraw within without wonder word wording words work worked working works world worry worth would write writing written wrong wrote yesterday your yours yourself`)
