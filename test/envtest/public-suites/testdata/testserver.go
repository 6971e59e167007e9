// Package testing takes the place of k8s.io/apiextensions-apiserver/pkg/cmd/server/testing in a copy of that module:
// StartTestServer starts the kube-apiserver of KUBEBUILDER_ASSETS instead of a server in the process of the tests.
package testing

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	extensionsapiserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
)

// TearDownFunc stops the server and removes its folder.
type TearDownFunc func()

// TestServerInstanceOptions is empty, as upstream's.
type TestServerInstanceOptions struct{}

// TestServer is what the fixtures read.
type TestServer struct {
	ClientConfig    *restclient.Config
	ServerOpts      *options.CustomResourceDefinitionsServerOptions
	TearDownFn      TearDownFunc
	TmpDir          string
	CompletedConfig extensionsapiserver.CompletedConfig
}

// Logger is implemented by *testing.T and *testing.B.
type Logger interface {
	Errorf(format string, args ...interface{})
	Fatalf(format string, args ...interface{})
	Logf(format string, args ...interface{})
}

const (
	token        = "secret-of-the-tests"
	startTimeout = time.Minute
	stopTimeout  = 20 * time.Second
)

// Flags of an extension server that a kube-apiserver does not have.
var extensionFlags = map[string]bool{
	"kubeconfig":                 true,
	"authentication-kubeconfig":  true,
	"authorization-kubeconfig":   true,
	"authentication-skip-lookup": true,
}

// StartTestServer starts a kube-apiserver with the given flags. Everybody with its token may do everything.
func StartTestServer(t Logger, _ *TestServerInstanceOptions, customFlags []string, _ *storagebackend.Config) (TestServer, error) {
	folder, err := os.MkdirTemp("", "apiextensions-apiserver")
	if err != nil {
		return TestServer{}, err
	}
	server := TestServer{TmpDir: folder, TearDownFn: func() { _ = os.RemoveAll(folder) }}
	if err := server.start(t, customFlags); err != nil {
		server.TearDownFn()
		return TestServer{}, err
	}
	return server, nil
}

func (s *TestServer) start(t Logger, customFlags []string) error {
	flags, err := s.readFlags(customFlags)
	if err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	own, err := s.ownFlags(port)
	if err != nil {
		return err
	}
	stop, err := startProcess(t, s.TmpDir, append(own, flags...))
	if err != nil {
		return err
	}
	s.TearDownFn = func() {
		stop.stop()
		_ = os.RemoveAll(s.TmpDir)
	}
	s.ClientConfig = &restclient.Config{
		Host:            "https://127.0.0.1:" + strconv.Itoa(port),
		BearerToken:     token,
		TLSClientConfig: restclient.TLSClientConfig{Insecure: true},
		// As upstream's loopback client: without a limit.
		QPS: -1,
	}
	return waitUntilReady(s.ClientConfig, stop)
}

// readFlags sets the options that tests read, and returns the flags that the kube-apiserver is started with.
func (s *TestServer) readFlags(customFlags []string) ([]string, error) {
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	s.ServerOpts = options.NewCustomResourceDefinitionsServerOptions(io.Discard, io.Discard)
	s.ServerOpts.AddFlags(set)
	var flags []string
	err := set.ParseAll(customFlags, func(flag *pflag.Flag, value string) error {
		if !extensionFlags[flag.Name] {
			flags = append(flags, "--"+flag.Name+"="+value)
		}
		if flag.Name == "feature-gates" || flag.Name == "emulated-version" {
			return nil
		}
		return set.Set(flag.Name, value)
	})
	if err != nil {
		return nil, err
	}
	for feature, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		if enabled := utilfeature.DefaultFeatureGate.Enabled(feature); enabled != spec.Default {
			flags = append(flags, fmt.Sprintf("--feature-gates=%s=%t", feature, enabled))
		}
	}
	return flags, s.completeConfig()
}

// completeConfig makes what tests need to find objects in etcd.
func (s *TestServer) completeConfig() error {
	config := &extensionsapiserver.Config{GenericConfig: genericapiserver.NewRecommendedConfig(extensionsapiserver.Codecs)}
	etcd := *s.ServerOpts.RecommendedOptions.Etcd
	if err := etcd.ApplyTo(&config.GenericConfig.Config); err != nil {
		return err
	}
	config.GenericConfig.RESTOptionsGetter = options.NewCRDRESTOptionsGetter(etcd, config.GenericConfig.ResourceTransformers, nil)
	config.GenericConfig.EffectiveVersion = compatibility.DefaultKubeEffectiveVersionForTest()
	config.GenericConfig.ExternalAddress = "127.0.0.1:443"
	s.CompletedConfig = config.Complete()
	return nil
}

func (s *TestServer) ownFlags(port int) ([]string, error) {
	tokens := filepath.Join(s.TmpDir, "tokens.csv")
	if err := os.WriteFile(tokens, []byte(token+",admin,admin,system:masters\n"), 0o600); err != nil {
		return nil, err
	}
	key := filepath.Join(s.TmpDir, "service-account.key")
	if err := writeKey(key); err != nil {
		return nil, err
	}
	return []string{
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(port),
		"--cert-dir=" + filepath.Join(s.TmpDir, "certificates"),
		"--token-auth-file=" + tokens,
		"--service-cluster-ip-range=10.0.0.0/24",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + key,
		"--service-account-signing-key-file=" + key,
		"--runtime-config=api/all=true",
	}, nil
}

// process is a running kube-apiserver.
type process struct {
	command *exec.Cmd
	log     string
	ended   chan struct{}
}

func startProcess(t Logger, folder string, flags []string) (*process, error) {
	log := filepath.Join(folder, "log")
	output, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer output.Close()
	command := exec.Command(filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kube-apiserver"), flags...)
	command.Stdout, command.Stderr = output, output
	t.Logf("starting %s", strings.Join(command.Args, " "))
	if err := command.Start(); err != nil {
		return nil, err
	}
	one := &process{command: command, log: log, ended: make(chan struct{})}
	go func() {
		_ = command.Wait()
		close(one.ended)
	}()
	return one, nil
}

func (p *process) stop() {
	_ = p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(stopTimeout):
		_ = p.command.Process.Kill()
		<-p.ended
	}
}

// waitUntilReady stops the process when it does not become ready.
func waitUntilReady(config *restclient.Config, server *process) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		server.stop()
		return err
	}
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); {
		status := 0
		client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(context.Background()).StatusCode(&status)
		if status == http.StatusOK {
			return nil
		}
		select {
		case <-server.ended:
			return server.failure("kube-apiserver ended")
		case <-time.After(50 * time.Millisecond):
		}
	}
	server.stop()
	return server.failure("kube-apiserver does not become ready")
}

func (p *process) failure(what string) error {
	output, _ := os.ReadFile(p.log)
	return fmt.Errorf("%s: %s", what, output)
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func writeKey(path string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	bytes, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bytes}), 0o600)
}
