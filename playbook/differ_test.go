package playbook_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brenner/playbook"
)

// Pairs with a high cosine and a different meaning.
func TestDifferentMeanings(t *testing.T) {
	for _, pair := range [][2]string{
		{"Increase the learning rate", "Decrease the learning rate"},
		{"Increase the learning rate", "Lower the learning rate"},
		{"Raise the threshold for noisy data", "Reduce the threshold for noisy data"},
		{"Learning rates should be increased", "Learning rates should be decreased"},
		{"Increase the batch size and decrease the learning rate", "Decrease the batch size and increase the learning rate"},
		{"Increase the batch size and decrease the learning rate", "Increase the learning rate and decrease the batch size"},
		{"Always validate inputs", "Never validate inputs"},
		{"Validate the inputs", "Do not validate the inputs"},
		{"You should cache results", "You shouldn't cache results"},
		{"You can cache results", "You cannot cache results"},
		{"Train with dropout", "Train without dropout"},
		{"Use embeddings, not keywords", "Use keywords, not embeddings"},
		{"Prefer replication instead of theory", "Prefer theory instead of replication"},
		{"Prefer tests rather than arguments", "Prefer arguments rather than tests"},
		{"Fresh samples are better than frozen samples", "Frozen samples are better than fresh samples"},
		{"Normalise before splitting", "Split before normalising"},
		{"Run the control before the treatment", "Run the control after the treatment"},
		{"Use 3 replicates", "Use 5 replicates"},
		{"Use three replicates", "Use five replicates"},
		{"Use two heads", "Use one head"},
		{"Warm up for 500 steps", "Warm up for some steps"},
		{"Set the rate to 0.1 and the momentum to 0.9", "Set the rate to 0.9 and the momentum to 0.1"},
		{"Wait 10 ms", "Wait 10 s"},
		{"Wait 10 milliseconds", "Wait 10 seconds"},
		{"Add 5 mM glucose", "Add 5 MM glucose"},
		{"Add 5 mM glucose", "Add 5 uM glucose"},
		{"Stop when it falls by 5%", "Stop when it falls by 5 points"},
		{"Report latency in seconds", "Report latency in milliseconds"},
		{"Use GPT-4 as the critic", "Use GPT-5 as the critic"},
		{"Kill H2 first", "Kill H3 first"},
		{"Deltas of a test_designer were rejected with WRITE_SCOPE", "Deltas of a test_designer were rejected with TARGET_KILLED"},
		{"Deltas of a test_designer were rejected with WRITE_SCOPE", "Deltas of an adversarial_critic were rejected with WRITE_SCOPE"},
		{"Incubate at -20 °C", "Incubate at 20 °C"},
		{"The estimate is stable", "The estimate is unstable"},
		{"The assay is harmful to cells", "The assay is harmless to cells"},
		{"Enable caching in tests", "Disable caching in tests"},
		{"Accept the null hypothesis", "Reject the null hypothesis"},
		{"Double the dose", "Halve the dose"},
		{"Notch promotes division", "Notch inhibits division"},
		{"Use 1e-3 as the rate", "Use 1e-4 as the rate"},
		{"Use a sample of 1,000", "Use a sample of 10,000"},
		{"Stop early", "Start early"},
		{"Write the artifact in parallel", "Write the artifact sequentially"},
		{"Keep those with x > 5", "Keep those with x < 5"},
		{"Keep those with x >= 5", "Keep those with x > 5"},
		{"Keep those with x ≥ 5", "Keep those with x ≤ 5"},
		{"Keep runs where signal > noise", "Keep runs where noise > signal"},
		{"Fail to reject the null", "Reject the null"},
		{"Freeze the samples", "Thaw the samples"},
		{"Repeat the first step", "Repeat the second step"},
		{"Repeat the third step", "Repeat the second step"},
		{"Іncrease the learning rate", "Increase the learning rate"}, // a Cyrillic letter
		{"It helps to freeze the cells", "It hurts to freeze the cells"},
		{"Use a wide slit", "Use a narrow slit"},
		{"The drug activates the gene", "The drug silences the gene"},
		{"Samples from males are reliable", "Samples from females are reliable"},
		{"Grow them by day", "Grow them by night"},
		{"Cut thick slices", "Cut thin slices"},
		{"Overfit on purpose", "Underfit on purpose"},
		{"Stain the hydrophilic side", "Stain the hydrophobic side"},
		{"Use heterozygous mice", "Use homozygous mice"},
		{"The response is typical of neurons", "The response is atypical of neurons"},
		{"Measure intracellular calcium", "Measure extracellular calcium"},

		{"Only use fresh tissue", "Use fresh tissue"},
		{"Use tissue from fish solely", "Use tissue from fish"},
		{"Most cells divide at night", "Few cells divide at night"},
		{"Most cells divide at night", "Cells divide at night"},
		{"Most cells divide at night", "All cells divide at night"},
		{"Some cells divide at night", "Every cell divides at night"},
		{"Some cells divide at night", "Most cells divide at night"},
		{"Few cells divide at night", "A few cells divide at night"},
		{"Nearly all cells divide at night", "All cells divide at night"},
		{"Cells mostly divide at night", "Cells divide at night"},
		{"Sometimes validate inputs", "Validate inputs"},
		{"Most males and few females sleep", "Few males and most females sleep"},
		{"Use most cells", "Use cells"},
		{"Many cells divide at night", "Few cells divide at night"},
	} {
		if why := playbook.Differ(pair[0], pair[1]); why == "" {
			t.Errorf("no difference found: %q", pair)
		}
		if (playbook.Differ(pair[0], pair[1]) == "") != (playbook.Differ(pair[1], pair[0]) == "") {
			t.Errorf("not symmetric: %q", pair)
		}
	}
}

