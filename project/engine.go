package project

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"

	"brenner/config"
	"brenner/internal/fault"
	"brenner/internal/files"
)

// The codes of engines, which place the sessions of loops on machines.
const (
	NoEngine          fault.Code = "ENGINE_NOT_SET"     // The configuration names no engine.
	EngineUnreachable fault.Code = "ENGINE_UNREACHABLE" // The engine does not respond.
	EngineDenied      fault.Code = "ENGINE_DENIED"      // The engine refuses this client, or its key.
	EngineTLS         fault.Code = "ENGINE_TLS"         // The engine and this program could not agree on TLS.
	NoNamespace       fault.Code = "ENGINE_NAMESPACE"   // The engine has no such namespace.
	NoWorkers         fault.Code = "ENGINE_NO_WORKERS"  // No worker takes sessions of this project, or those with such needs.
	Drained           fault.Code = "WORKER_DRAINED"     // The worker was stopped; another one continues the session.
)

// Classes returns the classes of the codes of this package.
func Classes() fault.Classes {
	return fault.Classes{EngineUnreachable: fault.ClassLater, EngineDenied: fault.ClassDenied, Drained: fault.ClassLater}
}

// Engine is how to reach the engine of a project.
type Engine struct {
	config.Engine
	APIKey string
	TLS    *tls.Config // nil means none
}

// engineAction describes, for trust, the use of an engine.
func engineAction(e *config.Engine) string {
	what := "send the names of loops and sessions"
	if e.APIKeyEnv != "" {
		what += ", and the key of " + e.APIKeyEnv + ","
	}
	return what + " to " + e.Address
}

// Engine returns how to reach the project's engine.
func (p *Project) Engine() (*Engine, error) {
	c := p.Config.Engine
	if c.Address == "" {
		return nil, &fault.Error{Code: NoEngine, Detail: "no address of an engine", Hint: "set engine.temporal.address, or BRENNER_ENGINE_TEMPORAL_ADDRESS, to HOST:PORT of a Temporal server"}
	}
	if err := p.CheckHost("https://" + c.Address); err != nil {
		return nil, err
	}
	for _, key := range []string{config.EngineAddress, "engine.temporal.api_key_env"} {
		if err := p.mustTrust(p.Config.Origin(key), engineAction(&c)); err != nil {
			return nil, err
		}
	}
	e := &Engine{Engine: c}
	if c.APIKeyEnv != "" {
		if e.APIKey = p.Variable(c.APIKeyEnv); e.APIKey == "" {
			return nil, &fault.Error{Code: NoKey, Detail: c.APIKeyEnv + ", which holds the engine's API key, is not set", Hint: "set it, or remove engine.temporal.api_key_env"}
		}
	}
	if !c.TLS && c.CA+c.Cert+c.Key+c.Server != "" {
		return e, &fault.Error{
			Code: EngineTLS, Op: "use engine.temporal.tls", Detail: "ca, cert, key or server is set, but engine.temporal.tls.enabled is not true",
			Hint: "set engine.temporal.tls.enabled: true (BRENNER_ENGINE_TEMPORAL_TLS_ENABLED), or remove the other settings of engine.temporal.tls",
		}
	}
	if !c.TLS {
		return e, nil
	}
	var err error
	e.TLS, err = p.engineTLS(&c)
	return e, err
}

func (p *Project) engineTLS(c *config.Engine) (*tls.Config, error) {
	t := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.Server}
	wrong := func(file, detail string) error {
		return &fault.Error{Code: EngineTLS, Op: "use engine.temporal.tls", Place: file, Detail: detail, Hint: "the file must be PEM; a certificate needs its key"}
	}
	inProject := func(file string) string {
		if file == "" || filepath.IsAbs(file) {
			return file
		}
		return filepath.Join(p.Config.Project.Dir, file)
	}
	if c.CA != "" {
		data, err := os.ReadFile(inProject(c.CA))
		if err != nil {
			return nil, wrong(c.CA, files.Reason(err))
		}
		if t.RootCAs = x509.NewCertPool(); !t.RootCAs.AppendCertsFromPEM(data) {
			return nil, wrong(c.CA, "no certificate")
		}
	}
	if (c.Cert == "") != (c.Key == "") {
		return nil, wrong(c.Cert+c.Key, "engine.temporal.tls.cert and engine.temporal.tls.key must both be set")
	}
	if c.Cert != "" {
		pair, err := tls.LoadX509KeyPair(inProject(c.Cert), inProject(c.Key))
		if err != nil {
			return nil, wrong(c.Cert, err.Error())
		}
		t.Certificates = []tls.Certificate{pair}
	}
	return t, nil
}
