package itemform

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner/artifact"
	"brenner/internal/lazy"
	"brenner/internal/pattern"
)

// The ways in which a verb of another language than English orders a change.
type mood int

const (
	acted   mood = iota + 1 // what the author does, or an imperative: streiche
	named                   // the infinitive: streichen
	passed                  // the participle: gestrichen
	passing                 // what an item does itself: entfällt
)

// otherVerb is a verb of another language.
type otherVerb struct {
	operation string
	mood      mood
}

// otherVerbs are verbs of changes in languages whose words are apart, with a row for each language.
//
//nolint:misspell // they are not English
var otherVerbs = lazy.Of(func() map[string]otherVerb {
	all := make(map[string]otherVerb)
	put := func(operation string, m mood, words string) {
		for w := range strings.FieldsSeq(words) {
			all[w] = otherVerb{operation, m}
		}
	}
	put(kill, acted, `streiche nehme nehmen werfe werfen lösche entferne verwerfe eliminiere tilge
		supprime supprimons supprimez retire retirons retirez élimine éliminons éliminez écarte écartons enlève enlevons enlevez
		elimino eliminamos eliminemos quitemos descartemos eliminiamo elimina elimine eliminen suprimo suprimimos suprima descarto descartamos borro borramos quito quitamos retiro retiramos
		removo removemos remova excluo excluímos exclua rimuovo rimuoviamo scarto scartiamo tolgo togliamo cancello
		schrap verwijder verwerp usuwam usuwamy skreślam wykreślam odrzucam
		удаляю удаляем удалите исключаю исключаем исключите убираю убираем уберите вычёркиваю отбрасываю видаляю прибираю siliyorum kaldırıyorum çıkarıyorum stryker slettar sletter fjerner odstraňuji mažu`)
	put(kill, named, `streichen löschen entfernen verwerfen eliminieren tilgen supprimer retirer éliminer écarter enlever
		eliminar eliminarse suprimir suprimirse descartar descartarse borrar quitar retirar retirarse remover excluir eliminare rimuovere scartare togliere cancellare
		schrappen verwijderen verwerpen usunąć skreślić wykreślić odrzucić удалить исключить убрать вычеркнуть отбросить видалити прибрати stryka odstranit smazat`)
	put(kill, passed, `gestrichen gelöscht entfernt verworfen eliminiert getilgt supprimé supprimée supprimés supprimées retiré retirée retirés éliminé éliminée écarté écartée enlevé enlevée
		eliminado eliminada eliminados eliminadas suprimido suprimida descartado descartada borrado borrada retirado retirada
		removido removida removidos excluído excluída eliminato eliminata rimosso rimossa scartato scartata tolto tolta
		geschrapt verwijderd verworpen usunięta usunięty usunięte skreślona skreślony odrzucona удалена удалён удалено удалены исключена исключён исключены вычеркнута убрана`)
	put(kill, passing, `entfällt entfallen raus vervalt disparaît saute cae sobra cai odpada wypada отпадает выбывает`)
	put(edit, acted, `ändere bearbeite überarbeite präzisiere aktualisiere korrigiere umformuliere verschärfe ergänze modifie modifions modifiez reformule reformulons précise actualise corrige corrigeons
		modifico modificamos modificar cambio cambiamos actualizo actualizamos corrijo reformulo preciso altero alteramos atualizo edito aggiorno correggo riformulo cambiamo
		wijzig herformuleer zmieniam poprawiam изменяю изменяем меняю обновляю исправляю уточняю измените değiştiriyorum ändrar`)
	put(edit, acted, `formuliere schreibe setze setzen passe passons mets mettons change changeons marque marquons pongo ponemos marco marcamos paso pasamos mudo mudamos coloco colocamos passo imposto impostiamo metto mettiamo segno
		zet markeer ustawiam oznaczam меняю меняем перевожу переводим ставлю ставим помечаю отмечаю`)
	put(edit, named, `ändern bearbeiten überarbeiten präzisieren aktualisieren korrigieren umformulieren verschärfen modifier reformuler préciser actualiser corriger
		modificar modificarse cambiar cambiarse actualizar corregir reformular alterar atualizar corrigir modificare cambiare aggiornare correggere riformulare
		wijzigen herformuleren aanpassen zmienić poprawić изменить обновить исправить уточнить`)
	put(edit, passed, `geändert überarbeitet präzisiert aktualisiert korrigiert umformuliert verschärft modifié modifiée reformulé reformulée précisé précisée corrigé corrigée
		modificado modificada cambiado cambiada actualizado actualizada corregido corregida alterado alterada corrigido corrigida modificato modificata corretto corretta
		gewijzigd aangepast zmieniona poprawiona изменена изменён исправлена уточнена`)
	return all
})

