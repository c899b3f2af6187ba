package temporal

import (
	"context"

	"go.temporal.io/api/workflowservice/v1"

	"brenner/internal/fault"
	"brenner/internal/text"
	"brenner/project"
)

// Check describes the engine of a project and its workers, and says which are missing.
func Check(ctx context.Context, p *project.Project) (found []string, lacks []*fault.Error, err error) {
	if _, err := p.Engine(); err != nil { // before the store's place
		return nil, nil, err
	}
	e, err := Connect(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	defer e.Close()
	tags, err := p.Needs(ctx)
	if err != nil {
		return nil, nil, err
	}
	at := "Temporal at " + p.Config.Engine.Address + ", namespace " + p.Config.Engine.Namespace
	if info, err := e.client.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{}); err == nil {
		at += ", version " + info.GetServerVersion()
	}
	found = append(found, at)
	for _, tag := range append([]string{"", loops}, tags...) {
		what, name := "sessions", queue(e.fleet, tag)
		if tag == loops {
			what = "loops"
		}
		switch all, err := e.asked(ctx, name); {
		case err != nil:
			return found, nil, unreachable(err)
		case len(all) == 0:
			lacks = append(lacks, noWorkers(what, name))
		default:
			found = append(found, text.Count(len(all), "worker")+" asked for "+what+" of "+name+" in the last five minutes")
		}
	}
	return found, lacks, nil
}
