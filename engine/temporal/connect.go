package temporal

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"

	"brenner/internal/fault"
	"brenner/project"
)

// Engine is a connection to a project's engine.
type Engine struct {
	client     client.Client
	namespace  string
	fleet      project.Fleet
	attributes bool
	log        zerolog.Logger
}

// Connect connects to the engine of a project.
func Connect(ctx context.Context, p *project.Project) (*Engine, error) {
	fleet, err := p.Fleet()
	if err != nil {
		return nil, err
	}
	e, err := p.Engine()
	if err != nil {
		return nil, err
	}
	options := client.Options{
		HostPort: e.Address, Namespace: e.Namespace, ConnectionOptions: client.ConnectionOptions{TLS: e.TLS}, Logger: logger{p.Log},
	}
	if e.APIKey != "" {
		options.Credentials = client.NewAPIKeyStaticCredentials(e.APIKey)
	}
	c, err := client.DialContext(ctx, options)
	if err != nil {
		return nil, connectError(ctx, e, err)
	}
	if _, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: e.Namespace}); err != nil {
		c.Close()
		return nil, connectError(ctx, e, err)
	}
	attributes := e.Attributes
	if lacks := lacksAttributes(ctx, c, e); len(lacks) > 0 {
		p.Log.Warn().Strs("attributes", lacks).Msg("the namespace " + e.Namespace + " lacks search attributes; workflows cannot be found by them")
		attributes = false
	}
	return &Engine{client: c, namespace: e.Namespace, fleet: fleet, attributes: attributes, log: p.Log}, nil
}

// lacksAttributes returns the search attributes that are to be set and that the namespace lacks. If the engine does not say, it
// has all: the engine refuses a workflow with an attribute that it does not know.
func lacksAttributes(ctx context.Context, c client.Client, e *project.Engine) (names []string) {
	if !e.Attributes {
		return nil
	}
	have, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: e.Namespace})
	if err != nil {
		return nil
	}
	for _, key := range []sdk.SearchAttributeKeyKeyword{ofProject, ofLoop, ofThread} {
		if have.GetCustomAttributes()[key.GetName()] != enums.INDEXED_VALUE_TYPE_KEYWORD {
			names = append(names, key.GetName())
		}
	}
	return names
}

// Close ends the connection.
func (e *Engine) Close() { e.client.Close() }

func connectError(ctx context.Context, e *project.Engine, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f := &fault.Error{Code: project.EngineUnreachable, Detail: "the engine at " + e.Address + " does not respond", Cause: dialled(err), Hint: "check engine.temporal.address, and that the server runs"}
	var noNamespace *serviceerror.NamespaceNotFound
	var denied *serviceerror.PermissionDenied
	var missing *serviceerror.NotFound
	switch text := err.Error(); {
	case errors.As(err, &noNamespace), errors.As(err, &missing):
		f.Code, f.Cause, f.Detail = project.NoNamespace, nil, "the engine at "+e.Address+" has no namespace "+fault.Shown(e.Namespace)
		f.Hint = "set engine.temporal.namespace, or let the engine's administrator create it"
	case strings.Contains(text, "no children to pick from"): // how gRPC says that a name has no address
		f.Cause, f.Detail = nil, "the engine at "+e.Address+" does not respond: its host is unknown"
	case strings.Contains(text, "unexpected HTTP status code"):
		f.Cause, f.Detail = nil, "the server at "+e.Address+" is not a Temporal server"
	case errors.As(err, &denied), strings.Contains(text, "Unauthenticated"), strings.Contains(text, "unauthorized"):
		f.Code, f.Detail, f.Hint = project.EngineDenied, "the engine at "+e.Address+" refuses this program", "check the key of engine.temporal.api_key_env, and its rights in the namespace "+e.Namespace
	case containsAny(text, "tls: ", "x509: "):
		f.Code, f.Detail = project.EngineTLS, "no connection by the settings of engine.temporal.tls with "+e.Address
		f.Hint = "check that this is a Temporal server, whether it wants TLS (enabled), its authority (ca), its name (server), and whether it wants a certificate (cert, key)"
	case isCut(text):
		f.Detail, f.Hint = "the server at "+e.Address+" closes the connection", "check that it runs; it may want TLS (engine.temporal.tls.enabled)"
		if e.TLS != nil || e.APIKey != "" {
			f.Hint = "check that it runs and uses TLS; it may want a certificate, or refuse this one (engine.temporal.tls.cert, key)"
		}
	}
	return f
}

// isCut reports whether a server has closed the connection: one that restarts behind a proxy does, and one that refuses a
// certificate may do so before its reason is read.
func isCut(text string) bool {
	return containsAny(text, "broken pipe", "connection reset", "EOF", "error reading server preface", "authentication handshake failed")
}

func containsAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

func unreachable(err error) error {
	return &fault.Error{Code: project.EngineUnreachable, Detail: "the engine does not respond", Cause: dialled(err)}
}

// dialled returns the part of an error that says why no connection was made, without what gRPC puts around it.
func dialled(err error) error {
	text := err.Error()
	for _, around := range []string{`desc = "`, "Error while dialing: "} {
		if _, why, ok := strings.Cut(text, around); ok {
			text = strings.TrimSuffix(why, `"`)
		}
	}
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}

// logger passes what the SDK logs to the program's log with -v: what matters to users is said elsewhere.
type logger struct{ zerolog.Logger }

func (l logger) Debug(text string, values ...any) { l.Trace().Fields(values).Msg(text) }
func (l logger) Info(text string, values ...any)  { l.Logger.Debug().Fields(values).Msg(text) }
func (l logger) Warn(text string, values ...any)  { l.Logger.Debug().Fields(values).Msg(text) }
func (l logger) Error(text string, values ...any) { l.Logger.Debug().Fields(values).Msg(text) }