// fillers are words of other languages that may stand beside the verb and the item: adverbs, the author, what the author
// wants, articles and words for items. Any other word may be another subject, a condition or a negation.
//
//nolint:misspell // they are not English
var fillers = lazy.WordsOf(`außerdem ausserdem zudem ferner weiterhin daher deshalb deswegen darum also dann schließlich zuletzt zusätzlich ebenso auch hiermit somit nun jetzt bitte ich wir möchte möchten will wollen würde werde werden muss müssen
	sollte sollten soll sollen wird zu kann können schlage schlagen vor mein vorschlag folglich die den das der hypothese hypothesen test annahme anomalie kritik vorhersage ersatzlos endgültig einfach gerne daraufhin und fällt fliegt weg habe haben ist sind empfehle plädiere dafür finde meine denke glaube
	par ailleurs de d plus donc en outre aussi également enfin ensuite ainsi je j nous veux voudrais voulons propose proposons vais allons dois devons doit doivent devrait devraient faut faudrait on sont être à l la le les hypothèse hypothèses test prédiction anomalie veuillez merci maintenant finalement puis conséquence 'ai ai avons soit recommande suggère 'hypothèse
	además también por tanto eso lo así entonces yo nosotros propongo proponemos sugiero recomiendo quiero queremos quisiera voy vamos a hay debo debemos debe deben debería deberían ser se hipótesis el los las prueba supuesto favor finalmente ahora después pues he hemos sea y queda quedan ha
	além disso disto também portanto assim então eu nós proponho propomos sugiro recomendo quero queremos vou é preciso necessário deve devem deveria ser seja hipótese teste o a agora por isso e
	inoltre anche quindi perciò pertanto io noi vorrei voglio vogliamo devo dobbiamo dovrebbe essere va vanno viene di bisogna occorre ipotesi il lo gli per infine ora poi ho abbiamo suggerisco sia
	daarnaast ook bovendien dus daarom verder tot slot ik we wij wil willen stel stellen voor om te moet moeten kan kunnen worden wordt graag hierbij het een nu heb hebben
	ponadto także więc dlatego proszę należy trzeba powinna powinien powinno zostać zostaje być jest hipotezę hipoteza ja my chcę też również proponuję
	также поэтому кроме того итак далее я мы предлагаю предлагаем считаю нужным хочу нужно надо следует необходимо должна должен должно быть прошу пожалуйста гипотезу гипотеза гипотезы предположение тест и затем наконец ещё еще рекомендую
	status statut état estado stato статус статуса состояние anspruch behauptung wortlaut text texte texto testo formulierung aussage énoncé revendication enunciado afirmación afirmação affermazione procedimiento procédure procedimento procedura schritte утверждение формулировку текст
		von vom dello della del do da dos das im in ayrıca 'yi 'yı 'i 'ı 'ü 'u hipotezini jag vi också jeg også därför derfor proto také dále`)

