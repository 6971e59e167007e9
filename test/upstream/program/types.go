package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/sets"
	mergetypes "sigs.k8s.io/structured-merge-diff/v6/typed"
)

// installedTypes knows the types of installed versions only, and so drops managers in others, as a released server does.
type installedTypes struct {
	managedfields.TypeConverter
	versions sets.Set[schema.GroupVersion]
}

// installedWith has the versions that a server installs together with a version: those below /api, or those below /apis.
func installedWith(version schema.GroupVersion, served []schema.GroupVersion) sets.Set[schema.GroupVersion] {
	together := sets.New[schema.GroupVersion]()
	for _, other := range served {
		if (other.Group == "") == (version.Group == "") {
			together.Insert(other)
		}
	}
	return together
}

func (t installedTypes) ObjectToTyped(object runtime.Object, options ...mergetypes.ValidationOptions) (*mergetypes.TypedValue, error) {
	kind := object.GetObjectKind().GroupVersionKind()
	if kind.Kind != "Scale" && !t.versions.Has(kind.GroupVersion()) {
		return nil, runtime.NewNotRegisteredErrForKind("installed types", kind)
	}
	return t.TypeConverter.ObjectToTyped(object, options...)
}
