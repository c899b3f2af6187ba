package remark

import (
	"strings"
	"unicode"

	"brenner/internal/pattern"
)

// The words of answers in other languages, with a row for each language; _ is a space.
var (
	declinesIn = spaced(`
 nicht_mehr_nötig nicht_nötig nicht_mehr_erforderlich nicht_erforderlich nicht_mehr_notwendig nicht_notwendig nicht_mehr_gebraucht brauchen_wir_nicht braucht_es_nicht überflüssig hinfällig gegenstandslos lieber_nicht lieber_weg lasse_ich_weg lasse_das_weg lasse_es_weg lasse_ihn_weg lasse_sie_weg weglassen weggelassen verzichte nehme_das_zurück nehme_es_zurück nehme_ihn_zurück zurückgenommen zur_information zur_kenntnis vollständigkeit_halber als_hintergrund als_referenz zur_referenz nur_text bleibt_text bleibt_ein_plan bleibt_das_ein_plan bleibt_es_ein_plan bis_dahin erst_wenn noch_nicht nicht_gemeint nicht_ernst keine_änderung keine_korrektur kein_delta nicht_als_delta nicht_als_änderung nicht_beantrag ohne_dass_ich hätte_gelautet hätte_es hätte_so sähe_so würde_so wäre_dies wäre_das form_wäre lautet_der_ursprüngliche lautete zur_illustration zur_veranschaulichung zum_vergleich nichts_ändern nichts_zu_ändern nicht_ändern kann_bleiben soll_bleiben sollte_bleiben bleiben_lassen falls_ihr falls_sie wenn_ihr_darauf wenn_sie_darauf stammt_von nicht_von_mir nicht_meine nicht_mein_ nicht_ausführen nicht_übernehmen nicht_anwenden bitte_nicht nur_ein_beispiel nur_ein_zitat nur_ein_gedanke nur_zitiert war_ein_zitat ein_beispiel absicht bleibt_das bleibt_dies bleibt_es vorerst erläuterung der_form_halber nur_der_form möchte_nichts will_nichts lautete nur_als nur_zur bis_t bis_das sobald nehme_zurück ziehe_zurück ziehe_den ziehe_die ziehe_das ziehe_ich nicht_mein verworfen abstand davon_ab behalten sähe entfallen entfällt kann_weg vergesst vergiss verworfen gedanke gedankenspiel gedankenexperiment hypothetisch nächste_runde nächsten_runde
 plus_nécessaire pas_nécessaire plus_besoin pas_besoin inutile superflu préfère_ne préfère_le_laisser préférerais je_renonce j'y_renonce j'abandonne laisse_tomber laisse_de_côté je_le_retire je_la_retire je_retire à_titre titre_indicatif pour_information pour_mémoire pour_référence pour_être_complet par_souci pour_illustr simple_illustration simple_exempl en_guise pas_une_modification pas_un_changement pas_une_proposition pas_un_delta pas_de_moi pas_ma_ pas_mon_ n'appliquez ne_pas_appliquer ne_l'appliquez reste_un_projet reste_une_idée d'ici_là pas_encore prochain_tour serait aurait_été aurait_donné si_vous_insistez si_vous_y_tenez ce_n'était ce_n'est_qu une_citation un_exempl je_citais aucune_modification aucun_changement rien_à_changer rien_changer ne_rien hypothétique n'en_veux ne_veux_plus n'en_suis ne_le_propose ne_tenez_pas ne_tenez ignoré ignorer être_ignoré je_cite citation hypothèse simple_idée n'est_qu pas_moi_ de_ne_pas ne_pas_l ne_l'appliquez plus_tard sera_pour je_ne_propose je_ne_souhaite je_ne_veux ne_souhaite_pas ne_propose_pas s'agissait_d s'agit_d'un si_t si_les_autres au_cas_où lorsque_t quand_t a_proposé l'a_proposé a_écrit dès_que une_fois peut_rester doit_rester
 ya_no_es_necesari ya_no_hace ya_no_se_necesita ya_no_lo no_es_necesari no_hace_falta innecesari superfluo prefiero_no prefiero_dejar preferiría mejor_no mejor_dej lo_dejo_fuera lo_dejo_de lo_retiro retiro_ renuncio desisto a_título como_referencia como_antecedente como_contexto como_ejemplo como_ilustración a_modo_de para_que_conste para_información para_su_información solo_como sólo_como solo_un_ejemplo solo_era solo_es sólo_era no_es_un_cambio no_es_mi no_es_mío no_era no_es_una_propuesta no_lo_apli no_apli no_ejecut por_ahora_no por_ahora_queda hasta_entonces todavía_no aún_no próxima_ronda sería habría_sido si_insist una_cita un_ejemplo citaba ningún_cambio nada_que_cambiar no_quiero_cambiar no_cambiar hipotétic queda_como como_plan como_idea hasta_que no_hagan_caso no_hagas_caso no_lo_enví no_estoy_de_acuerdo decía_ omitir ignorar cito_ citado idea_para más_adelante solo_una solo_lo sólo_una si_se_confirma si_t si_los cuando_t enviaría mandaría propondría no_propongo no_quiero_ no_la_apli no_lo_ejec así_era el_texto_era una_idea una_hipótesis un_supuesto lo_propuso propuso_ escribió era_de_ es_de_greenvalley puede_quedarse debe_quedarse
 non_serve_più non_è_necessari preferisco_non lo_ritiro a_titolo solo_come sarebbe_ non_è_una_modifica
 não_é_mais_necessári não_é_necessári prefiro_não retiro_ a_título apenas_como seria_ não_é_uma_alteração
 不需要 不再需要 没必要 没有必要 不必 无需 仅供参考 供参考 作为背景 作为参考 作为说明 背景 只是 仅为 仅仅 仅用于 并非 不是我的 不是修改 不是一个修改 不是更改 不是变更 不是提案 不要执行 不要应用 不要采用 请勿 不要合并 暂时 暂不 先不 在此之前 仍是计划 还是计划 计划 下一轮 以后再 坚持的话 如果你坚持 如果您坚持 宁愿 不想 无意 原文是 原文为 引自 放弃 撤回 收回 留作 举例 例子 示例 引用 草稿 假设 不打算 不提交 省略 不修改 不作修改 不做修改 保持不变 保持原样 不同意 原文如下 忽略 之后再说 以后再说 再说 再议 等t 待t 完成后再 完成之后 的提议 的建议， 的提案， 说明格式 举个例 想法 打算 曾经 原来的内容 不建议 不提议 不赞成 反对 如果 假如 万一 除非
 不要です 必要ありません 参考まで 参考として 例です 引用です 取り下げ 変更ではありません 実行しないで 適用しないで
 필요_없 필요하지_않 참고용 예시 인용 철회 적용하지_마 변경이_아닙
 больше_не_нуж не_нужн для_справки в_качестве_пример это_цитата отзываю не_применяйте не_моё_изменение
`)
	meansIn = spaced(`
 meine_änderung mein_delta meine_korrektur mein_vorschlag zu_eigen ich_bestätige bestätige bitte_übernehmen bitte_anwenden bitte_ausführen ich_stimme ernst_gemeint so_gemeint gilt_als_meine ich_will ich_möchte
 ma_modification mon_changement mon_delta ma_correction ma_proposition je_confirme à_mon_compte je_fais_mien je_fais_mienne je_maintiens à_appliquer veuillez_appliquer je_veux je_souhaite
 mi_cambio mi_delta mi_corrección mi_propuesta confirmo hago_mío hago_mía lo_mantengo quiero_que por_favor_apli aplíquen
 la_mia_modifica confermo minha_alteração
 我的修改 我的更改 我的变更 我的改动 我的提案 我要的 我想要的 是我的 我确认 请应用 请采用 请执行 请合并 我同意 我坚持 当作我自己
 私の変更 確認します 제_변경 모두_확인 моё_изменение подтверждаю
`)
	correctsIn = spaced(`
 korrigiert berichtigt korrektur verbessert repariert hier_ist hier_der hier_die hier_das erneut nochmals neue_fassung gültige ich_meinte gemeint_war neu_ neue neuer ja_ jetzt nochmal richtig ergänzt hinzugefügt entschuldigung verzeihung sorry komma fehlte fehlt fehler gültig block_ format feld schlüssel klammer anführungszeichen hiermit anbei
 corrigé corrigée correction voici version_valide je_voulais_dire à_nouveau rectifi désolé pardon excusez oui_ oui, virgule manquait manque erreur format json champ accolade guillemet bloc_ nouveau nouvelle ci-dessous ci-joint je_renvoie renvoi je_propose j'ai_corrigé ajouté complété je_corrige
 corregid corrección aquí_está aquí_va de_nuevo quise_decir quería_decir versión_válida rectific perdón disculp lo_siento sí_ sí, coma_ faltaba falta_ error format json campo llave comilla bloque nuevo nueva abajo adjunto reenvío corrijo añadid ahora_con he_corregido propongo quiero_
 corrett ecco corrigid aqui_está
 更正 修正 改正 重新发送 重发 应为 我的意思是 修改后 版本 补充 调整 添加 如下 抱歉 对不起 格式 逗号 缺少 字段 错误 补上 是的 好的 引号 括号 json 重试 新的 改为 已改 有效
 修正 訂正 수정 исправлен
`)
	// notDeclinesIn are words of sentences that only seem to decline: the rest, an older form, or the contrary.
	notDeclinesIn = spaced(`
 kein_zitat kein_beispiel kein_entwurf nicht_nur alte_ alten_ frühere vorherige fehlerhafte kaputte sonst alles_andere übrige weitere
 plus_une_citation pas_une_citation pas_un_exempl pas_seulement ancien précédent erroné le_reste d'autre autre
 no_es_una_cita no_es_un_ejemplo no_solo anterior antiguo erróneo el_resto demás otro otros más_cambios
 不是引用 不是例子 不是示例 不是草稿 不再是 不只是 之前的 上一个 旧的 原来的 错误的 其他 其余 其它
`)
)