//nolint:misspell // they are not English
var (
	otherAuthors = lazy.WordsOf("ich wir je j nous ik we wij yo eu io я мы")
	otherModals  = lazy.WordsOf("wird werden sollte sollten soll sollen muss müssen kann können doit doivent devrait devraient être soit debe deben debería deberían ser sea seja queda quedan deve devem deveria essere dovrebbe va vanno viene sia moet moeten wordt worden powinna powinien powinno zostać zostaje должна должен должно быть zu à habe haben 'ai ai avons he hemos ho abbiamo heb hebben ist")
	// asking are the words behind which a word for "that" begins what the author asks for.
	asking = lazy.WordsOf("hay stel stellen finde meine denke glaube propongo propose proposons sugiero recomiendo proponho sugiro proponemos quiero tenemos tiene recommande suggère vor dafür propono chiedo pido")
	// valueVerbs set an item to a value, which follows it.
	valueVerbs = lazy.WordsOf("setze setzen passe passons mets mettons marque marquons pongo ponemos marco marcamos paso pasamos coloco colocamos passo imposto impostiamo metto mettiamo segno zet markeer ustawiam oznaczam перевожу переводим ставлю ставим помечаю отмечаю")
	thatWords  = lazy.WordsOf("dass que che dat что что́ że")
	// afterItem are the words that may follow what a clause changes.
	afterItem = lazy.WordsOf(`weil da denn wegen raus heraus weg aus von mit ersatzlos ganz ich wir hiermit daher auch werden wird und zu in wie folgt jetzt nun endgültig car parce puisque pour de du des dans et à qui en aussi donc également comme sur
		porque pues por del la el ya ahora y también como para perché poiché per dal dalla da di e anche come pois por também omdat want wegens uit van en ook hierbij bo ponieważ z ze потому из от так также теперь ввиду по и как поскольку worden na in på um auf zu a su à в para op w на au :`)
	otherReasons    = lazy.WordsOf("weil da denn wegen car parce puisque pour qui porque pues por perché poiché per pois omdat want wegens bo ponieważ потому ввиду поскольку так")
	otherConditions = lazy.WordsOf(`wenn falls sobald sofern solange bis erst nur si s lorsque quand dès cuando hasta quando qualora se als zodra indien tenzij jeśli gdy если когда пока лишь nächste nächsten nächster prochain prochaine próxima próximo prossimo volgende следующем später später ensuite más tarde plus
		oder ou oppure или of`)
	// otherVoices are words of another author, or something is weighed.
	otherVoices = lazy.WordsOf(`laut selon según secondo volgens согласно wer warum ob weshalb pourquoi qui quién quem chi kto кто почему hätte wäre wenn falls sobald si lorsque quand dès cuando quando als zodra indien jeśli если когда sofern qualora se er sie il elle ellos ils él ella он она они hij zij
		hat wurde wurden war obwohl aunque bien cual quien`)
	otherRounds = lazy.WordsOf("runde runden tour ronda rodada round ronde раунд раунде раунда rundzie turno")
	notWords    = lazy.WordsOf("nicht kein keine pas jamais rien no nunca non não niet geen nie не нет mai noch")
)

// otherStems returns parts of the verbs, of which every such clause has one.
func otherStems() (all []string) {
	const longest = 12
	for _, w := range slices.Sorted(maps.Keys(otherVerbs.Get())) {
		_, n := utf8.DecodeRuneInString(w)
		if s := w[n:min(len(w), longest)]; !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return append(all, "삭제", "제거", "폐기", "기각", "제외", "수정", "변경", "설정", "设为", "設為", "设置", "标记", "標記", "替换", "替換", "换成", "删", "刪", "移除", "剔除", "淘汰", "去掉", "修改", "更新", "改", "削除", "棄却", "除外", "取り下げ", "廃止", "修正", "変更")
}

// inOther returns the changes that a sentence orders in another language than English.
func inOther(sentence string) []Attempt {
	const longest = 400
	if len(sentence) > longest || strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？") || !otherWords.Get().In(sentence) {
		return nil
	}
	if all := inScript(sentence); len(all) > 0 {
		return all
	}
	o := order{text: sentence, t: tokens(sentence)}
	if slices.ContainsFunc(o.t, func(t token) bool { return otherRounds.Has(t.text) }) {
		return nil
	}
	for start := 0; start < len(o.t); {
		end := start
		for end < len(o.t) && !o.isBreak(end, start) {
			end++
		}
		if a, ok := o.inPart(start, end); ok {
			return []Attempt{a}
		}
		start = end + 1
	}
	return nil
}

