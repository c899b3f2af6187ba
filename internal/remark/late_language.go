package remark

import (
	"slices"
	"strings"

	"brenner/internal/pattern"
)

// Words of other languages, beside asideWords: of lines that lead to a block that is put off or only possible, and of those behind one
// that take it back.
var (
	leadsAsideIn = wordsIn(`
 hatte_zuerst hatte_zunächst zuerst_überlegt zunächst_überlegt zuerst_erwogen zunächst_erwogen wollte_zuerst wollte_zunächst wollte_ursprünglich ursprünglich_wollte mein_erster_gedanke mein_erster_impuls
 j'avais_d'abord j'ai_d'abord_pensé je_voulais_d'abord ma_première_idée mon_premier_réflexe al_principio_pensé al_principio_quería primero_pensé en_un_principio_pensé mi_primera_idea
 all'inizio_pensavo in_un_primo_mom la_mia_prima_idea inicialmente_pensei no_início_pensei primeiro_pensei minha_primeira_ideia eerst_wilde_ik eerst_dacht_ik ik_wilde_eerst mijn_eerste_idee
 najpierw_chcia początkowo_chcia mój_pierwszy_pomysł сначала_я_хотел сначала_хотел сначала_я_думал поначалу_хотел изначально_хотел моя_первая_мысль 最初想 起初想 一开始想 原本想 本来想 起初打算 最初打算
 sollte_t sollte_h sollte_a sollte_die sollte_der sollte_das sollte_sich sollten_ sobald_ angenommen, denkbar_wäre möglich_wäre für_die_nächste_runde nächste_runde später_ vorerst zurückgestellt noch_nicht erst_nach
 dès_que_t dès_que_l lorsque_t une_fois_que une_fois_t à_condition à_garder tour_suivant prochain_tour plus_tard en_attente pas_encore serait_possible envisageable on_pourrait
 cuando_t una_vez_que en_cuanto_ próxima_ronda más_tarde todavía_no aún_no sería_posible cabría en_espera se_podría
 una_volta_ quando_t non_appena prossimo_turno prossimo_round più_tardi non_ancora sarebbe_possib in_attesa si_potrebbe
 assim_que quando_t próxima_rodada mais_tarde ainda_não seria_possível
 zodra_ mocht_ volgende_ronde nog_niet denkbaar
 как_только когда_t в_следующем_раунде позже пока_не отложен
 não_vou no_voy_a je_ne_vais je_n'enverrai non_invio non_invierò non_manderò ik_ga_dit_niet ich_werde_dies_nicht ich_werde_das_nicht nie_wyślę не_буду 我不会 zuerst_wollte anfangs_wollte ursprünglich_wollte au_début_je au_début, au_départ al_principio en_un_principio al_comienzo no_começo no_início a_princípio na_początku początkowo all'inizio in_un_primo aanvankelijk_wilde eerst_wilde
 сначала_я раньше_я первоначально_я 如果 以前我 之前我 起初 一开始 最初 以前は 最初は はじめは 처음에는 예를_들면 전에는
 下一轮 以后再 暂缓 待定 留到 备选 次のラウンド 次回 保留 今は 다음_라운드 지금은_아 예정입니다 나중에 보류
`)
	takesBackIn = wordsIn(`
 habe_mich_geirrt geht_zu_weit doch_nicht lieber_nicht hinfällig ist_zurückgezogen gilt_nicht bleibt_doch
 je_me_suis_trompé est_annulé est_retiré à_ignorer
 me_equivoqué queda_anulad queda_sin queda_retirad
 mi_sono_sbagliat è_annullat
 me_enganei fica_anulad
 ik_vergis vervalt
 ошибся ошиблась отменяется
 передумал j'ai_changé_d'avis cambié_de_opinión he_cambiado_de_opinión ho_cambiato_idea mudei_de_ideia habe_es_mir_anders anzi,_no anzi_no jednak_nie bij_nader_inzien_niet やはりやめ やめます やめておき 改变主意 改主意 생각을_바꾸 생각이_바뀌
 我错了 作废 間違え 잘못
`)
)

