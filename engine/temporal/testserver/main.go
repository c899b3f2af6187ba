// Command testserver runs a Temporal server for tests, with its state in a PostgreSQL database: all services in one
// process, on loopback. It creates its databases and the namespace "default" if they do not exist, and prints its address
// when it takes requests. The password of the database's user is in PGPASSWORD. It ends with its standard input: a test binary that
// dies leaves no server behind.
//
// It must not be used in production: nothing is encrypted, and everyone on this machine may use it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence"
	"go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/common/resolver"
	"go.temporal.io/server/schema"
	v12 "go.temporal.io/server/schema/postgresql/v12"
	"go.temporal.io/server/temporal"
	"google.golang.org/protobuf/types/known/durationpb"
)

func main() {
	port := flag.Int("port", 7233, "first of four ports on 127.0.0.1")
	address := flag.String("postgres", "127.0.0.1:5432", "HOST:PORT of PostgreSQL")
	user := flag.String("user", "temporal", "user of PostgreSQL, who may create databases")
	level := flag.String("log", "error", "least level of what is logged")
	flag.Parse()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if err := run(*port, *address, *user, *level); err != nil {
		fmt.Fprintln(os.Stderr, "testserver:", err)
		os.Exit(1)
	}
}

// run runs the server until it is interrupted.
func run(port int, address, user, level string) error {
	logger := log.NewZapLogger(log.BuildZapLogger(log.Config{Level: level}))
	main, visibility := database(address, user, "temporal"), database(address, user, "temporal_visibility")
	err := errors.Join(prepare(main, "temporal", v12.Version, logger), prepare(visibility, "visibility", v12.VisibilityVersion, logger))
	if err != nil {
		return err
	}
	c, hosts := settings(port, main, visibility)
	server, err := temporal.NewServer(
		temporal.ForServices(temporal.DefaultServices), temporal.WithConfig(c), temporal.WithLogger(logger), temporal.WithStaticHosts(hosts),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()), temporal.InterruptOn(temporal.InterruptCh()),
		temporal.WithDynamicConfigClient(dynamic()),
	)
	if err != nil {
		return err
	}
	go announce(loopback(port))
	return server.Start() // until it is interrupted
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

func database(address, user, name string) *config.SQL {
	return &config.SQL{
		PluginName: postgresql.PluginNamePGX, ConnectAddr: address, ConnectProtocol: "tcp", User: user, Password: os.Getenv("PGPASSWORD"),
		DatabaseName: name, MaxConns: 20, MaxIdleConns: 20,
	}
}

// prepare creates a database and its tables if they do not exist.
func prepare(c *config.SQL, name, version string, logger log.Logger) error {
	server := *c
	server.DatabaseName = "postgres"
	err := administer(&server, logger, func(db sqlplugin.AdminDB) error { return db.CreateDatabase(c.DatabaseName) })
	if err != nil {
		return err
	}
	return administer(c, logger, func(db sqlplugin.AdminDB) error {
		if have, err := db.ReadSchemaVersion(c.DatabaseName); err == nil && have == version {
			return nil
		}
		file, err := schema.Assets().Open("postgresql/v12/" + name + "/schema.sql")
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		statements, err := persistence.LoadAndSplitQueryFromReaders([]io.Reader{file})
		for _, s := range statements {
			if err == nil {
				err = db.Exec(s)
			}
		}
		if err == nil {
			err = db.CreateSchemaVersionTables()
		}
		if err == nil {
			err = db.UpdateSchemaVersion(c.DatabaseName, version, version)
		}
		return err
	})
}

func administer(c *config.SQL, logger log.Logger, do func(sqlplugin.AdminDB) error) (err error) {
	db, err := sql.NewSQLAdminDB(sqlplugin.DbKindUnknown, c, resolver.NewNoopResolver(), logger, metrics.NoopMetricsHandler)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return do(db)
}

// settings returns the server's configuration. Its services find each other by fixed ports: a server that is killed and
// started again does not wait until its earlier process is forgotten.
func settings(port int, main, visibility *config.SQL) (*config.Config, map[primitives.ServiceName]static.Hosts) {
	const mainStore, visibilityStore, here = "main", "visibility", "active"
	c := &config.Config{
		Persistence: config.Persistence{
			DefaultStore: mainStore, VisibilityStore: visibilityStore, NumHistoryShards: 4,
			DataStores: map[string]config.DataStore{mainStore: {SQL: main}, visibilityStore: {SQL: visibility}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: here, CurrentClusterName: here,
			ClusterInformation: map[string]cluster.ClusterInformation{here: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: loopback(port)}},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		PublicClient:        config.PublicClient{HostPort: loopback(port)},
		Services:            make(map[string]config.Service),
	}
	hosts := make(map[primitives.ServiceName]static.Hosts)
	for i, name := range []primitives.ServiceName{primitives.FrontendService, primitives.HistoryService, primitives.MatchingService, primitives.WorkerService} {
		c.Services[string(name)] = config.Service{RPC: config.RPC{GRPCPort: port + i, BindOnLocalHost: true}}
		hosts[name] = static.Hosts{All: []string{loopback(port + i)}, Self: loopback(port + i)}
	}
	return c, hosts
}

// dynamic returns settings for a small machine: task queues in one part.
func dynamic() dynamicconfig.StaticClient {
	return dynamicconfig.StaticClient{
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  1,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): 1,
	}
}

// announce creates the namespace and prints the address when the server takes requests.
func announce(address string) {
	ctx := context.Background()
	for ; ; time.Sleep(100 * time.Millisecond) {
		c, err := client.NewNamespaceClient(client.Options{HostPort: address})
		if err != nil {
			continue
		}
		err = c.Register(ctx, &workflowservice.RegisterNamespaceRequest{Namespace: "default", WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour)})
		c.Close()
		var exists *serviceerror.NamespaceAlreadyExists
		if err == nil || errors.As(err, &exists) {
			break
		}
	}
	for ; ; time.Sleep(100 * time.Millisecond) { // its services learn of the namespace
		c, err := client.Dial(client.Options{HostPort: address})
		if err != nil {
			continue
		}
		_, err = c.DescribeTaskQueue(ctx, "ready", enums.TASK_QUEUE_TYPE_WORKFLOW)
		c.Close()
		if err == nil {
			break
		}
	}
	fmt.Println(address)
}