// isBreak reports whether a mark ends the clause that began at an offset. An item with a mark behind it begins one.
func (o *order) isBreak(i, start int) bool {
	if !o.is(i, ",", ";", ":", "—", "(", ")", "。", "，", ".", "!") {
		return false
	}
	return slices.ContainsFunc(o.t[start:i], func(t token) bool { return t.isWord && !t.id && !fillers.Has(t.text) }) || !slices.ContainsFunc(o.t[start:i], func(t token) bool { return t.id })
}

// inPart reads the change that a clause orders.
func (o *order) inPart(start, end int) (a Attempt, ok bool) {
	verb := slices.IndexFunc(o.t[start:end], func(t token) bool { return otherVerbs.Get()[t.text].operation != "" }) + start
	if verb < start {
		return a, false
	}
	item := slices.IndexFunc(o.t[start:end], func(t token) bool { return t.id }) + start
	if item < start {
		return a, false
	}
	section, list, next := o.ids(item)
	for o.is(next, "et", "und", "y", "e", "en", "и", "i", "sowie") && next+1 < end && o.t[next+1].id {
		next += 2
		list = o.text[o.t[item].at:o.t[next-1].end]
	}
	v := otherVerbs.Get()[o.t[verb].text]
	last := max(verb, next-1)
	if valueVerbs.Has(o.t[verb].text) && !slices.ContainsFunc(o.t[next:], func(t token) bool { return values.Has(t.text) || t.text == `"` || t.text == "unverified" }) {
		return a, false
	}
	if next > end || !o.areFillers(start, last, verb, item, next) || !o.isOrdered(start, verb, item, next, v) || !o.isOwnPart(start, v) || !o.endsPart(last+1) {
		return a, false
	}
	return Attempt{At: o.t[item].at, Operation: v.operation, Section: section.String(), ID: list, Says: o.text[o.t[last].end:]}, true
}

// areFillers reports whether no word of a clause up to an offset is more than a filler, but for its verb and its items.
func (o *order) areFillers(start, last, verb, item, next int) bool {
	for i := start; i <= last; i++ {
		switch t := &o.t[i]; {
		case i == verb, i >= item && i < next, !t.isWord && o.is(i, ",", ":", "'yi", "'yı", "'i", "'ı", "'ü", "'u", "'ai", "'hypothèse", "*", "_", "—"):
		case thatWords.Has(t.text):
			if i > start && !asking.Has(o.t[i-1].text) || i == start && !o.asks(start) {
				return false
			}
		case !fillers.Has(t.text):
			return false
		}
	}
	return true
}

// asks reports whether the words before a clause are those with which an author proposes it.
func (o *order) asks(start int) bool {
	return start > 1 && !slices.ContainsFunc(o.t[:start-1], func(t token) bool { return !fillers.Has(t.text) }) && slices.ContainsFunc(o.t[:start-1], func(t token) bool { return asking.Has(t.text) })
}

// isOrdered reports whether a verb has the form for what is before it.
func (o *order) isOrdered(start, verb, item, next int, v otherVerb) bool {
	has := func(words *lazy.Words) bool {
		return slices.ContainsFunc(o.t[start:verb], func(t token) bool { return words.Has(t.text) }) || o.is(verb+1, "werden", "worden", "wird", "ich", "ik", "wir")
	}
	switch v.mood {
	case acted:
		isParted := o.is(verb, "nehme", "nehmen", "werfe", "werfen") // it needs another word: raus
		return !o.is(verb-1, "il", "lo", "la") && (item > verb || has(otherAuthors) || isFirst(o.t[verb].text)) && (!isParted || o.is(next, "raus", "heraus", "weg", "aus"))
	case passed:
		return has(otherModals)
	case passing:
		return item < verb && (o.t[verb].text != "raus" || o.is(verb-1, "fliegt", "muss", "soll", "kann"))
	}
	return true
}

