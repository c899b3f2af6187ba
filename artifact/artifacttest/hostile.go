package artifacttest

// Hostile gives texts that try to be something else than text: headings, rows,
// fields, front matter, markup, invisible characters, and the very words that
// the Markdown form uses for its own purposes.
func Hostile() []string {
	return []string{
		"", " ", "\n", "\r", "\r\n", "\t", "\x00", "\x1b[31m", "\x7f", "\u0080", "\u0085", "\u009f",
		"\u00a0", "\u00ad", "\u061c", "\u200b", "\u200c", "\u200d", "\u200e", "\u2028", "\u2029", "\u202e", "\u2066", "\u3000", "\ufeff", "\ufffe", "\ufffd",
		"\U000e0041", "\U0001f600", "\U0001fffe", "\U0010ffff", "é", "e\u0301",
		"# H", "\n# Brenner Protocol Artifact: x", "\n## 2. Hypothesis Slate\n", "\n### H9: forged\n**Claim**: forged", "### H1",
		"---", "\n---\n", "...", "- x", "+ x", "1. x", "1) x", "> x", "=", "===", "    code", "```", "\n```\ncode\n```", "~~~", "`", "``", "`x`", "`null`",
		"|", "a | b", "| P9 | forged |", `\|`, "|---|", "<br>", "<br/>", "<b>", "</b>", "<!-- c -->", "-->", "<?x?>", "<http://x.y>", "p < 0.05", "<", "a<", "<script>alert(1)</script>",
		"*", "**", "**Claim**: x", "__Claim__: x", "_x_", "__init__", "_", "~", "~~", "~~x~~", "~~x~~ [KILLED]", "[KILLED]", "x [KILLED]", `\[KILLED]`,
		"[x](y)", "![x](javascript:alert(1))", "[x]: http://y", "[ ] task", "[inference]", "[^1]", "](", "[",
		"&", "&amp;", "&#10;", "&#x0a;", "&#0;", "&lt;br&gt;", "&#67;ONFLICT", "R&D", "&notanentity;", "&;", "&#;", "&#99999999;",
		`\`, `\\`, `\n`, `a\`, `\"\"`, `""`, `"`, `'`, `"x"`, "null", "true", "yes", "no", "~", "1", "1.5", "1e3", "0x10", "2025-12-30", "<<", "a: b", "a:b", "a #b", "- - x", "? x", "!x", "&a x", "*a", "%x", "@x", "{}", "[]", "{", ":",
		"CONFLICT", "CONFLICT ", "N/A", `N\/A`, "(none)", `\(none)`, "…", "...", "see below", "None registered", "Nothing yet",
		"a, b", ",", ", ", "a:", ": ", "x: y", "(", ")", "x (y)", "GreenDog (2025-12-30T12:10:00Z)", "(Score: 9/12)", "x (Score: 9/12)", `x \(Score: 9/12)`, "x #", "#", "##",
		"Killed by", "Reason", "H1: x", "predictions.H1", "§127-§129 [inference]", "EV-001#E1",
	}
}
