// Command chain is kube-apiserver's chain of servers by upstream's modules: the aggregator in front of a server of few built-in
// kinds, in front of custom resources, in front of the handler of unknown paths. It has an etcd of its own. It sees the
// services of the server that its kubeconfig names.
package main

import (
	"net"

	"apiserver.test/upstream/servers"
	"github.com/spf13/pflag"
	apiextensionsserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/server/options"
	aggregatorserver "k8s.io/kube-aggregator/pkg/apiserver"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	aggregatoropenapi "k8s.io/kube-aggregator/pkg/generated/openapi"
)

func main() {
	servers.Run(run)
}

// chain has what the servers share.
type chain struct {
	generic     *genericapiserver.RecommendedConfig
	recommended *options.RecommendedOptions
	extra       aggregatorserver.ExtraConfig
}

func run(args []string) error {
	scheme, err := servers.NewScheme()
	if err != nil {
		return err
	}
	codecs := servers.NewCodecs(scheme)
	running := options.NewServerRunOptions()
	recommended := options.NewRecommendedOptions("/registry", servers.AtRest(scheme, codecs))
	recommended.Authentication, recommended.Authorization, recommended.Admission = nil, nil, nil
	recommended.Features.EnablePriorityAndFairness = false
	made := chain{recommended: recommended, extra: aggregatorserver.ExtraConfig{RejectForwardingRedirects: true}}
	flags := pflag.NewFlagSet(args[0], pflag.ContinueOnError)
	running.AddUniversalFlags(flags)
	recommended.AddFlags(flags)
	flags.StringVar(&made.extra.ProxyClientCertFile, "proxy-client-cert-file", "", "")
	flags.StringVar(&made.extra.ProxyClientKeyFile, "proxy-client-key-file", "", "")
	tokens := flags.String("token-auth-file", "", "")
	folder := flags.String("etcd-data-dir", "", "")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	etcd, err := servers.StartEtcd(*folder)
	if err != nil {
		return err
	}
	recommended.Etcd.StorageConfig.Transport.ServerList = []string{etcd}
	if err := running.Complete(); err != nil {
		return err
	}
	made.generic = genericapiserver.NewRecommendedConfig(codecs)
	if err := made.configure(running, *tokens); err != nil {
		return err
	}
	return made.run(scheme, codecs)
}

// configure applies the options. Every known user may do everything.
func (c *chain) configure(running *options.ServerRunOptions, tokens string) error {
	if err := c.recommended.SecureServing.MaybeDefaultWithSelfSignedCerts("localhost", nil, []net.IP{net.IPv4(127, 0, 0, 1)}); err != nil {
		return err
	}
	if err := running.ApplyTo(&c.generic.Config); err != nil {
		return err
	}
	if err := c.recommended.ApplyTo(c.generic); err != nil {
		return err
	}
	c.generic.LongRunningFunc = filters.BasicLongRunningRequestCheck(
		sets.NewString("watch", "proxy"),
		sets.NewString("attach", "exec", "proxy", "log", "portforward"),
	)
	known, err := tokenfile.NewCSV(tokens)
	if err != nil {
		return err
	}
	c.generic.Authentication.Authenticator = union.NewFailOnError(
		group.NewAuthenticatedGroupAdder(bearertoken.New(known)),
		anonymous.NewAuthenticator(nil),
	)
	c.generic.AggregatedDiscoveryGroupManager = aggregated.NewResourceManager("apis")
	c.generic.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	return nil
}

// run builds the servers from the end of the chain to its head, and runs the head.
func (c *chain) run(scheme *runtime.Scheme, codecs codecFactory) error {
	custom, err := c.newCustomResources()
	if err != nil {
		return err
	}
	builtIn, err := c.newBuiltIn(scheme, codecs, custom.GenericAPIServer)
	if err != nil {
		return err
	}
	head, err := c.newHead(builtIn, custom)
	if err != nil {
		return err
	}
	prepared, err := head.PrepareRun()
	if err != nil {
		return err
	}
	return prepared.Run(genericapiserver.SetupSignalContext())
}

// copied is the shared configuration for a server of the chain. The hooks run once.
func (c *chain) copied() *genericapiserver.RecommendedConfig {
	config := *c.generic
	config.PostStartHooks = map[string]genericapiserver.PostStartHookConfigEntry{}
	return &config
}

func (c *chain) newHead(builtIn *genericapiserver.GenericAPIServer, custom *apiextensionsserver.CustomResourceDefinitions) (*aggregatorserver.APIAggregator, error) {
	config := c.copied()
	if err := c.storeBy(config, aggregatorCodec()); err != nil {
		return nil, err
	}
	config.SkipOpenAPIInstallation = true
	config.MergedResourceConfig = aggregatorserver.DefaultAPIResourceConfigSource()
	namer := openapi.NewDefinitionNamer(aggregatorscheme.Scheme)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(aggregatoropenapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(aggregatoropenapi.GetOpenAPIDefinitions, namer)
	c.extra.ServiceResolver = aggregatorserver.NewClusterIPServiceResolver(config.SharedInformerFactory.Core().V1().Services().Lister())
	whole := aggregatorserver.Config{GenericConfig: config, ExtraConfig: c.extra}
	head, err := whole.Complete().NewWithDelegate(builtIn)
	if err != nil {
		return nil, err
	}
	return head, register(head, config.LoopbackClientConfig, custom.Informers.Apiextensions().V1().CustomResourceDefinitions())
}