// isOwnPart reports whether what is before a clause in its sentence leaves it to its author.
func (o *order) isOwnPart(start int, v otherVerb) bool {
	for i := range start {
		if t := &o.t[i]; t.text == `"` || otherVoices.Has(t.text) || t.isWord && o.isAgent(i) && !t.id {
			return false
		}
	}
	if v.mood != named || start < 2 {
		return true
	}
	return !slices.ContainsFunc(o.t[:start-1], func(t token) bool { return t.isWord && !fillers.Has(t.text) })
}

// isFirst reports whether a verb says by its ending that its author acts.
func isFirst(verb string) bool {
	return slices.ContainsFunc([]string{"ю", "ем", "o", "amos", "ons", "am", "yorum"}, func(end string) bool { return strings.HasSuffix(verb, end) })
}

// endsPart reports whether the words behind a change neither deny it nor make it depend on something.
func (o *order) endsPart(next int) bool {
	if next < len(o.t) && o.t[next].isWord && !afterItem.Has(o.t[next].text) {
		return false
	}
	for i := next; i < len(o.t); i++ {
		switch t := &o.t[i]; {
		case i < next+3 && notWords.Has(t.text) && !slices.ContainsFunc(o.t[next:i], func(t token) bool { return !t.isWord || afterItem.Has(t.text) }):
			return false
		case otherConditions.Has(t.text) && !slices.ContainsFunc(o.t[next:i], func(t token) bool { return otherReasons.Has(t.text) }):
			return false
		}
	}
	return true
}

// The parts of changes in Chinese, Japanese and Korean.
const (
	hanStart  = `^(?:另外|此外|因此|所以|同时|同時|还|還|我们?|我們|也|请|請|建议|建議|提议|决定|決定|将|將|会|會|应该?|應該?|需要|必须|并且?|把|最后|其次|首先|故|那么|接下来|再|直接|[,，、:： ])*`
	hanKill   = `(?:删除|刪除|移除|剔除|删掉|刪掉|去掉|淘汰|删去)`
	hanEdit   = `(?:修改|更新|改写|改寫|编辑|編輯|修订)`
	hanItem   = `(?:假设|假說|假說|測試|测试|预测|預測|假定|异常|批评)? ?([A-Z]{1,2}\d{1,3})`
	hanMust   = `(?:也|则|就|现在|应该?|應該?|应当|需要?|必须|可以|可|建议|建議|予以|被|请|請|从[^，。]{1,10}中| )*`
	kanaStart = `^(?:さらに|また|そこで|よって|したがって|なお|加えて|それから|次に|最後に|私は|以上から|[、, ])*`
	kanaEnd   = `(?:します|する(?:こと(?:に|を)|よう|べき|。|$)|したい|すべき|してください|しましょう|しました|とします|。|$|（|\(|：|:|を提案し)`
	hangul    = `^(?:또한|그리고|따라서|그래서|그러므로|추가로|마지막으로|저는|나는|우리는|이에|제안|[,:： ])*`
	hangulEnd = `(?:합니다|하겠습니다|하자|해야|해 ?주세요|해 ?주십시오|한다|할 것을 제안|하고자|하는 것을 제안|를 제안|을 제안|됩니다|되어야|\.|$|,|:|\()`
)

