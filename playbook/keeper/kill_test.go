package keeper_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"brenner/playbook"
	"brenner/playbook/keeper"
	"brenner/store/opentest"
)

// childDir is the environment variable that makes this test binary learn until it is killed.
const childDir = "BRENNER_KEEPER_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := learnForever(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1) //nolint:forbidigo // a main of the tests
		}
	}
	os.Exit(opentest.Main(m)) //nolint:forbidigo // a main of the tests
}

// learnForever prints the number of entries after each insight.
func learnForever(dir string) error {
	ctx := context.Background()
	st, err := opentest.Open(ctx, dir)
	if err != nil {
		return err
	}
	k, err := keeper.Open(ctx, keeper.Options{Store: st, Rules: playbook.DefaultRules(), Embedder: &stub{}})
	if err != nil {
		return err
	}
	for n := k.Head().Seq; ; n = k.Head().Seq {
		i := playbook.Insight{Domain: "general", Section: playbook.Helpful, Text: fmt.Sprintf("Lesson %d", n/2)}
		if _, _, err := k.Learn(ctx, playbook.Act{Actor: "child"}, i); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(os.Stdout, k.Head().Seq); err != nil {
			return err
		}
	}
}

// Reported entries survive a kill at any moment, and the journal stays intact.
func TestKilledAtAnyMoment(t *testing.T) {
	dir := t.TempDir()
	reported := 0
	for range 5 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), childDir+"="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines, wait := bufio.NewScanner(out), rand.IntN(4)
		for lines.Scan() {
			if reported, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(err)
			}
			if wait--; wait == 0 {
				time.AfterFunc(time.Duration(rand.IntN(3000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
			}
			if wait < -100 {
				_ = cmd.Process.Kill()
			}
		}
		_ = cmd.Wait()
		st, err := opentest.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		r, err := keeper.Verify(t.Context(), st, "")
		if err != nil || r.Entries < reported {
			t.Fatalf("%d entries reported, found %+v, error %v", reported, r, err)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
