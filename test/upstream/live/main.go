// Command live is a server of custom resources by upstream's modules: the whole chain of a generic server in front of a
// store on etcd. It asks webhooks for authorization, and nobody else for anything.
package main

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"apiserver.test/upstream/servers"
	"github.com/spf13/pflag"
	"go.opentelemetry.io/otel/trace/noop"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/authorization/cel"
	unionauthorizer "k8s.io/apiserver/pkg/authorization/union"
	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	utilopenapi "k8s.io/apiserver/pkg/util/openapi"
	"k8s.io/apiserver/pkg/util/webhook"
	webhookauthorizer "k8s.io/apiserver/plugin/pkg/authorizer/webhook"
	"k8s.io/apiserver/plugin/pkg/authorizer/webhook/metrics"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	servers.Run(run)
}

func run(args []string) error {
	made := options.NewCustomResourceDefinitionsServerOptions(os.Stdout, os.Stderr)
	recommended := made.RecommendedOptions
	recommended.Authentication, recommended.Authorization = nil, nil
	recommended.CoreAPI, recommended.Admission = nil, nil
	recommended.Features.EnablePriorityAndFairness = false
	flags := pflag.NewFlagSet(args[0], pflag.ContinueOnError)
	made.AddFlags(flags)
	tokens := flags.String("token-auth-file", "", "")
	folder := flags.String("etcd-data-dir", "", "")
	webhook := flags.String("authorization-webhook-config-file", "", "")
	admissionWebhooks := flags.String("admission-webhooks", "", "")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	etcd, err := servers.StartEtcd(*folder)
	if err != nil {
		return err
	}
	recommended.Etcd.StorageConfig.Transport.ServerList = []string{etcd}
	fmt.Println(etcd)
	if err := made.Complete(); err != nil {
		return err
	}
	config, err := configOf(made)
	if err != nil {
		return err
	}
	if err := applyAccess(config.GenericConfig, *tokens, *webhook); err != nil {
		return err
	}
	stop := genericapiserver.SetupSignalContext()
	if *admissionWebhooks != "" {
		if err := applyWebhooks(&config.GenericConfig.Config, *admissionWebhooks, stop.Done()); err != nil {
			return err
		}
	}
	var discovered http.Handler
	config.GenericConfig.BuildHandlerChainFunc = func(handler http.Handler, config *genericapiserver.Config) http.Handler {
		return genericapiserver.DefaultBuildHandlerChain(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			if request.URL.Path == "/apis" {
				discovered.ServeHTTP(response, request)
			} else {
				handler.ServeHTTP(response, request)
			}
		}), config)
	}
	server, err := config.Complete().New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return err
	}
	generic := server.GenericAPIServer
	// Upstream leaves the list of all groups to the server in front of this one.
	discovered = aggregated.WrapAggregatedDiscoveryToHandler(generic.DiscoveryGroupManager, generic.AggregatedDiscoveryGroupManager, generic.PeerAggregatedDiscoveryManager)
	return generic.PrepareRun().RunWithContext(stop)
}

// configOf is upstream's CustomResourceDefinitionsServerOptions.Config without informers.
func configOf(made *options.CustomResourceDefinitionsServerOptions) (*apiextensions.Config, error) {
	recommended := made.RecommendedOptions
	if err := recommended.SecureServing.MaybeDefaultWithSelfSignedCerts("localhost", nil, []net.IP{net.IPv4(127, 0, 0, 1)}); err != nil {
		return nil, err
	}
	config := genericapiserver.NewRecommendedConfig(apiextensions.Codecs)
	if err := made.ServerRunOptions.ApplyTo(&config.Config); err != nil {
		return nil, err
	}
	if err := recommended.ApplyTo(config); err != nil {
		return nil, err
	}
	if err := made.APIEnablement.ApplyTo(&config.Config, apiextensions.DefaultAPIResourceConfigSource(), apiextensions.Scheme); err != nil {
		return nil, err
	}
	namer := openapi.NewDefinitionNamer(apiextensions.Scheme, scheme.Scheme)
	definitions := utilopenapi.GetOpenAPIDefinitionsWithoutDisabledFeatures(generatedopenapi.GetOpenAPIDefinitions)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, namer)
	return &apiextensions.Config{
		GenericConfig: config,
		ExtraConfig: apiextensions.ExtraConfig{
			CRDRESTOptionsGetter: options.NewCRDRESTOptionsGetter(*recommended.Etcd, config.ResourceTransformers, config.StorageObjectCountTracker),
			ServiceResolver:      noServices{},
			AuthResolverWrapper:  webhook.NewDefaultAuthenticationInfoResolverWrapper(nil, nil, config.LoopbackClientConfig, noop.NewTracerProvider()),
		},
	}, nil
}

func applyAccess(config *genericapiserver.RecommendedConfig, tokens, webhookConfig string) error {
	known, err := tokenfile.NewCSV(tokens)
	if err != nil {
		return err
	}
	config.Authentication.Authenticator = union.NewFailOnError(
		group.NewAuthenticatedGroupAdder(bearertoken.New(known)),
		anonymous.NewAuthenticator(nil),
	)
	client, err := clientcmd.BuildConfigFromFlags("", webhookConfig)
	if err != nil {
		return err
	}
	client.QPS = -1
	backoff := wait.Backoff{Duration: 10 * time.Millisecond, Steps: 1}
	asked, err := webhookauthorizer.New(client, "v1", time.Minute, time.Minute, backoff, authorizer.DecisionNoOpinion, nil, "live", metrics.NoopAuthorizerMetrics{}, cel.NewDefaultCompiler())
	if err != nil {
		return err
	}
	masters := authorizerfactory.NewPrivilegedGroups("system:masters")
	config.Authorization.Authorizer = unionauthorizer.New(masters, asked)
	return nil
}

type noServices struct{}

func (noServices) ResolveEndpoint(string, string, int32) (*url.URL, error) {
	return nil, fmt.Errorf("there are no services")
}