// inScripts are the forms of changes in languages whose words are not apart.
var inScripts = []struct {
	operation string
	form      *pattern.Pattern
}{
	{edit, pattern.New(hanStart + hanItem + ` ?的?[^，。,；;]{0,16}?(?:改为|改成|改爲|改為|更改为|更新为|修改为|设为|设置为|設為|标记为|標記為|替换为|换成)`)},
	{edit, pattern.New(kanaStart + `(?:仮説|テスト|検証)? ?([A-Z]{1,2}\d{1,3}) ?の[^、。を]{1,12}を ?[^、。]{1,80}?(?:に|へ|と) ?(?:変更|修正|更新|設定|書き換え)` + kanaEnd)},
	{edit, pattern.New(hangul + `(?:가설|검정|테스트|가정)? ?([A-Z]{1,2}\d{1,3})의 [^,.]{1,12}[을를] [^,.]{1,60}(?:로|으로) (?:수정|변경|설정|바꾸)` + hangulEnd)},
	{kill, pattern.New(hanStart + hanKill + ` ?` + hanItem)},
	{kill, pattern.New(hanStart + hanItem + hanMust + hanKill)},
	{edit, pattern.New(hanStart + hanEdit + ` ?` + hanItem)},
	{edit, pattern.New(hanStart + hanItem + hanMust + `(?:` + hanEdit + `|改为|改成)`)},
	{kill, pattern.New(kanaStart + `(?:仮説|テスト|検証)? ?([A-Z]{1,2}\d{1,3}) ?[をはも]?(?:ここで|もう)?(?:削除|棄却|除外|取り下げ|廃止)` + kanaEnd)},
	{edit, pattern.New(kanaStart + `(?:仮説|テスト|検証)? ?([A-Z]{1,2}\d{1,3})(?:の[^、。を]{1,12})? ?[をはも]?(?:修正|変更|更新|編集)` + kanaEnd)},
	{kill, pattern.New(hangul + `(?:가설|검정|테스트)? ?([A-Z]{1,2}\d{1,3}) ?[을를은는도]? ?(?:삭제|제거|폐기|기각|제외)` + hangulEnd)},
	{edit, pattern.New(hangul + `(?:가설|검정|테스트|가정)? ?([A-Z]{1,2}\d{1,3})(?:의 [^,.]{1,12})? ?[을를은는도]? ?(?:수정|변경|편집)` + hangulEnd)},
}

// scriptDoubt matches words beside a change in these languages that deny it or make it depend on something, and those that make
// it what a sentence is about.
var (
	scriptDoubt = pattern.New(`(?i:\b(?:runde|ronda|rodada|ronde|раунд[еа]?|tour|turno) \d)|上一轮|如果|若|除非|一旦|假如|的话|もし|場合|なら|만약|경우|하면|반대|反対|反对|反對|不同意|下一轮|次のラウンド|[吗嗎か]$`)
	scriptTopic = pattern.New(`^[^，。,；;]{0,24}(?:之前|以前|之后才|后才)|^ ?(?:的|是|会|會|将|將|可能|还|為|为时|と|提案|ことに反|이|은|것은)`)
)

// inScript returns the changes that a sentence orders in one of these languages.
func inScript(sentence string) []Attempt {
	if !hasScript(sentence) || scriptDoubt.MatchString(strings.TrimRight(sentence, "。.!！ ")) {
		return nil
	}
	for rest := sentence; rest != ""; {
		for i := range inScripts {
			m := inScripts[i].form.FindStringSubmatchIndex(rest)
			if len(m) == 0 || scriptTopic.MatchString(rest[m[1]:]) {
				continue
			}
			if s, ok := artifact.SectionOfID(rest[m[2]:m[3]]); ok {
				return []Attempt{{At: len(sentence) - len(rest) + m[2], Operation: inScripts[i].operation, Section: s.String(), ID: rest[m[2]:m[3]], Says: rest[m[1]:]}}
			}
		}
		at := strings.IndexAny(rest, ",，")
		if at < 0 || slices.ContainsFunc(strings.Fields(rest[:at]), isAgentName) {
			return nil
		}
		_, n := utf8.DecodeRuneInString(rest[at:])
		rest = rest[at+n:]
	}
	return nil
}

// hasScript reports whether a text has letters of Chinese, Japanese or Korean.
func hasScript(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool { return c >= 0x3040 && c < 0xfb00 }) >= 0
}

// isDoubtedAt reports whether the line at an offset denies a change in one of these languages, or makes it depend on something.
func isDoubtedAt(text []byte, at int) bool {
	line, _, _ := bytes.Cut(text[at:], []byte("\n"))
	line = text[bytes.LastIndexByte(text[:at], '\n')+1 : at+len(line)]
	return scriptDoubt.Match(line)
}
