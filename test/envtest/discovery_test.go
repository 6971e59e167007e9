package envtest

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/openapi3"
	"k8s.io/client-go/restmapper"
	"k8s.io/kube-openapi/pkg/spec3"
	"sigs.k8s.io/yaml"
)

// TestDiscoveryAgrees reads discovery in both forms that there are: client-go makes the same of the aggregated documents
// and of one document for each group version.
func TestDiscoveryAgrees(t *testing.T) {
	client := discovery.NewDiscoveryClientForConfigOrDie(restConfig)
	groups, resources := everythingServed(t, client)
	oldGroups, oldResources := everythingServed(t, client.WithLegacy())
	if !reflect.DeepEqual(groups, oldGroups) {
		t.Errorf("groups differ:\naggregated %+v\nlegacy     %+v", groups, oldGroups)
	}
	if len(resources) < 20 || len(resources) != len(oldResources) {
		t.Errorf("%d group versions aggregated, %d legacy", len(resources), len(oldResources))
	}
	for version, list := range oldResources {
		if !reflect.DeepEqual(resources[version], list) {
			t.Errorf("%s differs:\naggregated %+v\nlegacy     %+v", version, resources[version], list)
		}
	}
}

// everythingServed asks for all groups and resources, these by group version and name. What only one of the two forms
// tells is left out: the hash of the storage version, a subresource's singular name, and that a resource is of its own
// group version.
func everythingServed(t *testing.T, client discovery.DiscoveryInterface) ([]*metav1.APIGroup, map[string][]metav1.APIResource) {
	t.Helper()
	groups, lists, err := client.ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]metav1.APIResource{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for i := range list.APIResources {
			resource := &list.APIResources[i]
			resource.StorageVersionHash = ""
			if strings.Contains(resource.Name, "/") {
				resource.SingularName = ""
			}
			if resource.Group == version.Group && resource.Version == version.Version {
				resource.Group, resource.Version = "", ""
			}
		}
		slices.SortFunc(list.APIResources, func(a, b metav1.APIResource) int { return strings.Compare(a.Name, b.Name) })
		found[list.GroupVersion] = list.APIResources
	}
	for _, group := range groups {
		group.TypeMeta = metav1.TypeMeta{}
	}
	return groups, found
}

// TestMapper maps every kind that discovery names to its resource and back, and short names too.
func TestMapper(t *testing.T) {
	client := discovery.NewDiscoveryClientForConfigOrDie(restConfig)
	groups, err := restmapper.GetAPIGroupResources(client)
	if err != nil {
		t.Fatal(err)
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	for _, kind := range servedKinds(t) {
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			t.Error(err)
			continue
		}
		back, err := mapper.KindFor(mapping.Resource)
		if namespaced := mapping.Scope.Name() == "namespace"; err != nil || back != kind.GroupVersionKind || namespaced != kind.namespaced {
			t.Errorf("%v is %v and back %v, namespaced %v, error %v", kind, mapping.Resource, back, namespaced, err)
		}
	}
	short := restmapper.NewShortcutExpander(mapper, client, func(warning string) { t.Error(warning) })
	for name, want := range map[string]string{"po": "pods", "deploy": "deployments", "crd": "customresourcedefinitions", "ing": "ingresses"} {
		if got, err := short.ResourceFor(schema.GroupVersionResource{Resource: name}); err != nil || got.Resource != want {
			t.Errorf("%s is %v, error %v", name, got, err)
		}
	}
}

// TestOpenAPIKnowsEveryKind reads both versions of OpenAPI by client-go's own readers.
func TestOpenAPIKnowsEveryKind(t *testing.T) {
	client := discovery.NewDiscoveryClientForConfigOrDie(restConfig)
	second, err := client.OpenAPISchema()
	if err != nil {
		t.Fatal(err)
	}
	declared := map[schema.GroupVersionKind]bool{}
	for _, definition := range second.Definitions.AdditionalProperties {
		for _, extension := range definition.Value.VendorExtension {
			var kinds []schema.GroupVersionKind
			if extension.Name != "x-kubernetes-group-version-kind" {
				continue
			}
			if err := yaml.Unmarshal([]byte(extension.Value.Yaml), &kinds); err != nil {
				t.Fatal(err)
			}
			for _, kind := range kinds {
				declared[kind] = true
			}
		}
	}
	root := openapi3.NewRoot(client.OpenAPIV3())
	documents := map[schema.GroupVersion]*spec3.OpenAPI{}
	for _, kind := range servedKinds(t) {
		if !declared[kind.GroupVersionKind] {
			t.Errorf("version 2 does not know %v", kind)
		}
		document := documents[kind.GroupVersion()]
		if document == nil {
			if document, err = root.GVSpec(kind.GroupVersion()); err != nil {
				t.Fatal(err)
			}
			documents[kind.GroupVersion()] = document
		}
		known := 0
		for _, component := range document.Components.Schemas {
			of, _ := component.Extensions["x-kubernetes-group-version-kind"].([]any)
			for _, one := range of {
				if gvk, ok := one.(map[string]any); ok && gvk["kind"] == kind.Kind && gvk["group"] == kind.Group && gvk["version"] == kind.Version {
					known++
				}
			}
		}
		if known != 1 || len(document.Paths.Paths) == 0 {
			t.Errorf("version 3 knows %v %d times, by %d paths", kind, known, len(document.Paths.Paths))
		}
	}
}
