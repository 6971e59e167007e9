// Command reference serves ConfigMaps by upstream's modules: kube-apiserver's chain of handlers, store and watch cache in front of
// an etcd, to measure against. It leaves out what the modules do not have: admission, flow control, and the other kinds.
package main

import (
	"net"

	"apiserver.test/upstream/servers"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/server/options"
)

func main() {
	servers.Run(run)
}

func run(args []string) error {
	scheme, err := servers.NewScheme()
	if err != nil {
		return err
	}
	codecs := servers.NewCodecs(scheme)
	running := options.NewServerRunOptions()
	recommended := options.NewRecommendedOptions("/registry", servers.AtRest(scheme, codecs))
	recommended.Authorization, recommended.CoreAPI, recommended.Admission = nil, nil, nil
	recommended.Authentication.RemoteKubeConfigFileOptional = true
	recommended.Features.EnablePriorityAndFairness = false
	// That of a recommended server is for one client, an aggregator.
	recommended.SecureServing.HTTP2MaxStreamsPerConnection = 0
	flags := pflag.NewFlagSet(args[0], pflag.ContinueOnError)
	running.AddUniversalFlags(flags)
	recommended.Etcd.AddFlags(flags)
	recommended.SecureServing.AddFlags(flags)
	recommended.Authentication.AddFlags(flags)
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if err := running.Complete(); err != nil {
		return err
	}
	if err := recommended.SecureServing.MaybeDefaultWithSelfSignedCerts("localhost", nil, []net.IP{net.IPv4(127, 0, 0, 1)}); err != nil {
		return err
	}
	config := genericapiserver.NewRecommendedConfig(codecs)
	if err := running.ApplyTo(&config.Config); err != nil {
		return err
	}
	if err := recommended.ApplyTo(config); err != nil {
		return err
	}
	config.Authorization.Authorizer = authorizerfactory.NewPrivilegedGroups("system:masters")
	config.LongRunningFunc = filters.BasicLongRunningRequestCheck(sets.NewString("watch"), sets.NewString())
	config.SkipOpenAPIInstallation = true
	server, err := config.Complete().New("reference", genericapiserver.NewEmptyDelegate())
	if err != nil {
		return err
	}
	if err := servers.InstallConfigMaps(server, scheme, codecs, config.RESTOptionsGetter); err != nil {
		return err
	}
	return server.PrepareRun().RunWithContext(genericapiserver.SetupSignalContext())
}
