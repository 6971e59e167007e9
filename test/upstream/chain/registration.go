package main

import (
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	informers "k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kube-aggregator/pkg/apiserver"
	client "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/typed/apiregistration/v1"
	"k8s.io/kube-aggregator/pkg/controllers/autoregister"
)

// builtInServices are the APIServices of the servers behind the head, with kube-apiserver's priorities.
var builtInServices = []*apiregistration.APIService{
	newService(schema.GroupVersion{Version: "v1"}, 18000, 1),
	newService(apiextensions.SchemeGroupVersion, 16700, 15),
}

func newService(of schema.GroupVersion, group, version int32) *apiregistration.APIService {
	return &apiregistration.APIService{
		ObjectMeta: metav1.ObjectMeta{Name: of.Version + "." + of.Group},
		Spec:       apiregistration.APIServiceSpec{Group: of.Group, Version: of.Version, GroupPriorityMinimum: group, VersionPriority: version},
	}
}

// register lets APIServices follow the definitions. kube-apiserver's controller of them is in no module.
func register(head *apiserver.APIAggregator, loopback *rest.Config, definitions informers.CustomResourceDefinitionInformer) error {
	services, err := client.NewForConfig(loopback)
	if err != nil {
		return err
	}
	registered := autoregister.NewAutoRegisterController(head.APIRegistrationInformers.Apiregistration().V1().APIServices(), services)
	for _, one := range builtInServices {
		registered.AddAPIServiceToSyncOnStart(one)
	}
	follow := func(object any) {
		if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = unknown.Obj
		}
		definition := object.(*apiextensions.CustomResourceDefinition)
		for _, version := range definition.Spec.Versions {
			of := schema.GroupVersion{Group: definition.Spec.Group, Version: version.Name}
			all, _ := definitions.Lister().List(labels.Everything())
			if isServed(all, of) {
				registered.AddAPIServiceToSync(newService(of, 1000, 100))
			} else {
				registered.RemoveAPIServiceToSync(of.Version + "." + of.Group)
			}
		}
	}
	_, err = definitions.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: follow,
		UpdateFunc: func(old, current any) {
			follow(old)
			follow(current)
		},
		DeleteFunc: follow,
	})
	if err != nil {
		return err
	}
	return head.GenericAPIServer.AddPostStartHook("kube-apiserver-autoregistration", func(context genericapiserver.PostStartHookContext) error {
		go registered.Run(5, context.Done())
		return nil
	})
}

func isServed(definitions []*apiextensions.CustomResourceDefinition, of schema.GroupVersion) bool {
	for _, definition := range definitions {
		for _, version := range definition.Spec.Versions {
			if definition.Spec.Group == of.Group && version.Name == of.Version && version.Served {
				return true
			}
		}
	}
	return false
}