// english matches words that sentences in English have, and those in other languages do not.
var english = pattern.New(`\b(?:the|is|it|this|my|of|and|i|i'm|i'd|to|for|not|below|above|were|would|have|has|with|that|from|never|been|valid|here|now|again|please|you|your|should|before|after|but|be|by|are)\b`)

// englishWord matches the same, and no part of a word such as début.
var englishWord = pattern.New(`(?:^|[^\pL])(?:the|is|it|this|my|of|and|i|i'm|i'd|to|for|not|below|above|were|would|have|has|with|that|from|never|been|valid|here|now|again|please|you|your|should|before|after|but|be|by|are)(?:$|[^\pL])`)

func spaced(rows string) *Words {
	return wordsFrom(func() []string { return strings.Fields(strings.ReplaceAll(rows, "_", "\x00")) })
}

// foreignVerdict returns what a sentence in another language says.
func foreignVerdict(sentence string) verdict {
	if english.MatchString(sentence) {
		return saysNothing
	}
	text := strings.ReplaceAll(sentence, " ", "\x00") + "\x00"
	isOther := notDeclinesIn.beginsIn(text)
	switch {
	case meansIn.beginsIn(text) && (isOther || !declinesIn.beginsIn(text)):
		return saysOwn
	case (declinesIn.beginsIn(text) || isAside([]byte(sentence), false)) && !isOther:
		return saysDeclined
	case correctsIn.beginsIn(text):
		return saysCorrected
	}
	return saysNothing
}

// isForeign reports whether a sentence has letters that English does not have, and no common word of English.
func isForeign(sentence string) bool {
	return strings.IndexFunc(sentence, func(c rune) bool { return c > unicode.MaxASCII && unicode.IsLetter(c) }) >= 0 && !english.MatchString(sentence)
}

// beginsIn reports whether a word of a text, in which zero bytes are its spaces, begins with one of the words.
func (w *Words) beginsIn(text string) bool {
	by := w.by.Get()
	for i := range len(text) {
		if i > 0 && text[i] < 0xe0 && isWordByte(text[i-1]) {
			continue
		}
		for _, word := range by[text[i]] {
			if strings.HasPrefix(text[i:], word) {
				return true
			}
		}
	}
	return false
}
