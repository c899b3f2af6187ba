package ui

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"
)

// Logger returns the log of a command. Warnings are plain lines, in the form of errors. With
// verbose everything else is logged, too, as text to a terminal and as JSON otherwise. With
// quiet only errors are shown.
func (s *Streams) Logger(verbose, quiet bool) zerolog.Logger {
	if verbose {
		w := s.Err
		if s.ErrTTY {
			w = zerolog.ConsoleWriter{Out: s.Err}
		}
		return zerolog.New(splitLog{w, plainLines{s.Err}}).Level(zerolog.DebugLevel).With().Timestamp().Logger()
	}
	level := zerolog.WarnLevel
	if quiet {
		level = zerolog.ErrorLevel
	}
	return zerolog.New(plainLines{s.Err}).Level(level)
}

// splitLog writes warnings and errors as plain lines, and events of lower levels as they are.
type splitLog struct {
	io.Writer
	plain plainLines
}

// WriteLevel implements zerolog.LevelWriter.
func (l splitLog) WriteLevel(level zerolog.Level, event []byte) (int, error) {
	if level >= zerolog.WarnLevel && level < zerolog.NoLevel {
		return l.plain.Write(event)
	}
	return l.Write(event)
}

// plainLines writes log events as lines for people.
type plainLines struct{ out io.Writer }

func (p plainLines) Write(event []byte) (int, error) {
	var fields map[string]any
	if json.Unmarshal(event, &fields) != nil {
		_, err := p.out.Write(event)
		return len(event), err
	}
	take := func(key string) string {
		value, _ := fields[key].(string)
		delete(fields, key)
		return value
	}
	delete(fields, zerolog.TimestampFieldName)
	line := "brenner: "
	if take(zerolog.LevelFieldName) == zerolog.LevelWarnValue {
		line += "warning: "
	}
	place, message, cause, code, hint := take("place"), take(zerolog.MessageFieldName), take(zerolog.ErrorFieldName), take("code"), take("hint")
	line += strings.Join(slices.DeleteFunc([]string{place, message, cause}, func(s string) bool { return s == "" }), ": ")
	var more []string
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		value, err := json.Marshal(fields[key])
		if err == nil {
			more = append(more, key+" "+strings.Trim(string(value), `"`))
		}
	}
	if code != "" {
		more = append(more, code)
	}
	if len(more) > 0 {
		line += " (" + strings.Join(more, ", ") + ")"
	}
	line = Clean(line) + "\n"
	if hint != "" {
		line += "  hint: " + Clean(hint) + "\n"
	}
	_, err := io.WriteString(p.out, line)
	return len(event), err
}
