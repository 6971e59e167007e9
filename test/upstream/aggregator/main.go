// Command aggregator is upstream's aggregator in front of nothing: a whole server whose APIServices are in an etcd of its own.
// It sees the services of the server that its kubeconfig names.
package main

import (
	"net"

	"apiserver.test/upstream/servers"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authentication/request/bearertoken"
	"k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/server/options"
	utilopenapi "k8s.io/apiserver/pkg/util/openapi"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kube-aggregator/pkg/apiserver"
	"k8s.io/kube-aggregator/pkg/apiserver/scheme"
	generatedopenapi "k8s.io/kube-aggregator/pkg/generated/openapi"
)

func main() {
	servers.Run(run)
}

func run(args []string) error {
	running := options.NewServerRunOptions()
	recommended := options.NewRecommendedOptions("/registry", scheme.Codecs.LegacyCodec(apiregistration.SchemeGroupVersion))
	recommended.Authentication, recommended.Authorization, recommended.Admission = nil, nil, nil
	recommended.Features.EnablePriorityAndFairness = false
	flags := pflag.NewFlagSet(args[0], pflag.ContinueOnError)
	running.AddUniversalFlags(flags)
	recommended.AddFlags(flags)
	extra := apiserver.ExtraConfig{RejectForwardingRedirects: true}
	flags.StringVar(&extra.ProxyClientCertFile, "proxy-client-cert-file", "", "")
	flags.StringVar(&extra.ProxyClientKeyFile, "proxy-client-key-file", "", "")
	flags.BoolVar(&extra.RejectForwardingRedirects, "aggregator-reject-forwarding-redirect", true, "")
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
	generic, err := configOf(running, recommended, *tokens)
	if err != nil {
		return err
	}
	services := generic.SharedInformerFactory.Core().V1().Services()
	extra.ServiceResolver = apiserver.NewClusterIPServiceResolver(services.Lister())
	config := apiserver.Config{GenericConfig: generic, ExtraConfig: extra}
	server, err := config.Complete().NewWithDelegate(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return err
	}
	prepared, err := server.PrepareRun()
	if err != nil {
		return err
	}
	return prepared.Run(genericapiserver.SetupSignalContext())
}

// configOf is that of AggregatorOptions.RunAggregator. Every known user may do everything.
func configOf(running *options.ServerRunOptions, recommended *options.RecommendedOptions, tokens string) (*genericapiserver.RecommendedConfig, error) {
	if err := recommended.SecureServing.MaybeDefaultWithSelfSignedCerts("localhost", nil, []net.IP{net.IPv4(127, 0, 0, 1)}); err != nil {
		return nil, err
	}
	config := genericapiserver.NewRecommendedConfig(scheme.Codecs)
	if err := running.ApplyTo(&config.Config); err != nil {
		return nil, err
	}
	if err := recommended.ApplyTo(config); err != nil {
		return nil, err
	}
	config.MergedResourceConfig = apiserver.DefaultAPIResourceConfigSource()
	config.LongRunningFunc = filters.BasicLongRunningRequestCheck(
		sets.NewString("watch", "proxy"),
		sets.NewString("attach", "exec", "proxy", "log", "portforward"),
	)
	namer := openapi.NewDefinitionNamer(scheme.Scheme)
	definitions := utilopenapi.GetOpenAPIDefinitionsWithoutDisabledFeatures(generatedopenapi.GetOpenAPIDefinitions)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, namer)
	config.SkipOpenAPIInstallation = true
	known, err := tokenfile.NewCSV(tokens)
	if err != nil {
		return nil, err
	}
	config.Authentication.Authenticator = union.NewFailOnError(
		group.NewAuthenticatedGroupAdder(bearertoken.New(known)),
		anonymous.NewAuthenticator(nil),
	)
	config.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	return config, nil
}
