package remark

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"brenner/internal/pattern"
)

// asideWords are words of other languages that leave open the block beside their line: a draft, an example, a quotation,
// something discarded or taken back, or not to be applied. There is a row for each language; _ is a space. Words in Latin,
// Greek and Cyrillic letters match beginnings of words.
var asideWords = wordsIn(`
 entwurf zum_beispiel als_überlegung nur_als nicht_als_änderung vergesst_ ignoriert_ ungültig schrieb_in schrieb: bedingt beispiel verworfen verwerfe ziehe_ich_zurück nehme_ich_zurück ziehe_zurück zurückgezogen nicht_anwenden nicht_übernehmen nicht_ausführen zitat zitiere variante_a variante_b variante_1 variante_2 verfrüht voreilig hatte_ich_überlegt hatte_überlegt
 brouillon oubliez ignorez annulez à_titre_d a_écrit par_exempl un_exempl abandonné rejeté je_retire_ce je_retire_cette ne_pas_appliquer n'appliquez une_citation prématuré avais_envisagé ai_envisagé
 borrador descarten ignoren olviden anulen por_ejemplo escribió ejemplo descarté descartado descarto retiro_este retiro_el_bloque no_aplicar no_aplique una_cita prematuro había_pensado había_considerado
 bozza ignorate dimenticate annullate per_esempio ha_scritto esempio scartat ritiro_questo ritiro_il non_applicare una_citazione avevo_pensato avevo_considera
 rascunho ignorem descartem esqueçam por_exemplo escreveu um_exemplo descartei descartad retiro_este_bloco não_aplicar uma_citação
 kladversie negeer_ vergeet_ bijvoorbeeld schreef_ voorbeeld verworpen ingetrokken niet_toepassen trek_dit een_citaat voorbarig
 szkic zignorujcie na_przykład napisał przykład odrzucon wycofuj nie_stosować nie_wykonywać cytat przedwczesn
 příklad ignorujte například zamítn stahuji neprovádět nepoužívat citát
 utkast bortse_från till_exempel skrev_ ett_exempel förkasta drar_tillbaka tillämpa_inte ett_citat
 taslak örneğin mesela yok_say dikkate_almayın örnek reddedil geri_çek uygulamayın alıntı
 черновик игнориру не_учитыва например отменяю пример отверг отклон отзываю не_применять не_выполнять цитат преждевременн
 чернетк ігноруйте наприклад приклад відхилен відкликаю не_застосовувати
 مسودة على_سبيل تجاهل مثال مرفوض أسحب لا_تنفذ لا_تطبق اقتباس
 मसौदा अनदेखा उदाहरण अस्वीकार वापस_लेता लागू_न_कर उद्धरण
 草稿 作废 比如 取消 草案 示例 例子 放弃 不采用 撤回 收回 忽略 不要执行 不要应用 不执行 引用 不是我的 方案一 方案二 方案a 方案b 放棄 不採用 不是我 考虑过 可以考虑 先不 暂不 为时过早
 下書き 例えば たとえば 取り消 無視して 無効 例です 例： 却下 取り下げ 撤回 実行しない 適用しない 引用 案a 案b 最初の案 時期尚早
 초안 예를_들어 무시하 취소 예시 기각 철회 실행하지 적용하지 인용
 bản_nháp bỏ_qua chẳng_hạn ví_dụ bị_loại rút_lại không_áp_dụng trích_dẫn
`)

// ifWords are words of other languages that begin a condition. Behind a block they are courtesy: let me know if you need more.
var ifWords = wordsIn("falls_die falls_der falls_das falls_t falls_h falls_sich falls_es falls_ihr wenn_t wenn_die wenn_der wenn_sich si_t si_la si_le si_l' si_les au_cas_où si_el si_los en_caso_de_que se_t se_il se_la nel_caso se_o_teste caso_o als_t indien_ jeśli_ jeżeli_ pokud_ om_t eğer_ если_ якщо_ إذا_ यदि_ अगर_ 假如 もし 만약 nếu_")

// ownWords are words of other languages for the author's own change, which outweigh the others on their line.
var ownWords = wordsIn("meine_deltas meine_änderung mein_delta daher deshalb also_streiche mon_delta ma_modification donc mi_cambio mi_delta por_eso la_mia_modifica quindi minha_alteração portanto daarom dlatego поэтому 因此")

// asides has all of them but those of the author's own change.
var asides = pattern.Of(func() string {
	var all []string
	for _, word := range slices.Concat(slices.Concat(asideWords.by.Get()...), slices.Concat(ifWords.by.Get()...)) {
		all = append(all, regexp.QuoteMeta(word))
	}
	return strings.Join(all, "|")
})

var anyAside = pattern.SetOf(asides)

// isAside reports whether a line has a word of another language that leaves open the block beside it, or, if it is before
// the block, one that begins a condition.
func isAside(line []byte, isBefore bool) bool {
	text := lowered(string(line))
	if !anyAside.MayMatch(text) {
		return false
	}
	asides, ifs := asideWords.by.Get(), ifWords.by.Get()
	for i := range len(text) {
		if i > 0 && text[i] < 0xe0 && isWordByte(text[i-1]) {
			continue
		}
		has := func(word string) bool { return strings.HasPrefix(text[i:], word) }
		if slices.ContainsFunc(asides[text[i]], has) || isBefore && slices.ContainsFunc(ifs[text[i]], has) {
			return !ownWords.In(text)
		}
	}
	return false
}

// wordsIn returns the words of a list for a search; _ stands for a space.
func wordsIn(list string) *Words {
	return wordsFrom(func() []string {
		all := strings.Fields(list)
		for i := range all {
			all[i] = strings.ReplaceAll(all[i], "_", " ")
		}
		return all
	})
}

// isWordByte reports whether a byte is part of a word.
func isWordByte(c byte) bool { return isLetter(c) || c >= 0x80 }

// inLanguage returns the paragraph right before a block, or right behind it, with such a word.
func (r Rules) inLanguage(raw []byte, isBefore bool) (Remark, bool) {
	if len(raw) == 0 || raw[0] == '>' || !isAside(raw, isBefore) && !(r.Close && (lateIn(raw, isBefore) || isBefore && r.saidElsewhere(raw))) {
		return Remark{}, false
	}
	return Remark{Line: r.lineOf(bytes.TrimSpace(raw)), Open: true}, true
}