// In a sentence with a word for the block, any of cancelsIn takes it back; regretsIn does so at the beginning of a sentence.
var (
	cancelsIn = wordsIn(`
 bitte_ignorier ignoriert_bitte ignorieren_sie ignoriert_den_block ignoriert_diese nicht_beachten nicht_zu_beachten nicht_berücksichtigen nicht_werten nicht_mehr_gültig nicht_gültig vergesst vergiss vergessen_sie ich_verwerfe ich_storniere ich_widerrufe widerrufe zurückgezogen zurückziehe nehme_zurück
 ignorez d'ignorer ne_tenez_pas ne_pas_tenir oubliez d'oublier je_retire j'annule je_l'annule annulez je_reviens plus_valable plus_valide nul_et_non
 ignorad ignoren ignorar_el ignora_el_bloque ignore_el_bloque ignora_este ignore_este olvid descarten descarta_el_bloque descarten retiro_ anulo_ anulad anulen no_tengan_en_cuenta no_tengas_en_cuenta no_tengáis_en_cuenta no_tener_en_cuenta hagan_caso hagáis_caso ya_no_vale ya_no_es_válid no_es_válid
 non_tenete non_tenere non_tenga non_considerate ritiro_ annullo_ annullate dimenticate non_è_più_valid
 desconsidere esqueça não_levem não_considere anulo_ não_é_mais_válid
 negeer_ vergeet ik_trek trek_ik ik_herroep niet_meer_geldig niet_meenemen
 zignoruj pomiń wycofuj cofam_ nie_brać
 ignorujte stahuji bortse återkallar dikkate_almayın yok_say geri_al
 не_учитывайте не_учитывать игнорируйте отзываю снимаю забудьте не_принимайте
 忽略 不要理会 请无视 撤回 收回 作废 不要采纳 请删除
 無視 取り消 撤回 무시 철회 취소
`)
	blocksIn = wordsIn(`
 block änderung vorschlag obige oben delta streichun
 bloc modification changement proposition ci-dessus précéd qui_précède ma_décision
 bloque cambio modificación propuesta arriba anterior
 blocco modifica proposta sopra precedente
 bloco alteração mudança acima
 blok wijziging hierboven vorige zmian powyż poprzedn blokk ändring değişik
 блок изменени выше предыдущ
 修改 改动 更改 变更 区块 上面 上述 以上 提案 这条 这个块 ブロック 変更 上の 블록 변경
`)
	// regretsIn are beginnings of sentences with which authors take back what stands above, and regretsFirst words before them.
	regretsIn = wordsIn(`
 vergiss_es vergesst_es vergesst_das lieber_doch_nicht nein,_doch_nicht laisse_tomber laissez_tomber oubliez_ça oublie_ça oublions_ça non,_finalement finalement_non finalement,_non
 olvídalo olvídenlo olvidadlo mejor_no, mejor_no. no,_mejor_no lascia_perdere lasciate_perdere lasciamo_perdere meglio_di_no esquece_isso esqueçam melhor_não, melhor_não. laat_maar
 算了 还是算了 算了吧 нет,_не_надо не_надо. забудьте_об_этом やめておきます やっぱりやめ
 bitte_ignorier bitte_streichen bitte_nicht_beacht bitte_nicht_übern bitte_nicht_anw bitte_nicht_ausf bitte_vergessen nicht_mehr_gültig nicht_gültig ungültig das_war_ein_versehen das_war_ein_fehler das_war_ein_irrtum dies_war_ein_fehler dies_war_ein_versehen war_ein_versehen ein_versehen das_war_irrtümlich das_war_falsch das_war_verfrüht mein_fehler mein_irrtum das_nehme_ich ich_nehme_das_zurück ich_ziehe_das_zurück ich_nehme_dies_zurück ich_ziehe_dies_zurück ich_mache_einen_rückzieher
 merci_d'ignorer merci_d'oublier merci_de_ne_pas veuillez_ignorer veuillez_ne_pas prière_de_ne_pas prière_d'ignorer c'était_une_erreur c'est_une_erreur ce_fut_une_erreur erreur_de_ma_part je_me_rétracte plus_valable à_ignorer à_oublier annulé je_reviens_sur
 esto_fue_un_error fue_un_error ha_sido_un_error eso_fue_un_error esto_ha_sido_un_error error_mío me_retracto ya_no_es_válido favor_de_ignorar por_favor_ignor por_favor,_ignor ignórese
 è_stato_un_errore questo_è_stato_un_errore era_un_errore errore_mio mi_ritratto da_ignorare per_favore_ignor
 foi_um_erro foi_um_engano isto_foi_um isso_foi_um erro_meu retiro_o_que por_favor_ignor favor_ignorar favor_desconsiderar
 dit_was_een_vergissing dat_was_een_vergissing dit_was_een_fout dat_was_een_fout mijn_fout niet_meer_geldig graag_negeren
 to_była_pomy to_był_błąd mój_błąd proszę_zignorować to_byl_omyl det_var_ett_misstag bu_bir_hataydı
 это_была_ошибка это_ошибка моя_ошибка прошу_не_учит прошу_игнор пожалуйста,_не_учит
 这是个错误 这是错误 这是一个错误 是我的错误 是我弄错 我弄错了 搞错了 請忽略 请忽略 請勿 请勿采纳
 das_wäre_aber_falsch das_wäre_aber_ein_fehler das_wäre_aber_verfrüht das_wäre_falsch das_wäre_ein_fehler das_wäre_verfrüht das_wäre_zu_früh das_wäre_jedoch_falsch aber_das_wäre_falsch aber_das_wäre_ein_fehler
 mais_ce_serait_une_erreur mais_ce_serait_prématuré mais_ce_serait_faux ce_serait_une_erreur ce_serait_prématuré pero_sería_un_error pero_sería_prematuro sería_un_error sería_prematuro eso_sería_un_error
 ma_sarebbe_un_errore ma_sarebbe_prematuro sarebbe_un_errore sarebbe_prematuro mas_seria_um_erro mas_seria_prematuro seria_um_erro maar_dat_zou_een_fout dat_zou_een_fout ale_to_byłby_błąd to_byłby_błąd
 но_это_было_бы_ошибкой это_было_бы_ошибкой но_это_было_бы_преждевременн это_было_бы_преждевременн 但那是错 但这是错 那是错误的 这是错误的 但那样是错 しかしそれは間違 しかし、それは間違 それは間違い それは誤り 하지만_그것은_실수
 間違いでした 間違えました 誤りでした 忘れてください 실수였습니다 잘못이었습니다
`)
	// takenBackIn matches what an author takes back in German, where the verb stands around its object.
	takenBackIn  = pattern.New(`(?:ziehe|nehme) (?:ich )?(?:hiermit |daher |also )?(?:den|die|das|diesen?|dieses|meinen?|meine) (?:\pL+ )?(?:block|änderung|vorschlag|streichun\pL|delta|kill)(?: \pL+)* zurück`)
	regretsFirst = pattern.New(`^(?:[\pL]+[,:!] |(?:nachtrag|korrektur|rectification|correction|corrección|correzione|correção|исправление|entschuldigung|perdón|pardon|désolé|scusate|desculpem|sorry|извините|更正|抱歉|对不起) ?[:：,，。!.]? ?)+`)
	// loudIn are all words of other languages that take back what stands above.
	loudIn = wordsFrom(func() []string {
		return slices.Concat(slices.Concat(takesBackIn.by.Get()...), slices.Concat(cancelsIn.by.Get()...), slices.Concat(regretsIn.by.Get()...))
	})
	// conditionIn matches a condition in Chinese, Japanese or Korean before what would be sent.
	conditionIn = pattern.New(`^(?:如果|假如|假设|倘若|若|一旦|要是|等到|待).*(?:提交|发送|采取|执行|发出)|(?:なら|ならば|場合|たら)[、は:： ]|(?:이면|라면|하면|경우)[,: ]`)
	// firstIn matches what an author first thought of, in Japanese or Korean.
	firstIn = pattern.New(`^(?:最初|当初|初め)は.*(?:考え|思い|つもり)|^처음에는.*(?:생각|려고)`)
	// staysIn matches what leaves an item as it is.
	staysIn = pattern.New(`\b[a-z]{1,2}\d+ (?:bleibt|reste|se queda|resta|fica|blijft|zostaje|остаётся|остается)(?:$|[ .,;!])|\b[a-z]{1,2}\d+(?:は残し|は残す|先保留|는 유지|은 유지)`)
	// saidIn matches a title that says in another language what another author has sent.
	saidIn = pattern.New(`^(?:[Oo] |[Aa] |[Ee]l |[Ll]a )?@?` + agent + ` ?(?:\pL+ ){0,2}?(?:vorgeschlagen|geschrieben|geschickt|gesendet|schlägt|schlug|schrieb|schickte|sandte|proposé|envoyé|écrit|propuso|propone|envió|escribió|mandó|enviado|propuesto|escrito|enviou|propôs|escreveu|mandou|proposto|inviato|scritto|proponeva|stuurde|schreef|stelde|voorgesteld|gestuurd|zaproponował|napisał|wysłał|navrhl|föreslog|skrev|предложил\pL*|написал\pL*|отправил\pL*|прислал\pL*)(?:[ :,]|$)|^@?` + agent + ` ?(?:在.{0,24})?(?:提出|提议|建议|写道|发送|发来|提交)`)
	// actsAlsoIn are words with which an author acts behind the name of another.
	actsAlsoIn = wordsIn("ich_ je_ j' yo_ io_ eu_ ik_ ja_ я_ 我")
)