// Pairs with the same meaning in other words.
func TestSameMeaning(t *testing.T) {
	for _, pair := range [][2]string{
		{"Increase the learning rate", "Raise the learning rate"},
		{"Use careful prompt engineering", "Prompt engineering improves accuracy"},
		{"Do not cache results", "Never cache the results"},
		{"Don't rely on global state", "Avoid relying on global state"},
		{"Wait 10 ms", "Wait 0.01 seconds"},
		{"Use 0.10 as the rate", "Use .1 as the rate"},
		{"Use a sample of 1,000", "Use a sample of 1000"},
		{"Use 3 replicates", "Use three replicates"},
		{"One should write tests", "You should write tests"},
		{"More data reduces overfitting", "Reduce overfitting with more data"},
		{"Name the mechanism of every hypothesis", "Every hypothesis should name its mechanism"},
		{"Store 5 MB blobs", "Store 5 megabytes blobs"},
		{"Check the units of every number", "Every number needs its units checked"},
		{"Write tests before the code", "Tests should be written before code"},
		{"Write down what each hypothesis predicts before running the test", "Before running the test, write down what every hypothesis predicts"},
		{"Only use fresh tissue", "Use only fresh tissue"},
		{"Only use fresh tissue", "Use fresh tissue exclusively"},
		{"Most cells divide at night", "At night, the majority of cells divides"},
		{"Always validate inputs", "Validate all inputs"},
		{"Validate every input", "Validate inputs"},
		{"Begin with the most informative test", "Begin with the test that is most informative"},
		{"Begin with the most informative test", "Begin with the informative test"},
		{"Use male and female mice", "Use female and male mice"},
		{"Improve the prompt with examples", "Examples help to improve the prompt"},
		{"Look around the round dish", "Look around in the round dish"},
	} {
		for _, p := range [][2]string{pair, {pair[1], pair[0]}} {
			if why := playbook.Differ(p[0], p[1]); why != "" {
				t.Errorf("%q: %s", p, why)
			}
		}
	}
}

func TestDifferLaws(t *testing.T) {
	word := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"increase", "decrease", "not", "no", "10", "ms", "1e9", "-3.", "the", "than", "GPT-4", "don't", "%", "°C", "unstable", ",", "5mM", "0x10", "1,000,00", "--", "'",
	}))
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			s := ""
			for _, w := range rapid.SliceOfN(word, 0, 8).Draw(t, name) {
				s += w + " "
			}
			return s
		}
		a, b := text("a"), text("b")
		if why := playbook.Differ(a, a); why != "" {
			t.Fatalf("%q differs from itself: %s", a, why)
		}
		if (playbook.Differ(a, b) == "") != (playbook.Differ(b, a) == "") {
			t.Fatalf("not symmetric: %q, %q", a, b)
		}
	})
}

// Texts of any length are compared in a short time.
func TestDifferInLongTexts(t *testing.T) {
	long := strings.Repeat("a ", 1<<20)
	if why := playbook.Differ(long, long); why != "" {
		t.Errorf("a long text differs from itself: %s", why)
	}
	if playbook.Differ(long, long+"b") == "" {
		t.Error("long texts are not compared, and do not differ; want them to")
	}
}

func FuzzDiffer(f *testing.F) {
	f.Add("Increase 10 ms", "don't 1e-3 °C")
	f.Fuzz(func(t *testing.T, a, b string) {
		if why := playbook.Differ(a, a); why != "" {
			t.Errorf("%q differs from itself: %s", a, why)
		}
		if (playbook.Differ(a, b) == "") != (playbook.Differ(b, a) == "") {
			t.Errorf("not symmetric: %q, %q", a, b)
		}
	})
}

// BenchmarkDiffer compares two lessons word by word.
func BenchmarkDiffer(b *testing.B) {
	const one, other = "When two hypotheses predict the same outcome, design a test that separates them before adding a third.",
		"Before adding a third hypothesis, design a test that separates two hypotheses which predict the same outcome."
	for b.Loop() {
		playbook.Differ(one, other)
	}
}
