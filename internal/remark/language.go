package remark

import (
	"bytes"
	"strings"
)

// asideWords are words of other languages that leave open the block beside their line: a draft, an example, a quotation,
// something discarded or taken back, or not to be applied. There is a row for each language; _ is a space. Words in Latin,
// Greek and Cyrillic letters match beginnings of words.
var asideWords = WordsOf(strings.Fields(strings.ReplaceAll(`
 entwurf beispiel verworfen verwerfe ziehe_ich_zurück nehme_ich_zurück ziehe_zurück zurückgezogen nicht_anwenden nicht_übernehmen nicht_ausführen zitat zitiere variante_a variante_b variante_1 variante_2 verfrüht voreilig hatte_ich_überlegt hatte_überlegt
 brouillon par_exempl un_exempl abandonné rejeté je_retire_ce je_retire_cette ne_pas_appliquer n'appliquez une_citation prématuré avais_envisagé ai_envisagé
 borrador ejemplo descarté descartado descarto retiro_este retiro_el_bloque no_aplicar no_aplique una_cita prematuro había_pensado había_considerado
 bozza esempio scartat ritiro_questo ritiro_il non_applicare una_citazione avevo_pensato avevo_considera
 rascunho um_exemplo descartei descartad retiro_este_bloco não_aplicar uma_citação
 kladversie voorbeeld verworpen ingetrokken niet_toepassen trek_dit een_citaat voorbarig
 szkic przykład odrzucon wycofuj nie_stosować nie_wykonywać cytat przedwczesn
 příklad zamítn stahuji neprovádět nepoužívat citát
 utkast ett_exempel förkasta drar_tillbaka tillämpa_inte ett_citat
 taslak örnek reddedil geri_çek uygulamayın alıntı
 черновик пример отверг отклон отзываю не_применять не_выполнять цитат преждевременн
 чернетк приклад відхилен відкликаю не_застосовувати
 مسودة مثال مرفوض أسحب لا_تنفذ لا_تطبق اقتباس
 मसौदा उदाहरण अस्वीकार वापस_लेता लागू_न_कर उद्धरण
 草稿 草案 示例 例子 放弃 不采用 撤回 收回 忽略 不要执行 不要应用 不执行 引用 不是我的 方案一 方案二 方案a 方案b 放棄 不採用 不是我 考虑过 可以考虑 先不 暂不 为时过早
 下書き 例です 例： 却下 取り下げ 撤回 実行しない 適用しない 引用 案a 案b 最初の案 時期尚早
 초안 예시 기각 철회 실행하지 적용하지 인용
 bản_nháp ví_dụ bị_loại rút_lại không_áp_dụng trích_dẫn
`, "_", "\x00"))...)

// ownWords are words of other languages for the author's own change, which outweigh the others on their line.
var ownWords = WordsOf(strings.Fields(strings.ReplaceAll("meine_deltas meine_änderung mein_delta daher deshalb also_streiche mon_delta ma_modification donc mi_cambio mi_delta por_eso la_mia_modifica quindi minha_alteração portanto daarom dlatego поэтому 因此", "_", "\x00"))...)

// isAside reports whether a line has a word of another language that leaves open the block beside it.
func isAside(line []byte) bool {
	text := strings.ReplaceAll(strings.ToLower(strings.ReplaceAll(string(line), "’", "'")), " ", "\x00")
	if ownWords.In(text) {
		return false
	}
	for i := range len(text) {
		for _, word := range asideWords[text[i]] {
			isBegun := i == 0 || text[i] >= 0xe0 || !isWordByte(text[i-1])
			if isBegun && strings.HasPrefix(text[i:], word) {
				return true
			}
		}
	}
	return false
}

// isWordByte reports whether a byte is part of a word.
func isWordByte(c byte) bool { return isLetter(c) || c >= 0x80 }

// inLanguage returns the paragraph right before a block, or right behind it, with such a word.
func (r Rules) inLanguage(raw []byte) (Remark, bool) {
	if len(raw) == 0 || raw[0] == '>' || !isAside(raw) {
		return Remark{}, false
	}
	return Remark{Line: r.lineOf(bytes.TrimSpace(raw)), Open: true}, true
}