// lateIn reports whether a line in another language puts off the block below it, or takes back the one above.
func lateIn(raw []byte, isBefore bool) bool {
	if isBefore && !isLead(raw) {
		return false
	}
	lower := lowered(string(raw))
	var isLate bool
	if isBefore {
		isLate = leadsAsideIn.beginsIn(lower) || conditionIn.MatchString(lower) || firstIn.MatchString(lower)
	} else {
		isLate = takesBackIn.beginsIn(lower) || staysIn.MatchString(lower) || cancelsIn.beginsIn(lower) && blocksIn.beginsIn(lower) && isAboutBlock(lower) || takenBackIn.MatchString(lower) || regrets(lower)
	}
	return isLate && !englishWord.MatchString(lower) && !ownWords.In(lower)
}

// isAboutBlock reports whether one sentence, in small letters, has both a word that takes back a block and one for it.
func isAboutBlock(lower string) bool {
	for sentence := range sentences(strings.ReplaceAll(lower, "。", ". ")) {
		if cancelsIn.beginsIn(sentence) && blocksIn.beginsIn(sentence) {
			return true
		}
	}
	return false
}

// regrets reports whether a sentence, in small letters, begins with words that take back what stands above.
func regrets(lower string) bool {
	if !regretsIn.beginsIn(lower) {
		return false
	}
	for sentence := range sentences(strings.ReplaceAll(lower, "。", ". ")) {
		if regretsIn.startIn(sentence) || regretsIn.startIn(regretsFirst.ReplaceAllString(sentence, "")) {
			return true
		}
	}
	return false
}

// saidElsewhere reports whether a title says in another language what another author has sent.
func (r Rules) saidElsewhere(raw []byte) bool {
	if !isLead(raw) || !hasName(raw) {
		return false
	}
	line, _ := unmark(raw)
	m := saidIn.FindStringSubmatch(line)
	return m != nil && !isSame(strings.Join(m[1:], ""), r.Author) && !actsAlsoIn.beginsIn(lowered(line))
}

// startIn reports whether a text begins with one of the words.
func (w *Words) startIn(text string) bool {
	if text == "" {
		return false
	}
	for _, word := range w.by.Get()[text[0]] {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return false
}
