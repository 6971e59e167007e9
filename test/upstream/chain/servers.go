package main

import (
	"apiserver.test/upstream/servers"
	"go.opentelemetry.io/otel/trace/noop"
	apidiscovery "k8s.io/api/apidiscovery/v2"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	apiextensionsserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	apiextensionsoptions "k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	apiextensionsopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/endpoints/discovery"
	"k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	genericfilters "k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/notfoundhandler"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	apiregistrationbeta "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1beta1"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/apiserver/scheme"
)

type codecFactory = serializer.CodecFactory

func aggregatorCodec() runtime.Codec {
	return aggregatorscheme.Codecs.LegacyCodec(apiregistration.SchemeGroupVersion, apiregistrationbeta.SchemeGroupVersion)
}

// storeBy gives a server its own codec of objects in etcd.
func (c *chain) storeBy(config *genericapiserver.RecommendedConfig, codec runtime.Codec) error {
	config.RESTOptionsGetter = nil
	etcd := *c.recommended.Etcd
	etcd.StorageConfig.Codec = codec
	etcd.SkipHealthEndpoints = true
	return etcd.ApplyTo(&config.Config)
}

func (c *chain) newCustomResources() (*apiextensionsserver.CustomResourceDefinitions, error) {
	config := c.copied()
	if err := c.storeBy(config, apiextensionsserver.Codecs.LegacyCodec(v1beta1.SchemeGroupVersion, v1.SchemeGroupVersion)); err != nil {
		return nil, err
	}
	config.MergedResourceConfig = apiextensionsserver.DefaultAPIResourceConfigSource()
	namer := openapi.NewDefinitionNamer(apiextensionsserver.Scheme, scheme.Scheme)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(apiextensionsopenapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(apiextensionsopenapi.GetOpenAPIDefinitions, namer)
	whole := apiextensionsserver.Config{
		GenericConfig: config,
		ExtraConfig: apiextensionsserver.ExtraConfig{
			CRDRESTOptionsGetter: apiextensionsoptions.NewCRDRESTOptionsGetter(*c.recommended.Etcd, config.ResourceTransformers, config.StorageObjectCountTracker),
			MasterCount:          1,
			ServiceResolver:      webhook.NewDefaultServiceResolver(),
			AuthResolverWrapper:  webhook.NewDefaultAuthenticationInfoResolverWrapper(nil, nil, config.LoopbackClientConfig, noop.NewTracerProvider()),
		},
	}
	unknown := notfoundhandler.New(c.generic.Serializer, genericfilters.NoMuxAndDiscoveryIncompleteKey)
	return whole.Complete().New(genericapiserver.NewEmptyDelegateWithCustomHandler(unknown))
}

// newBuiltIn serves ConfigMaps and namespaces, and discovers them as kube-apiserver's own resources.
func (c *chain) newBuiltIn(scheme *runtime.Scheme, codecs codecFactory, delegate genericapiserver.DelegationTarget) (*genericapiserver.GenericAPIServer, error) {
	config := *c.generic
	config.SkipOpenAPIInstallation = true
	completed := config.Complete()
	server, err := completed.New("kube-apiserver", delegate)
	if err != nil {
		return nil, err
	}
	if err := servers.InstallConfigMaps(server, scheme, codecs, config.RESTOptionsGetter); err != nil {
		return nil, err
	}
	server.AggregatedLegacyDiscoveryGroupManager.AddGroupVersion("", apidiscovery.APIVersionDiscovery{Version: "v1", Freshness: apidiscovery.DiscoveryFreshnessCurrent})
	addresses := discovery.DefaultAddresses{DefaultAddress: completed.ExternalAddress}
	legacy := discovery.NewLegacyRootAPIHandler(addresses, server.Serializer, "/api")
	wrapped := aggregated.WrapAggregatedDiscoveryToHandler(legacy, server.AggregatedLegacyDiscoveryGroupManager, server.AggregatedLegacyDiscoveryGroupManager)
	server.Handler.GoRestfulContainer.Add(wrapped.GenerateWebService("/api", metav1.APIVersions{}))
	return server, nil
}
