package itemform

import (
	"bytes"
	"strings"

	"brenner/artifact"
	"brenner/internal/lazy"
	"brenner/internal/pattern"
)

// otherKinds are words for kinds of items in other languages than English, as they begin.
var otherKinds = lazy.Of(func() map[string]artifact.Section {
	all := make(map[string]artifact.Section)
	put := func(s artifact.Section, words string) {
		for w := range strings.FieldsSeq(words) {
			all[w] = s
		}
	}
	put(artifact.HypothesisSlate, "hypothese hypothesen hypothèse hypothèses hipótesis hipótese hipóteses ipotesi hypotezę hipoteza гипотеза гипотезы 假设 假說 假设为 仮説 가설")
	put(artifact.DiscriminativeTests, "test tests teste prueba pruebas testes prova тест тесты 测试 測試 检验 テスト 検証 검정 테스트")
	put(artifact.AssumptionLedger, "annahme annahmen hypothèse-de-travail supposition suposición supuesto suposição pressuposto assunzione premessa предположение допущение 假定 前提 仮定 가정")
	put(artifact.AnomalyRegister, "anomalie anomalien anomalies anomalía anomalia аномалия 异常 異常 이상")
	put(artifact.AdversarialCritique, "kritik kritiken critique critiques crítica críticas critica критика 批评 批評 批判 비판")
	put(artifact.PredictionsTable, "vorhersage vorhersagen prédiction prédictions predicción previsão predição previsione прогноз предсказание 预测 預測 予測 예측")
	return all
})

// otherNew matches a line that adds an item in another language: the groups are the kind, the id and what it says.
var otherNew = pattern.New(`^(?:(?i:außerdem|zudem|ferner|aussi|en outre|además|también|além disso|inoltre|anche|также|кроме того)[,:]? |(?:另外|此外|同时|我|并|还|再|也|建议|提议|さらに|また|また、|또한|그리고|[,，、 ])*)?` +
	`(?:(?i:(?:une?|eine|ein|una|uma|un|um) )?(?i:neue[rsn]?|weitere[rs]?|zusätzliche[rs]?|nouvel(?:le)?|nouveau|nueva|nuevo|nova|novo|nuova|nuovo|nieuwe?|nowa|nowy|новая|новый|новое|новую) (\p{L}+)|(?i:(?:una |uma |un |um )?(hipótesis|hipótese|prueba|teste|ipotesi|anomalía|anomalia|predicción|previsão|suposición|suposição|crítica|critica|supuesto) (?:nueva|nuevo|nova|novo|nuova|nuovo|adicional))|` +
	`(?:新增(?:加)?(?:一个|一項|一项|一条)?|增加(?:一个|一项|一条)?|添加(?:一个|一项|一条)?|新的?|新しい|新たな|新規の?|新規|追加の?|새로운|새|추가) ?(\p{Han}{2}|\p{Katakana}+|\p{Hangul}{2,3}))` +
	`(?: ?[(（]?([A-Z]{1,2}\d{1,3})[)）]?)? *[:：] *(\S.*)$`)

// inOtherNew returns the item that a line adds in another language.
func (p Place) inOtherNew(line string) (a Attempt, ok bool) {
	const longest, near = 400, 300
	m := otherNew.FindStringSubmatch(line[:min(len(line), longest)])
	if len(m) == 0 || scriptDoubt.MatchString(m[0]) {
		return a, false
	}
	s, ok := otherKinds.Get()[strings.ToLower(m[1]+m[2]+m[3])]
	a = Attempt{Operation: add, Section: s.String(), ID: m[4], Says: m[5]}
	if bytes.Contains(p.Below[:min(len(p.Below), near)], []byte("```")) {
		a.Name = a.Says // the title of a block, whose text may be in English
	}
	return a, ok
}

// otherNews are the beginnings of words that call an item new in other languages, by their first byte.
var otherNews = map[byte][]string{
	'N':    {"Neue", "Nouve", "Nueva", "Nuevo", "Nova ", "Novo ", "Nuova", "Nuovo", "Nieuw", "Nowa ", "Nowy "},
	0xd0:   {"Нов"},
	"新"[0]: {"新", "添加"},
	"增"[0]: {"增加"},
	"追"[0]: {"追加"},
	"새"[0]: {"새", "추가"},
}

// otherBytes returns the first bytes of such words that are not ASCII.
func otherBytes() []byte { return []byte{0xd0, "新"[0], "增"[0], "追"[0], "새"[0]} }

// IsOtherNew reports whether a text begins with a word that calls an item new in another language.
func IsOtherNew(text []byte) bool {
	for _, word := range otherNews[text[0]] {
		if bytes.HasPrefix(text, []byte(word)) {
			return true
		}
	}
	return false
}
